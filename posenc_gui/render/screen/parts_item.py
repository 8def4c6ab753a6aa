"""The items that paint what stands around panels: bands, and colour bars beside maps or below them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsObject

from posenc_gui.figure.panels import Scale
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.around_panels import draw_colour_bar
from posenc_gui.render.drawings.parts import Part, Text
from posenc_gui.render.layout.colour_bars import TIP
from posenc_gui.render.layout.composition import PlacedBar
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter, as_qt


class PartsItem(QGraphicsObject):
    """Paints parts, in pixels of the view."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._parts, self._painter, self._bounds = tuple[Part, ...](), PartsPainter(), QRectF()

    def show_parts(self, parts: Iterable[Part], room: Rect) -> None:
        """Show parts in a room, out of which texts may reach."""
        self.prepareGeometryChange()
        self._parts, self._painter, self._bounds = tuple(parts), PartsPainter(), as_qt(room)
        style = screen_style()
        for part in self._parts:
            if isinstance(part, Text):
                face = style.face(part.size)
                length = face.measure(part.text) + 2
                left = part.x - (length / 2 if part.side == "center" else 0)
                self._bounds |= QRectF(left, part.y - face.line / 2, length, face.line)
        self.update()

    def boundingRect(self) -> QRectF:
        """All that is painted."""
        return self._bounds

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint all parts."""
        self._painter.paint(painter, self._parts)


class ColourBar(PartsItem):
    """The colours of one scale and range; `placed` is where they stand in the view."""

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self._colours = colours
        self._drawn: tuple[Scale, PlacedBar, Style] | None = None

    @property
    def placed(self) -> PlacedBar:
        assert self._drawn is not None
        return self._drawn[1]

    def show_bar(self, scale: Scale, placed: PlacedBar) -> None:
        """Show the bar of a scale in its place; one that is there already isn't drawn again."""
        drawn = scale, placed, screen_style()
        if drawn != self._drawn:
            self._drawn, place = drawn, placed.colours
            has_room = place.width > 0 and place.height > 0
            tip = TIP * min(place.width, place.height)
            room = Rect(
                placed.room.left - tip, placed.room.top - tip, placed.room.right + tip, placed.room.bottom + tip
            )
            self.show_parts(draw_colour_bar(placed, scale, screen_style(), self._colours) if has_room else (), room)
