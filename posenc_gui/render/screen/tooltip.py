"""The hint: a small text box beside the pointer that describes what is under it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.fonts import caption, line_height, measured
from posenc_gui.render.screen.parts_painter import pen

_BESIDE = 16  # pixels from the pointer's tip: what a pointer covers
_AIR = 6  # pixels around the words
_LONGEST = 300.0  # pixels of a line
_MOST = 400  # code points


class Hint(QWidget):
    """A small box beside the pointer, inside its parent; the mouse goes through it."""

    def __init__(self, parent: QWidget, colours: Roles, stays: int = 0) -> None:
        super().__init__(parent)
        self._going = QTimer(self, singleShot=True, interval=stays)
        self._going.timeout.connect(self.hide)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._colours, self._lines = colours, list[str]()
        self.hide()

    def set_colours(self, colours: Roles) -> None:
        self._colours = colours
        self.update()

    def lines(self) -> list[str]:
        """The text, line by line."""
        return list(self._lines)

    def say(self, words: str, pointer: QPoint) -> None:
        """Show the words beside a point of the parent, each part between dots on a line; hide where there are none."""
        parent, measure = self.parentWidget(), measured(caption())
        assert parent is not None  # not kept: a reference cycle would leave the view to the garbage collector
        self._lines = [
            elided(visible(part), _LONGEST, measure) for part in shorten_middle(words, _MOST).split(" · ") if part
        ]
        self.setVisible(bool(self._lines))
        if self._lines:
            width, height = longest(self._lines, measure), len(self._lines) * line_height(self._lines, caption())
            box = QRect(0, 0, round(width) + 2 * _AIR + 2, round(height) + 2 * _AIR)
            self.setGeometry(_beside(pointer, box, parent.rect()))
            self.raise_()
            self.update()
            if self._going.interval():
                self._going.start()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box and its lines, as plain text."""
        painter, line = QPainter(self), line_height(self._lines, caption())
        painter.fillRect(self.rect(), QColor(self._colours.card))
        painter.setPen(pen(self._colours.muted))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.setPen(pen(self._colours.ink))
        painter.setFont(caption())
        for number, text in enumerate(self._lines):
            place = QRect(_AIR, _AIR + round(number * line), self.width(), round(line))
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute, text)


def _beside(pointer: QPoint, box: QRect, room: QRect) -> QRect:
    """The box below the pointer at its right, or on another side where it would leave the room or lie under the pointer."""
    right, left = pointer.x() + _BESIDE, pointer.x() - _BESIDE - box.width()
    below, above = pointer.y() + _BESIDE, pointer.y() - _BESIDE - box.height()
    x = right if right + box.width() <= room.width() or left < 0 else left
    y = below if below + box.height() <= room.height() or above < 0 else above
    box.moveTo(max(0, min(x, room.width() - box.width())), max(0, min(y, room.height() - box.height())))
    return box
