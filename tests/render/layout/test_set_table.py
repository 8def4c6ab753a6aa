"""Tables set in type: nothing of one is lost, whatever the room, and every row keeps its name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from styles import CARD, face

import posenc_gui as pe
from posenc_gui.figure.panels import Table
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.set_table import SetTable, fitted, in_parts
from posenc_gui.render.layout.type_sizes import Style, TableType
from posenc_gui.render.paper.format import Format

LARGE, SMALL = (TableType(face(size), face(1.1 * size), 5.0, 16.0, 26 * size, 15 * size) for size in (14, 11))
SCREEN = replace(CARD, tables=(LARGE, SMALL))
SLIDE = Format.of(ExportOptions(preset="slide").sheet).style
SENTENCE = "The nearest two, positions 0 and 1, are 1.015 apart, which every number format can tell. "
ROOMS = [(300, 1), (300, 200), (600, 300), (1000, 700)]


@cache
def table_of(plot: str, other: str | None = "alibi") -> Table:
    figure = pe.plot(plot, pe.Session(encoding="rope", other=other))
    return next(panel for panel in figure.panels if isinstance(panel, Table))


def words_of(lines: list[str]) -> str:
    return "".join("".join(lines).split())


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("plot", ["requirements", "generation"])
@pytest.mark.parametrize("style", [SCREEN, SLIDE], ids=["screen", "slide"])
def test_every_cell_is_whole_in_one_part_with_the_name_of_its_row(
    plot: str, room: tuple[int, int], style: Style
) -> None:
    table, (width, height) = table_of(plot), room
    parts, names = in_parts(table, width, height, style), (*range(table.naming),)
    others = range(len(names), len(table.header))
    cells = [(row, column) for part in parts for row in part.rows for column in part.columns[len(names) :]]
    assert sorted(cells) == [(row, column) for row in range(len(table.rows)) for column in others]
    for part in parts:
        assert part.columns[: len(names)] == names
        assert part.width <= width + 0.01
        assert part.title_height + part.height <= height + 0.01 or len(part.rows) == 1
        for row, own in zip(part.rows, part.cells, strict=True):
            for column, lines in zip(part.columns, own, strict=True):
                cell = table.rows[row][column]
                fills_the_room = len(part.rows) == 1 and lines[-1].endswith("…")
                assert not isinstance(cell, str) or fills_the_room or words_of(lines) == words_of([cell])


@pytest.mark.parametrize("width", [400, 600, 700, 814])
@pytest.mark.parametrize("style", [SCREEN, SLIDE], ids=["screen", "slide"])
def test_columns_of_both_sides_stay_beside_each_other_and_no_word_of_their_names_breaks(
    width: int, style: Style
) -> None:
    header = "requirement", "verdict", "A: found", "B: found", "A: number", "B: number", "to be seen in", "is measured"
    row = "Unique", "met", 2 * SENTENCE, 2 * SENTENCE, 1.015, 0.979, "Similarity", 5 * SENTENCE
    found = in_parts(Table("", header, (row,) * 6), width, 300, style)
    assert len(found) > 1
    for part in found:
        names = [header[column] for column in part.columns]
        assert sum(name.startswith("A: ") for name in names) == sum(name.startswith("B: ") for name in names)
        assert [" ".join(lines) for lines in part.header] == names


@pytest.mark.parametrize(
    ("rows", "height", "parts", "type_"),
    [(2, 200, 1, LARGE), (2, 66, 1, SMALL), (20, 285, 2, LARGE), (20, 240, 2, SMALL), (20, 170, 4, LARGE)],
)
def test_the_type_is_the_largest_that_needs_no_more_parts(rows: int, height: int, parts: int, type_: TableType) -> None:
    found = in_parts(Table("", ("what", "found"), (("Unique", "1.015"),) * rows), 300, height, SCREEN)
    assert [part.type for part in found] == [type_] * parts


def test_a_word_without_room_is_broken_and_in_one_place_shortened() -> None:
    table = Table("", ("what", "found"), (("Unique", 3 * SENTENCE), ("x" * 100, "1")) * 9)
    first, *_ = in_parts(table, 400, 300, SCREEN)
    assert words_of(first.cells[1][0]) == "x" * 100
    assert "…" in fitted(table, 400, 300, SCREEN).cells[1][0][0]


def shown(rows: int, focus: int | None, sums: int, most: int) -> SetTable:
    table = Table("", ("row",), ((1.0,),) * rows, frozenset(range(rows - sums, rows)), focus)
    return in_parts(table, 300, 2000, SCREEN, most)[0]


@pytest.mark.parametrize("sums", [0, 2])
@pytest.mark.parametrize("focus", [None, 0, 7, 250, 297, 299])
def test_of_very_many_rows_those_around_the_one_in_focus_are_shown_and_the_sums(focus: int | None, sums: int) -> None:
    found = shown(300, focus, sums, 12)
    kept = [row for row in found.rows if row is not None]
    assert len(found.rows) == 12
    assert focus is None or focus in kept
    assert kept[len(kept) - sums :] == [*range(300 - sums, 300)]
    assert kept == sorted(set(kept))
    assert len(kept) + sum(found.left_out(at) for at, row in enumerate(found.rows) if row is None) == 300
