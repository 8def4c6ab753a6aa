"""Axes of panels: labels of cells, and numbers on a linear or logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import pairwise
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from posenc_gui.figure.axis import Axis
from posenc_gui.foundation.theme import CORNER, TIGHT, Roles
from posenc_gui.render.drawings.motion import Standing
from posenc_gui.render.layout.cell_labels import ABOVE, BESIDE, Angle, CellLabels
from posenc_gui.render.layout.colour_scales import label_colour
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.ticks import log_tick_texts, log_ticks, round_ticks, tick_texts, ticks_that_fit
from posenc_gui.render.screen.fonts import TOKEN_ROOM, caption, label_room, line_height, measured, screen_style
from posenc_gui.render.screen.panel_view import pen

_TICK_AIR = 14.0  # pixels between numbers along an x axis
_LEAST_TICK = 40.0  # pixels from number to number there
_TICK = 5.0  # pixels from an x axis to its numbers
AFTER = 20.0  # pixels from the end of an axis to the text after it
_LINES_APART = 2.5  # lines of text from number to number along other axes
_LINES_APART_LOG = 1.5  # on a logarithmic scale, where powers of ten say little each
_TALL = 24.0  # pixels: the box in which a label is centred
_OVER = 8.0  # pixels that a label may extend over the edge of a map, where a neighbour's label may be
_BEYOND = 18  # pixels that a label may extend over the end of its axis, which every plot leaves free
_GRID = 38  # opacity of grid lines, of 255
_LARGEST_POWER = 300  # of ten that a float can hold


class BareAxis(pg.AxisItem):
    """An empty axis: room along a side of a plot for text that a panel draws itself."""

    def __init__(self, orientation: str, line: str) -> None:
        super().__init__(orientation, pen=pen(line))
        self.setStyle(tickLength=0)
        self.enableAutoSIPrefix(False)  # else recomputed at each step of a zoom, for an invisible label

    def generateDrawSpecs(self, painter: QPainter) -> tuple[Any, ...]:
        """Suppress pyqtgraph's own ticks and lines."""
        bounds = self.mapRectFromParent(self.geometry())
        return (self.pen(), bounds.topLeft(), bounds.topLeft()), [], []

    def take_height(self, height: float) -> None:
        """Set the height only if it changed: each call makes pyqtgraph lay everything out again."""
        if height != self.fixedHeight:
            self.setHeight(height)

    def take_width(self, width: float) -> None:
        """Set the width only if it changed."""
        if width != self.fixedWidth:
            self.setWidth(width)

    def redraw(self) -> None:
        """Discard the picture that pyqtgraph caches, and repaint."""
        self.picture = None
        self.update()


class CellAxis(BareAxis):
    """The labels of a map's rows or columns, as the composer finds them at each zoom."""

    def __init__(self, orientation: str, colours: Roles, room: float = TOKEN_ROOM) -> None:
        super().__init__(orientation, colours.line)
        self._colours, self._room = colours, room
        self._style = screen_style(room)
        self._axis = Axis("position", "")
        self._count = 1
        self._labels = CellLabels(self._style)
        self._highest_line = math.inf
        self._at: Standing | None = None
        self._above: Collection[int] = ()

    @property
    def labels_stand(self) -> Standing | None:
        """The indices at which the labels stand; None if they stand in their places."""
        return self._at

    def stand(self, at: Standing | None, above: Collection[int] = ()) -> None:
        """Draw the labels where their cells stand, as indices, and some above the others; None: in their places."""
        if at != self._at:
            self._at, self._above = at, above
            self.redraw()

    def limit_type(self, line: float) -> None:
        """Draw labels in type whose lines are no higher than this, as labels along the other side are."""
        if line != self._highest_line:
            self._highest_line = line
            self.redraw()

    def set_cells(self, axis: Axis, count: int) -> None:
        """Label these cells, in their places."""
        self.stand(None)
        if (axis, count) != (self._axis, self._count):
            self._axis, self._count = axis, count
            self._style = screen_style(self._room)
            self._labels = CellLabels(self._style)
            self.redraw()

    def width_of_words(self) -> float:
        """The width of all labels one below the other, each with a line."""
        return self._labels.beside(self._axis, self._count, math.inf, self._style.label).room

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw the labels of the visible cells."""
        view = self.linkedView()
        if view is None:
            return
        low, high = sorted(self.range)
        is_above = self.orientation == "top"
        length = view.width() if is_above else view.height()
        if length < 1:  # a card made very small has no room for cells
            return
        pitch = length / max(high - low, 1e-9)
        if is_above:
            labels = self._labels.above(self._axis, self._count, pitch, self.height())
        else:
            is_large = self._style.label.line <= self._highest_line
            largest = self._style.label if is_large else self._style.small
            labels = self._labels.beside(self._axis, self._count, pitch, largest)
        painter.setFont(QFont() if labels.face is self._style.label else caption())
        first = self._axis.first
        for coordinate, text in sorted(labels.texts, key=lambda one: round(one[0] - first) in self._above):
            if low <= coordinate <= high:
                index = round(coordinate - first)
                along = ((coordinate if self._at is None else first + self._at[index]) - low) * pitch
                if self._at and index in self._above and labels.angle == "level" and self._has_room(painter, text):
                    self._draw_tile(painter, text, along)
                painter.setPen(QColor(label_colour(self._axis, coordinate, self._colours)))
                self._draw_label(painter, text, along, labels.angle)

    def _has_room(self, painter: QPainter, text: str) -> bool:
        return bool(self.orientation == "top" or measured(painter.font())(text) <= self.width() - BESIDE + 1)

    def _draw_tile(self, painter: QPainter, text: str, along: float) -> None:
        """Draw the tile of a token that passes others, so that its label covers theirs."""
        wide, high = measured(painter.font())(text) + 2 * TIGHT, line_height(font=painter.font())
        if self.orientation == "left":
            tile = QRectF(self.width() - BESIDE / 2 + TIGHT - wide, along - high / 2, wide, high)
        else:
            tile = QRectF(along - wide / 2, self.height() - ABOVE - high, wide, high)
        painter.setPen(pen(self._colours.ink))
        painter.setBrush(QColor(self._colours.card))
        painter.drawRoundedRect(tile, CORNER, CORNER)

    def _draw_label(self, painter: QPainter, text: str, along: float, angle: Angle) -> None:
        # Arabic would go to the other end without AlignAbsolute.
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        measure = measured(painter.font())
        if self.orientation == "left":
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            room = self.width() - BESIDE + 1
            box = QRectF(0, along - _TALL / 2, self.width() - BESIDE / 2, _TALL)
            painter.drawText(box, right, elided(text, room, measure))
        elif angle == "level":
            wide = measure(text) + 1.0
            start = max(-_OVER, min(along - wide / 2, self.width() + _OVER - wide))
            painter.drawText(QRectF(start, 0, wide, self.height() - ABOVE), Qt.AlignmentFlag.AlignBottom, text)
        else:
            painter.save()
            painter.translate(along, self.height() - ABOVE)
            painter.rotate(-90 if angle == "upright" else -45)
            painter.drawText(QRectF(0, -_TALL / 2, measure(text) + 2, _TALL), left, text)
            painter.restore()

    def boundingRect(self) -> QRectF:
        """The axis, with the ends of slanted labels to its right."""
        return QRectF(super().boundingRect()).adjusted(0, 0, self.height() if self.orientation == "top" else 0, 0)


Level = tuple[float, list[float]]  # pyqtgraph's tick level: its spacing, which here only identifies it, and its places
_NUMBERED, _BARE = 1.0, 0.0


class ValueAxis(pg.AxisItem):
    """Numbers along a side of a plot; on a logarithmic scale the plot's coordinates are logarithms to base 10.

    The title of an x axis is at its end: beside the numbers if there is room, else below them.
    """

    def __init__(self, orientation: str, colours: Roles) -> None:
        super().__init__(orientation)
        self.setPen(pen(colours.edge))
        self.setTextPen(colours.muted)
        self.setTickFont(caption())
        self.enableAutoSIPrefix(False)
        self._log, self._whole = False, False
        self._title, self._beside = "", 0.0
        self._ink = QColor(colours.muted)

    def draw_grid(self) -> None:
        """Draw grid lines below the data; called after the plot has placed the axis, which resets its z value."""
        self.setGrid(_GRID)
        self.setZValue(-101)

    def set_title(self, title: str, beside: float = 0.0) -> None:
        """Set the title of an x axis; `beside` is the room after its end, in pixels."""
        if (title, beside) != (self._title, self._beside):
            self._title, self._beside = title, beside
            lines = 2 if title and not self._is_beside() else 1
            self.setHeight(_TICK + lines * line_height(font=caption()))
            self.update()

    def _is_beside(self) -> bool:
        return AFTER + measured(caption())(self._title) <= self._beside

    def drawPicture(self, painter: QPainter, *specs: Any) -> None:
        """Draw line, grid and numbers, then the title."""
        super().drawPicture(painter, *specs)
        if not self._title:
            return
        painter.setFont(caption())
        painter.setPen(self._ink)
        line, measure = line_height(font=caption()), measured(caption())
        if self._is_beside():
            room, side = QRectF(self.width() + AFTER, _TICK, self._beside, line), Qt.AlignmentFlag.AlignLeft
        else:
            end = min(max(self.width(), measure(self._title)), self.width() + self._beside)
            room, side = QRectF(0, self.height() - line, end, line), Qt.AlignmentFlag.AlignRight
        shown = elided(visible(self._title), room.width(), measure)
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)

    def set_log(self, log: bool) -> None:
        if log != self._log:
            self._log = log
            self.picture = None
            self.update()

    def set_whole(self, whole: bool) -> None:
        """Label only whole numbers, or any."""
        if whole != self._whole:
            self._whole = whole
            self.picture = None
            self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Level]:
        """As many round numbers as have room; on a logarithmic scale, powers of ten with unlabelled lines between them."""
        low, high = sorted((minVal, maxVal))
        if not 0 < high - low < math.inf:
            return []
        if self.orientation == "bottom":
            most = max(1, int(size / _LEAST_TICK))
            fitting = ticks_that_fit(low, high, most, size, _TICK_AIR, measured(caption()), self._whole)
            return [(_NUMBERED, [at for at, _ in fitting])]
        lines = size / line_height(font=caption())
        if self._log:
            return self._log_levels(low, high, max(1, int(lines / _LINES_APART_LOG)))
        numbers = round_ticks(low, high, max(1, int(lines / _LINES_APART)), self._whole)
        return [(_NUMBERED, _with_room(numbers, lines / (high - low)))]

    def _log_levels(self, low: float, high: float, most: int) -> list[Level]:
        """Labelled powers of ten and the lines between them; other round numbers if fewer than two powers are in sight."""
        start, end = (10 ** min(max(power, -_LARGEST_POWER), _LARGEST_POWER) for power in (low, high))
        named = [math.log10(value) for value in log_ticks(start, end, max(2, most))]
        if not named or (len(named) < 2 and high - low < 2):
            return [(_NUMBERED, [math.log10(value) for value in round_ticks(start, end, most) if value > 0])]
        powers = range(math.floor(low), math.ceil(high) + 1) if high - low <= most else ()
        between = [at for power in powers for digit in range(2, 10) if low <= (at := power + math.log10(digit)) <= high]
        return [(_NUMBERED, named), (_BARE, between)]

    def boundingRect(self) -> QRectF:
        """The axis with room beyond its ends for half a number; pyqtgraph reserves none and hides such numbers."""
        rect = QRectF(super().boundingRect())
        if self.orientation == "bottom":
            return rect.adjusted(-_BEYOND, 0, max(_BEYOND, self._beside), 0)
        return rect.adjusted(0, -line_height(font=caption()) / 2, 0, line_height(font=caption()) / 2)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The numbers, not their logarithms; empty at lines between powers of ten."""
        if not values or spacing == _BARE:
            return [""] * len(values)
        if not self._log:
            return tick_texts(values)
        numbers = [float(f"{10**value:.9g}") for value in values]
        return log_tick_texts(numbers)


def _with_room(numbers: list[float], lines: float) -> list[float]:
    """All numbers, the outermost two, or none: what has a line of text each, at `lines` lines per unit."""
    for some in (numbers, numbers[:: max(1, len(numbers) - 1)]):
        if all((after - before) * lines >= 1 for before, after in pairwise(some)):
            return some
    return []


class WordAxis(ValueAxis):
    """Labels at whole values, thinned where they crowd; whole numbers if the axis has no labels."""

    def __init__(self, orientation: str, colours: Roles) -> None:
        super().__init__(orientation, colours)
        self.set_whole(True)
        self._first, self._widest = 0, 0.0
        self._words: tuple[str, ...] = ()

    def set_words(self, first: int, words: tuple[str, ...]) -> None:
        """Label the value `first` and those after it; without labels, show numbers."""
        measure, room = measured(caption()), label_room()
        words = tuple(elided(visible(word), room, measure) for word in words)
        if (first, words) != (self._first, self._words):
            self._first, self._words, self._widest = first, words, longest(words, measure)
            self.picture = None
            self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Level]:
        """As many labelled values as have room for the longest label."""
        if not self._words:
            return super().tickValues(minVal, maxVal, size)
        low, high = sorted((minVal, maxVal))
        seen = range(max(self._first, math.ceil(low)), min(self._first + len(self._words) - 1, math.floor(high)) + 1)
        shown = thinned(seen, size / max(high - low, 1e-9), self._widest + 8)
        return [(_NUMBERED, [float(coordinate) for coordinate in shown])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The labels at these values."""
        if not self._words:
            return super().tickStrings(values, scale, spacing)
        return [self._words[round(value) - self._first] for value in values]
