"""The screen: any figure as live pyqtgraph plots."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGraphicsPathItem,
    QGraphicsRectItem,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.figure import (
    NOWHERE,
    Axis,
    Dial,
    Dials,
    Figure,
    Heatmap,
    Lines,
    Note,
    Pointer,
    Scale,
    Series,
    Table,
    VerticalMark,
    number,
)
from posenc_gui.render.base import DialGrid, dial_grid, trail_of, turned
from posenc_gui.render.table import delimited

_LABEL_PIXELS = 110.0  # the longest token label
_CELL_TEXT_PIXELS = 24.0  # a cell narrower than this shows no number
_TITLE_PIXELS = 24.0
_BAR_PIXELS = 64.0  # the colour bar and its numbers
_MOST_CELLS_WITH_TEXT = 16 * 16
_WIDEST_COLUMN = 280  # pixels, of a table
_CELL_AIR = 8  # pixels at each side of a table's cell

# ColorBrewer's RdBu, reversed: blue below zero, red above, safe for colour-blind readers; matplotlib's RdBu_r.
_DIVERGING = (
    "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f",
)  # fmt: skip


@dataclass(frozen=True)
class ScreenColours:
    """The colours of one theme, as "#rrggbb"."""

    paper: str
    ink: str
    muted: str
    grid: str
    focus: str
    twin: str
    masked: str
    curves: tuple[str, ...]


class FigureView(QWidget):
    """Shows a figure; says where the pointer is and what was clicked, in the figure's own coordinates.

    Arrow keys move the pointer from cell to cell, Enter clicks, Escape takes it away. A double click shows everything.
    """

    pointed = Signal(object, str)  # Pointer, what is there in words
    clicked = Signal(object)  # Pointer

    def __init__(self, colours: ScreenColours, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self._figure: Figure | None = None
        self._panels: list[_PanelView] = []
        self._tables: list[_TableView] = []
        self._cursor: tuple[int, int, int] | None = None  # panel, x, y of the keyboard's pointer
        self._graphics = pg.GraphicsLayoutWidget()
        self._graphics.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._graphics.viewport().installEventFilter(self)
        self._graphics.scene().sigMouseMoved.connect(self._on_moved)
        self._graphics.scene().sigMouseClicked.connect(self._on_clicked)
        self._graphics.ci.setContentsMargins(4, 4, 8, 4)
        self._note = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setMargin(24)
        self._pictures = QWidget()
        column = QVBoxLayout(self._pictures)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._graphics, 2)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._pictures)
        self._stack.addWidget(self._note)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_colours(colours)

    def set_colours(self, colours: ScreenColours) -> None:
        """Draw in the colours of another theme."""
        self._colours = colours
        self._graphics.setBackground(colours.paper)
        _paint_ground(self._pictures, colours.paper)
        if self._figure is not None:
            figure, self._figure = self._figure, None
            self.show_figure(figure)

    def show_figure(self, figure: Figure) -> None:
        """Draw a figure; where it has the shape of the last one, the same items take the new numbers."""
        if self._figure is not None and figure.panels is self._figure.panels:
            self._figure = figure  # the same picture, of a session that differs elsewhere
            return
        kinds = [type(panel) for panel in figure.panels]
        known = self._figure is not None and [type(panel) for panel in self._figure.panels] == kinds
        self._figure = figure
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(figure.description)
        notes = [panel.text for panel in figure.panels if isinstance(panel, Note)]
        self._note.setText("\n\n".join(notes))
        self._stack.setCurrentIndex(1 if len(notes) == len(kinds) else 0)
        if not known:
            self._build(figure)
        for view, panel in zip(self._panels, self._drawn(figure), strict=True):
            view.show(panel)
        for view, panel in zip(self._tables, self._tabled(figure), strict=True):
            view.show_table(panel)
        self._show_bar(figure)
        if self._cursor and not (self._panels and self._panels[0].panel.read(*self._cursor[1:])):
            self._cursor = None  # what it stood on is gone

    def show_pointer(self, pointer: Pointer) -> None:
        """Draw the crosshair of a pointer that may stand in another plot."""
        for view in self._panels:
            view.show_pointer(pointer)

    def figure(self) -> Figure | None:
        """The figure that is shown."""
        return self._figure

    def panel_views(self) -> list[_PanelView]:
        """The drawn panels from left to right."""
        return list(self._panels)

    def reset_view(self) -> None:
        """Show everything again after zooming."""
        for view in self._panels:
            view.reset()

    @staticmethod
    def _drawn(figure: Figure) -> list[Heatmap | Lines | Dials]:
        return [panel for panel in figure.panels if not isinstance(panel, Note | Table)]

    @staticmethod
    def _tabled(figure: Figure) -> list[Table]:
        return [panel for panel in figure.panels if isinstance(panel, Table)]

    def _build(self, figure: Figure) -> None:
        self._build_tables(figure)
        self._graphics.clear()
        self._panels = [_VIEWS[type(panel)](self._colours) for panel in self._drawn(figure)]
        for column, view in enumerate(self._panels):
            self._graphics.addItem(view.plot, 0, column)
            self._graphics.ci.layout.setColumnStretchFactor(column, 1)
            self._graphics.ci.layout.setColumnPreferredWidth(column, 400)  # equal shares, whatever the labels need
        first = next((view for view in self._panels if isinstance(view, _HeatmapView)), None)
        maps = [view for view in self._panels if isinstance(view, _HeatmapView)]
        for view in maps[1:]:
            view.plot.setXLink(first.plot)
            view.plot.setYLink(first.plot)
            if len(maps) > 2:
                view.plot.hideAxis("left")  # three maps side by side have the same rows
        self._bar = _ColourBar(self._colours) if first else None
        if self._bar:
            self._graphics.addItem(self._bar.plot, 0, len(self._panels))
            self._graphics.ci.layout.setColumnStretchFactor(len(self._panels), 0)
            first.plot.vb.sigResized.connect(self._align_bar)

    def _build_tables(self, figure: Figure) -> None:
        """Tables stand below the graphics, or alone; then they take the keyboard."""
        self.setFocusProxy(None)
        for view in self._tables:
            view.hide()
            view.deleteLater()
        alone = not self._drawn(figure)
        self._tables = [_TableView(self._colours, alone) for _ in self._tabled(figure)]
        for view in self._tables:
            self._pictures.layout().addWidget(view, 3)
            view.show()
        self._graphics.setVisible(not (alone and self._tables))
        if alone and self._tables:
            self.setFocusProxy(self._tables[0].view)

    def _show_bar(self, figure: Figure) -> None:
        heatmaps = [panel for panel in figure.panels if isinstance(panel, Heatmap)]
        if heatmaps:
            self._bar.show(heatmaps[0])
            self._align_bar()

    def _align_bar(self) -> None:
        first = next(view for view in self._panels if isinstance(view, _HeatmapView))
        self._bar.plot.getAxis("top").setHeight(first.plot.getAxis("top").height())

    def _at(self, scene_position: QPointF) -> tuple[int, float, float] | None:
        for index, view in enumerate(self._panels):
            if view.plot.vb.sceneBoundingRect().contains(scene_position):
                return index, *view.at(scene_position)
        return None

    def _point(self, index: int, x: float, y: float) -> None:
        panel = self._panels[index].panel
        words = panel.read(x, y)
        self.pointed.emit(panel.pointer(x, y) if words else NOWHERE, words)

    def _on_moved(self, position: QPointF) -> None:
        found = self._at(position)
        self._cursor = None
        if found:
            self._point(*found)
        else:
            self.pointed.emit(NOWHERE, "")

    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.reset_view()
            return
        found = self._at(event.scenePos())
        if found:
            index, x, y = found
            panel = self._panels[index].panel
            if panel.read(x, y):
                self.clicked.emit(panel.pointer(x, y))

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:  # noqa: N802
        """Take the crosshair away when the mouse leaves, and the keyboard's focus when it clicks."""
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit(NOWHERE, "")
        elif event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows move the pointer, Enter clicks, Escape takes the pointer away."""
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        key = event.key()
        if not self._panels or (
            key not in steps and key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        ):
            super().keyPressEvent(event)
        elif key in steps:
            index, x, y = self._cursor or (0, *self._panels[0].start())
            if self._cursor:
                dx, dy = steps[key]
                moved = (index, *self._panels[index].step(x, y, dx, dy))
                index, x, y = moved if self._panels[index].panel.read(*moved[1:]) else (index, x, y)
            self._cursor = (index, x, y)
            self._point(index, x, y)
        elif key == Qt.Key.Key_Escape:
            self._cursor = None
            self.pointed.emit(NOWHERE, "")
        elif self._cursor:
            index, x, y = self._cursor
            self.clicked.emit(self._panels[index].panel.pointer(x, y))


class _PanelView:
    """One panel: a plot item, its crosshair, and how it is shown whole."""

    panel: Any

    def __init__(self, colours: ScreenColours, axes: dict[str, pg.AxisItem]) -> None:
        self.colours = colours
        self._titles: tuple[str, dict[str, str]] = "", {}
        self.plot = pg.PlotItem(axisItems=axes)
        self.title = _Title(self.plot, colours.ink)
        self.plot.hideButtons()
        self.plot.setMenuEnabled(False)  # pyqtgraph's own menu leads to exporters that fail
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

    def step(self, x: int, y: float, dx: int, dy: int) -> tuple[int, float]:
        """Where the keyboard's pointer goes from a place."""
        return x + dx, y + dy

    def show_crosshair(self, x: int | None, y: int | None) -> None:
        for line, at in zip(self._cross, (x, y), strict=True):
            line.setVisible(at is not None)
            if at is not None:
                line.setValue(at)


class _HeatmapView(_PanelView):
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
        colours = _colours_of(panel)
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


class _LinesView(_PanelView):
    def __init__(self, colours: ScreenColours) -> None:
        self._ends = _CurveNames(colours)
        bottom, left = pg.AxisItem("bottom"), pg.AxisItem("left")
        super().__init__(colours, {"bottom": bottom, "left": left, "right": self._ends})
        self.plot.showAxes((True, False, True, True))
        for axis in (bottom, left):
            axis.setPen(colours.grid)
            axis.setTextPen(colours.muted)
            axis.enableAutoSIPrefix(False)
        self.plot.showGrid(x=False, y=True, alpha=0.15)
        self.plot.vb.setDefaultPadding(0)
        self._curves: list[_Curve] = []
        self._marked: tuple[VerticalMark, ...] = ()
        self._marks: list[Any] = []
        self._extent = QRectF()
        self.plot.vb.sigYRangeChanged.connect(self._place_marks)

    def show(self, panel: Lines) -> None:
        self.panel = panel
        colours = [self.colours.curves[i % len(self.colours.curves)] for i in range(len(panel.series))]
        while len(self._curves) > len(panel.series):
            self._curves.pop().leave(self.plot)
        for colour in colours[len(self._curves) :]:
            self._curves.append(_Curve(self.plot, colour, self.colours.paper))
        for curve, series in zip(self._curves, panel.series, strict=True):
            curve.show(series)
        self._ends.set_curves(panel.series, colours)
        if panel.marks != self._marked:
            self._marked = panel.marks
            self._show_marks(panel)
        self.set_titles(panel.title, bottom=panel.x.title, left=panel.quantity)
        start, end = float(panel.series[0].x[0]), float(panel.series[0].x[-1])
        air = 0.02 * (end - start) or 1.0
        extent = QRectF(start - air, panel.low, end - start + 2 * air, panel.high - panel.low)
        if extent != self._extent:
            self._extent = extent
            self.reset()

    def show_pointer(self, pointer: Pointer) -> None:
        self.show_crosshair(pointer.along(self.panel.x.role), None)

    def reset(self) -> None:
        extent = self._extent
        wide, high = extent.width(), extent.height()
        self.plot.vb.setLimits(
            xMin=extent.left() - wide, xMax=extent.right() + wide, yMin=extent.top() - high, yMax=extent.bottom() + high,
            minXRange=wide * 1e-4, minYRange=high * 1e-4,
        )  # fmt: skip
        self.plot.setRange(extent, padding=0)

    def start(self) -> tuple[int, int]:
        first = math.ceil(float(self.panel.series[0].x[0]))
        return first, round(float(np.interp(first, self.panel.series[0].x, self.panel.series[0].y)))

    def step(self, x: int, y: float, dx: int, dy: int) -> tuple[int, float]:
        # Up and down go from curve to curve; left and right stay on the nearest.
        x += dx
        values = sorted({float(np.interp(x, series.x, series.y)) for series in self.panel.series}, reverse=True)
        nearest = min(range(len(values)), key=lambda i: abs(values[i] - y))
        return x, values[max(0, min(len(values) - 1, nearest + dy))]

    def _show_marks(self, panel: Lines) -> None:
        for item in self._marks:
            self.plot.removeItem(item)
        self._marks = []
        pens = {
            "end": pg.mkPen(self.colours.muted, width=1),
            "focus": pg.mkPen(self.colours.focus, width=1),
            "twin": pg.mkPen(self.colours.twin, width=1, style=Qt.PenStyle.DashLine),
        }
        for mark in panel.marks:
            line = pg.InfiniteLine(mark.x, angle=90, pen=pens[mark.kind], movable=False)
            self.plot.addItem(line, ignoreBounds=True)
            self._marks.append(line)
            if mark.label:
                text = pg.TextItem(_elided(mark.label, QFont()), color=pens[mark.kind].color(), anchor=(0, 0))
                text.mark = mark
                self.plot.addItem(text, ignoreBounds=True)
                self._marks.append(text)
        self._place_marks()

    def _place_marks(self, *_: object) -> None:
        (_, _), (low, high) = self.plot.vb.viewRange()
        height = max(1.0, self.plot.vb.height())
        for row, text in enumerate(item for item in self._marks if isinstance(item, pg.TextItem)):
            text.setPos(text.mark.x, high - row * 16 * (high - low) / height)


class _Curve:
    """A line and the dots on it, in one colour."""

    def __init__(self, plot: pg.PlotItem, colour: str, paper: str) -> None:
        self._line = pg.PlotDataItem(
            pen=pg.mkPen(colour, width=1), skipFiniteCheck=True
        )  # wider pens draw 4 times slower
        self._dots = pg.ScatterPlotItem(size=7, brush=pg.mkBrush(colour), pen=pg.mkPen(paper))
        self._dots.setZValue(6)
        plot.addItem(self._line)
        plot.addItem(self._dots)

    def show(self, series: Series) -> None:
        self._line.setData(series.x, series.y)
        self._dots.setData([x for x, _ in series.dots], [y for _, y in series.dots])

    def leave(self, plot: pg.PlotItem) -> None:
        plot.removeItem(self._line)
        plot.removeItem(self._dots)


class _DialsView(_PanelView):
    def __init__(self, colours: ScreenColours) -> None:
        super().__init__(colours, {})
        for side in ("left", "bottom", "top", "right"):
            self.plot.hideAxis(side)
        self.plot.setMouseEnabled(False, False)
        self._clocks = _Clocks(colours, self.plot.vb)

    def show(self, panel: Dials) -> None:
        self.panel = panel
        self.set_titles(panel.title)
        self._clocks.show_dials(panel)

    def show_pointer(self, pointer: Pointer) -> None:
        pair = pointer.along("pair")
        pairs = self.panel.pairs or range(len(self.panel.dials))
        self._clocks.mark(next((index for index, one in enumerate(pairs) if one == pair), None))

    def reset(self) -> None:
        """Dials are always shown whole."""

    def start(self) -> tuple[int, int]:
        return 0, 0

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        point = self._clocks.mapFromScene(scene_position)
        index = self._clocks.grid().at(point.x(), point.y() - self._clocks.above())
        return (-1 if index is None else index), 0

    def step(self, x: int, y: float, dx: int, dy: int) -> tuple[int, float]:
        return x + dx + dy * self._clocks.grid().columns, y


class _Clocks(pg.GraphicsObject):
    """Dials in rows, in pixels of the view box they fill; new angles cost one paint."""

    def __init__(self, colours: ScreenColours, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._colours = colours
        self._box = box
        self._panel: Dials | None = None
        self._marked: int | None = None
        self._grid: DialGrid | None = None
        self._shape: tuple[Any, ...] = ()
        self._font = QFont()
        self._legend: list[tuple[str, str, float]] = []
        box.sigResized.connect(self._resized)

    def show_dials(self, panel: Dials) -> None:
        self._panel = panel
        self._arrange()
        self.update()

    def mark(self, index: int | None) -> None:
        """Bring out the dial that a pointer names."""
        if index != self._marked:
            self._marked = index
            self.update()

    def grid(self) -> DialGrid:
        return self._grid

    def above(self) -> float:
        """The height of the legend."""
        return 20.0 if self._panel is not None and self._panel.coordinates else 0.0

    def _resized(self) -> None:
        self.prepareGeometryChange()
        if self._panel is not None:
            self._arrange()

    def _arrange(self) -> None:
        """Lay the dials out again where their number, their names or the room are new, or words became too long."""
        panel, room = self._panel, self._box.rect()
        shape = (room.width(), room.height(), panel.coordinates, tuple(dial.label for dial in panel.dials))
        if shape == self._shape and (
            self._grid.words not in ("all", "broken")
            or self._widest_line(QFontMetricsF(self._font)) <= self._grid.across - 4
        ):
            return
        # As they turn, readings get longer and shorter; the room once found for the longest stays.
        self._shape = shape
        best = None
        for pixels in (12, 10):
            font = QFont()
            font.setPixelSize(pixels)
            metrics = QFontMetricsF(font)
            grid = dial_grid(panel, room.width(), room.height() - self.above(), metrics.height(), _measure(metrics))
            if best is None or _WORDS.index(grid.words) < _WORDS.index(best[1].words):
                best = font, grid
        self._font, self._grid = best
        self._legend = []
        if panel.coordinates:
            metrics = QFontMetricsF(self._font)
            names = [_elided(_one_line(name), self._font) for name in panel.coordinates]
            colours = [self._colours.curves[i % len(self._colours.curves)] for i in _COORDINATES]
            self._legend = [
                (name, colour, metrics.horizontalAdvance(name)) for name, colour in zip(names, colours, strict=True)
            ]

    def _widest_line(self, metrics: QFontMetricsF) -> float:
        lines = (line for index, dial in enumerate(self._panel.dials) for line in self._grid.lines(index, dial))
        return max(map(_measure(metrics), lines), default=0.0)

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The view box's room."""
        return self._box.rect()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw every dial and the legend."""
        if self._panel is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        self._paint_legend(painter)
        line = QFontMetricsF(self._font).height()
        for index, dial in enumerate(self._panel.dials):
            x, y = self._grid.centre(index)
            y += self.above()
            self._paint_dial(painter, dial, x, y, marked=index == self._marked)
            painter.setPen(QColor(self._colours.ink if index == self._marked else self._colours.muted))
            room = self._grid.across * self._grid.every - 4
            top = y + self._grid.diameter / 2 + 3
            for row, text in enumerate(self._grid.lines(index, dial)):
                shown = _elided(_one_line(text), self._font, room)
                painter.drawText(
                    QRectF(x - room / 2, top + row * line, room, line), Qt.AlignmentFlag.AlignCenter, shown
                )

    def _paint_dial(self, painter: QPainter, dial: Dial, x: float, y: float, marked: bool) -> None:
        radius, colours = self._grid.diameter / 2, self._colours
        centre = QPointF(x, y)
        tip = QPointF(x + radius * math.cos(dial.angle), y - radius * math.sin(dial.angle))
        circle = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.muted if marked else colours.grid), 1.5))
        painter.drawEllipse(circle)
        if self._legend:
            painter.setPen(QPen(QColor(colours.grid), 1))
            painter.drawLine(QPointF(x - radius, y), QPointF(x + radius, y))
            painter.drawLine(QPointF(x, y - radius), QPointF(x, y + radius))
        painter.setPen(QPen(QColor(colours.focus), 2.5, c=Qt.PenCapStyle.FlatCap))
        painter.drawArc(circle, 0, round(math.degrees(turned(dial.angle)) * 16))
        painter.setPen(Qt.PenStyle.NoPen)
        dot = QColor(colours.ink)
        size = max(0.8, min(2.2, radius / 22))
        for angle, left in trail_of(dial):
            dot.setAlphaF(0.6 * left)
            painter.setBrush(dot)
            painter.drawEllipse(QPointF(x + radius * math.cos(angle), y - radius * math.sin(angle)), size, size)
        if self._legend:
            (_, across, _), (_, up, _) = self._legend
            painter.setPen(QPen(QColor(across), 1.5))
            painter.drawLine(tip, QPointF(x, tip.y()))
            painter.setPen(QPen(QColor(up), 1.5))
            painter.drawLine(tip, QPointF(tip.x(), y))
        painter.setPen(QPen(QColor(colours.ink), max(1.0, min(1.8, radius / 14))))
        painter.drawLine(centre, tip)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.focus))
        tip_size = max(2.0, min(4.5, radius / 10))
        painter.drawEllipse(tip, tip_size, tip_size)

    def _paint_legend(self, painter: QPainter) -> None:
        x, middle = self.boundingRect().right() - 4, self.above() / 2
        for name, colour, width in reversed(self._legend):
            x -= width
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(x, 0, width + 1, 2 * middle), Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(QPen(QColor(colour), 1.5))
            painter.drawLine(QPointF(x - 18, middle), QPointF(x - 5, middle))
            x -= 32


# From most to least, and the curves in whose colours a tip's coordinates are drawn: the first is near to the accent.
_WORDS = ("all", "broken", "label", "some", "none")
_COORDINATES = (1, 2)


class _TableView(QWidget):
    """A table that is read and copied, its title above it."""

    def __init__(self, colours: ScreenColours, alone: bool) -> None:
        super().__init__()
        self._alone = alone
        self._title = QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setIndent(0)
        self._title.setStyleSheet(f"color: {colours.ink}; font-weight: 600; padding: 2px {_CELL_AIR}px;")
        self.view = _Grid(colours)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._title)
        column.addWidget(self.view, 1)
        _paint_ground(self, colours.paper)

    def show_table(self, panel: Table) -> None:
        self._title.setText(_one_line(panel.title))
        self._title.setVisible(bool(panel.title))
        self.view.show_table(panel)
        if not self._alone:
            title = self._title.sizeHint().height() + 2 if panel.title else 0
            self.setMaximumHeight(self.view.whole_height() + title)


class _Grid(QTableView):
    """The table's cells: words at the left, numbers at the right, sums below a line, the row in focus marked."""

    def __init__(self, colours: ScreenColours) -> None:
        super().__init__()
        self._model = _Cells(self)
        self.setModel(self._model)
        self.setItemDelegate(_CellPainter(colours, self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)  # Tab leaves the table
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(math.ceil(QFontMetricsF(QFont()).height()) + 8)
        self.verticalHeader().setMinimumSectionSize(0)
        self.horizontalHeader().setMaximumSectionSize(_WIDEST_COLUMN)
        self.horizontalHeader().setMinimumSectionSize(24)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setFrameShape(QFrame.Shape.NoFrame)
        _paint_ground(self, colours.paper)
        self.horizontalHeader().setStyleSheet(
            f"QHeaderView {{ background: {colours.paper}; border: none; }}"
            f"QHeaderView::section {{ background: {colours.paper}; color: {colours.muted}; border: none;"
            f" border-bottom: 1px solid {colours.muted}; padding: 3px {_CELL_AIR}px; }}"
        )

    def show_table(self, panel: Table) -> None:
        self.setAccessibleName(panel.title or "Table")
        if self._model.show_table(panel):
            self.resizeColumnsToContents()

    def whole_height(self) -> int:
        """The height at which nothing scrolls."""
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + 4

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy the selection, numbers with all their digits; where nothing is selected, the whole table."""
        if not event.matches(QKeySequence.StandardKey.Copy):
            super().keyPressEvent(event)
            return
        chosen = {(index.row(), index.column()) for index in self.selectedIndexes()}
        QGuiApplication.clipboard().setText(delimited(self._model.chosen(chosen), "\t"))


class _Cells(QAbstractTableModel):
    """A table's cells as Qt asks for them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._panel: Table | None = None
        self._texts: list[list[str]] = []
        self._numeric: list[bool] = []

    def show_table(self, panel: Table) -> bool:
        """Take a table's cells; true where its columns need other widths."""
        texts = [[_one_line(cell) if isinstance(cell, str) else number(cell) for cell in row] for row in panel.rows]
        old, shape = self._panel, (len(panel.rows), panel.header)
        same = old is not None and (len(old.rows), old.header) == shape
        grown = not same or any(
            len(text) > len(before)
            for row, known in zip(texts, self._texts, strict=True)
            for text, before in zip(row, known, strict=True)
        )
        numeric = [
            not any(isinstance(row[column], str) and row[column] for row in panel.rows)
            for column in range(len(panel.header))
        ]
        if same:
            self._panel, self._texts, self._numeric = panel, texts, numeric
            self.dataChanged.emit(self.index(0, 0), self.index(len(panel.rows) - 1, len(panel.header) - 1))
        else:
            self.beginResetModel()
            self._panel, self._texts, self._numeric = panel, texts, numeric
            self.endResetModel()
        return grown

    def chosen(self, places: set[tuple[int, int]]) -> list[list[str | float]]:
        """The cells at these places, in rows with nothing where a cell between was not chosen; else all, and the header."""
        if not places:
            return [list(self._panel.header), *map(list, self._panel.rows)]
        columns = sorted({column for _, column in places})
        return [
            [self._panel.rows[row][column] if (row, column) in places else "" for column in columns]
            for row in sorted({row for row, _ in places})
        ]

    def is_sum(self, row: int) -> bool:
        return row in self._panel.sums

    def is_marked(self, row: int) -> bool:
        return row == self._panel.focus

    def rowCount(self, parent: QModelIndex | None = None) -> int:  # noqa: N802
        """Rows of the table."""
        return 0 if self._panel is None or (parent is not None and parent.isValid()) else len(self._texts)

    def columnCount(self, parent: QModelIndex | None = None) -> int:  # noqa: N802
        """Columns of the table."""
        return 0 if self._panel is None or (parent is not None and parent.isValid()) else len(self._panel.header)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text and how it stands."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._texts[index.row()][index.column()]
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(index.column())
            case Qt.ItemDataRole.FontRole if self.is_sum(index.row()):
                font = QFont()
                font.setBold(True)
                return font
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{_one_line(self._panel.header[index.column()])}: {self._texts[index.row()][index.column()]}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: N802
        """A column's heading."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _one_line(self._panel.header[section])
        return self._side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if self._numeric[column] else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class _CellPainter(QStyledItemDelegate):
    """Plain text; a line above each sum, and a bar before the row in focus."""

    def __init__(self, colours: ScreenColours, parent: QTableView) -> None:
        super().__init__(parent)
        self._colours = colours

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # noqa: N802
        """The text with air at its sides."""
        self.initStyleOption(option, index)
        metrics = QFontMetricsF(option.font)
        return QSize(
            math.ceil(metrics.horizontalAdvance(option.text[:200])) + 2 * _CELL_AIR, math.ceil(metrics.height())
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Draw the cell's ground, its text and its marks."""
        self.initStyleOption(option, index)
        cells, box, colours = index.model(), QRectF(option.rect), self._colours
        marked = cells.is_marked(index.row())
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(_mixed(colours.focus, colours.paper, 0.35)))
        elif marked:
            painter.fillRect(box, QColor(_mixed(colours.focus, colours.paper, 0.14)))
        if marked and index.column() == 0:
            painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), QColor(colours.focus))
        if cells.is_sum(index.row()):
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), QColor(colours.ink))
        painter.setFont(option.font)
        painter.setPen(QColor(colours.ink))
        room = box.adjusted(_CELL_AIR, 0, -_CELL_AIR, 0)
        painter.drawText(room, option.displayAlignment, _elided(option.text, option.font, room.width() + 1))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(colours.focus))
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


_VIEWS: dict[type, type] = {Heatmap: _HeatmapView, Lines: _LinesView, Dials: _DialsView}


class _Title(pg.GraphicsWidget):
    """A plot's title in place of pyqtgraph's own, which reads HTML and pushes the plot out of a card that is too narrow."""

    def __init__(self, plot: pg.PlotItem, ink: str) -> None:
        super().__init__()
        self._ink, self._text = QColor(ink), ""
        self._font = QFont()
        self._font.setPointSizeF(10)
        self.setFixedHeight(_TITLE_PIXELS)
        plot.titleLabel.hide()
        plot.layout.removeItem(plot.titleLabel)
        plot.layout.addItem(self, 0, 1)

    def show_text(self, text: str) -> None:
        self._text = text
        self.update()

    def text(self) -> str:
        return self._text

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setFont(self._font)
        painter.setPen(self._ink)
        box = self.boundingRect()
        shown = QFontMetricsF(self._font).elidedText(self._text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)


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
        self._texts = [_elided(label, font) for label in axis.labels]
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


class _CurveNames(pg.AxisItem):
    """The names of curves at the right edge, each where its curve ends, moved apart where they would overlap."""

    def __init__(self, colours: ScreenColours) -> None:
        super().__init__("right", pen=colours.paper)
        self._names: list[tuple[str, str, np.ndarray, np.ndarray]] = []
        self.setStyle(tickLength=0)

    def set_curves(self, series: tuple[Series, ...], colours: list[str]) -> None:
        self._names = [(one.label, colour, one.x, one.y) for one, colour in zip(series, colours, strict=True)]
        metrics = QFontMetricsF(QFont())
        self.setWidth(max(metrics.horizontalAdvance(name) for name, *_ in self._names) + 10)
        self.picture = None
        self.update()

    def generateDrawSpecs(self, painter: QPainter) -> tuple:  # noqa: N802
        """No ticks and no lines of pyqtgraph's own."""
        bounds = self.mapRectFromParent(self.geometry())
        return (self.pen(), bounds.topLeft(), bounds.topLeft()), [], []

    def drawPicture(self, painter: QPainter, *_: object) -> None:  # noqa: N802
        """Draw the names at the heights of their curves at the right edge of what is visible."""
        view = self.linkedView()
        if view is None:
            return
        (_, right), (low, high) = view.viewRange()
        height = view.height()
        line = QFontMetricsF(QFont()).height()
        wanted = [(high - float(np.interp(right, x, y))) / (high - low) * height for _, _, x, y in self._names]
        for (name, colour, _, _), y in zip(self._names, _apart(wanted, line, height), strict=True):
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(6, y - line, self.width(), 2 * line), Qt.AlignmentFlag.AlignVCenter, name)


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


class _ColourBar:
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
        _Title(self.plot, colours.ink)  # empty, and as high as those of the maps
        self._image = pg.ImageItem(axisOrder="row-major")
        self.plot.addItem(self._image)

    def show(self, panel: Heatmap) -> None:
        self._image.setImage(_table(panel.scale)[:, None, :], levels=None, autoLevels=False)
        self._image.setRect(QRectF(0, panel.low, 1, panel.high - panel.low))
        self.plot.setRange(QRectF(0, panel.low, 1, panel.high - panel.low), padding=0)


@cache
def _table(scale: Scale) -> np.ndarray:
    if scale == "sequential":
        table = pg.colormap.get("viridis").getLookupTable(nPts=256)
    else:
        table = pg.ColorMap(None, list(_DIVERGING)).getLookupTable(nPts=256)
    return table[:, :3].astype(np.uint8)


def _colours_of(panel: Heatmap) -> np.ndarray:
    steps = (panel.values - panel.low) * (255.0 / (panel.high - panel.low))
    return _table(panel.scale)[np.clip(np.rint(steps), 0, 255).astype(np.uint8)]


def _measure(metrics: QFontMetricsF) -> Callable[[str], float]:
    return lambda text: metrics.horizontalAdvance(_one_line(text[:64]))


def _one_line(text: str) -> str:
    """The text with a sign for each character that would break its line."""
    return re.sub(
        r"[\x00-\x1f\x7f-\x9f\u2028\u2029]",
        lambda found: chr(0x2400 + ord(found[0])) if found[0] < " " else "\ufffd",
        text,
    )


def _paint_ground(widget: QWidget, colour: str) -> None:
    palette = widget.palette()
    for role in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
        palette.setColor(role, QColor(colour))
    widget.setPalette(palette)
    widget.setAutoFillBackground(True)


def _mixed(colour: str, ground: str, share: float) -> str:
    """A colour laid thinly over another."""
    parts = zip(QColor(colour).getRgb()[:3], QColor(ground).getRgb()[:3], strict=True)
    return QColor(*(round(over * share + under * (1 - share)) for over, under in parts)).name()


def _outlines(equal: frozenset[int], extent: QRectF) -> QPainterPath:
    """The outlines of these rows and columns of a map."""
    path = QPainterPath()
    for at in sorted(equal):
        path.addRect(QRectF(extent.left(), at - 0.5, extent.width(), 1))
        path.addRect(QRectF(at - 0.5, extent.top(), 1, extent.height()))
    return path


def _elided(text: str, font: QFont, room: float = _LABEL_PIXELS) -> str:
    # Measuring a whole pasted page would take a second; no label shows more than its two ends.
    measured = text if len(text) <= 64 else text[:40] + text[-24:]
    return QFontMetricsF(font).elidedText(measured, Qt.TextElideMode.ElideMiddle, room)


def _apart(wanted: list[float], room: float, height: float) -> list[float]:
    """The same heights in the same order, each at least `room` from the next, inside the plot where that is possible."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [0.0] * len(wanted)
    below = -math.inf
    for i in order:
        below = placed[i] = max(min(max(wanted[i], room / 2), height - room / 2), below + room)
    above = height + room / 2
    for i in reversed(order):
        above = placed[i] = min(placed[i], above - room)
    return placed
