"""Context extension: what each scaling is known to do to pairs, to the angles that a text reaches, and to scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import posenc_gui as pe
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines
from posenc_gui.figure.runs import quote_runs

LLAMA = pe.preset("llama-3.1-8b")
QWEN = pe.preset("qwen2.5-7b-yarn")


def extended(session: pe.Session, scaling: dict | None = None, **options: object) -> Figure:
    encoding = session.encoding if scaling is None else session.encoding.model_copy(update={"scaling": None})
    if scaling is not None:
        encoding = pe.encoding("rope", base=session.encoding.base, scaling=scaling)
    return pe.plot("extension", session.changed(encoding=encoding, other=None, plots={"extension": options}))


def curve(panel: Lines, label: str) -> np.ndarray:
    (series,) = (series for series in panel.series if series.label == label)
    return series.y


def test_llama_keeps_29_pairs_blends_6_and_interpolates_29() -> None:
    figure = extended(LLAMA)
    waves, slower, _, _ = figure.panels
    times = curve(slower, "Llama 3")
    assert times[:29] == pytest.approx(1)
    assert times[35:] == pytest.approx(8)
    assert ((times[29:35] > 1) & (times[29:35] < 8)).all()
    assert curve(waves, "before")[0] == pytest.approx(2 * math.pi)
    assert curve(waves, "trained")[0] == 8192
    assert curve(waves, "text")[0] == 65_536
    assert "of 64 pairs 29 kept, 6 between, 29 turned 8 times slower" in figure.caption
    assert quote_runs(figure.headline).startswith(
        "Over 65,536 positions 29 of 64 pairs would reach angles that training never"
    )
    assert quote_runs(figure.headline).endswith("with Llama 3 it is 0.")


def test_yarn_of_qwen_keeps_24_pairs_and_multiplies_scores() -> None:
    figure = extended(QWEN)
    times = curve(figure.panels[1], "YaRN")
    assert times[:24] == pytest.approx(1)
    assert times[40:] == pytest.approx(4)
    assert "scores times 1.296" in figure.caption  # 1.13862944²


def test_linear_slows_all_and_ntk_the_slowest_most() -> None:
    linear = curve(extended(LLAMA, {"rope_type": "linear", "factor": 4.0}).panels[1], "Linear")
    assert linear == pytest.approx(4)
    ntk = curve(extended(LLAMA, {"rope_type": "ntk", "factor": 4.0}).panels[1], "NTK-aware")
    assert ntk[0] == pytest.approx(1)
    assert ntk[-1] == pytest.approx(4, rel=1e-5)
    assert (np.diff(ntk) > 0).all()


def test_dynamic_waits_for_a_longer_text_and_longrope_has_two_lists() -> None:
    dynamic = {"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 8192}
    assert curve(extended(LLAMA, dynamic, length=8192).panels[1], "Dynamic NTK") == pytest.approx(1)
    assert curve(extended(LLAMA, dynamic, length=16_384).panels[1], "Dynamic NTK")[-1] == pytest.approx(3, rel=1e-5)
    lists = {"short_factor": [1.0] * 64, "long_factor": [5.0] * 64, "original_max_position_embeddings": 8192}
    for length, times in ((8192, 1), (8193, 5)):
        figure = extended(LLAMA, {"rope_type": "longrope", **lists}, length=length)
        assert curve(figure.panels[1], "LongRoPE") == pytest.approx(times)


def test_one_picture_tells_the_scalings_apart() -> None:
    slower = extended(LLAMA, against="every").panels[1]
    curves = [tuple(series.y.round(3)) for series in slower.series]
    assert [series.label for series in slower.series] == [
        "Linear", "NTK-aware", "Dynamic NTK", "YaRN", "Llama 3", "before",
    ]  # fmt: skip
    assert len(set(curves)) == len(curves)
    own = {"rope_type": "yarn", "factor": 8.0, "beta_fast": 64.0, "original_max_position_embeddings": 8192}
    asked = extended(LLAMA, own, against="every").panels[1]
    assert (curve(asked, "YaRN") == curve(extended(LLAMA, own).panels[1], "YaRN")).all(), "its own way is as it is set"


def test_pairs_that_do_not_turn_have_no_wavelength() -> None:
    figure = extended(LLAMA, {"rope_type": "proportional", "partial_rotary_factor": 0.25})
    assert len(curve(figure.panels[0], "Proportional")) == 16
    assert "48 not turned at all" in figure.caption


def test_scores_over_stretches_are_the_mean_of_those_at_every_offset() -> None:
    figure = extended(LLAMA, length=65_536)
    scores = curve(figure.panels[3], "Llama 3")
    offsets = torch.arange(256 * 10, 256 * 11, dtype=torch.float64) + 0.5  # the middle of each step
    theta = LLAMA.encoding.frequencies(128, 65_536)
    assert scores[10] == pytest.approx(float((offsets[:, None] * theta).cos().mean()), abs=2e-3)


def test_a_short_text_s_scores_stand_at_each_offset() -> None:
    figure = extended(LLAMA, length=100)
    theta = LLAMA.encoding.frequencies(128, 100)
    expected = (torch.arange(100, dtype=torch.float64)[:, None] * theta).cos().mean(-1)
    assert curve(figure.panels[3], "Llama 3") == pytest.approx(expected.numpy(), abs=1e-6)
    assert "means over" in extended(LLAMA).caption
    assert "means over" not in figure.caption


def test_the_trained_length_is_the_session_s_or_else_the_scaling_s() -> None:
    assert "trained on 8,192 positions" in extended(LLAMA.changed(trained_length=None)).caption
    assert "trained on 2,048 positions" in extended(LLAMA.changed(trained_length=2048)).caption
    plain = pe.Session(encoding=pe.encoding("rope", scaling={"rope_type": "linear"}))
    assert "trained on 6 positions before the scaling (assumed)" in pe.plot("extension", plain).caption, (
        "the sentence's"
    )


@pytest.mark.parametrize(
    ("of", "begins", "caption"),
    [
        ("before", "Over 65,536 positions 9 of 64 pairs", "Linear, trained on 16,384 positions, over 65,536"),
        ("after", "Over 16,384 positions 18 of 64 pairs", "Linear, trained on 4,096 positions, over 16,384"),
        (
            "unsaid",
            "If training had 16,384 positions before the scaling, over 65,536 positions 9 of 64 pairs",
            "Linear, trained on 16,384 positions before the scaling (assumed), over 65,536",
        ),
    ],
)
def test_a_trained_length_is_that_before_the_scaling_or_after_it(of: str, begins: str, caption: str) -> None:
    """16,384 and factor 4 are `hfl/chinese-alpaca-2-13b-16k` (hiyouga/LlamaFactory#1298); by hand, 10000^(−2i/128) times
    16,384 is less than 2π for the last 9 pairs, times 4,096 for the last 18."""
    session = pe.Session(model=pe.ToyModel(d_model=5120, n_heads=40, causal=True), trained_length=16384)
    figure = extended(session.changed(encoding="rope"), {"rope_type": "linear", "factor": 4.0, "trained_length_is": of})
    assert quote_runs(figure.headline).startswith(begins)
    assert figure.caption.startswith(caption)
    labels = {series.label for panel in figure.panels for series in panel.series}
    assert ("trained?" in labels, "trained" in labels) == (of == "unsaid", of != "unsaid")


def test_a_strength_slows_what_training_at_full_strength_has_shown() -> None:
    """As position interpolation does (Chen et al. 2023): slowed by the extension, no pair reaches an angle that is new."""
    whole, half, slowest = (extended(LLAMA.changed(strength=strength)) for strength in (1.0, 0.5, 1 / 8))
    for strength, figure in ((0.5, half), (1 / 8, slowest)):
        for panel, label in ((0, "before"), (2, "in training"), (3, "before")):
            assert np.array_equal(curve(figure.panels[panel], label), curve(whole.panels[panel], label))
        for label in ("not scaled", "scaled"):
            angles = curve(figure.panels[2], label)
            assert angles == pytest.approx(strength * curve(whole.panels[2], label), rel=1e-5)
    begun = "At strength 0.125, over 65,536 positions, 0 of 64 pairs would reach angles that training at full strength never "
    assert quote_runs(slowest.headline) == f"{begun}showed; with Llama 3 it is 0."


def test_what_was_not_extended_says_so() -> None:
    for encoding, why in (
        ("sinusoidal", "has no scaling"),
        ("rope", "choose one of its scalings"),
        ("none", "no scaling"),
    ):
        figure = pe.plot("extension", pe.Session(encoding=encoding))
        assert figure.is_note
        assert why in figure.description


def test_the_factor_can_be_swept() -> None:
    figures = pe.sweep("extension", LLAMA, "scaling.factor", [2.0, 4.0, 8.0])
    assert [max(curve(figure.panels[1], "Llama 3")) for figure in figures] == pytest.approx([2, 4, 8])


def test_the_slow_down_is_shown_alone_or_beside_the_angle() -> None:
    session = pe.Session(encoding=pe.encoding("rope", scaling={"rope_type": "linear", "factor": 4.0}))
    shown = {
        show: [panel.title for panel in extended(session, show=show).panels]
        for show in ("slow-down", "slow-down and angle")
    }
    assert list(shown.values()) == [
        ["slow-down of each pair"],
        ["slow-down of each pair", "angle at the end of the text"],
    ]
