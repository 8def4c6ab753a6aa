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
from posenc_gui.render.drawings.drawing import MARK, Stage
from posenc_gui.render.drawings.map_places import MapPlaces, grown_by
from posenc_gui.render.drawings.parts import Area, Box, Cells, Part, Stroke, Text, straight
from posenc_gui.render.layout.colour_scales import Colours, colours_at, shades
from posenc_gui.render.layout.heatmap_cells import NumberStyle, cell_texts, numbers_that_fit
from posenc_gui.render.layout.rect import Rect

_MOST_CELLS = 1024  # along a side of a map on paper; more are averaged
_LEAST_APART, _FAR_APART = 14.0, 40.0  # units: cells from which on there is a thin gap between them, and a wider one
_CORNER = 0.28  # of a cell: the side of the corner with its former colour
_LEAST_EDGED, _LEAST_CORNERED = 8.0, 10.0  # units: of a corner with an edge, and of a cell with such a corner
_DIGIT = 0.75  # of a line of text: the height of a digit


class MapCells:
    """Cells in their places."""

    def __init__(self, places: MapPlaces) -> None:
        self._places, self._panel, self._stage = places, places.panel, places.stage

    @cached_property
    def _colours(self) -> Colours:
        """The colours of all cells at this moment, (rows, columns, 3)."""
        if self._places.motion is not None:
            return colours_at(self._places.motion.at(self._stage.moment.share), self._panel, self._stage.roles)
        if self._stage.style.is_paper:
            return _averaged(self._panel, self._stage)
        return colours_at(self._panel.steps, self._panel, self._stage.roles)

    @property
    def is_averaged(self) -> bool:
        """True if paper shows the means of blocks."""
        return self._stage.style.is_paper and max(self._panel.values.shape) > _MOST_CELLS

    @cached_property
    def numbers(self) -> NumberStyle | None:
        """The style of the numbers in the cells of this and of all alike; None without room."""
        style = self._stage.style
        return numbers_that_fit(self._places.layout.alike, *self._places.cell, (style.label, style.small))

    def draw(self) -> Iterator[Part]:
        """Yield the cells, their numbers, and what marks those that changed or moved."""
        places = self._places
        grid = places.rect(places.grid)
        gap = _gap(min(places.cell)) if not self._stage.style.is_paper else 0.0
        if places.standing is None:
            yield Cells(grid, self._colours)
            if gap:
                yield from self._gaps(gap)
        else:  # nothing stands where rows and columns come from
            yield Box(grid, self._stage.roles.window)
        mark = self._stage.moment.mark if places.motion else 0.0
        is_cornered = mark > 0 and min(places.cell) >= _LEAST_CORNERED
        for layer in self._layers() if places.standing or self.numbers or is_cornered else ():
            if places.standing is not None:
                yield from self._moving(layer, gap)
            if is_cornered:
                yield from self._corners(layer)
            if self.numbers is not None:
                yield from self._written(layer, self.numbers)
        if places.standing is not None:
            yield from self._frames_of_moved()

    def _gaps(self, gap: float) -> Iterator[Part]:
        places = self._places
        (rows, columns), whole, card = places.in_sight(), places.whole, self._stage.roles.card
        for row in rows[1:]:
            y = places.y(places.grid.top + row)
            yield Stroke(straight((whole.left, y), (whole.right, y)), card, gap)
        for column in columns[1:]:
            x = places.x(places.grid.left + column)
            yield Stroke(straight((x, whole.top), (x, whole.bottom)), card, gap)

    def _layers(self) -> Iterator[list[tuple[int, int]]]:
        """Yield the cells in sight by row and column: while they move first those below, then the column and the row that pass
        above them, and last where these cross."""
        places = self._places
        rows, columns = places.in_sight()
        seen = [(row, column) for row in rows for column in columns]
        if places.standing is None or places.motion is None:
            yield seen
            return
        above = places.motion.above
        for layer in ((False, False), (False, True), (True, False), (True, True)):
            yield [one for one in seen if (one[0] in above[0], one[1] in above[1]) == layer]

    def _moving(self, cells: Sequence[tuple[int, int]], gap: float) -> Iterator[Part]:
        for row, column in cells:
            box = self._places.box(row, column)
            yield Box(box, self._stage.roles.card)
            yield Box(grown_by(box, -gap / 2), colour_of(self._colours[row, column]))

    def _frames_of_moved(self) -> Iterator[Part]:
        """Frame the row and the column of the token that moved."""
        places = self._places
        assert places.motion is not None
        whole = places.whole
        for row in places.motion.above[0]:
            box = places.box(row, 0)
            yield Box(Rect(whole.left, box.top, whole.right, box.bottom), frame=self._stage.roles.ink, width=MARK)
        for column in places.motion.above[1]:
            box = places.box(0, column)
            yield Box(Rect(box.left, whole.top, box.right, whole.bottom), frame=self._stage.roles.ink, width=MARK)

    def _corners(self, cells: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Draw former colours in the lower left corners of cells that changed, never through a number."""
        places = self._places
        assert places.motion is not None
        side, numbers, card = _CORNER * min(places.cell), self.numbers, self._stage.roles.card
        if numbers is not None:
            longest = max((numbers.of(text) for row in cell_texts(self._panel) for text in row), key=len)
            beside = places.cell[0] - numbers.face.measure(longest)
            side = min(side, (beside + places.cell[1] - _DIGIT * numbers.face.line) / 2)
        former = colours_at(places.motion.former, self._panel, self._stage.roles)
        for row, column in (one for one in cells if places.motion.changed[one]):
            box, ground = places.box(row, column), colour_of(self._colours[row, column])
            corners = (box.left, box.bottom), (box.left, box.bottom - side), (box.left + side, box.bottom)
            yield Area(np.array(corners), mixed(colour_of(former[row, column]), ground, self._stage.moment.mark))
            if side >= _LEAST_EDGED:
                yield Stroke(straight(*corners[1:]), mixed(card, ground, self._stage.moment.mark), 1.0)

    def _written(self, cells: Sequence[tuple[int, int]], style: NumberStyle) -> Iterator[Part]:
        texts, size, places = cell_texts(self._panel), self._stage.style.size_of(style.face), self._places
        n_rows, n_columns = self._panel.values.shape
        xs = [places.x(places.moving_column(self._panel.columns.first + at)) for at in range(n_columns)]
        ys = [places.y(places.moving_row(self._panel.rows.first + at)) for at in range(n_rows)]
        colours = self._colours.tolist()
        for row, column in cells:
            if not self._panel.is_masked(row, column):
                ink = ink_on(*colours[row][column])
                yield Text(xs[column], ys[row], style.of(texts[row][column]), ink, size, "center")


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
