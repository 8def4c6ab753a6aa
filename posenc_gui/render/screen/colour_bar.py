"""The colour bar beside maps, or below them."""

from __future__ import annotations

import math
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from posenc_gui.figure.panels import Scale
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.colour_bar import draw_colour_bar
from posenc_gui.render.drawings.parts import Part, Text
from posenc_gui.render.layout.colour_bars import TIP, Bar
from posenc_gui.render.layout.composition import PlacedBar
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter


class ColourBar(pg.GraphicsWidget):
    """The colours of one scale and range, in pixels of the view."""

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._colours, self._painter = colours, PartsPainter()
        self._shown: tuple[Scale, Bar] | None = None
        self._place: PlacedBar | None = None
        self._parts: tuple[Part, ...] = ()

    def show_scale(self, scale: Scale, bar: Bar) -> None:
        """Show the scale that maps share."""
        if (scale, bar) != self._shown:
            self._shown = scale, bar
            self._draw()

    def range(self) -> tuple[float, float]:
        """The numbers at its lower and upper end; on a logarithmic scale, their logarithms."""
        assert self._shown is not None
        _, bar = self._shown
        return (math.log10(bar.low), math.log10(bar.high)) if bar.log else (bar.low, bar.high)

    def place(self, room: QRectF, colours: QRectF, *, upright: bool) -> None:
        """Put the colours in their rectangle, which leaves `room` for tips and labels."""
        assert self._shown is not None
        self._place = PlacedBar(self._shown[1], _rect(room), _rect(colours), upright)
        self.setGeometry(room)
        self.setPos(0, 0)
        self._draw()

    def _draw(self) -> None:
        self.prepareGeometryChange()
        self._parts = ()
        if self._shown and self._place and self._place.colours.width * self._place.colours.height:
            scale, bar = self._shown
            self._parts = tuple(draw_colour_bar(replace(self._place, bar=bar), scale, screen_style(), self._colours))
        self.update()

    def colours_rect(self) -> QRectF:
        """The rectangle of the colours."""
        return _qt_rect(self._place.colours) if self._place else QRectF()

    def boundingRect(self) -> QRectF:
        """All that is painted."""
        found, small = QRectF(), screen_style().small
        if self._place is not None:
            colours, upright = self._place.colours, self._place.upright
            along, down = (0.0, TIP * colours.width) if upright else (TIP * colours.height, 0.0)
            found = _qt_rect(colours).united(_qt_rect(self._place.room)).adjusted(-along, -down, along, down)
        for part in self._parts:
            if isinstance(part, Text):
                length = small.measure(part.text) + 2
                left = part.x - (length / 2 if part.side == "center" else 0)
                found = found.united(QRectF(left, part.y - small.line / 2, length, small.line))
        return found

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint all parts."""
        self._painter.paint(painter, self._parts)


def _rect(rect: QRectF) -> Rect:
    return Rect(rect.left(), rect.top(), rect.right(), rect.bottom())


def _qt_rect(rect: Rect) -> QRectF:
    return QRectF(rect.left, rect.top, rect.width, rect.height)
