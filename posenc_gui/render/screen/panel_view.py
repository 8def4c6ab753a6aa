"""The view of a drawn panel: its plot and its title; of a map, what is in sight of the larger one that it is a part of."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.motion import Moment, Motion
from posenc_gui.render.layout.composition import title_lines
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.layout.type_sizes import Face
from posenc_gui.render.screen.drawn_item import DrawnItem, PlotBox
from posenc_gui.render.screen.fonts import font_of, line_height, measured

_NEAR = 32  # tokens along a side when zoomed in on one


class PanelView:
    """Shows a panel, which can be panned and zoomed if its drawing can."""

    def __init__(self, colours: Roles) -> None:
        self.plot = PlotBox()
        self.title = Title(self.plot, colours.ink)
        self._item = DrawnItem(self.plot, colours)

    @property
    def panel(self) -> Panel:
        """What is shown; once drawn, what of it has room."""
        return self._item.shown

    def drawing(self) -> Drawing[Panel]:
        """What is drawn now."""
        return self._item.drawing()

    def prepare(self) -> None:
        """Draw what has changed since it was seen last."""
        self._item.prepare()

    def show(self, panel: Panel) -> None:
        """Show a panel."""
        self.title.show_text(panel.title)
        self._item.show_panel(panel)

    def place(self, stage: Stage, above: float) -> None:
        """Take a stage, `above` deep below the title."""
        self.plot.leave_above(above)
        self._item.take_stage(stage)

    def show_moment(self, motion: Motion, now: Moment) -> None:
        """Draw a moment of the way to the panel that is shown; the next panel ends it."""
        self._item.show_moment(motion, now)

    def show_pointer(self, pointer: Pointer) -> None:
        """Bring out what a pointer names."""
        self._item.mark(pointer)

    def reset(self) -> None:
        """Show what is shown at first."""
        self._item.show_all()

    @property
    def zooms_curves(self) -> bool:
        """True for curves that can be zoomed along x."""
        zoom_range = self._item.zoom_range
        return zoom_range is not None and zoom_range.along and zoom_range.shown.top > zoom_range.shown.bottom

    def zoom_along(self, factor: float) -> None:
        """Show `factor` times as much of the x axis, around its middle."""
        self.plot.vb.scaleBy(x=factor)

    def contains(self, scene_position: QPointF) -> bool:
        """True if what is at a scene position can be read here."""
        return self.drawing().field.holds(*self._item.mapFromScene(scene_position).toTuple())

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        """A scene position in the panel's coordinates, as `read` and `pointer` take them."""
        point = self._item.mapFromScene(scene_position)
        return self.drawing().at(point.x(), point.y())


class Title(pg.GraphicsWidget):
    """A plot's title; pyqtgraph's own parses HTML and widens the plot beyond a narrow card."""

    def __init__(self, plot: PlotBox, ink: str) -> None:
        super().__init__(plot)  # the layout alone would not keep it alive
        self._ink, self._text, self._below, self._start = QColor(ink), "", 0.0, 0.0
        self._font = font_of(BODY, bold=True)
        plot.put_title(self)
        self.setFixedHeight(0.0)

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.update()

    def text(self) -> str:
        """The title's text."""
        return self._text

    def make_room(self, height: float, below: float = 0.0, start: float = 0.0) -> None:
        """Take this height, begin at `start`, and leave another height free below; a plot without a title takes it where one
        beside it has one."""
        if height + below != self.minimumHeight():
            self.setFixedHeight(height + below)
        if (below, start) != (self._below, self._start):
            self._below, self._start = below, start
            self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write all lines."""
        if self.rect().height() <= self._below:
            return
        painter.setFont(self._font)
        painter.setPen(self._ink)
        room = self.rect().adjusted(self._start, 0, 0, -self._below)
        face = Face(line_height(font=self._font), measured(self._font))
        lines = title_lines(visible(self._text), room.height(), room.width(), face)
        whole = QRectF(room.left(), 0, room.width() + 1, room.height())
        painter.drawText(whole, Qt.AlignmentFlag.AlignVCenter, "\n".join(lines))


class MapView(PanelView):
    """A map that can be zoomed and panned; of a larger one it may show a part."""

    @property
    def panel(self) -> Heatmap:
        panel = super().panel
        assert isinstance(panel, Heatmap)
        return panel

    @property
    def _whole(self) -> QRectF:
        """All that can be in sight."""
        assert self._item.zoom_range is not None
        whole = self._item.zoom_range.shown
        return QRectF(whole.left, whole.top, whole.width, whole.height)

    @property
    def closer(self) -> tuple[float, float]:
        """The zoom of a part, down and across: the size of cells relative to the whole map."""
        if self.panel.part is None:
            return 1.0, 1.0
        seen = self.plot.vb.viewRect()
        return self._whole.height() / seen.height(), self._whole.width() / seen.width()

    def seen(self) -> QRectF:
        """The visible rectangle, in rows and columns of the larger map: its first row spans 0 to 1."""
        return _in_items(self.panel, self.plot.vb.viewRect())

    def in_items(self, x: float, y: float) -> QPointF:
        """Convert this map's coordinates to rows and columns of the larger map."""
        return _in_items(self.panel, QRectF(x, y, 0, 0)).topLeft()

    def in_cells(self, items: QPointF) -> tuple[float, float]:
        """Convert a point of the larger map to this map's coordinates."""
        place = _in_cells(self.panel, QRectF(items, items)).topLeft()
        return place.x(), place.y()

    def place_of(self, token: int) -> tuple[float, float]:
        """Return the coordinates of the diagonal cell, in which a token is both query and key."""
        return (token, token) if self.panel.part is None else self.in_cells(QPointF(token + 0.5, token + 0.5))

    def look_at(self, items: QRectF) -> None:
        """Show this rectangle of the larger map, limited to the map."""
        self.plot.vb.setRange(_in_cells(self.panel, items) & self._whole, padding=0)

    def reaches(self, x: float, y: float) -> bool:
        """True if the map, or the larger one that it is a part of, has a cell there."""
        return self._whole.contains(x, y)

    def bring(self, x: float, y: float) -> None:
        """Scroll so that a point that isn't visible is in the centre."""
        seen = QRectF(self.plot.vb.viewRect())
        if not seen.contains(x, y):
            seen.moveCenter(QPointF(x, y))
            self._stay_inside(seen)

    def zoom(self, factor: float, around: tuple[float, float] | None) -> None:
        """Show `factor` times as much, around a visible point, or else around the middle."""
        seen = QRectF(self.plot.vb.viewRect())
        centre = QPointF(*around) if around and seen.contains(*around) else seen.center()
        self._stay_inside(QRectF(centre + (seen.topLeft() - centre) * factor, seen.size() * factor))

    def approach(self, x: float, y: float) -> None:
        """Zoom in around a point until single tokens are shown; at least one whole block stays visible."""
        part = self.panel.part
        height, width = (part.height, part.width) if part else (1, 1)
        near = QRectF(round(x) - 0.5, round(y) - 0.5, 1, 1)
        wider, higher = max(0, _NEAR - width) // 2 / width, max(0, _NEAR - height) // 2 / height
        self._stay_inside(near.adjusted(-wider, -higher, wider, higher))

    def pan(self, right: float, down: float) -> None:
        """Pan by fractions of the visible width and height."""
        seen = QRectF(self.plot.vb.viewRect())
        self._stay_inside(seen.translated(right * seen.width(), down * seen.height()))

    def _stay_inside(self, seen: QRectF) -> None:
        """Show this rectangle, shrunk and moved into the map."""
        whole = self._whole
        seen.setSize(seen.size().boundedTo(whole.size()))
        seen.moveLeft(min(max(seen.left(), whole.left()), whole.right() - seen.width()))
        seen.moveTop(min(max(seen.top(), whole.top()), whole.bottom() - seen.height()))
        self.plot.vb.setRange(seen, padding=0)


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
