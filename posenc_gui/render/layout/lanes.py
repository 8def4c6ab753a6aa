"""Rows of panels that are lanes of one picture: curves below each other, of which the last has the axis for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from posenc_gui.figure.figure import Heatmap, Lines, Panel

MAPS_ACROSS = 3  # of a figure with lanes
_P = TypeVar("_P", bound=Panel)


@dataclass(frozen=True)
class Row:
    """Whether the row below has the axis of this one, and whether this has that of the one above."""

    axis_below: bool
    axis_of_above: bool

    @property
    def is_lane(self) -> bool:
        """Whether it belongs to a picture of several rows: near to the next, without titles, as high as the others."""
        return self.axis_below or self.axis_of_above


def is_lane(panel: Panel) -> bool:
    """Whether the axis of a panel stands below another."""
    return isinstance(panel, Lines) and panel.shares_x


def in_rows(panels: Sequence[_P], across: int, maps_across: int = MAPS_ACROSS) -> list[tuple[_P, ...]]:
    """So many panels in a row; where lanes stand below each other, the maps among them side by side."""
    if not any(map(is_lane, panels)):
        return [tuple(panels[start : start + across]) for start in range(0, len(panels), across)]
    found: list[tuple[_P, ...]] = []
    for kind, some in groupby(panels, type):
        run = tuple(some)
        most = maps_across if kind is Heatmap else 1
        found += (run[start : start + most] for start in range(0, len(run), most))
    return found


def rows(panels: Sequence[Sequence[Panel]]) -> list[Row]:
    """What each row of panels is to those above and below it."""
    below = [any(map(is_lane, row)) for row in panels]
    return [Row(own, above) for own, above in zip(below, (False, *below), strict=False)]
