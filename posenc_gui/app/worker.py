"""The worker: one job at a time off the UI thread, shown as it goes; of the requests made meanwhile only the newest is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from time import monotonic

from PySide6.QtCore import QObject, Qt, Signal, Slot

PATIENCE = 1.0  # seconds: a job this old gives way to a newer request

Job = Callable[[Callable[[], None]], Iterator[object]]


class Stopped(BaseException):
    """Raised in a job that was asked to stop; no Exception, so that nothing in the job takes it for an error."""


class Worker(QObject):
    """Runs jobs on a thread of its own.

    A job is called with `check_stop`, which raises Stopped once the job should end; each thing that it yields is brought
    at once. A running job finishes and is shown even when newer requests wait, unless it is older than PATIENCE: stopping
    it each time would show nothing during a drag. The next job begins when nothing of this one can come any more, so what
    is older never takes the place of what is newer.
    """

    brought = Signal(object)  # each thing that a job yields, in order
    finished = Signal()  # the job has come to its end
    failed = Signal(object)  # the exception it raised
    busy_changed = Signal(bool)
    _yielded = Signal(object)  # emitted on the worker's thread, received on the UI's
    _returned = Signal(object)  # Future: the same

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="compute")
        self._stop = Event()
        self._running: Future[None] | None = None
        self._waiting: Job | None = None
        self._began = 0.0
        self._closed = False
        self._yielded.connect(self._on_yielded, Qt.ConnectionType.QueuedConnection)
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

        self._running = self._pool.submit(self._run, job, check_stop)
        self.busy_changed.emit(True)
        self._running.add_done_callback(self._hand_back)

    def _run(self, job: Job, check_stop: Callable[[], None]) -> None:
        for thing in job(check_stop):
            with suppress(RuntimeError):  # the window went away first
                self._yielded.emit(thing)

    def _hand_back(self, future: Future[None]) -> None:
        with suppress(RuntimeError):  # the same
            self._returned.emit(future)

    @Slot(object)
    def _on_yielded(self, thing: object) -> None:
        if not self._closed:
            self.brought.emit(thing)

    @Slot(object)
    def _on_returned(self, future: Future[None]) -> None:
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
            self.finished.emit()
        elif not isinstance(error, Stopped):
            self.failed.emit(error)
