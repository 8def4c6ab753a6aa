"""Heatmaps on the screen: cells, their labels and numbers, and the colour bar."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
)
from PySide6.QtWidgets import (
    QGraphicsPathItem,
    QGraphicsRectItem,
)

from posenc_gui.figure import (
    Axis,
    Heatmap,
    Pointer,
)
from posenc_gui.look import Roles
from posenc_gui.render.colours import Colours, ink_on, lookup_table
from posenc_gui.render.maps import cell_texts
from posenc_gui.render.screen.axes import CellAxis, ValueAxis
from posenc_gui.render.screen.colours import colours_of
from posenc_gui.render.screen.panel import PanelView, Spot, Title

_CELL_AIR = 2.0  # pixels at each side of a cell's number
_BAR_PIXELS = 64.0  # the colour bar and its numbers
_MOST_CELLS_WITH_TEXT = 16 * 16


class HeatmapView(PanelView):
    def __init__(self, colours: Roles) -> None:
        self._rows, self._columns = CellAxis("left", colours), CellAxis("top", colours)
        super().__init__(colours, {"left": self._rows, "top": self._columns})
        self.plot.showAxes((True, True, False, False))
        self.plot.vb.invertY(True)
        self.plot.vb.setDefaultPadding(0)
        self._image = pg.ImageItem(axisOrder="row-major")
        self._numbers = _CellNumbers()
        self._focus = QGraphicsRectItem()
        pen = QPen(QColor(colours.focus), 2.5)
        pen.setCosmetic(True)
        self._focus.setPen(pen)
        self._focus.setZValue(10)
        self._equal = QGraphicsPathItem()
        twin = QPen(QColor(colours.twin), 1.5, Qt.PenStyle.DashLine)
        twin.setCosmetic(True)
        self._equal.setPen(twin)
        self._equal.setZValue(9)
        for item in (self._image, self._numbers, self._equal, self._focus):
            self.plot.addItem(item)
        self._extent = QRectF()

    def show(self, panel: Heatmap) -> None:
        self.panel = panel
        rows, columns = panel.values.shape
        extent = QRectF(panel.columns.first - 0.5, panel.rows.first - 0.5, columns, rows)
        colours = colours_of(panel, self.colours)
        self._image.setImage(colours, levels=None, autoLevels=False)
        self._image.setRect(extent)
        self._numbers.set_map(panel, colours)
        self._rows.set_cells(panel.rows, rows)
        self._columns.set_cells(panel.columns, columns)
        self.set_titles(panel.title)
        self._equal.setPath(_outlines(panel.equal, extent))
        focus = panel.rows.focus
        self._focus.setVisible(focus is not None and panel.rows.first <= focus < panel.rows.first + rows)
        if focus is not None:
            self._focus.setRect(QRectF(extent.left(), focus - 0.5, columns, 1))
        if extent != self._extent:
            self._extent = extent
            self.reset()

    def show_pointer(self, pointer: Pointer) -> None:
        self.show_crosshair(pointer.along(self.panel.columns.role), pointer.along(self.panel.rows.role))

    def reset(self) -> None:
        extent = self._extent
        self.plot.vb.setLimits(
            xMin=extent.left(), xMax=extent.right(), yMin=extent.top(), yMax=extent.bottom(),
            minXRange=min(2.0, extent.width()), minYRange=min(2.0, extent.height()),
        )  # fmt: skip
        self.plot.setRange(extent, padding=0)

    def start(self) -> Spot:
        rows: Axis = self.panel.rows
        focus = rows.focus
        inside = focus is not None and 0 <= focus - rows.first < len(self.panel.values)
        return self.panel.columns.first, focus if focus is not None and inside else rows.first


class _CellNumbers(pg.GraphicsObject):
    """The values of a small map, each in its cell, in the ink that its colour needs."""

    def __init__(self) -> None:
        super().__init__()
        self._cells: list[tuple[float, float, tuple[str, str], str]] = []
        self._bounds = QRectF()

    def set_map(self, panel: Heatmap, colours: Colours) -> None:
        self.prepareGeometryChange()
        rows, columns = panel.values.shape
        self._bounds = QRectF(panel.columns.first - 0.5, panel.rows.first - 0.5, columns, rows)
        self._cells = []
        if rows * columns <= _MOST_CELLS_WITH_TEXT:
            self._cells = [
                (
                    column + panel.columns.first,
                    row + panel.rows.first,
                    cell_texts(float(panel.values[row, column])),
                    ink_on(*colours[row, column].tolist()),
                )
                for row in range(rows)
                for column in range(columns)
                if not panel.is_masked(row, column)
            ]
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The map's extent."""
        return self._bounds

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write the numbers in pixels, not in the map's units; none where one is too long for its cell."""
        transform = painter.transform()
        cell = transform.mapRect(QRectF(0, 0, 1, 1))
        ratio = painter.device().devicePixelRatioF()
        font = QFont()
        font.setPixelSize(int(max(9, min(14, cell.width() / ratio / 4)) * ratio))
        room = cell.width() - 2 * _CELL_AIR * ratio
        if cell.height() < 14 * ratio or self._widest(font) > room:
            return
        painter.save()
        painter.resetTransform()
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        for x, y, (long, short), ink in self._cells:
            text = long if long == short or metrics.horizontalAdvance(long) <= room else short
            centre = transform.map(QPointF(x, y))
            box = QRectF(centre.x() - cell.width() / 2, centre.y() - cell.height() / 2, cell.width(), cell.height())
            painter.setPen(QColor(ink))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()

    def _widest(self, font: QFont) -> float:
        metrics = QFontMetricsF(font)
        return max(
            (metrics.horizontalAdvance(text) for text in {short for _, _, (_, short), _ in self._cells}), default=0.0
        )


class ColourBar:
    """The colours of one scale and range, as high as the maps that have it."""

    def __init__(self, colours: Roles) -> None:
        self._colours = colours
        self._numbers = ValueAxis("right", colours)
        self.plot = pg.PlotItem(axisItems={"right": self._numbers}, enableMenu=False)
        self.plot.hideButtons()
        self.plot.showAxes((False, True, True, False), showValues=(False, False, True, False))
        self.plot.getAxis("top").setPen(colours.card)
        self.plot.getAxis("top").setStyle(tickLength=0)
        self.plot.setMouseEnabled(False, False)
        self.plot.vb.setDefaultPadding(0)
        self.plot.setFixedWidth(_BAR_PIXELS)
        self._title = Title(self.plot, colours.ink)  # empty, and as high as those of the maps
        self._image = pg.ImageItem(axisOrder="row-major")
        self.plot.addItem(self._image)

    def range(self) -> tuple[float, float]:
        """The numbers at its lower and its upper end; their logarithms where it goes by those."""
        rect = self.plot.viewRect()
        return rect.top(), rect.bottom()

    def show(self, panel: Heatmap) -> None:
        self._image.setImage(lookup_table(panel.scale, self._colours)[:, None, :], levels=None, autoLevels=False)
        self._numbers.set_log(panel.log)
        low, high = (math.log10(at) if panel.log else at for at in (panel.low, panel.high))
        extent = QRectF(0, low, 1, high - low)
        self._image.setRect(extent)
        self.plot.setRange(extent, padding=0)


def _outlines(equal: frozenset[int], extent: QRectF) -> QPainterPath:
    """The outlines of these rows and columns of a map."""
    path = QPainterPath()
    for at in sorted(equal):
        path.addRect(QRectF(extent.left(), at - 0.5, extent.width(), 1))
        path.addRect(QRectF(at - 0.5, extent.top(), 1, extent.height()))
    return path
