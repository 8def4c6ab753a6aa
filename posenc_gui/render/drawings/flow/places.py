"""The places of a flow's parts: columns from left to right, rows from top to bottom.

Columns depend on the room and on the tokens, never on the encoding, so that nothing jumps when another is chosen.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from posenc_gui.figure.panels.flow import COLUMNS, Column, Flow
from posenc_gui.render.drawings.flow.formula_text import FormulaText
from posenc_gui.render.layout.text_fit import longest
from posenc_gui.render.layout.type_sizes import Style

DIALS = 4  # for which the rotation's column has room

_BREADTH = 1052.0  # the breadth in which the numbers below are breadths
_TOKEN, _LONGEST_TOKEN = 48.0, 80.0
_PLUS, _PAD = 18.0, 5.0  # beside the vector in the input's door, and beside dials
_NUMBER, _BESIDE_NUMBER, _WEIGHT = 60.0, 10.0, 64.0  # cells with a number, and the score's door beside one
_AFTER: dict[Column, float] = {
    "token": 29.0, "x": 16.0, "input": 37.0, "projections": 26.0, "rotation": 37.0, "products": 17.0, "score": 35.0,
    "weight": 90.0, "output": 25.0,
}  # fmt: skip
_OF_VECTORS: tuple[Column, ...] = ("x", "input", "projections", "rotation", "output")
# The headings that every column has room for before gaps get any, and their second lines: in their shortest form, as long as
# under any encoding.
_HEADINGS: dict[Column, tuple[str, str]] = {
    "input": ("input", "closed"), "projections": ("q,k,v", ""), "rotation": ("rotation", "closed"),
    "products": ("q·k/√d", "score"), "score": ("score", "closed"), "weight": ("weight", "softmax"), "output": ("output", ""),
}  # fmt: skip
_LONGEST_NUMBER = "−0.000"  # of a score's cell: what more decimals than two tell apart has at most six characters
_TURN = 0.5  # of the gap after the rotation: where the query turns down
_CONTENTS, _CONTENTS_WITHOUT_X = 0.7, 0.76  # of the breadth for all but gaps

# In lines of small type, or of labels where a name says so.
HEADING_AIR = 0.2  # of small type, beside a heading
_ANY_TOKEN = 4.2
_SMALLEST_CELL, _LEAST_WITH_X, _LARGEST_CELL = 0.2, 0.5, 1.6
_BETWEEN_VECTORS = 0.4  # between k and v
_CELLS_IN_ROW = 4.3  # of k and v, with some air
_LARGEST_ROW, _LEAST_ROW = 6.5, 1.8  # of labels
_REST_ROW = 2.0  # of labels, at most
_WHOLE = 6.0  # units: larger cells have whole sizes, so that they are sharp
_SUMS = (0.4, 2.1, 3.2)  # of labels: the height below the rows by the number of the sum's lines


class _Height(NamedTuple):
    """A way to use the height: the lines of the sum, the share of the air around headings and tokens, and the least height
    of a row for which there is so much, in lines of labels."""

    lines: int
    air: float
    least: float


_HEIGHTS = (_Height(2, 1.0, 3.9), _Height(1, 1.0, 2.4), _Height(1, 0.0, 2.2), _Height(0, 0.0, _LEAST_ROW))


class Span(NamedTuple):
    """From left to right."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def breadth(self) -> float:
        return self.right - self.left


@dataclass(frozen=True)
class Columns:
    """The contents of the columns for which there is room; the doors' frames; the cells of vectors. `turn` is where the query
    turns down to the keys, and `cell` the side of a vector's cell."""

    contents: Mapping[Column, Span]
    doors: Mapping[Column, Span]
    turn: float
    cell: float

    def at(self, x: float) -> Column:
        """Return the column at x, or nearest to it."""
        return min(self.contents, key=lambda column: max(self.outer(column).left - x, x - self.outer(column).right))

    def outer(self, column: Column) -> Span:
        """Return a column's breadth with its door, if it has one."""
        return self.doors.get(column, self.contents[column])

    @property
    def borders(self) -> list[float]:
        """Where the column that is nearest changes."""
        outer = map(self.outer, self.contents)
        return [(one.right + other.left) / 2 for one, other in itertools.pairwise(outer)]

    @property
    def dial(self) -> float:
        """The distance from dial to dial."""
        return self.contents["rotation"].breadth / DIALS


@dataclass(frozen=True)
class Rows:
    """The heights at which rows stand: lines of headings, the query, the keys' title, and the keys' middles with their distance.

    `rest` is the middle of the row for all other keys, whose height is `rest_height`. `sums` are the middles of the sum's
    lines; `box` is the height of a token's box.
    """

    dot: float
    name: float
    note: float
    query: float
    title: float
    keys: tuple[float, ...]
    pitch: float
    rest: float | None
    rest_height: float
    bottom: float
    sums: tuple[float, ...]
    box: float


@dataclass(frozen=True)
class FlowPlaces:
    """All places of a flow; `panel` has as many keys as there are rows."""

    panel: Flow
    columns: Columns
    rows: Rows
    width: float
    style: Style

    def row_at(self, y: float) -> int:
        """Return the row at y: −2 headings, −1 the query, then the keys, after them all others, and below these the sum."""
        return bisect.bisect(self.row_edges, y) - 2

    @cached_property
    def row_edges(self) -> list[float]:
        """The borders between these rows."""
        rows = self.rows
        first = rows.keys[0] - rows.pitch / 2
        keys = [first + at * rows.pitch for at in range(len(rows.keys) + 1)]
        return [rows.query - rows.box / 2, *keys, keys[-1] + rows.rest_height]


def places(panel: Flow, width: float, height: float, style: Style, *, sums: bool) -> FlowPlaces:
    """Find the places in a room; where it is low there are fewer lines of the `sums`, then fewer keys."""
    for lines, air, least in _HEIGHTS:
        rows = _rows(panel, height, style, lines if sums else 0, air)
        if rows.pitch >= least * style.label.line:
            break
    shown = panel
    while rows.pitch < _LEAST_ROW * style.label.line and len(shown.keys) > 1:
        shown = shown.with_keys(len(shown.keys) - 1)
        rows = _rows(shown, height, style, 0, 0.0)
    return FlowPlaces(shown, _columns(panel, width, rows.pitch, style), rows, width, style)


def _rows(panel: Flow, height: float, style: Style, lines: int, air: float) -> Rows:
    label, small = style.label.line, style.small.line
    box = (0.92 + 0.23 * air) * (label + small)
    dot = (0.75 + 0.2 * air) * small
    name = dot + 0.85 * label + 0.2 * air * small
    note = name + 0.5 * (label + small)
    query = note + 0.5 * small + box / 2 + (0.1 + 0.2 * air) * label
    title = query + box / 2 + 0.6 * label
    top = title + 0.6 * label
    free = height - top - _SUMS[lines] * label
    count, rest = len(panel.keys), 0.0
    if panel.rest:
        rest = min(free / (count + 1), _REST_ROW * label)
    pitch = max(1.0, min((free - rest) / count, _LARGEST_ROW * label))
    keys = tuple(top + (row + 0.5) * pitch for row in range(count))
    end = top + count * pitch
    bottom = end + rest + 0.3 * label
    sums = tuple(bottom + at for at in (1.25 * label, 2.15 * label + 0.25 * small)[:lines])
    return Rows(dot, name, note, query, title, keys, pitch, end + rest / 2 if rest else None, rest, bottom, sums, box)


def _columns(panel: Flow, width: float, pitch: float, style: Style) -> Columns:
    broad = _fitted(panel, width, math.inf, style, [*COLUMNS]).cell >= _LEAST_WITH_X * style.small.line
    return _fitted(panel, width, pitch, style, [column for column in COLUMNS if column != "x" or broad])


def _fitted(panel: Flow, width: float, pitch: float, style: Style, shown: list[Column]) -> Columns:
    """These columns in a breadth: as broad as their type needs at least, then the cells of vectors, then the gaps."""
    small = style.small.line
    margins, breadths = _breadths(panel, width, style)
    across = max(math.ceil(len(vector) / 2) for vector in panel.vectors())
    of_vectors = [column for column in _OF_VECTORS if column in shown]
    room = (_CONTENTS if "x" in shown else _CONTENTS_WITHOUT_X) * width - sum(breadths.values())
    most = min(_LARGEST_CELL * small, (pitch - _BETWEEN_VECTORS * small) / _CELLS_IN_ROW)
    cell = max(_SMALLEST_CELL * small, min(room / (len(of_vectors) * across), most))
    cell = math.floor(cell) if cell >= _WHOLE else cell
    needed = {column: breadths.get(column, 0.0) + cell * across * (column in of_vectors) for column in shown}
    headed = {column: max(need, _of_headings(column, style)) for column, need in needed.items()}
    wanted = headed if sum(headed.values()) <= width else needed  # squeezed, no heading would have its room
    squeeze = min(1.0, width / sum(wanted.values()))
    between = (width - squeeze * sum(wanted.values())) / sum(_AFTER[column] for column in shown)
    contents, doors, left = dict[Column, Span](), dict[Column, Span](), 0.0
    for column in shown:
        outer = Span(left, left + squeeze * wanted[column])
        before, after = margins.get(column, (0.0, 0.0))
        contents[column] = Span(outer.left + squeeze * before, outer.right - squeeze * after)
        if column in margins:
            doors[column] = outer
        left = outer.right + _AFTER[column] * between
    turn = doors["rotation"].right + _TURN * (contents["products"].left - doors["rotation"].right)
    return Columns(contents, doors, turn, squeeze * cell)


def _of_headings(column: Column, style: Style) -> float:
    """The breadth that a column's headings need, with the air beside them."""
    name, note = _HEADINGS.get(column, ("", ""))
    need = max(FormulaText(name, style, "small", bold=True).length, FormulaText(note, style, "small").length)
    return need and need + 2 * HEADING_AIR * style.small.line


def _breadths(panel: Flow, width: float, style: Style) -> tuple[dict[Column, tuple[float, float]], dict[Column, float]]:
    """The margins of the doors at their left and right, and the breadth of all that isn't a vector, by columns."""
    unit, small = width / _BREADTH, style.small.line
    plus, pad = max(_PLUS * unit, 0.9 * small), max(_PAD * unit, 0.3 * small)
    number = max(_NUMBER * unit, style.small.measure(_LONGEST_NUMBER) + 0.4 * small)
    beside = max(_BESIDE_NUMBER * unit, 0.3 * small)
    token = max(_LONGEST_TOKEN * unit, _ANY_TOKEN * small)
    if not panel.rest:  # which keys of a long text are shown depends on the encoding
        labels = (strand.label for strand in (panel.query, *panel.keys))
        token = min(longest(labels, style.label.measure) + 0.8 * small, token)
    breadths: dict[Column, float] = {
        "token": max(_TOKEN * unit, token),
        "input": plus + pad,
        "rotation": plus + pad,
        "products": number,
        "score": number + 2 * beside,
        "weight": max(_WEIGHT * unit, number),
    }
    return {"input": (plus, pad), "rotation": (pad, pad), "score": (beside, beside)}, breadths
