"""Where a map's cells are on its stage."""

from __future__ import annotations

import math

from posenc_gui.figure.panels import Heatmap
from posenc_gui.render.drawings.drawing import Stage, ZoomRange
from posenc_gui.render.drawings.motion import CellMotion
from posenc_gui.render.layout.rect import Rect

_LEAST_FRAME = 7.0  # units inside the frame around a cell
_HALF = 0.5


class MapPlaces:
    """The places of cells at this zoom, and those of rows and columns on their way while tokens move."""

    def __init__(self, panel: Heatmap, stage: Stage) -> None:
        assert stage.map_layout is not None
        self.panel, self.stage, self.layout = panel, stage, stage.map_layout
        cells = self.layout.cells
        self.plot = Rect(cells.left, cells.top, max(cells.left + 1, cells.right), max(cells.top + 1, cells.bottom))
        self.seen = stage.seen or zoom_range_of(panel).shown
        self.cell = self.plot.width / self.seen.width, self.plot.height / self.seen.height
        self.motion = stage.motion if isinstance(stage.motion, CellMotion) else None
        self.standing = self.motion.stand(stage.moment.share) if self.motion else None
        self.grid = _grid_of(panel)

    def x(self, column: float) -> float:
        """The place of a column's middle."""
        return self.plot.left + (column - self.seen.left) * self.cell[0]

    def y(self, row: float) -> float:
        """The place of a row's middle."""
        return self.plot.top + (row - self.seen.top) * self.cell[1]

    def rect(self, place: Rect) -> Rect:
        """A rectangle of columns and rows on the stage."""
        return Rect(self.x(place.left), self.y(place.top), self.x(place.right), self.y(place.bottom))

    @property
    def whole(self) -> Rect:
        """All cells that are in sight."""
        grid, seen = self.grid, self.seen
        left, top = max(grid.left, seen.left), max(grid.top, seen.top)
        return self.rect(Rect(left, top, min(grid.right, seen.right), min(grid.bottom, seen.bottom)))

    def moving_column(self, column: int) -> float:
        """Where a column is on its way."""
        first = self.panel.columns.first
        return column if self.standing is None else first + self.standing[1][column - first]

    def moving_row(self, row: int) -> float:
        """Where a row is on its way."""
        first = self.panel.rows.first
        return row if self.standing is None else first + self.standing[0][row - first]

    def box(self, row: int, column: int) -> Rect:
        """The rectangle of a cell on its way, by its indices."""
        left = self.moving_column(self.panel.columns.first + column) - _HALF
        top = self.moving_row(self.panel.rows.first + row) - _HALF
        return self.rect(Rect(left, top, left + 1, top + 1))

    def framed(self, row: int | None, column: int | None) -> Rect:
        """What the frame of a cell goes around, or of the whole row or column if the other coordinate is missing."""
        whole = self.whole
        left, right = (whole.left, whole.right) if column is None else (self.x(column - _HALF), self.x(column + _HALF))
        top, bottom = (whole.top, whole.bottom) if row is None else (self.y(row - _HALF), self.y(row + _HALF))
        return _grown(Rect(left, top, right, bottom))

    def in_sight(self) -> tuple[range, range]:
        """The indices of the visible rows and columns."""
        rows, columns = self.panel.values.shape
        top, left = self.seen.top - self.grid.top, self.seen.left - self.grid.left
        bottom, right = top + self.seen.height, left + self.seen.width
        return (
            range(max(0, math.floor(top)), min(rows, math.ceil(bottom))),
            range(max(0, math.floor(left)), min(columns, math.ceil(right))),
        )


def zoom_range_of(panel: Heatmap) -> ZoomRange:
    """All cells, or those of the larger map of which this is a part."""
    part, whole, least = panel.part, _grid_of(panel), (2.0, 2.0)
    if part is not None:
        least = 2.0 / part.width, 2.0 / part.height
        x = whole.left + (part.every_column.start - part.columns.start) / part.width
        y = whole.top + (part.every_row.start - part.rows.start) / part.height
        right, bottom = x + len(part.every_column) / part.width, y + len(part.every_row) / part.height
        whole = Rect(min(whole.left, x), min(whole.top, y), max(whole.right, right), max(whole.bottom, bottom))
    return ZoomRange(whole, whole, (min(least[0], whole.width), min(least[1], whole.height)), along=True, down=True)


def _grid_of(panel: Heatmap) -> Rect:
    """All cells, from edge to edge."""
    rows, columns = panel.values.shape
    return Rect.down_from(panel.columns.first - _HALF, panel.rows.first - _HALF, columns, rows)


def _grown(rect: Rect) -> Rect:
    """The rectangle, grown around its middle where a frame around it would fill it."""
    wider, higher = max(0.0, _LEAST_FRAME - rect.width) / 2, max(0.0, _LEAST_FRAME - rect.height) / 2
    return Rect(rect.left - wider, rect.top - higher, rect.right + wider, rect.bottom + higher)


def grown_by(rect: Rect, out: float) -> Rect:
    """The rectangle with all its sides moved outwards."""
    return Rect(rect.left - out, rect.top - out, rect.right + out, rect.bottom + out)
