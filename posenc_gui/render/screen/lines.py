"""Lines on the screen: curves with their names, dots and marks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
)

from posenc_gui.figure import (
    Lines,
    Pointer,
    Series,
    VerticalMark,
)
from posenc_gui.look import Roles
from posenc_gui.render.colours import curve_colours
from posenc_gui.render.labels import apart, every, levels
from posenc_gui.render.screen.axes import BareAxis, ValueAxis, WordAxis
from posenc_gui.render.screen.fonts import LABEL_ROOM, line_height, measured
from posenc_gui.render.screen.panel import PanelView, PixelItem, Spot
from posenc_gui.render.words import elided, longest, visible

_AIR = 4.0  # pixels at each side of a mark's word


class LinesView(PanelView):
    def __init__(self, colours: Roles) -> None:
        self._ends = _CurveNames(colours)
        self._values = ValueAxis("left", colours)
        self._places = WordAxis("bottom", colours)
        axes = {"bottom": self._places, "left": self._values, "right": self._ends}
        super().__init__(colours, axes)
        self.plot.showAxes((True, False, True, True))
        self.plot.showGrid(x=False, y=True, alpha=0.15)
        self.plot.vb.setDefaultPadding(0)
        self._curves: list[_Curve] = []
        self._marked: tuple[VerticalMark, ...] = ()
        self._marks: list[pg.InfiniteLine] = []
        self._words = _MarkWords(colours, self.plot.vb)
        self._extent = QRectF()

    def show(self, panel: Lines) -> None:
        self.panel = panel
        colours = curve_colours(self.colours, len(panel.series))
        if len(self._curves) != len(panel.series):
            for curve in self._curves:
                curve.leave(self.plot)
            self._curves = [_Curve(self.plot, colour, self.colours.card) for colour in colours]
        drawn = tuple(map(_logarithm, panel.series)) if panel.log else panel.series
        for curve, series in zip(self._curves, drawn, strict=True):
            curve.show(series)
        self._ends.set_curves(drawn, colours)
        self._values.set_log(panel.log)
        self._places.set_words(panel.x.first, panel.x.labels if _names_all(panel) else ())
        self.set_titles(panel.title, bottom=panel.x.title, left=panel.quantity)
        start = min(float(series.x[0]) for series in panel.series)
        end = max(float(series.x[-1]) for series in panel.series)
        air = 0.02 * (end - start) or 1.0
        low, high = (math.log10(panel.low), math.log10(panel.high)) if panel.log else (panel.low, panel.high)
        beyond = 0.04 * (high - low) if panel.log else 0.0  # a power of ten at the edge would lose its number
        extent = QRectF(start - air, low - beyond, end - start + 2 * air, high - low + 2 * beyond)
        if extent != self._extent:
            self._extent = extent
            self.reset()
        if panel.marks != self._marked:
            self._marked = panel.marks
            self._show_marks(panel)

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

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        x, y = super().at(scene_position)
        return x, 10**y if self.panel.log else y

    def start(self) -> Spot:
        first = math.ceil(float(self.panel.series[0].x[0]))
        return first, float(np.interp(first, self.panel.series[0].x, self.panel.series[0].y))

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Up and down go from curve to curve; left and right stay on the nearest.
        x += dx
        values = sorted({float(np.interp(x, series.x, series.y)) for series in self.panel.series}, reverse=True)
        nearest = min(range(len(values)), key=lambda i: abs(values[i] - y))
        return x, values[max(0, min(len(values) - 1, nearest + dy))]

    def _show_marks(self, panel: Lines) -> None:
        for line in self._marks:
            self.plot.removeItem(line)
        pens = {
            "end": pg.mkPen(self.colours.muted, width=1),
            "focus": pg.mkPen(self.colours.focus, width=1),
            "twin": pg.mkPen(self.colours.twin, width=1, style=Qt.PenStyle.DashLine),
        }
        self._marks = [pg.InfiniteLine(mark.x, angle=90, pen=pens[mark.kind], movable=False) for mark in panel.marks]
        for line in self._marks:
            self.plot.addItem(line, ignoreBounds=True)
        self._words.set_words([(mark.x, mark.label, pens[mark.kind].color()) for mark in panel.marks if mark.label])


class _MarkWords(PixelItem):
    """The words of marks, each beside its line and below those that it would touch.

    pyqtgraph's own text can't be: in a plot without room it inverts what has no inverse, in a way that numpy gives up.
    """

    def __init__(self, colours: Roles, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setZValue(1)
        self._ground = QColor(colours.card)
        self._ground.setAlpha(200)  # curves run under it
        self._words: list[tuple[float, str, QColor]] = []

    def set_words(self, words: list[tuple[float, str, QColor]]) -> None:
        """Write each word at an x, in a colour."""
        self._words = [(x, elided(visible(word), LABEL_ROOM, measured()), ink) for x, word, ink in words]
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write after each line that is seen, or before it where the word would leave the plot."""
        painter.setFont(QFont())
        to_pixels, end, high, measure = self.box.childTransform(), self.box.width(), line_height(), measured()
        placed = []
        for x, word, ink in self._words:
            line, wide = to_pixels.map(QPointF(x, 0)).x(), measure(word) + 2 * _AIR
            if 0 <= line <= end:
                placed.append((line if line + wide <= end else line - wide, wide, word, ink))
        placed.sort(key=lambda one: one[:2])
        rows = levels([(left, left + wide) for left, wide, _, _ in placed], len(placed), gap=0)
        for (left, wide, word, ink), row in zip(placed, rows, strict=True):
            room = QRectF(left, (row or 0) * high, wide, high)
            painter.fillRect(room, self._ground)
            painter.setPen(ink)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, word)


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


class _CurveNames(BareAxis):
    """The names of curves at the right edge, each where its curve ends, moved apart where they would overlap."""

    def __init__(self, colours: Roles) -> None:
        super().__init__("right", colours.card)
        self._names: list[tuple[str, str, np.ndarray, np.ndarray]] = []

    def set_curves(self, series: tuple[Series, ...], colours: tuple[str, ...]) -> None:
        self._names = [(visible(one.label), colour, one.x, one.y) for one, colour in zip(series, colours, strict=True)]
        self.setWidth(longest((name for name, *_ in self._names), measured()) + 10)
        self.picture = None
        self.update()

    def drawPicture(self, painter: QPainter, *_: object) -> None:  # noqa: N802
        """Draw the names at the heights of their curves at the right edge of what is visible."""
        view = self.linkedView()
        if view is None:
            return
        (_, right), (low, high) = view.viewRange()
        height = view.height()
        line = line_height(name for name, *_ in self._names)
        shown = [self._names[index] for index in every(len(self._names), line, height)]
        wanted = [(high - float(np.interp(right, x, y))) / (high - low) * height for _, _, x, y in shown]
        places = apart([min(max(y, 0.0), height) for y in wanted], line, line / 2, height - line / 2)
        for (name, colour, _x, _y), place in zip(shown, places, strict=True):
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(6, place - line, self.width(), 2 * line), Qt.AlignmentFlag.AlignVCenter, name)


def _names_all(panel: Lines) -> bool:
    """Whether the labels go from the beginning of all curves to their end."""
    first, count = panel.x.first, len(panel.x.labels)
    return all(first <= float(one.x.min()) and float(one.x.max()) <= first + count - 1 for one in panel.series)


def _logarithm(series: Series) -> Series:
    """The curve with the logarithms of its values to base 10, as it is drawn."""
    dots = tuple((x, math.log10(y)) for x, y in series.dots)
    return replace(series, y=np.log10(series.y), dots=dots)
