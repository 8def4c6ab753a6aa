"""Work off the UI thread: the worker, one job at a time with results as they come, and the writer of files; and long work on
the UI thread, one step in each turn of the event loop."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot

from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import Stopped

PATIENCE = 1.0  # seconds: a job this old gives way to a newer request
_LONGEST_SHOW = 1.0  # seconds that a job waits for the window to draw what it has brought
_LONGEST_END = 8.0  # seconds that a job may take to see that it should stop

Job = Callable[[Callable[[], None]], Iterator[object]]
Content = Callable[[], str | bytes]
_LONGEST_WAIT = 5.0  # seconds

_log = logging.getLogger(__name__)


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
        self.busy = False  # true while a job runs or its results are under way
        self._yielded.connect(self._on_yielded, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def submit(self, job: Job, *, patient: bool = False) -> None:
        """Run this job next, instead of any other that waits; a `patient` one lets the running one take as long as it needs."""
        with self._lock:
            if self._closed:
                return
            self._waiting, self._patient = job, patient
        if not self.busy:
            self._begin()
            self.busy_changed.emit(True)

    def stop(self) -> None:
        """Ask the running job to stop, and replace the one that waits by one that ends at once, so that signals follow."""
        with self._lock:
            if self._waiting:
                self._waiting = _nothing
            self._stop.set()

    def close(self) -> None:
        """Take no more work, ask the running job to stop, and wait some seconds for its end. A job that still computes while
        the window's parts are taken away crashes the process."""
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
            self.busy = job is not None
            if job:
                self._stop, self._began = Event(), monotonic()
                self._thread = self._pool.submit(self._work, job, self._stop)

    def _work(self, job: Job, stop: Event) -> None:
        """Run a job, on the worker's thread."""
        error: BaseException | None = None

        def check_stop() -> None:
            if stop.is_set() or self._gives_way:
                raise Stopped

        try:
            for thing in job(check_stop):
                self._shown.clear()
                self._send(self._yielded, thing)
                if isinstance(thing, ToDraw):
                    self._shown.wait(_LONGEST_SHOW)
        except Stopped:
            error = Stopped()  # another one: the frames of the one that was raised hold what was computed
        except BaseException as raised:
            error = raised
        self._send(self._ended, error)

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
        self.busy_changed.emit(self.busy)
        if error is None:
            self.finished.emit()
        elif not isinstance(error, Stopped):
            self.failed.emit(error)


class BackgroundWriter(QObject):
    """Writes files, one after the other, each whole or not at all; of contents that wait for one file only the newest."""

    failing = Signal(object)  # the error once a file can't be written, None once all can again
    _written = Signal(object, object)  # a file and its error or None, from the writing thread

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._lock = Lock()  # guards the queue and the state of the writer
        self._waiting: dict[Path, Content] = {}
        self._working: Future[None] | None = None
        self._failed: set[Path] = set()  # files whose last writing failed
        self._written.connect(self._on_written, Qt.ConnectionType.QueuedConnection)

    def write(self, path: Path, content: Content) -> None:
        """Queue a file to be written, with its folder if need be; `content` is called on the writer's thread."""
        with self._lock:
            self._waiting.pop(path, None)  # files are written in the order in which they were last given
            self._waiting[path] = content
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

    def _next(self) -> tuple[Path, Content] | None:
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


def _write(path: Path, content: Content) -> Exception | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        found = content()
        atomic.write(path, found if isinstance(found, bytes) else found.encode())
    except Exception as error:  # any error: the next file is tried all the same
        if not isinstance(error, OSError):
            _log.exception("could not be written")
        return error
    return None


class TurnRunner(QObject):
    """Runs generators one after the other, each up to its next yield in one turn of the event loop. If one fails, those
    behind it, which build on it, are dropped."""

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
