"""The status bar: the value under the pointer, the worker's state, and a warning while nothing is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from posenc_gui.app.widgets.controls import elided_label, plain_label, tool_button, wrap_tooltip

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.window.status_progress import Progress

_NARROWEST = 480  # pixels: Qt can't place docks in a window that is much narrower
_PASSES_AFTER = 8000  # milliseconds until a temporary message disappears


class FileProgress(QWidget):
    """What is being read or written beside the UI thread, with Stop; hidden while nothing is."""

    def __init__(self, stops: str, name: str) -> None:
        super().__init__()
        self._words = elided_label("muted")
        self._stop = tool_button("Stop", stops, framed=True, name=name)
        self.stop_wanted: SignalInstance = self._stop.clicked
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._words)
        line.addWidget(self._stop)
        self.hide()

    def show_working(self, words: str, can_stop: bool) -> None:
        """Show what is being done, with Stop if possible; hide both for an empty text."""
        self._words.setText(words)
        self._stop.setVisible(can_stop)
        self.setVisible(bool(words))


class StatusBar:
    """Fills a window's status bar."""

    def __init__(self, bar: QStatusBar) -> None:
        self._bar = bar
        self._read, self._state = elided_label("muted"), plain_label("Loading torch …", "muted", wraps=False)
        self.writing = FileProgress("Stop writing the file", "stop-writing")
        self.reading = FileProgress("Stop reading the file", "stop-reading")
        self._unkept = tool_button(
            "Not saved", "The session can't be saved automatically: save it elsewhere", name="refusal"
        )
        self.save_wanted: SignalInstance = self._unkept.clicked  # after a warning that nothing is saved
        self._unkept.hide()
        bar.setMinimumWidth(_NARROWEST)
        bar.addWidget(self._read, 1)
        bar.addPermanentWidget(self.reading)
        bar.addPermanentWidget(self.writing)
        bar.addPermanentWidget(self._state)
        bar.addPermanentWidget(self._unkept)

    @property
    def is_kept(self) -> bool:
        """True while the session is saved automatically."""
        return self._unkept.isHidden()

    def show_read(self, words: str) -> None:
        """Show the value under the pointer."""
        self._read.setText(words)

    def show_state(self, words: str) -> None:
        """Show the state: the device that computes, and how long it took."""
        self._state.setText(words)

    def add_progress(self, progress: Progress) -> None:
        """Show the running job in place of the state, which is that of what was shown before."""
        self._bar.insertPermanentWidget(1, progress)
        progress.shown.connect(self._state.setHidden)

    def tell(self, words: str) -> None:
        """Show a message for a few seconds."""
        self._bar.showMessage(words, _PASSES_AFTER)

    def say_unkept(self, told: str) -> None:
        """Show that nothing can be saved automatically, and why; an empty text ends that."""
        self._unkept.setVisible(bool(told))
        self._unkept.setToolTip(wrap_tooltip(told))
