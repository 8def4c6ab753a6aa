"""Tables where nothing scrolls: nothing of one is lost, whatever the room."""

from __future__ import annotations

from functools import cache

import pytest

import posenc_gui as pe
from posenc_gui.figure.panels import Table
from posenc_gui.foundation.theme import BODY, CAPTION
from posenc_gui.render.layout.table_parts import TableType, table_parts

TYPES = [TableType(BODY, 17, lambda text: 8.0 * len(text), lambda text: 9.0 * len(text)),
         TableType(CAPTION, 14, lambda text: 7.0 * len(text), lambda text: 8.0 * len(text))]  # fmt: skip
SENTENCE = "The nearest two, positions 0 and 1, are 1.015 apart, which every number format can tell. "


@cache
def table_of(plot: str, other: str | None) -> Table:
    figure = pe.plot(plot, pe.Session(encoding="rope", other=other))
    return next(panel for panel in figure.panels if isinstance(panel, Table))


@pytest.mark.parametrize("room", [(300, 200), (660, 290), (1000, 700)])
@pytest.mark.parametrize("plot", ["requirements", "generation"])
def test_every_cell_is_in_one_part_and_every_part_has_room(plot: str, room: tuple[int, int]) -> None:
    table, (width, height) = table_of(plot, "alibi"), room
    parts = table_parts(table, width, height, TYPES)
    names = (*range(table.naming),)
    cells = [(row, column) for part in parts for row in part.rows for column in part.columns[len(names) :]]
    others = range(len(names), len(table.header))
    assert sorted(cells) == [(row, column) for row in range(len(table.rows)) for column in others]
    for part in parts:
        assert part.columns[: len(names)] == names
        assert sum(part.widths) + part.between * (len(part.widths) - 1) <= width + 0.01
        assert part.heading + sum(part.heights) <= height + 0.01 or len(part.rows) == 1


def test_a_and_b_stay_together() -> None:
    table = table_of("row", "alibi")
    for part in table_parts(table, 400, 300, TYPES):
        header = [table.header[column] for column in part.columns]
        assert sum(name.startswith("A: ") for name in header) == sum(name.startswith("B: ") for name in header)


def test_the_type_is_the_largest_that_needs_no_more_parts() -> None:
    table = Table("", ("what", "found"), (("Unique", "1.015"), ("Bounded", "1")))
    (part,) = table_parts(table, 300, 200, TYPES)
    assert part.type is TYPES[0]
    (part,) = table_parts(table, 300, 52, TYPES)
    assert part.type is TYPES[1]


def test_a_sentence_is_wrapped_and_a_word_without_room_is_cut() -> None:
    table = Table("", ("what", "found"), (("Unique", SENTENCE * 2), ("x" * 100, "1")))
    (part,) = table_parts(table, 500, 400, TYPES)
    assert " ".join(part.cells[0][1]) == (SENTENCE * 2).strip()
    assert "…" in part.cells[1][0][0]
