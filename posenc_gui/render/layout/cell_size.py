"""The size of cells: one for all maps of a figure, the largest with which everything has room."""

from __future__ import annotations

import math

from posenc_gui.render.layout.breadths import breadths, broadest_cells
from posenc_gui.render.layout.heatmap_cells import NumberStyle, is_square, numbers_fit
from posenc_gui.render.layout.parts import Cells, Parts

_LARGEST = 6.0  # lines of labels: but a map of few cells may grow until it fills its room
_FILLED = 0.9  # of the breadth or of the height: in less, cells grow beyond the largest
_NEARLY_SQUARE = 0.05
_WHOLE = 12.0  # units: larger cells have whole sizes, so that gaps are sharp
_PASSES = 3  # the room of labels depends on the cells, and they on what the labels leave


def largest_cells(parts: Parts) -> Cells:
    """The largest cells that all maps can have; very large only where the maps would leave their room empty."""
    if not parts.arrangement.maps:
        return Cells(0.0, 0.0, 0.0)
    cells = _fitted(parts, _LARGEST * parts.style.label.line)
    across = max(sum(breadths(parts, row, cells)) + parts.between(row) for row in parts.arrangement.rows_of_maps)
    filled = max(across / parts.room.width, _height(parts, cells) / parts.room.height)
    return cells if filled >= _FILLED else _fitted(parts, math.inf)


def _fitted(parts: Parts, largest: float) -> Cells:
    """The largest cells up to a limit. Each pass takes the labels of the cells before."""
    arrangement = parts.arrangement
    square = all(map(is_square, arrangement.maps))
    rows, columns = arrangement.cells_in_map
    most = max(len(arrangement.maps_in(row)) for row in arrangement.rows_of_maps)
    # At first an upper bound, so that no label is measured in vain.
    cells = Cells(parts.room.width / (most * columns), parts.room.height / (len(arrangement.rows_of_maps) * rows), 0.0)
    for _ in range(_PASSES):
        across = min(largest, *(broadest_cells(parts, row, cells) for row in arrangement.rows_of_maps))
        down = min(largest, _highest_cells(parts, cells.above))
        across, down = _nearly_square(parts, across, down) if square else _on_whole(across, down)
        labels = max(parts.column_labels(panel, across).room for panel in arrangement.maps)
        cells = Cells(across, down, max(labels, parts.over_bars))
    return cells._replace(down=min(cells.down, _highest_cells(parts, cells.above)))


def _highest_cells(parts: Parts, above: float) -> float:
    """The height of cells with which maps fill their part of the height."""
    rows_of_maps = parts.arrangement.rows_of_maps
    fixed = parts.fixed_height + above * len(rows_of_maps)
    of_maps, of_others = parts.least(maps=True), parts.least(maps=False)
    room = max(1.0, parts.room.height - fixed) * of_maps / (of_maps + of_others)
    return room / (len(rows_of_maps) * parts.arrangement.cells_in_map[0])


def _height(parts: Parts, cells: Cells) -> float:
    """The height of all rows; rows without maps take what maps leave."""
    arrangement = parts.arrangement
    if not all(arrangement.has_maps):
        return parts.room.height
    return parts.fixed_height + len(arrangement.rows) * (cells.above + parts.map_height(cells))


def _nearly_square(parts: Parts, across: float, down: float) -> tuple[float, float]:
    """Cells that are square if both sides nearly agree, unless that costs them their numbers; else oblong up to a limit."""
    least = min(across, down)
    most = parts.target.longest_side * least
    if max(across, down) > least * (1 + _NEARLY_SQUARE):
        return _on_whole(min(across, most), min(down, most))
    square, oblong = _on_whole(least, least), _on_whole(across, down)
    smallest = NumberStyle(parts.style.small, brief=True)
    fit = [numbers_fit(parts.arrangement.maps, *cell, smallest) for cell in (square, oblong)]
    return oblong if fit == [False, True] else square


def _on_whole(across: float, down: float) -> tuple[float, float]:
    """The sides of a cell, on whole units where it is large."""
    across, down = (math.floor(side) if side >= _WHOLE else side for side in (across, down))
    return across, down
