"""The status bar: what is read under the pointer, what the worker does, and whether anything is kept."""

from __future__ import annotations

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QStatusBar, QWidget

from posenc_gui.app.widgets.controls import as_hint, plain, tool

_NARROWEST = 480  # pixels: Qt can't place docks in a window of a few
_PASSES_AFTER = 8000  # milliseconds until a passing word goes


class Status:
    """Fills a window's status bar."""

    def __init__(self, bar: QStatusBar) -> None:
        self._bar = bar
        self._read, self._state = plain(wraps=False), plain("Loading torch …", wraps=False)
        self._read.setMinimumWidth(1)  # what is read there may be long: the window keeps its size
        self._working = plain(name="muted", wraps=False)
        self._working.hide()
        self._stop = tool("Stop", "Stop writing", framed=True, name="stop-writing")
        self.stop_wanted: SignalInstance = self._stop.clicked  # of what is being written
        self._stop.hide()
        self._unkept = tool(
            "Not kept", "Nothing is kept for the next start: save the session elsewhere", name="refusal"
        )
        self.save_wanted: SignalInstance = self._unkept.clicked  # by those who were told that nothing is kept
        self._unkept.hide()
        bar.setMinimumWidth(_NARROWEST)
        bar.addWidget(self._read, 1)
        bar.addPermanentWidget(self._working)
        bar.addPermanentWidget(self._stop)
        bar.addPermanentWidget(self._state)
        bar.addPermanentWidget(self._unkept)

    @property
    def is_kept(self) -> bool:
        """Whether what is done will be there at the next start."""
        return self._unkept.isHidden()

    def show_read(self, words: str) -> None:
        """Show what stands under the pointer."""
        self._read.setText(words)

    def show_state(self, words: str) -> None:
        """Show what is shown and by what it is computed."""
        self._state.setText(words)

    def show_working(self, words: str, can_stop: bool) -> None:
        """Show what is being written beside the window, and Stop where that can be; nothing once it is done."""
        self._working.setText(words)
        self._working.setVisible(bool(words))
        self._stop.setVisible(can_stop)

    def add_progress(self, progress: QWidget) -> None:
        """Show the running job beside the state."""
        self._bar.insertPermanentWidget(1, progress)

    def tell(self, words: str) -> None:
        """Say something that passes."""
        self._bar.showMessage(words, _PASSES_AFTER)

    def say_unkept(self, told: str) -> None:
        """Say as long as it is so that nothing is kept, and why; an empty text: it is kept again."""
        self._unkept.setVisible(bool(told))
        self._unkept.setToolTip(as_hint(told))
