"""Figures as numbers in a table: CSV for spreadsheets and pandas.

It is tidy: one row a cell of a map, one row a point of a curve, one row a bar, one row a line between two orders or of
slopes, one row a dial, one row a row of a table, one row a note. A figure of several kinds of panels is still one table:
its columns are those of all panels, in the order in which they first appear, and a row leaves empty what its panel
doesn't have. A masked cell's number is empty too.

A dial has its label, its angle in radians (not reduced to a turn), its reading in words, and the coordinates of its
hand's tip where they are shown, but not its trail. A table keeps its headings and the order of its rows; a heading that
occurs twice is numbered.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch

import numpy as np

from posenc_gui.figure.figure import (
    Axis,
    Bars,
    Dials,
    Figure,
    Heatmap,
    Lines,
    Links,
    Note,
    Panel,
    Slopes,
    Table,
    Values,
)
from posenc_gui.render.export_options import DEFAULT, Choices

SUFFIXES = (".csv",)

# Excel also runs the full-width signs where the keyboard is Japanese.
_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")

Cell = str | float  # words, or a number
Row = Sequence[Cell]


def content(figure: Figure, _suffix: str, _choices: Choices = DEFAULT) -> bytes:
    """The figure's numbers as a file."""
    file = io.BytesIO()
    # The byte order mark is how Excel knows UTF-8. A large map's table is there once, not as text and as bytes.
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as table:
        csv.writer(table).writerows(_harmless(rows(figure)))
        table.flush()
        return file.getvalue()


def text(figure: Figure, delimiter: str) -> str:
    """The same table as one text, for the clipboard: with tabs it pastes into spreadsheets."""
    return delimited(rows(figure), delimiter, "\r\n")


def delimited(cells: Iterable[Row], delimiter: str, line_end: str = "\n") -> str:
    """Rows as one text, for the clipboard: words that no spreadsheet runs, numbers with all their digits."""
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator=line_end).writerows(_harmless(cells))
    return table.getvalue()


def _harmless(cells: Iterable[Row]) -> Iterator[Row]:
    """The rows so that no spreadsheet program runs their words; numbers stay numbers."""
    for row in cells:
        yield [harmless(cell) if isinstance(cell, str) else cell for cell in row]


def harmless(words: str) -> str:
    """Words so that no spreadsheet program takes them for a formula."""
    return f"'{words}" if words[:1] in _FORMULA_STARTS else words


def rows(figure: Figure) -> Iterator[Row]:
    """The table row by row, its header first."""
    headers = [_distinct(["panel", *_header(panel)]) for panel in figure.panels]
    header = list(dict.fromkeys(name for names in headers for name in names))
    yield header
    for name, names, panel in zip(_names(figure), headers, figure.panels, strict=True):
        places = [header.index(column) for column in names]
        for cells in _rows(panel):
            row: list[Cell] = [""] * len(header)
            for place, cell in zip(places, (name, *cells), strict=True):
                row[place] = cell
            yield row


def _names(figure: Figure) -> list[str]:
    """The panels' titles, behind what the figure is of where none says it: a table has no heading."""
    titles = [panel.title or "panel" for panel in figure.panels]
    if figure.subject and not any(figure.subject in title for title in titles):
        titles = [f"{figure.subject} · {title}" for title in titles]
    return [
        title if titles.count(title) == 1 else f"{title} ({number})" for number, title in enumerate(titles, start=1)
    ]


def _distinct(names: list[str]) -> list[str]:
    """The names, numbered where one occurs again."""
    found: list[str] = []
    for name in names:
        numbered = (name if count == 1 else f"{name} ({count})".strip() for count in itertools.count(1))
        found.append(next(one for one in numbered if one not in found))
    return found


def _labels(axis: Axis, count: int) -> Sequence[str]:
    return axis.labels or [""] * count


@singledispatch
def _header(panel: Panel) -> list[str]:
    raise NotImplementedError(f"no table is known for {type(panel).__name__}")


@_header.register
def _(panel: Heatmap) -> list[str]:
    row, column = panel.rows.role, panel.columns.role
    first, second = (f"row {row}", f"column {column}") if row == column else (row, column)
    return [first, f"{first} label", second, f"{second} label", panel.quantity]


@_header.register
def _(panel: Lines) -> list[str]:
    label = [f"{panel.x.role} label"] if panel.has_words else []
    return ["series", panel.x.role, *label, panel.quantity]


@_header.register
def _(panel: Bars) -> list[str]:
    role = panel.categories.role
    return [role, f"{role} label", "series", panel.quantity]


@_header.register
def _(panel: Links) -> list[str]:
    left, right = panel.left.role, panel.right.role
    return [left, f"{left} label", right, f"{right} label", panel.quantity]


@_header.register
def _(panel: Slopes) -> list[str]:
    role = panel.cells.role
    return [role, f"{role} label", *(f"{panel.quantity} {column}" for column in panel.columns)]


@_header.register
def _(panel: Dials) -> list[str]:
    if panel.hands:
        return ["dial", *(f"{panel.quantity} of {hand} in rad" for hand in panel.hands), "between"]
    return ["dial", f"{panel.quantity} in rad", *(panel.coordinates or ()), "reading"]


@_header.register
def _(panel: Table) -> list[str]:
    return list(panel.header)


@_header.register
def _(_panel: Note) -> list[str]:
    return ["note"]


@singledispatch
def _rows(panel: Panel) -> Iterable[Row]:
    raise NotImplementedError(f"no table is known for {type(panel).__name__}")


@_rows.register
def _(panel: Heatmap) -> Iterable[Row]:
    height, width = panel.values.shape
    rows = enumerate(_labels(panel.rows, height), panel.rows.first)
    columns = list(enumerate(_labels(panel.columns, width), panel.columns.first))
    mask = np.zeros_like(panel.values, dtype=bool) if panel.mask is None else panel.mask
    for values, masked, (row, label) in zip(panel.values, mask, rows, strict=True):
        numbers = ["" if hidden else number for number, hidden in zip(_numbers(values), masked, strict=True)]
        for (column, column_label), number in zip(columns, numbers, strict=True):
            yield row, label, column, column_label, number


@_rows.register
def _(panel: Lines) -> Iterable[Row]:
    for series in panel.series:
        for x, y in zip(map(float, _numbers(series.x)), _numbers(series.y), strict=True):
            yield series.label, x, *([_label_at(panel.x, x)] if panel.has_words else []), y


@_rows.register
def _(panel: Bars) -> Iterable[Row]:
    bars = zip(*(_numbers(series.values) for series in panel.series), strict=True)
    for category, (label, values) in enumerate(zip(panel.categories.labels, bars, strict=True), panel.categories.first):
        for series, number in zip(panel.series, values, strict=True):
            yield category, label, series.label, number


@_rows.register
def _(panel: Links) -> Iterable[Row]:
    for (left, right), number in zip(panel.ends, _numbers(panel.values), strict=True):
        yield left, _label_at(panel.left, left), right, _label_at(panel.right, right), number


@_rows.register
def _(panel: Slopes) -> Iterable[Row]:
    for line, ends in zip(panel.lines, panel.values, strict=True):
        yield line, panel.label(line), *_numbers(ends)


def _label_at(axis: Axis, coordinate: float) -> str:
    """What stands at a place along an axis; between its labels nothing."""
    return axis.labels[int(coordinate) - axis.first] if coordinate == int(coordinate) else ""


@_rows.register
def _(panel: Dials) -> Iterable[Row]:
    for dial in panel.dials:
        tip = (math.cos(dial.angle), math.sin(dial.angle)) if panel.coordinates else ()
        key = () if dial.key is None else (float(dial.key),)
        yield dial.label, float(dial.angle), *key, *tip, dial.reading


@_rows.register
def _(panel: Table) -> Iterable[Row]:
    yield from panel.rows


@_rows.register
def _(panel: Note) -> Iterable[Row]:
    yield (panel.text,)


def _numbers(values: Values) -> list[float]:
    """Numbers that are written with as few digits as bring the same ones back."""
    found: list[float] = values.astype(np.str_).astype(np.float64).tolist()
    return found
