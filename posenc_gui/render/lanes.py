"""Rows of panels that are lanes of one picture: curves below each other, of which the last has the axis for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from posenc_gui.figure import Lines, Panel


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


def rows(panels: Sequence[Sequence[Panel]]) -> list[Row]:
    """What each row of panels is to those above and below it."""
    below = [any(map(is_lane, row)) for row in panels]
    return [Row(own, above) for own, above in zip(below, (False, *below), strict=False)]
