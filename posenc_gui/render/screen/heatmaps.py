"""Heatmaps on the screen: cells, their labels and numbers, and the colour bar."""

from __future__ import annotations

import math

import numpy as np
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
from posenc_gui.render.screen.colours import ScreenColours, colours_of, lookup_table
from posenc_gui.render.screen.panel import PanelView, Title
from posenc_gui.render.screen.words import elided

_CELL_TEXT_PIXELS = 24.0  # a cell narrower than this shows no number
_BAR_PIXELS = 64.0  # the colour bar and its numbers
_MOST_CELLS_WITH_TEXT = 16 * 16


class HeatmapView(PanelView):
    def __init__(self, colours: ScreenColours) -> None:
        self._rows, self._columns = _CellAxis("left", colours), _CellAxis("top", colours)
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
        colours = colours_of(panel)
        if panel.mask is not None:
            colours[panel.mask] = QColor(self.colours.masked).getRgb()[:3]
        self._image.setImage(colours, levels=None, autoLevels=False)
        self._image.setRect(extent)
        self._numbers.set_map(panel, colours)
        self._rows.set_cells(panel.rows, rows)
        self._columns.set_cells(panel.columns, columns)
        self.set_titles(panel.title)
        self._equal.setPath(_outlines(panel.equal, extent))
        focus = panel.rows.focus
        shown = focus is not None and panel.rows.first <= focus < panel.rows.first + rows
        self._focus.setVisible(shown)
        if shown:
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

    def start(self) -> tuple[int, int]:
        focus = self.panel.rows.focus
        inside = focus is not None and 0 <= focus - self.panel.rows.first < len(self.panel.values)
        return self.panel.columns.first, focus if inside else self.panel.rows.first


class _CellAxis(pg.AxisItem):
    """Ticks at the cells of a map: token labels, level where they fit and upright where not, thinned where they crowd."""

    def __init__(self, orientation: str, colours: ScreenColours) -> None:
        super().__init__(orientation, pen=colours.grid, showValues=True)
        self._colours = colours
        self._axis = Axis("position", "")
        self._count = 1
        self._texts: list[str] = []
        self._widest = 0.0
        self.setStyle(tickLength=0)

    def set_cells(self, axis: Axis, count: int) -> None:
        if (axis, count) == (self._axis, self._count):
            return
        self._axis, self._count = axis, count
        font = QFont()
        self._texts = [elided(label, font) for label in axis.labels]
        metrics = QFontMetricsF(font)
        last = str(axis.first + count - 1)
        self._widest = max(metrics.horizontalAdvance(text) for text in set(self._texts or [last]))
        self._fit()
        self.picture = None
        self.update()

    def linkedViewChanged(self, view: pg.ViewBox, newRange: object = None) -> None:  # noqa: N802, N803
        """Choose level or upright labels again when the cells change their size."""
        super().linkedViewChanged(view, newRange)
        self._fit()

    def generateDrawSpecs(self, painter: QPainter) -> tuple:  # noqa: N802
        """No ticks and no lines of pyqtgraph's own."""
        bounds = self.mapRectFromParent(self.geometry())
        return (self.pen(), bounds.topLeft(), bounds.topLeft()), [], []

    def drawPicture(self, painter: QPainter, *_: object) -> None:  # noqa: N802
        """Draw the labels of the visible cells."""
        view = self.linkedView()
        if view is None:
            return
        low, high = sorted(self.range)
        length = view.width() if self.orientation == "top" else view.height()
        if length < 1:  # a card made very small has no room for cells
            return
        pixels = length / max(high - low, 1e-9)
        painter.setFont(QFont())
        line = QFontMetricsF(QFont()).height()
        upright = self.orientation == "top" and self._is_upright(pixels)
        room = self._widest + 8 if self.orientation == "top" and not upright else line
        step = self._step(room / pixels)
        first = self._axis.first
        for index in range(max(0, math.ceil(low - first)), min(self._count - 1, math.floor(high - first)) + 1):
            if (index + (0 if self._texts else first)) % step:
                continue
            coordinate = first + index
            text = self._texts[index] if self._texts else str(coordinate)
            painter.setPen(QColor(self._colour(coordinate)))
            self._draw_label(painter, text, (coordinate - low) * pixels, upright)

    def _draw_label(self, painter: QPainter, text: str, along: float, upright: bool) -> None:
        bounds = self.boundingRect()
        flags = Qt.AlignmentFlag
        if self.orientation == "left":
            box = QRectF(bounds.left(), along - 12, bounds.width() - 6, 24)
            painter.drawText(box, flags.AlignRight | flags.AlignVCenter, text)
        elif not upright:
            box = QRectF(along - self._widest, 0, 2 * self._widest, self.height() - 3)
            painter.drawText(box, flags.AlignHCenter | flags.AlignBottom, text)
        else:
            painter.save()
            painter.translate(along, self.height() - 4)
            painter.rotate(-90)
            painter.drawText(QRectF(0, -12, self._widest + 2, 24), flags.AlignLeft | flags.AlignVCenter, text)
            painter.restore()

    def _colour(self, coordinate: int) -> str:
        if coordinate == self._axis.focus:
            return self._colours.focus
        return self._colours.twin if coordinate in self._axis.twins else self._colours.ink

    def _is_upright(self, pixels: float) -> bool:
        return bool(self._texts) and self._widest + 6 > pixels

    def _step(self, cells: float) -> int:
        """How many cells from label to label: round numbers where the labels are numbers."""
        if cells <= 1 or self._texts:
            return max(1, math.ceil(cells))
        power = 10 ** math.floor(math.log10(cells))
        return next(int(factor * power) for factor in (1, 2, 5, 10) if factor * power >= cells)

    def _fit(self) -> None:
        line = QFontMetricsF(QFont()).height()
        if self.orientation == "left":
            self.setWidth(self._widest + 12)
            return
        view = self.linkedView()
        low, high = sorted(self.range)
        pixels = view.width() / max(high - low, 1e-9) if view else 100.0
        self.setHeight((self._widest if self._is_upright(pixels) else line) + 8)


class _CellNumbers(pg.GraphicsObject):
    """The values of a small map, each in its cell, in the ink that its colour needs."""

    def __init__(self) -> None:
        super().__init__()
        self._cells: list[tuple[float, float, str, str]] = []
        self._bounds = QRectF()

    def set_map(self, panel: Heatmap, colours: np.ndarray) -> None:
        self.prepareGeometryChange()
        rows, columns = panel.values.shape
        self._bounds = QRectF(panel.columns.first - 0.5, panel.rows.first - 0.5, columns, rows)
        self._cells = []
        if rows * columns <= _MOST_CELLS_WITH_TEXT:
            luminance = colours @ np.array([0.299, 0.587, 0.114])
            self._cells = [
                (
                    column + panel.columns.first,
                    row + panel.rows.first,
                    f"{panel.values[row, column] + 0.0:.2f}".replace("-", "−"),
                    "#000000" if luminance[row, column] > 128 else "#ffffff",
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
        """Write the numbers in pixels, not in the map's units; nothing where cells are too small."""
        transform = painter.transform()
        cell = transform.mapRect(QRectF(0, 0, 1, 1))
        ratio = painter.device().devicePixelRatioF()
        if cell.width() < _CELL_TEXT_PIXELS * ratio or cell.height() < 14 * ratio:
            return
        painter.save()
        painter.resetTransform()
        font = QFont()
        font.setPixelSize(int(max(9, min(14, cell.width() / ratio / 4)) * ratio))
        painter.setFont(font)
        for x, y, text, ink in self._cells:
            centre = transform.map(QPointF(x, y))
            box = QRectF(centre.x() - cell.width() / 2, centre.y() - cell.height() / 2, cell.width(), cell.height())
            painter.setPen(QColor(ink))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()


class ColourBar:
    """One scale of colours for all maps of a figure, as high as they are."""

    def __init__(self, colours: ScreenColours) -> None:
        self._values = pg.AxisItem("right")
        self._values.setPen(colours.grid)
        self._values.setTextPen(colours.muted)
        self._values.enableAutoSIPrefix(False)
        self.plot = pg.PlotItem(axisItems={"right": self._values})
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)
        self.plot.showAxes((False, True, True, False), showValues=(False, False, True, False))
        self.plot.getAxis("top").setPen(colours.paper)
        self.plot.getAxis("top").setStyle(tickLength=0)
        self.plot.setMouseEnabled(False, False)
        self.plot.vb.setDefaultPadding(0)
        self.plot.setFixedWidth(_BAR_PIXELS)
        self._title = Title(self.plot, colours.ink)  # empty, and as high as those of the maps
        self._image = pg.ImageItem(axisOrder="row-major")
        self.plot.addItem(self._image)

    def show(self, panel: Heatmap) -> None:
        self._image.setImage(lookup_table(panel.scale)[:, None, :], levels=None, autoLevels=False)
        self._image.setRect(QRectF(0, panel.low, 1, panel.high - panel.low))
        self.plot.setRange(QRectF(0, panel.low, 1, panel.high - panel.low), padding=0)


def _outlines(equal: frozenset[int], extent: QRectF) -> QPainterPath:
    """The outlines of these rows and columns of a map."""
    path = QPainterPath()
    for at in sorted(equal):
        path.addRect(QRectF(extent.left(), at - 0.5, extent.width(), 1))
        path.addRect(QRectF(at - 0.5, extent.top(), 1, extent.height()))
    return path
