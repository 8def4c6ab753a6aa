"""Notes in place of a whole picture, with a button for what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from posenc_gui.figure.panels import Note
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.unicode_text import shorten_middle

_LONGEST = 1000  # code points of a sentence
_MARGIN = 24  # pixels around a page of notes


class NotesPage(QWidget):
    """The sentences of a figure of notes alone, and one button for the first remedy among them."""

    remedied = Signal(object)  # Remedy

    def __init__(self) -> None:
        super().__init__()
        self._remedy: Remedy | None = None
        self._words = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setMinimumWidth(1)  # else the longest word would widen the card
        self._button = QPushButton("Mend it")  # until a note says how
        self._button.setObjectName("remedy")
        self._button.clicked.connect(lambda: self.remedied.emit(self._remedy))
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.addStretch(1)
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
