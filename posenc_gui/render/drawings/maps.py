"""Heatmaps as a drawing: coloured cells with their numbers, labels at two sides, and frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Bracket, Heatmap
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.drawings.drawing import MARK, Drawing, Spot, Stage, ZoomRange, focus_or_first
from posenc_gui.render.drawings.map_cells import MapCells, zoom_range_of
from posenc_gui.render.drawings.parts import Box, Clipped, Part, Side, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.cell_labels import ABOVE, BESIDE, SLANT, Labels, longest_number, shape_in_cells
from posenc_gui.render.layout.colour_scales import label_colour
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided
from posenc_gui.render.layout.type_sizes import BOLD, Style

_LARGE = 8.0  # units of a row that has room for a bold frame beside it
_BAR, _BAR_AWAY = 2.0, 4.0  # units: the bar of equal rows and columns, and how far from the cells it begins
_HALF_BAR = 0.36  # of a cell: half the bar's length
_LEFT = 0.6  # the opacity of a bar where a token stood
_LEAST_ROW = 3.0  # units inside the frame around a row
_BRACKET = 1.2  # units: the width of a bracket's lines
_LEG = 0.55  # lines of a bracket's words: from the cells' end to its level line
_BELOW = 0.8  # lines: from the level line to the middle of words below it
_AIR, _LEAST_AIR = 6.0, 3.0  # units beside the words, and between two legs without a level line
_LEAST_LEVEL = 10.0  # units of the level line on each side of words that have shorter ones
_TILE, _CORNER = 4.0, 4.0  # units: beside the label of a token that passes others, and the radius of its tile's corners


class MapDrawing(Drawing[Heatmap]):
    """A map in its place, with the labels that the composer found for it; it can be zoomed along both axes."""

    least_height, comfortable = 9.0, 2.0

    def __init__(self, panel: Heatmap, stage: Stage, widest: Heatmap | None = None) -> None:
        super().__init__(panel, stage, widest)
        self._cells = MapCells(panel, stage)
        self.plot, self.seen, self.field = self._cells.plot, self._cells.seen, self._cells.whole

    @staticmethod
    def zoom_range(panel: Heatmap) -> ZoomRange:
        return zoom_range_of(panel)

    @classmethod
    def comfort(cls, panel: Heatmap, plot: Rect, style: Style) -> float:
        rows, columns = shape_in_cells(panel)
        return min(plot.width / columns, plot.height / rows) / (cls.comfortable * style.label.line)

    @staticmethod
    def places(panel: Heatmap) -> tuple[int, ...]:
        return panel.values.shape

    @staticmethod
    def widest_of(panels: Sequence[Heatmap], measure: Measure) -> Heatmap:
        """The map with the longest number, with all maps' longest labels."""
        first = max(panels, key=lambda one: longest_number(one, measure))
        return Drawing.widest_of([first, *panels], measure)

    def draw(self) -> Iterator[Part]:
        yield from self._labels_above()
        yield from self._labels_beside()
        cells = tuple(self._cells.draw())
        yield from [Clipped(self.plot, cells)] if self.stage.seen else cells
        yield from self._bars_of_equal()
        yield from self._focus()
        yield from self._marked()
        yield from self._bracket()
        if self._cells.is_averaged:
            y = self.plot.bottom + ABOVE + self.stage.style.small.line / 2
            yield Text(self.plot.left, y, "cells averaged to fit", self.stage.roles.muted, "small")

    # Labels

    @cached_property
    def _labels(self) -> tuple[Labels, Labels | None]:
        """The labels above the columns and beside the rows at this zoom, in the room that the composer left."""
        place, labels, panel = self._cells.layout.placed, self._cells.layout.labels, self.panel
        (rows, columns), (across, down) = panel.values.shape, self._cells.cell
        above = labels.above(panel.columns, columns, across, place.columns.room)
        largest = place.columns.face
        return above, labels.beside(panel.rows, rows, down, largest) if place.rows is not None else None

    def _labels_above(self) -> Iterator[Part]:
        axis, (labels, _), plot, small = self.panel.columns, self._labels, self.plot, self.stage.style.small
        size = self.stage.style.size_of(labels.face)
        for coordinate, text, is_above in self._in_order(labels, axis, 1):
            if not self.seen.left <= coordinate <= self.seen.right:
                continue
            x = self._cells.x(self._cells.moving_column(coordinate))
            colour, bold = label_colour(axis, coordinate, self.stage.roles), self._is_bold(axis, coordinate)
            y = plot.top - ABOVE - labels.face.line / 2
            if labels.angle == "level":
                if is_above:
                    yield self._tile(x, y, text, labels, "center")
                yield Text(x, y, text, colour, size, "center", bold)
            else:
                below = SLANT * labels.face.line / 2 if labels.angle == "slanted" else 0.0  # of the text's first corner
                angle = 45 if labels.angle == "slanted" else 90
                yield Text(x, plot.top - ABOVE - below, text, colour, size, bold=bold, angle=angle)
        if labels.name:
            y, muted = plot.top - self._cells.layout.placed.columns.room + small.line / 2, self.stage.roles.muted
            if small.measure(labels.name) <= plot.width:
                yield Text((plot.left + plot.right) / 2, y, labels.name, muted, "small", "center")
            elif self._labels[1] is not None:  # narrow maps have it once, since it would meet that of the next
                yield Text(plot.left, y, labels.name, muted, "small")

    def _labels_beside(self) -> Iterator[Part]:
        axis, (_, labels), plot, small = self.panel.rows, self._labels, self.plot, self.stage.style.small
        if labels is None:
            return
        size = self.stage.style.size_of(labels.face)
        placed = self._cells.layout.placed.rows if self.stage.seen else None
        for coordinate, whole, is_above in self._in_order(labels, axis, 0):
            if self.seen.top <= coordinate <= self.seen.bottom:
                text = elided(whole, placed.room - BESIDE, labels.face.measure) if placed else whole
                x, y = plot.left - BESIDE / 2, self._cells.y(self._cells.moving_row(coordinate))
                if is_above:
                    yield self._tile(x, y, text, labels, "right")
                colour = label_colour(axis, coordinate, self.stage.roles)
                yield Text(x, y, text, colour, size, "right", self._is_bold(axis, coordinate))
        if labels.name and self._cells.layout.placed.rows is not None:
            half = max(plot.height, small.measure(labels.name)) / 2
            x = plot.left - self._cells.layout.placed.rows.room + small.line / 2
            yield Text(x, plot.top + half, labels.name, self.stage.roles.muted, "small", "center", angle=90)

    def _in_order(self, labels: Labels, axis: Axis, side: int) -> list[tuple[int, str, bool]]:
        """Labels with their coordinates, and whether they pass above the others, which they are drawn after."""
        above = self._cells.motion.above[side] if self._cells.motion and self._cells.standing else ()
        found = [(coordinate, text, round(coordinate - axis.first) in above) for coordinate, text in labels.texts]
        return sorted(found, key=lambda one: one[2])

    def _is_bold(self, axis: Axis, coordinate: int) -> bool:
        return self.stage.style.is_paper and coordinate == axis.focus

    def _tile(self, x: float, y: float, text: str, labels: Labels, side: Side) -> Part:
        """The tile of a token that passes others, so that its label covers theirs."""
        width, half = labels.face.measure(text) + 2 * _TILE, labels.face.line / 2
        left = x - width / 2 if side == "center" else x + _TILE - width
        roles = self.stage.roles
        return Box(Rect(left, y - half, left + width, y + half), roles.card, roles.ink, 1.0, _CORNER)

    # Frames

    def _bars_of_equal(self) -> Iterator[Part]:
        """Mark columns and rows that are equal to another by a bar between them and their name; fading ones where a token stood
        that moved."""
        twin = self.stage.roles.twin
        for at in sorted(self.panel.equal):
            yield from self._bar_above(self._cells.moving_column(at), twin)
            yield from self._bar_beside(self._cells.moving_row(at), twin)
        if self._cells.motion is not None and self.stage.moment.mark:
            pale = mixed(self.stage.roles.muted, self.stage.roles.card, _LEFT * self.stage.moment.mark)
            for row in self._cells.motion.left[0]:
                yield from self._bar_beside(row + self.panel.rows.first, pale)
            for column in self._cells.motion.left[1]:
                yield from self._bar_above(column + self.panel.columns.first, pale)

    def _bar_above(self, column: float, colour: str) -> Iterator[Part]:
        if self.seen.left <= column <= self.seen.right:
            x, half, top = self._cells.x(column), _HALF_BAR * self._cells.cell[0], self.plot.top - _BAR_AWAY
            left, right = max(self.plot.left, x - half), min(self.plot.right, x + half)
            yield Box(Rect(left, top, right, top + _BAR), colour)

    def _bar_beside(self, row: float, colour: str) -> Iterator[Part]:
        if self.seen.top <= row <= self.seen.bottom:
            y, half, left = self._cells.y(row), _HALF_BAR * self._cells.cell[1], self.plot.left - _BAR_AWAY
            top, bottom = max(self.plot.top, y - half), min(self.plot.bottom, y + half)
            yield Box(Rect(left, top, left + _BAR, bottom), colour)

    def _focus(self) -> Iterator[Part]:
        """Frame the row in focus, or the patch, from outside; around thin rows the frame is thin."""
        axis = self.panel.rows
        if axis.focus is None or not self._cells.grid.top < axis.focus < self._cells.grid.bottom:
            return
        row, whole, height = self._cells.moving_row(axis.focus), self._cells.whole, self._cells.cell[1]
        if not self.seen.top <= row <= self.seen.bottom:
            return
        y, half, width = self._cells.y(row), max(height, _LEAST_ROW) / 2, 2.0 if height >= _LARGE else 1.0
        left, right = whole.left, whole.right
        if axis.role == "row" and self.panel.columns.focus is not None:  # of a picture the patch alone
            x, across = self._cells.x(self.panel.columns.focus), self._cells.cell[0]
            left, right = x - across / 2, x + across / 2
        row_place = Rect(left, y - half, right, y + half).grown(width / 2)
        frame = Box(row_place, frame=self.stage.roles.focus, width=width)
        yield Clipped(self.plot.grown(width), (frame,)) if self.stage.seen else frame

    def _marked(self) -> Iterator[Part]:
        """Frame what a text speaks of, in ink with an edge towards its neighbours; cells without a number have it beside them."""
        roles, values = self.stage.roles, list[tuple[Rect, str]]()
        for row, column in self.panel.marked:
            frame = self._cells.framed(row, column)
            yield Box(frame.grown(-0.5), frame=roles.card)
            yield Box(frame.grown(MARK / 2), frame=roles.ink, width=MARK)
            if row is not None and column is not None and self._cells.numbers is None:
                value = self.panel.values[row - self.panel.rows.first, column - self.panel.columns.first]
                values.append((frame, format_told(float(value))))
        yield from self.numbers_beside(values)

    def _bracket(self) -> Iterator[Part]:
        """Draw below the map what the headline claims of some columns, while all of them are in sight."""
        bracket, small = self.panel.bracket, self.stage.style.small
        if bracket is None or not self._cells.layout.placed.below:
            return

        def measure(text: str) -> float:
            return BOLD * small.measure(text)

        centres = [self._cells.x(column) for column in bracket.columns]
        found = bracket_lines(bracket, centres, self.plot.left, self.plot.right, measure)
        if found is None or not self.plot.left < found.legs[0] <= found.legs[-1] < self.plot.right:
            return
        colour, top, level = self.stage.roles.twin, self.plot.bottom + ABOVE / 2, self.plot.bottom + _LEG * small.line
        for x in found.legs:
            yield Stroke(straight((x, top), (x, level)), colour, _BRACKET)
        for left, right in found.level:
            yield Stroke(straight((left, level), (right, level)), colour, _BRACKET)
        yield Text(found.middle, level + found.below * small.line, found.words, colour, "small", "center", bold=True)

    # The pointer

    is_marked_on_top = True

    def draw_marked(self, marked: Hashable) -> Iterator[Part]:
        """Frame the pointer's cell without covering its number, or its whole row or column if it names only that."""
        if not isinstance(marked, tuple) or marked == (None, None):
            return
        column, row = marked
        seen, roles = self.seen, self.stage.roles
        if (column is None or seen.left < column < seen.right) and (row is None or seen.top < row < seen.bottom):
            place = self._cells.framed(row, column)
            yield Box(place.grown(2.5), frame=roles.card, width=1.0)
            yield Box(place.grown(1.0), frame=roles.ink, width=2.0)

    def marked_by(self, pointer: Pointer) -> tuple[int | None, int | None]:
        return self.panel.columns.shown(pointer), self.panel.rows.shown(pointer)

    def cells(self, least: float) -> Iterator[Rect]:
        places, (rows, columns) = self._cells, self._cells.in_sight()
        across = (places.x(places.grid.left + at) for at in columns)
        return tiles(self.field, across, (places.y(places.grid.top + at) for at in rows), least)

    def start(self) -> Spot:
        return self.panel.columns.first, focus_or_first(self.panel.rows, len(self.panel.values))


@dataclass(frozen=True)
class BracketLines:
    """A bracket's legs, the pieces of its level line, and its words with their place: the x of their middle, and their distance
    from the level line in lines."""

    legs: tuple[float, ...]
    level: tuple[tuple[float, float], ...]
    words: str
    middle: float
    below: float


def bracket_height(bracket: Bracket) -> float:
    """The height that a bracket takes, in lines of its words: those about more than two columns stand below the level line."""
    return _LEG + 0.55 + _BELOW * (len(bracket.columns) > 2)


def bracket_lines(
    bracket: Bracket, centres: Sequence[float], left: float, right: float, measure: Measure
) -> BracketLines | None:
    """Lay out a bracket over columns with these centres, below a map from left to right, with the words that have room; None
    where none have.

    About two columns they stand in the level line where they fit, else after it or before it, within the map.
    """
    beside = (bracket.words, _AIR + _LEAST_LEVEL), (bracket.brief, _LEAST_AIR)
    tried = (_bracket_with(words, measure(words), least, centres, left, right) for words, least in beside)
    return next(filter(None, tried), None)


def _bracket_with(
    words: str, width: float, least: float, centres: Sequence[float], left: float, right: float
) -> BracketLines | None:
    legs = tuple(sorted(centres))
    first, last = legs[0], legs[-1]
    whole = ((first, last),)
    if width > right - left:
        return None
    if len(legs) > 2:
        middle = min(max((first + last) / 2, left + width / 2), right - width / 2)
        return BracketLines(legs, whole, words, middle, _BELOW)
    if width + 2 * least <= last - first:
        middle, half = (first + last) / 2, min(width / 2 + _AIR, (last - first) / 2)
        return BracketLines(legs, ((first, middle - half), (middle + half, last)), words, middle, 0.0)
    if last + _AIR + width <= right:
        return BracketLines(legs, whole, words, last + _AIR + width / 2, 0.0)
    if first - _AIR - width >= left:
        return BracketLines(legs, whole, words, first - _AIR - width / 2, 0.0)
    return None
