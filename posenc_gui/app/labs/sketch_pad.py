"""The sketch pad: a plot's empty axes, on which the learner draws a curve before the plot is revealed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.panels import Lines
from posenc_gui.foundation.wording import format_number
from posenc_gui.labs.play.sketch import COLUMNS, Drawing, Points
from posenc_gui.render.layout.label_placement import Ticks, levels, ticks, ticks_that_fit
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.fonts import line_height, measured

_INVITATION = "Sketch the curve here"
_KEYS = "Left and Right choose a place, Up and Down set the curve there, Delete clears."
_STEP = 0.025  # part of the height that one key press moves the curve
_GAP = 6.0  # pixels between an axis and its labels
_LEAST_TICK = 36.0  # minimum pixels between ticks
_TICK_AIR = 24.0  # minimum pixels between tick labels along the horizontal axis
_MOST_TICKS = 12  # along the horizontal axis


class SketchPad(QWidget):
    """A pad for drawing one curve. Drawing over a part of the axis replaces the curve there."""

    changed = Signal()

    def __init__(self, panel: Lines) -> None:
        super().__init__()
        self._panel = panel
        self._drawing = Drawing(panel)
        self._cursor = 0  # the column of the keyboard cursor
        self._last: tuple[float, float] | None = None  # the previous mouse position while drawing
        self.setAccessibleName(f"Sketch: {panel.title}")
        self.setAccessibleDescription(_KEYS)
        self.setToolTip(_KEYS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def covered(self) -> float:
        """The part of the horizontal axis that the curve covers, 0 to 1."""
        return self._drawing.covered

    def points(self) -> tuple[tuple[float, float], ...]:
        """Return the curve in the plot's coordinates; empty while too little is drawn."""
        return self._drawing.points()

    def show_points(self, points: Points) -> None:
        """Show an earlier curve."""
        self._drawing.show(points)
        self.update()

    def clear(self) -> None:
        """Remove the curve."""
        self._drawing.clear()
        self._say_changed()

    def place(self, across: float, up: float) -> QPointF:
        """Return the pixel for coordinates in the axes' box, from 0 (left, bottom) to 1 (right, top)."""
        box = self._box()
        return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height())

    def sizeHint(self) -> QSize:
        """Return the preferred size, about that of a plot."""
        return QSize(400, 260)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size on which a curve can be drawn."""
        return QSize(160, 120)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to draw."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._draw_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the curve up to the pointer while the button is pressed."""
        if self._last is not None:
            self._draw_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the stroke."""
        self._last = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor with Left, Right, Home and End, and the curve with Up and Down; Delete clears it."""
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right | Qt.Key.Key_Home | Qt.Key.Key_End:
                self._go(event.key())
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._drawing.pull(self._cursor, _STEP if event.key() == Qt.Key.Key_Up else -_STEP)
                self._say_changed()
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.clear()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the keyboard cursor while the pad has the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the keyboard cursor."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the background, axes, reference lines and curve; without a curve, an invitation to draw one."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(THEME.roles.card))
        box = self._box()
        self._paint_values(painter, box)
        self._paint_places(painter, box)
        self._paint_titles(painter, box)
        self._paint_marks(painter, box)
        if self._drawing.covered:
            self._paint_curve(painter)
        else:
            painter.setPen(QColor(THEME.roles.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, _INVITATION)
        if self.hasFocus():
            self._paint_cursor(painter, box)
        painter.end()

    def _paint_values(self, painter: QPainter, box: QRectF) -> None:
        for value, words in self._value_ticks():
            y = self.place(0, self._drawing.up(value)).y()
            painter.setPen(QColor(THEME.roles.line))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(QColor(THEME.roles.muted))
            room = QRectF(0, y - 12, box.left() - _GAP, 24)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_places(self, painter: QPainter, box: QRectF) -> None:
        for x, words in self._place_ticks(box.width()):
            at = self.place(self._drawing.across(x), 0)
            painter.setPen(QColor(THEME.roles.line))
            painter.drawLine(at, at + QPointF(0, 4))
            painter.setPen(QColor(THEME.roles.muted))
            wide = QFontMetricsF(self.font()).horizontalAdvance(words) + 2
            left = min(at.x() - wide / 2, self.width() - wide)
            painter.drawText(QRectF(left, at.y() + _GAP, wide, self._line()), Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QColor(THEME.roles.muted))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.drawLine(box.bottomLeft(), box.topLeft())

    def _paint_titles(self, painter: QPainter, box: QRectF) -> None:
        metrics, line = QFontMetricsF(self.font()), self._line()
        top = QRectF(_GAP, 2, self.width() - 2 * _GAP, line)
        bottom = QRectF(_GAP, self.height() - line - 2, self.width() - 2 * _GAP, line)
        painter.setPen(QColor(THEME.roles.ink))
        title = self._reading() if self.hasFocus() else self._panel.title
        for room, words in ((top, title), (bottom, self._panel.x.title)):
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, shown)
            painter.setPen(QColor(THEME.roles.muted))
        painter.save()
        painter.translate(line / 2 + 2, box.center().y())
        painter.rotate(-90)
        words = metrics.elidedText(self._panel.quantity, Qt.TextElideMode.ElideRight, box.height())
        room = QRectF(-box.height() / 2, -line / 2, box.height(), line)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
        painter.restore()

    def _paint_marks(self, painter: QPainter, box: QRectF) -> None:
        """Draw each reference line and its label, lower if it would overlap another label."""
        colours = {"end": THEME.roles.muted, "focus": THEME.roles.focus, "twin": THEME.roles.twin}
        measure, named = measured(self.font()), []
        for mark in self._panel.marks:
            x = self.place(self._drawing.across(mark.x), 0).x()
            words = elided(visible(mark.label), box.width() / 2, measure)
            wide = measure(words) + 4
            left = x - wide if x > box.center().x() else x + 4  # right-edge labels: left of the line
            named.append((left, left + wide, x, words, mark.kind))
        named.sort()
        rows = levels([(left, right) for left, right, *_ in named], len(named), gap=0)
        for (left, right, x, words, kind), row in zip(named, rows, strict=True):
            dashed = Qt.PenStyle.DashLine if kind == "twin" else Qt.PenStyle.SolidLine
            painter.setPen(QPen(QColor(colours[kind]), 1, dashed))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.drawText(QRectF(left, box.top() + (row or 0) * self._line(), right - left, self._line()), words)

    def _paint_curve(self, painter: QPainter) -> None:
        pen = QPen(QColor(THEME.roles.ink), 2.5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        stretch = QPolygonF()
        for across, up in [*self._drawing.heights(), (1.0, None)]:
            if up is not None:
                stretch.append(self.place(across, up))
            elif not stretch.isEmpty():
                stretch.append(stretch.last())  # repeated, so that a single point is drawn as a dot
                painter.drawPolyline(stretch)
                stretch.clear()

    def _paint_cursor(self, painter: QPainter, box: QRectF) -> None:
        across, up = self._drawing.heights()[self._cursor]
        at = self.place(across, up or 0)
        painter.setPen(QPen(QColor(THEME.roles.ink), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(at.x(), box.top()), QPointF(at.x(), box.bottom()))
        if up is not None:
            painter.setPen(QPen(QColor(THEME.roles.card), 1))
            painter.setBrush(QColor(THEME.roles.ink))
            painter.drawEllipse(at, 5, 5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(THEME.roles.focus), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _go(self, key: int) -> None:
        last = COLUMNS - 1
        target = {
            Qt.Key.Key_Left: self._cursor - 1,
            Qt.Key.Key_Right: self._cursor + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        self._cursor = max(0, min(last, target[Qt.Key(key)]))
        self._read_out()

    def _draw_to(self, pixel: QPointF) -> None:
        box = self._box()
        here = (pixel.x() - box.left()) / box.width(), (box.bottom() - pixel.y()) / box.height()
        self._drawing.stroke(self._last or here, here)
        self._last = here
        self._cursor = round(max(0.0, min(1.0, here[0])) * (COLUMNS - 1))
        self._say_changed()

    def _say_changed(self) -> None:
        self._read_out()
        self.changed.emit()

    def _read_out(self) -> None:
        """Describe the cursor's position for screen readers, and repaint."""
        self.setAccessibleDescription(f"{self._reading()}. {_KEYS}")
        self.update()

    def _reading(self) -> str:
        across, up = self._drawing.heights()[self._cursor]
        drawn = "nothing drawn" if up is None else f"{self._panel.quantity} {format_number(self._drawing.value(up))}"
        return f"{self._panel.x.role} {format_number(self._drawing.x(across))}: {drawn}"

    def _box(self) -> QRectF:
        """Return the rectangle between the axes."""
        line, numbers = self._line(), longest((words for _, words in self._value_ticks()), measured(self.font()))
        left, top, bottom = line + numbers + 2 * _GAP, line + 10, 2 * line + 2 * _GAP
        return QRectF(left, top, max(10.0, self.width() - left - 16), max(10.0, self.height() - top - bottom))

    def _line(self) -> float:
        return line_height(font=self.font())

    def _value_ticks(self) -> Ticks:
        panel, most = self._panel, max(2, int(self.height() / _LEAST_TICK) - 2)
        return ticks(panel.low, panel.high, most, log=panel.log)

    def _place_ticks(self, width: float) -> Ticks:
        """Return numbers for the horizontal axis, as on the plot: a word such as "three" would be read as its position."""
        start, end = self._drawing.x(0), self._drawing.x(1)
        measure = measured(self.font())
        return ticks_that_fit(start, end, _MOST_TICKS, width, _TICK_AIR, measure, whole=True)
