"""Lanes: curves below each other that share the x axis of the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

import numpy as np

from posenc_gui.figure.panels import Heatmap, Lines, Panel

MOST = 4  # lanes of a figure that has a sheet's height
LEAST = 45.0  # points: the height of a lane there
MAPS_ACROSS = 3  # maps in a row of a figure with lanes
_P = TypeVar("_P", bound=Panel)


@dataclass(frozen=True)
class LaneRow:
    """A row's relation to its neighbours: whether the row below draws its x axis, and whether it draws that of the row above."""

    axis_below: bool
    axis_of_above: bool

    @property
    def is_lane(self) -> bool:
        """True for one of several lanes, which have equal heights, small gaps and no titles."""
        return self.axis_below or self.axis_of_above


def is_lane(panel: Panel) -> bool:
    """Return True if a panel's x axis is drawn by a panel below it."""
    return isinstance(panel, Lines) and panel.shares_x


def split_into_rows(panels: Sequence[_P], across: int, maps_across: int = MAPS_ACROSS) -> list[tuple[_P, ...]]:
    """Rows of `across` panels; of a figure with lanes, a row for each lane and rows of `maps_across` maps."""
    if not any(map(is_lane, panels)):
        return [tuple(panels[start : start + across]) for start in range(0, len(panels), across)]
    found: list[tuple[_P, ...]] = []
    for kind, some in groupby(panels, type):
        run = tuple(some)
        most = maps_across if kind is Heatmap else 1
        found += (run[start : start + most] for start in range(0, len(run), most))
    return found


def rows(panels: Sequence[Sequence[Panel]]) -> list[LaneRow]:
    """Each row of panels in relation to those above and below it."""
    below = [any(map(is_lane, row)) for row in panels]
    return [LaneRow(own, above) for own, above in zip(below, (False, *below), strict=False)]


def among(panels: Sequence[Panel]) -> list[bool]:
    """For panels below each other, whether each is a lane."""
    return [row.is_lane for row in rows([(panel,) for panel in panels])]


def with_most(frames: Sequence[Sequence[Panel]], most: int) -> list[list[Panel]]:
    """Figures that are alike with at most `most` lanes: in all of them those whose curves part most in any."""
    places = [at for at, is_one in enumerate(among(frames[0])) if is_one]
    kept = sorted(places, key=lambda at: max(_apart(panels[at]) for panels in frames), reverse=True)[:most]
    return [_with_only(panels, places, sorted(kept)) for panels in frames]


def _with_only(panels: Sequence[Panel], places: Sequence[int], kept: Sequence[int]) -> list[Panel]:
    """The panels without the lanes that aren't kept: the first lane has the marks' names, the last one the x axis."""
    if len(kept) == len(places):
        return list(panels)
    first = panels[places[0]]
    named = first.marks if isinstance(first, Lines) else ()
    return [
        replace(panel, shares_x=at != kept[-1], marks=named if at == kept[0] else panel.marks)
        if isinstance(panel, Lines) and at in kept
        else panel
        for at, panel in enumerate(panels)
        if at in kept or at not in places
    ]


def _apart(panel: Panel) -> float:
    """The mean distance of the curves that are compared in a lane; 0 without a comparison."""
    if not isinstance(panel, Lines):
        return 0.0
    before, now = ([one for one in panel.series if one.before == old] for old in (True, False))
    pairs = zip(before, now, strict=False)
    return max(
        (float(np.abs(one.y - other.y).mean()) for one, other in pairs if one.y.shape == other.y.shape), default=0
    )
