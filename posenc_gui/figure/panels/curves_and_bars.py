"""Curves over one shared axis, and horizontal bars in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from posenc_gui.figure.axis import TOKEN_ROLES, Axis, Pointer
from posenc_gui.figure.ranges import Values, require_finite, require_range
from posenc_gui.foundation.wording import format_number


@dataclass(frozen=True, eq=False)
class Series:
    """One curve, y over x, labelled at its end. `dots` are the points on it at the tokens' positions.

    `before`: a reference that another curve is compared with; it is drawn broad, under that curve. `level`: a reference for
    all curves, such as the sentence's length; it is drawn dashed, in the colour of the axes. `item`: what several curves show,
    such as the pair of a cosine and a sine; compared, the first of them stands for all. `told`: what is written after the
    name of such a curve, such as its turns. `marked`: points that are framed, each with its value beside it, because a text
    speaks of them; `is_marked`: the curve's name is framed. `breaks`: after a point at such an x a new line begins.
    """

    label: str
    x: Values
    y: Values
    dots: tuple[tuple[float, float], ...] = ()
    before: bool = False
    level: bool = False
    item: str = ""
    told: str = ""
    marked: tuple[tuple[float, float], ...] = ()
    is_marked: bool = False
    breaks: tuple[float, ...] = ()

    def between(self, start: float, end: float) -> Series:
        """Return the curve from one x to another."""
        kept = (start <= self.x) & (self.x <= end)
        dots = tuple(dot for dot in self.dots if start <= dot[0] <= end)
        return replace(self, x=self.x[kept], y=self.y[kept], dots=dots)


@dataclass(frozen=True)
class VerticalMark:
    """A vertical line with a label at its top, such as the end of the sentence, the token in focus, or any other word."""

    x: float
    label: str
    kind: Literal["end", "focus", "twin", "word"]


@dataclass(frozen=True, eq=False)
class Lines:
    """Curves over a shared x axis; y ranges from `low` to `high`, on a logarithmic scale if `log` (then both are above 0).

    `filled`: the area between a reference curve (`Series.before`) and the curve compared with it is filled, in the colours
    of a diverging scale. `shares_x`: the panel below has the same x axis, which is drawn only there; each panel is then a
    lane of one picture, identified by the labels of its curves instead of a title. `seen`: the part of the x axis that is
    shown until one zooms out; None for all of it. `low` and `high` are those of that part. `whole`: from where to where the text
    goes, of which a strip below shows the part in sight; None without a strip.
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
    seen: tuple[float, float] | None = None
    whole: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.series:
            raise ValueError(f"lines {self.title!r} need at least one series")
        for series in self.series:
            if series.x.shape != series.y.shape or series.x.ndim != 1 or not series.x.size:
                raise ValueError(f"series {series.label!r} has x {series.x.shape} and y {series.y.shape}")
            require_finite(series.x, f"series {series.label!r}")
            require_finite(series.y, f"series {series.label!r}")
            if self.log and min([float(series.y.min()), *(y for _, y in series.dots)]) <= 0:
                raise ValueError(f"series {series.label!r} holds a value that has no logarithm")
        require_range(self.low, self.high, f"lines {self.title!r}", self.log)

    @property
    def reach(self) -> tuple[float, float]:
        """The smallest and the largest x of all curves."""
        return min(float(one.x.min()) for one in self.series), max(float(one.x.max()) for one in self.series)

    def in_sight(self) -> Lines:
        """Return the panel with only the part of its curves that is shown until one zooms out."""
        if self.seen is None:
            return self
        start, end = self.seen
        series = tuple(one.between(start, end) for one in self.series)
        marks = tuple(mark for mark in self.marks if start <= mark.x <= end)
        return replace(self, series=tuple(one for one in series if one.x.size), marks=marks, seen=None)

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the coordinate at x; y, a value, is ignored."""
        return Pointer((self.x.pointed(x),))

    def read(self, x: float, y: float) -> str:
        """Describe the curve nearest to a point, and its value there; empty outside the panel."""
        start, end = self.reach
        if not start - 0.5 <= x <= end + 0.5:
            return ""
        at = round(x)
        nearest = min(self.series, key=lambda series: abs(self._height(self.value(series, at)) - self._height(y)))
        value = self.value(nearest, at)
        return " · ".join(filter(None, (self.x.name(at), nearest.label, f"{self.quantity} {format_number(value)}")))

    @property
    def has_words(self) -> bool:
        """True if the x axis is labelled with texts, which then cover it from end to end; positions always are by numbers."""
        first, last = self.x.first, self.x.first + len(self.x.labels) - 1
        return self.x.role not in TOKEN_ROLES and first <= self.reach[0] and self.reach[1] <= last

    def value(self, series: Series, x: float) -> float:
        """Interpolate a curve's value at x, along the line that is drawn between its points."""
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
    """Groups of horizontal bars from top to bottom: one group per cell of `categories`, with one bar per series.

    Bars start at 0, which lies within `low` to `high`. The axis labels every category. `told`: the categories whose bars have
    numbers; none says that all have.
    """

    title: str
    quantity: str
    categories: Axis
    series: tuple[BarSeries, ...]
    low: float
    high: float
    told: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        count = len(self.categories.labels)
        if not self.series or not count:
            raise ValueError(f"bars {self.title!r} need at least one series and one labelled category")
        for series in self.series:
            if series.values.shape != (count,):
                raise ValueError(f"series {series.label!r} has shape {series.values.shape} for {count} categories")
            require_finite(series.values, f"series {series.label!r}")
        require_range(self.low, self.high, f"bars {self.title!r}")
        if not self.low <= 0 <= self.high:
            raise ValueError(f"bars {self.title!r} begin at 0, which {self.low} to {self.high} doesn't hold")

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the category at height y, in coordinates of `categories`; x, a value, is ignored."""
        return Pointer((self.categories.pointed(y),))

    def read(self, x: float, y: float) -> str:
        """Describe all bars of the category at height y; empty outside the panel."""
        index = round(y) - self.categories.first
        if not 0 <= index < len(self.categories.labels):
            return ""
        bars = (f"{series.label} {format_number(series.values[index])}".strip() for series in self.series)
        return f"{self.categories.name(round(y))} · {self.quantity}: {', '.join(bars)}"
