"""The view of a panel that is drawn from parts: painted in one item, and drawn again with every change."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QGraphicsObject

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage
from posenc_gui.render.drawings.kinds import drawing, rows
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.layout.composition import PlacedMap
from posenc_gui.render.screen.axes import BareAxis
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.parts_painter import PartsPainter


class DrawnView(PanelView):
    """A panel of which all is in sight, unless its rows are zoomed. It is drawn when someone looks: what changes before that
    costs nothing."""

    def __init__(self, colours: Roles) -> None:
        super().__init__(colours, {"top": BareAxis("top", colours.card)})
        self.plot.vb.setMouseEnabled(False, False)
        self.plot.vb.invertY(True)
        self.plot.vb.setDefaultPadding(0)
        self._rows: tuple[float, float] | None = None
        self._asked: Panel | None = None
        self._widest: Panel | None = None
        self._beside: tuple[PlacedMap, ...] = ()
        self._marked: int | None = None
        self._motion: Motion | None = None
        self._moment = REST
        self._drawn: Drawing[Any] | None = None
        self._take_font()
        self._item = _Item(self)
        self.plot.vb.sigYRangeChanged.connect(self.redraw)

    @property
    def panel(self) -> Any:
        """What is drawn, which has less than was shown where room is short."""
        return self.drawing().panel

    def drawing(self) -> Drawing[Any]:
        """What is drawn now."""
        if self._drawn is None:
            assert self._asked is not None
            if QFont() != self._font:
                self._take_font()
            room = self.plot.vb.rect()
            size = max(1.0, room.width()), max(1.0, room.height())
            seen = self._rows and tuple(self.plot.vb.viewRange()[1])
            stage = Stage(
                *size, self._style, self.colours, self._beside, self._marked, seen, self._motion, self._moment
            )
            self._drawn = drawing(self._asked, stage, self._widest)
        return self._drawn

    def _take_font(self) -> None:
        """Draw and paint in the application's present font; what is remembered of it stays as long as it does."""
        self._font, self._style, self._painter = QFont(), screen_style(), PartsPainter()

    def redraw(self, *_: object) -> None:
        """Draw again before the next look."""
        self._drawn = None
        self._item.update()

    def show(self, panel: Panel) -> None:
        if self._widest is None or not self.drawing().holds(panel):
            self._widest = panel
        self._asked, self._motion, self._moment = panel, None, REST
        self.title.show_text(panel.title)
        if (found := rows(panel)) != self._rows:
            self._rows = found
            self.reset()
        self.redraw()

    def stand_beside(self, maps: tuple[PlacedMap, ...], above: float) -> None:
        """Stand beside maps, `above` deep below the title."""
        self.plot.getAxis("top").take_height(above)
        self._beside = maps
        self.redraw()

    def show_moment(self, motion: Motion, now: Moment) -> None:
        self._motion, self._moment = (None, REST) if now == REST else (motion, now)
        self.redraw()

    def show_pointer(self, pointer: Pointer) -> None:
        marked = self.drawing().named(pointer)
        if marked != self._marked:
            self._marked = marked
            self.redraw()

    def paint(self, painter: QPainter) -> None:
        """Paint all parts."""
        if self._asked is not None:
            self._painter.paint(painter, self.drawing().parts)

    def reset(self) -> None:
        if self._rows is None:
            return
        first, last = self._rows
        self.plot.vb.setMouseEnabled(False, True)
        self.plot.vb.setLimits(xMin=0, xMax=1, yMin=first, yMax=last, minYRange=min(2.0, last - first))
        self.plot.vb.setRange(QRectF(0, first, 1, last - first), padding=0)

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        point = self._item.mapFromScene(scene_position)
        return self.drawing().at(point.x(), point.y())

    def pressed(self, x: float, y: float) -> Pointer:
        return self.drawing().pressed(x, y)

    def door(self, x: float, y: float) -> str:
        return self.drawing().door(x, y)

    def start(self) -> Spot:
        return self.drawing().start()

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        return self.drawing().step(x, y, dx, dy)


class _Item(QGraphicsObject):
    """Paints a view over its whole plot, with the corner of the view box as its origin."""

    def __init__(self, view: DrawnView) -> None:
        super().__init__(view.plot)
        self._view, self._box = view, view.plot.vb
        self._bounds = QRectF()
        self._box.geometryChanged.connect(self._follow)

    def _follow(self) -> None:
        # The bounds are stored, since Qt asks for them while it tears items down, when the box is already gone.
        self.prepareGeometryChange()
        self.setPos(self._box.pos())
        self._bounds = self._view.plot.rect().translated(-self._box.pos())
        self._view.redraw()

    def boundingRect(self) -> QRectF:
        """The plot's rectangle."""
        return self._bounds

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint the view."""
        self._view.paint(painter)
