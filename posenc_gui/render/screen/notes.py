"""Notes in place of a whole picture, with a button for what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSpacerItem, QVBoxLayout, QWidget

from posenc_gui.figure.panels import Note
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.unicode_text import shorten_middle

_LONGEST = 1000  # code points of a sentence
_MARGIN = 24  # pixels around a page of notes
_EXAMPLE, _PALE = (218, 120), 0.4  # pixels of an example's picture, and its opacity

Paint = Callable[[QPainter, QRectF], object]


class NotesPage(QWidget):
    """The sentences of a figure of notes alone, and one button for the first remedy among them, below a pale example."""

    remedied = Signal(object)  # Remedy

    def __init__(self) -> None:
        super().__init__()
        self._remedy: Remedy | None = None
        self.example: Paint | None = None
        self._words = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setMinimumWidth(1)  # else the longest word would widen the card
        self._button = QPushButton("Mend it")  # until a note says how
        self._button.setObjectName("remedy")
        self._button.clicked.connect(lambda: self.remedied.emit(self._remedy))
        self._room = QSpacerItem(0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.addStretch(1)
        column.addSpacerItem(self._room)
        column.addWidget(self._words)
        column.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def show_notes(self, notes: Sequence[Note]) -> None:
        """Show these notes."""
        self._words.setText(shorten_middle("\n\n".join(note.text for note in notes), _LONGEST))
        self._remedy = next((note.remedy for note in notes if note.remedy), None)
        if self._remedy is not None:
            self._button.setText(self._remedy.words)
        self._button.setVisible(self._remedy is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep room for the example where there is enough."""
        super().resizeEvent(event)
        fits = self.example is not None and self.height() > 2 * _EXAMPLE[1] + 2 * _MARGIN
        self._room.changeSize(0, _EXAMPLE[1] + _MARGIN if fits else 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the example above the words."""
        if self.example is None or not self._room.sizeHint().height():
            return
        width, height = _EXAMPLE
        painter = QPainter(self)
        painter.setOpacity(_PALE)
        self.example(painter, QRectF((self.width() - width) / 2, self._words.y() - height - _MARGIN, width, height))
        painter.end()
