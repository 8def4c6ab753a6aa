"""Dot products of positions: of the offset alone for sinusoidal vectors, until they are projected."""

from __future__ import annotations

import pytest
import torch
from drawn import ABSOLUTE, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.runs import quote_runs
from posenc_gui.measures.similarity import explained_by_offset

WAVES = {
    "base": st.sampled_from([100.0, 10_000.0, 1e6]),
    "layout": st.sampled_from(["interleaved", "concatenated", "cosine_first"]),
    "spacing": st.sampled_from(["paper", "tensor2tensor"]),
}


@settings(max_examples=12)
@given(half=st.integers(1, 24), parameters=st.fixed_dictionaries(WAVES))
def test_sinusoidal_vectors_meet_as_the_sum_of_cosines_of_their_offset(
    half: int, parameters: dict[str, object]
) -> None:
    # Vaswani et al. 2017, section 3.5: p_m · p_n = Σ cos((m − n) ω_i), ‖p‖² = d/2
    session = pe.Session(
        encoding=pe.encoding("sinusoidal", **parameters), model=pe.ToyModel(d_model=2 * half, n_heads=1)
    )
    found = pe.measure("similarity", session)
    i = torch.arange(half, dtype=torch.float64)
    exponent = 2 * i / (2 * half) if parameters["spacing"] == "paper" else i / max(half - 1, 1)
    offsets = found.coordinates[:, None] - found.coordinates
    expected = (offsets[..., None] * parameters["base"] ** -exponent).cos().sum(-1)
    torch.testing.assert_close(found.dots, expected, rtol=0, atol=1e-9)
    torch.testing.assert_close(found.cosines, expected / half, rtol=0, atol=1e-9)
    torch.testing.assert_close(found.dots.diagonal(), torch.full((128,), float(half), dtype=torch.float64))
    assert found.value == pytest.approx(1, abs=1e-9)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**31 - 1))
def test_projections_break_it_and_the_identity_does_not(seed: int) -> None:
    model = pe.ToyModel(d_model=32, n_heads=2, seed=seed)
    found = pe.measure("similarity", pe.Session(model=model))
    assert found.value == pytest.approx(1, abs=1e-9)
    assert found.projected_value < 0.6
    kept = pe.measure("similarity", pe.Session(model=model.model_copy(update={"projections": "identity"})))
    assert kept.projected_value == pytest.approx(1, abs=1e-6)


@settings(max_examples=16)
@given(session=sessions(most=8))
def test_tables_hold_what_they_are_said_to_hold(session: pe.Session) -> None:
    found = pe.measure("similarity", session)
    if session.encoding.door == "none":
        assert found.value is None
        return
    count = len(found.coordinates)
    assert found.dots.shape == found.cosines.shape == (count, count)
    assert 0 <= found.value <= 1 + 1e-9
    torch.testing.assert_close(found.dots, found.dots.T)
    assert float(found.cosines.abs().max()) <= 1 + 1e-9
    sizes = found.dots.diagonal().clamp(min=0).sqrt()
    torch.testing.assert_close(found.cosines * sizes[:, None] * sizes, found.dots, rtol=1e-6, atol=1e-6)
    assert (found.projected is None) == (session.encoding.door != "input")
    if found.projected is not None:
        model = session.model
        assert found.projected.shape == (model.n_heads, count, count)
        if model.projections == "identity":
            torch.testing.assert_close(found.projected.sum(0), found.dots)
        at = found.coordinates[:1]
        vector = session.encoding.vectors(at, model.d_model, None)[0]
        assert vector.shape == (model.d_model,)


@settings(max_examples=6)
@given(session=sessions(ABSOLUTE, most=4, d_model=24, n_heads=2, projections="seeded"))
def test_projected_dots_are_queries_and_keys_of_positions_alone(session: pe.Session) -> None:
    # Without content attention's scores are those of the positions: W_q p_m · W_k p_n / √d_head.
    model = session.model.model_copy(update={"embedding_scale": 0.0, "scale": 1.0, "n_layers": 1, "causal": False})
    session = session.changed(text=" ".join("abcdefgh"), model=model, order=())
    if session.encoding.name in ("normalized", "fourier"):  # their vectors depend on the length, here 8 and not 128
        return
    projected = pe.measure("similarity", session).projected[:, :8, :8].float()
    torch.testing.assert_close(projected, pe.attend(session).scores, rtol=1e-3, atol=1e-3)


def test_what_the_offset_explains_of_tables_that_are_known() -> None:
    m, n = torch.arange(20.0)[:, None].double(), torch.arange(20.0).double()
    assert explained_by_offset((m - n).cos()) == pytest.approx(1)
    assert explained_by_offset((m - n).abs() ** 3) == pytest.approx(1)
    assert explained_by_offset(torch.ones(5, 5).double()) == 1  # a constant
    assert explained_by_offset(m + n) == pytest.approx(0, abs=1e-12)  # each diagonal's mean is the table's
    assert explained_by_offset((m - n) + (m + n)) == pytest.approx(0.5)  # 2m: as much of the one as of the other
    generator = torch.Generator().manual_seed(0)
    chance = explained_by_offset(torch.randn(64, 64, generator=generator).double())
    assert chance == pytest.approx(126 / 4095, abs=0.02)  # 127 diagonals among 4,096 values


def test_one_hot_vectors_know_equal_from_different_alone() -> None:
    found = pe.measure("similarity", pe.Session(encoding="one_hot", model=pe.ToyModel(d_model=12, n_heads=1)))
    assert torch.equal(found.dots, torch.eye(12).double())
    assert found.value == 1


@pytest.mark.parametrize("name", ["sinusoidal", "rope", "alibi"])
def test_where_all_are_alike_there_is_no_variance_to_explain(name: str) -> None:
    session = pe.Session(encoding=name, strength=0.0)
    alike = f"all {session.encoding.along}s have the same signature"
    for told in (pe.measure("similarity", session).reason, quote_runs(pe.plot("similarity", session).headline)):
        assert alike in told
        assert "%" not in told
