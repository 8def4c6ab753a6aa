"""The numbers of each kind of panel: rows for CSV, and arrays for NPZ and JSON.

Rows are tidy: one for each cell of a map, point of a curve, bar, link, slope, hand of a clock, part of a score, number of a
flow, row of a table, or note. A masked cell has no number. Turns of hands are counted from three o'clock, and not reduced to
one; earlier ones are in the arrays alone.

Bars are one array, (categories, series); the coordinates at both ends of links are one, (links, 2); slopes hold the numbers at
both ends. The `ends` of a map, where it has any, say what its smallest and its largest numbers mean. A table keeps its sums.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import (
    Bars,
    Clocks,
    Flow,
    Hands,
    Heatmap,
    Lines,
    Links,
    Note,
    Panel,
    Ranged,
    Slopes,
    Table,
)
from posenc_gui.figure.ranges import Values

_MOST_READ = 64  # rows and columns of a table that is read cell by cell

Cell = str | float
Row = Sequence[Cell]
Arrays = dict[str, npt.NDArray[np.generic]]


class Numbers(NamedTuple):
    """What a panel's files hold: a table, row by row, and arrays by name."""

    header: Row
    rows: Iterable[Row]
    arrays: Arrays


def as_table(panel: Panel) -> Table | Note:
    """A panel as a table to be read cell by cell: a map row by row below the names of its columns, of others a row for each
    number. Of many, those around the focus; the title says so."""
    if isinstance(panel, Table | Note):
        return panel
    if not isinstance(panel, Heatmap):
        found = numbers(panel)
        rows = tuple(map(tuple, itertools.islice(found.rows, _MOST_READ + 1)))
        some = f", the first {_MOST_READ}" if len(rows) > _MOST_READ else ""
        return Table(f"{panel.title}{some}", tuple(map(str, found.header)), rows[:_MOST_READ])
    sides = [(axis, _around(axis, n)) for axis, n in zip((panel.rows, panel.columns), panel.values.shape, strict=True)]
    some = (
        ", around the focus" if any(len(one) < n for (_, one), n in zip(sides, panel.values.shape, strict=True)) else ""
    )
    names, headings = ([axis.name(at + axis.first) for at in one] for axis, one in sides)
    (_, down), (_, across) = sides
    values = (
        [panel.absent if panel.is_masked(row, column) else float(panel.values[row, column]) for column in across]
        for row in down
    )
    cells = tuple((name, *row) for name, row in zip(names, values, strict=True))
    return Table(f"{panel.title}{some}", ("", *headings), cells, named=True)


def _around(axis: Axis, count: int) -> range:
    """The indices of at most so many cells as are read, with the focus in their middle where there are more."""
    start = max(0, min((axis.focus or 0) - axis.first - _MOST_READ // 2, count - _MOST_READ))
    return range(start, min(count, start + _MOST_READ))


@singledispatch
def numbers(panel: Panel) -> Numbers:
    """A panel's numbers."""
    raise NotImplementedError(f"no file holds the numbers of {type(panel).__name__}")


@numbers.register
def _of_map(panel: Heatmap) -> Numbers:
    row, column = panel.rows.role, panel.columns.role
    first, second = (f"row {row}", f"column {column}") if row == column else (row, column)
    mask = np.zeros(panel.values.shape, dtype=bool) if panel.mask is None else panel.mask
    of_rows, of_columns = (list(_labelled(*side)) for side in zip((panel.rows, panel.columns), mask.shape, strict=True))
    rows = (
        (*of_row, *of_column, "" if hidden else number)
        for of_row, values, masked in zip(of_rows, panel.values, mask, strict=True)
        for of_column, number, hidden in zip(of_columns, _plain(values), masked, strict=True)
    )
    arrays = {
        **_titled(panel),
        "values": panel.values,
        "mask": mask,
        "rows": _words(panel.rows.labels),
        "columns": _words(panel.columns.labels),
        "row_coordinates": _coordinates(panel.rows, len(of_rows)),
        "column_coordinates": _coordinates(panel.columns, len(of_columns)),
        **({"ends": np.array(panel.ends)} if panel.ends else {}),
    }
    return Numbers((first, f"{first} label", second, f"{second} label", panel.quantity), rows, arrays)


@numbers.register
def _of_lines(panel: Lines) -> Numbers:
    labelled = [f"{panel.x.role} label"] if panel.has_words else []
    rows: Iterator[Row] = (
        [series.label, x, *([_label_at(panel.x, x)] if labelled else []), y]
        for series in panel.series
        for x, y in zip(_plain(series.x), _plain(series.y), strict=True)
    )
    arrays: Arrays = {**_titled(panel), "series": _words(series.label for series in panel.series)}
    for index, series in enumerate(panel.series):
        arrays |= {f"x{index}": series.x, f"y{index}": series.y}
    return Numbers(("series", panel.x.role, *labelled, panel.quantity), rows, arrays)


@numbers.register
def _of_bars(panel: Bars) -> Numbers:
    role, labels = panel.categories.role, panel.categories.labels
    values = np.stack([series.values for series in panel.series], axis=1)  # (categories, series)
    rows = (
        (*category, series.label, number)
        for category, bars in zip(_labelled(panel.categories, len(labels)), values, strict=True)
        for series, number in zip(panel.series, _plain(bars), strict=True)
    )
    arrays = {
        **_titled(panel),
        "values": values,
        "categories": _words(labels),
        "category_coordinates": _coordinates(panel.categories, len(labels)),
        "series": _words(series.label for series in panel.series),
    }
    return Numbers((role, f"{role} label", "series", panel.quantity), rows, arrays)


@numbers.register
def _of_links(panel: Links) -> Numbers:
    left, right = panel.left, panel.right
    rows = (
        (start, _label_at(left, start), end, _label_at(right, end), number)
        for (start, end), number in zip(panel.ends, _plain(panel.values), strict=True)
    )
    arrays = {
        **_titled(panel),
        "values": panel.values,
        "ends": np.array(panel.ends, dtype=np.int64),
        "left": _words(left.labels),
        "right": _words(right.labels),
        "left_coordinates": _coordinates(left, len(left.labels)),
        "right_coordinates": _coordinates(right, len(right.labels)),
    }
    return Numbers((left.role, f"{left.role} label", right.role, f"{right.role} label", panel.quantity), rows, arrays)


@numbers.register
def _of_slopes(panel: Slopes) -> Numbers:
    role, labels = panel.cells.role, list(map(panel.label, panel.lines))
    rows: Iterator[Row] = (
        [line, label, *_plain(ends)] for line, label, ends in zip(panel.lines, labels, panel.values, strict=True)
    )
    arrays = {
        **_titled(panel),
        "columns": _words(panel.columns),
        "values": panel.values,
        "lines": _words(labels),
        "line_coordinates": np.array(panel.lines, dtype=np.int64),
    }
    return Numbers((role, f"{role} label", *(f"{panel.quantity} {name}" for name in panel.columns)), rows, arrays)


@numbers.register
def _of_clocks(panel: Clocks) -> Numbers:
    turns = panel.angles / math.tau
    arrays = {
        "title": np.array(panel.title),
        "clocks": _words(panel.labels),
        "readings": _words(panel.readings),
        "pairs": np.array(panel.pairs, dtype=np.int64),
        "hands": _words(hand.name for hand in panel.hands),
        "tokens": np.array([hand.at for hand in panel.hands], dtype=np.int64),
        "positions": np.array([hand.position for hand in panel.hands], dtype=np.float64),
        "turns": turns,
        "length": np.array(panel.length),
        **({} if panel.trail is None else {"trail": panel.trail / math.tau}),
    }
    rows = (
        (label, reading, hand.at, hand.name, hand.position, float(turns[clock, at]), panel.length)
        for clock, (label, reading) in enumerate(zip(panel.labels, panel.readings, strict=True))
        for at, hand in enumerate(panel.hands)
    )
    return Numbers(("clock", "reading", "token", "token label", "position", "turns", "length"), rows, arrays)


@numbers.register
def _of_hands(panel: Hands) -> Numbers:
    """A row for each key and part; angles in radians, from −π to π. A part without a clock has no hands, a hidden key no
    weight. Arrays: hands are (2, pairs) and (keys, 2, pairs), angles and lengths; parts are (keys, columns)."""
    keys, query = panel.shown, np.stack((np.angle(panel.tips), np.abs(panel.tips)))
    hands = np.stack([(np.angle(key.tips), np.abs(key.tips)) for key in keys])
    weights = [math.nan if key.weight is None else key.weight for key in keys]

    def rows() -> Iterator[Row]:
        for key, hand, weight in zip(keys, hands, weights, strict=True):
            met, seen = (panel.query, panel.label, key.at, key.label), "" if math.isnan(weight) else weight
            for at, (name, part) in enumerate(zip(panel.columns, key.parts, strict=True)):
                both = np.concatenate((query, hand))[:, at].tolist() if at < len(panel.pairs) else [""] * 4
                yield (*met, name, *both, part, key.score, seen)

    arrays: Arrays = {
        "title": np.array(panel.title),
        "query": np.array(panel.query),
        "query_label": np.array(panel.label),
        "keys": np.array([key.at for key in keys], dtype=np.int64),
        "labels": _words(key.label for key in keys),
        "pairs": np.array(panel.pairs, dtype=np.int64),
        "columns": _words(panel.columns),
        "query_hands": query,
        "key_hands": hands,
        "parts": np.array([key.parts for key in keys]),
        "scores": np.array([key.score for key in keys]),
        "weights": np.array(weights),
    }
    of_hand = ("query angle", "query length", "key angle", "key length")
    header = ("query", "query label", "key", "key label", "pair", *of_hand, "part", "score", "weight")
    return Numbers(header, rows(), arrays)


@numbers.register
def _of_flow(panel: Flow) -> Numbers:
    """Vectors number by number, with the number's index; then the way from the dot product to the weight. Arrays: the query's
    vectors, the keys' vectors, (keys, shown), and the numbers from dot products to weights, (keys,)."""
    strands = [("query", panel.query), *(("key", key) for key in panel.keys)]
    of_vectors = (
        (role, strand.at, strand.label, quantity, index, number)
        for role, strand in strands
        for quantity, vector in panel.vectors_of(strand)
        for index, number in enumerate(_plain(vector))
    )
    of_keys = (
        ("key", key.at, key.label, quantity, "", number if seen or not quantity.startswith("weight") else "")
        for row, (key, seen) in enumerate(zip(panel.keys, panel.visible, strict=True))
        for quantity, number in ((name, _plain(found)[row]) for name, found in panel.quantities())
    )
    arrays: Arrays = {
        "title": np.array(panel.title),
        "query": np.array(panel.query.at),
        "keys": np.array([key.at for key in panel.keys], dtype=np.int64),
        "labels": _words(key.label for key in panel.keys),
        "visible": panel.visible,
        "scale": np.array(panel.scale),
    }
    arrays |= {f"query_{name}": vector for name, vector in panel.vectors_of(panel.query)}
    vectors = [dict(panel.vectors_of(key)) for key in panel.keys]
    arrays |= {f"keys_{name}": np.stack([one[name] for one in vectors]) for name in vectors[0]}
    arrays |= {name.replace(" ", "_"): found for name, found in panel.quantities()}
    if panel.rest:
        arrays |= {"others": np.array(panel.rest.count), "others_weight": np.array(panel.rest.weight)}
    header = "role", "token", "token label", "quantity", "index", "value"
    return Numbers(header, itertools.chain(of_vectors, of_keys), arrays)


@numbers.register
def _of_table(panel: Table) -> Numbers:
    """Arrays hold the cells twice: `texts`, empty for a number, and `numbers`, NaN for a text."""
    texts = [[cell if isinstance(cell, str) else "" for cell in row] for row in panel.rows]
    values = [[math.nan if isinstance(cell, str) else cell for cell in row] for row in panel.rows]
    arrays = {
        "title": np.array(panel.title),
        "header": _words(panel.header),
        "texts": np.array(texts, dtype=np.str_),
        "numbers": np.array(values, dtype=np.float64),
        "sums": np.array(sorted(panel.sums), dtype=np.int64),
    }
    return Numbers(panel.header, panel.rows, arrays)


@numbers.register
def _of_note(panel: Note) -> Numbers:
    return Numbers(("note",), [(panel.text,)], {"title": np.array(panel.title), "text": np.array(panel.text)})


def _titled(panel: Ranged) -> Arrays:
    return {"title": np.array(panel.title), "quantity": np.array(panel.quantity)}


def _words(words: Iterable[str]) -> npt.NDArray[np.str_]:
    return np.array(list(words), dtype=np.str_)


def _coordinates(axis: Axis, count: int) -> npt.NDArray[np.int64]:
    return np.arange(axis.first, axis.first + count, dtype=np.int64)


def _labelled(axis: Axis, count: int) -> Iterator[tuple[Cell, Cell]]:
    """Each coordinate with its label, empty without labels."""
    return enumerate(axis.labels or [""] * count, axis.first)


def _label_at(axis: Axis, coordinate: float) -> str:
    """The label at a coordinate; empty between labels."""
    return axis.labels[int(coordinate) - axis.first] if coordinate == int(coordinate) else ""


def _plain(values: Values) -> list[float]:
    """Numbers that print with the fewest digits that round-trip."""
    found: list[float] = values.astype(np.str_).astype(np.float64).tolist()
    return found
