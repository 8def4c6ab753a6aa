"""One reading of a file: on the calling thread if the file is small, else in a process of its own. Without Qt."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from posenc_gui.app.state.child_process import SPAWN, end_with_window
from posenc_gui.foundation.errors import describe_file_error, describe_internal_error
from posenc_gui.foundation.stopped import Stopped

T = TypeVar("T")

STOPPED = "reading was stopped."
_INTERRUPTED = "reading was interrupted; there may be too little memory."
_SMALL = 4_000_000  # bytes, or letters: no step of reading so many holds Python's lock for two frames


@dataclass(frozen=True)
class Refused:
    """Why nothing was read, in a sentence, and the traceback if that is an error of the explorer."""

    why: str
    trace: str = ""


class Reading(Generic[T]):
    """One request, what is said to be read, and the process that works on it, if any; with `progress` work can be watched."""

    def __init__(
        self,
        source: Path | str,
        work: Callable[..., T],
        take: Callable[[T], None],
        refuse: Callable[[str], None],
        name: str,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.take, self.refuse, self.name = take, refuse, name
        self._source, self._work, self._progress = source, work, progress
        self._lock = Lock()  # guards both below; `stopped` is True once nobody waits any more
        self._process: Any = None
        self.stopped = False

    def run(self) -> T | Refused:
        """Read, here or in a process. Runs on the reading thread."""
        if self._progress is not None:
            return self._run_watched(self._progress)
        return _found(self._work if _size(self._source) <= _SMALL else self._in_process, self._source)

    def _run_watched(self, progress: Callable[[int, int], None]) -> T | Refused:
        try:
            return _found(partial(self._work, check_stop=self._check_stop, progress=progress), self._source)
        except Stopped:
            return Refused(STOPPED)

    def _check_stop(self) -> None:
        if self.stopped:
            raise Stopped

    def _in_process(self, source: Path | str) -> T | Refused:
        """Read in a process. Raises OSError if none can be started."""
        ours, theirs = SPAWN.Pipe(duplex=False)
        with ours:
            with theirs, self._lock:
                if self.stopped:
                    return Refused(STOPPED)
                self._process = SPAWN.Process(target=_send, args=(theirs, self._work, source), daemon=True)
                self._process.start()
            try:
                found = ours.recv_bytes()
            except EOFError:
                found = pickle.dumps(Refused(_INTERRUPTED))
            self._process.join()
        answer: T | Refused = pickle.loads(found)
        return answer

    def stop(self) -> None:
        """Stop the process, or the work that asks; a thread that doesn't goes on, for nobody."""
        with self._lock:
            self.stopped = True
            if self._process:
                self._process.kill()


def _size(source: Path | str) -> int:
    """Return the bytes of a file, or the letters of a text."""
    if isinstance(source, str):
        return len(source)
    with suppress(OSError, ValueError):
        return source.stat().st_size
    return 0


def _send(pipe: Any, work: Callable[[Any], object], source: Path | str) -> None:
    """Read, and send what was found. Runs in a process of its own."""
    end_with_window(Lock())
    pipe.send_bytes(pickle.dumps(_found(work, source), pickle.HIGHEST_PROTOCOL))


def _found(work: Callable[[Any], T], source: Path | str) -> T | Refused:
    try:
        return work(source)
    except (OSError, ValueError) as error:
        return Refused(describe_file_error(error))
    except Exception as error:
        return Refused(describe_internal_error(error), traceback.format_exc())
