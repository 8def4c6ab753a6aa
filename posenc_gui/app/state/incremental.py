"""Run generators on the UI thread, one step per event-loop turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal


class TurnRunner(QObject):
    """Runs generators one after the other, each up to its next yield in one turn of the event loop.

    If one fails, those behind it, which build on it, are dropped.
    """

    failed = Signal(object)  # the exception

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._works: deque[Iterator[object]] = deque()
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._go_on)

    def add(self, work: Iterator[object]) -> None:
        """Run a generator after all those added before."""
        self._works.append(work)
        self._next.start()

    def stop(self) -> None:
        """Stop, and drop the running generator and those that wait."""
        self._works.clear()
        self._next.stop()

    def _go_on(self) -> None:
        try:
            ended = next(self._works[0], self) is self
        except Exception as error:
            self.stop()
            self.failed.emit(error)
            return
        if ended and self._works:  # a step may have stopped everything
            self._works.popleft()
        if self._works:
            self._next.start()
