"""Axes of panels: labels of cells, and numbers on a linear or logarithmic scale."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from posenc_gui.figure.axis import Axis
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import label_colour
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.ticks import log_tick_texts, log_ticks, round_ticks, tick_texts, ticks_that_fit
from posenc_gui.render.screen.fonts import LABEL_ROOM, caption, line_height, measured
from posenc_gui.render.screen.panel_view import pen

_TICK_AIR = 14.0  # pixels between numbers along an x axis
_LEAST_TICK = 40.0  # pixels from number to number there
_TICK = 5.0  # pixels from an x axis to its numbers
AFTER = 20.0  # pixels from the end of an axis to the text after it
_LINES_APART = 2.5  # lines of text from number to number along other axes
_LINES_APART_LOG = 1.5  # on a logarithmic scale, where powers of ten say little each
_LEAST_LINE = 1.17  # caption sizes: the least height of a cell that is labelled, in smaller type
_LABEL_AIR, _LETTER_AIR = 8.0, 3.0  # pixels between labels side by side, and between single letters
_ABOVE = 4.0  # pixels between the cells and the labels above them
_BESIDE = 12.0  # pixels at both sides of labels beside cells
_OVER = 8.0  # pixels that a label may extend over the edge of a map, where a neighbour's label may be
_LEAST_UPRIGHT = 48.0  # pixels: the least room of upright labels, however low the map is
_SHARE_UPRIGHT = 0.25  # of the height of map and labels
_SHORT = 4.0  # lines of text: labels no longer than this stay level if they are thinned anyway
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
    """The labels of a map's rows or columns, in a given room.

    Column labels are level where they fit, else upright, and shortened where they would be too high. They are thinned only
    where not even upright ones have room; the one in focus always stays.
    """

    def __init__(self, orientation: str, colours: Roles, room: float = LABEL_ROOM) -> None:
        super().__init__(orientation, colours.line)
        self._colours, self._room = colours, room
        self._axis = Axis("position", "")
        self._count = 1
        self._texts: list[str] = []
        self._widest, self._need, self._line = 0.0, 0.0, line_height()
        self._widths: dict[float, float] = {}  # by pitch; cleared when labels change

    def set_cells(self, axis: Axis, count: int) -> None:
        if (axis, count) == (self._axis, self._count):
            return
        self._axis, self._count = axis, count
        self._widths.clear()
        measure = measured()
        self._texts = [elided(visible(label), self._room, measure) for label in axis.marks]
        ends = str(axis.first), str(axis.first + count - 1)
        self._widest, self._line = longest(set(self._texts or ends), measure), line_height(self._texts)
        self._need = self._widest + (_LETTER_AIR if self._texts and self._widest <= self._line else _LABEL_AIR)
        if self.orientation == "left":
            self.take_width(self._widest + _BESIDE)
        self.redraw()

    def width_beside(self, pitch: float) -> float:
        """The width of the labels that have room beside cells of this height."""
        return self._widest_in(pitch) + _BESIDE

    def height_above(self, pitch: float, room: float) -> float:
        """The height of labels above cells of this width, limited by the `room` of labels and cells together."""
        if not self._is_upright(pitch):
            return self._line + _ABOVE
        return min(self._widest_in(pitch), max(_LEAST_UPRIGHT, _SHARE_UPRIGHT * room)) + 2 * _ABOVE

    def _cells(self) -> range:
        return range(self._axis.first, self._axis.first + self._count)

    def _text(self, coordinate: int) -> str:
        return self._texts[coordinate - self._axis.first] if self._texts else str(coordinate)

    def _widest_in(self, pitch: float) -> float:
        """The length of the longest label among those that have room one below the other."""
        if pitch not in self._widths:
            shown = self._with_room(self._cells(), pitch, self._line_in(pitch))
            self._widths[pitch] = longest(set(map(self._text, shown)), measured())
        return self._widths[pitch]

    def _line_in(self, pitch: float) -> float:
        """The height of a line of labels one below the other; smaller type where cells are a little lower than a line."""
        least = _LEAST_LINE * caption().pixelSize()
        return least if least <= pitch < self._line else self._line

    def _with_room(self, seen: range, pitch: float, need: float) -> list[int]:
        return thinned(seen, pitch, need, () if self._axis.focus is None else (self._axis.focus,))

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw the labels of the visible cells."""
        view = self.linkedView()
        if view is None:
            return
        low, high = sorted(self.range)
        length = view.width() if self.orientation == "top" else view.height()
        if length < 1:  # a card made very small has no room for cells
            return
        pixels = length / max(high - low, 1e-9)
        upright = self.orientation == "top" and self._is_upright(pixels) and self.height() > self._line + 2 * _ABOVE
        moved_in = max(0.0, (self._widest - pixels) / 2 - _OVER)  # a label at an edge
        need, font = self._need + moved_in, QFont()
        if self.orientation == "left" or upright:
            need = self._line_in(pixels)
            if need < self._line:
                font = caption()
        painter.setFont(font)
        whole = self._cells()
        seen = range(max(whole.start, math.ceil(low)), min(whole.stop - 1, math.floor(high)) + 1)
        for coordinate in self._with_room(seen, pixels, need):
            painter.setPen(QColor(label_colour(self._axis, coordinate, self._colours)))
            self._draw_label(painter, self._text(coordinate), (coordinate - low) * pixels, upright)

    def _draw_label(self, painter: QPainter, text: str, along: float, upright: bool) -> None:
        flags, measure = Qt.AlignmentFlag, measured(painter.font())
        if self.orientation == "left":
            room = self.width() - _BESIDE + 1
            box = QRectF(0, along - 12, self.width() - _BESIDE / 2, 24)
            painter.drawText(box, flags.AlignRight | flags.AlignVCenter, elided(text, room, measure))
        elif not upright:
            wide, end = measure(text) + 1.0, self.width()
            left = max(-_OVER, min(along - wide / 2, end + _OVER - wide))
            painter.drawText(QRectF(left, 0, wide, self.height() - _ABOVE), flags.AlignBottom, text)
        else:
            room = self.height() - 2 * _ABOVE
            painter.save()
            painter.translate(along, self.height() - _ABOVE)
            painter.rotate(-90)
            # Arabic would go to the other end without AlignAbsolute.
            side = flags.AlignLeft | flags.AlignVCenter | flags.AlignAbsolute
            painter.drawText(QRectF(0, -12, room + 2, 24), side, elided(text, room, measure))
            painter.restore()

    def _is_upright(self, pitch: float) -> bool:
        if not self._texts or self._need <= pitch:
            return False
        return pitch >= self._line_in(pitch) or self._widest > _SHORT * self._line


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
        measure = measured(caption())
        words = tuple(elided(visible(word), LABEL_ROOM, measure) for word in words)
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
