"""Scores by offset, and RoFormer's bound on them."""

from __future__ import annotations

import math

import pytest
import torch
from drawn import RELATIVE, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe

# Those whose scores offsets and the two words alone decide, and that hold far out.
OF_OFFSETS = [name for name in RELATIVE if name not in ("xpos", "fire", "cope", "fox")]


def test_the_relative_bound_of_the_paper() -> None:
    # Su et al. 2021, section 3.4.3, in float64: (1/(d/2)) Σ |S_j| for d = 128, base 10,000
    known = {0: 32.5, 1: 31.538, 8: 19.817, 64: 10.090}
    session = pe.Session(encoding="rope", model=pe.ToyModel(d_model=128, n_heads=1))
    found = pe.measure("kernel", session)
    for offset, bound in known.items():
        for sign in (1, -1):
            assert float(found.bound[found.offsets == sign * offset]) == pytest.approx(bound, rel=5e-5)


@pytest.mark.slow
@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**31 - 1),
    half=st.integers(1, 16),
    base=st.sampled_from([100.0, 10_000.0]),
    pairing=st.sampled_from(["half", "interleaved"]),
    causal=st.booleans(),
)
def test_a_rotations_score_never_passes_the_bound(
    seed: int, half: int, base: float, pairing: str, causal: bool
) -> None:
    # Su et al. 2021, section 3.4.3. As complex numbers h_i = q_i k_i*, h_(d/2) = 0, S_0 = 0, S_j = Σ_(i<j) e^(√−1 (m−n) θ_i):
    # score = Re Σ h_i (S_(i+1) − S_i) = −Re Σ S_(i+1) (h_(i+1) − h_i) by parts, so |score| ≤ max |h_(i+1) − h_i| Σ |S_j|.
    model = pe.ToyModel(d_model=2 * half, n_heads=1, scale=1.0, seed=seed, causal=causal)
    encoding = pe.encoding("rope", base=base, pairing=pairing)
    found = pe.measure("kernel", pe.Session(text="query key", encoding=encoding, model=model, focus=0, key=1))
    x = model.embed(("query", "key")).double()
    first, second = encoding.pairs(2 * half)
    q = x[0] @ model.projection("query").double()
    k = x[1] @ model.projection("key").double()
    h = torch.complex(q[first], q[second]) * torch.complex(k[first], k[second]).conj()
    largest = torch.cat((h, torch.zeros(1, dtype=h.dtype))).diff().abs().max()
    assert (found.seeded[0].abs() <= largest * half * found.bound * (1 + 1e-9) + 1e-9).all()
    # And it is the score of which the paper speaks: Re Σ h_i e^(√−1 (m−n) θ_i).
    theta = base ** (-torch.arange(half, dtype=torch.float64) / half)
    turned = torch.polar(torch.ones(len(found.offsets), half).double(), found.offsets[:, None] * theta)
    torch.testing.assert_close(found.seeded[0], (h * turned).real.sum(-1), rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@settings(max_examples=10)
@given(
    n_heads=st.integers(1, 9),
    causal=st.booleans(),
    seed=st.integers(0, 2**31 - 1),
    scale=st.sampled_from([0.0, 1.0, 8.0]),
)
def test_alibi_is_no_encoding_minus_slope_times_distance(n_heads: int, causal: bool, seed: int, scale: float) -> None:
    # Press, Smith, Lewis 2021, section 3: slopes 2^(−8h/n) for a power of two
    model = pe.ToyModel(d_model=2 * n_heads, n_heads=n_heads, causal=causal, seed=seed, embedding_scale=scale)
    alibi, none = (pe.measure("kernel", pe.Session(encoding=name, model=model)) for name in ("alibi", "none"))
    slopes = pe.encoding("alibi").slopes(n_heads)
    if n_heads in (1, 2, 4, 8):
        torch.testing.assert_close(slopes, 2.0 ** (-8 * torch.arange(1, n_heads + 1).double() / n_heads))
    for kind in ("seeded", "random", "same"):
        difference = getattr(none, kind) - getattr(alibi, kind)
        torch.testing.assert_close(difference, slopes[:, None] * alibi.offsets.abs(), rtol=1e-6, atol=1e-6)


@pytest.mark.slow
@settings(max_examples=16)
@given(session=sessions([*OF_OFFSETS, "none"], least=1, most=10, n_layers=1))
def test_of_a_relative_encoding_it_is_attentions_score_at_that_offset(session: pe.Session) -> None:
    m, n = session.focused, session.keyed
    if session.model.causal and n > m:
        return  # behind the mask: such offsets are not shown
    found = pe.measure("kernel", session)
    score = pe.attend(session).scores[:, m, n].double()
    torch.testing.assert_close(found.seeded[:, found.offsets == m - n][:, 0], score, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@settings(max_examples=12)
@given(session=sessions(least=1, most=6))
def test_offsets_go_both_ways_and_under_a_mask_back_alone(session: pe.Session) -> None:
    found, model = pe.measure("kernel", session), session.model
    if found.value is None:
        assert session.encoding.length_limit(model.d_model) == 1
        return
    assert 0 in found.offsets
    limit = session.encoding.length_limit(model.d_model)
    assert (found.offsets >= 0).all() == (model.causal or len(found.offsets) == 1 or limit == 2)
    assert torch.equal(found.offsets.sort().values.diff(), torch.ones(len(found.offsets) - 1).double())
    for scores in (found.seeded, found.random, found.same):
        assert scores.shape == (model.n_heads, len(found.offsets))
    assert found.bound is None or session.encoding.door == "rotation"
    assert found.bound is not None or session.encoding.name != "rope"  # others change lengths, too
    if session.encoding.door == "none":
        assert found.value == 0
        assert found.bound is None
        for scores in (found.seeded, found.random, found.same):
            torch.testing.assert_close(scores, scores[:, :1].expand_as(scores))


@pytest.mark.slow
@settings(max_examples=6)
@given(half=st.integers(2, 16), seed=st.integers(0, 2**31 - 1))
def test_a_vector_with_itself_is_turned_to_the_mean_cosine(half: int, seed: int) -> None:
    # q = k: Re Σ |q_i|² e^(√−1 (m−n) θ_i), largest where nothing is turned, at 0 (Barbero et al. 2024 name it).
    model = pe.ToyModel(d_model=2 * half, n_heads=1, seed=seed)
    found = pe.measure("kernel", pe.Session(encoding="rope", model=model))
    assert int(found.offsets[int(found.same[0].argmax())]) == 0
    assert found.value > 0


def test_what_is_measured_does_not_hang_on_the_tokens_but_for_the_seeded_score() -> None:
    one = pe.measure("kernel", pe.Session(text="a b", encoding="rope"))
    other = pe.measure("kernel", pe.Session(text="c d", encoding="rope"))
    assert torch.equal(one.random, other.random)
    assert torch.equal(one.same, other.same)
    assert not torch.equal(one.seeded, other.seeded)
    assert math.isclose(one.value, other.value)
