"""The worker: one job at a time off the UI thread, with results as they come; of waiting jobs only the newest is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot

from posenc_gui.foundation.stopped import Stopped

PATIENCE = 1.0  # seconds: a job this old gives way to a newer request
_LONGEST_SHOW = 1.0  # seconds that a job waits for the window to draw what it has brought
_LONGEST_END = 8.0  # seconds that a job may take to see that it should stop

Job = Callable[[Callable[[], None]], Iterator[object]]


def _nothing(_check_stop: Callable[[], None]) -> Iterator[object]:
    """A job in the place of one that is no longer wanted."""
    return iter(())


@dataclass(frozen=True, eq=False)
class ToDraw:
    """What a job brings that takes the window time to draw."""

    thing: object


class Worker(QObject):
    """Runs jobs on a thread of its own.

    A job is called with `check_stop`, which raises Stopped once the job should end; each thing that it yields is brought
    at once. After what is `ToDraw` the job goes on once the window has drawn it: Python runs one thread at a time, so a job
    that computes meanwhile makes drawing take up to three times as long. A running job finishes and is shown even when newer
    requests wait, unless it is older than PATIENCE: stopping it each time would show nothing during a drag.
    """

    brought = Signal(object)  # each thing that a job yields, in order
    finished = Signal()  # the job has come to its end
    failed = Signal(object)  # the exception it raised
    busy_changed = Signal(bool)  # also at each job's end, True if another one has begun
    _yielded = Signal(object)  # emitted on the worker's thread, received on the UI's
    _ended = Signal(object)  # the same: the exception that ended a job, or None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="compute")
        self._lock = Lock()  # of the four below, which both threads read
        self._waiting: Job | None = None
        self._patient = False  # True if it waits however long the running one takes
        self._began = 0.0
        self._closed = False
        self._stop, self._shown = Event(), Event()
        self._thread: Future[None] | None = None  # its work, which ends with the job
        self._busy = False
        self._yielded.connect(self._on_yielded, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def submit(self, job: Job, *, patient: bool = False) -> None:
        """Run this job next, instead of any other that waits; a `patient` one lets the running one take as long as it needs."""
        with self._lock:
            if self._closed:
                return
            self._waiting, self._patient = job, patient
        if not self._busy:
            self._begin()
            self.busy_changed.emit(True)

    @property
    def busy(self) -> bool:
        """True while a job runs or its results are under way."""
        return self._busy

    def stop(self) -> None:
        """Ask the running job to stop, and replace the one that waits by one that ends at once, so that signals follow."""
        with self._lock:
            if self._waiting:
                self._waiting = _nothing
            self._stop.set()

    def close(self) -> None:
        """Take no more work, ask the running job to stop, and wait some seconds for its end.

        A job that still computes while the window's parts are taken away crashes the process.
        """
        with self._lock:
            self._closed, self._waiting = True, None
            self._stop.set()
        self._shown.set()
        self._pool.shutdown(wait=False)
        with suppress(TimeoutError):
            if self._thread:
                self._thread.exception(_LONGEST_END)

    def _begin(self) -> None:
        """Begin the job that waits, if there is one."""
        with self._lock:
            job, self._waiting = self._waiting, None
            self._busy = job is not None
            if job:
                self._stop, self._began = Event(), monotonic()
                self._thread = self._pool.submit(self._work, job, self._stop)

    def _work(self, job: Job, stop: Event) -> None:
        """Run a job, on the worker's thread."""
        error = None
        try:
            for thing in job(self._checking(stop)):
                self._shown.clear()
                self._send(self._yielded, thing)
                if isinstance(thing, ToDraw):
                    self._shown.wait(_LONGEST_SHOW)
        except BaseException as raised:
            error = raised
        self._send(self._ended, error)

    def _checking(self, stop: Event) -> Callable[[], None]:
        def check_stop() -> None:
            if stop.is_set() or self._gives_way:
                raise Stopped

        return check_stop

    @property
    def _gives_way(self) -> bool:
        """True if the running job has run for long and another one waits."""
        with self._lock:
            return self._waiting is not None and not self._patient and monotonic() - self._began > PATIENCE

    @staticmethod
    def _send(signal: SignalInstance, thing: object) -> None:
        with suppress(RuntimeError):  # the window went away first
            signal.emit(thing)

    @Slot(object)
    def _on_yielded(self, thing: object) -> None:
        if self._closed:
            return
        if not isinstance(thing, ToDraw):
            self.brought.emit(thing)
        else:
            self.brought.emit(thing.thing)
            # It is laid out at the next turn of the event loop, then painted, before the turn after that.
            QTimer.singleShot(0, partial(QTimer.singleShot, 0, self._shown.set))

    @Slot(object)
    def _on_ended(self, error: BaseException | None) -> None:
        self._begin()  # before the end is told: who hears of the last one must find the worker idle
        if self._closed:
            return
        self.busy_changed.emit(self._busy)
        if error is None:
            self.finished.emit()
        elif not isinstance(error, Stopped):
            self.failed.emit(error)
