"""The axes of panels: words at cells, numbers at values, on a logarithmic scale too."""

from __future__ import annotations

import itertools
import math

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
)

from posenc_gui.figure import Axis, number
from posenc_gui.render.screen.colours import ScreenColours, label_colour
from posenc_gui.render.screen.words import elided, one_line

_TICK_AIR = 14.0  # pixels between numbers along an x axis
_LEAST_LINE = 14.0  # pixels of a row that is named, in smaller letters where a line of text is higher
_BEYOND = 18  # pixels that a word may reach over the end of its axis: what every plot leaves free there
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class BareAxis(pg.AxisItem):
    """The room along a side of a plot, for words that a panel draws itself."""

    def __init__(self, orientation: str, pen: str) -> None:
        super().__init__(orientation, pen=pen)
        self.setStyle(tickLength=0)

    def generateDrawSpecs(self, painter: QPainter) -> tuple:  # noqa: N802
        """No ticks and no lines of pyqtgraph's own."""
        bounds = self.mapRectFromParent(self.geometry())
        return (self.pen(), bounds.topLeft(), bounds.topLeft()), [], []


class CellAxis(BareAxis):
    """Ticks at the cells of a map: token labels, level where they fit and upright where not, thinned where they crowd."""

    def __init__(self, orientation: str, colours: ScreenColours) -> None:
        super().__init__(orientation, pen=colours.grid)
        self._colours = colours
        self._axis = Axis("position", "")
        self._count = 1
        self._texts: list[str] = []
        self._widest = 0.0

    def set_cells(self, axis: Axis, count: int) -> None:
        if (axis, count) == (self._axis, self._count):
            return
        self._axis, self._count = axis, count
        font = QFont()
        self._texts = [elided(one_line(label), font) for label in axis.labels]
        metrics = QFontMetricsF(font)
        last = str(axis.first + count - 1)
        self._widest = max(metrics.horizontalAdvance(text) for text in set(self._texts or [last]))
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
        line = QFontMetricsF(QFont()).height()
        font = QFont()
        if self.orientation == "left" and _LEAST_LINE <= pixels < line:
            line = _LEAST_LINE
            font.setPixelSize(11)
        painter.setFont(font)
        upright = self.orientation == "top" and self._is_upright(pixels)
        room = self._widest + 8 if self.orientation == "top" and not upright else line
        step = self._step(room / pixels)
        first = self._axis.first
        for index in range(max(0, math.ceil(low - first)), min(self._count - 1, math.floor(high - first)) + 1):
            if (index + (0 if self._texts else first)) % step:
                continue
            coordinate = first + index
            text = self._texts[index] if self._texts else str(coordinate)
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

    def _step(self, cells: float) -> int:
        """How many cells from label to label: round numbers where the labels are numbers."""
        if cells <= 1 or self._texts:
            return max(1, math.ceil(cells))
        power = 10 ** math.floor(math.log10(cells))
        return next(int(factor * power) for factor in (1, 2, 5, 10) if factor * power >= cells)

    def _fit(self) -> None:
        line = QFontMetricsF(QFont()).height()
        if self.orientation == "left":
            self.setWidth(self._widest + 12)
            return
        view = self.linkedView()
        low, high = sorted(self.range)
        pixels = view.width() / max(high - low, 1e-9) if view else 100.0
        self.setHeight((self._widest if self._is_upright(pixels) else line) + 8)


class ValueAxis(pg.AxisItem):
    """Numbers along a side of a plot; where `log`, the plot's coordinates are logarithms to base 10."""

    def __init__(self, orientation: str, colours: ScreenColours) -> None:
        super().__init__(orientation)
        self.setPen(colours.grid)
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

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802, N803
        """Powers of ten, with lines between them where they stand apart; even steps where less than one is seen."""
        low, high = sorted((minVal, maxVal))
        if not self._log:
            return (
                self._level_ticks(low, high, size)
                if self.orientation == "bottom"
                else super().tickValues(low, high, size)
            )
        if high - low < 1:
            levels = super().tickValues(10**low, 10**high, size)
            return [(step, [math.log10(value) for value in values if value > 0]) for step, values in levels]
        lines = max(size, 1) / QFontMetricsF(QFont()).height() / (high - low)  # of text, from power to power
        every = math.ceil(2 / lines)
        named = (1, 2, 5) if lines > 8 else (1,)
        powers = [power for power in range(math.floor(low), math.ceil(high) + 1) if power % every == 0]
        levels = [(every, named), (0, [digit for digit in range(2, 10) if digit not in named] if every == 1 else [])]
        return [
            (step, [at for power in powers for digit in digits if low <= (at := power + math.log10(digit)) <= high])
            for step, digits in levels
        ]

    def boundingRect(self) -> QRectF:  # noqa: N802
        """With room beyond the ends of an x axis, where its first number, such as 0, begins; pyqtgraph gives none to a grid."""
        beyond = _BEYOND if self.orientation == "bottom" else 0
        return super().boundingRect().adjusted(-beyond, 0, beyond, 0)

    def _level_ticks(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """As many numbers as have room side by side."""
        if not 0 < high - low < math.inf:
            return []
        metrics, pixels = QFontMetricsF(QFont()), max(size, 1) / (high - low)
        powers = itertools.count(math.floor(math.log10(_TICK_AIR / pixels)))
        for step in (factor * 10.0**power for power in powers for factor in (1, 2, 5)):
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            texts = super().tickStrings([first * step, last * step], 1.0, step)
            if step * pixels >= max(map(metrics.horizontalAdvance, texts)) + _TICK_AIR and (
                step >= 1 or not self._whole
            ):
                return [(step, [at * step for at in range(first, last + 1)])]
        return []

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The numbers themselves, not their logarithms; none at the lines between powers of ten."""
        if not self._log:
            return super().tickStrings(values, scale, spacing)
        return [_power(value) if spacing else "" for value in values]


class WordAxis(ValueAxis):
    """Words at whole values where an axis has them, thinned where they crowd; whole numbers where it has none."""

    def __init__(self, orientation: str, colours: ScreenColours) -> None:
        super().__init__(orientation, colours)
        self.set_whole(True)
        self._first, self._words, self._widest = 0, (), 0.0

    def set_words(self, first: int, words: tuple[str, ...]) -> None:
        """Name the value `first` and those after it; no words for numbers."""
        font = QFont()
        words = tuple(elided(one_line(word), font) for word in words)
        if (first, words) == (self._first, self._words):
            return
        metrics = QFontMetricsF(font)
        self._first, self._words = first, words
        self._widest = max(map(metrics.horizontalAdvance, words), default=0.0)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N802, N803
        """As many values with words as have room for the longest."""
        if not self._words:
            return super().tickValues(minVal, maxVal, size)
        low, high = sorted((minVal - self._first, maxVal - self._first))
        step = max(1, math.ceil((self._widest + 8) * (high - low) / max(size, 1)))
        seen = range(max(0, math.ceil(low)), min(len(self._words) - 1, math.floor(high)) + 1)
        return [(step, [float(self._first + index) for index in seen if index % step == 0])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802
        """The words at these values."""
        if not self._words:
            return super().tickStrings(values, scale, spacing)
        return [self._words[round(value) - self._first] for value in values]


def _power(exponent: float) -> str:
    """Ten to this power as it is read: 0.01, 20, 10⁴, 3.5×10⁵."""
    value = float(f"{10**exponent:.4g}")
    if 1e-4 <= value < 1e4:
        return number(value)
    digits, power = f"{value:.3e}".split("e")
    tens = "10" + str(int(power)).translate(_SUPERSCRIPTS)
    return tens if float(digits) == 1 else f"{number(float(digits))}×{tens}"
