"""How panels side by side share their room: cells of maps are square where that says something, and as large as can be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSizeF

from posenc_gui.figure.figure import Heatmap, Panel, Slopes
from posenc_gui.render.layout.heatmap_cells import is_square
from posenc_gui.render.screen.colour_bar import ColourBar
from posenc_gui.render.screen.fonts import line_height
from posenc_gui.render.screen.heatmaps import HeatmapView
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.plot_item import EDGE

GAP = 20.0  # pixels between panels
BEFORE_BAR = 10.0  # between a map and its bar of colours
_LARGEST_CELL = 6.0  # lines of text
_LEAST_MAP = 12.0  # lines of text that a map of few cells may grow to, however large these are then
_WIDEST_BESIDE = 1.5  # of the width that it prefers: what belongs beside maps gets no wider, unless it is as high
_LEAST_BESIDE = 0.6  # of the width that it prefers is kept for what stands beside maps with long titles
_WHOLE = 12.0  # pixels of a cell from which on it is of whole pixels, so that gaps are sharp
_FEW = 3  # panels: these stand side by side in any room
_AROUND = 2.5  # lines of text that a panel's title and labels take of its room
_ABOVE_MAP = 5.0  # and of a map's height, whose columns are named
_LYING = 2.0  # width over height of what lies: curves, bars, dials


def in_a_row(panels: Sequence[Panel], room: QSizeF) -> int:
    """How many stand side by side where the figure leaves that open: all of a few, of more as many as makes them largest."""
    if len(panels) <= _FEW:
        return max(1, len(panels))
    around = _AROUND * line_height()
    above = _ABOVE_MAP * line_height() if any(isinstance(panel, Heatmap) for panel in panels) else around
    shape = sum(map(_shape, panels)) / len(panels)

    def size(across: int) -> float:
        rows = math.ceil(len(panels) / across)
        largest = min((room.width() / across - around) / shape, room.height() / rows - above)
        return largest * len(panels) / (across * rows)  # less where places stay empty

    return max(range(1, len(panels) + 1), key=size)


def _shape(panel: Panel) -> float:
    """The width over the height in which a panel is read best."""
    if isinstance(panel, Heatmap) and is_square(panel):
        rows, columns = panel.values.shape
        return float(columns / rows)
    return 1.0 if isinstance(panel, Slopes) else _LYING


def share(panels: Sequence[PanelView], bars: Mapping[PanelView, ColourBar], room: QSizeF, *, titled: bool) -> float:
    """Give each panel its size in a row of this room; return the width that none of them needs.

    All maps have cells of one size. What belongs beside maps stands at the height of their cells, other panels take
    the width that is left and the whole height.
    """
    titles = titled and any(view.title.text() for view in panels)
    for view in panels:
        view.title.make_room(titles)
    maps = [view for view in panels if isinstance(view, HeatmapView)]
    if not maps:
        return 0.0
    others = [view for view in panels if view not in maps]
    taken = GAP * (len(panels) - 1) + sum(BEFORE_BAR + bar.wanted_width() for bar in bars.values())
    free = room.width() - taken - 2 * EDGE * len(panels)
    total = sum(view.width for view in panels)
    title = maps[0].title.minimumHeight()
    for_maps = min(free * len(maps) * HeatmapView.width / total, free - sum(view.least_width for view in others))
    cells = _fitted(maps, for_maps, room.height() - title - 2 * EDGE)

    highest = max(view.shape[0] for view in maps) * cells.down
    for bar in bars.values():
        bar.stand(EDGE + title + cells.above, highest)
    widths: dict[HeatmapView, float] = {}
    for view in maps:
        rows, columns = view.shape
        if view.rows.isVisible():
            view.rows.take_width(cells.beside[view])
        width = cells.beside[view] + columns * cells.across
        free, total = free - width, total - view.width
        widths[view] = width
        view.plot.setFixedHeight(title + cells.above + rows * cells.down + 2 * EDGE)
    spare = free - sum(max(view.least_width, _LEAST_BESIDE * view.width) for view in others)
    for view, width in widths.items():
        after = max(0.0, min(cells.beside[view] + view.title.wanted_width() - width, spare)) if title else 0.0
        view.leave_after(after)
        view.plot.setFixedWidth(width + after + 2 * EDGE)
        free, spare = free - after, spare - after
    for view in others:
        width = max(1.0, free * view.width / total)
        if view.beside_maps:
            width = min(width, max(_WIDEST_BESIDE * view.width, highest))
            view.plot.setFixedHeight(title + cells.above + highest + 2 * EDGE)
        free, total = free - width, total - view.width
        view.plot.setFixedWidth(width + 2 * EDGE)
    for view in panels:
        if view.beside_maps or view in maps:
            view.plot.getAxis("top").take_height(cells.above)
    return max(0.0, free)


@dataclass(frozen=True)
class _Cells:
    """The size of the cells of all maps, and what their labels take above them and beside each map."""

    across: float
    down: float
    above: float
    beside: Mapping[HeatmapView, float]


def _fitted(maps: Sequence[HeatmapView], width: float, height: float) -> _Cells:
    """The largest cells in this room; what labels need follows from them, and they from what labels leave."""
    columns = sum(view.shape[1] for view in maps)
    rows = max(view.shape[0] for view in maps)
    largest = max(_LARGEST_CELL, _LEAST_MAP / max(rows, *(view.shape[1] for view in maps))) * line_height()
    square = all(is_square(view.panel) for view in maps)
    above, across, down = 0.0, _WHOLE, _WHOLE
    for _ in range(3):
        beside = {
            view: view.rows.width_beside(down * view.closer[0]) if view.rows.isVisible() else 0.0 for view in maps
        }
        across = min(largest, max(1.0, width - sum(beside.values())) / columns)
        down = min(largest, max(1.0, height - above) / rows)
        if square:
            across = down = min(across, down)
        across, down = (float(int(side)) if side >= _WHOLE else side for side in (across, down))
        above = max(above, *(view.columns.height_above(across * view.closer[1], height) for view in maps))
    down = min(down, max(1.0, height - above) / rows)
    return _Cells(min(across, down) if square else across, down, above, beside)
