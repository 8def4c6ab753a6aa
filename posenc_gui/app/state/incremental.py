"""Long work on the window's own thread, in pieces: between two of them the window answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal


class Turns(QObject):
    """Goes through works one after the other; each yields between its pieces, of which a turn of the event loop has one.

    Where one fails, those behind it, which build on it, are not begun.
    """

    failed = Signal(object)  # the exception

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._works: deque[Iterator[object]] = deque()
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._go_on)

    def add(self, work: Iterator[object]) -> None:
        """Do this behind all that was added before."""
        self._works.append(work)
        self._next.start()

    def stop(self) -> None:
        """Do no more of it."""
        self._works.clear()
        self._next.stop()

    def _go_on(self) -> None:
        try:
            ended = next(self._works[0], self) is self
        except Exception as error:
            self.stop()
            self.failed.emit(error)
            return
        if ended and self._works:  # a piece may have ended all
            self._works.popleft()
        if self._works:
            self._next.start()
