"""Regions of a drawing: what a pointer reads in each, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.render.layout.rect import Rect

_NEARLY = 1 - 1e-9  # of the least distance between edges, so that rounding doesn't join cells of just that size


class Region(NamedTuple):
    """A rectangle of a stage, in which a pointer reads what the panel says at x and y of its own coordinates."""

    rect: Rect
    x: float
    y: float


def tiles(field: Rect, across: Iterable[float], down: Iterable[float], least: float) -> Iterator[Rect]:
    """A field cut at sorted edges, row by row; in blocks where the rectangles between them are smaller than `least`."""
    if field.left >= field.right or field.top >= field.bottom:
        return
    columns = list(pairwise(_apart(field.left, across, field.right, least)))
    for top, bottom in pairwise(_apart(field.top, down, field.bottom, least)):
        for left, right in columns:
            yield Rect(left, top, right, bottom)


def halfway(places: Iterable[float]) -> list[float]:
    """The borders between what is nearest to each of these places."""
    return [(one + other) / 2 for one, other in pairwise(sorted(places))]


def _apart(first: float, edges: Iterable[float], last: float, least: float) -> list[float]:
    """The ends, and the edges between them that are `least` from each other and from the ends."""
    found, near = [first], least * _NEARLY
    for edge in edges:
        if edge - found[-1] >= near and last - edge >= near:
            found.append(edge)
    return [*found, last]


def describe(panel: Panel, panels: Sequence[Panel], x: float, y: float) -> str:
    """Describe the value at a point of a panel, and at the same cell in all maps with equal axes."""
    words = panel.read(x, y)
    if not words or not isinstance(panel, Heatmap):
        return words
    maps = [one for one in panels if isinstance(one, Heatmap)]
    alike = [one for one in maps if (one.rows, one.columns) == (panel.rows, panel.columns)]
    if len(alike) == 1:
        return words
    return " · ".join((panel.place(x, y), *(f"{one.value(x, y)} {one.title}" for one in alike)))
