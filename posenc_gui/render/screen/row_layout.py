"""Layout of a row: panels share its width; maps get the largest cells, square where the diagonal has a meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSizeF

from posenc_gui.figure.panels import Heatmap, Panel, Slopes
from posenc_gui.render.layout.heatmap_cells import is_square
from posenc_gui.render.screen.colour_bar import ColourBar
from posenc_gui.render.screen.fonts import line_height
from posenc_gui.render.screen.heatmaps import HeatmapView
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.plot_item import EDGE

GAP = 20.0  # pixels between panels
BEFORE_BAR = 10.0  # between a map and its colour bar
_LARGEST_CELL = 6.0  # lines of text
_LEAST_MAP = 12.0  # lines of text: a map of few cells may grow to this, however large they get
_WIDEST_BESIDE = 1.5  # maximum width of a panel beside maps, relative to its preferred width, unless it is as high
_LEAST_BESIDE = 0.6  # minimum width of a panel beside maps with long titles, relative to its preferred width
_WHOLE = 12.0  # pixels: larger cells have integral sizes, so that gaps are sharp
_FEW = 3  # up to this many panels are always side by side
_AROUND = 2.5  # lines of text that a panel's title and labels take
_ABOVE_MAP = 5.0  # and of a map's height, whose columns are named
_LANDSCAPE = 2.0  # width over height of curves, bars and dials


def in_a_row(panels: Sequence[Panel], room: QSizeF) -> int:
    """The number of panels in a row if the figure leaves it open: all of a few, else what makes them largest."""
    if len(panels) <= _FEW:
        return max(1, len(panels))
    around = _AROUND * line_height()
    above = _ABOVE_MAP * line_height() if any(isinstance(panel, Heatmap) for panel in panels) else around
    shape = sum(map(_shape, panels)) / len(panels)

    def size(across: int) -> float:
        rows = math.ceil(len(panels) / across)
        largest = min((room.width() / across - around) / shape, room.height() / rows - above)
        return largest * len(panels) / (across * rows)  # less if places stay empty

    return max(range(1, len(panels) + 1), key=size)


def _shape(panel: Panel) -> float:
    """The best width over height of a panel."""
    if isinstance(panel, Heatmap) and is_square(panel):
        rows, columns = panel.values.shape
        return float(columns / rows)
    return 1.0 if isinstance(panel, Slopes) else _LANDSCAPE


def share(panels: Sequence[PanelView], bars: Mapping[PanelView, ColourBar], room: QSizeF, *, titled: bool) -> float:
    """Give each panel of a row its size in this room; return the width that is left over.

    All maps have cells of one size. Panels that belong beside maps are aligned with their cells; others take the width
    that is left and the whole height.
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
    widths = _size_maps(maps, cells, title)
    free -= sum(widths.values())
    spare = free - sum(max(view.least_width, _LEAST_BESIDE * view.width) for view in others)
    for view, width in widths.items():
        after = max(0.0, min(cells.beside[view] + view.title.wanted_width() - width, spare)) if title else 0.0
        view.leave_after(after)
        view.plot.setFixedWidth(width + after + 2 * EDGE)
        free, spare = free - after, spare - after
    free = _size_others(others, free, highest, title + cells.above)
    for panel in panels:
        if panel.beside_maps or panel in maps:
            panel.plot.getAxis("top").take_height(cells.above)
    return max(0.0, free)


def _size_maps(maps: Sequence[HeatmapView], cells: _Cells, title: float) -> dict[HeatmapView, float]:
    """Give maps their heights and room for row labels; return the width that each needs."""
    widths: dict[HeatmapView, float] = {}
    for view in maps:
        rows, columns = view.shape
        if view.rows.isVisible():
            view.rows.take_width(cells.beside[view])
        widths[view] = cells.beside[view] + columns * cells.across
        view.plot.setFixedHeight(title + cells.above + rows * cells.down + 2 * EDGE)
    return widths


def _size_others(others: Sequence[PanelView], free: float, highest: float, above: float) -> float:
    """Share the free width among other panels; return what is left over.

    highest: the height of the highest map's cells. above: the height of what is above these.
    """
    total = sum(view.width for view in others)
    for view in others:
        width = max(1.0, free * view.width / total)
        if view.beside_maps:
            width = min(width, max(_WIDEST_BESIDE * view.width, highest))
            view.plot.setFixedHeight(above + highest + 2 * EDGE)
        free, total = free - width, total - view.width
        view.plot.setFixedWidth(width + 2 * EDGE)
    return free


@dataclass(frozen=True)
class _Cells:
    """The size of all maps' cells, the height of labels above them, and the width of labels beside each map."""

    across: float
    down: float
    above: float
    beside: Mapping[HeatmapView, float]


def _fitted(maps: Sequence[HeatmapView], width: float, height: float) -> _Cells:
    """The largest cells in this room, by iteration: the room of labels depends on the cells, and they on what labels leave."""
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
