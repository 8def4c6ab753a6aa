"""What the views of all panels share: a plot item, its title and its crosshair."""

from __future__ import annotations

import html
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
)

from posenc_gui.figure import Pointer
from posenc_gui.look import BODY, Roles
from posenc_gui.render.screen.fonts import font_of

_TITLE_PIXELS = 24.0


Spot = tuple[int, float]  # where the keyboard's pointer stands, in the panel's coordinates


class PanelView:
    """One panel: a plot item, its crosshair, and how it is shown whole."""

    panel: Any
    width = 400  # preferred, and with it the panel's share of what there is

    def __init__(self, colours: Roles, axes: dict[str, pg.AxisItem]) -> None:
        self.colours = colours
        self._titles: tuple[str, dict[str, str]] = "", {}
        self.plot = pg.PlotItem(axisItems=axes, enableMenu=False)  # pyqtgraph's own menu leads to exporters that fail
        self.title = Title(self.plot, colours.ink)
        self.plot.hideButtons()
        pen = pg.mkPen(colours.muted, width=1, style=Qt.PenStyle.DashLine)
        self._cross = [pg.InfiniteLine(angle=angle, pen=pen, movable=False) for angle in (90, 0)]
        for line in self._cross:
            line.setZValue(20)
            line.hide()
            self.plot.addItem(line, ignoreBounds=True)

    def set_titles(self, title: str, **axes: str) -> None:
        """Name the plot and its axes, where that is new: pyqtgraph lays everything out again each time."""
        if self._titles == (title, axes):
            return
        self._titles = title, axes
        self.title.show_text(title)
        for side, name in axes.items():
            self.plot.getAxis(side).setLabel(html.escape(name), color=self.colours.muted)

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

    def show_crosshair(self, x: int | None, y: int | None) -> None:
        for line, at in zip(self._cross, (x, y), strict=True):
            line.setVisible(at is not None)
            if at is not None:
                line.setValue(at)


class PixelItem(pg.GraphicsObject):
    """What is painted in pixels of the view box that it fills, under the crosshair."""

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


class Title(pg.GraphicsWidget):
    """A plot's title in place of pyqtgraph's own, which reads HTML and pushes the plot out of a card that is too narrow."""

    def __init__(self, plot: pg.PlotItem, ink: str) -> None:
        super().__init__(plot)  # the layout alone would not keep it alive
        self._ink, self._text = QColor(ink), ""
        self._font = font_of(BODY, bold=True)
        self.setFixedHeight(_TITLE_PIXELS)
        plot.layout.removeItem(plot.titleLabel)
        plot.titleLabel.setParentItem(None)
        plot.titleLabel = self  # a label that stays in the plot but not in its layout crashes the process at its end
        self._box = plot.vb
        plot.layout.addItem(self, 0, 0, 1, 3)  # above the axes too

    def show_text(self, text: str) -> None:
        self._text = text
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setFont(self._font)
        painter.setPen(self._ink)
        room, metrics = self.rect(), QFontMetricsF(self._font)
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, room.width())
        width = metrics.horizontalAdvance(shown) + 1
        # Over the middle of the view box, or as near as it fits.
        left = self.mapRectFromItem(self._box, self._box.rect()).center().x() - width / 2
        left = max(0.0, min(left, room.width() - width))
        painter.drawText(QRectF(left, 0, width, room.height()), Qt.AlignmentFlag.AlignVCenter, shown)
