"""The writer, which saves what the window keeps for the next start on a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock

from PySide6.QtCore import QObject, Qt, Signal

from posenc_gui.foundation.files import atomic

_LONGEST_WAIT = 5.0  # seconds

_log = logging.getLogger(__name__)


class BackgroundWriter(QObject):
    """Writes texts to files, one after the other, each whole or not at all; of texts that wait for one file only the newest."""

    failing = Signal(object)  # the error once a file can't be written, None once all can again
    _written = Signal(object, object)  # a file and its error or None, from the writing thread

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._lock = Lock()  # guards the queue and the state of the writer
        self._waiting: dict[Path, Callable[[], str]] = {}
        self._working: Future[None] | None = None
        self._failed: set[Path] = set()  # files whose last writing failed
        self._written.connect(self._on_written, Qt.ConnectionType.QueuedConnection)

    def write(self, path: Path, text: Callable[[], str]) -> None:
        """Queue a file to be written, with its folder if need be; `text` is called on the writer's thread."""
        with self._lock:
            self._waiting.pop(path, None)  # files are written in the order in which they were last given
            self._waiting[path] = text
            if self._working is None:
                self._working = self._pool.submit(self._work)

    def finish(self) -> None:
        """Wait until everything is written, at most some seconds for a disk that doesn't answer."""
        with suppress(TimeoutError):
            while working := self._working:
                working.result(_LONGEST_WAIT)

    def _work(self) -> None:
        while waiting := self._next():
            error = _write(*waiting)
            with suppress(RuntimeError):  # the window went away first
                self._written.emit(waiting[0], error)

    def _next(self) -> tuple[Path, Callable[[], str]] | None:
        with self._lock:
            if not self._waiting:
                self._working = None
                return None
            path = next(iter(self._waiting))
            return path, self._waiting.pop(path)

    def _on_written(self, path: Path, error: Exception | None) -> None:
        failed_before = bool(self._failed)
        if error is None:
            self._failed.discard(path)
        else:
            self._failed.add(path)
        if bool(self._failed) != failed_before:
            self.failing.emit(error)


def _write(path: Path, text: Callable[[], str]) -> Exception | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, text().encode())
    except Exception as error:  # any error: the next file is tried all the same
        if not isinstance(error, OSError):
            _log.exception("could not be written")
        return error
    return None
