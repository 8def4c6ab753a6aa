"""Curves on the screen, with their labels, dots and marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.layout.colour_scales import series_colours
from posenc_gui.render.layout.fills import fills
from posenc_gui.render.layout.label_placement import apart, beside_line, every, levels
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.ticks import UNSAID
from posenc_gui.render.screen.axes import AFTER, BareAxis, ValueAxis, WordAxis
from posenc_gui.render.screen.curves import Curves, CurveStroke, Dots
from posenc_gui.render.screen.fonts import caption, label_room, line_height, measured
from posenc_gui.render.screen.panel_view import MARK, PanelView, PixelItem, PointerMark, Spot, pen

_AIR = 6.0  # pixels between labels side by side
_AT_END = 0.02  # share of the axis left free before the first point and after the last
_BEYOND = 0.06  # share of a logarithmic range left free above and below, for a number at the edge
_VEIL = 0.8  # opacity of the ground under labels over curves
_MOST_LEVELS = 3  # lines of marks' labels above the curves
_SHARE_OF_NAMES = 0.5  # of the width of curves and their labels, at most
_NAME_ROOM = 150.0  # pixels of normal text: the longest name of a curve, which may end in “, Before”
_LONGEST_BESIDE = 80.0  # pixels: the longest title of the x axis for which room is made beside its numbers


class LinesView(PanelView):
    among_others = False  # True for a lane below others, whose quantity and marks' labels hold for all

    def __init__(self, colours: Roles) -> None:
        self._ends = _CurveNames(colours)
        self._values = ValueAxis("left", colours)
        self._places = WordAxis("bottom", colours)
        self._above = _Above(colours)
        axes = {"bottom": self._places, "left": self._values, "right": self._ends, "top": self._above}
        super().__init__(colours, axes)
        self._values.draw_grid()
        self.plot.vb.setDefaultPadding(0)
        self._marks = _MarkLines(self.plot.vb)
        self._curves = Curves(self.plot.vb)
        self._dots = Dots(self.plot.vb, colours.card, colours.ink)
        self.crosshair = _UprightLine(self.plot.vb, colours)
        self.plot.vb.sigResized.connect(self._arrange)
        self.plot.vb.sigXRangeChanged.connect(self._show_heights)
        self._extent, self._whole = QRectF(), QRectF()  # what is shown at first, and all that can be
        self._least_after = 0.0

    def show(self, panel: Lines) -> None:
        self.panel = panel
        drawn = tuple(map(_logarithm, panel.series)) if panel.log else panel.series
        strokes = [
            CurveStroke(series, colour, tuple(format_told(y) for _, y in known.marked))
            for known, series, colour in zip(panel.series, drawn, series_colours(self.colours, drawn), strict=True)
        ]
        self._curves.show_curves(strokes, fills(panel, self.colours))
        self._dots.show_dots(strokes)
        self._ends.show_names(strokes)
        self._values.set_log(panel.log)
        self._places.set_words(panel.x.first, panel.x.labels if panel.has_words else ())
        self.title.show_text(panel.title)
        extent, whole = (_extent_of(panel, *reach) for reach in (panel.seen or panel.reach, panel.reach))
        marks = [_Mark(one, _mark_pen(one, self.colours)) for one in panel.marks]
        self._marks.show_marks(marks)
        unsaid = panel.shares_x or self.among_others or panel.quantity == UNSAID  # lanes are low
        quantity = "" if unsaid else panel.quantity
        self._above.show_words(quantity, () if self.among_others else marks)
        if (extent, whole) != (self._extent, self._whole):
            self._extent, self._whole = extent, whole
            self.plot.vb.setMouseEnabled(x=True, y=panel.seen is None)
            self.reset()
        self._arrange()

    def _arrange(self, *_: object) -> None:
        """Make room for the labels after the curves and above them; the width decides the number of lines above."""
        if not self._extent.width():
            return
        whole = self.plot.vb.width() + self._ends.maximumWidth()
        wanted = max(self._least_after, self.room_after)
        self._ends.make_room(min(wanted, _SHARE_OF_NAMES * whole), self.plot.vb.width())
        self._places.set_title(self.panel.x.title, self._ends.maximumWidth())
        most = 1 if self.panel.shares_x else _MOST_LEVELS  # lanes are low
        self._above.arrange(self._extent.left(), self._extent.width(), self._values.width(), most)

    def _show_heights(self, *_: object) -> None:
        """Show curves of which only a part is seen at first as high as they are where they are in sight."""
        if self._extent.width() and self.panel.seen is not None:
            self.plot.vb.setYRange(*_heights(self.panel, *self.plot.vb.viewRange()[0]), padding=0)

    def zoom(self, factor: float) -> None:
        """Show `factor` times as much of the x axis, around its middle."""
        self.plot.vb.scaleBy(x=factor)

    @property
    def room_after(self) -> float:
        """The width after the curves' end for their labels, and for a short title of the x axis."""
        beside = measured(caption())(self.panel.x.title)
        return max(self._ends.wanted_width, AFTER + beside if beside <= _LONGEST_BESIDE else 0.0)

    def leave_after(self, room: float) -> None:
        """Leave at least this width after the curves."""
        self._least_after = room
        self._arrange()

    def show_pointer(self, pointer: Pointer) -> None:
        self.crosshair.mark(pointer.along(self.panel.x.role), None)

    def reset(self) -> None:
        extent = self._extent
        wide, high = extent.width(), extent.height()
        around = self._whole.adjusted(
            -self._whole.width(), -self._whole.height(), self._whole.width(), self._whole.height()
        )
        self.plot.vb.setLimits(
            xMin=around.left(), xMax=around.right(), yMin=around.top(), yMax=around.bottom(),
            minXRange=wide * 1e-4, minYRange=high * 1e-4,
        )  # fmt: skip
        self.plot.vb.setRange(extent, padding=0)

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        x, y = super().at(scene_position)
        return x, 10**y if self.panel.log else y

    def start(self) -> Spot:
        first = math.ceil((self.panel.seen or self.panel.reach)[0])
        return first, float(np.interp(first, self.panel.series[0].x, self.panel.series[0].y))

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Up and down move between curves; left and right stay on the nearest curve.
        x += dx
        values = sorted({float(np.interp(x, series.x, series.y)) for series in self.panel.series}, reverse=True)
        nearest = min(range(len(values)), key=lambda i: abs(values[i] - y))
        return x, values[max(0, min(len(values) - 1, nearest + dy))]


@dataclass(frozen=True)
class _Mark:
    """A vertical line's data and its pen."""

    mark: VerticalMark
    pen: QPen


def _mark_pen(mark: VerticalMark, colours: Roles) -> QPen:
    match mark.kind:
        case "end":
            return pen(colours.muted)
        case "focus":
            return pen(colours.focus, 1.5)
        case "twin":
            return pen(colours.twin, 1.0, Qt.PenStyle.DashLine)


class _MarkLines(PixelItem):
    """The vertical lines, drawn behind the curves."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.setZValue(-2)
        self._marks: Sequence[_Mark] = ()

    def show_marks(self, marks: Sequence[_Mark]) -> None:
        self._marks = marks
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw each line from top to bottom."""
        for one in self._marks:
            x = self.box.childTransform().map(QPointF(one.mark.x, 0)).x()
            painter.setPen(one.pen)
            painter.drawLine(QPointF(x, 0), QPointF(x, self.box.height()))


class _UprightLine(PointerMark):
    """A vertical line at the pointer's x coordinate."""

    def __init__(self, box: pg.ViewBox, colours: Roles) -> None:
        super().__init__(box)
        self._pen = pen(colours.muted, 1.0, Qt.PenStyle.DashLine)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the line if it is visible."""
        if self.at[0] is None:
            return
        x = self.box.childTransform().map(QPointF(self.at[0], 0)).x()
        if 0 <= x <= self.box.width():
            painter.setPen(self._pen)
            painter.drawLine(QPointF(x, 0), QPointF(x, self.box.height()))


@dataclass(frozen=True)
class _Word:
    """The label of a vertical line: its left end and its text line above the curves."""

    mark: _Mark
    text: str
    left: float
    level: int


class _Above(BareAxis):
    """Text above the curves: the title of the y axis, and the labels of vertical lines.

    A label without room there stands beside its line, over the curves.
    """

    def __init__(self, colours: Roles) -> None:
        super().__init__("top", colours.card)
        self._veil = QColor(colours.card)
        self._veil.setAlphaF(_VEIL)
        self._ink = QColor(colours.muted)
        self._quantity, self._marks = "", list[_Mark]()
        self._left, self._levels, self._title_level, self._has_title = 0.0, 0, 0, False

    def show_words(self, quantity: str, marks: Sequence[_Mark]) -> None:
        self._quantity = visible(quantity)
        self._marks = sorted((one for one in marks if one.mark.label), key=lambda one: one.mark.x)
        self.redraw()

    def arrange(self, start: float, length: float, left: float, most: int) -> None:
        """Take the height that labels need when the whole axis from `start` on is in sight; `left` is free before it.

        At most `most` lines: the title gives way to labels.
        """
        view = self.linkedView()
        if view is None or not length:
            return
        self._left = left
        words = self._words(start, length, view.width(), most)
        self._levels = 1 + max((word.level for word in words), default=-1)
        title_end = measured(caption())(self._quantity) - left + _AIR
        is_free = all(word.left >= title_end for word in words)
        self._title_level = 0 if is_free else self._levels
        self._has_title = bool(self._quantity) and self._title_level < most
        lines = max(self._levels, self._title_level + 1 if self._has_title else 0)
        self.take_height(lines * line_height(font=caption()) + 4 if lines else 0)
        self.redraw()

    def _words(self, start: float, length: float, width: float, most: int) -> list[_Word]:
        """Place the labels of the visible vertical lines; leave out those that don't fit."""
        measure, spans = measured(caption()), []
        seen = [one for one in self._marks if start <= one.mark.x <= start + length]
        for one in seen:
            line = (one.mark.x - start) / length * width
            wide = measure(_text(one))
            wanted = line if one.mark.kind == "end" else line - wide / 2
            left = max(0.0, min(wanted, width - wide))
            spans.append((left, left + wide))
        order = sorted(range(len(seen)), key=spans.__getitem__)
        placed = zip(order, levels([spans[at] for at in order], most, gap=_AIR), strict=True)
        return [_Word(seen[at], _text(seen[at]), spans[at][0], level) for at, level in placed if level is not None]

    def boundingRect(self) -> QRectF:
        """The rectangle, extended above the y axis and over the curves."""
        inside = _MOST_LEVELS * line_height(font=caption())
        return QRectF(super().boundingRect()).adjusted(-self._left, 0, _AIR, inside)

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw the title of the y axis, and each label with the part of its vertical line above the curves."""
        view = self.linkedView()
        (start, end), _y = view.viewRange()
        painter.setFont(caption())
        line, height = line_height(font=caption()), self.height()
        words = self._words(start, end - start, view.width(), self._levels)
        self._write_inside(painter, [word.mark for word in words], start, end)
        for word in words:
            bottom = height - 2 - word.level * line
            x = (word.mark.mark.x - start) / (end - start) * view.width()
            painter.setPen(word.mark.pen)
            painter.drawLine(QPointF(x, bottom), QPointF(x, height))
            room = QRectF(word.left, bottom - line, measured(caption())(word.text) + 1, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, word.text)
        if not self._has_title:
            return
        painter.setPen(self._ink)
        bottom = height - 2 - self._title_level * line
        room = QRectF(-self._left, bottom - line, self.width() + self._left, line)
        shown = elided(self._quantity, room.width(), measured(caption()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _write_inside(self, painter: QPainter, above: Sequence[_Mark], start: float, end: float) -> None:
        """Write the labels that aren't above at the right of their lines, or at their left near the end."""
        width, line, top = self.linkedView().width(), line_height(font=caption()), self.height()
        marks = [one for one in self._marks if one not in above and start <= one.mark.x <= end]
        places = [(one.mark.x - start) / (end - start) * width for one in marks]
        spans = [
            beside_line(x, measured(caption())(_text(one)), width, _AIR) for x, one in zip(places, marks, strict=True)
        ]
        for one, (left, right), level in zip(marks, spans, levels(spans, _MOST_LEVELS, gap=_AIR), strict=True):
            if level is not None and left >= 0:
                room = QRectF(left, top + level * line, right - left + 1, line)
                painter.fillRect(room, self._veil)
                painter.setPen(QColor(one.pen.color()))
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, _text(one))


def _text(one: _Mark) -> str:
    return elided(visible(one.mark.label), label_room(), measured(caption()))


class _CurveNames(BareAxis):
    """Labels of curves after the right edge, moved apart where they would overlap; a leader line joins each to its curve."""

    def __init__(self, colours: Roles) -> None:
        super().__init__("right", colours.card)
        self._ink = QColor(colours.ink)
        self._names: list[tuple[str, CurveStroke]] = []
        self._longest, self._before = 0.0, 0.0

    def show_names(self, strokes: Sequence[CurveStroke]) -> None:
        measure, room = measured(caption()), label_room(_NAME_ROOM)
        named = [one for one in strokes if one.series.label]
        self._names = [(elided(visible(one.series.label), room, measure), one) for one in named]
        self._longest = longest((name for name, _ in self._names), measure)
        self.redraw()

    @property
    def wanted_width(self) -> float:
        """The width of the labels."""
        return AFTER + self._longest + 4 if self._names else 0.0

    def make_room(self, width: float, before: float) -> None:
        """Take this width; `before` is the width of the curves."""
        self._before = before
        self.take_width(width)

    def boundingRect(self) -> QRectF:
        """The rectangle, extended over the curves, which leader lines cross."""
        return QRectF(super().boundingRect()).adjusted(-self._before, 0, 0, 0)

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw each label at the height at which its curve leaves the visible part."""
        view = self.linkedView()
        if view is None:
            return
        (left, right), (low, high) = view.viewRange()
        wide, height = view.width(), view.height()
        line, measure = line_height((name for name, _ in self._names), caption()), measured(caption())
        shown = [self._names[-1 - index] for index in every(len(self._names), line, height + line)]
        ends = [(min(right, float(one.series.x[-1])), one) for _, one in shown]
        starts = [
            (
                (x - right) / (right - left) * wide,
                (high - np.interp(x, one.series.x, one.series.y)) / (high - low) * height,
            )
            for x, one in ends
        ]
        # Not beyond the edges: there are the names of the lanes above and below.
        places = apart([min(max(y, 0.0), height) for _, y in starts], line, 0.0, max(line, height - line / 2))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(caption())
        for (name, one), (x, y), place in zip(shown, starts, places, strict=True):
            if 0 <= y <= height:
                painter.setPen(pen(one.colour))
                painter.drawLine(QPointF(max(x, -wide) + 2, y), QPointF(AFTER - 4, place))
            painter.setPen(self._ink)
            room = QRectF(AFTER, place - line, max(0.0, self.width() - AFTER), 2 * line)
            text = elided(name, room.width(), measure)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
            if one.series.is_marked:
                painter.setPen(pen(self._ink, MARK))
                painter.drawRect(QRectF(AFTER - 3, place - line / 2 - 1, measure(text) + 6, line + 2))


def _extent_of(panel: Lines, start: float, end: float) -> QRectF:
    """What is shown from one x to another, with some room at both ends; on a logarithmic scale also above and below."""
    low, high = _heights(panel, start, end)
    beyond = 0.0
    if panel.log:
        low, high = math.log10(low), math.log10(high)
        beyond = _BEYOND * (high - low)
    air = _AT_END * (end - start) or 1.0
    return QRectF(start - air, low - beyond, end - start + 2 * air, high - low + 2 * beyond)


def _heights(panel: Lines, start: float, end: float) -> tuple[float, float]:
    """The range of y from one x to another: the panel's, and all that lies beyond it where more is in sight than at first."""
    parts = [part.y for one in panel.series if panel.seen and (part := one.between(start, end)).y.size]
    low, high = (
        min((float(y.min()) for y in parts), default=panel.low),
        max((float(y.max()) for y in parts), default=panel.high),
    )
    return min(panel.low, low), max(panel.high, high)


def _logarithm(series: Series) -> Series:
    """The curve with values as logarithms to base 10, as it is drawn."""
    dots = tuple((x, math.log10(y)) for x, y in series.dots)
    marked = tuple((x, math.log10(y)) for x, y in series.marked)
    return replace(series, y=np.log10(series.y), dots=dots, marked=marked)
