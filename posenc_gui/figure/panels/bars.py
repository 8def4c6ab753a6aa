"""Horizontal bars in groups."""

from __future__ import annotations

from dataclasses import dataclass

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.ranges import Values, require_finite, require_range
from posenc_gui.foundation.wording import format_number


@dataclass(frozen=True, eq=False)
class BarSeries:
    """One bar in each category: `values`, (categories,)."""

    label: str
    values: Values


@dataclass(frozen=True, eq=False)
class Bars:
    """Groups of horizontal bars from top to bottom: one group per cell of `categories`, with one bar per series.

    Bars start at 0, which lies within `low` to `high`. The axis labels every category.
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
            require_finite(series.values, f"series {series.label!r}")
        require_range(self.low, self.high, f"bars {self.title!r}")
        if not self.low <= 0 <= self.high:
            raise ValueError(f"bars {self.title!r} begin at 0, which {self.low} to {self.high} doesn't hold")

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the category at height y, in coordinates of `categories`; x, a value, is ignored."""
        return Pointer(((self.categories.role, round(y)),))

    def read(self, x: float, y: float) -> str:
        """Describe all bars of the category at height y; empty outside the panel."""
        index = round(y) - self.categories.first
        if not 0 <= index < len(self.categories.labels):
            return ""
        bars = (f"{series.label} {format_number(series.values[index])}".strip() for series in self.series)
        return f"{self.categories.name(round(y))} · {self.quantity}: {', '.join(bars)}"
