"""The view of a panel that is drawn from parts: painted in one item, and drawn again with every change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QGraphicsObject

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import Drawing, Extent, Spot, Stage
from posenc_gui.render.drawings.kinds import drawing, extent
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.axes import BareAxis
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.panel_view import PanelView
from posenc_gui.render.screen.parts_painter import PartsPainter

_ROUNDING = 1e-6  # of what is shown at first


class DrawnView(PanelView):
    """A panel of which all is in sight, unless it is zoomed. It is drawn when someone looks: what changes before that costs
    nothing."""

    def __init__(self, colours: Roles) -> None:
        super().__init__(colours, {"top": BareAxis("top", colours.card)}, free=True)
        self.plot.vb.setMouseEnabled(False, False)
        self.plot.vb.setDefaultPadding(0)
        self.extent: Extent | None = None
        self._asked: Panel | None = None
        self._widest: Panel | None = None
        self._marked: int | None = None
        self._motion: Motion | None = None
        self._moment = REST
        self._drawn: Drawing[Any] | None = None
        self._take_font()
        self._stage = Stage(1.0, 1.0, self._style, colours)
        self._item = _Item(self)
        self.plot.vb.sigRangeChanged.connect(self.redraw)

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
            area = self.plot.area.geometry()
            stage = replace(
                self._stage, width=max(1.0, area.width()), height=max(1.0, area.height()), style=self._style,
                marked=self._marked, seen=self._seen(), motion=self._motion, moment=self._moment,
            )  # fmt: skip
            self._drawn = drawing(self._asked, stage, self._widest)
        return self._drawn

    def prepare(self) -> None:
        """Draw, and put the box in which the mouse pans and zooms where the values are: not in a paint, since Qt would crash."""
        plot, corner = self.drawing().plot, self.plot.area.pos()
        self.plot.vb.setGeometry(QRectF(plot.left, plot.top, plot.width, plot.height).translated(corner))

    def _seen(self) -> Rect | None:
        """What is in sight of a panel that is zoomed."""
        if self.extent is None:
            return None
        shown, ((left, right), (low, high)) = self.extent.shown, self.plot.vb.viewRange()
        top, bottom = (high, low) if shown.top > shown.bottom else (low, high)
        slack = _ROUNDING * shown.width, _ROUNDING * shown.height
        apart = abs(left - shown.left), abs(right - shown.right), abs(top - shown.top), abs(bottom - shown.bottom)
        is_whole = max(apart[:2]) <= slack[0] and max(apart[2:]) <= slack[1]
        return None if is_whole else Rect(left, top, right, bottom)

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
        if (found := extent(panel)) != self.extent:
            self.extent = found
            self.reset()
        self.redraw()

    def stand(self, stage: Stage, above: float) -> None:
        """Take a stage, `above` deep below the title."""
        self.plot.getAxis("top").take_height(above)
        self._stage = stage
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
        if self.extent is None:
            return
        (shown, limits), (least_along, least_down) = (self.extent.shown, self.extent.limits), self.extent.least
        self.plot.vb.invertY(shown.top < shown.bottom)
        self.plot.vb.setMouseEnabled(self.extent.along, self.extent.down)
        lowest, highest = sorted((limits.top, limits.bottom))
        self.plot.vb.setLimits(
            xMin=limits.left, xMax=limits.right, yMin=lowest, yMax=highest, minXRange=least_along, minYRange=least_down
        )
        self.plot.vb.setRange(QRectF(shown.left, min(shown.top, shown.bottom), shown.width, shown.height), padding=0)

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much of the x axis, around its middle."""
        self.plot.vb.scaleBy(x=factor)

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
    """Paints a view over its whole plot, with the corner of the area as its origin."""

    def __init__(self, view: DrawnView) -> None:
        super().__init__(view.plot)
        self._view, self._box = view, view.plot.area
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
