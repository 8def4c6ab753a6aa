"""The worker: one job at a time off the UI thread; of the requests made meanwhile only the newest is kept."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

PATIENCE = 1.0  # seconds: a job this old gives way to a newer request

Job = Callable[[Callable[[], None]], Any]


class Stopped(Exception):
    """Raised in a job that was asked to stop."""


class Worker(QObject):
    """Runs jobs on a thread of its own.

    A job is called with `check_stop`, which raises Stopped once the job should end. A running job finishes and is shown
    even when newer requests wait, unless it is older than PATIENCE: stopping it each time would show nothing during a
    drag.
    """

    finished = Signal(object)  # what the job returned
    failed = Signal(object)  # the exception it raised
    busy_changed = Signal(bool)
    _returned = Signal(object)  # Future: emitted on the worker's thread, received on the UI's

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="compute")
        self._stop = Event()
        self._running: Future[Any] | None = None
        self._waiting: Job | None = None
        self._began = 0.0
        self._closed = False
        self._returned.connect(self._on_returned, Qt.ConnectionType.QueuedConnection)

    def submit(self, job: Job) -> None:
        """Run this job next, instead of any other that waits."""
        if self._closed:
            return
        if self._running is None:
            self._start(job)
            return
        self._waiting = job
        if monotonic() - self._began > PATIENCE:
            self._stop.set()

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        return self._running is not None

    def close(self) -> None:
        """Take no more work and ask the running job to stop; the interpreter waits for it at exit."""
        self._closed, self._waiting = True, None
        self._stop.set()
        self._pool.shutdown(wait=False)

    def _start(self, job: Job) -> None:
        stop = self._stop = Event()
        self._began = monotonic()

        def check_stop() -> None:
            if stop.is_set():
                raise Stopped

        self._running = self._pool.submit(job, check_stop)
        self.busy_changed.emit(True)
        self._running.add_done_callback(self._hand_back)

    def _hand_back(self, future: Future[Any]) -> None:
        with suppress(RuntimeError):  # the window went away first
            self._returned.emit(future)

    @Slot(object)
    def _on_returned(self, future: Future[Any]) -> None:
        self._running = None
        if self._closed:
            return
        if self._waiting is not None:
            job, self._waiting = self._waiting, None
            self._start(job)
        else:
            self.busy_changed.emit(False)
        error = future.exception()
        if error is None:
            self.finished.emit(future.result())
        elif not isinstance(error, Stopped):
            self.failed.emit(error)
