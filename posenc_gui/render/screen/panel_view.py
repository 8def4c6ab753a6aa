"""The view of a drawn panel, which is painted with its title and drawn again with every change."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsObject

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import Drawing, Stage, ZoomRange
from posenc_gui.render.drawings.kinds import drawing, zoom_range
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.drawings.parts import Text
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter

_ROUNDING = 1e-6  # of what is shown at first


class PanelView(QGraphicsObject):
    """Shows a panel, which can be panned and zoomed if its drawing can; the corner of its stage is the origin.

    It is drawn when someone looks: what changes before that costs nothing. `vb` is the box in which the mouse pans and zooms.
    Callers don't let views know each other, so that none waits for the garbage collector, which ends the process if it comes
    in a paint.
    """

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self.vb = pg.ViewBox(self, enableMenu=False)
        self.vb.setMouseEnabled(False, False)
        self.vb.setDefaultPadding(0)
        self._bounds = QRectF()
        self._title: tuple[Text, ...] = ()
        self._zoom_range: ZoomRange | None = None
        self._asked: Panel | None = None
        self._widest: Panel | None = None
        self._drawn: Drawing[Any] | None = None
        self._take_font()
        self._stage = Stage(1.0, 1.0, self._style, colours)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.vb.sigRangeChanged.connect(self._on_moved)

    def _take_font(self) -> None:
        """Draw and paint in the application's present font; what is remembered of it stays as long as it does."""
        self._font, self._style, self._painter = QFont(), screen_style(), PartsPainter()

    def _on_moved(self, *_: object) -> None:
        self.vb.updateMatrix()  # now: the next turn of a wheel may come before the next paint
        self._redraw()

    def boundingRect(self) -> QRectF:
        """The room of the panel with its title."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Empty, so that the mouse goes through."""
        return QPainterPath()

    def _redraw(self) -> None:
        """Draw again before the next look."""
        self._drawn = None
        self.update()

    def show_panel(self, panel: Panel) -> None:
        """Show a panel that rests."""
        if self._widest is None or not self.drawing().has_room_for(panel):
            self._widest = panel
        self._asked, self._stage = panel, replace(self._stage, motion=None, moment=REST)
        if (found := zoom_range(panel)) != self._zoom_range:
            self._zoom_range = found
            self.show_all()
        self._redraw()

    @property
    def shown(self) -> Any:
        """The panel; once drawn, what of it has room."""
        return self._drawn.panel if self._drawn else self._asked

    def place(self, stage: Stage, corner: QPointF, room: QRectF, title: Iterable[Text]) -> None:
        """Draw on a stage; its corner, its room with the title, and the title are in pixels of the view."""
        former, bounds = self._stage, room.translated(-corner)
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.setPos(corner)
        self._title = tuple(replace(line, x=line.x - corner.x(), y=line.y - corner.y()) for line in title)
        self._stage = replace(stage, marked=former.marked, motion=former.motion, moment=former.moment)
        self._redraw()

    def show_moment(self, motion: Motion, now: Moment) -> None:
        """Draw a moment of the way to the panel that is shown; the next panel ends it."""
        self._stage = replace(self._stage, motion=None if now == REST else motion, moment=now)
        self._redraw()

    def show_pointer(self, pointer: Pointer) -> None:
        """Bring out what a pointer names."""
        marked = self.drawing().marked_by(pointer)
        if marked != self.marked:
            self._stage = replace(self._stage, marked=marked)
            if self.drawing().is_marked_on_top:
                self.update()
            else:
                self._redraw()

    @property
    def marked(self) -> Hashable:
        """What a pointer has brought out."""
        return self._stage.marked

    def drawing(self) -> Drawing[Any]:
        """What is drawn now."""
        if self._drawn is None:
            assert self._asked is not None
            if QFont() != self._font:
                self._take_font()
            stage = replace(self._stage, style=self._style, seen=self._seen())
            self._drawn = drawing(self._asked, stage, self._widest)
        return self._drawn

    def prepare(self) -> None:
        """Draw, and put the box in which the mouse pans and zooms where the values are: not in a paint, since Qt would crash."""
        plot = self.drawing().plot
        _ = self.drawing().parts
        self.vb.setGeometry(QRectF(plot.left, plot.top, plot.width, plot.height))
        self.vb.updateMatrix()

    def _seen(self) -> Rect | None:
        """What is in sight of a panel that is zoomed."""
        if self._zoom_range is None:
            return None
        shown, ((left, right), (low, high)) = self._zoom_range.shown, self.vb.viewRange()
        top, bottom = (high, low) if shown.top > shown.bottom else (low, high)
        slack = _ROUNDING * shown.width, _ROUNDING * shown.height
        apart = abs(left - shown.left), abs(right - shown.right), abs(top - shown.top), abs(bottom - shown.bottom)
        is_whole = max(apart[:2]) <= slack[0] and max(apart[2:]) <= slack[1]
        return None if is_whole else Rect(left, top, right, bottom)

    def show_all(self) -> None:
        """Show what is shown at first of a panel that can be zoomed."""
        box, can = self.vb, self._zoom_range
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

    @property
    def zooms_curves(self) -> bool:
        """True for curves that can be zoomed along x."""
        can = self._zoom_range
        return can is not None and can.along and can.shown.top > can.shown.bottom

    def holds(self, scene_position: QPointF) -> bool:
        """True if what is at a scene position can be read here."""
        return self.drawing().field.holds(*self.mapFromScene(scene_position).toTuple())

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        """A scene position in the panel's coordinates, as `read` and `pointer` take them."""
        return self.drawing().at(*self.mapFromScene(scene_position).toTuple())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint the title and what `prepare` has drawn, then what the pointer brings out; an error while drawing here would
        end the process."""
        self._painter.paint(painter, self._title)
        if self._drawn is not None:
            self._painter.paint(painter, self._drawn.parts)
            self._painter.paint(painter, self._drawn.draw_marked(self.marked))
