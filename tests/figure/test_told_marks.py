"""The frame around what a text speaks of: a cell, a row, a point of a curve, a curve, a dial, or a column of Flow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.before_and_now import before_and_now
from posenc_gui.figure.panels.flow import COLUMNS
from posenc_gui.figure.told_marks import Told, shows, with_told_marked
from posenc_gui.labs.definition.expression_place import place_of
from posenc_gui.render.layout.heatmap_cells import cell_texts


def test_a_score_s_place_is_what_its_subscripts_name_and_a_map_shows_it_there() -> None:
    session = pe.Session(encoding="rope")
    place = place_of("attention.probabilities[0][-1][2]", session, Engine())
    assert place == (("head", 0), ("query", 5), ("key", 2))
    figure = pe.plot("attention", session)
    value = float(figure.panels[1].values[5, 2])
    assert shows(figure, Told(place, value))
    assert not shows(figure, Told(place, value + 0.1))
    marked = with_told_marked(figure, Told(place, value))
    assert [panel.marked for panel in marked.panels[:2]] == [(5, 2)] * 2
    assert all(panel.rows.focus is None for panel in marked.panels[:2])  # one mark


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


def test_a_pair_s_number_is_a_point_of_its_curve_and_the_pair_a_dial() -> None:
    session = pe.Session(encoding="rope")
    place = place_of("frequencies.wavelengths[-1]", session, Engine())
    assert place == (("pair", 7),)
    told = Told(place, float(pe.measure("frequencies", session).wavelengths[-1]))
    curves = with_told_marked(pe.plot("frequencies", session), told).panels[0].series
    assert [one.marked is not None for one in curves] == [True, *[False] * (len(curves) - 1)]
    assert curves[0].marked == pytest.approx((7.0, told.number), rel=1e-5)
    assert not shows(pe.plot("frequencies", session), Told(place, 1.0))
    (dials,) = with_told_marked(pe.plot("dials", session), told).panels
    assert dials.shown_pairs[dials.marked] == 7


def test_a_row_a_curve_and_a_column_of_flow_are_named_without_a_number() -> None:
    session = pe.Session(encoding="sinusoidal")
    assert with_told_marked(pe.plot("encoding", session), Told((("position", 3),))).panels[0].marked == (3, None)
    curves = with_told_marked(pe.plot("linear_shift", session), Told((("curve", 0),))).panels[-1].series
    assert [one.is_marked for one in curves] == [True, *[False] * (len(curves) - 1)]
    flow = pe.plot("flow", pe.Session(encoding="rope"))
    assert with_told_marked(flow, Told((("stage", COLUMNS.index("rotation")),))).panels[0].marked == "rotation"
    assert not shows(flow, Told((("query", 1), ("key", 2))))


def test_a_curve_keeps_its_number_beside_its_earlier_self() -> None:
    told, plots = Told((("curve", 1),)), {"waves": {"curves": (6, 14), "count": 64}}
    sessions = (pe.Session(encoding=pe.encoding("sinusoidal", base=base), plots=plots) for base in (10_000, 20))
    before, now = (pe.plot("waves", session) for session in sessions)
    figure = with_told_marked(before_and_now(before, now), told)
    assert [one.label for panel in figure.panels for one in panel.series if one.is_marked] == ["dim 14, Now"]


def test_the_framed_number_is_not_written_as_0_unless_it_is_rounding() -> None:
    session = pe.Session(text="The cat sat", encoding="sinusoidal", model=pe.ToyModel(d_model=3, n_heads=1))
    place = place_of("vectors[1][2]", session, Engine())
    figure = pe.plot("combined", session)
    plain, framed = (
        [cell_texts(panel)[1][2].whole for panel in one.panels]
        for one in (figure, with_told_marked(figure, Told(place)))
    )
    assert (plain[1], framed[1]) == ("0.00", "0.0022")
    assert (plain[0], plain[2]) == (framed[0], framed[2])
    (tiny,) = [one for one in pe.plot("shift", pe.Session(encoding="rope")).panels if one.title == "what has changed"]
    cell = replace(tiny, values=np.full_like(tiny.values, 1e-7), marked=(1, 2))
    assert cell_texts(cell) == cell_texts(replace(cell, marked=None))
