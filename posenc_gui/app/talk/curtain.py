"""What a lecturer draws over Present: a black or a white screen, or the list of keys."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.app.widgets.theme import THEME

_OF_BOOKMARKS = (
    ("→  ↓  Page Down  Space", "the next part of a figure, or the next bookmark"),
    ("←  ↑  Page Up  Backspace", "the one before"),
    ("Home  End", "the first bookmark, the last"),
    ("N", "the note: its first line, all of it, or nothing"),
)
_OF_PARTS = (
    ("→  ↓  Page Down  Space", "the next part of the figure, if it has several"),
    ("←  ↑  Page Up  Backspace", "the one before"),
)
_ALWAYS = (
    ("B  .", "a black screen"),
    ("W  ,", "a white screen"),
    ("Ctrl+D", "bookmark what is shown"),
    ("Ctrl+B", "back to the window, with the list of bookmarks"),
    ("Ctrl+Z  Ctrl+Y", "undo, redo"),
    ("Tab", "the buttons and the figure"),
    ("Escape  F11  Ctrl+W", "back to the window"),
)
_LINES, _LETTERS = 24, 40  # the height of a screen, and its breadth, in lines of keys
_LEAST_TYPE = 12  # pixels


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

    def show_keys(self, *, has_bookmarks: bool) -> None:
        """List the keys, of which some act on bookmarks."""
        rows = (*(_OF_BOOKMARKS if has_bookmarks else _OF_PARTS), *_ALWAYS)
        self._draw(THEME.roles.window, rows, "; ".join(f"{keys}: {does}" for keys, does in rows))

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
        line = min(self.height() / _LINES, self.width() / _LETTERS)
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
