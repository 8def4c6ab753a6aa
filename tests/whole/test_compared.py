"""Two encodings in one session: what every plot shows of them, what is held equal, and that each is what it is alone."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
from any_session import sessions
from hypothesis import assume, given

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.panels import Note
from posenc_gui.figure.runs import quote_runs
from posenc_gui.plots import plots
from posenc_gui.scene import comparison
from posenc_gui.session.evaluate import judge
from tests.plots.test_every_plot import assert_plain, assert_presentable

SMALL = pe.ToyModel(d_model=16, n_heads=1, seed=334)
ROPE, SLOW = pe.encoding("rope"), pe.encoding("rope", base=500_000.0)
T5, HELD = pe.encoding("t5"), "the same in both: sentence, order, toy model (seeded weights)"
BASES = pe.Session(encoding=ROPE, other=SLOW, model=SMALL)

draw = random.Random(13)
PAIRS = [("none", "rope"), *(tuple(draw.sample(pe.encodings(), 2)) for _ in range(3))]


# The session


@pytest.mark.slow
@given(session=sessions)
def test_swapped_is_the_other_way_round_and_back(session: pe.Session) -> None:
    assume(session.other is not None)
    swapped = session.swapped()
    assert (swapped.encoding, swapped.other) == (session.other, session.encoding)
    assert swapped.swapped() == session


def test_without_another_encoding_there_is_nothing_to_swap() -> None:
    with pytest.raises(ValueError, match="there is no other encoding to swap with"):
        pe.Session().swapped()


@pytest.mark.parametrize(("own", "other", "side"), [("sinusoidal", "rope", "B"), ("rope", "sinusoidal", "A")])
def test_an_encoding_that_does_not_fit_is_named_by_its_side(own: str, other: str, side: str) -> None:
    with pytest.raises(ValueError, match=f"{side}: RoPE turns pairs of dimensions: d_head must be even"):
        pe.Session(encoding=own, other=other, model=pe.ToyModel(d_model=6, n_heads=2))


def test_attend_and_measure_mean_a() -> None:
    alone = BASES.changed(other=None)
    assert torch.equal(pe.attend(BASES).probabilities, pe.attend(alone).probabilities)
    assert torch.equal(pe.attend(BASES.swapped()).probabilities, pe.attend(alone.changed(encoding=SLOW)).probabilities)
    assert pe.measure("frequencies", BASES).reason == pe.measure("frequencies", alone).reason


def test_both_are_judged() -> None:
    session = pe.Session(encoding="none", other="rope")
    verdicts = [judge(one, Engine())["unique"].verdict for one in (session, session.swapped())]
    assert verdicts == ["n/a", "met"]


# What they are called, and what is held equal


@pytest.mark.parametrize(
    ("own", "other", "called", "told"),
    [
        (ROPE, SLOW, ("base 10,000", "base 500,000"), (", scaling, pairing, rotated fraction, precision", "differs: base")),
        (pe.encoding("none"), ROPE, ("No encoding", "RoPE"), ("", "differs: encoding")),
        (ROPE, T5, ("RoPE", "T5 relative bias"), ("", "differs: encoding, the factor of q · k (0.25 and 1)")),
        (ROPE, ROPE, ("RoPE", "RoPE"), (", encoding", "A and B are the same")),
    ],
)  # fmt: skip
def test_they_are_named_by_what_differs(own, other, called: tuple[str, str], told: tuple[str, str]) -> None:
    session = BASES.changed(encoding=own, other=other)
    assert comparison.side_names(session.scene) == called
    held, different = told
    assert comparison.held_and_different(session.scene) == (f"{HELD}{held}", different)


def test_a_side_without_a_scaling_is_called_so() -> None:
    session = BASES.changed(encoding="rope", other=pe.encoding("rope", scaling={"rope_type": "yarn"}))
    assert comparison.side_names(session.scene) == ("no scaling", "scaling YaRN")


def test_a_title_that_is_the_same_in_both_stands_once_and_curves_that_are_the_same_are_called_so() -> None:
    session = BASES.changed(encoding="rope", other=pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 4.0}))
    figure = pe.plot("waves", session.changed(plots={"waves": {"curves": (0, 1, 2, 4)}}))
    equal, different = ([one.label for one in panel.series] for panel in figure.panels)
    assert equal == ["pair 0, A = B", "pair 1, A = B", "pair 2, A = B"]
    assert different == ["pair 4, A", "pair 4, B"]
    assert [panel.title for panel in pe.plot("why", session).panels] == ["query sat (2), key sat (2), head 0"]


# Attention


@pytest.mark.parametrize("quantity", ["probabilities", "scores", "position"])
@pytest.mark.parametrize(("own", "other"), [*PAIRS, ("rope", "rope")])
def test_attention_shows_a_and_b_on_one_scale_and_b_minus_a(own: str, other: str, quantity: str) -> None:
    first, second = pe.encoding(own), SLOW if own == other else pe.encoding(other)
    session = pe.Session(encoding=first, other=second, plots={"attention": {"quantity": quantity}})
    one, two, apart = pe.plot("attention", session).panels[:3]
    a, b = (getattr(pe.attend(side), quantity).mean(0).numpy() for side in (session, session.swapped()))
    np.testing.assert_allclose(one.values, a, atol=1e-6, rtol=1e-5)
    np.testing.assert_allclose(two.values, b, atol=1e-6, rtol=1e-5)
    np.testing.assert_allclose(apart.values, b - a, atol=1e-6, rtol=1e-5)
    assert (one.low, one.high, one.scale) == (two.low, two.high, two.scale)
    assert (apart.low, apart.scale) == (-apart.high, "diverging")


def test_some_of_the_maps_can_be_asked_for() -> None:
    for maps, titles in (("sides", ["A: base 10,000", "B: base 500,000"]), ("difference", ["B − A"])):
        session = BASES.changed(plots={"attention": {"maps": maps}})
        assert [panel.title for panel in pe.plot("attention", session).panels] == titles


def test_no_encoding_beside_rope_is_the_picture_without_a_comparison_and_what_position_adds() -> None:
    alone = pe.plot("attention", pe.Session(encoding="rope", model=SMALL))
    compared = pe.plot("attention", pe.Session(encoding="none", other="rope", model=SMALL))
    for one, other in zip(alone.panels[:2], compared.panels[:2], strict=True):
        assert (one.values == other.values).all()
    assert compared.headline == alone.headline
    assert "seeded weights" in compared.caption


def test_of_two_that_are_the_same_the_sentence_is_said_once() -> None:
    told = [quote_runs(pe.plot("attention", session).headline) for session in (BASES, BASES.changed(other=ROPE))]
    assert [one.count("With ") for one in told] == [2, 1]


# Every plot


@pytest.mark.slow
@pytest.mark.parametrize("plot", pe.plots())
@pytest.mark.parametrize(("own", "other"), PAIRS)
def test_every_plot_shows_two_encodings(plot: str, own: str, other: str) -> None:
    session = pe.Session(encoding=own, other=other, model=pe.ToyModel(d_model=24, n_heads=2, causal=own > other))
    figure = pe.plot(plot, session)
    assert figure.name == plot
    assert pe.Session.from_json(figure.session) == session
    assert_presentable(figure)
    for words in (figure.caption, figure.description):
        assert_plain(words)
    if not figure.is_note and plots()[plot].shows != "chosen":
        assert figure.caption.startswith("differs: encoding")
        assert figure.caption.endswith(HELD)


@pytest.mark.parametrize("plot", [name for name, plot in plots().items() if plot.shows == "one"])
def test_of_two_bases_each_panel_is_the_one_that_is_drawn_alone(plot: str) -> None:
    """Of plots that show one encoding, A's numbers stand first, then B's."""
    whole = pe.plot(plot, BASES)
    alone = [pe.plot(plot, side) for side in (BASES.changed(other=None), BASES.swapped().changed(other=None))]
    numbers = {array.tobytes() for panel in whole.panels for array in _arrays(panel)}
    assert {array.tobytes() for one in alone for panel in one.panels for array in _arrays(panel)} <= numbers


def _arrays(panel) -> list[np.ndarray]:
    match panel:
        case object(series=series):
            return [getattr(one, "values", None) if hasattr(one, "values") else one.y for one in series]
        case object(values=values):
            return [values]
    return []


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "csv", "npz"])
@pytest.mark.parametrize("plot", draw.sample(pe.plots(), 6))
def test_what_is_compared_is_exported(plot: str, suffix: str, tmp_path) -> None:
    session = pe.Session(encoding="sinusoidal", other="rope", model=SMALL)
    path = pe.plot(plot, session).save(tmp_path / f"figure.{suffix}")
    assert path.stat().st_size


def test_a_side_that_is_not_defined_says_so_and_the_other_is_drawn() -> None:
    figure = pe.plot("attention", pe.Session(text="a " * 700, encoding="rope", other="learned", model=SMALL))
    (note,) = (panel for panel in figure.panels if isinstance(panel, Note))
    assert note.title == "B: Learned"
    assert "512" in note.text
    assert any(panel.title.endswith("RoPE · A") for panel in figure.panels)


@pytest.mark.slow
def test_all_encodings_stand_with_the_parameters_of_both() -> None:
    (table,) = pe.plot("comparison", BASES).panels
    titles = [row[1] for row in table.rows]
    assert {"RoPE, base 10,000", "RoPE, base 500,000"} <= set(titles)
    assert titles[table.focus] == "RoPE, base 10,000"
    assert "RoPE, base 500,000" in pe.plot("meaning", BASES).panels[0].rows.labels


def test_b_costs_no_more_passes_than_the_same_without_an_encoding_does() -> None:
    """Compare takes at most twice what one encoding does: A's pass is remembered."""
    engine = Engine()
    pe.plot("attention", BASES.changed(other=None), engine)
    before = len(engine.memory)
    pe.plot("attention", BASES, engine)
    layers = [what for _device, what in engine.memory if what[0] == "maps"]
    assert len(layers) == 3  # without an encoding, A and B
    assert len(engine.memory) > before
