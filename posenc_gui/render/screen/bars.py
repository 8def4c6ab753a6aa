"""Bars on the screen: horizontal groups, their values and a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Bars
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.layout.colour_scales import curve_colours
from posenc_gui.render.layout.heatmap_cells import counts
from posenc_gui.render.layout.text_fit import from_where_they_differ, side_by_side, visible
from posenc_gui.render.screen.axes import BareAxis, CellAxis, ValueAxis
from posenc_gui.render.screen.fonts import line_height, measured
from posenc_gui.render.screen.panel_view import PanelView, PixelItem, PointerMark, Spot, pen

_LABEL_ROOM = 180.0  # pixels of normal text: the longest label of a category, which has more room than labels elsewhere
_GROUP = 0.8  # the share of a category's height that its bars fill
_THICKEST = 28.0  # pixels of a bar
_LEAST_WITH_VALUE = 8.0  # pixels: the least height of a bar with its value beside it
_AIR = 4.0  # pixels between a bar and its value
_BEYOND = 0.14  # share of the range added at its ends, for the values beside the longest bars
_BEYOND_ZERO = 0.02  # likewise at an end without bars, for the axis's 0
_IN_ONE_LINE = 3  # names of the legend; more take two lines
_KEY_PIXELS = 24.0  # a colour of the legend and the space around it


class BarsView(PanelView):
    def __init__(self, colours: Roles) -> None:
        self._categories = CellAxis("left", colours, _LABEL_ROOM)
        self._legend = _Legend(colours, self._categories)
        self._values = ValueAxis("bottom", colours)
        axes = {"left": self._categories, "top": self._legend, "bottom": self._values}
        super().__init__(colours, axes)
        self._values.draw_grid()
        self.plot.vb.invertY(True)
        self.plot.vb.setDefaultPadding(0)
        self._bars = _Groups(colours, self.plot.vb)
        self.crosshair = _Frame(self.plot.vb, colours)
        self._extent = QRectF()

    def show(self, panel: Bars) -> None:
        self.panel = panel
        count = len(panel.categories.labels)
        self._categories.set_cells(panel.categories, count)
        self._categories.take_width(self._categories.width_of_words())
        self._legend.set_names([series.label for series in panel.series])
        self._values.set_whole(counts(panel))
        self.title.show_text(panel.title)
        self._values.set_title(panel.quantity)
        wide = panel.high - panel.low
        left = panel.low - wide * (_BEYOND if panel.low < 0 else _BEYOND_ZERO)
        right = panel.high + wide * (_BEYOND if panel.high > 0 else _BEYOND_ZERO)
        extent = QRectF(left, panel.categories.first - 0.5, right - left, count)
        self._bars.show_bars(panel)
        if extent != self._extent:
            self._extent = extent
            self.reset()

    def show_pointer(self, pointer: Pointer) -> None:
        self.crosshair.mark(None, pointer.along(self.panel.categories.role))

    def reset(self) -> None:
        extent = self._extent
        self.plot.vb.setLimits(
            xMin=extent.left(), xMax=extent.right(), yMin=extent.top(), yMax=extent.bottom(),
            minXRange=extent.width() * 1e-4, minYRange=min(2.0, extent.height()),
        )  # fmt: skip
        self.plot.vb.setRange(extent, padding=0)

    def start(self) -> Spot:
        axis: Axis = self.panel.categories
        focus = axis.focus
        return 0, axis.first if focus is None or not 0 <= focus - axis.first < len(axis.labels) else focus

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # A bar has no neighbours at its sides, so left and right move to the next panel.
        return x, self.panel.categories.first - 1 if dx else y + dy


class _Groups(PixelItem):
    """All bars, and the line at 0 from which they begin."""

    def __init__(self, colours: Roles, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._colours = colours
        self._panel: Bars | None = None

    def show_bars(self, panel: Bars) -> None:
        self._panel = panel
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the bars, as many values as have room, then the line at 0."""
        if self._panel is None:
            return
        to_pixels, count = self.box.childTransform(), len(self._panel.series)
        row = to_pixels.mapRect(QRectF(0, 0, 1, 1)).height()
        thick = min(row * (_GROUP if row > 4 else 1) / count, _THICKEST)
        painter.setRenderHint(
            QPainter.RenderHint.Antialiasing, thick < 4
        )  # thin bars would vanish in rounding to whole pixels
        font = QFont()
        font.setPixelSize(round(max(9.0, min(12.0, thick))))
        painter.setFont(font)
        start = to_pixels.map(QPointF(0, 0)).x()
        colours = curve_colours(self._colours, count)
        for which, series in enumerate(self._panel.series):
            colour = QColor(colours[which])
            for category, value in enumerate(series.values, self._panel.categories.first):
                end = to_pixels.map(QPointF(value, category))
                top = end.y() + (which - count / 2) * thick
                bar = QRectF(QPointF(start, top), QPointF(end.x(), top + thick - (1 if thick > 4 else 0))).normalized()
                painter.fillRect(bar, colour)
                if thick >= _LEAST_WITH_VALUE:
                    self._paint_value(painter, float(value), bar)
        painter.fillRect(QRectF(start - 0.5, 0, 1, self.box.height()), QColor(self._colours.muted))

    def _paint_value(self, painter: QPainter, value: float, bar: QRectF) -> None:
        """Write a value after the end of its bar or, where it would leave the plot, inside it or before it; else not at all."""
        text, metrics = format_number(value), painter.fontMetrics()
        width = metrics.horizontalAdvance(text) + 1
        left, right = bar.left() - _AIR - width, bar.right() + _AIR
        after, before = (left, right) if value < 0 else (right, left)
        inside = bar.left() + _AIR if value < 0 else bar.right() - _AIR - width
        is_inside = False
        at = next((place for place in (after, before) if 0 <= place <= self.box.width() - width), None)
        if at != after and bar.width() >= width + 2 * _AIR and bar.height() > metrics.capHeight() + 1:
            at, is_inside = inside, True
        if at is None:
            return
        painter.setPen(QColor(self._colours.card if is_inside else self._colours.ink))
        painter.drawText(QRectF(at, bar.center().y() - 10, width, 20), Qt.AlignmentFlag.AlignVCenter, text)


class _Frame(PointerMark):
    """A frame around the bars of the category under the pointer."""

    def __init__(self, box: pg.ViewBox, colours: Roles) -> None:
        super().__init__(box)
        self._pen = pen(colours.muted)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the frame across the whole width."""
        if self.at[1] is None:
            return
        row = self.on_pixels(QRectF(0, self.at[1] - 0.5, 1, 1))
        painter.setClipRect(self.boundingRect())
        painter.setPen(self._pen)
        painter.drawRect(QRectF(0, row.top(), self.box.width(), row.height()))


class _Legend(BareAxis):
    """The legend above the bars: each series with its colour; none for a single series."""

    def __init__(self, colours: Roles, categories: CellAxis) -> None:
        super().__init__("top", colours.card)
        self._colours, self._categories = colours, categories
        self._names: list[str] = []
        self._across = 1
        self.widthChanged.connect(self._arrange)

    def set_names(self, names: list[str]) -> None:
        self._names = [visible(name) for name in names] if sum(map(bool, names)) > 1 else []
        self._arrange()
        self.picture = None
        self.update()

    def _arrange(self) -> None:
        """Put as many names on a line as fit; lines have equally many."""
        count = len(self._names)
        most = count if count <= _IN_ONE_LINE else math.ceil(count / 2)
        room = self.width() + self._beside()
        tried = range(most, 1, -1)
        self._across = next((one for one in tried if self._longest(self._names, _runs(count, one)) <= room), 1)
        self.take_height(len(_runs(count, self._across)) * line_height() + 4 if count else 0.0)

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw the names from left to right; the longest are shortened if one has no room on a line of its own."""
        if not self._names:
            return
        colours = curve_colours(self._colours, len(self._names))
        painter.setFont(QFont())
        names, line = self._names, line_height()
        lines = _runs(len(names), self._across)
        if self._longest(names, lines) > self.width() + self._beside():
            names = from_where_they_differ(names)
        left = -min(self._beside(), max(0.0, self._longest(names, lines) - self.width()))
        for below, some in enumerate(lines):
            self._draw_line(painter, names[some], colours[some], QPointF(left, below * line), line)

    @staticmethod
    def _longest(names: Sequence[str], lines: Sequence[slice]) -> float:
        """The length of the longest line."""
        measure = measured()
        return max(sum(measure(name) + _KEY_PIXELS + 1 for name in names[some]) for some in lines)

    def _draw_line(
        self, painter: QPainter, names: Sequence[str], colours: Sequence[str], start: QPointF, height: float
    ) -> None:
        measure, keys = measured(), (_KEY_PIXELS + 1) * len(names)
        x, top = start.x(), start.y()
        for shown, colour in zip(side_by_side(names, self.width() - x - keys, measure), colours, strict=True):
            width = measure(shown)
            painter.fillRect(QRectF(x, top + height / 2 - 3, 8, 8), QColor(colour))
            painter.setPen(QColor(self._colours.ink))
            painter.drawText(QRectF(x + 12, top, width + 1, height + 1), Qt.AlignmentFlag.AlignVCenter, shown)
            x += width + _KEY_PIXELS

    def boundingRect(self) -> QRectF:
        """The legend's rectangle: names too long for the room above the bars begin above the categories."""
        return QRectF(super().boundingRect()).adjusted(-self._beside(), 0, 0, 0)

    def _beside(self) -> float:
        return float(self._categories.width())


def _runs(count: int, most: int) -> list[slice]:
    """So many things in runs of at most so many."""
    return [slice(start, start + most) for start in range(0, count, most)]
