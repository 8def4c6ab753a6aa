"""The view of a drawn panel: its plot and its title."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Panel
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.motion import Moment, Motion
from posenc_gui.render.layout.composition import title_lines
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.layout.type_sizes import Face
from posenc_gui.render.screen.drawn_item import DrawnItem
from posenc_gui.render.screen.fonts import font_of, line_height, measured
from posenc_gui.render.screen.plot_item import PlotBox


class PanelView:
    """Shows a panel, which can be panned and zoomed if its drawing can."""

    def __init__(self, colours: Roles) -> None:
        self.plot = PlotBox()
        self.title = Title(self.plot, colours.ink)
        self._item = DrawnItem(self.plot, colours)

    @property
    def panel(self) -> Any:
        """What is shown; once drawn, what of it has room."""
        return self._item.panel

    def drawing(self) -> Drawing[Any]:
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
