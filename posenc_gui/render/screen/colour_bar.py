"""The colour bar beside maps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from posenc_gui.figure.panels import Scale
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import lookup_table
from posenc_gui.render.layout.heatmap_cells import Bar
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.fonts import LABEL_ROOM, caption, line_height, measured
from posenc_gui.render.screen.panel_view import pen

_WIDTH, _TICK, _AIR = 12.0, 4.0, 4.0  # pixels: width of the colours, length of a tick, gap before its number
_LINES_APART = 2.5  # lines of text: least distance from number to number


class ColourBar(pg.GraphicsWidget):
    """The colours of one scale and range, as high as the cells of its maps; the name above, on two lines where that is
    narrower."""

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._colours = colours
        self._bar: Bar | None = None
        self._shown: tuple[Scale, Bar] | None = None
        self._numbers_width = 0.0
        self._image = QImage()
        self._name, self._top = list[str](), 0.0

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

    def wanted_width(self) -> float:
        """The width that colours, numbers and name need."""
        if self._bar is None:
            return 0.0
        return max(self._numbers_width, longest(self._name, measured(caption()))) + 2

    def stand(self, top: float, cells: float) -> None:
        """Set the bar's geometry: the colours begin at `top` and are `cells` high, as high as the maps' cells."""
        self._top = top
        self.setFixedWidth(self.wanted_width())
        self.setFixedHeight(top + cells)
        self.update()

    def colours_rect(self) -> QRectF:
        """The rectangle of the colours."""
        return QRectF(0, self._top, _WIDTH, max(0.0, self.size().height() - self._top))

    def boundingRect(self) -> QRectF:
        """The item's rectangle, with the lower half of the lowest number."""
        return QRectF(super().boundingRect()).adjusted(0, 0, 0, line_height(font=caption()) / 2)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the name, the colours, and round numbers beside them."""
        place, line = self.colours_rect(), line_height(font=caption())
        if self._bar is None or not place.height():
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self._image)
        painter.setFont(caption())
        painter.setPen(QColor(self._colours.muted))
        above = QRectF(0, self._top - _AIR, self.size().width() + 1, line)
        fit = len(self._name) * line + _AIR <= self._top
        shown = self._name if fit else [elided(" ".join(self._name), self.size().width(), measured(caption()))]
        for text in reversed(shown):
            above.translate(0, -line)
            painter.drawText(above, Qt.AlignmentFlag.AlignVCenter, text)
        low, high = self.range()
        most = min(6, max(1, int(place.height() / line / _LINES_APART)))
        painter.setPen(pen(self._colours.muted))
        for number, text in self._bar.ticks(most):
            y = place.bottom() - (self._level(number) - low) / (high - low) * place.height()
            painter.drawLine(QPointF(_WIDTH, y), QPointF(_WIDTH + _TICK, y))
            room = QRectF(_WIDTH + _TICK + _AIR, y - line / 2, self.size().width(), line)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
