"""How fast each pair turns, and how many turns fit."""

from __future__ import annotations

import math

import pytest
import torch
from drawn import NAMES, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.attention.layer import context_of


@settings(max_examples=16)
@given(
    half=st.integers(1, 64),
    base=st.sampled_from([1.0, 100.0, 10_000.0, 500_000.0]),
    context=st.integers(1, 200_000),
    name=st.sampled_from(["sinusoidal", "rope"]),
)
def test_wavelengths_go_from_2_pi_to_the_base_times_that(half: int, base: float, context: int, name: str) -> None:
    # Vaswani et al. 2017, section 3.5: a geometric progression, λ_i = 2π · base^(2i/d); RoPE's alike, in each head
    session = pe.Session(encoding=pe.encoding(name, base=base), model=pe.ToyModel(d_model=2 * half, n_heads=1))
    found = pe.measure("frequencies", session, context=context)
    expected = 2 * math.pi * base ** (2 * torch.arange(half, dtype=torch.float64) / (2 * half))
    torch.testing.assert_close(found.wavelengths, expected, rtol=1e-6, atol=0)
    torch.testing.assert_close(found.turns, (context - 1) / expected, rtol=1e-6, atol=0)  # steps, not positions
    torch.testing.assert_close(found.frequencies, 2 * math.pi / expected, rtol=1e-6, atol=0)
    assert found.context == context
    assert found.value == int((context - 1 < expected).sum())
    slow = int(found.value)
    assert (
        f"{slow} of {half} pair{'' if half == 1 else 's'} never finish{'es' if slow == 1 else ''} one turn"
        in found.reason
    )


def test_values_that_are_known() -> None:
    # tensor2tensor's slowest wavelength is 2π · base, the paper's one step short of it
    model = pe.ToyModel(d_model=512, n_heads=8)
    paper, other = (
        pe.measure("frequencies", pe.Session(encoding=pe.encoding("sinusoidal", spacing=spacing), model=model))
        for spacing in ("paper", "tensor2tensor")
    )
    assert float(other.wavelengths.max()) == pytest.approx(2 * math.pi * 10_000)
    assert float(paper.wavelengths.max()) == pytest.approx(2 * math.pi * 10_000 ** (510 / 512))
    # Llama 2: d_head 128, 4,096 positions: λ_i > 4095 steps from i = 45.03 on, so 18 of 64 pairs never finish a turn.
    llama = pe.Session(encoding="rope", model=pe.ToyModel(d_model=256, n_heads=2))
    first = 64 * math.log(4095 / (2 * math.pi)) / math.log(10_000)
    assert pe.measure("frequencies", llama, context=4096).value == 64 - math.ceil(first) == 18


@settings(max_examples=12)
@given(half=st.integers(1, 32), fraction=st.floats(0.05, 1), context=st.integers(1, 10_000))
def test_pairs_that_are_not_rotated_never_come_round(half: int, fraction: float, context: int) -> None:
    encoding = pe.encoding("rope", fraction=fraction)
    rotated = encoding.rotated(2 * half) // 2
    if not rotated:
        return
    session = pe.Session(encoding=encoding, model=pe.ToyModel(d_model=2 * half, n_heads=1))
    found = pe.measure("frequencies", session, context=context)
    assert found.wavelengths[:rotated].isfinite().all()
    assert found.wavelengths[rotated:].isinf().all()
    assert not found.turns[rotated:].any()
    assert found.value >= half - rotated
    assert "inf" not in found.reason


def test_where_no_pair_turns_it_says_so() -> None:
    found = pe.measure("frequencies", pe.Session(encoding=pe.encoding("rope", fraction=0.0)))
    assert found.value == 8
    assert found.reason.startswith("No pair turns")


def has_phases(session: pe.Session) -> bool:
    """Whether the encoding has angles in this model."""
    model = session.model
    return session.encoding.phases(torch.arange(2.0), model.d_model, context_of(2, model)) is not None


@settings(max_examples=12)
@given(session=sessions(most=12))
def test_the_context_is_the_sentences_and_what_has_no_waves_says_so(session: pe.Session) -> None:
    found = pe.measure("frequencies", session)
    if not has_phases(session):
        assert found.value is None
        assert session.encoding.title in found.reason
        return
    if len(found.frequencies):
        assert found.context == max(1, session.n_tokens)


@pytest.mark.parametrize("name", NAMES)
def test_exactly_encodings_with_phases_have_frequencies(name: str) -> None:
    session = pe.Session(encoding=name)
    assert (pe.measure("frequencies", session).value is not None) == has_phases(session)
    assert has_phases(session) == (name in ("sinusoidal", "fourier") or session.encoding.door == "rotation")
