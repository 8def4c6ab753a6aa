"""The cells of a map as parts, with their numbers; while tokens move, rows and columns on their way to their places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.contrast import colour_of, ink_on, mixed, parts_of
from posenc_gui.render.drawings.drawing import MARK, Stage, ZoomRange
from posenc_gui.render.drawings.motion import CellMotion
from posenc_gui.render.drawings.parts import Area, Box, Cells, Part, Stroke, Text, straight
from posenc_gui.render.layout.cell_labels import NumberStyle, cell_texts, numbers_that_fit
from posenc_gui.render.layout.colour_scales import Colours, colours_at, shades
from posenc_gui.render.layout.rect import Rect

_LEAST_FRAME = 7.0  # units inside the frame around a cell
_HALF = 0.5
_MOST_CELLS = 1024  # along a side of a map on paper; more are averaged
_LEAST_APART, _FAR_APART = 14.0, 40.0  # units: cells from which on there is a thin gap between them, and a wider one
_CORNER = 0.28  # of a cell: the side of the corner with its former colour
_LEAST_EDGED, _LEAST_CORNERED = 8.0, 10.0  # units: of a corner with an edge, and of a cell with such a corner
_DIGIT = 0.75  # of a line of text: the height of a digit


class MapCells:
    """Cells in their places at this zoom, and those of rows and columns on their way while tokens move."""

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

    @cached_property
    def _colours(self) -> Colours:
        """The colours of all cells at this moment, (rows, columns, 3)."""
        if self.motion is not None:
            return colours_at(self.motion.at(self.stage.moment.share), self.panel, self.stage.roles)
        if self.stage.style.is_paper:
            return _averaged(self.panel, self.stage)
        return colours_at(self.panel.steps, self.panel, self.stage.roles)

    @property
    def is_averaged(self) -> bool:
        """True if paper shows the means of blocks."""
        return self.stage.style.is_paper and max(self.panel.values.shape) > _MOST_CELLS

    @cached_property
    def numbers(self) -> NumberStyle | None:
        """The style of the numbers in the cells of this and of all alike; None without room."""
        style = self.stage.style
        return numbers_that_fit(self.layout.alike, *self.cell, (style.label, style.small))

    def draw(self) -> Iterator[Part]:
        """Yield the cells, their numbers, and what marks those that changed or moved."""
        grid = self.rect(self.grid)
        gap = _gap(min(self.cell)) if not self.stage.style.is_paper else 0.0
        if self.standing is None:
            yield Cells(grid, self._colours)
            if gap:
                yield from self._gaps(gap)
        else:  # nothing stands where rows and columns come from
            yield Box(grid, self.stage.roles.window)
        mark = self.stage.moment.mark if self.motion else 0.0
        is_cornered = mark > 0 and min(self.cell) >= _LEAST_CORNERED
        for layer in self._layers() if self.standing or self.numbers or is_cornered else ():
            if self.standing is not None:
                yield from self._moving(layer, gap)
            if is_cornered:
                yield from self._corners(layer)
            if self.numbers is not None:
                yield from self._written(layer, self.numbers)
        if self.standing is not None:
            yield from self._frames_of_moved()

    def _gaps(self, gap: float) -> Iterator[Part]:
        (rows, columns), whole, card = self.in_sight(), self.whole, self.stage.roles.card
        for row in rows[1:]:
            y = self.y(self.grid.top + row)
            yield Stroke(straight((whole.left, y), (whole.right, y)), card, gap)
        for column in columns[1:]:
            x = self.x(self.grid.left + column)
            yield Stroke(straight((x, whole.top), (x, whole.bottom)), card, gap)

    def _layers(self) -> Iterator[list[tuple[int, int]]]:
        """Yield the cells in sight by row and column: while they move first those below, then the column and the row that pass
        above them, and last where these cross."""
        rows, columns = self.in_sight()
        seen = [(row, column) for row in rows for column in columns]
        if self.standing is None or self.motion is None:
            yield seen
            return
        above = self.motion.above
        for layer in ((False, False), (False, True), (True, False), (True, True)):
            yield [one for one in seen if (one[0] in above[0], one[1] in above[1]) == layer]

    def _moving(self, cells: Sequence[tuple[int, int]], gap: float) -> Iterator[Part]:
        for row, column in cells:
            box = self.box(row, column)
            yield Box(box, self.stage.roles.card)
            yield Box(box.grown(-gap / 2), colour_of(self._colours[row, column]))

    def _frames_of_moved(self) -> Iterator[Part]:
        """Frame the row and the column of the token that moved."""
        assert self.motion is not None
        whole = self.whole
        for row in self.motion.above[0]:
            box = self.box(row, 0)
            yield Box(Rect(whole.left, box.top, whole.right, box.bottom), frame=self.stage.roles.ink, width=MARK)
        for column in self.motion.above[1]:
            box = self.box(0, column)
            yield Box(Rect(box.left, whole.top, box.right, whole.bottom), frame=self.stage.roles.ink, width=MARK)

    def _corners(self, cells: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Draw former colours in the lower left corners of cells that changed, never through a number."""
        assert self.motion is not None
        side, numbers, card = _CORNER * min(self.cell), self.numbers, self.stage.roles.card
        if numbers is not None:
            longest = max((numbers.of(text) for row in cell_texts(self.panel) for text in row), key=len)
            beside = self.cell[0] - numbers.face.measure(longest)
            side = min(side, (beside + self.cell[1] - _DIGIT * numbers.face.line) / 2)
        former = colours_at(self.motion.former, self.panel, self.stage.roles)
        for row, column in (one for one in cells if self.motion.changed[one]):
            box, ground = self.box(row, column), colour_of(self._colours[row, column])
            corners = (box.left, box.bottom), (box.left, box.bottom - side), (box.left + side, box.bottom)
            yield Area(np.array(corners), mixed(colour_of(former[row, column]), ground, self.stage.moment.mark))
            if side >= _LEAST_EDGED:
                yield Stroke(straight(*corners[1:]), mixed(card, ground, self.stage.moment.mark), 1.0)

    def _written(self, cells: Sequence[tuple[int, int]], style: NumberStyle) -> Iterator[Part]:
        texts, size = cell_texts(self.panel), self.stage.style.size_of(style.face)
        n_rows, n_columns = self.panel.values.shape
        xs = [self.x(self.moving_column(self.panel.columns.first + at)) for at in range(n_columns)]
        ys = [self.y(self.moving_row(self.panel.rows.first + at)) for at in range(n_rows)]
        colours = self._colours.tolist()
        focus = None if self.panel.rows.focus is None else self.panel.rows.focus - self.panel.rows.first
        for row, column in cells:
            if not self.panel.is_masked(row, column) and (row == focus or not self.panel.focus_alone):
                ink = ink_on(*colours[row][column])
                yield Text(xs[column], ys[row], style.of(texts[row][column]), ink, size, "center")


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


def _averaged(panel: Heatmap, stage: Stage) -> Colours:
    """The colours of the cells or, of a map with too many, of the means of blocks, (rows, columns, 3); of any range."""
    rows, columns = (np.arange(0, count, math.ceil(count / _MOST_CELLS)) for count in panel.values.shape)
    shown = np.ones(panel.values.shape) if panel.mask is None else (~panel.mask).astype(np.float64)
    counts = _block_sums(shown, rows, columns)
    sums = _block_sums(panel.values * shown, rows, columns)
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    found = shares(means, panel.low, panel.high, panel.log)
    colours = shades(panel.scale, np.nan_to_num(found), stage.roles)
    colours[np.isnan(found)] = parts_of(stage.roles.sunk)
    return colours


def _block_sums(
    values: npt.NDArray[np.float64], rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    sums: npt.NDArray[np.float64] = np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
    return sums


def _gap(pitch: float) -> float:
    """The gap between cells of this size."""
    return 0.0 if pitch < _LEAST_APART else 1.0 if pitch < _FAR_APART else 2.0
