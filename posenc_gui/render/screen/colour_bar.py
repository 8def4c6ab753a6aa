"""The colour bar beside maps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QTransform

from posenc_gui.figure.panels import Scale
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import lookup_table
from posenc_gui.render.layout.heatmap_cells import Bar
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.fonts import LABEL_ROOM, caption, line_height, measured
from posenc_gui.render.screen.panel_view import pen

_WIDTH, _TICK, _AIR = 12.0, 4.0, 4.0  # pixels: width of the colours, length of a tick, gap before its number
_LEVEL_APART, _LEVEL_AIR = 80.0, 12.0  # pixels from number to number below a level bar, and beside its name
_LINES_APART = 2.5  # lines of text: least distance from number to number


class ColourBar(pg.GraphicsWidget):
    """The colours of one scale and range.

    Upright, it is as high as its maps' cells, with the name above, on two lines where that is narrower; level, it is as broad
    as its maps, with the name among the numbers.
    """

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._colours = colours
        self._bar: Bar | None = None
        self._shown: tuple[Scale, Bar] | None = None
        self._numbers_width = 0.0
        self._image = QImage()
        self._name, self._top = list[str](), 0.0
        self._upright, self._thick = True, _WIDTH

    def show_scale(self, scale: Scale, bar: Bar) -> None:
        """Show the scale that maps share."""
        if (scale, bar) == self._shown:
            return
        self._shown, self._bar = (scale, bar), bar
        self._numbers_width = _WIDTH + _TICK + _AIR + longest((text for _, text in bar.ticks(5)), measured(caption()))
        measure = measured(caption())
        words = visible(bar.name).split()
        broken = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) + 1))
        lines: Sequence[str] = min(broken, key=lambda lines: longest(lines, measure), default=())
        if measure(bar.name) <= self._numbers_width:
            lines = [visible(bar.name)]
        self._name = [elided(line, LABEL_ROOM, measure) for line in lines if line]
        table = lookup_table(scale, self._colours)[::-1, None, :].copy()
        self._image = QImage(table.data, 1, len(table), 3, QImage.Format.Format_RGB888).copy()
        self.update()

    def range(self) -> tuple[float, float]:
        """The numbers at its lower and upper end; on a logarithmic scale, their logarithms."""
        assert self._bar is not None
        return self._level(self._bar.low), self._level(self._bar.high)

    def _level(self, number: float) -> float:
        return math.log10(number) if self._bar is not None and self._bar.log else number

    def stand(self, colours: QRectF, *, upright: bool) -> None:
        """Put the colours in this rectangle, with numbers at their right or below them."""
        self._upright = upright
        line = line_height(font=caption())
        if upright:
            self._top = len(self._name) * line + _AIR
            width = max(self._numbers_width, longest(self._name, measured(caption()))) + 2
            self.setGeometry(colours.adjusted(0, -self._top, width - colours.width(), 0))
        else:
            self._top = 0.0
            self.setGeometry(colours.adjusted(0, 0, 0, _TICK + _AIR + line))
        self._thick = colours.width() if upright else colours.height()
        self.update()

    def colours_rect(self) -> QRectF:
        """The rectangle of the colours."""
        if self._upright:
            return QRectF(0, self._top, self._thick, max(0.0, self.size().height() - self._top))
        return QRectF(0, 0, self.size().width(), self._thick)

    def boundingRect(self) -> QRectF:
        """The item's rectangle, with the lower half of the lowest number."""
        return QRectF(super().boundingRect()).adjusted(0, 0, 0, line_height(font=caption()) / 2)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the name, the colours, and round numbers beside or below them."""
        place = self.colours_rect()
        if self._bar is None or not place.height() or not place.width():
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self._image if self._upright else self._image.transformed(QTransform().rotate(90)))
        painter.setFont(caption())
        painter.setPen(pen(self._colours.muted))
        if self._upright:
            self._paint_upright(painter, place, self._bar)
        else:
            self._paint_level(painter, place, self._bar)

    def _paint_upright(self, painter: QPainter, place: QRectF, bar: Bar) -> None:
        line = line_height(font=caption())
        above = QRectF(0, self._top - _AIR, self.size().width() + 1, line)
        for text in reversed(self._name):
            above.translate(0, -line)
            painter.drawText(above, Qt.AlignmentFlag.AlignVCenter, text)
        for number, text in bar.ticks(min(6, max(1, int(place.height() / line / _LINES_APART)))):
            y = place.bottom() - self._share(number) * place.height()
            painter.drawLine(QPointF(place.right(), y), QPointF(place.right() + _TICK, y))
            room = QRectF(place.right() + _TICK + _AIR, y - line / 2, self.size().width(), line)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_level(self, painter: QPainter, place: QRectF, bar: Bar) -> None:
        """Draw the numbers within the bar's length, and the name in the broadest gap between them."""
        line, measure = line_height(font=caption()), measured(caption())
        top, name, spans = place.bottom() + _TICK, visible(bar.name), list[tuple[float, float]]()
        for most in range(max(1, int(place.width() / _LEVEL_APART)), 0, -1):
            ticks = bar.ticks(most)
            spans = [self._span(place, number, measure(text)) for number, text in ticks]
            starts, ends = [*(start for start, _ in spans), place.right() + _AIR], [-_AIR, *(end for _, end in spans)]
            gap, start = max((start - end, end) for start, end in zip(starts, ends, strict=True))
            if gap >= measure(name) + 2 * _LEVEL_AIR:
                middle = start + gap / 2
                room = QRectF(middle - measure(name) / 2 - 1, top, measure(name) + 2, line)
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)
                break
        for (number, text), (left, right) in zip(ticks, spans, strict=True):
            x = place.left() + self._share(number) * place.width()
            painter.drawLine(QPointF(x, place.bottom()), QPointF(x, place.bottom() + _TICK))
            painter.drawText(QRectF(left, top, right - left + 1, line), Qt.AlignmentFlag.AlignVCenter, text)

    def _span(self, place: QRectF, number: float, width: float) -> tuple[float, float]:
        """The left and right end of a number below the bar, which stays within the bar's length."""
        left = place.left() + self._share(number) * place.width() - width / 2
        left = min(max(left, place.left()), place.right() - width)
        return left, left + width

    def _share(self, number: float) -> float:
        low, high = self.range()
        return (self._level(number) - low) / (high - low)
