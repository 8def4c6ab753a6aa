"""What the views of all panels share: a plot item, its title, and items that are painted in pixels."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPainterPath,
    QPen,
)

from posenc_gui.figure.figure import Pointer
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.screen.fonts import font_of, line_height, measured
from posenc_gui.render.screen.plot_item import Plot

_TITLE_AIR = 8.0  # pixels above and below a title together

Spot = tuple[int, float]  # where the keyboard's pointer stands, in the panel's coordinates


class PanelView:
    """One panel: a plot item, and how it is shown whole."""

    panel: Any
    width = 400  # preferred, and with it the panel's share of what there is
    least_width = 0.0  # below which it can't be read, whatever its share is
    beside_maps = False  # whether it stands at the height of the cells of the maps beside it

    def __init__(self, colours: Roles, axes: dict[str, pg.AxisItem]) -> None:
        self.colours = colours
        self.plot = Plot(axes)
        self.title = Title(self.plot, colours.ink)

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        """A place on the scene in the panel's coordinates, as `read` and `pointer` take them."""
        point = self.plot.vb.mapSceneToView(scene_position)
        return point.x(), point.y()

    def show(self, panel: Any) -> None:
        """Take a panel of the kind that this view draws."""
        raise NotImplementedError

    def show_pointer(self, pointer: Pointer) -> None:
        """Mark what a pointer stands for."""
        raise NotImplementedError

    def reset(self) -> None:
        """Show everything."""
        raise NotImplementedError

    def start(self) -> Spot:
        """Where the keyboard's pointer begins."""
        raise NotImplementedError

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        """Where the keyboard's pointer goes from a place."""
        return x + dx, y + dy


class PixelItem(pg.GraphicsObject):
    """What is painted in pixels of the view box that it fills, and cut at its edges."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.box = box
        self.setZValue(-1)
        box.sigResized.connect(self.prepareGeometryChange)
        box.sigRangeChanged.connect(self._on_moved)

    def _on_moved(self, *_: object) -> None:
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The view box's room."""
        return QRectF(self.box.rect())

    def on_pixels(self, rect: QRectF) -> QRectF:
        """Where a rectangle in the panel's coordinates lies."""
        return QRectF(self.box.childTransform().mapRect(rect))


class OverlayItem(PixelItem):
    """What is painted over a view box, in its pixels, and a little beyond its edges: frames around what touches them."""

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
        # Kept, since Qt asks for the bounds of what it takes down when the box is already gone.
        self.prepareGeometryChange()
        self._bounds = QRectF(self.box.rect()).adjusted(-self.beyond, -self.beyond, self.beyond, self.beyond)
        self.setPos(self.box.pos())

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The view box's room and what lies around it."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Nothing that the mouse could meet."""
        return QPainterPath()


class PointerMark(OverlayItem):
    """What brings out where the pointer of any plot stands: `at` holds the coordinates along x and y, None where unknown."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setZValue(2)
        self.at: tuple[int | None, int | None] = None, None

    def mark(self, x: int | None, y: int | None) -> None:
        """Stand at these coordinates."""
        if (x, y) != self.at:
            self.at = x, y
            self.update()


class Title(pg.GraphicsWidget):
    """A plot's title; pyqtgraph's own reads HTML, and pushes the plot out of a card that is too narrow."""

    def __init__(self, plot: Plot, ink: str) -> None:
        super().__init__(plot)  # the layout alone would not keep it alive
        self._ink, self._text = QColor(ink), ""
        self._font = font_of(BODY, bold=True)
        self._box = plot.vb
        self._box.geometryChanged.connect(self.update)
        plot.places.addItem(self, 0, 0, 1, 3)  # above the axes too
        self.make_room(False)

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.update()

    def text(self) -> str:
        """What it says."""
        return self._text

    def wanted_width(self) -> float:
        """What the whole of it needs."""
        return measured(self._font)(visible(self._text)) + 1

    def make_room(self, there: bool) -> None:
        """Take a line's height, also where this plot has no title but one beside it has; or none."""
        self.setFixedHeight(line_height(font=self._font) + _TITLE_AIR if there else 0)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write from the left edge of what is drawn, or as far before it as the text needs."""
        if not self.rect().height():
            return
        painter.setFont(self._font)
        painter.setPen(self._ink)
        room, measure = self.rect(), measured(self._font)
        shown = elided(visible(self._text), room.width(), measure)
        width = measure(shown) + 1
        begin = self.mapRectFromItem(self._box, self._box.rect()).left()
        left = max(0.0, min(begin, room.width() - width))
        painter.drawText(QRectF(left, 0, width, room.height()), Qt.AlignmentFlag.AlignVCenter, shown)


def pen(colour: str | QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A pen as wide as it says on every screen: a cosmetic one, as pyqtgraph's are, is hair-thin where pixels are small."""
    return QPen(QColor(colour), width, style, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)
