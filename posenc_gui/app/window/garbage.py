"""Collections of Python's cyclic garbage: on the UI thread alone, and the long ones while the window rests."""

from __future__ import annotations

import gc

from PySide6.QtCore import QTimer

from posenc_gui.app.window.main_window import MainWindow

_PERIOD = 1000  # milliseconds
_YOUNG = 700  # objects, as many as Python's own default


class GarbageTimer(QTimer):
    """Collects garbage once a second, in place of Python.

    By itself Python collects on whichever thread makes an object: a collection of everything pauses a drag for 20 ms, and one
    on the worker's thread may delete widgets there, which Qt forbids.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, interval=_PERIOD)
        self._window = window
        self.timeout.connect(self._collect)

    def begin(self) -> None:
        """Collect from now on; what exists is taken to stay, and is never looked at again."""
        gc.freeze()
        gc.disable()
        self.start()

    def _collect(self) -> None:
        young, _middle, since_all = gc.get_count()
        if young > _YOUNG:
            gc.collect(1)
        elif since_all and not self._window.busy:
            gc.collect()
