"""One reading of a file: on the calling thread if the file is small, else in a process of its own. Without Qt."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from posenc_gui.app.state.child_process import SPAWN, end_with_window
from posenc_gui.foundation.errors import describe_file_error, describe_internal_error
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import quote

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
    """One request, and the process that works on it, if any."""

    def __init__(
        self,
        source: Path | str,
        work: Callable[[Any], T],
        take: Callable[[T], None],
        refuse: Callable[[str], None],
        *,
        stays: bool = False,
    ) -> None:
        self.take, self.refuse = take, refuse
        self._stays = stays
        self._source, self._work = source, work
        self._lock = Lock()  # guards both below
        self._process: Any = None
        self._stopped = False

    @property
    def name(self) -> str:
        """The file's name, quoted; “the share string” for a text."""
        return quote(shorten_middle(self._source.name)) if isinstance(self._source, Path) else "the share string"

    def run(self) -> T | Refused:
        """Read, here or in a process. Runs on the reading thread."""
        is_here = self._stays or _size(self._source) <= _SMALL
        return _found(self._work if is_here else self._in_process, self._source)

    def _in_process(self, source: Path | str) -> T | Refused:
        """Read in a process. Raises OSError if none can be started."""
        ours, theirs = SPAWN.Pipe(duplex=False)
        with ours:
            with theirs, self._lock:
                if self._stopped:
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
        """Stop the process; a thread can't be stopped and goes on, for nobody."""
        with self._lock:
            self._stopped = True
            if self._process:
                self._process.kill()


def _size(source: Path | str) -> int:
    """Return the bytes of a file, or of the largest one in a folder, or the letters of a text."""
    if isinstance(source, str):
        return len(source)
    with suppress(OSError, ValueError):
        return (
            max((one.stat().st_size for one in source.iterdir()), default=0)
            if source.is_dir()
            else source.stat().st_size
        )
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
