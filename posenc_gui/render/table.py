"""Figures as numbers: CSV for spreadsheets and pandas, NPZ for numpy.

The CSV is tidy: one row a cell of a map, one row a point of a curve, one row a bar, one row a line between two orders,
one row a dial, one row a row of a table, one row a note. A figure of several kinds of panels is still one table: its
columns are those of all panels, in the order in which they first appear, and a row leaves empty what its panel doesn't
have. A masked cell's number is empty too.

In the NPZ bars are one array, (categories, series); of lines between two orders both coordinates are one, (lines, 2).

A dial has its label, its angle in radians (not reduced to a turn), its reading in words, and the coordinates of its
hand's tip where they are shown; its trail is only in the NPZ. A table keeps its headings, its sums and the order of its
rows; a heading that occurs twice is numbered.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from pathlib import Path

import numpy as np
import numpy.typing as npt

from posenc_gui import provenance
from posenc_gui.figure import Axis, Bars, Dials, Figure, Heatmap, Lines, Links, Note, Panel, Table

SUFFIXES = (".csv", ".npz")

# Excel also runs the full-width signs where the keyboard is Japanese.
_FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")

Arrays = dict[str, npt.NDArray[np.generic]]


def write(figure: Figure, path: Path) -> None:
    """Write the figure's numbers to `path`, as its suffix asks."""
    if path.suffix.lower() == ".npz":
        # A path without the suffix would be renamed by numpy, an open file is not.
        with path.open("wb") as file:
            np.savez(file, **arrays(figure))  # type: ignore[arg-type]
    else:
        # The byte order mark is how Excel knows UTF-8.
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows(rows(figure))


def text(figure: Figure, delimiter: str) -> str:
    """The same table as one text, for the clipboard: with tabs it pastes into spreadsheets."""
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter).writerows(rows(figure))
    return table.getvalue()


def delimited(cells: Iterable[Sequence[str | float]], delimiter: str) -> str:
    """Some cells as one text, for the clipboard: words that no spreadsheet runs, numbers with all their digits."""
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator="\n").writerows(map(_cells, cells))
    return table.getvalue()


def rows(figure: Figure) -> Iterator[list[str]]:
    """The table row by row, its header first. Labels never start like a formula; numbers stay numbers."""
    headers = [_distinct(["panel", *_header(panel)]) for panel in figure.panels]
    header = list(dict.fromkeys(name for names in headers for name in names))
    yield [_harmless(name) for name in header]
    for name, names, panel in zip(_names(figure.panels), headers, figure.panels, strict=True):
        places = [header.index(column) for column in names]
        for cells in _rows(panel):
            row = [""] * len(header)
            for place, cell in zip(places, (name, *cells), strict=True):
                row[place] = cell
            yield row


def arrays(figure: Figure) -> Arrays:
    """The figure's numbers and words by name: `title`, `caption`, `panel0_values`, `panel0_rows`, …, `session`."""
    named: Arrays = {"title": np.array(figure.title), "caption": np.array(figure.caption)}
    for index, panel in enumerate(figure.panels):
        named |= {f"panel{index}_{name}": array for name, array in _arrays(panel).items()}
    if figure.session:
        # As bytes: numpy keeps text as four bytes a character, which nobody would find in the file.
        named["session"] = np.array(provenance.mark(figure.session).encode("ascii"))
    return named


def _names(panels: tuple[Panel, ...]) -> list[str]:
    titles = [panel.title or "panel" for panel in panels]
    return [
        _harmless(title if titles.count(title) == 1 else f"{title} ({number})")
        for number, title in enumerate(titles, start=1)
    ]


def _distinct(names: list[str]) -> list[str]:
    """The names, numbered where one occurs again."""
    found: list[str] = []
    for name in names:
        numbered = (name if count == 1 else f"{name} ({count})".strip() for count in itertools.count(1))
        found.append(next(one for one in numbered if one not in found))
    return found


def _cells(row: Sequence[str | float]) -> list[str]:
    return [_harmless(cell) if isinstance(cell, str) else repr(float(cell)) for cell in row]


def _harmless(label: str) -> str:
    """The label so that no spreadsheet program runs it."""
    return "'" + label if label.startswith(_FORMULA_STARTS) else label


def _labels(axis: Axis, count: int) -> list[str]:
    return [_harmless(label) for label in axis.labels] or [""] * count


def _label_at(axis: Axis, coordinate: int) -> str:
    return _harmless(axis.labels[coordinate - axis.first])


def _coordinates(axis: Axis, count: int) -> npt.NDArray[np.int64]:
    return np.arange(axis.first, axis.first + count, dtype=np.int64)


def _bar_values(panel: Bars) -> npt.NDArray[np.float32]:
    """All bars, (categories, series)."""
    return np.stack([series.values for series in panel.series], axis=1)


def _mask(panel: Heatmap) -> npt.NDArray[np.bool_]:
    return np.zeros(panel.values.shape, dtype=bool) if panel.mask is None else panel.mask


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
    return ["series", panel.x.role, panel.quantity]


@_header.register
def _(panel: Bars) -> list[str]:
    role = panel.categories.role
    return [role, f"{role} label", "series", panel.quantity]


@_header.register
def _(panel: Links) -> list[str]:
    left, right = panel.left.role, panel.right.role
    return [left, f"{left} label", right, f"{right} label", panel.quantity]


@_header.register
def _(panel: Dials) -> list[str]:
    return ["dial", f"{panel.quantity} in rad", *(panel.coordinates or ()), "reading"]


@_header.register
def _(panel: Table) -> list[str]:
    return list(panel.header)


@_header.register
def _(_panel: Note) -> list[str]:
    return ["note"]


@singledispatch
def _rows(panel: Panel) -> Iterable[tuple[str, ...]]:
    raise NotImplementedError(f"no table is known for {type(panel).__name__}")


@_rows.register
def _(panel: Heatmap) -> Iterable[tuple[str, ...]]:
    height, width = panel.values.shape
    row_labels, column_labels = _labels(panel.rows, height), _labels(panel.columns, width)
    row_names = _coordinates(panel.rows, height).astype(str).tolist()
    column_names = _coordinates(panel.columns, width).astype(str).tolist()
    for values, masked, row, row_label in zip(panel.values, _mask(panel), row_names, row_labels, strict=True):
        numbers = np.where(masked, "", _digits(values)).tolist()
        for column, column_label, number in zip(column_names, column_labels, numbers, strict=True):
            yield row, row_label, column, column_label, number


@_rows.register
def _(panel: Lines) -> Iterable[tuple[str, ...]]:
    for series in panel.series:
        label = _harmless(series.label)
        for x, y in zip(_digits(series.x).tolist(), _digits(series.y).tolist(), strict=True):
            yield label, x, y


@_rows.register
def _(panel: Bars) -> Iterable[tuple[str, ...]]:
    names = [_harmless(series.label) for series in panel.series]
    labels = map(_harmless, panel.categories.labels)
    for category, (label, values) in enumerate(zip(labels, _bar_values(panel), strict=True), panel.categories.first):
        for name, number in zip(names, _digits(values).tolist(), strict=True):
            yield str(category), label, name, number


@_rows.register
def _(panel: Links) -> Iterable[tuple[str, ...]]:
    for (left, right), number in zip(panel.ends, _digits(panel.values).tolist(), strict=True):
        yield str(left), _label_at(panel.left, left), str(right), _label_at(panel.right, right), number


@_rows.register
def _(panel: Dials) -> Iterable[tuple[str, ...]]:
    for dial in panel.dials:
        tip = (repr(math.cos(dial.angle)), repr(math.sin(dial.angle))) if panel.coordinates else ()
        yield _harmless(dial.label), repr(float(dial.angle)), *tip, _harmless(dial.reading)


@_rows.register
def _(panel: Table) -> Iterable[tuple[str, ...]]:
    yield from (tuple(_cells(row)) for row in panel.rows)


@_rows.register
def _(panel: Note) -> Iterable[tuple[str, ...]]:
    yield (_harmless(panel.text),)


def _digits(values: npt.NDArray[np.float32]) -> npt.NDArray[np.str_]:
    """Each number with as few digits as bring the same number back."""
    return values.astype(np.str_)


@singledispatch
def _arrays(panel: Panel) -> Arrays:
    raise NotImplementedError(f"no arrays are known for {type(panel).__name__}")


@_arrays.register
def _(panel: Heatmap) -> Arrays:
    height, width = panel.values.shape
    return {
        "title": np.array(panel.title),
        "quantity": np.array(panel.quantity),
        "values": panel.values,
        "mask": _mask(panel),
        "rows": np.array(panel.rows.labels, dtype=np.str_),
        "columns": np.array(panel.columns.labels, dtype=np.str_),
        "row_coordinates": _coordinates(panel.rows, height),
        "column_coordinates": _coordinates(panel.columns, width),
    }


@_arrays.register
def _(panel: Lines) -> Arrays:
    named: Arrays = {
        "title": np.array(panel.title),
        "quantity": np.array(panel.quantity),
        "series": np.array([series.label for series in panel.series]),
    }
    for index, series in enumerate(panel.series):
        named |= {f"x{index}": series.x, f"y{index}": series.y}
    return named


@_arrays.register
def _(panel: Bars) -> Arrays:
    return {
        "title": np.array(panel.title),
        "quantity": np.array(panel.quantity),
        "values": _bar_values(panel),
        "categories": np.array(panel.categories.labels, dtype=np.str_),
        "category_coordinates": _coordinates(panel.categories, len(panel.categories.labels)),
        "series": np.array([series.label for series in panel.series]),
    }


@_arrays.register
def _(panel: Links) -> Arrays:
    return {
        "title": np.array(panel.title),
        "quantity": np.array(panel.quantity),
        "values": panel.values,
        "ends": np.array(panel.ends, dtype=np.int64),
        "left": np.array(panel.left.labels, dtype=np.str_),
        "right": np.array(panel.right.labels, dtype=np.str_),
        "left_coordinates": _coordinates(panel.left, len(panel.left.labels)),
        "right_coordinates": _coordinates(panel.right, len(panel.right.labels)),
    }


@_arrays.register
def _(panel: Dials) -> Arrays:
    named: Arrays = {
        "title": np.array(panel.title),
        "quantity": np.array(panel.quantity),
        "dials": np.array([dial.label for dial in panel.dials]),
        "pairs": np.array(panel.pairs or range(len(panel.dials)), dtype=np.int64),
        "angles": np.array([dial.angle for dial in panel.dials], dtype=np.float64),
        "readings": np.array([dial.reading for dial in panel.dials]),
        "coordinates": np.array(panel.coordinates or (), dtype=np.str_),
    }
    trails = enumerate(dial.trail for dial in panel.dials)
    return named | {f"trail{index}": np.array(trail, dtype=np.float64) for index, trail in trails}


@_arrays.register
def _(panel: Table) -> Arrays:
    """The cells twice: `texts`, empty where a number stands, and `numbers`, NaN where words stand."""
    return {
        "title": np.array(panel.title),
        "header": np.array(panel.header, dtype=np.str_),
        "texts": np.array(
            [[cell if isinstance(cell, str) else "" for cell in row] for row in panel.rows], dtype=np.str_
        ),
        "numbers": np.array(
            [[math.nan if isinstance(cell, str) else cell for cell in row] for row in panel.rows], dtype=np.float64
        ),
        "sums": np.array(sorted(panel.sums), dtype=np.int64),
    }


@_arrays.register
def _(panel: Note) -> Arrays:
    return {"title": np.array(panel.title), "text": np.array(panel.text)}
