"""Base classes of panel views: a plot item, its title, and items painted in pixels."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from posenc_gui.figure.axis import Pointer
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.drawings.motion import Moment
from posenc_gui.render.layout.composition import title_lines
from posenc_gui.render.layout.text_fit import longest, visible
from posenc_gui.render.layout.type_sizes import Face
from posenc_gui.render.screen.fonts import font_of, line_height, measured
from posenc_gui.render.screen.plot_item import PlotBox

MARK = 2.5  # pixels: the frame around what a text speaks of

Spot = tuple[int, float]  # the place of the keyboard's pointer, in the panel's coordinates


class PanelView:
    """The view of one panel: a plot item that shows it, its pointer and its keyboard steps."""

    panel: Any

    def __init__(self, colours: Roles, axes: dict[str, pg.AxisItem], *, free: bool = False) -> None:
        self.colours = colours
        self.plot = PlotBox(axes, free=free)
        self.title = Title(self.plot, colours.ink)

    def holds(self, scene_position: QPointF) -> bool:
        """True if what is at a scene position can be read here."""
        return bool(self.plot.area.sceneBoundingRect().contains(scene_position))

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        """A scene position in the panel's coordinates, as `read` and `pointer` take them."""
        point = self.plot.vb.mapSceneToView(scene_position)
        return point.x(), point.y()

    def pressed(self, x: float, y: float) -> Pointer:
        """A pointer to what a press at a point selects."""
        found: Pointer = self.panel.pointer(x, y)
        return found

    def door(self, x: float, y: float) -> str:
        """The door whose encodings a press at a point lists; empty if it selects."""
        return ""

    def show(self, panel: Any) -> None:
        """Show a panel of this view's kind."""
        raise NotImplementedError

    def show_moment(self, motion: Any, now: Moment) -> None:
        """Draw a moment of the way to the panel that is shown; the next panel ends it. Only for kinds that move."""
        raise NotImplementedError

    def show_pointer(self, pointer: Pointer) -> None:
        """Draw the crosshair at a pointer's coordinates."""
        raise NotImplementedError

    def reset(self) -> None:
        """Show everything."""
        raise NotImplementedError

    def start(self) -> Spot:
        """The first place of the keyboard's pointer."""
        raise NotImplementedError

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        """The place one step from another for the keyboard's pointer."""
        return x + dx, y + dy


class PixelItem(pg.GraphicsObject):
    """An item painted in pixels of the view box that it fills, clipped at its edges."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.box = box
        self.setZValue(-1)
        box.sigResized.connect(self.prepareGeometryChange)
        box.sigRangeChanged.connect(self._on_moved)

    def _on_moved(self, *_: object) -> None:
        self.update()

    def boundingRect(self) -> QRectF:
        """The view box's rectangle."""
        return QRectF(self.box.rect())

    def on_pixels(self, rect: QRectF) -> QRectF:
        """A rectangle of the panel's coordinates in pixels."""
        return QRectF(self.box.childTransform().mapRect(rect))


class OverlayItem(PixelItem):
    """An item painted over a view box and a little beyond its edges, for frames around cells at the edge."""

    beyond = 4.0  # pixels

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setParentItem(box.parentItem())
        self.setZValue(1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._bounds = QRectF()
        box.geometryChanged.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        # The bounds are stored, since Qt asks for them while it tears items down, when the box is already gone.
        self.prepareGeometryChange()
        self._bounds = QRectF(self.box.rect()).adjusted(-self.beyond, -self.beyond, self.beyond, self.beyond)
        self.setPos(self.box.pos())

    def boundingRect(self) -> QRectF:
        """The view box's rectangle and what is around it."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Empty, so that the mouse goes through."""
        return QPainterPath()


class PointerMark(OverlayItem):
    """The crosshair of a pointer in any plot; `at` holds its coordinates along x and y, None where unknown."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setZValue(2)
        self.at: tuple[int | None, int | None] = None, None

    def mark(self, x: int | None, y: int | None) -> None:
        """Move to these coordinates."""
        if (x, y) != self.at:
            self.at = x, y
            self.update()


class Title(pg.GraphicsWidget):
    """A plot's title; pyqtgraph's own parses HTML and widens the plot beyond a narrow card."""

    def __init__(self, plot: PlotBox, ink: str) -> None:
        super().__init__(plot)  # the layout alone would not keep it alive
        self._ink, self._text, self._below = QColor(ink), "", 0.0
        self._font = font_of(BODY, bold=True)
        self._box = plot.area
        self._box.geometryChanged.connect(self.update)
        plot.places.addItem(self, 0, 0, 1, 3)  # above the axes too
        self.setFixedHeight(0.0)

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.update()

    def text(self) -> str:
        """The title's text."""
        return self._text

    def make_room(self, height: float, below: float = 0.0) -> None:
        """Take this height, and leave another free below it; a plot without a title takes it where one beside it has one."""
        if height + below != self.minimumHeight():
            self.setFixedHeight(height + below)
        self._below = below

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write from the left edge of the plot area, or as far left of it as the text needs."""
        if self.rect().height() <= self._below:
            return
        painter.setFont(self._font)
        painter.setPen(self._ink)
        room = self.rect().adjusted(0, 0, 0, -self._below)
        face = Face(line_height(font=self._font), measured(self._font))
        lines = title_lines(visible(self._text), room.height(), room.width(), face)
        width = longest(lines, face.measure) + 1
        begin = self.mapRectFromItem(self._box, self._box.rect()).left()
        left = max(0.0, min(begin, room.width() - width))
        painter.drawText(QRectF(left, 0, width, room.height()), Qt.AlignmentFlag.AlignVCenter, "\n".join(lines))


def pen(colour: str | QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen of this width on every screen; pyqtgraph's cosmetic pens are hairlines on high-density screens."""
    return QPen(QColor(colour), width, style, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)
