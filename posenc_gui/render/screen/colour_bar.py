"""The colour bar beside maps, or below them."""

from __future__ import annotations

import math

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
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter


class ColourBar(pg.GraphicsWidget):
    """The colours of one scale and range, in pixels of the view."""

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._colours = colours
        self._shown: tuple[Scale, Bar] | None = None
        self._drawn: tuple[Scale, PlacedBar, Style] | None = None
        self._parts, self._painter, self._bounds = tuple[Part, ...](), PartsPainter(), QRectF()

    def show_scale(self, scale: Scale, bar: Bar) -> None:
        """Show the scale that maps share, once it stands."""
        self._shown = scale, bar

    def range(self) -> tuple[float, float]:
        """The numbers at its lower and upper end; on a logarithmic scale, their logarithms."""
        assert self._shown is not None
        _, bar = self._shown
        return (math.log10(bar.low), math.log10(bar.high)) if bar.log else (bar.low, bar.high)

    def place(self, room: QRectF, colours: QRectF, *, upright: bool) -> None:
        """Put the colours in their rectangle, which leaves `room` for tips and labels."""
        assert self._shown is not None
        scale, bar = self._shown
        drawn = scale, PlacedBar(bar, _rect(room), _rect(colours), upright), screen_style()
        if drawn != self._drawn:
            self._drawn = drawn
            self.setGeometry(room)
            self.setPos(0, 0)
            self._draw(*drawn)

    def _draw(self, scale: Scale, place: PlacedBar, style: Style) -> None:
        self.prepareGeometryChange()
        self._parts, self._painter = (), PartsPainter()
        if place.colours.width * place.colours.height:
            self._parts = tuple(draw_colour_bar(place, scale, style, self._colours))
        tips = (0, TIP * place.colours.width) if place.upright else (TIP * place.colours.height, 0)
        found = self.colours_rect().united(QRectF(place.room.left, place.room.top, place.room.width, place.room.height))
        found = found.adjusted(-tips[0], -tips[1], *tips)
        for part in self._parts:
            if isinstance(part, Text):
                length = style.small.measure(part.text) + 2
                left = part.x - (length / 2 if part.side == "center" else 0)
                found = found.united(QRectF(left, part.y - style.small.line / 2, length, style.small.line))
        self._bounds = found
        self.update()

    def colours_rect(self) -> QRectF:
        """The rectangle of the colours."""
        place = self._drawn[1].colours if self._drawn else Rect(0, 0, 0, 0)
        return QRectF(place.left, place.top, place.width, place.height)

    def boundingRect(self) -> QRectF:
        """All that is painted."""
        return self._bounds

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint all parts."""
        self._painter.paint(painter, self._parts)


def _rect(rect: QRectF) -> Rect:
    return Rect(rect.left(), rect.top(), rect.right(), rect.bottom())
