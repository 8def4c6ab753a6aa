"""Dials on the screen, painted in one item."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Dial, Dials
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.dial_grid import DialGrid, arc_of, dial_grid, hand_colours, legend_colours, trail_of
from posenc_gui.render.layout.text_fit import Measure, elided, longest, visible
from posenc_gui.render.screen.fonts import caption, label_room, line_height, measured
from posenc_gui.render.screen.motion import DialMotion, Moment
from posenc_gui.render.screen.panel_view import BROAD, MARK, PanelView, Spot, faded, pen

_AROUND = 3.0  # pixels from a dial to the frame around it


class DialsView(PanelView):
    def __init__(self, colours: Roles) -> None:
        super().__init__(colours, {})
        self.plot.vb.setMouseEnabled(False, False)
        self._clocks = _Clocks(colours, self.plot.vb)

    def show(self, panel: Dials) -> None:
        self.panel = panel
        self.title.show_text(panel.title)
        self._clocks.show_dials(panel)

    def show_moment(self, motion: DialMotion, now: Moment) -> None:
        """Draw the hands on their way, over broad and pale former ones."""
        self._clocks.show_moment(motion, now)

    def show_pointer(self, pointer: Pointer) -> None:
        pair = pointer.along("pair")
        pairs = self.panel.shown_pairs
        self._clocks.mark(pairs.index(pair) if pair in pairs else None)

    def reset(self) -> None:
        """Dials are always shown whole."""

    def start(self) -> Spot:
        return 0, 0

    def at(self, scene_position: QPointF) -> tuple[float, float]:
        point = self._clocks.mapFromScene(scene_position)
        index = self._clocks.grid().at(point.x(), point.y())
        return (-1 if index is None else index), 0

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        return x + dx + dy * self._clocks.grid().columns, y


class _Clocks(pg.GraphicsObject):
    """Dials in rows, drawn in the view box's pixel coordinates; new angles need only one repaint."""

    def __init__(self, colours: Roles, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._colours = colours
        self._box = box
        self._panel: Dials | None = None
        self._marked: int | None = None
        self._dials: tuple[Dial, ...] = ()  # as they are drawn
        self._former: dict[int, Dial] = {}  # of those that have turned
        self._mark = 0.0
        self._grid = DialGrid(0, 1, 0, 0, 1, 1, 1, "none")
        self._shape: tuple[Any, ...] = ()
        self._legend: list[tuple[str, str, float]] = []
        box.sigResized.connect(self._resized)

    def show_dials(self, panel: Dials) -> None:
        self._panel, self._dials, self._mark = panel, panel.dials, 0.0
        self._arrange(panel)
        self.update()

    def show_moment(self, motion: DialMotion, now: Moment) -> None:
        self._dials, self._mark = motion.at(now.share), now.mark
        self._former = {dial: motion.former[dial] for dial in motion.changed}
        self.update()

    def mark(self, index: int | None) -> None:
        """Highlight the dial under the pointer."""
        if index != self._marked:
            self._marked = index
            self.update()

    def grid(self) -> DialGrid:
        return self._grid

    def _resized(self) -> None:
        self.prepareGeometryChange()
        if self._panel is not None:
            self._arrange(self._panel)

    def _arrange(self, panel: Dials) -> None:
        """Lay the dials out again if their number, labels or room changed, or a reading became too long."""
        room = self._box.rect()
        shape = (room.width(), room.height(), panel.legend, tuple(dial.label for dial in panel.dials))
        if shape == self._shape and (
            self._grid.words not in ("all", "broken")
            or self._widest_line(panel, measured(caption())) <= self._grid.across - 4
        ):
            return
        # Readings change their length as dials turn; the layout for the longest so far stays.
        self._shape = shape
        measure = measured(caption())
        self._grid = dial_grid(panel, room.width(), room.height(), line_height(font=caption()), measure)
        self._legend = []
        if panel.legend and self._grid.legend:
            names = [elided(visible(name), label_room(), measure) for name in panel.legend]
            colours = legend_colours(panel, self._colours)
            self._legend = [(name, colour, measure(name)) for name, colour in zip(names, colours, strict=True)]

    def _widest_line(self, panel: Dials, measure: Measure) -> float:
        lines = (line for index, dial in enumerate(panel.dials) for line in self._grid.lines(index, dial))
        return longest(lines, measure)

    def boundingRect(self) -> QRectF:
        """The view box's rectangle."""
        return QRectF(self._box.rect())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw every dial and the legend."""
        if self._panel is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(caption())
        self._paint_legend(painter)
        line, measure = line_height(font=caption()), measured(caption())
        for index, dial in enumerate(self._dials):
            x, y = self._grid.centre(index)
            if self._mark and index in self._former:
                self._paint_former(painter, self._former[index], QPointF(x, y))
            self._paint_dial(painter, dial, x, y, marked=index == self._marked)
            painter.setPen(QColor(self._colours.ink if index == self._marked else self._colours.muted))
            room = self._grid.across * self._grid.every - 4
            top = y + self._grid.diameter / 2 + 3
            for row, text in enumerate(self._grid.lines(index, dial)):
                shown = elided(visible(text), room, measure)
                painter.drawText(
                    QRectF(x - room / 2, top + row * line, room, line), Qt.AlignmentFlag.AlignCenter, shown
                )
        side = self._grid.diameter + 2 * _AROUND
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self._colours.ink, MARK))
        for index in self._panel.marked:
            x, y = self._grid.centre(index)
            painter.drawRect(QRectF(x - side / 2, y - side / 2, side, side))

    def _paint_dial(self, painter: QPainter, dial: Dial, x: float, y: float, *, marked: bool) -> None:
        radius, colours = self._grid.diameter / 2, self._colours
        centre = QPointF(x, y)
        tip = _tip(centre, radius, dial.angle)
        circle = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.muted if marked else colours.line), 1.5))
        painter.drawEllipse(circle)
        if self._grid.legs:
            painter.setPen(QPen(QColor(colours.line), 1))
            painter.drawLine(QPointF(x - radius, y), QPointF(x + radius, y))
            painter.drawLine(QPointF(x, y - radius), QPointF(x, y + radius))
        painter.setPen(QPen(QColor(colours.curves[1]), 2.5, c=Qt.PenCapStyle.FlatCap))
        painter.drawArc(circle, *(round(math.degrees(part) * 16) for part in arc_of(dial)))
        painter.setPen(Qt.PenStyle.NoPen)
        dot = QColor(colours.ink)
        size = max(0.8, min(2.2, radius / 22))
        for angle, left in trail_of(dial):
            dot.setAlphaF(0.6 * left)
            painter.setBrush(dot)
            painter.drawEllipse(_tip(centre, radius, angle), size, size)
        if self._grid.legs:
            (_, across, _), (_, up, _) = self._legend
            painter.setPen(QPen(QColor(across), 1.5))
            painter.drawLine(tip, QPointF(x, tip.y()))
            painter.setPen(QPen(QColor(up), 1.5))
            painter.drawLine(tip, QPointF(tip.x(), y))
        width, hand = max(1.0, min(1.8, radius / 14)), colours.ink
        if dial.key is not None:
            hand, of_key = hand_colours(colours)
            painter.setPen(QPen(QColor(of_key), width))
            painter.drawLine(centre, _tip(centre, radius, dial.key))
        painter.setPen(QPen(QColor(hand), width))
        painter.drawLine(centre, tip)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.focus))
        tip_size = max(2.0, min(4.5, radius / 10))
        painter.drawEllipse(tip, tip_size, tip_size)

    def _paint_former(self, painter: QPainter, dial: Dial, centre: QPointF) -> None:
        radius = self._grid.diameter / 2
        circle = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
        broad = min(BROAD, radius / 4)
        arc, hand = (faded(QColor(one), self._mark) for one in (self._colours.curves[1], self._colours.muted))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(arc, broad, c=Qt.PenCapStyle.FlatCap))
        painter.drawArc(circle, *(round(math.degrees(part) * 16) for part in arc_of(dial)))
        painter.setPen(QPen(hand, broad, c=Qt.PenCapStyle.FlatCap))
        for angle in (dial.angle,) if dial.key is None else (dial.angle, dial.key):
            painter.drawLine(centre, _tip(centre, radius, angle))

    def _paint_legend(self, painter: QPainter) -> None:
        x, middle = self.boundingRect().right() - 4, self._grid.legend / 2
        for name, colour, width in reversed(self._legend):
            x -= width
            painter.setPen(QColor(self._colours.ink))
            painter.drawText(QRectF(x, 0, width + 1, 2 * middle), Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(QPen(QColor(colour), 1.5))
            painter.drawLine(QPointF(x - 18, middle), QPointF(x - 5, middle))
            x -= 32


def _tip(centre: QPointF, radius: float, angle: float) -> QPointF:
    """The tip of a hand at this angle."""
    return centre + QPointF(radius * math.cos(angle), -radius * math.sin(angle))
