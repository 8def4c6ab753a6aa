"""Figures as numbers in a table: CSV for spreadsheets and pandas.

The table is tidy: one row per cell of a map, point of a curve, bar, link, slope, dial, number of a flow, row of a table, or
note. A figure of several kinds of panels is still one table: its columns are those of all panels, in order of first
appearance, and a row leaves empty what its panel lacks. A masked cell has no number either.

A dial has its label, its angle in radians (not reduced to a turn), its reading in words, and the coordinates of its
hand's tip where they are shown, but not its trail. A table keeps its headings and the order of its rows; repeated
headings are numbered.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch

import numpy as np

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.figure.ranges import Values
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions

SUFFIXES = (".csv",)

# Excel also runs the full-width signs where the keyboard is Japanese.
_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")

Cell = str | float
Row = Sequence[Cell]


def content(figure: Figure, _suffix: str, _choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """The figure's numbers as a file."""
    file = io.BytesIO()
    # Excel recognises UTF-8 by the byte order mark. Writing through to bytes keeps a large table in memory only once.
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as table:
        csv.writer(table).writerows(_escaped(rows(figure)))
        table.flush()
        return file.getvalue()


def text(figure: Figure, delimiter: str) -> str:
    """The same table as one string for the clipboard; with tabs it pastes into spreadsheets."""
    return delimited(rows(figure), delimiter, "\r\n")


def delimited(cells: Iterable[Row], delimiter: str, line_end: str = "\n") -> str:
    """Rows as one string for the clipboard: text that no spreadsheet runs as a formula, numbers with all their digits."""
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator=line_end).writerows(_escaped(cells))
    return table.getvalue()


def _escaped(cells: Iterable[Row]) -> Iterator[Row]:
    """The rows with text escaped against formulas; numbers stay numbers."""
    for row in cells:
        yield [escape_formula(cell) if isinstance(cell, str) else cell for cell in row]


def escape_formula(text: str) -> str:
    """Prefix text that a spreadsheet would run as a formula with an apostrophe."""
    return f"'{text}" if text[:1] in _FORMULA_STARTS else text


def rows(figure: Figure) -> Iterator[Row]:
    """The table row by row, its header first."""
    tables = list(map(_table, figure.panels))
    headers = [_distinct(["panel", *map(str, next(table))]) for table in tables]
    header = list(dict.fromkeys(name for names in headers for name in names))
    yield header
    for name, names, table in zip(_names(figure), headers, tables, strict=True):
        places = [header.index(column) for column in names]
        for cells in table:
            row: list[Cell] = [""] * len(header)
            for place, cell in zip(places, (name, *cells), strict=True):
                row[place] = cell
            yield row


def _names(figure: Figure) -> list[str]:
    """Return the panels' titles, prefixed with the encoding's name if no title contains it, since the table has no heading."""
    titles = [panel.title or "panel" for panel in figure.titled_panels]
    if figure.subject and not any(figure.subject in title for title in titles):
        titles = [f"{figure.subject} · {title}" for title in titles]
    return [
        title if titles.count(title) == 1 else f"{title} ({number})" for number, title in enumerate(titles, start=1)
    ]


def _distinct(names: list[str]) -> list[str]:
    """The names, with repeats numbered."""
    found: list[str] = []
    for name in names:
        numbered = (name if count == 1 else f"{name} ({count})".strip() for count in itertools.count(1))
        found.append(next(one for one in numbered if one not in found))
    return found


def _labels(axis: Axis, count: int) -> Sequence[str]:
    return axis.labels or [""] * count


def _label_at(axis: Axis, coordinate: float) -> str:
    """The label at a coordinate; empty between labels."""
    return axis.labels[int(coordinate) - axis.first] if coordinate == int(coordinate) else ""


@singledispatch
def _table(panel: Panel) -> Iterator[Row]:
    """A panel's table row by row, its header first."""
    raise NotImplementedError(f"CSV has no rows for {type(panel).__name__}")


@_table.register
def _heatmap(panel: Heatmap) -> Iterator[Row]:
    row, column = panel.rows.role, panel.columns.role
    first, second = (f"row {row}", f"column {column}") if row == column else (row, column)
    yield first, f"{first} label", second, f"{second} label", panel.quantity
    height, width = panel.values.shape
    rows = enumerate(_labels(panel.rows, height), panel.rows.first)
    columns = list(enumerate(_labels(panel.columns, width), panel.columns.first))
    mask = np.zeros_like(panel.values, dtype=bool) if panel.mask is None else panel.mask
    for values, masked, of_row in zip(panel.values, mask, rows, strict=True):
        numbers = ["" if hidden else number for number, hidden in zip(_numbers(values), masked, strict=True)]
        for of_column, number in zip(columns, numbers, strict=True):
            yield *of_row, *of_column, number


@_table.register
def _lines(panel: Lines) -> Iterator[Row]:
    yield "series", panel.x.role, *([f"{panel.x.role} label"] if panel.has_words else []), panel.quantity
    for series in panel.series:
        for x, y in zip(map(float, _numbers(series.x)), _numbers(series.y), strict=True):
            yield series.label, x, *([_label_at(panel.x, x)] if panel.has_words else []), y


@_table.register
def _bars(panel: Bars) -> Iterator[Row]:
    yield panel.categories.role, f"{panel.categories.role} label", "series", panel.quantity
    bars = zip(*(_numbers(series.values) for series in panel.series), strict=True)
    for category, (label, values) in enumerate(zip(panel.categories.labels, bars, strict=True), panel.categories.first):
        for series, number in zip(panel.series, values, strict=True):
            yield category, label, series.label, number


@_table.register
def _links(panel: Links) -> Iterator[Row]:
    yield panel.left.role, f"{panel.left.role} label", panel.right.role, f"{panel.right.role} label", panel.quantity
    for (left, right), number in zip(panel.ends, _numbers(panel.values), strict=True):
        yield left, _label_at(panel.left, left), right, _label_at(panel.right, right), number


@_table.register
def _slopes(panel: Slopes) -> Iterator[Row]:
    role = panel.cells.role
    yield role, f"{role} label", *(f"{panel.quantity} {column}" for column in panel.columns)
    for line, ends in zip(panel.lines, panel.values, strict=True):
        yield line, panel.label(line), *_numbers(ends)


@_table.register
def _dials(panel: Dials) -> Iterator[Row]:
    if panel.hands:
        yield "dial", *(f"{panel.quantity} of {hand} in rad" for hand in panel.hands), "between"
    else:
        yield "dial", f"{panel.quantity} in rad", *(panel.coordinates or ()), "reading"
    for dial in panel.dials:
        tip = (math.cos(dial.angle), math.sin(dial.angle)) if panel.coordinates else ()
        key = () if dial.key is None else (float(dial.key),)
        yield dial.label, float(dial.angle), *key, *tip, dial.reading


@_table.register
def _flow(panel: Flow) -> Iterator[Row]:
    """Vectors number by number, with the number's index; then the way from the dot product to the weight."""
    yield "role", "token", "token label", "quantity", "index", "value"
    for role, strand in (("query", panel.query), *(("key", key) for key in panel.keys)):
        for quantity, vector in panel.vectors_of(strand):
            for index, number in enumerate(_numbers(vector)):
                yield role, strand.at, strand.label, quantity, index, number
    for row, key in enumerate(panel.keys):
        for quantity, numbers in panel.quantities():
            masked = quantity.startswith("weight") and not panel.visible[row]
            yield "key", key.at, key.label, quantity, "", "" if masked else _numbers(numbers)[row]


@_table.register
def _cells(panel: Table) -> Iterator[Row]:
    yield from (panel.header, *panel.rows)


@_table.register
def _note(panel: Note) -> Iterator[Row]:
    yield from (("note",), (panel.text,))


def _numbers(values: Values) -> list[float]:
    """Numbers that print with the fewest digits that round-trip."""
    found: list[float] = values.astype(np.str_).astype(np.float64).tolist()
    return found
