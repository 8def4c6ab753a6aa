"""Two columns joined by lines: tokens in two orders, or values before and after."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import NOWHERE, Axis, Pointer
from posenc_gui.figure.ranges import Values, require_finite, require_range
from posenc_gui.foundation.wording import format_number

_TIP = 0.03  # of the height: how far lines reach beyond the scale, whose bar has a tip there


@dataclass(frozen=True, eq=False)
class Links:
    """Two columns with the same tokens in different orders; a line joins each token's positions in both.

    `ends` holds the left and the right coordinate of each line; `values` holds one number per line, from 0 to `high`,
    which sets its colour and width. Each token is at the same height as its row in a map beside the columns.
    """

    title: str
    quantity: str
    left: Axis
    right: Axis
    ends: tuple[tuple[int, int], ...]
    values: Values
    high: float
    low: float = 0.0

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
        require_finite(self.values, f"links {self.title!r}")
        require_range(0, self.high, f"links {self.title!r}")
        if self.values.min() < 0 or self.values.max() > self.high:
            raise ValueError(f"links {self.title!r} hold values outside 0 to {self.high}")

    def at(self, x: float, y: float) -> int | None:
        """Return the index of the line that joins the token at height y in the left (x < 0.5) or right column; None if none."""
        side = int(x >= 0.5)
        return next((line for line, ends in enumerate(self.ends) if ends[side] == round(y)), None)

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to both ends of the line at a point."""
        line = self.at(x, y)
        if line is None:
            return NOWHERE
        left, right = self.ends[line]
        return Pointer((self.left.pointed(left), self.right.pointed(right)))

    def read(self, x: float, y: float) -> str:
        """Describe the line at a point; empty if there is no line."""
        line = self.at(x, y)
        if line is None:
            return ""
        left, right = self.ends[line]
        ends = f"{self.left.name(left)} → {self.right.name(right)}"
        return f"{ends} · {self.quantity} {format_number(self.values[line])}"


@dataclass(frozen=True, eq=False)
class Slopes:
    """A slope chart: one line per cell, from its value in the left column to its value in the right one.

    `lines` holds the coordinates on the axis `cells` that have a line, and `values` the numbers at the left and right ends,
    (lines, 2); `columns` names the two columns. Heights match a colour bar from `low` to `high` beside the panel, or it has
    numbers of its own; numbers beyond that range end in the tips of the bar, the furthest at their points. `others` counts the
    cells that have numbers but no line; `of` is the query whose row of the attention map is shown.
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
        require_finite(self.values, f"slopes {self.title!r}")
        require_range(self.low, self.high, f"slopes {self.title!r}", self.log)

    def label(self, line: int) -> str:
        """Return the label of the cell with this coordinate: its token, or the cell's name."""
        return self.cells.labels[line - self.cells.first]

    def heights(self) -> npt.NDArray[np.floating[Any]]:
        """Return the heights of both ends of each line, (lines, 2): 0 at `low`, 1 at `high`, less and more in the tips."""
        return self.height_of(self.values)

    def height_of(self, numbers: float | Values) -> npt.NDArray[np.floating[Any]]:
        """Return the heights at which numbers stand."""
        return np.asarray(np.interp(self._along(numbers), *self._scale))

    def number_at(self, height: float) -> float:
        """Return the number that stands at a height."""
        along, heights = self._scale
        found = float(np.interp(height, heights, along))
        return math.exp(found) if self.log else found

    def _along(self, numbers: float | Values) -> npt.NDArray[np.floating[Any]]:
        return np.log(np.maximum(numbers, np.finfo(np.float32).tiny)) if self.log else np.asarray(numbers)

    @property
    def _scale(self) -> tuple[list[float], list[float]]:
        """Numbers, or their logarithms, and the heights at which they stand: those between lie in proportion."""
        least, most = min(self.low, float(self.values.min())), max(self.high, float(self.values.max()))
        ends = (
            (least, -_TIP * (least < self.low)),
            (self.low, 0.0),
            (self.high, 1.0),
            (most, 1 + _TIP * (most > self.high)),
        )
        return [float(self._along(number)) for number, _ in ends], [height for _, height in ends]

    def at(self, x: float, y: float) -> int:
        """Return the index of the line nearest to the value y at x; x is 0 at the left column, 1 at the right."""
        height = self.height_of(y)
        left, right = self.heights().T
        return int(np.abs(left + x * (right - left) - height).argmin())

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the cell of the line nearest to a point, and to the query of the row."""
        return Pointer((*self.of.at, self.cells.pointed(self.lines[self.at(x, y)])))

    def read(self, x: float, y: float) -> str:
        """Describe the line nearest to a point; empty outside the panel."""
        if not 0 <= round(x) <= 1:
            return ""
        index = self.at(x, y)
        ends = (f"{name} {format_number(value)}" for name, value in zip(self.columns, self.values[index], strict=True))
        return f"{self.cells.name(self.lines[index])} · {self.quantity} {', '.join(ends)}"
