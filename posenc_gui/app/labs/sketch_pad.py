"""The sketching pad: a plot's empty axes, on which a curve is drawn by mouse or keyboard before the plot is uncovered."""

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

from posenc_gui.figure.figure import Lines, number
from posenc_gui.foundation.theme import Roles
from posenc_gui.labs.play.sketch import COLUMNS, Drawing, Points
from posenc_gui.render.layout import ticks
from posenc_gui.render.layout.label_placement import levels
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.fonts import LABEL_ROOM, line_height, measured

_INVITATION = "Sketch the curve here"
_KEYS = "Left and Right choose a place, Up and Down set the curve there, Delete clears."
_STEP = 0.025  # of the height, by one key
_GAP = 6.0  # pixels between an axis and its words
_LEAST_TICK = 36.0  # pixels from value to value
_TICK_AIR = 24.0  # pixels between numbers along the axis of places
_MOST_TICKS = 12  # along it


class SketchPad(QWidget):
    """Takes a curve. What is drawn over a part of the axis replaces what was drawn there before."""

    changed = Signal()

    def __init__(self, panel: Lines, theme: Roles) -> None:
        super().__init__()
        self._panel, self._theme = panel, theme
        self._drawing = Drawing(panel)
        self._cursor = 0  # the column to which the keyboard points
        self._last: tuple[float, float] | None = None  # where the mouse that draws was
        self.setAccessibleName(f"Sketch: {panel.title}")
        self.setAccessibleDescription(_KEYS)
        self.setToolTip(_KEYS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def covered(self) -> float:
        """How much of the axis is drawn on, 0 to 1."""
        return self._drawing.covered

    def points(self) -> tuple[tuple[float, float], ...]:
        """The curve in the plot's coordinates; empty while too little is drawn."""
        return self._drawing.points()

    def show_points(self, points: Points) -> None:
        """Show a curve that was drawn before."""
        self._drawing.show(points)
        self.update()

    def clear(self) -> None:
        """Take away what was drawn."""
        self._drawing.clear()
        self._say_changed()

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        self._theme = theme
        self.update()

    def place(self, across: float, up: float) -> QPointF:
        """The pixel at these parts of the axes, from 0, left and bottom, to 1."""
        box = self._box()
        return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height())

    def sizeHint(self) -> QSize:  # noqa: N802
        """As large as a plot."""
        return QSize(400, 260)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """A curve needs some room."""
        return QSize(160, 120)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A press begins to draw."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._draw_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A drag draws on."""
        if self._last is not None:
            self._draw_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The line ends where the mouse is."""
        self._last = None

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrow keys go along the axis and set the curve."""
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

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """The keyboard's place is seen while it has the keyboard."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """And no longer."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paper, axes, marks, and the curve; or the invitation to draw one."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.card))
        box = self._box()
        self._paint_values(painter, box)
        self._paint_places(painter, box)
        self._paint_titles(painter, box)
        self._paint_marks(painter, box)
        if self._drawing.covered:
            self._paint_curve(painter)
        else:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, _INVITATION)
        if self.hasFocus():
            self._paint_cursor(painter, box)
        painter.end()

    def _paint_values(self, painter: QPainter, box: QRectF) -> None:
        for value, words in self._value_ticks():
            y = self.place(0, self._drawing.up(value)).y()
            painter.setPen(QColor(self._theme.line))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(QColor(self._theme.muted))
            room = QRectF(0, y - 12, box.left() - _GAP, 24)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_places(self, painter: QPainter, box: QRectF) -> None:
        axis = self._panel.x
        for x, words in self._place_ticks(box.width()):
            at = self.place(self._drawing.across(x), 0)
            painter.setPen(QColor(self._theme.line))
            painter.drawLine(at, at + QPointF(0, 4))
            painter.setPen(QColor(self._theme.focus if axis.labels and x == axis.focus else self._theme.muted))
            wide = QFontMetricsF(self.font()).horizontalAdvance(words) + 2
            left = min(at.x() - wide / 2, self.width() - wide)  # the last one may be long
            painter.drawText(QRectF(left, at.y() + _GAP, wide, self._line()), Qt.AlignmentFlag.AlignCenter, words)
        painter.setPen(QColor(self._theme.muted))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.drawLine(box.bottomLeft(), box.topLeft())

    def _paint_titles(self, painter: QPainter, box: QRectF) -> None:
        metrics, line = QFontMetricsF(self.font()), self._line()
        top = QRectF(_GAP, 2, self.width() - 2 * _GAP, line)
        bottom = QRectF(_GAP, self.height() - line - 2, self.width() - 2 * _GAP, line)
        painter.setPen(QColor(self._theme.ink))
        title = self._reading() if self.hasFocus() else self._panel.title
        for room, words in ((top, title), (bottom, self._panel.x.title)):
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, shown)
            painter.setPen(QColor(self._theme.muted))
        painter.save()
        painter.translate(line / 2 + 2, box.center().y())
        painter.rotate(-90)
        words = metrics.elidedText(self._panel.quantity, Qt.TextElideMode.ElideRight, box.height())
        room = QRectF(-box.height() / 2, -line / 2, box.height(), line)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)
        painter.restore()

    def _paint_marks(self, painter: QPainter, box: QRectF) -> None:
        """A line for each mark and its word beside it, below those that it would touch."""
        colours = {"end": self._theme.muted, "focus": self._theme.focus, "twin": self._theme.twin}
        measure, named = measured(self.font()), []
        for mark in self._panel.marks:
            x = self.place(self._drawing.across(mark.x), 0).x()
            words = elided(visible(mark.label), box.width() / 2, measure)
            wide = measure(words) + 4
            left = x - wide if x > box.center().x() else x + 4  # a word at the right edge stands before its line
            named.append((left, left + wide, x, words, mark.kind))
        named.sort()
        rows = levels([(left, right) for left, right, *_ in named], len(named), gap=0)
        for (left, right, x, words, kind), row in zip(named, rows, strict=True):
            dashed = Qt.PenStyle.DashLine if kind == "twin" else Qt.PenStyle.SolidLine
            painter.setPen(QPen(QColor(colours[kind]), 1, dashed))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.drawText(QRectF(left, box.top() + (row or 0) * self._line(), right - left, self._line()), words)

    def _paint_curve(self, painter: QPainter) -> None:
        pen = QPen(QColor(self._theme.ink), 2.5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        stretch = QPolygonF()
        for across, up in [*self._drawing.heights(), (1.0, None)]:
            if up is not None:
                stretch.append(self.place(across, up))
            elif not stretch.isEmpty():
                stretch.append(stretch.last())  # a single place is seen, as a dot
                painter.drawPolyline(stretch)
                stretch.clear()

    def _paint_cursor(self, painter: QPainter, box: QRectF) -> None:
        across, up = self._drawing.heights()[self._cursor]
        at = self.place(across, up or 0)
        painter.setPen(QPen(QColor(self._theme.ink), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(at.x(), box.top()), QPointF(at.x(), box.bottom()))
        if up is not None:
            painter.setPen(QPen(QColor(self._theme.card), 1))
            painter.setBrush(QColor(self._theme.ink))
            painter.drawEllipse(at, 5, 5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.focus), 1))
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
        """Say the keyboard's place to those who can't see it."""
        self.setAccessibleDescription(f"{self._reading()}. {_KEYS}")
        self.update()

    def _reading(self) -> str:
        across, up = self._drawing.heights()[self._cursor]
        drawn = "nothing drawn" if up is None else f"{self._panel.quantity} {number(self._drawing.value(up))}"
        return f"{self._panel.x.role} {number(self._drawing.x(across))}: {drawn}"

    def _box(self) -> QRectF:
        """The room between the axes."""
        line, numbers = self._line(), longest((words for _, words in self._value_ticks()), measured(self.font()))
        left, top, bottom = line + numbers + 2 * _GAP, line + 10, 2 * line + 2 * _GAP
        return QRectF(left, top, max(10.0, self.width() - left - 16), max(10.0, self.height() - top - bottom))

    def _line(self) -> float:
        return line_height(font=self.font())

    def _value_ticks(self) -> ticks.Ticks:
        panel, most = self._panel, max(2, int(self.height() / _LEAST_TICK) - 2)
        return ticks.ticks(panel.low, panel.high, most, log=panel.log)

    def _place_ticks(self, width: float) -> ticks.Ticks:
        """The tokens where all have room, numbers where not."""
        axis, start, end = self._panel.x, self._drawing.x(0), self._drawing.x(1)
        measure = measured(self.font())
        words = [
            (float(axis.first + index), elided(visible(label), LABEL_ROOM, measure))
            for index, label in enumerate(axis.labels)
            if start <= axis.first + index <= end
        ]
        widest = longest((label for _, label in words), measure)
        named = bool(words) and words[0][0] - start < 1 and end - words[-1][0] < 1
        if named and widest + _GAP <= width / max(1.0, end - start):
            return words
        return ticks.ticks_that_fit(start, end, _MOST_TICKS, width, _TICK_AIR, measure, whole=True)
