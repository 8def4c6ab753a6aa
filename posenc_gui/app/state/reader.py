"""The reader: one file at a time, off the UI thread, with Stop."""

from __future__ import annotations

import importlib
import logging
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from posenc_gui.foundation.child import Child, ChildError
from posenc_gui.foundation.errors import describe_file_error, describe_internal_error
from posenc_gui.foundation.stopped import Stopped
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_percent, quote

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

STOPPED = "reading was stopped."
INTERRUPTED = "reading was interrupted; there may be too little memory."
_SMALL = 4_000_000  # bytes, or letters: no step of reading so many holds Python's lock for two frames
_LONG = 300  # milliseconds after which it is said what is being read

_log = logging.getLogger(__name__)


class Reader(QObject):
    """Reads one thing at a time; a newer request takes the place of the one that is being read.

    Most files are read on a thread. A large one is read in a process of its own, since a parser holds Python's lock while it
    works; only large ones, since that process takes some seconds to start.
    """

    working = Signal(str, bool)  # what is being read, in words, and True as it can be stopped; nothing once it is done
    _came = Signal(object, str)  # a Reading, and how far it is; from the reading thread
    _ended = Signal(object, object)  # a Reading, and what it found or Refused; from the reading thread

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reading: Reading[Any] | None = None
        self._how_far = ""
        self._long = QTimer(self, singleShot=True, interval=_LONG)
        self._long.timeout.connect(self._tell)
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def read(
        self, source: Path | str, work: Callable[[Any], T], take: Callable[[T], None], refuse: Callable[[str], None]
    ) -> None:
        """Call `work` with a file's or folder's path, or with a text, then `take` with what it returns. `work` is a function
        of a module. If it raises OSError or ValueError, or is stopped, `refuse` gets the reason as a sentence."""
        name = quote(shorten_middle(source.name)) if isinstance(source, Path) else "the share string"
        self._begin(Reading(source, work, take, refuse, name))

    def read_here(
        self, source: Path, name: str, work: Callable[..., T], take: Callable[[T], None], refuse: Callable[[str], None]
    ) -> None:
        """Read what is needed in this process, such as a model's weights, on a thread, as `read` does.

        `name` is what is said to be read. `work` also gets `check_stop`, which raises once it should end, and `progress`,
        which it tells how many of how many parts are read, perhaps with the name of the next.
        """

        told = ""

        def progress(done: int, whole: int, part: str = "") -> None:
            nonlocal told
            now = f"{done + 1:,} of {whole:,}, {shorten_middle(part)}" if part else format_percent(done / whole)
            if now != told and not reading.stopped:
                told = now
                with suppress(RuntimeError):  # the window went away first
                    self._came.emit(reading, told)

        reading = Reading(source, work, take, refuse, name, progress)
        self._begin(reading)

    def _begin(self, reading: Reading[Any]) -> None:
        self.drop()
        self._reading, self._how_far = reading, ""
        self._long.start()
        Thread(target=self._run, args=(reading,), name="reader", daemon=True).start()

    @property
    def busy(self) -> bool:
        """True while something is being read."""
        return self._reading is not None

    def stop(self) -> None:
        """Stop reading, and tell whoever asked for it."""
        if reading := self._reading:
            self.drop()
            reading.refuse(STOPPED)

    def drop(self) -> None:
        """Stop reading without a word."""
        if self._reading:
            self._reading.stop()
            self._end()

    def _run(self, reading: Reading[Any]) -> None:
        """Read on a thread of its own, since a slow disk may never answer."""
        found = reading.run()
        if not reading.stopped:  # else the window may be gone
            with suppress(RuntimeError):
                self._ended.emit(reading, found)

    def _on_ended(self, reading: Reading[Any], found: object) -> None:
        if reading is not self._reading:
            return
        self._end()
        if isinstance(found, Refused):
            if found.trace:
                _log.error("could not be read\n%s", found.trace)
            reading.refuse(found.why)
        else:
            reading.take(found)

    def _on_came(self, reading: Reading[Any], how_far: str) -> None:
        if reading is self._reading:
            self._how_far = how_far
            if not self._long.isActive():
                self._tell()

    def _end(self) -> None:
        self._reading = None
        self._long.stop()
        self.working.emit("", False)

    def _tell(self) -> None:
        if self._reading:
            self.working.emit(" · ".join(filter(None, (f"Reading {self._reading.name} …", self._how_far))), True)


@dataclass(frozen=True)
class Refused:
    """Why nothing was read, in a sentence, and the traceback if that is an error of the explorer."""

    why: str
    trace: str = ""


@dataclass(eq=False)
class Reading(Generic[T]):
    """One request, what is said to be read, and the process that works on it, if any; with `progress` work can be watched."""

    source: Path | str
    work: Callable[..., T]
    take: Callable[[T], None]
    refuse: Callable[[str], None]
    name: str
    progress: Callable[..., None] | None = None
    stopped: bool = field(default=False, init=False)  # nobody waits any more
    _child: Child | None = field(default=None, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)  # guards both

    def run(self) -> T | Refused:
        """Read, here or in a process. Runs on the reading thread."""
        work: Callable[[Any], T | Refused] = self.work
        if self.progress is not None:
            work = partial(self.work, check_stop=self._check_stop, progress=self.progress)
        elif size_of(self.source) > _SMALL:
            work = self._in_process
        try:
            return read_or_refuse(work, self.source)
        except Stopped:
            return Refused(STOPPED)

    def _check_stop(self) -> None:
        if self.stopped:
            raise Stopped

    def _in_process(self, source: Path | str) -> T | Refused:
        """Read in a process. Raises OSError if none can be started."""
        with self._lock:
            self._check_stop()
            self._child = Child()
        try:
            return read_in(self._child, self.work, source)
        except (ChildError, ValueError):
            return Refused(INTERRUPTED)
        finally:
            self._child.stop()

    def stop(self) -> None:
        """Stop the process, or the work that asks; a thread that doesn't goes on, for nobody."""
        with self._lock:
            self.stopped = True
            if self._child:
                self._child.stop()


def read_in(child: Child, work: Callable[[Any], T], source: Path | str, **limits: Any) -> T | Refused:
    """Call a function of a module with a source in a process, within limits of `Child.call`. Raises as that does, and
    ValueError for an answer that can't be used."""
    found = child.call(_read, work.__module__, work.__qualname__, str(source), isinstance(source, Path), **limits)
    return _crossing(work).validate_json(found)


def size_of(source: Path | str) -> int:
    """Return the bytes of a file, or the letters of a text."""
    if isinstance(source, str):
        return len(source)
    with suppress(OSError, ValueError):
        return source.stat().st_size
    return 0


def _read(module: str, name: str, source: str, is_path: bool) -> bytes:
    """Read, and return what was found as JSON. Runs in a process of its own."""
    work = getattr(importlib.import_module(module), name)
    found = read_or_refuse(work, Path(source) if is_path else source)
    if isinstance(found, Refused):  # names of files need not be Unicode
        found = replace(found, why=found.why.encode(errors="replace").decode())
    return _crossing(work).dump_json(found)


def _crossing(work: Callable[..., T]) -> TypeAdapter[T | Refused]:
    """Return the type of what is found, to write it as JSON and to check it: it comes from a process that has read anything."""
    from pydantic import TypeAdapter

    return TypeAdapter(get_type_hints(work)["return"] | Refused)


def read_or_refuse(work: Callable[[Any], T], source: Path | str) -> T | Refused:
    """Read; return an error as a refusal."""
    try:
        return work(source)
    except (OSError, ValueError) as error:
        return Refused(describe_file_error(error))
    except Exception as error:
        return Refused(describe_internal_error(error), traceback.format_exc())
