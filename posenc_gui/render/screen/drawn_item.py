"""The plot of a panel, and the item that paints its drawing there, again with every change."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsObject, QSizePolicy

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import Drawing, Stage, ZoomRange
from posenc_gui.render.drawings.kinds import drawing, zoom_range
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter

EDGE = 1.0  # pixels of margin on all sides of a plot
_TITLE, _ABOVE, _AREA = range(3)  # its rows
_ROUNDING = 1e-6  # of what is shown at first


class PlotBox(pg.GraphicsWidget):
    """A title's row, the headings' row, and the area. The view box, in which the mouse pans and zooms, is put by the caller.

    pyqtgraph's PlotItem also makes menus and some sixty widgets, which take most of the time of building a panel and are
    visited whenever the window's colours change.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._places = QGraphicsGridLayout(self)
        self._places.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        self._places.setSpacing(0)
        self.vb = pg.ViewBox(self, enableMenu=False)
        self.vb.setMouseEnabled(False, False)
        self.vb.setDefaultPadding(0)
        self.area = pg.GraphicsWidget(self)
        self._places.addItem(self.area, _AREA, 0)
        self._places.setRowStretchFactor(_AREA, 1)

    def put_title(self, title: pg.GraphicsWidget) -> None:
        """Put a title over the area."""
        self._places.addItem(title, _TITLE, 0)

    def leave_above(self, height: float) -> None:
        """Leave this height between the title and the area."""
        if height != self._places.rowMinimumHeight(_ABOVE):
            self._places.setRowFixedHeight(_ABOVE, height)

    def settle(self) -> None:
        """Lay out now, not after the next paint."""
        self._places.activate()


class DrawnItem(QGraphicsObject):
    """Paints over a whole plot, with the corner of its area as origin.

    It is drawn when someone looks: what changes before that costs nothing. It doesn't know its view, so that neither waits
    for the garbage collector, which ends the process if it comes in a paint.
    """

    def __init__(self, plot: PlotBox, colours: Roles) -> None:
        super().__init__(plot)
        # Not the plot: it would be deleted with the last item that knows it, inside that item's own end.
        self._area, self._box, self._bounds = plot.area, plot.vb, QRectF()
        self.zoom_range: ZoomRange | None = None
        self._asked: Panel | None = None
        self._widest: Panel | None = None
        self._drawn: Drawing[Panel] | None = None
        self._take_font()
        self._stage = Stage(1.0, 1.0, self._style, colours)
        self.setZValue(1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        plot.area.geometryChanged.connect(self._follow)
        plot.vb.sigRangeChanged.connect(self._on_moved)

    def _take_font(self) -> None:
        """Draw and paint in the application's present font; what is remembered of it stays as long as it does."""
        self._font, self._style, self._painter = QFont(), screen_style(), PartsPainter()

    def _follow(self) -> None:
        # The bounds are stored, since Qt asks for them while it tears items down, when the box is already gone.
        self.prepareGeometryChange()
        self.setPos(self._area.pos())
        self._bounds = self.parentItem().boundingRect().translated(-self._area.pos())
        self.redraw()

    def _on_moved(self, *_: object) -> None:
        self._box.updateMatrix()  # now: the next turn of a wheel may come before the next paint
        self.redraw()

    def boundingRect(self) -> QRectF:
        """The plot's rectangle."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Empty, so that the mouse goes through."""
        return QPainterPath()

    def redraw(self) -> None:
        """Draw again before the next look."""
        self._drawn = None
        self.update()

    def show_panel(self, panel: Panel) -> None:
        """Show a panel that rests."""
        if self._widest is None or not self.drawing().has_room_for(panel):
            self._widest = panel
        self._asked, self._stage = panel, replace(self._stage, motion=None, moment=REST)
        if (found := zoom_range(panel)) != self.zoom_range:
            self.zoom_range = found
            self.show_all()
        self.redraw()

    @property
    def shown(self) -> Panel:
        """The panel; once drawn, what of it has room."""
        assert self._asked is not None
        return self._drawn.panel if self._drawn else self._asked

    def take_stage(self, stage: Stage) -> None:
        """Draw on another stage what is shown."""
        former = self._stage
        self._stage = replace(stage, marked=former.marked, motion=former.motion, moment=former.moment)
        self.redraw()

    def show_moment(self, motion: Motion, now: Moment) -> None:
        """Draw a moment of the way to the panel that is shown."""
        self._stage = replace(self._stage, motion=None if now == REST else motion, moment=now)
        self.redraw()

    def mark(self, pointer: Pointer) -> None:
        """Bring out what a pointer names."""
        marked = self.drawing().marked_by(pointer)
        if marked != self.marked:
            self._stage = replace(self._stage, marked=marked)
            if self.drawing().is_marked_on_top:
                self.update()
            else:
                self.redraw()

    @property
    def marked(self) -> Hashable:
        """What a pointer has brought out."""
        return self._stage.marked

    def drawing(self) -> Drawing[Panel]:
        """What is drawn now."""
        if self._drawn is None:
            assert self._asked is not None
            if QFont() != self._font:
                self._take_font()
            area = self._area.geometry()
            size = {"width": max(1.0, area.width()), "height": max(1.0, area.height())}
            stage = replace(self._stage, style=self._style, seen=self._seen(), **size)
            self._drawn = drawing(self._asked, stage, self._widest)
        return self._drawn

    def prepare(self) -> None:
        """Draw, and put the box in which the mouse pans and zooms where the values are: not in a paint, since Qt would crash."""
        plot, corner = self.drawing().plot, self._area.pos()
        _ = self.drawing().parts
        self._box.setGeometry(QRectF(plot.left, plot.top, plot.width, plot.height).translated(corner))
        self._box.updateMatrix()

    def _seen(self) -> Rect | None:
        """What is in sight of a panel that is zoomed."""
        if self.zoom_range is None:
            return None
        shown, ((left, right), (low, high)) = self.zoom_range.shown, self._box.viewRange()
        top, bottom = (high, low) if shown.top > shown.bottom else (low, high)
        slack = _ROUNDING * shown.width, _ROUNDING * shown.height
        apart = abs(left - shown.left), abs(right - shown.right), abs(top - shown.top), abs(bottom - shown.bottom)
        is_whole = max(apart[:2]) <= slack[0] and max(apart[2:]) <= slack[1]
        return None if is_whole else Rect(left, top, right, bottom)

    def show_all(self) -> None:
        """Show what is shown at first of a panel that can be zoomed."""
        box, can = self._box, self.zoom_range
        if can is None:
            return
        shown, limits, (least_along, least_down) = can.shown, can.limits, can.least
        box.invertY(shown.top < shown.bottom)
        box.setMouseEnabled(can.along, can.down)
        lowest, highest = sorted((limits.top, limits.bottom))
        box.setLimits(
            xMin=limits.left, xMax=limits.right, yMin=lowest, yMax=highest, minXRange=least_along, minYRange=least_down
        )
        box.setRange(QRectF(shown.left, min(shown.top, shown.bottom), shown.width, shown.height), padding=0)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint what `prepare` has drawn, then what the pointer brings out; an error while drawing here would end the process."""
        if self._drawn is not None:
            self._painter.paint(painter, self._drawn.parts)
            self._painter.paint(painter, self._drawn.draw_marked(self.marked))
