"""A flow on the screen: painted in one item, laid out again with every figure and every move to another row."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QPainter

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Flow
from posenc_gui.figure.panels.flow import COLUMNS, HEADINGS
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.flow.draw import FlowDrawing, draw_flow
from posenc_gui.render.screen.drawing import DrawingPainter
from posenc_gui.render.screen.fonts import screen_style
from posenc_gui.render.screen.panel_view import PanelView, PixelItem, Spot


class FlowView(PanelView):
    """One query's way; a row is marked while the pointer is on its key, here or in another plot."""

    def __init__(self, colours: Roles) -> None:
        super().__init__(colours, {})
        self.plot.vb.setMouseEnabled(False, False)
        self._way = _Way(colours, self.plot.vb)
        self.plot.vb.sigResized.connect(self._on_resized)

    def show(self, panel: Flow) -> None:
        self._way.show_flow(panel)
        self.title.show_text(panel.title)
        self._take_panel()

    def _on_resized(self) -> None:
        self._way.lay_out()
        self._take_panel()

    def _take_panel(self) -> None:
        """Point into what is drawn: where room is short, it has fewer keys."""
        if self._way.drawn is not None:
            self.panel = self._way.drawn.sheet.panel

    def drawing(self) -> FlowDrawing:
        """Return what is drawn."""
        assert self._way.drawn is not None
        return self._way.drawn

    def show_pointer(self, pointer: Pointer) -> None:
        self._way.mark(pointer.along("key"))

    def reset(self) -> None:
        """A flow is always whole."""

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        point = self._way.mapFromScene(scene_position)
        return self.drawing().at(point.x(), point.y())

    def pressed(self, x: float, y: float) -> Pointer:
        return self.drawing().sheet.panel.pressed(x, y)

    def door(self, x: float, y: float) -> str:
        return self.drawing().sheet.panel.door(x, y)

    def start(self) -> Spot:
        return 0, self.drawing().sheet.marked

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        column = x + dx
        while 0 <= column < len(COLUMNS) and COLUMNS[column] not in self.drawing().sheet.columns.contents:
            column += dx
        return column, max(HEADINGS, round(y) + dy)


class _Way(PixelItem):
    """The painted flow."""

    def __init__(self, colours: Roles, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._colours = colours
        self._panel: Flow | None = None
        self._key: int | None = None
        self._take_font()
        self.drawn: FlowDrawing | None = None

    def show_flow(self, panel: Flow) -> None:
        self._panel = panel
        self.lay_out()

    def mark(self, key: int | None) -> None:
        """Mark the row of the key at this position; that of the pinned one if it isn't shown."""
        if key != self._key:
            self._key = key
            self.lay_out()

    def lay_out(self) -> None:
        """Find the places of everything in the box's present size."""
        if self._panel is not None:
            room = self.boundingRect()
            size = max(1.0, room.width()), max(1.0, room.height())
            if QFont() != self._font:
                self._take_font()
            self.drawn = draw_flow(self._panel, *size, self._style, self._colours, key=self._key)
            self.update()

    def _take_font(self) -> None:
        """Lay out and paint in the application's present font; what is remembered of it stays as long as it does."""
        self._font, self._style, self._painter = QFont(), screen_style(), DrawingPainter()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Paint all parts."""
        if self.drawn is not None:
            self._painter.paint(painter, self.drawn.parts)
