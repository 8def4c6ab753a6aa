"""One matrix for each offset: it exists for waves, in sines and cosines, and for nothing else here."""

from __future__ import annotations

import math

import pytest
import torch
from drawn import sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.figure.runs import quote_runs
from posenc_gui.measures.base import ROUNDING
from posenc_gui.measures.linear_shift import FITS, LinearShift


def measured(name: str, d_model: int = 16, offset: int = 1, **parameters: object) -> LinearShift:
    encoding = pe.encoding(name, **parameters)
    session = pe.Session(encoding=encoding, model=pe.ToyModel(d_model=d_model, n_heads=1))
    return pe.measure("linear_shift", session, offset=offset)


@settings(max_examples=12)
@given(
    half=st.integers(1, 32),
    base=st.sampled_from([10.0, 100.0, 10_000.0, 1e6]),
    layout=st.sampled_from(["interleaved", "concatenated", "cosine_first"]),
    spacing=st.sampled_from(["paper", "tensor2tensor"]),
)
def test_it_is_exact_for_waves_in_every_layout_and_spacing(half: int, base: float, layout: str, spacing: str) -> None:
    # Vaswani et al. 2017, section 3.5: PE_(pos+k) is a linear function of PE_pos
    found = measured("sinusoidal", 2 * half, base=base, layout=layout, spacing=spacing)
    assert found.value < FITS
    assert "one matrix per offset predicts" in found.reason
    assert measured("rope", 2 * half, base=base).value < FITS


def test_no_error_but_rounding_is_said_of_nothing_larger() -> None:
    session = pe.Session(encoding=pe.encoding("sinusoidal", base=10.0), model=pe.ToyModel(d_model=256, n_heads=1))
    found = pe.measure("linear_shift", session)
    assert ROUNDING < found.value <= FITS
    for told in (found.reason, quote_runs(pe.plot("linear_shift", session).headline)):
        assert "predicts the vector at m + k" in told
        assert "rounding" not in told


@pytest.mark.parametrize("offset", [0, 1, 3, 40])
def test_the_map_is_a_rotation_of_each_pair_of_waves(offset: int) -> None:
    # (sin a, cos a) M = (sin(a + φ), cos(a + φ)), φ = k ω: sin a cos φ + cos a sin φ and cos a cos φ − sin a sin φ
    expected = torch.zeros(16, 16, dtype=torch.float64)
    for i in range(8):
        angle = offset * 10_000 ** (-2 * i / 16)
        cos, sin = math.cos(angle), math.sin(angle)
        expected[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
    torch.testing.assert_close(measured("sinusoidal", offset=offset).matrix, expected, rtol=0, atol=1e-6)


def test_the_map_of_concatenated_waves_is_the_same_in_another_order() -> None:
    interleaved, concatenated = (
        measured("sinusoidal", 16, 3, layout=layout).matrix for layout in ("interleaved", "concatenated")
    )
    order = [*range(0, 16, 2), *range(1, 16, 2)]
    torch.testing.assert_close(concatenated, interleaved[order][:, order], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["integer", "normalized", "one_hot", "learned"])
@pytest.mark.parametrize("d_model", [16, 64])
def test_there_is_none_for_the_other_input_encodings(name: str, d_model: int) -> None:
    found = measured(name, d_model)
    assert found.value > 0.4
    assert "fails where it was not fitted" in found.reason
    assert found.sine_alone is None
    assert found.cosine_alone is None


def test_for_positions_in_one_dimension_the_residual_can_be_written_down() -> None:
    # p_m = m: the best factor for m → m + k on even m is Σ m (m + k) / Σ m²; the error is judged on odd m.
    found = measured("integer", 4)
    for k, residual in zip(found.offsets.tolist(), found.residuals.tolist(), strict=True):
        m = torch.arange(128 - 32, dtype=torch.float64)  # every map starts where the farthest still arrives
        fit, judged = m[::2], m[1::2]
        factor = (fit * (fit + k)).sum() / fit.pow(2).sum()
        error = ((factor * judged - judged - k).pow(2).mean() / judged.var(correction=0)).sqrt()
        assert residual == pytest.approx(float(error), rel=1e-6)


@pytest.mark.parametrize("name", ["sinusoidal", "rope"])
@pytest.mark.parametrize("d_model", [2, 8, 16, 32, 64])
def test_sines_alone_or_cosines_alone_lose_it(name: str, d_model: int) -> None:
    found = measured(name, d_model)
    assert float(found.sine_alone.max()) > 0.1
    assert float(found.cosine_alone.max()) > 0.1
    if d_model == 2:
        # sin(m + 1) = cos 1 sin m + sin 1 cos m: what is left is the second part, uncorrelated with the first.
        assert float(found.sine_alone[0]) == pytest.approx(math.sin(1), abs=0.03)


def test_what_one_wave_alone_loses_can_be_written_down() -> None:
    # One number p_m: the best factor for p_m → p_(m+k) on even m is Σ p_m p_(m+k) / Σ p_m²; the error is judged on odd m.
    found = measured("sinusoidal", 2)
    for wave, residuals in ((torch.sin, found.sine_alone), (torch.cos, found.cosine_alone)):
        for k, residual in zip(found.offsets.tolist(), residuals.tolist(), strict=True):
            p = wave(torch.arange(128, dtype=torch.float64))
            before, after = p[:96], p[k : k + 96]
            factor = (before[::2] * after[::2]).sum() / before[::2].pow(2).sum()
            error = (factor * before[1::2] - after[1::2]).pow(2).mean().sqrt() / after[1::2].std(correction=0)
            assert residual == pytest.approx(float(error), rel=1e-6)


@settings(max_examples=16)
@given(session=sessions(most=6))
def test_its_parts_fit_together(session: pe.Session) -> None:
    found = pe.measure("linear_shift", session)
    if found.value is None:
        limit = session.encoding.length_limit(session.model.d_model)
        has_few = session.model.d_model == 1 or (limit is not None and limit < 5)
        assert session.encoding.door == "none" or has_few
        return
    assert found.offsets.tolist() == [2**power for power in range(len(found.offsets))]
    assert found.value == float(found.residuals.max())
    assert (found.residuals >= 0).all()
    for alone in (found.sine_alone, found.cosine_alone):
        assert alone is None or alone.shape == found.residuals.shape
    width = found.matrix.shape[0]
    assert found.matrix.shape == (width, width)


@pytest.mark.parametrize("d_model", [256, 258])
def test_a_map_that_is_too_wide_is_not_kept(d_model: int) -> None:
    assert (measured("sinusoidal", d_model).matrix is None) == (d_model > 256)


@pytest.mark.parametrize("name", [name for name in pe.encodings() if not pe.encoding(name).tiled])
def test_the_map_of_what_needs_all_keys_at_once_is_fitted_within_its_reach(name: str) -> None:
    assert pe.measure("linear_shift", pe.Session(text="", encoding=name)).matrix is not None


def test_an_offset_past_a_tables_end_has_no_map_but_the_errors_of_the_others() -> None:
    found = pe.measure("linear_shift", pe.Session(encoding=pe.encoding("learned", max_len=20)), offset=20)
    assert found.matrix is None
    assert found.offsets.tolist() == [1, 2, 4]


def test_a_one_hot_shift_is_seen_whole_where_it_was_fitted() -> None:
    found = measured("one_hot", 16)  # M_1 leads from e_m to e_(m+1) for every m but the last
    expected = torch.diag(torch.ones(15, dtype=torch.float64), 1)
    torch.testing.assert_close(found.matrix, expected, rtol=0, atol=1e-9)


def test_the_map_of_what_grows_far_out_turns_every_pair() -> None:
    """xPos's fast pairs are e^100 times as large far out: each pair still turns by its angle and grows by its own factor."""
    encoding = pe.encoding("xpos")
    matrix = pe.measure("linear_shift", pe.Session(encoding=encoding), offset=1).matrix
    before, after = (
        encoding.profile(torch.arange(40) + shift, 64, Context(80, d_head=16)).values for shift in (0.0, 1.0)
    )
    torch.testing.assert_close(before @ matrix, after, atol=1e-6, rtol=0)
