"""Slopes on the screen: a labelled line for each cell from the left column to the right one."""

from __future__ import annotations

import html
import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsObject

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Slopes
from posenc_gui.foundation.theme import BODY, CAPTION, Roles
from posenc_gui.render.layout.slope_labels import Kind, Label, drawing_order, labels, others_label, place_labels
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.axes import BareAxis, ValueAxis
from posenc_gui.render.screen.fonts import font_of, label_room, line_height, measured
from posenc_gui.render.screen.motion import Moment, Shares, SlopeMotion
from posenc_gui.render.screen.panel_view import BROAD, PanelView, Spot, faded
from posenc_gui.render.screen.plot_item import PlotBox

_AIR = 6.0  # pixels between a value and its token
_LEADER = 16.0  # pixels from a line's end to its label
_RADIUS = 3.5  # pixels of the ring at an end
_NUMBER = "−0.0075 "  # the widest number at the left column
_LEAST_BETWEEN = 88.0  # pixels from column to column


class SlopesView(PanelView):
    def __init__(self, colours: Roles) -> None:
        self._beside_maps = False
        self._values = ValueAxis("left", colours)
        heads, self._ends = BareAxis("top", colours.card), BareAxis("right", colours.card)
        super().__init__(colours, {"left": self._values, "top": heads, "right": self._ends})
        heads.setHeight(line_height() + 8)
        self.plot.vb.setDefaultPadding(0)
        self.plot.vb.setMouseEnabled(False, False)
        self._drawing = _Drawing(colours, self.plot)

    def stand_beside_maps(self, with_their_axis: bool) -> None:
        """Align with their cells; if their colour bar serves as axis, hide the numbers."""
        self._beside_maps = True
        self._values.setVisible(not with_their_axis)
        self._values.setWidth(0 if with_their_axis else measured(font_of(CAPTION))(_NUMBER))

    def show(self, panel: Slopes) -> None:
        self.panel = panel
        self.title.show_text(panel.title)
        if not self._beside_maps:  # else the colour bar names the quantity
            self._values.setLabel(html.escape(panel.quantity), color=self.colours.muted)
        self._values.set_log(panel.log)
        self._drawing.show_slopes(panel)
        self._ends.setWidth(self._drawing.room)
        self.reset()

    def show_moment(self, motion: SlopeMotion, now: Moment) -> None:
        """Draw the lines on their way, over broad and pale former ones."""
        self._drawing.show_moment(motion, now)

    def show_pointer(self, pointer: Pointer) -> None:
        key = pointer.along(self.panel.cells.role)
        elsewhere = any(pointer.along(role) not in (None, at) for role, at in self.panel.of.at)
        self._drawing.mark(self.panel.lines.index(key) if key in self.panel.lines and not elsewhere else None)

    def reset(self) -> None:
        low, high = (math.log10(at) if self.panel.log else at for at in (self.panel.low, self.panel.high))
        self.plot.vb.setRange(QRectF(0, low, 1, high - low), padding=0)

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        x, y = super().at(scene_position)
        return x, 10**y if self.panel.log else y

    def start(self) -> Spot:
        return 0, float(self.panel.values[:, 0].max())

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Left and right follow a line to its other end and over the edge, up and down go to the next line.
        if dx:
            end = x + dx
            return end, float(self.panel.values[self.panel.at(x, y), end]) if end in (0, 1) else y
        ends = sorted(set(self.panel.values[:, x].tolist()), reverse=True)
        nearest = min(range(len(ends)), key=lambda index: abs(ends[index] - y))
        return x, ends[max(0, min(len(ends) - 1, nearest + dy))]


class _Drawing(QGraphicsObject):
    """Both columns, the lines between them and their labels, painted in pixels over the whole plot."""

    def __init__(self, colours: Roles, plot: PlotBox) -> None:
        super().__init__(plot)
        self._colours = colours
        self._box = QRectF()  # from column to column
        self._inks: dict[Kind, QColor] = {
            "plain": QColor(colours.ink), "twin": QColor(colours.twin), "focus": QColor(colours.focus),
        }  # fmt: skip
        self._panel: Slopes | None = None
        self._labels: list[Label] = []
        self._names: list[str] = []
        self._marked: int | None = None
        self._heights: Shares = np.zeros((0, 2))  # of the lines' ends
        self._former: dict[int, Shares] = {}  # of the ends of lines that have moved
        self._mark = 0.0
        self.room = self.between = 0.0
        self._columns = plot.vb
        plot.vb.geometryChanged.connect(self._stand)

    def _stand(self) -> None:
        # The bounds are stored, since Qt asks for them after it has torn down the parent.
        self.prepareGeometryChange()
        self._box = QRectF(self._columns.geometry())

    def show_slopes(self, panel: Slopes) -> None:
        self._panel, self._labels, self._marked = panel, labels(panel), None
        self._heights, self._mark = panel.heights(), 0.0
        self._names = [elided(visible(label.name), label_room(), measured()) for label in self._labels]
        self._wide = longest((label.value for label in self._labels), measured(font_of(BODY, bold=True)))
        places = longest((label.place for label in self._labels), measured(font_of(CAPTION)))
        self.prepareGeometryChange()
        label = self._wide + _AIR + longest(self._names, measured()) + places
        self.room = _LEADER + max(label, measured()(others_label(panel, 0))) + 2
        self.between = max(_LEAST_BETWEEN, _heads(panel.columns) + 2 * _AIR)
        self.update()

    def show_moment(self, motion: SlopeMotion, now: Moment) -> None:
        self._heights, self._mark = motion.at(now.share), now.mark
        self._former = {line: motion.former[line] for line in motion.changed}
        self.update()

    def mark(self, line: int | None) -> None:
        """Highlight the line of a pointer."""
        if line != self._marked:
            self._marked = line
            self.update()

    def boundingRect(self) -> QRectF:
        """The columns with their headings and labels."""
        return self._box.adjusted(-_LEADER, -3 * _LEADER, self.room + _LEADER, _LEADER)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the columns, the lines with marked ones on top, and as many labels as have room."""
        if self._panel is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self._box
        self._paint_columns(painter, box, self._panel.columns)
        heights = box.bottom() - self._heights.astype(float) * box.height()
        for line, ends in self._former.items() if self._mark else ():
            start, end = (box.bottom() - ends.astype(float) * box.height()).tolist()
            painter.setPen(QPen(faded(self._colour(line), self._mark), BROAD, c=Qt.PenCapStyle.FlatCap))
            painter.drawLine(QPointF(box.left(), start), QPointF(box.right(), end))
        for line in drawing_order(self._panel):
            self._paint_line(
                painter, line, QPointF(box.left(), heights[line, 0]), QPointF(box.right(), heights[line, 1])
            )
        placed = place_labels(self._panel, box.height(), line_height(self._names))
        for line, end, place in zip(placed.lines, placed.ends, placed.places, strict=True):
            self._paint_label(painter, line, QPointF(box.right(), box.top() + end), box.top() + place)
        rest, place = placed.others
        painter.setPen(QColor(self._colours.muted))
        _write(painter, font_of(BODY), box.right() + _LEADER, box.top() + place, rest)

    def _paint_columns(self, painter: QPainter, box: QRectF, columns: tuple[str, str]) -> None:
        painter.setPen(QPen(QColor(self._colours.grid), 1))
        for x in (box.left(), box.right()):
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        painter.setPen(QColor(self._colours.muted))
        font = font_of(CAPTION)
        painter.setFont(font)
        left, right = map(visible, columns)
        high, wide = line_height(font=font), measured(font)(right)
        top = QRectF(box.left(), box.top() - high - _RADIUS - 2, box.width(), high)
        if _heads(columns) + _AIR < box.width():
            painter.drawText(top.adjusted(-_RADIUS, 0, 0, 0), Qt.AlignmentFlag.AlignLeft, left)
        painter.drawText(top.adjusted(0, 0, wide / 2, 0), Qt.AlignmentFlag.AlignRight, right)

    def _paint_line(self, painter: QPainter, line: int, start: QPointF, end: QPointF) -> None:
        colour = QColor(self._colours.ink) if line == self._marked else self._colour(line)
        wide = 1.3 if self._labels[line].kind == "plain" else 2.0
        painter.setPen(QPen(colour, wide + (line == self._marked)))
        painter.drawLine(start, end)
        painter.setBrush(QColor(self._colours.card))
        for at in (start, end):
            painter.drawEllipse(at, _RADIUS, _RADIUS)

    def _colour(self, line: int) -> QColor:
        kind = self._labels[line].kind
        return QColor(self._colours.muted) if kind == "plain" else self._inks[kind]

    def _paint_label(self, painter: QPainter, line: int, end: QPointF, y: float) -> None:
        label, name = self._labels[line], self._names[line]
        painter.setPen(QPen(QColor(self._colours.muted), 1))
        if abs(y - end.y()) > 1:
            painter.drawLine(QPointF(end.x() + _RADIUS + 2, end.y()), QPointF(end.x() + _LEADER - 3, y))
        painter.setPen(self._inks[label.kind])
        x = end.x() + _LEADER
        _write(painter, font_of(BODY, bold=label.kind != "plain" or line == self._marked), x, y, label.value)
        x += self._wide + _AIR
        _write(painter, font_of(BODY), x, y, name)
        _write(painter, font_of(CAPTION), x + measured()(name), y + 0.25 * line_height(), label.place)


def _heads(columns: tuple[str, str]) -> float:
    """The width between the columns that their headings need: the left one starts at its column, the right one is centred."""
    measure = measured(font_of(CAPTION))
    return measure(columns[0]) + measure(columns[1]) / 2


def _write(painter: QPainter, font: QFont, x: float, y: float, text: str) -> None:
    """Write a text from x on, vertically centred at y."""
    painter.setFont(font)
    wide = QFontMetricsF(font).horizontalAdvance(text) + 2
    # Arabic would change sides without AlignAbsolute.
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
    painter.drawText(QRectF(x, y - 50, wide, 100), flags, text)
