"""The view of a drawn panel, which is painted with its title and drawn again with every change; and what maps have beside."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsObject

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import Drawing, Stage, ZoomRange
from posenc_gui.render.drawings.kinds import drawing, zoom_range
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.drawings.parts import Text
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter

_ROUNDING = 1e-6  # of what is shown at first
_NEAR = 32  # tokens along a side when zoomed in on one


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
        self.title: tuple[Text, ...] = ()  # line by line
        self._zoom_range: ZoomRange | None = None
        self._asked: Panel | None = None
        self._widest: Panel | None = None
        self._drawn: Drawing[Panel] | None = None
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
        """Show a panel that rests; one that does so already isn't drawn again."""
        if panel is self._asked and self._stage.motion is None:
            return
        if self._widest is None or not self.drawing().has_room_for(panel):
            self._widest = panel
        self._asked, self._stage = panel, replace(self._stage, motion=None, moment=REST)
        if (found := zoom_range(panel)) != self._zoom_range:
            self._zoom_range = found
            self.show_all()
        self._redraw()

    @property
    def shown(self) -> Panel:
        """The panel; once drawn, what of it has room."""
        assert self._asked is not None
        return self._drawn.panel if self._drawn else self._asked

    def place(self, stage: Stage, corner: QPointF, room: QRectF, title: Iterable[Text]) -> None:
        """Draw on a stage; its corner, its room with the title, and the title are in pixels of the view."""
        former, bounds = self._stage, room.translated(-corner)
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.setPos(corner)
        titled = tuple(replace(line, x=line.x - corner.x(), y=line.y - corner.y()) for line in title)
        staged = replace(stage, marked=former.marked, motion=former.motion, moment=former.moment)
        if (titled, staged) != (self.title, self._stage):
            self.title, self._stage = titled, staged
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

    def drawing(self) -> Drawing[Panel]:
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
        self._painter.paint(painter, self.title)
        if self._drawn is not None:
            self._painter.paint(painter, self._drawn.parts)
            self._painter.paint(painter, self._drawn.draw_marked(self.marked))


class MapView(PanelView):
    """A map that can be zoomed and panned; of a larger one it may show a part."""

    @property
    def shown(self) -> Heatmap:
        panel = super().shown
        assert isinstance(panel, Heatmap)
        return panel

    @property
    def _whole(self) -> QRectF:
        """All that can be in sight."""
        assert self._zoom_range is not None
        whole = self._zoom_range.shown
        return QRectF(whole.left, whole.top, whole.width, whole.height)

    @property
    def closer(self) -> tuple[float, float]:
        """The zoom of a part, down and across: the size of cells relative to the whole map."""
        if self.shown.part is None:
            return 1.0, 1.0
        seen = self.vb.viewRect()
        return self._whole.height() / seen.height(), self._whole.width() / seen.width()

    def seen(self) -> QRectF:
        """The visible rectangle, in rows and columns of the larger map: its first row spans 0 to 1."""
        return _in_items(self.shown, self.vb.viewRect())

    def in_items(self, x: float, y: float) -> QPointF:
        """Convert this map's coordinates to rows and columns of the larger map."""
        return _in_items(self.shown, QRectF(x, y, 0, 0)).topLeft()

    def in_cells(self, items: QPointF) -> tuple[float, float]:
        """Convert a point of the larger map to this map's coordinates."""
        place = _in_cells(self.shown, QRectF(items, items)).topLeft()
        return place.x(), place.y()

    def place_of(self, token: int) -> tuple[float, float]:
        """Return the coordinates of the diagonal cell, in which a token is both query and key."""
        return (token, token) if self.shown.part is None else self.in_cells(QPointF(token + 0.5, token + 0.5))

    def look_at(self, items: QRectF) -> None:
        """Show this rectangle of the larger map, limited to the map."""
        self.vb.setRange(_in_cells(self.shown, items) & self._whole, padding=0)

    def reaches(self, x: float, y: float) -> bool:
        """True if the map, or the larger one that it is a part of, has a cell there."""
        return self._whole.contains(x, y)

    def bring(self, x: float, y: float) -> None:
        """Scroll so that a point that isn't visible is in the centre."""
        seen = QRectF(self.vb.viewRect())
        if not seen.contains(x, y):
            seen.moveCenter(QPointF(x, y))
            self._stay_inside(seen)

    def zoom(self, factor: float, around: tuple[float, float] | None) -> None:
        """Show `factor` times as much, around a visible point, or else around the middle."""
        seen = QRectF(self.vb.viewRect())
        centre = QPointF(*around) if around and seen.contains(*around) else seen.center()
        self._stay_inside(QRectF(centre + (seen.topLeft() - centre) * factor, seen.size() * factor))

    def approach(self, x: float, y: float) -> None:
        """Zoom in around a point until single tokens are shown; at least one whole block stays visible."""
        part = self.shown.part
        height, width = (part.height, part.width) if part else (1, 1)
        near = QRectF(round(x) - 0.5, round(y) - 0.5, 1, 1)
        wider, higher = max(0, _NEAR - width) // 2 / width, max(0, _NEAR - height) // 2 / height
        self._stay_inside(near.adjusted(-wider, -higher, wider, higher))

    def pan(self, right: float, down: float) -> None:
        """Pan by fractions of the visible width and height."""
        seen = QRectF(self.vb.viewRect())
        self._stay_inside(seen.translated(right * seen.width(), down * seen.height()))

    def _stay_inside(self, seen: QRectF) -> None:
        """Show this rectangle, shrunk and moved into the map."""
        whole = self._whole
        seen.setSize(seen.size().boundedTo(whole.size()))
        seen.moveLeft(min(max(seen.left(), whole.left()), whole.right() - seen.width()))
        seen.moveTop(min(max(seen.top(), whole.top()), whole.bottom() - seen.height()))
        self.vb.setRange(seen, padding=0)


def _in_cells(panel: Heatmap, items: QRectF) -> QRectF:
    """Convert a rectangle from the larger map's rows and columns to this part's coordinates."""
    part = panel.part
    if part is None:
        return items
    left, top = panel.columns.first - 0.5, panel.rows.first - 0.5
    x, y = (items.left() - part.columns.start) / part.width, (items.top() - part.rows.start) / part.height
    return QRectF(left + x, top + y, items.width() / part.width, items.height() / part.height)


def _in_items(panel: Heatmap, cells: QRectF) -> QRectF:
    """Convert a rectangle from this part's coordinates to rows and columns of the larger map."""
    part = panel.part
    if part is None:
        return cells
    x, y = cells.left() - panel.columns.first + 0.5, cells.top() - panel.rows.first + 0.5
    return QRectF(
        part.columns.start + x * part.width,
        part.rows.start + y * part.height,
        cells.width() * part.width,
        cells.height() * part.height,
    )
