"""The frames around what a text speaks of: cells, rows, points of curves, a curve, a clock, or a column of Flow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.compare import compare
from posenc_gui.figure.panels import Lines
from posenc_gui.figure.panels.flow import COLUMNS
from posenc_gui.figure.told_marks import Told, shows, twins_named, with_told_marked
from posenc_gui.labs.definition.expression_values import place_of
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.render.layout.cell_labels import cell_texts


def test_a_score_s_place_is_what_its_subscripts_name_and_a_map_shows_it_there() -> None:
    session = pe.Session(encoding="rope")
    place = place_of("attention.probabilities[0][-1][2]", session, Engine())
    assert place == (("head", 0), ("query", 5), ("key", 2))
    figure = pe.plot("attention", session)
    value = float(figure.panels[1].values[5, 2])
    assert shows(figure, Told(place, value))
    assert not shows(figure, Told(place, value + 0.1))
    other = Told((("query", 3), ("key", 0)))
    marked = with_told_marked(figure, (Told(place, value), other, other))
    assert [panel.marked for panel in marked.panels[:2]] == [((5, 2), (3, 0))] * 2
    assert all(panel.rows.focus is None for panel in marked.panels[:2])  # one mark


def test_of_several_repeated_words_the_one_that_the_headline_names_is_marked() -> None:
    session = pe.Session(text="the cat and the dog and a cat", focus=4)
    figure = pe.plot("attention", session)
    (named,) = twins_named(figure.headline)
    one_map, *_ = figure.panels
    assert one_map.columns.twins == {at for at, token in enumerate(session.tokens) if token == named}
    other = pe.plot("waves", session.changed(text=" ".join(["a b c d e"] * 4)))  # names none, and all are repeated
    assert not any(axis.twins for panel in other.panels for axis in vars(panel).values() if isinstance(axis, Axis))


def test_the_largest_change_has_its_place_unless_it_is_rounding() -> None:
    session = pe.Session(encoding="sinusoidal", model=pe.ToyModel(d_model=16, n_heads=1))
    place, figure = place_of("shift.value", session, Engine()), pe.plot("shift", session)
    assert shows(figure, Told(place, pe.measure("shift", session).value))
    assert place_of("shift.value", pe.Session(encoding="rope"), Engine()) == ()


def test_the_token_that_changes_most_has_its_row_in_both_orders() -> None:
    session = pe.Session(encoding="sinusoidal", order=(5, 1, 2, 3, 4, 0))
    place = dict(place_of("equivariance.value", session, Engine()))
    assert session.order[place["position"]] == place["other position"]
    assert place_of("equivariance.value", pe.Session(encoding="none"), Engine()) == ()


def test_what_is_computed_from_several_numbers_or_is_of_before_has_no_place() -> None:
    session = pe.Session(encoding="sinusoidal")
    for text in ("100 * shift.value", "before.shift.value", "before.vectors[1][2]", "vectors[1]", "session.n_tokens"):
        assert place_of(text, session, Engine()) == ()
    assert place_of("vectors[1][2]", session, Engine()) == (("position", 1), ("dimension", 2))


def test_a_pair_s_number_is_a_point_of_its_curve_and_the_pair_a_clock() -> None:
    session = pe.Session(encoding="rope")
    place = place_of("frequencies.wavelengths[-1]", session, Engine())
    assert place == (("pair", 7),)
    told = Told(place, float(pe.measure("frequencies", session).wavelengths[-1]))
    first = Told((("pair", 0),), float(pe.measure("frequencies", session).wavelengths[0]))
    curves = with_told_marked(pe.plot("frequencies", session), (told, first)).panels[0].series
    assert [len(one.marked) for one in curves] == [2, *[0] * (len(curves) - 1)]
    assert curves[0].marked[0] == pytest.approx((7.0, told.number), rel=1e-5)
    assert not shows(pe.plot("frequencies", session), Told(place, 1.0))
    (clocks,) = with_told_marked(pe.plot("clocks", session), (told, first)).panels
    assert [clocks.pairs[at] for at in clocks.marked] == [7, 0]


def test_a_row_a_curve_and_a_column_of_flow_are_named_without_a_number() -> None:
    session = pe.Session(encoding="sinusoidal")
    assert with_told_marked(pe.plot("encoding", session), [Told((("position", 3),))]).panels[0].marked == ((3, None),)
    curves = with_told_marked(pe.plot("linear_shift", session), [Told((("curve", 0),))]).panels[-1].series
    assert [one.is_marked for one in curves] == [True, *[False] * (len(curves) - 1)]
    flow = pe.plot("flow", pe.Session(encoding="rope"))
    assert with_told_marked(flow, [Told((("stage", COLUMNS.index("rotation")),))]).panels[0].marked == "rotation"
    assert not shows(flow, Told((("query", 1), ("key", 2))))


def test_a_curve_keeps_its_number_beside_its_earlier_self() -> None:
    told, plots = Told((("curve", 1),)), {"waves": {"curves": (6, 14), "count": 64}}
    sessions = (pe.Session(encoding=pe.encoding("sinusoidal", base=base), plots=plots) for base in (10_000, 20))
    before, now = (pe.plot("waves", session) for session in sessions)
    figure = with_told_marked(compare((before, now), ("Before", "Now"), over_time=True), [told])
    assert [one.label for panel in figure.panels for one in panel.series if one.is_marked] == ["dim 14, Now"]


def test_a_number_of_before_is_a_point_of_the_curve_that_shows_it() -> None:
    sessions = [pe.Session(encoding=pe.encoding("rope", base=base)) for base in (10_000, 1_000_000)]
    told = [
        Told((("pair", 7),), float(pe.measure("frequencies", one).wavelengths[7]), before=one is sessions[0])
        for one in sessions
    ]
    figure = with_told_marked(
        compare([pe.plot("frequencies", one) for one in sessions], ("Before", "Now"), over_time=True), told
    )
    marked = {one.before: one.marked[0][1] for one in figure.panels[0].series if one.marked}
    assert marked == {True: pytest.approx(told[0].number, rel=1e-4), False: pytest.approx(told[1].number, rel=1e-4)}


@pytest.mark.parametrize(
    ("text", "session"),
    [
        ("kernel.random[0][3]", pe.Session(encoding="alibi")),
        ("linear_shift.sine_alone[2]", pe.Session(encoding="sinusoidal")),
        ("similarity.dots[0][7]", pe.Session(encoding="sinusoidal", focus=0)),
        ("recurrence.value", pe.Session(encoding="none")),
        ("recurrence.attention_share", pe.Session(encoding="none")),
    ],
)
def test_numbers_of_a_row_have_a_place_in_their_measure_s_plot(text: str, session: pe.Session) -> None:
    number = Expression(text).answer(session, Engine())
    figure = pe.plot(text.partition(".")[0], session)
    marked = with_told_marked(figure, [Told(place_of(text, session, Engine()), number)])
    points = [
        point for panel in marked.panels if isinstance(panel, Lines) for one in panel.series for point in one.marked
    ]
    assert [value for _, value in points] == [pytest.approx(number, rel=1e-4)]


def test_the_framed_number_is_not_written_as_0_unless_it_is_rounding() -> None:
    session = pe.Session(text="The cat sat", encoding="sinusoidal", model=pe.ToyModel(d_model=3, n_heads=1))
    place = place_of("vectors[1][2]", session, Engine())
    figure = pe.plot("combined", session)
    plain, framed = (
        [cell_texts(panel)[1][2].whole for panel in one.panels]
        for one in (figure, with_told_marked(figure, [Told(place)]))
    )
    assert (plain[1], framed[1]) == ("0.00", "0.0022")
    assert (plain[0], plain[2]) == (framed[0], framed[2])
    (tiny,) = [one for one in pe.plot("shift", pe.Session(encoding="rope")).panels if one.title == "what has changed"]
    cell = replace(tiny, values=np.full_like(tiny.values, 1e-7), marked=((1, 2),))
    assert cell_texts(cell) == cell_texts(replace(cell, marked=()))


def test_framed_cells_whose_numbers_differ_read_apart() -> None:
    panel = pe.plot("attention", pe.Session()).panels[0]
    values = np.full_like(panel.values, 0.2)
    values[1, 2:4] = 0.2312, 0.2343
    plain = replace(panel, values=values)
    assert [cell.whole for cell in cell_texts(plain)[1][2:4]] == ["0.23", "0.23"]
    framed = cell_texts(replace(plain, marked=((1, 2), (1, 3))))[1]
    assert [cell.whole for cell in framed[2:5]] == ["0.231", "0.234", "0.20"]
    assert [cell.brief for cell in framed[2:4]] == [".231", ".234"]
