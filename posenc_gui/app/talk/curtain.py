"""What a lecturer draws over Present: a black or a white screen, or the list of keys."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.app.widgets.theme import THEME

_KEYS = (
    ("→  ↓  Page Down  Space", "the next bookmark"),
    ("←  ↑  Page Up  Backspace", "the bookmark before"),
    ("Home  End", "the first, the last"),
    ("B  .", "a black screen"),
    ("W", "a white screen"),
    ("N", "the note, or not"),
    ("Ctrl+D", "bookmark what is shown"),
    ("Ctrl+Z  Ctrl+Y", "undo, redo"),
    ("Tab", "the buttons and the figure"),
    ("Escape  F11", "back to the window"),
)
_LINES, _LEAST_TYPE = 24, 12  # lines of keys to the height of a screen; pixels


class Curtain(QWidget):
    """Covers its parent until a key or a click."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ground = QColor()
        self._rows: tuple[tuple[str, str], ...] = ()
        self.hide()

    def blank(self, colour: str) -> None:
        """Cover all in one colour."""
        self._draw(colour, (), "Blank screen")

    def show_keys(self) -> None:
        """List the keys."""
        self._draw(THEME.roles.window, _KEYS, "; ".join(f"{keys}: {does}" for keys, does in _KEYS))

    def _draw(self, colour: str, rows: tuple[tuple[str, str], ...], told: str) -> None:
        self._ground, self._rows = QColor(colour), rows
        self.setAccessibleName(told)
        parent = self.parentWidget()
        assert parent is not None
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go at a click."""
        event.accept()
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep the press from what is covered."""
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the colour, and the keys in two columns."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._ground)
        line = self.height() / _LINES
        font = painter.font()
        font.setPixelSize(max(_LEAST_TYPE, round(line * 0.7)))
        painter.setFont(font)
        painter.setPen(QColor(THEME.roles.ink))
        top, middle = round((self.height() - 2 * line * len(self._rows)) / 2), self.width() // 2
        for at, (keys, does) in enumerate(self._rows):
            room = QRect(0, round(top + 2 * at * line), middle - round(line), round(2 * line))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)
            room.moveLeft(middle + round(line))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, does)
