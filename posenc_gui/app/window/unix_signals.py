"""Orderly shutdown on SIGTERM, SIGINT and similar signals."""

from __future__ import annotations

import signal
import socket
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

# Not every system has all of them.
_ENDING = [one for one in signal.Signals if one.name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")]


class UnixSignals(QObject):
    """Turns the system's signals into a Qt signal.

    Python may run a signal's handler in the middle of a paint, where nothing can be ended. So the handler does nothing;
    Python writes the signal's number to a socket, and the event loop reads it.
    """

    came = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._number = 0
        self._read, self._written = socket.socketpair()
        for end in (self._read, self._written):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_written)
        signal.set_wakeup_fd(self._written.fileno(), warn_on_full_buffer=False)
        for number in _ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and a shell's & set it
                signal.signal(number, _heard)

    @property
    def status(self) -> int:
        """The exit status by shell convention: 128 plus the signal's number; 0 without a signal."""
        return 128 + self._number if self._number else 0

    def _on_written(self) -> None:
        self._number = self._read.recv(1)[0]
        self.came.emit()


def _heard(number: int, frame: FrameType | None) -> None:
    """Do nothing: the number is already in the socket."""
