"""The axes of panels: words at cells, numbers at values, on a logarithmic scale too."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from posenc_gui.figure import Axis
from posenc_gui.look import Roles
from posenc_gui.render.labels import thinned
from posenc_gui.render.screen.colours import label_colour
from posenc_gui.render.screen.fonts import LABEL_ROOM, line_height, measured
from posenc_gui.render.ticks import log_tick_texts, log_ticks, round_ticks, tick_texts, ticks_that_fit
from posenc_gui.render.words import elided, longest, visible

_TICK_AIR = 14.0  # pixels between numbers along an x axis
_LEAST_TICK = 40.0  # pixels from number to number there
_LINES_APART = 2.5  # lines of text from number to number along other axes
_LINES_APART_LOG = 1.5  # on a logarithmic scale, where powers of ten say little each
_LEAST_LINE = 14.0  # pixels of a row that is named, in smaller letters where a line of text is higher
_BEYOND = 18  # pixels that a word may reach over the end of its axis: what every plot leaves free there
_LARGEST_POWER = 300  # of ten, that a number can have


class BareAxis(pg.AxisItem):
    """The room along a side of a plot, for words that a panel draws itself."""

    def __init__(self, orientation: str, pen: str) -> None:
        super().__init__(orientation, pen=pen)
        self.setStyle(tickLength=0)

    def generateDrawSpecs(self, painter: QPainter) -> tuple[Any, ...]:  # noqa: N802
        """No ticks and no lines of pyqtgraph's own."""
        bounds = self.mapRectFromParent(self.geometry())
        return (self.pen(), bounds.topLeft(), bounds.topLeft()), [], []


class CellAxis(BareAxis):
    """Ticks at the cells of a map: token labels, level where they fit and upright where not, thinned where they crowd."""

    def __init__(self, orientation: str, colours: Roles) -> None:
        super().__init__(orientation, pen=colours.line)
        self._colours = colours
        self._axis = Axis("position", "")
        self._count = 1
        self._texts: list[str] = []
        self._widest, self._line = 0.0, line_height()

    def set_cells(self, axis: Axis, count: int) -> None:
        if (axis, count) == (self._axis, self._count):
            return
        self._axis, self._count = axis, count
        measure = measured()
        self._texts = [elided(visible(label), LABEL_ROOM, measure) for label in axis.labels]
        ends = str(axis.first), str(axis.first + count - 1)
        self._widest, self._line = longest(set(self._texts or ends), measure), line_height(self._texts)
        self._fit()
        self.picture = None
        self.update()

    def linkedViewChanged(self, view: pg.ViewBox, newRange: object = None) -> None:  # noqa: N802, N803
        """Choose level or upright labels again when the cells change their size."""
        super().linkedViewChanged(view, newRange)
        self._fit()

    def drawPicture(self, painter: QPainter, *_: object) -> None:  # noqa: N802
        """Draw the labels of the visible cells."""
        view = self.linkedView()
        if view is None:
            return
        low, high = sorted(self.range)
        length = view.width() if self.orientation == "top" else view.height()
        if length < 1:  # a card made very small has no room for cells
            return
        pixels = length / max(high - low, 1e-9)
        line, font = self._line, QFont()
        if self.orientation == "left" and _LEAST_LINE <= pixels < line:
            line = _LEAST_LINE
            font.setPixelSize(11)
        painter.setFont(font)
        upright = self.orientation == "top" and self._is_upright(pixels)
        room = self._widest + 8 if self.orientation == "top" and not upright else line
        first, focus = self._axis.first, self._axis.focus
        seen = range(max(first, math.ceil(low)), min(first + self._count - 1, math.floor(high)) + 1)
        for coordinate in thinned(seen, pixels, room, () if focus is None else (focus,)):
            text = self._texts[coordinate - first] if self._texts else str(coordinate)
            painter.setPen(QColor(label_colour(self._axis, coordinate, self._colours)))
            self._draw_label(painter, text, (coordinate - low) * pixels, upright)

    def _draw_label(self, painter: QPainter, text: str, along: float, upright: bool) -> None:
        bounds = self.boundingRect()
        flags = Qt.AlignmentFlag
        if self.orientation == "left":
            box = QRectF(bounds.left(), along - 12, bounds.width() - 6, 24)
            painter.drawText(box, flags.AlignRight | flags.AlignVCenter, text)
        elif not upright:
            box = QRectF(along - self._widest, 0, 2 * self._widest, self.height() - 3)
            painter.drawText(box, flags.AlignHCenter | flags.AlignBottom, text)
        else:
            painter.save()
            painter.translate(along, self.height() - 4)
            painter.rotate(-90)
            painter.drawText(QRectF(0, -12, self._widest + 2, 24), flags.AlignLeft | flags.AlignVCenter, text)
            painter.restore()

    def _is_upright(self, pixels: float) -> bool:
        return bool(self._texts) and self._widest + 6 > pixels

    def _fit(self) -> None:
        if self.orientation == "left":
            self.setWidth(self._widest + 12)
            return
        view = self.linkedView()
        low, high = sorted(self.range)
        pixels = view.width() / max(high - low, 1e-9) if view else 100.0
        self.setHeight((self._widest if self._is_upright(pixels) else self._line) + 8)


Level = tuple[float, list[float]]  # as pyqtgraph has them: what tells the level from others, and its places
_NUMBERED, _BARE = 1.0, 0.0


class ValueAxis(pg.AxisItem):
    """Numbers along a side of a plot; where `log`, the plot's coordinates are logarithms to base 10."""

    def __init__(self, orientation: str, colours: Roles) -> None:
        super().__init__(orientation)
        self.setPen(colours.edge)
        self.setTextPen(colours.muted)
        self.enableAutoSIPrefix(False)
        self._log, self._whole = False, False

    def set_log(self, log: bool) -> None:
        if log != self._log:
            self._log = log
            self.picture = None
            self.update()

    def set_whole(self, whole: bool) -> None:
        """Whether only whole numbers stand there."""
        if whole != self._whole:
            self._whole = whole
            self.picture = None
            self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Level]:  # noqa: N802, N803
        """As many round numbers as have room; on a logarithmic scale powers of ten, with lines between them."""
        low, high = sorted((minVal, maxVal))
        if not 0 < high - low < math.inf:
            return []
        if self.orientation == "bottom":
            most = max(1, int(size / _LEAST_TICK))
            fitting = ticks_that_fit(low, high, most, size, _TICK_AIR, measured(), self._whole)
            return [(_NUMBERED, [at for at, _ in fitting])]
        lines = size / line_height()
        if self._log:
            return self._log_levels(low, high, max(1, int(lines / _LINES_APART_LOG)))
        return [(_NUMBERED, round_ticks(low, high, max(1, int(lines / _LINES_APART)), self._whole))]

    def _log_levels(self, low: float, high: float, most: int) -> list[Level]:
        """Named powers of ten and the lines between them; other round numbers where less than two powers are seen."""
        start, end = (10 ** min(max(power, -_LARGEST_POWER), _LARGEST_POWER) for power in (low, high))
        named = [math.log10(value) for value in log_ticks(start, end, most)]
        if len(named) < 2:
            return [(_NUMBERED, [math.log10(value) for value in round_ticks(start, end, most) if value > 0])]
        powers = range(math.floor(low), math.ceil(high) + 1) if high - low <= most else ()
        between = [at for power in powers for digit in range(2, 10) if low <= (at := power + math.log10(digit)) <= high]
        return [(_NUMBERED, named), (_BARE, between)]

    def boundingRect(self) -> QRectF:  # noqa: N802
        """With room beyond the ends, where half of a number stands; pyqtgraph gives none, and hides what needs it."""
        rect = QRectF(super().boundingRect())
        if self.orientation == "bottom":
            return rect.adjusted(-_BEYOND, 0, _BEYOND, 0)
        return rect.adjusted(0, -line_height() / 2, 0, line_height() / 2)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The numbers themselves, not their logarithms; none at the lines between powers of ten."""
        if not values or spacing == _BARE:
            return [""] * len(values)
        if not self._log:
            return tick_texts(values)
        numbers = [float(f"{10**value:.9g}") for value in values]
        return log_tick_texts(numbers)


class WordAxis(ValueAxis):
    """Words at whole values where an axis has them, thinned where they crowd; whole numbers where it has none."""

    def __init__(self, orientation: str, colours: Roles) -> None:
        super().__init__(orientation, colours)
        self.set_whole(True)
        self._first, self._widest = 0, 0.0
        self._words: tuple[str, ...] = ()

    def set_words(self, first: int, words: tuple[str, ...]) -> None:
        """Name the value `first` and those after it; no words for numbers."""
        measure = measured()
        words = tuple(elided(visible(word), LABEL_ROOM, measure) for word in words)
        if (first, words) != (self._first, self._words):
            self._first, self._words, self._widest = first, words, longest(words, measure)
            self.picture = None
            self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Level]:  # noqa: N802, N803
        """As many values with words as have room for the longest."""
        if not self._words:
            return super().tickValues(minVal, maxVal, size)
        low, high = sorted((minVal, maxVal))
        seen = range(max(self._first, math.ceil(low)), min(self._first + len(self._words) - 1, math.floor(high)) + 1)
        shown = thinned(seen, size / max(high - low, 1e-9), self._widest + 8)
        return [(_NUMBERED, [float(coordinate) for coordinate in shown])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The words at these values."""
        if not self._words:
            return super().tickStrings(values, scale, spacing)
        return [self._words[round(value) - self._first] for value in values]
