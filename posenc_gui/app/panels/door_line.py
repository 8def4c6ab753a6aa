"""Where position enters attention: three doors in the order in which attention applies them. An encoding uses one, or none."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import in_column, plain_label, wrap_tooltip
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.encodings.base import Door, Encoding
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import BODY, CAPTION, CORNER, SMALL, TIGHT

_DONE: Final[dict[Door, str]] = {"input": "added", "rotation": "turned", "score": "biased"}
_DOORS: Final[dict[Door, str]] = {
    "input": "at the input: a vector is added to each token",
    "rotation": "by rotation: queries and keys are rotated",
    "score": "at the score: a number is added to it",
}


class DoorsView(QWidget):
    """The three doors as buttons; the one at which the encoding acts is open. Without an encoding, none is."""

    pressed = Signal(str)  # the door whose encodings are asked for

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.doors = {door: DoorButton(door) for door in _DOORS}
        line = QHBoxLayout()
        line.setSpacing(scaled(2 * SMALL))
        for door, button in self.doors.items():
            button.clicked.connect(partial(self.pressed.emit, door))
            line.addWidget(button)
        in_column(plain_label("Where position comes in", "muted", wraps=False), line, of=self, gap=TIGHT)

    def show_encoding(self, encoding: Encoding) -> None:
        """Show at which door an encoding acts."""
        where = _DOORS.get(encoding.door, "nowhere: no position is added")
        self.setAccessibleName(f"Where position comes in: {where}")
        self.setToolTip(wrap_tooltip(f"{encoding.called}: {where}.\n\n{GLOSSARY['Door']}"))
        for door, button in self.doors.items():
            button.open_up(is_open=door == encoding.door)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line on which the doors stand."""
        first, *_, last = self.doors.values()
        height = first.geometry().center().y() + 0.5
        painter = QPainter(self)
        painter.setPen(QPen(QColor(THEME.roles.muted), 1))
        painter.drawLine(QPointF(first.geometry().center().x(), height), QPointF(last.geometry().center().x(), height))
        painter.end()


class DoorButton(QAbstractButton):
    """A door with its name and what is done there; a press asks for the encodings that come in there."""

    def __init__(self, door: Door) -> None:
        super().__init__()
        self._door, self._is_open = door, False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(wrap_tooltip(f"Position comes in {_DOORS[door]}. Press to see the encodings that do so."))

    def open_up(self, *, is_open: bool) -> None:
        """Show the door open or closed."""
        self._is_open = is_open
        self.setAccessibleName(f"Door {self._door}, {'open' if is_open else 'closed'}")
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of two lines."""
        lines = (QFontMetrics(self._font(size)).height() for size in (BODY.size, CAPTION.size))
        return QSize(0, sum(lines) + scaled(SMALL))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a frame with the door's name above what is done there."""
        painter, theme = QPainter(self), THEME.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.focus if self._is_open else theme.ink
        broad = self._is_open or self.hasFocus()
        edge = theme.focus if broad else theme.ink if self.underMouse() else theme.edge
        ground, wash = QColor(theme.field), QColor(theme.focus)
        wash.setAlphaF(0.12)
        box = self.rect().toRectF().adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        for fill in (ground, wash) if self._is_open else (ground,):
            painter.setBrush(fill)
            painter.drawRoundedRect(box, CORNER, CORNER)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(edge), 2 if broad else 1))
        painter.drawRoundedRect(box, CORNER, CORNER)
        name = self._font(BODY.size)
        name.setWeight(QFont.Weight.DemiBold if self._is_open else QFont.Weight.Normal)
        inside = box.adjusted(0, TIGHT, 0, -TIGHT)
        centre = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(name)
        painter.setPen(QColor(ink))
        painter.drawText(inside, centre | Qt.AlignmentFlag.AlignTop, self._door)
        painter.setFont(self._font(CAPTION.size))
        painter.setPen(QColor(ink if self._is_open else theme.muted))
        painter.drawText(inside, centre | Qt.AlignmentFlag.AlignBottom, _DONE[self._door])
        painter.end()

    def _font(self, size: int) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(scaled(size))
        return font
