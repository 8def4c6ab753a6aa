"""The colour bar beside maps, or below them."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPolygonF, QTransform

from posenc_gui.figure.panels import Scale
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_bars import TIP, Bar, BarLabel, level_labels, name_lines, upright_labels
from posenc_gui.render.layout.colour_scales import end_colours, lookup_table
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.screen.fonts import caption, line_height, measured, screen_style
from posenc_gui.render.screen.panel_view import pen

_TICK, _AIR = 4.0, 4.0  # pixels: length of a tick, gap before its number


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
        self._inks = list[QColor]()  # of words at the lower and the upper end
        self._image = QImage()
        self._name = list[str]()
        self._upright, self._place = True, QRectF()

    def show_scale(self, scale: Scale, bar: Bar) -> None:
        """Show the scale that maps share."""
        if (scale, bar) == self._shown:
            return
        self._shown, self._bar = (scale, bar), bar
        self._name = name_lines(bar, screen_style())
        self._inks = [QColor(colour) for colour in end_colours(scale, self._colours)]
        table = lookup_table(scale, self._colours)[::-1, None, :].copy()
        self._image = QImage(table.data, 1, len(table), 3, QImage.Format.Format_RGB888).copy()
        self.update()

    def range(self) -> tuple[float, float]:
        """The numbers at its lower and upper end; on a logarithmic scale, their logarithms."""
        assert self._bar is not None
        return self._level(self._bar.low), self._level(self._bar.high)

    def _level(self, number: float) -> float:
        return math.log10(number) if self._bar is not None and self._bar.log else number

    def stand(self, room: QRectF, colours: QRectF, *, upright: bool) -> None:
        """Put the colours in their rectangle, which leaves `room` for tips, with labels at their right or below them."""
        self._upright = upright
        above = len(self._name) * line_height(font=caption()) + _AIR if upright and self._name else 0.0
        place = room.adjusted(0, -above, 2 if upright else 0, 0)
        self.setGeometry(place)
        self._place = colours.translated(-place.topLeft())
        self.update()

    def colours_rect(self) -> QRectF:
        """The rectangle of the colours."""
        return self._place

    def boundingRect(self) -> QRectF:
        """The item's rectangle, with the half of a number beyond either end."""
        half = line_height(font=caption()) / 2
        return QRectF(super().boundingRect()).adjusted(0, -half, 0, half)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the name, the colours with their tips, and the labels beside or below them."""
        place, bar = self._place, self._bar
        if bar is None or not place.height() or not place.width():
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self._image if self._upright else self._image.transformed(QTransform().rotate(90)))
        self._paint_tips(painter, place, bar)
        painter.setFont(caption())
        face = screen_style().small
        if self._upright:
            self._paint_name(painter)
            for label in upright_labels(bar, place.height(), face):
                self._paint_beside(painter, place, label)
        else:
            room = place.left(), self.size().width() - place.right()
            for label in level_labels(bar, place.width(), room, face):
                self._paint_below(painter, place, label)

    def _paint_tips(self, painter: QPainter, place: QRectF, bar: Bar) -> None:
        """Draw a triangle, in the colour of the end, where maps hold numbers beyond it."""
        thick = place.width() if self._upright else place.height()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for text, row, forth in zip(bar.beyond, (-1, 0), (-1, 1), strict=True):
            if not text:
                continue
            painter.setBrush(self._image.pixelColor(0, row % self._image.height()))
            out = forth * TIP * thick
            if self._upright:
                end = place.bottom() if forth < 0 else place.top()
                corners = ((place.left(), end), (place.right(), end), (place.center().x(), end - out))
            else:
                end = place.left() if forth < 0 else place.right()
                corners = ((end, place.top()), (end, place.bottom()), (end + out, place.center().y()))
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    def _paint_name(self, painter: QPainter) -> None:
        painter.setPen(pen(self._colours.muted))
        line = line_height(font=caption())
        for number, text in enumerate(self._name):
            painter.drawText(
                QRectF(0, number * line, self.size().width() + 1, line), Qt.AlignmentFlag.AlignVCenter, text
            )

    def _paint_beside(self, painter: QPainter, place: QRectF, label: BarLabel) -> None:
        line, y = line_height(font=caption()), place.bottom() - label.at
        painter.setPen(self._ink(label))
        if label.tick is not None:
            painter.drawLine(QPointF(place.right(), y), QPointF(place.right() + _TICK, y))
        room = QRectF(place.right() + _TICK + _AIR, y - line / 2, self.size().width(), line)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, visible(label.text))

    def _paint_below(self, painter: QPainter, place: QRectF, label: BarLabel) -> None:
        line, wide = line_height(font=caption()), measured(caption())(visible(label.text)) + 2
        painter.setPen(self._ink(label))
        if label.tick is not None:
            x = place.left() + label.tick
            painter.drawLine(QPointF(x, place.bottom()), QPointF(x, place.bottom() + _TICK))
        room = QRectF(place.left() + label.at - wide / 2, place.bottom() + _TICK, wide, line)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, visible(label.text))

    def _ink(self, label: BarLabel) -> QColor:
        if label.kind in ("low", "high"):
            return self._inks[label.kind == "high"]
        return QColor(self._colours.muted)
