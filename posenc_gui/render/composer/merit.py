"""The merit of a composition: the one written function that decides between arrangements, and its weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from posenc_gui.figure.panels import Heatmap, Lines, Slopes
from posenc_gui.render.drawings.kinds import drawing_of
from posenc_gui.render.drawings.slopes import stands_beside_maps
from posenc_gui.render.layout.cell_labels import NumberStyle, numbers_fit
from posenc_gui.render.layout.composition import Composition, Placed, PlacedMap, is_title_cut
from posenc_gui.render.layout.label_placement import name_lines
from posenc_gui.render.layout.type_sizes import Style


class _Weights(NamedTuple):
    """What a composition is judged by. From `grown` on they are costs."""

    size: float = 1.0  # each doubling of the smallest panel up to a comfortable size
    beyond: float = 0.3  # each doubling beyond that
    area: float = 0.5  # the share of the rectangle that is filled
    edges: float = 0.5  # the share of places in the grid that hold a panel
    grown: float = 1.0  # each doubling of the height
    slopes: float = 0.35
    difference: float = 0.45
    numbers: float = 0.7  # numbers in cells for which there would be room
    slanted: float = 0.15  # labels that aren't level
    upright: float = 0.3
    words: float = 0.6  # numbers in place of few words
    crossed: float = 3.0  # a colour bar across a panel's plot
    cut: float = 3.0  # the share of panels with a cut name: titles, and names at the ends of curves


_WEIGHTS = _Weights()

_LEAST_SIZE = 1e-9  # that a plot is taken to have where labels leave it nothing
_MANY_WORDS = 32


def merit(found: Composition, width: float, height: float, style: Style) -> float:
    """Large panels, a filled rectangle of this width and height, aligned edges, numbers in cells, level labels."""
    shown = [placed.panel for placed in found.panels]
    judged = [one for one in found.panels if not stands_beside_maps(one.panel, shown)]
    size = math.log2(max(_LEAST_SIZE, min(drawing_of(one.panel).comfort(one.panel, one.plot, style) for one in judged)))
    area = sum(one.room.width * (one.plot.bottom - one.room.top) for one in found.panels)
    places = len(found.rows) * max(map(len, found.rows))
    return (
        _WEIGHTS.size * min(0.0, size)
        + _WEIGHTS.beyond * max(0.0, size)
        + _WEIGHTS.area * area / (width * found.height)
        + _WEIGHTS.edges * len(found.panels) / places
        - _WEIGHTS.crossed * _is_crossed(found)
        - _WEIGHTS.grown * math.log2(found.height / height)
        - _WEIGHTS.slopes * any(isinstance(panel, Slopes) for panel in found.left_out)
        - _WEIGHTS.difference * any(isinstance(panel, Heatmap) for panel in found.left_out)
        - _WEIGHTS.numbers * (not have_numbers(found.maps, style))
        - max(map(_cost_of_labels, found.maps), default=0.0)
        - _WEIGHTS.cut * (sum(_is_cut(one, found, style) for one in found.panels) / len(found.panels))
    )


def _is_crossed(found: Composition) -> bool:
    """True if a colour bar beside the maps of several rows lies on another panel of one of them."""
    return any(
        min(bar.room.right, placed.plot.right) - max(bar.room.left, placed.plot.left) > 1
        and min(bar.room.bottom, placed.plot.bottom) - max(bar.room.top, placed.plot.top) > 1
        for bar in found.bars.values()
        for placed in found.panels
    )


def have_numbers(maps: Sequence[PlacedMap], style: Style) -> bool:
    """True if all cells have room for their numbers."""
    return all(numbers_fit([one.panel], *one.cell, NumberStyle(style.small, brief=True)) for one in maps)


def _is_cut(placed: Placed, found: Composition, style: Style) -> bool:
    """True if a panel's title, or a name at the end of a curve, has no room."""
    panel, width = placed.panel, placed.room.width
    if is_title_cut(placed, found.title):
        return True
    names = (series.label for series in panel.series) if isinstance(panel, Lines) else ()
    return any(" ".join(name_lines(name, width, style.ends.measure)) != name for name in names)


def _cost_of_labels(placed: PlacedMap) -> float:
    """The cost of labels that aren't words, all of them and level; many words may give way to numbers."""
    if len(placed.columns.texts) < len(placed.panel.columns.marks) < _MANY_WORDS:
        return _WEIGHTS.words
    return {"level": 0.0, "slanted": _WEIGHTS.slanted, "upright": _WEIGHTS.upright}[placed.columns.angle]
