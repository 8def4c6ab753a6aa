"""What is being read or written beside the UI thread, with Stop."""

from __future__ import annotations

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from posenc_gui.app.widgets.controls import elided_label, in_row, tool_button


class FileProgress(QWidget):
    """What is being read or written beside the UI thread, with Stop; hidden while nothing is."""

    def __init__(self, stops: str, name: str) -> None:
        super().__init__()
        self._words = elided_label("muted")
        self._stop = tool_button("Stop", stops, framed=True, name=name)
        self.stop_wanted: SignalInstance = self._stop.clicked
        in_row(self._words, self._stop, of=self)
        self.hide()

    def show_working(self, words: str, can_stop: bool) -> None:
        """Show what is being done, with Stop if possible; hide both for an empty text."""
        self._words.setText(words)
        self._stop.setVisible(can_stop)
        self.setVisible(bool(words))
