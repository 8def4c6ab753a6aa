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
        self._upright, self._place, self._above = True, QRectF(), 0.0  # the last: the height of the name
        self._labels = list[tuple[QRectF, BarLabel]]()  # each with the rectangle of its text

    def show_scale(self, scale: Scale, bar: Bar) -> None:
        """Show the scale that maps share."""
        if (scale, bar) == self._shown:
            return
        self._shown, self._bar = (scale, bar), bar
        self._name = name_lines(bar, screen_style())
        self._inks = [QColor(colour) for colour in end_colours(scale, self._colours)]
        table = lookup_table(scale, self._colours)[::-1, None, :].copy()
        self._image = QImage(table.data, 1, len(table), 3, QImage.Format.Format_RGB888).copy()
        self._arrange()

    def range(self) -> tuple[float, float]:
        """The numbers at its lower and upper end; on a logarithmic scale, their logarithms."""
        assert self._bar is not None
        return self._level(self._bar.low), self._level(self._bar.high)

    def _level(self, number: float) -> float:
        return math.log10(number) if self._bar is not None and self._bar.log else number

    def stand(self, room: QRectF, colours: QRectF, *, upright: bool) -> None:
        """Put the colours in their rectangle, which leaves `room` for tips, with labels at their right or below them."""
        self._upright = upright
        self._above = len(self._name) * line_height(font=caption()) + _AIR if upright and self._name else 0.0
        place = room.adjusted(0, -self._above, 2 if upright else 0, 0)
        self.setGeometry(place)
        self._place = colours.translated(-place.topLeft())
        self._arrange()

    def _arrange(self) -> None:
        """Place the labels, beside upright colours or below level ones."""
        self.prepareGeometryChange()
        place, bar, face, self._labels = self._place, self._bar, screen_style().small, []
        if bar is not None and place.height() and place.width():
            if self._upright:
                labels = upright_labels(bar, place.height(), face)
            else:
                room = place.left(), self.size().width() - place.right()
                labels = level_labels(bar, place.width(), room, face)
            self._labels = [(self._room_of(label), label) for label in labels]
        self.update()

    def _room_of(self, label: BarLabel) -> QRectF:
        line, wide = line_height(font=caption()), measured(caption())(visible(label.text)) + 2
        if self._upright:
            below_name = self._above - _AIR if self._above else -line / 2
            top = max(below_name, self._place.bottom() - label.at - line / 2)
            return QRectF(self._place.right() + _TICK + _AIR, top, wide, line)
        return QRectF(self._place.left() + label.at - wide / 2, self._place.bottom() + _TICK, wide, line)

    def colours_rect(self) -> QRectF:
        """The rectangle of the colours."""
        return self._place

    def boundingRect(self) -> QRectF:
        """The item's rectangle, with the labels that stand out of it."""
        around = QRectF(super().boundingRect())
        for room, _ in self._labels:
            around = around.united(room)
        return around

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the name, the colours with their tips, and the labels beside or below them."""
        place, bar = self._place, self._bar
        if bar is None or not place.height() or not place.width():
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self._image if self._upright else self._image.transformed(QTransform().rotate(90)))
        self._paint_tips(painter, place, bar)
        painter.setFont(caption())
        if self._upright:
            self._paint_name(painter)
        for room, label in self._labels:
            self._paint_label(painter, place, room, label)

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

    def _paint_label(self, painter: QPainter, place: QRectF, room: QRectF, label: BarLabel) -> None:
        painter.setPen(self._ink(label))
        if label.tick is not None:
            start = QPointF(place.right(), place.bottom() - label.at)
            out = QPointF(_TICK, 0.0)
            if not self._upright:
                start, out = QPointF(place.left() + label.tick, place.bottom()), QPointF(0.0, _TICK)
            painter.drawLine(start, start + out)
        side = Qt.AlignmentFlag.AlignVCenter if self._upright else Qt.AlignmentFlag.AlignCenter
        painter.drawText(room, side, visible(label.text))

    def _ink(self, label: BarLabel) -> QColor:
        if label.kind in ("low", "high"):
            return self._inks[label.kind == "high"]
        return QColor(self._colours.muted)
