"""The frame around what a text speaks of: the cell from which a number comes, or a column of Flow."""

from __future__ import annotations

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.cell_marks import shows_number, with_place_marked
from posenc_gui.figure.panels.flow import COLUMNS
from posenc_gui.labs.definition.expression_place import place_of


def test_a_score_s_place_is_what_its_subscripts_name_and_a_map_shows_it_there() -> None:
    session = pe.Session(encoding="rope")
    place = place_of("attention.probabilities[0][-1][2]", session, Engine())
    assert place == (("head", 0), ("query", 5), ("key", 2))
    figure = pe.plot("attention", session)
    value = float(figure.panels[1].values[5, 2])
    assert shows_number(figure, place, value)
    assert not shows_number(figure, place, value + 0.1)
    marked = with_place_marked(figure, place)
    assert [panel.marked for panel in marked.panels[:2]] == [(5, 2)] * 2
    assert all(panel.rows.focus is None for panel in marked.panels[:2])  # one mark


def test_the_largest_change_has_its_place_unless_it_is_rounding() -> None:
    session = pe.Session(encoding="sinusoidal", model=pe.ToyModel(d_model=16, n_heads=1))
    place, figure = place_of("shift.value", session, Engine()), pe.plot("shift", session)
    assert shows_number(figure, place, pe.measure("shift", session).value)
    assert place_of("shift.value", pe.Session(encoding="rope"), Engine()) == ()


def test_what_is_computed_from_several_numbers_or_is_of_before_has_no_place() -> None:
    session = pe.Session(encoding="sinusoidal")
    for text in ("100 * shift.value", "before.shift.value", "before.vectors[1][2]", "vectors[1]", "session.n_tokens"):
        assert place_of(text, session, Engine()) == ()
    assert place_of("vectors[1][2]", session, Engine()) == (("position", 1), ("dimension", 2))


def test_a_column_of_flow_has_a_place_too() -> None:
    flow = pe.plot("flow", pe.Session(encoding="rope"))
    assert with_place_marked(flow, (("stage", COLUMNS.index("rotation")),)).panels[0].marked == "rotation"
    assert with_place_marked(flow, (("query", 1), ("key", 2))).panels[0].marked is None
