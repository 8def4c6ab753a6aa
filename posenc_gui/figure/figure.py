"""Figures as data: what every plot makes and every renderer draws.

A `Figure` holds finite numbers, explicit ranges and plain text, nothing of a screen or of paper. Every axis names its
role; from the role alone follow the linked crosshair, the tick labels and what a click means.
"""

from __future__ import annotations

import base64
import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc_gui.foundation.memory_size import size_of
from posenc_gui.foundation.unicode_text import isolated

Role = Literal[
    "position", "query", "key", "dimension", "pair", "offset", "head", "encoding", "step",
    "stage",  # of attention: input, query, key, …
    "part",  # of an input: the token's or the position's
    "answer",  # to a question
    "row", "column",  # of a picture
    "queries", "keys",  # in blocks
    "other position", "other query", "other key",  # in another order than the session's
]  # fmt: skip
TOKEN_ROLES = frozenset[Role](("position", "query", "key", "other position", "other query", "other key"))
BLOCK_ROLES = frozenset[Role](("queries", "keys"))  # their coordinates count blocks, and labels say of which tokens
_POSITIONS: dict[Role, Role] = {
    "query": "position", "key": "position", "other query": "other position", "other key": "other position",
}  # fmt: skip
_QUERIES: dict[Role, Role] = {"position": "query", "other position": "other query"}
Scale = Literal["sequential", "diverging"]
Values = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

SEEDED = "toy model, seeded weights"  # how captions end that are of the toy model
_PADDED = re.compile(r"e\+?(-?)0*")  # a power of ten as Python writes it
_EQUAL = 1e-6  # by how much numbers may differ from rounding alone
_SHARE_OF_MANY = 1e-4  # the largest of numbers that are shares of very many
_EQUAL_SHARE = 1e-4  # of the largest: by how much such shares may differ from rounding alone


@dataclass(frozen=True)
class Axis:
    """One direction of a panel.

    `first` is the coordinate of the first cell, so that a window of a long sequence keeps its true positions. `labels`,
    when given, has one text per cell: tokens, or the names of columns; on curves they may name the first cells alone.
    `focus` and `twins` are coordinates that the renderer marks: the token in focus, and those that occur more than once.
    """

    role: Role
    title: str
    first: int = 0
    labels: tuple[str, ...] = ()
    focus: int | None = None
    twins: frozenset[int] = frozenset()

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What stands along the axis, cell by cell: the label, and of a block its first token, for ranges have no room."""
        if self.role not in BLOCK_ROLES:
            return self.labels
        return tuple(label.partition("–")[0] for label in self.labels)

    def name(self, coordinate: int) -> str:
        """The cell at a coordinate in words: "key the (4)" where the axis has labels, "position 4" where not."""
        index = coordinate - self.first
        if 0 <= index < len(self.labels) and self.labels[index] != str(coordinate):
            label = self.labels[index]
            if self.role in BLOCK_ROLES:
                return f"{self.role} {label}"
            return f"{self.role} {isolated(label)} ({coordinate})" if self.role in TOKEN_ROLES else label
        return f"{self.role} {coordinate}"


@dataclass(frozen=True)
class Pointer:
    """Where the pointer is, as coordinates by role; what a plot doesn't name follows from what it does.

    A query or a key is a token at a position, and a position names both; an offset is query minus key.
    """

    at: tuple[tuple[Role, int], ...] = ()

    def along(self, role: Role) -> int | None:
        """The coordinate on an axis of this role; None where the pointer says nothing about it."""
        known = dict(self.at)
        if role in known:
            return known[role]
        if role == "offset" and "query" in known and "key" in known:
            return known["query"] - known["key"]
        if role in ("position", "other position"):
            return known.get(_QUERIES[role])
        return known.get(_POSITIONS[role]) if role in _POSITIONS else None


NOWHERE = Pointer()


@dataclass(frozen=True)
class Run:
    """A piece of a sentence: plain words, a number that tells something, or a token, in focus or with twins.

    A token's text stands without quotation marks, `isolated`, since a renderer may set it apart by its colour; where no
    colour does so, `said` quotes it.
    """

    text: str
    kind: Literal["plain", "number", "focus", "twin"] = "plain"


def said(runs: Iterable[Run]) -> str:
    """The sentence as it is read without colours, tokens between quotation marks."""
    return "".join(f"“{run.text}”" if run.kind in ("focus", "twin") else run.text for run in runs)


def seeded(figure: Figure) -> str:
    """What must be said of a picture of the toy model wherever it is shown; nothing of others."""
    return SEEDED if "toy model" in figure.caption and "seeded weights" in figure.caption else ""


@dataclass(frozen=True)
class Part:
    """What of a larger map is shown: its rows and columns, of which a cell has `height` and `width`, and what there is in all.

    The last cells of rows and columns may have fewer.
    """

    rows: range
    columns: range
    height: int
    width: int
    every_row: range
    every_column: range


@dataclass(frozen=True, eq=False)
class Heatmap:
    """A map of numbers, (rows, columns), in colours from `low` to `high`, by their logarithm where `log`.

    What lies beyond `low` or `high` has the colour of that end.

    `equal` holds the coordinates of rows and columns that are marked because they are equal to another.
    `difference`: it shows by how much two maps beside it differ, so where there is little room they say enough.
    `part`: of what larger map it is a part or an overview, where it is one.
    Masked cells carry no number: `values` is 0 there and `mask` is true; `absent` says why. `quantity` names what is shown
    ("probability").
    """

    title: str
    quantity: str
    values: Values
    rows: Axis
    columns: Axis
    low: float
    high: float
    scale: Scale = "sequential"
    mask: Mask | None = None
    equal: frozenset[int] = frozenset()
    log: bool = False
    difference: bool = False
    part: Part | None = None
    absent: str = "masked"

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or 0 in self.values.shape:
            raise ValueError(f"a heatmap needs at least one row and one column, not shape {self.values.shape}")
        if self.mask is not None and self.mask.shape != self.values.shape:
            raise ValueError(f"the mask has shape {self.mask.shape}, the values {self.values.shape}")
        for axis, count in zip((self.rows, self.columns), self.values.shape, strict=True):
            if len(axis.labels) not in (0, count):
                raise ValueError(f"the {axis.role} axis has {len(axis.labels)} labels for {count} cells")
        _require_finite(self.values, f"heatmap {self.title!r}")
        _require_range(self.low, self.high, f"heatmap {self.title!r}", self.log)

    @cached_property
    def steps(self) -> npt.NDArray[np.uint8]:
        """Which step of colour each number has, (rows, columns). Kept: of a large map it takes longer than painting."""
        return steps(shares(self.values, self.low, self.high, self.log))

    def is_masked(self, row: int, column: int) -> bool:
        """Whether the cell at these indices (not coordinates) is masked."""
        return self.mask is not None and bool(self.mask[row, column])

    def pointer(self, x: float, y: float) -> Pointer:
        """What a point on the map stands for."""
        return Pointer(((self.rows.role, round(y)), (self.columns.role, round(x))))

    def read(self, x: float, y: float) -> str:
        """The cell under a point, in words; empty outside. x and y are in coordinates of columns and rows."""
        value = self.value(x, y)
        if not value:
            return ""
        return f"{self.place(x, y)} · {value if value == self.absent else f'{self.quantity} {value}'}"

    def place(self, x: float, y: float) -> str:
        """What a cell belongs to, in words."""
        return f"{self.rows.name(round(y))} · {self.columns.name(round(x))}"

    def value(self, x: float, y: float) -> str:
        """The number in the cell under a point; empty outside."""
        column, row = round(x) - self.columns.first, round(y) - self.rows.first
        if not (0 <= row < self.values.shape[0] and 0 <= column < self.values.shape[1]):
            return ""
        return self.absent if self.is_masked(row, column) else number(self.values[row, column])


@dataclass(frozen=True, eq=False)
class Series:
    """One curve: y over x, named where it ends. `dots` are the places on it that belong to tokens.

    `before` is what another curve is compared with: it is drawn broad, below that one. `level` is what all others are read
    against, as the length of the sentence is: it is drawn dashed, in the colour of axes.
    """

    label: str
    x: Values
    y: Values
    dots: tuple[tuple[float, float], ...] = ()
    before: bool = False
    level: bool = False


@dataclass(frozen=True)
class VerticalMark:
    """A vertical line with a word at its top: the end of the sentence, the token in focus."""

    x: float
    label: str
    kind: Literal["end", "focus", "twin"]


@dataclass(frozen=True, eq=False)
class Lines:
    """Curves over one shared axis, drawn from `low` to `high`; on a logarithmic scale where `log`, all above 0 then.

    `filled`: what lies between the curve from before and the one that is compared with it is filled, in the colours of a
    signed scale. `shares_x`: the panel below has the same axis, which stands there for both: each is a lane of one picture,
    named by its curves instead of by its title.
    """

    title: str
    quantity: str
    series: tuple[Series, ...]
    x: Axis
    low: float
    high: float
    marks: tuple[VerticalMark, ...] = ()
    log: bool = False
    filled: bool = False
    shares_x: bool = False

    def __post_init__(self) -> None:
        if not self.series:
            raise ValueError(f"lines {self.title!r} need at least one series")
        for series in self.series:
            if series.x.shape != series.y.shape or series.x.ndim != 1 or not series.x.size:
                raise ValueError(f"series {series.label!r} has x {series.x.shape} and y {series.y.shape}")
            _require_finite(series.x, f"series {series.label!r}")
            _require_finite(series.y, f"series {series.label!r}")
            if self.log and min([float(series.y.min()), *(y for _, y in series.dots)]) <= 0:
                raise ValueError(f"series {series.label!r} holds a value that has no logarithm")
        _require_range(self.low, self.high, f"lines {self.title!r}", self.log)

    def pointer(self, x: float, y: float) -> Pointer:
        """What a point on the curves stands for; y is a value and names nothing."""
        return Pointer(((self.x.role, round(x)),))

    def read(self, x: float, y: float) -> str:
        """The curve nearest to a point and its value there, in words; empty outside."""
        start = min(float(series.x[0]) for series in self.series)
        end = max(float(series.x[-1]) for series in self.series)
        if not start - 0.5 <= x <= end + 0.5:
            return ""
        at = round(x)
        nearest = min(self.series, key=lambda series: abs(self._height(self.value(series, at)) - self._height(y)))
        value = self.value(nearest, at)
        return " · ".join(filter(None, (self.x.name(at), nearest.label, f"{self.quantity} {number(value)}")))

    @property
    def has_words(self) -> bool:
        """Whether words stand along x: those that name all of it, from the beginning of the curves to their end.

        Positions are numbered, however many of them are tokens.
        """
        first, last = self.x.first, self.x.first + len(self.x.labels) - 1
        return self.x.role not in TOKEN_ROLES and all(
            first <= float(one.x.min()) and float(one.x.max()) <= last for one in self.series
        )

    def value(self, series: Series, x: float) -> float:
        """A curve's value between its points, where the line is that is drawn."""
        if self.log:
            return float(10 ** np.interp(x, series.x, np.log10(series.y)))
        return float(np.interp(x, series.x, series.y))

    def _height(self, value: float) -> float:
        return float(np.log10(max(value, 1e-300))) if self.log else value


@dataclass(frozen=True, eq=False)
class BarSeries:
    """One bar in each category: `values`, (categories,)."""

    label: str
    values: Values


@dataclass(frozen=True, eq=False)
class Bars:
    """Horizontal bars in groups from top to bottom: a group for each cell of `categories`, a bar for each series.

    Bars begin at 0, which `low` to `high` holds. The axis labels every category.
    """

    title: str
    quantity: str
    categories: Axis
    series: tuple[BarSeries, ...]
    low: float
    high: float

    def __post_init__(self) -> None:
        count = len(self.categories.labels)
        if not self.series or not count:
            raise ValueError(f"bars {self.title!r} need at least one series and one labelled category")
        for series in self.series:
            if series.values.shape != (count,):
                raise ValueError(f"series {series.label!r} has shape {series.values.shape} for {count} categories")
            _require_finite(series.values, f"series {series.label!r}")
        _require_range(self.low, self.high, f"bars {self.title!r}")
        if not self.low <= 0 <= self.high:
            raise ValueError(f"bars {self.title!r} begin at 0, which {self.low} to {self.high} doesn't hold")

    def pointer(self, x: float, y: float) -> Pointer:
        """What a point stands for: the category at height y, in coordinates of `categories`; x is a value."""
        return Pointer(((self.categories.role, round(y)),))

    def read(self, x: float, y: float) -> str:
        """All bars of the category at height y, in words; empty outside."""
        index = round(y) - self.categories.first
        if not 0 <= index < len(self.categories.labels):
            return ""
        bars = (f"{series.label} {number(series.values[index])}".strip() for series in self.series)
        return f"{self.categories.name(round(y))} · {self.quantity}: {', '.join(bars)}"


@dataclass(frozen=True, eq=False)
class Links:
    """Two columns of tokens from top to bottom, joined by lines: where each token of the one order stands in the other.

    `ends` holds the coordinates that each line joins, left and right, and `values` one number a line, which gives it its
    colour and width, from 0 to `high`. Tokens stand at the heights at which rows of a map beside them would.
    """

    title: str
    quantity: str
    left: Axis
    right: Axis
    ends: tuple[tuple[int, int], ...]
    values: Values
    high: float

    def __post_init__(self) -> None:
        if not self.ends or self.values.shape != (len(self.ends),):
            raise ValueError(f"links {self.title!r} have {len(self.ends)} lines and values {self.values.shape}")
        if self.left.role == self.right.role:
            raise ValueError(
                f"links {self.title!r} need two roles, not {self.left.role} twice: a pointer names each once"
            )
        for axis, side in ((self.left, 0), (self.right, 1)):
            if not all(0 <= ends[side] - axis.first < len(axis.labels) for ends in self.ends):
                raise ValueError(f"links {self.title!r} join what the {axis.role} axis has no label for")
        _require_finite(self.values, f"links {self.title!r}")
        _require_range(0, self.high, f"links {self.title!r}")
        if self.values.min() < 0 or self.values.max() > self.high:
            raise ValueError(f"links {self.title!r} hold values outside 0 to {self.high}")

    def at(self, x: float, y: float) -> int | None:
        """The line that begins (x < 0.5) or ends (x ≥ 0.5) at the token at height y; x goes from 0, left, to 1, right."""
        side = int(x >= 0.5)
        return next((line for line, ends in enumerate(self.ends) if ends[side] == round(y)), None)

    def pointer(self, x: float, y: float) -> Pointer:
        """Both ends of the line at a point."""
        line = self.at(x, y)
        if line is None:
            return NOWHERE
        left, right = self.ends[line]
        return Pointer(((self.left.role, left), (self.right.role, right)))

    def read(self, x: float, y: float) -> str:
        """The line at a point, in words; empty where there is none."""
        line = self.at(x, y)
        if line is None:
            return ""
        left, right = self.ends[line]
        ends = f"{self.left.name(left)} → {self.right.name(right)}"
        return f"{ends} · {self.quantity} {number(self.values[line])}"


@dataclass(frozen=True, eq=False)
class Slopes:
    """Two columns of values and a line for each cell from the left one to the right one.

    `lines` holds the coordinates on `cells` that have a line, and `values` the number that each has at its left and at its
    right end, (lines, 2); `columns` names both. Heights are those of a bar of colours from `low` to `high` beside it; what
    lies beyond stands at the end. `others` counts the cells that have numbers but no line; `of` is what all of them
    belong to: the query whose row this is.
    """

    title: str
    quantity: str
    columns: tuple[str, str]
    cells: Axis
    lines: tuple[int, ...]
    values: Values
    low: float
    high: float
    log: bool = False
    of: Pointer = NOWHERE
    others: int = 0

    def __post_init__(self) -> None:
        if not self.lines or self.values.shape != (len(self.lines), 2):
            raise ValueError(f"slopes {self.title!r} have {len(self.lines)} lines and values {self.values.shape}")
        if len(set(self.lines)) < len(self.lines):
            raise ValueError(f"slopes {self.title!r} name a line twice")
        if not all(0 <= line - self.cells.first < len(self.cells.labels) for line in self.lines):
            raise ValueError(f"slopes {self.title!r} have a line that the {self.cells.role} axis has no label for")
        _require_finite(self.values, f"slopes {self.title!r}")
        _require_range(self.low, self.high, f"slopes {self.title!r}", self.log)

    def label(self, line: int) -> str:
        """The token of a line, or what its cell is called."""
        return self.cells.labels[line - self.cells.first]

    def heights(self) -> npt.NDArray[np.floating[Any]]:
        """How high both ends of each line stand, (lines, 2): 0 at `low`, 1 at `high`."""
        return shares(self.values, self.low, self.high, self.log)

    def at(self, x: float, y: float) -> int:
        """The index of the line that is nearest at x, from 0, left, to 1, right; y is a value."""
        height = shares(y, self.low, self.high, self.log)
        left, right = self.heights().T
        return int(np.abs(left + x * (right - left) - height).argmin())

    def pointer(self, x: float, y: float) -> Pointer:
        """The cell of the line nearest to a point, and what it belongs to."""
        return Pointer((*self.of.at, (self.cells.role, self.lines[self.at(x, y)])))

    def read(self, x: float, y: float) -> str:
        """The line nearest to a point, in words; empty outside."""
        if not 0 <= round(x) <= 1:
            return ""
        index = self.at(x, y)
        ends = (f"{name} {number(value)}" for name, value in zip(self.columns, self.values[index], strict=True))
        return f"{self.cells.name(self.lines[index])} · {self.quantity} {', '.join(ends)}"


@dataclass(frozen=True)
class Dial:
    """One clock: its hand stands at `angle` radians, counter-clockwise from three o'clock, not reduced to a turn.

    `trail` holds the angles where the hand stood before, oldest first; `reading` is the value in words. `key` is the angle of
    a second hand: the first is then a query's, the second its key's, and the angle between is marked.
    """

    label: str
    angle: float
    reading: str
    trail: tuple[float, ...] = ()
    key: float | None = None


@dataclass(frozen=True, eq=False)
class Dials:
    """Clocks side by side, one for each pair of dimensions.

    `coordinates` names what the hand's tip has as x and y, where the encoding uses them: cosine and sine. The renderer
    then draws both as lines from the tip to the axes. `hands` names the query's and the key's hand, where dials have two.
    `pairs` holds each dial's pair, where they aren't the first ones.
    """

    title: str
    quantity: str
    dials: tuple[Dial, ...]
    coordinates: tuple[str, str] | None = None
    pairs: tuple[int, ...] = ()
    hands: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if not self.dials:
            raise ValueError(f"dials {self.title!r} need at least one dial")
        if len(self.pairs) not in (0, len(self.dials)):
            raise ValueError(f"dials {self.title!r} name {len(self.pairs)} pairs for {len(self.dials)} dials")
        if any((dial.key is None) == (self.hands is not None) for dial in self.dials):
            raise ValueError(f"dials {self.title!r} have two hands without names, or names for hands that aren't there")
        for dial in self.dials:
            angles = [dial.angle, dial.angle if dial.key is None else dial.key, *dial.trail]
            _require_finite(np.array(angles, dtype=np.float32), f"dial {dial.label!r}")

    @property
    def legend(self) -> tuple[str, str] | None:
        """What two kinds of line in every dial are called."""
        return self.hands or self.coordinates

    def pointer(self, x: float, y: float) -> Pointer:
        """What the dial at index x stands for; y names nothing, since only the renderer knows their rows."""
        at = round(x)
        return Pointer((("pair", self.pairs[at] if self.pairs else at),)) if 0 <= at < len(self.dials) else NOWHERE

    def read(self, x: float, y: float) -> str:
        """The dial at index x, in words; empty outside."""
        if not 0 <= round(x) < len(self.dials):
            return ""
        dial = self.dials[round(x)]
        between = "" if dial.key is None else " between"
        return f"{dial.label} · {self.quantity}{between} {dial.reading}"


class Judged(str):
    """Words of a table's cell that say whether something is met: they stand in the colour of that verdict."""

    verdict: Literal["met", "partly", "not"]

    def __new__(cls, words: str, verdict: Literal["met", "partly", "not"]) -> Judged:
        judged = super().__new__(cls, words)
        judged.verdict = verdict
        return judged

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.verdict


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of words and numbers under a header; `sums` are the indices of rows that add up those before them.

    Numbers are shown by `number`. `focus` is the row to mark, if any. `named`: the first column holds names, of which the
    beginning is enough where there is little room.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]
    sums: frozenset[int] = frozenset()
    focus: int | None = None
    named: bool = False

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"table {self.title!r} needs at least one row")
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"a row of table {self.title!r} has {len(row)} cells under {len(self.header)} headings"
                )
            _require_finite(np.array([cell for cell in row if isinstance(cell, float)]), f"table {self.title!r}")


@dataclass(frozen=True, eq=False)
class Note:
    """A sentence where a picture would stand: why there is none."""

    text: str
    title: str = ""

    def pointer(self, x: float, y: float) -> Pointer:
        """Nothing: a sentence has no places."""
        return NOWHERE

    def read(self, x: float, y: float) -> str:
        """Nothing likewise."""
        return ""


Panel = Heatmap | Lines | Bars | Links | Slopes | Dials | Table | Note


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A finished plot: panels side by side, `across` in a row or as many as there is room for, and the words with them.

    `headline` says in one sentence what is to be seen, `caption` stands under the title, `description` is for those who
    can't see the picture; `session` is the session's JSON, which exported files carry so that they can be opened again.
    `subject` names the encoding, as "RoPE, base 100", and `settings` all that was set; empty where that says nothing.
    """

    name: str
    title: str
    panels: tuple[Panel, ...]
    caption: str = ""
    description: str = ""
    headline: tuple[Run, ...] = ()
    across: int | None = None
    session: str = field(default="", repr=False)
    subject: str = ""
    settings: str = ""

    @property
    def is_note(self) -> bool:
        """Whether nothing is drawn: sentences say why."""
        return all(isinstance(panel, Note) for panel in self.panels)

    @property
    def alone(self) -> Panel | None:
        """The panel that is all that is drawn, or the only one."""
        drawn = [panel for panel in self.panels if not isinstance(panel, Table)] or self.panels
        return drawn[0] if len(drawn) == 1 else None

    @cached_property
    def nbytes(self) -> int:
        """Memory held, about."""
        return size_of(self)

    def __repr__(self) -> str:
        panels = f"{len(self.panels)} panel{'' if len(self.panels) == 1 else 's'}"
        return f"<Figure {self.name!r}: {' · '.join(filter(None, (self.title, self.subject, panels)))}>"

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """What a notebook shows: a drawing, described for those who can't see it, and where there are none, words."""
        from posenc_gui import render

        drawn = render.content(self, ".svg", render.chosen({"preset": "paper"}))
        data, told = base64.b64encode(drawn).decode(), html.escape(self.description or self.title)
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{told}" style="max-width: 100%">'
        return {"text/html": image, "image/svg+xml": drawn.decode(), "text/plain": repr(self)}

    def save(self, path: str | Path, **choices: object) -> Path:
        """Write the figure to a file; its suffix, one of `render.suffixes()`, decides how.

        choices: the fields of `render.choices.Choices`, such as preset="slide", title="Three doors", theme="dark". The
        file is whole or not there at all. Raises ValueError for a suffix that no renderer knows or a choice that there is
        not, and OSError where the file can't be written.
        """
        from posenc_gui import render

        return render.save(self, Path(path), render.chosen(choices))


def number(value: float) -> str:
    """A number as it is read aloud: four significant digits, no trailing zeros, a real minus sign; whole from 10,000 on,
    with six of its digits, and with powers of ten beyond a thousand million, as in 1.5e12."""
    form = ",.0f" if 9999.5 <= abs(value) <= 1e9 else ",.4g"
    known = float(value) if abs(value) < 1e6 else float(f"{value:.6g}")
    return as_read(f"{known + 0.0:{form}}")  # + 0.0: no minus before zero


def as_read(text: str) -> str:
    """A number that Python has written, with a real minus sign and nothing before the digits of its power: 2.5e−7."""
    return _PADDED.sub(r"e\1", text).replace("-", "−")


def told_apart(values: Sequence[float], fewest: int = 2) -> list[str]:
    """Numbers with `fewest` decimals, or as many more as it takes: those that differ by more than rounding read differently.

    And none reads as a whole number that it isn't: 0.9995 never as 1.00, 0.004 never as 0.00. Where all are as small as a
    share of very many keys, they have significant digits instead: 2.1e−6 and 4e−7.
    """
    largest = max(map(abs, values), default=0.0)
    if _EQUAL < largest < _SHARE_OF_MANY:
        return _in_digits(values, _EQUAL_SHARE * largest)
    # Those equal up to rounding are one number, wherever between two digits they lie.
    known = _known(values, _EQUAL)
    for decimals in range(fewest, 7):
        texts = {value: f"{value:z.{decimals}f}" for value in known}
        wrong = any(float(text).is_integer() and abs(float(text) - value) > _EQUAL for value, text in texts.items())
        if len(set(texts.values())) == len(texts) and not wrong:
            break
    return [texts[value].replace("-", "−") for value in known]


def _known(values: Sequence[float], rounding: float) -> list[float]:
    """Each as the first that is equal to it but for rounding."""
    return [next(one for one in values if abs(one - value) <= rounding) for value in values]


def _in_digits(values: Sequence[float], rounding: float) -> list[str]:
    known = _known(values, rounding)
    for digits in range(2, 7):
        texts = {value: as_read(f"{value:.{digits}g}") for value in known}
        if len(set(texts.values())) == len(texts):
            break
    return [texts[value] for value in known]


def shares(
    values: float | npt.NDArray[np.floating[Any]], low: float, high: float, log: bool = False
) -> npt.NDArray[np.floating[Any]]:
    """How far values lie from `low`, 0, to `high`, 1, by their logarithms where `log`; what lies beyond stands at the end."""
    if log:
        values, low, high = np.log(np.maximum(values, low)), math.log(low), math.log(high)
    return np.asarray(np.clip((values - low) / (high - low), 0, 1))


def steps(found: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.uint8]:
    """Shares as steps of colour, of which there are 256: 0 at `low`, 255 at `high`."""
    nearest: npt.NDArray[np.uint8] = np.rint(found * 255).astype(np.uint8)
    return nearest


def symmetric_range(*arrays: Values) -> tuple[float, float]:
    """The smallest range centred on zero that holds every value; (−1, 1) where all are zero."""
    largest = max((float(np.abs(array).max()) for array in arrays if array.size), default=0.0)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def _require_finite(values: npt.NDArray[np.floating[Any]], what: str) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{what} holds a value that is not finite")


def _require_range(low: float, high: float, what: str, log: bool = False) -> None:
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"{what} needs a finite range with low < high, not {low} to {high}")
    if log and low <= 0:
        raise ValueError(f"{what} needs a range above 0 for its logarithmic scale, not {low} to {high}")
