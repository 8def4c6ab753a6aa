"""Sketches: a curve that a learner draws on a plot's empty axes, and its distance from the measured one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series
from posenc_gui.figure.ranges import Mask
from posenc_gui.foundation.wording import format_number

Points = Sequence[tuple[float, float]]
Array = npt.NDArray[np.float64]

COLUMNS = 65  # points along the axis at which a sketch has a height
_ALIKE = 0.5  # least correlation of a sketch with a curve that it follows
_ROUNDING = 1e-6  # of the largest value: what a level curve may differ by
ENOUGH = 0.8  # part of the columns that must be drawn; narrow gaps are then joined


class Drawing:
    """A curve being drawn, as heights over evenly spaced columns.

    Points are (across, up) as fractions of the panel's axes, from 0 (left, bottom) to 1, so that drawing on a
    logarithmic axis works like on any other.
    """

    def __init__(self, panel: Lines) -> None:
        self._log = panel.log
        start, end = panel.reach
        self._start, self._end = (start, end) if start < end else (start - 0.5, end + 0.5)
        self._low, self._high = _scaled(np.array([panel.low, panel.high]), panel.log)
        self._columns = np.linspace(0.0, 1.0, COLUMNS)
        self._heights = np.full(COLUMNS, np.nan)
        self._fixed = np.zeros(COLUMNS, dtype=bool)  # columns drawn directly, not interpolated by the keyboard

    @property
    def covered(self) -> float:
        """The part of the horizontal axis that the curve covers, 0 to 1."""
        return float(np.mean(self._drawn))

    def x(self, across: float) -> float:
        """Return the coordinate at a fraction of the axis."""
        return float(self._start + across * (self._end - self._start))

    def across(self, x: float) -> float:
        """Return the fraction of the axis at which a coordinate is."""
        return (x - self._start) / (self._end - self._start)

    def value(self, up: float) -> float:
        """Return the value at a height."""
        scaled = self._low + up * (self._high - self._low)
        return float(10**scaled if self._log else scaled)

    def up(self, value: float) -> float:
        """Return the height of a value."""
        return float(self._ups(np.array([value]))[0])

    def heights(self) -> list[tuple[float, float | None]]:
        """Return each column with its height, None if nothing is drawn there."""
        drawn = zip(self._columns, self._heights, strict=True)
        return [(float(across), None if math.isnan(up) else float(up)) for across, up in drawn]

    def stroke(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a straight line between two points; it replaces the curve over that part of the axis."""
        ends = sorted(((_column(across), up) for across, up in (start, end)), key=lambda place: place[0])
        self._join(*ends)
        self._fixed[ends[0][0] : ends[1][0] + 1] = True

    def pull(self, column: int, by: float) -> None:
        """Raise the curve at a column by a fraction of the axis, or lower it if negative, and join it by lines to the nearest
        columns that were drawn directly. Without a curve, start from half the height."""
        before = np.interp(column, np.flatnonzero(self._drawn), self._heights[self._drawn]) if self.covered else 0.5
        self._fixed[column] = False
        left, right = np.flatnonzero(self._fixed[:column]), np.flatnonzero(self._fixed[column:]) + column
        here = column, min(max(float(before) + by, 0.0), 1.0)
        self._join(here, here)
        for neighbour in (*left[-1:], *right[:1]):
            self._join(*sorted((here, (int(neighbour), float(self._heights[neighbour])))))
        self._fixed[column] = True

    def clear(self) -> None:
        """Remove the curve."""
        self._heights[:] = np.nan
        self._fixed[:] = False

    def points(self) -> tuple[tuple[float, float], ...]:
        """Return the curve in the panel's coordinates, gaps joined; empty while too little of the axis is covered."""
        if self.covered < ENOUGH:
            return ()
        joined = np.interp(self._columns, self._columns[self._drawn], self._heights[self._drawn])
        return tuple((self.x(across), self.value(up)) for across, up in zip(self._columns, joined, strict=True))

    def show(self, points: Points) -> None:
        """Show an earlier curve."""
        x, y = np.array(points, dtype=float).reshape(-1, 2).T
        if not x.size:
            self.clear()
            return
        # Allow for rounding at both ends.
        inside = np.abs(self._columns - np.clip(self._columns, self.across(x[0]), self.across(x[-1]))) < 0.5 / COLUMNS
        ups = np.interp([self.x(across) for across in self._columns], x, self._ups(y))
        self._heights = np.where(inside, np.clip(ups, 0, 1), np.nan)
        self._fixed = inside

    @property
    def _drawn(self) -> Mask:
        drawn: Mask = ~np.isnan(self._heights)
        return drawn

    def _join(self, left: tuple[int, float], right: tuple[int, float]) -> None:
        between = np.arange(left[0], right[0] + 1)
        line = np.interp(between, [left[0], right[0]], [left[1], right[1]])
        self._heights[between] = np.clip(line, 0, 1)

    def _ups(self, values: Array) -> Array:
        ups: Array = (_scaled(values, self._log) - self._low) / (self._high - self._low)
        return ups


def distance(points: Points, series: Series, low: float, high: float, log: bool = False) -> float:
    """Return the root mean square distance of a sketch from a curve, as a fraction of the axis from `low` to
    `high`.

    Infinite if nothing was drawn. On a logarithmic axis (`log`), distances are those visible on the screen.
    """
    if not points:
        return math.inf
    x, drawn = np.array(points, dtype=float).T
    bottom, top = _scaled(np.array([low, high]), log)
    measured = np.interp(x, series.x, _scaled(series.y, log))
    return float(np.sqrt(np.mean(((_scaled(drawn, log) - measured) / (top - bottom)) ** 2)))


def follows(points: Points, series: Series, log: bool = False) -> bool:
    """True if a sketch rises and falls with a curve; any sketch does with a level one.

    A level line may be near to a curve with one narrow peak, but it doesn't follow it.
    """
    x, drawn = np.array(points, dtype=float).T
    sketched, measured = _scaled(drawn, log), np.interp(x, series.x, _scaled(series.y, log))
    spread = float(sketched.std() * measured.std())
    common = float(np.mean((sketched - sketched.mean()) * (measured - measured.mean())))
    is_level = measured.std() <= _ROUNDING * max(1.0, float(np.abs(measured).max()))
    return is_level or (spread > 0 and common >= _ALIKE * spread)


def describe_curve(points: Points) -> str:
    """Describe a curve in words: where it begins and ends, and its extremes."""
    if not points:
        return "no curve"
    top, bottom = max(points, key=lambda point: point[1]), min(points, key=lambda point: point[1])
    return f"from {_place(points[0])} to {_place(points[-1])}, highest {_place(top)}, lowest {_place(bottom)}"


def with_sketch(figure: Figure, panel: int, points: Points, curve: int) -> Figure:
    """Return the figure with one panel that holds only the measured curve and the sketch, without the headline, which may
    speak of other curves.

    Raises ValueError if the panel holds no curves or nothing was drawn.
    """
    lines = figure.panels[panel]
    if not isinstance(lines, Lines):
        raise ValueError(f"panel {panel} of {figure.name} holds no curves")
    measured = replace(lines.series[curve], label=lines.series[curve].label or "measured")
    x, y = np.array(points, dtype=np.float32).T
    compared = replace(
        lines,
        series=(measured, Series("yours", x, y, before=True)),
        low=min(lines.low, float(y.min())),
        high=max(lines.high, float(y.max())),
        marks=(),
    )
    described = f"{figure.description} Your sketch: {describe_curve(points)}.".strip()
    return replace(figure, panels=(compared,), headline=(), description=described)


def _scaled(values: npt.NDArray[np.floating[Any]], log: bool) -> Array:
    """Return values as coordinates on their axis: logarithms if `log`, where values not above 0 lie far below."""
    exact = values.astype(np.float64)
    return np.log10(np.maximum(exact, 1e-300)) if log else exact


def _column(across: float) -> int:
    return round(min(max(across, 0.0), 1.0) * (COLUMNS - 1))


def _place(point: tuple[float, float]) -> str:
    x, y = float(f"{point[0]:.3g}"), float(f"{point[1]:.2g}")  # as precise as drawing by hand
    return f"{format_number(y)} at {format_number(x)}"
