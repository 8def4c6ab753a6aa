"""Heatmaps: a grid of cells, each coloured by its number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.ranges import Mask, Values, require_finite, require_range, shares, steps
from posenc_gui.foundation.wording import format_number

Scale = Literal["sequential", "diverging"]


@dataclass(frozen=True)
class MapPart:
    """The displayed part of a larger map: its rows and columns, the size of one displayed cell (`height`, `width`) in
    cells of the larger map, and the larger map's rows and columns.

    The last cells along each side may cover fewer cells of the larger map.
    """

    rows: range
    columns: range
    height: int
    width: int
    every_row: range
    every_column: range


@dataclass(frozen=True)
class Bracket:
    """What is true of some columns, by their coordinates, in a few words below the map, or `brief` in little room."""

    columns: tuple[int, ...]
    words: str
    brief: str


@dataclass(frozen=True, eq=False)
class Heatmap:
    """A map of numbers, (rows, columns), on a colour scale from `low` to `high`; the scale is logarithmic if `log`.

    Values outside `low` to `high` have the colour of the nearer end.

    `equal` holds the coordinates whose row and column are outlined because they equal another one.
    `bracket` says below the map, where there is room, what the headline claims of some of its columns.
    `marked`: the coordinates, row and column, of cells that are framed because a text speaks of them; without one of them, the
    whole row or column is.
    `difference`: the map shows the difference of the two maps beside it, so it may be left out if space is short.
    `ends`: what a number at the lower and at the upper end of the colour scale means, as ("A is larger", "B is larger").
    `focus_alone`: only the cells of the row in focus have numbers.
    `part`: describes the larger map, if this map shows a part or an overview of one.
    Masked cells have no number: `values` is 0 there and `mask` is true; `absent` says why. `quantity` names the numbers
    ("weight").
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
    ends: tuple[str, str] | None = None
    part: MapPart | None = None
    absent: str = "masked"
    marked: tuple[tuple[int | None, int | None], ...] = ()
    bracket: Bracket | None = None
    focus_alone: bool = False

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or 0 in self.values.shape:
            raise ValueError(f"a heatmap needs at least one row and one column, not shape {self.values.shape}")
        if self.mask is not None and self.mask.shape != self.values.shape:
            raise ValueError(f"the mask has shape {self.mask.shape}, the values {self.values.shape}")
        for axis, count in zip((self.rows, self.columns), self.values.shape, strict=True):
            if len(axis.labels) not in (0, count):
                raise ValueError(f"the {axis.role} axis has {len(axis.labels)} labels for {count} cells")
        require_finite(self.values, f"heatmap {self.title!r}")
        require_range(self.low, self.high, f"heatmap {self.title!r}", self.log)

    @cached_property
    def steps(self) -> npt.NDArray[np.uint8]:
        """The colour step of each number, (rows, columns). Cached: for a large map, computing it takes longer than painting."""
        return steps(shares(self.values, self.low, self.high, self.log))

    def is_masked(self, row: int, column: int) -> bool:
        """True if the cell at these indices (not coordinates) is masked."""
        return self.mask is not None and bool(self.mask[row, column])

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the cell at a point on the map."""
        return Pointer((self.rows.pointed(y), self.columns.pointed(x)))

    def read(self, x: float, y: float) -> str:
        """Describe the cell at a point; empty outside. x and y are coordinates of columns and rows."""
        value = self.value(x, y)
        if not value:
            return ""
        return f"{self.place(x, y)} · {value if value == self.absent else f'{self.quantity} {value}'}"

    def place(self, x: float, y: float) -> str:
        """Describe the row and the column of a cell."""
        return f"{self.rows.name(round(y))} · {self.columns.name(round(x))}"

    def value(self, x: float, y: float) -> str:
        """Return the number in the cell at a point as text: `absent` if it is masked, empty outside."""
        column, row = round(x) - self.columns.first, round(y) - self.rows.first
        if not (0 <= row < self.values.shape[0] and 0 <= column < self.values.shape[1]):
            return ""
        return self.absent if self.is_masked(row, column) else format_number(self.values[row, column])
