"""Heatmaps as a drawing: coloured cells with their numbers, labels at two sides, and frames."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.contrast import ink_on, mixed, parts_of
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.drawings.drawing import MARK, Drawing, Extent, Spot, Stage
from posenc_gui.render.drawings.motion import CellMotion, Standing
from posenc_gui.render.drawings.parts import Area, Box, Cells, Clipped, Part, Side, Stroke, Text, straight
from posenc_gui.render.layout.brackets import LEG, bracket_lines
from posenc_gui.render.layout.cell_labels import ABOVE, BESIDE, Labels
from posenc_gui.render.layout.colour_scales import Colours, colours_at, label_colour, shades
from posenc_gui.render.layout.heatmap_cells import NumberStyle, cell_texts, numbers_that_fit
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided
from posenc_gui.render.layout.type_sizes import Size

_MOST_CELLS = 1024  # along a side of a map on paper; more are averaged
_LEAST_APART, _FAR_APART = 14.0, 40.0  # units: cells from which on there is a thin gap between them, and a wider one
_LARGE = 8.0  # units of a row that has room for a bold frame beside it
_BAR, _BAR_AWAY = 2.0, 4.0  # units: the bar of equal rows and columns, and how far from the cells it begins
_SHORTER = 0.14  # of a cell: how much the bar is shorter at each end
_LEFT = 0.6  # the opacity of a bar where a token stood
_CORNER = 0.28  # of a cell: the side of the corner with its former colour
_LEAST_EDGED, _LEAST_CORNERED = 8.0, 10.0  # units: of a corner with an edge, and of a cell with such a corner
_DIGIT = 0.75  # of a line of text: the height of a digit
_LEAST_FRAME, _LEAST_ROW = 7.0, 3.0  # units inside the frame around a cell, and around a row
_BRACKET = 1.2  # units: the breadth of a bracket's lines
_BOLD = 1.15  # as broad as plain type, at most
_TILE, _CORNER_OF_TILE = (
    4.0,
    4.0,
)  # units beside the label of a token that passes others, and the radius of its tile's corners
_HALF = 0.5


class MapDrawing(Drawing[Heatmap]):
    """A map in its place, with the labels that the composer found for it; it can be zoomed along both axes."""

    def __init__(self, panel: Heatmap, stage: Stage, widest: Heatmap | None = None) -> None:
        super().__init__(panel, stage, widest)
        assert stage.of_map is not None
        self._room = stage.of_map
        cells = self._room.cells
        self.plot = Rect(cells.left, cells.top, max(cells.left + 1, cells.right), max(cells.top + 1, cells.bottom))
        self._seen = stage.seen or self.extent(panel).shown
        self._cell = self.plot.width / self._seen.width, self.plot.height / self._seen.height
        self._motion = stage.motion if isinstance(stage.motion, CellMotion) else None
        self._standing = self._motion and self._motion.stand(stage.moment.share)
        self._grid = Rect(
            panel.columns.first - _HALF, panel.rows.first - _HALF,
            panel.columns.first + panel.values.shape[1] - _HALF, panel.rows.first + len(panel.values) - _HALF,
        )  # fmt: skip

    @staticmethod
    def extent(panel: Heatmap) -> Extent:
        """All cells, or those of the larger map of which this is a part."""
        part, (rows, columns) = panel.part, panel.values.shape
        left, top, least = panel.columns.first - _HALF, panel.rows.first - _HALF, (2.0, 2.0)
        whole = Rect(left, top, left + columns, top + rows)
        if part is not None:
            least = 2.0 / part.width, 2.0 / part.height
            x = left + (part.every_column.start - part.columns.start) / part.width
            y = top + (part.every_row.start - part.rows.start) / part.height
            larger = Rect(x, y, x + len(part.every_column) / part.width, y + len(part.every_row) / part.height)
            whole = Rect(
                min(whole.left, larger.left), min(whole.top, larger.top),
                max(whole.right, larger.right), max(whole.bottom, larger.bottom),
            )  # fmt: skip
        return Extent(whole, whole, (min(least[0], whole.width), min(least[1], whole.height)), along=True, down=True)

    def draw(self) -> Iterator[Part]:
        yield from self._labels_above()
        yield from self._labels_beside()
        cells = tuple(self._cells())
        yield from [Clipped(self.plot, cells)] if self.stage.seen else cells
        yield from self._bars_of_equal()
        yield from self._focus()
        yield from self._marked()
        yield from self._bracket()
        if self._is_averaged:
            y = self.plot.bottom + ABOVE + self.stage.style.small.line / 2
            yield Text(self.plot.left, y, "cells averaged to fit", self.stage.roles.muted, "small")

    # Places

    def _x(self, column: float) -> float:
        return self.plot.left + (column - self._seen.left) * self._cell[0]

    def _y(self, row: float) -> float:
        return self.plot.top + (row - self._seen.top) * self._cell[1]

    def _rect(self, left: float, top: float, right: float, bottom: float) -> Rect:
        """A rectangle of the panel's coordinates on the stage."""
        return Rect(self._x(left), self._y(top), self._x(right), self._y(bottom))

    @property
    def _whole(self) -> Rect:
        """All cells on the stage, as far as they are in sight."""
        grid, seen = self._grid, self._seen
        return self._rect(
            max(grid.left, seen.left),
            max(grid.top, seen.top),
            min(grid.right, seen.right),
            min(grid.bottom, seen.bottom),
        )

    def _box(self, row: int, column: int) -> Rect:
        """Where a cell stands, by row and column from 0."""
        rows, columns = self._standing or (None, None)
        x, y = (columns[column] if columns else column), (rows[row] if rows else row)
        left, top = self._grid.left + x, self._grid.top + y
        return self._rect(left, top, left + 1, top + 1)

    def _framed(self, row: int | None, column: int | None) -> Rect:
        """What the frame of a cell goes around, or of the whole row or column if the other coordinate is missing."""
        whole = self._whole
        left, right = (
            (whole.left, whole.right) if column is None else (self._x(column - _HALF), self._x(column + _HALF))
        )
        top, bottom = (whole.top, whole.bottom) if row is None else (self._y(row - _HALF), self._y(row + _HALF))
        return _grown(Rect(left, top, right, bottom), _LEAST_FRAME, _LEAST_FRAME)

    def _in_sight(self) -> tuple[range, range]:
        """The indices of the visible rows and columns."""
        rows, columns = self.panel.values.shape
        top, left = self._seen.top - self._grid.top, self._seen.left - self._grid.left
        bottom, right = top + self._seen.height, left + self._seen.width
        return (
            range(max(0, math.floor(top)), min(rows, math.ceil(bottom))),
            range(max(0, math.floor(left)), min(columns, math.ceil(right))),
        )

    # Cells

    @cached_property
    def _colours(self) -> Colours:
        """The colours of all cells at this moment, (rows, columns, 3)."""
        if self._motion is not None:
            return colours_at(self._motion.at(self.stage.moment.share), self.panel, self.stage.roles)
        if self.stage.style.is_paper:
            return _averaged(self.panel, self.stage)
        return colours_at(self.panel.steps, self.panel, self.stage.roles)

    @property
    def _is_averaged(self) -> bool:
        return self.stage.style.is_paper and max(self.panel.values.shape) > _MOST_CELLS

    @cached_property
    def _numbers(self) -> NumberStyle | None:
        """The style of the numbers in the cells of this and of all alike; None without room."""
        style = self.stage.style
        return numbers_that_fit(self._room.alike, *self._cell, (style.label, style.small))

    def _cells(self) -> Iterator[Part]:
        grid = self._rect(self._grid.left, self._grid.top, self._grid.right, self._grid.bottom)
        gap = _gap(min(self._cell)) if not self.stage.style.is_paper else 0.0
        if self._standing is None:
            yield Cells(grid, self._colours)
            if gap:
                yield from self._gaps(gap)
        else:  # nothing stands where rows and columns come from
            yield Box(grid, self.stage.roles.window)
        mark = self.stage.moment.mark if self._motion else 0.0
        is_cornered = mark > 0 and min(self._cell) >= _LEAST_CORNERED
        for layer in self._layers() if self._standing or self._numbers or is_cornered else ():
            if self._standing is not None:
                yield from self._moving(layer, gap)
            if is_cornered:
                yield from self._corners(layer)
            if self._numbers is not None:
                yield from self._written(layer, self._numbers)
        if self._standing is not None:
            yield from self._frames_of_moved()

    def _gaps(self, gap: float) -> Iterator[Part]:
        (rows, columns), whole, card = self._in_sight(), self._whole, self.stage.roles.card
        for row in rows[1:]:
            y = self._y(self._grid.top + row)
            yield Stroke(straight((whole.left, y), (whole.right, y)), card, gap)
        for column in columns[1:]:
            x = self._x(self._grid.left + column)
            yield Stroke(straight((x, whole.top), (x, whole.bottom)), card, gap)

    def _layers(self) -> Iterator[list[tuple[int, int]]]:
        """Yield the cells in sight by row and column: while they move first those below, then the column and the row that pass
        above them, and last where these cross."""
        rows, columns = self._in_sight()
        seen = [(row, column) for row in rows for column in columns]
        if self._standing is None or self._motion is None:
            yield seen
            return
        above = self._motion.above
        for layer in ((False, False), (False, True), (True, False), (True, True)):
            yield [one for one in seen if (one[0] in above[0], one[1] in above[1]) == layer]

    def _moving(self, cells: Sequence[tuple[int, int]], gap: float) -> Iterator[Part]:
        for row, column in cells:
            box = self._box(row, column)
            yield Box(box, self.stage.roles.card)
            yield Box(_grown_by(box, -gap / 2), _hex(self._colours[row, column]))

    def _frames_of_moved(self) -> Iterator[Part]:
        """Frame the row and the column of the token that moved."""
        assert self._motion is not None
        whole = self._whole
        for row in self._motion.above[0]:
            box = self._box(row, 0)
            yield Box(Rect(whole.left, box.top, whole.right, box.bottom), frame=self.stage.roles.ink, width=MARK)
        for column in self._motion.above[1]:
            box = self._box(0, column)
            yield Box(Rect(box.left, whole.top, box.right, whole.bottom), frame=self.stage.roles.ink, width=MARK)

    def _corners(self, cells: Sequence[tuple[int, int]]) -> Iterator[Part]:
        """Draw former colours in the lower left corners of cells that changed, never through a number."""
        assert self._motion is not None
        side, numbers, card = _CORNER * min(self._cell), self._numbers, self.stage.roles.card
        if numbers is not None:
            longest = max((numbers.of(text) for row in cell_texts(self.panel) for text in row), key=len)
            beside = self._cell[0] - numbers.face.measure(longest)
            side = min(side, (beside + self._cell[1] - _DIGIT * numbers.face.line) / 2)
        former = colours_at(self._motion.former, self.panel, self.stage.roles)
        for row, column in (one for one in cells if self._motion.changed[one]):
            box, ground = self._box(row, column), _hex(self._colours[row, column])
            corners = (box.left, box.bottom), (box.left, box.bottom - side), (box.left + side, box.bottom)
            yield Area(np.array(corners), mixed(_hex(former[row, column]), ground, self.stage.moment.mark))
            if side >= _LEAST_EDGED:
                yield Stroke(straight(*corners[1:]), mixed(card, ground, self.stage.moment.mark), 1.0)

    def _written(self, cells: Sequence[tuple[int, int]], style: NumberStyle) -> Iterator[Part]:
        texts, size = cell_texts(self.panel), self._size(style.face is self.stage.style.small)
        down, across = self._standing or map(range, self.panel.values.shape)
        xs = [self._x(self._grid.left + at + _HALF) for at in across]
        ys = [self._y(self._grid.top + at + _HALF) for at in down]
        colours = self._colours.tolist()
        for row, column in cells:
            if not self.panel.is_masked(row, column):
                ink = ink_on(*colours[row][column])
                yield Text(xs[column], ys[row], style.of(texts[row][column]), ink, size, "center")

    @staticmethod
    def _size(is_small: bool) -> Size:
        return "small" if is_small else "label"

    # Labels

    @cached_property
    def _labels(self) -> tuple[Labels, Labels | None]:
        """The labels above the columns and beside the rows at this zoom, in the room that the composer left."""
        place, labels, panel = self._room.placed, self._room.labels, self.panel
        (rows, columns), (across, down) = panel.values.shape, self._cell
        above = labels.above(panel.columns, columns, across, place.columns.room)
        largest = place.columns.face
        return above, labels.beside(panel.rows, rows, down, largest) if place.rows is not None else None

    def _labels_above(self) -> Iterator[Part]:
        axis, (labels, _), plot, small = self.panel.columns, self._labels, self.plot, self.stage.style.small
        size, standing = self._size(labels.face is small), self._standing[1] if self._standing else None
        for coordinate, text, is_above in self._in_order(labels, axis, 1):
            if not self._seen.left <= coordinate <= self._seen.right:
                continue
            x = self._x(_standing_at(coordinate, axis.first, standing))
            colour, bold = label_colour(axis, coordinate, self.stage.roles), self._is_bold(axis, coordinate)
            y = plot.top - ABOVE - labels.face.line / 2
            if labels.angle == "level":
                if is_above:
                    yield self._tile(x, y, text, labels, "center")
                yield Text(x, y, text, colour, size, "center", bold)
            else:
                angle = 45 if labels.angle == "slanted" else 90
                yield Text(x, plot.top - ABOVE, text, colour, size, bold=bold, angle=angle)
        if labels.name:
            y, muted = plot.top - self._room.placed.columns.room + small.line / 2, self.stage.roles.muted
            if small.measure(labels.name) <= plot.width:
                yield Text((plot.left + plot.right) / 2, y, labels.name, muted, "small", "center")
            elif self._labels[1] is not None:  # narrow maps have it once, since it would meet that of the next
                yield Text(plot.left, y, labels.name, muted, "small")

    def _labels_beside(self) -> Iterator[Part]:
        axis, (_, labels), plot, small = self.panel.rows, self._labels, self.plot, self.stage.style.small
        if labels is None:
            return
        size, standing = self._size(labels.face is small), self._standing[0] if self._standing else None
        placed = self._room.placed.rows if self.stage.seen else None
        for coordinate, whole, is_above in self._in_order(labels, axis, 0):
            if self._seen.top <= coordinate <= self._seen.bottom:
                text = elided(whole, placed.room - BESIDE, labels.face.measure) if placed else whole
                x, y = plot.left - BESIDE / 2, self._y(_standing_at(coordinate, axis.first, standing))
                if is_above:
                    yield self._tile(x, y, text, labels, "right")
                colour = label_colour(axis, coordinate, self.stage.roles)
                yield Text(x, y, text, colour, size, "right", self._is_bold(axis, coordinate))
        if labels.name and self._room.placed.rows is not None:
            half = max(plot.height, small.measure(labels.name)) / 2
            x = plot.left - self._room.placed.rows.room + small.line / 2
            yield Text(x, plot.top + half, labels.name, self.stage.roles.muted, "small", "center", angle=90)

    def _in_order(self, labels: Labels, axis: Axis, side: int) -> list[tuple[int, str, bool]]:
        """Labels with their coordinates, and whether they pass above the others, which they are drawn after."""
        above = self._motion.above[side] if self._motion and self._standing else ()
        found = [(coordinate, text, round(coordinate - axis.first) in above) for coordinate, text in labels.texts]
        return sorted(found, key=lambda one: one[2])

    def _is_bold(self, axis: Axis, coordinate: int) -> bool:
        return self.stage.style.is_paper and coordinate == axis.focus

    def _tile(self, x: float, y: float, text: str, labels: Labels, side: Side) -> Part:
        """The tile of a token that passes others, so that its label covers theirs."""
        width, half = labels.face.measure(text) + 2 * _TILE, labels.face.line / 2
        left = x - width / 2 if side == "center" else x + _TILE - width
        roles = self.stage.roles
        return Box(Rect(left, y - half, left + width, y + half), roles.card, roles.ink, 1.0, _CORNER_OF_TILE)

    # Frames

    def _bars_of_equal(self) -> Iterator[Part]:
        """Mark columns and rows that are equal to another by a bar between them and their name; fading ones where a token stood
        that moved."""
        rows, columns = self._standing or (None, None)
        twin, first = self.stage.roles.twin, (self.panel.rows.first, self.panel.columns.first)
        for at in sorted(self.panel.equal):
            yield from self._bar_above(_standing_at(at, first[1], columns), twin)
            yield from self._bar_beside(_standing_at(at, first[0], rows), twin)
        if self._motion is not None and self.stage.moment.mark:
            pale = mixed(self.stage.roles.muted, self.stage.roles.card, _LEFT * self.stage.moment.mark)
            for row in self._motion.left[0]:
                yield from self._bar_beside(row + first[0], pale)
            for column in self._motion.left[1]:
                yield from self._bar_above(column + first[1], pale)

    def _bar_above(self, column: float, colour: str) -> Iterator[Part]:
        if self._seen.left <= column <= self._seen.right:
            shorter, top = _SHORTER * self._cell[0], self.plot.top - _BAR_AWAY
            left = max(self.plot.left, self._x(column - _HALF) + shorter)
            right = min(self.plot.right, self._x(column + _HALF) - shorter)
            yield Box(Rect(left, top, right, top + _BAR), colour)

    def _bar_beside(self, row: float, colour: str) -> Iterator[Part]:
        if self._seen.top <= row <= self._seen.bottom:
            shorter, left = _SHORTER * self._cell[1], self.plot.left - _BAR_AWAY
            top = max(self.plot.top, self._y(row - _HALF) + shorter)
            bottom = min(self.plot.bottom, self._y(row + _HALF) - shorter)
            yield Box(Rect(left, top, left + _BAR, bottom), colour)

    def _focus(self) -> Iterator[Part]:
        """Frame the row in focus from outside; around thin rows the frame is thin."""
        axis = self.panel.rows
        if axis.focus is None or not self._grid.top < axis.focus < self._grid.bottom:
            return
        at = _standing_at(axis.focus, axis.first, self._standing[0] if self._standing else None)
        if not self._seen.top <= at <= self._seen.bottom:
            return
        whole, width = self._whole, 2.0 if self._cell[1] >= _LARGE else 1.0
        row = _grown(Rect(whole.left, self._y(at - _HALF), whole.right, self._y(at + _HALF)), 0.0, _LEAST_ROW)
        frame = Box(_grown_by(row, width / 2), frame=self.stage.roles.focus, width=width)
        yield Clipped(_grown_by(self.plot, width), (frame,)) if self.stage.seen else frame

    def _marked(self) -> Iterator[Part]:
        """Frame what a text speaks of, in ink with an edge towards its neighbours; cells without a number have it beside them."""
        roles, values = self.stage.roles, list[tuple[Rect, str]]()
        for row, column in self.panel.marked:
            frame = self._framed(row, column)
            yield Box(_grown_by(frame, -0.5), frame=roles.card)
            yield Box(_grown_by(frame, MARK / 2), frame=roles.ink, width=MARK)
            if row is not None and column is not None and self._numbers is None:
                value = self.panel.values[row - self.panel.rows.first, column - self.panel.columns.first]
                values.append((frame, format_told(float(value))))
        yield from self.told(values)

    def _bracket(self) -> Iterator[Part]:
        """Draw below the map what the headline claims of some columns, while all of them are in sight."""
        bracket, small, seen = self.panel.bracket, self.stage.style.small, self._seen
        if bracket is None or not self._room.placed.below:
            return
        if not all(seen.left < column < seen.right for column in bracket.columns):
            return

        def measure(text: str) -> float:
            return _BOLD * small.measure(text)

        centres = [self._x(column) for column in bracket.columns]
        found = bracket_lines(bracket, centres, self.plot.left, self.plot.right, measure)
        if found is None:
            return
        colour, top, level = self.stage.roles.twin, self.plot.bottom + ABOVE / 2, self.plot.bottom + LEG * small.line
        for x in found.legs:
            yield Stroke(straight((x, top), (x, level)), colour, _BRACKET)
        for left, right in found.level:
            yield Stroke(straight((left, level), (right, level)), colour, _BRACKET)
        yield Text(found.middle, level + found.below * small.line, found.words, colour, "small", "center", bold=True)

    # The pointer

    is_marked_over = True

    def over(self, marked: Hashable) -> Iterator[Part]:
        """Frame the pointer's cell without covering its number, or its whole row or column if it names only that."""
        if not isinstance(marked, tuple) or marked == (None, None):
            return
        column, row = marked
        seen, roles = self._seen, self.stage.roles
        if (column is None or seen.left < column < seen.right) and (row is None or seen.top < row < seen.bottom):
            place = self._framed(row, column)
            yield Box(_grown_by(place, 2.5), frame=roles.card, width=1.0)
            yield Box(_grown_by(place, 1.0), frame=roles.ink, width=2.0)

    def named(self, pointer: Pointer) -> tuple[int | None, int | None]:
        return pointer.along(self.panel.columns.role), pointer.along(self.panel.rows.role)

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self._seen.left + (x - self.plot.left) / self._cell[0], self._seen.top + (
            y - self.plot.top
        ) / self._cell[1]

    def start(self) -> Spot:
        rows = self.panel.rows
        inside = rows.focus is not None and 0 <= rows.focus - rows.first < len(self.panel.values)
        return self.panel.columns.first, rows.focus if rows.focus is not None and inside else rows.first


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


def _standing_at(coordinate: int, first: int, standing: Standing | None) -> float:
    """The coordinate at which a row or a column stands."""
    return coordinate if standing is None else first + standing[coordinate - first]


def _gap(pitch: float) -> float:
    """The gap between cells of this size."""
    return 0.0 if pitch < _LEAST_APART else 1.0 if pitch < _FAR_APART else 2.0


def _grown(rect: Rect, width: float, height: float) -> Rect:
    """The rectangle, grown around its middle to at least this size."""
    wider, higher = max(0.0, width - rect.width) / 2, max(0.0, height - rect.height) / 2
    return Rect(rect.left - wider, rect.top - higher, rect.right + wider, rect.bottom + higher)


def _grown_by(rect: Rect, out: float) -> Rect:
    return Rect(rect.left - out, rect.top - out, rect.right + out, rect.bottom + out)


def _hex(colour: npt.NDArray[np.uint8]) -> str:
    return "#" + bytes(colour.tolist()).hex()
