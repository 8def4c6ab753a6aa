"""Window slots: a folder for each window's session, locked while the window lives; what one window holds, no other one takes."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from datetime import datetime
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from pydantic import BeforeValidator
from PySide6.QtCore import QLockFile, QSysInfo

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.atomic import Stamp

_LARGEST_STATE = 100_000  # bytes
_MOST_AT_ONCE = 40  # slots that one start looks at
_MOST_LISTED = 10_000  # slots among which it looks for the newest
_TRIES = 10  # at a new folder, which another start may delete before it is locked
_LARGEST = 10_000  # bytes of a lock


def _kept(path: object) -> object:
    try:
        return path.encode().decode() if isinstance(path, str) else path
    except UnicodeEncodeError:
        return ""


StoredPath = Annotated[str, BeforeValidator(_kept)]
"""A path in a JSON file; empty if it can't be encoded as UTF-8, as some systems allow."""


class WindowState(Frozen):
    """The state of a window.

    kept: the stamp of the saved session that it belongs to. file: the session's own file, if it has one. stamp: that
    file's. title: that of a session without a file, if it has one. closed: True if the window ended in order. starts: how
    often it started with this session without coming up.
    """

    kept: Stamp | None = None
    file: StoredPath = ""
    stamp: Stamp | None = None
    title: str = ""
    closed: bool = False
    starts: int = 0


class WindowSlot:
    """One window's folder, with what was found there when it was taken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.session = folder / "session.json"
        self.state = folder / "window.json"
        self.figures = folder / "figures.kept"  # that were in sight when the window ended
        self.pictures = folder / "pictures.kept"  # of cards, likewise
        self.underway = folder / "underway.json"  # the lab that is being played
        self.step = folder / "step.json"  # of a lab that is being written
        self.lock = Lock(folder / "lock")
        self.found: WindowState | None = None  # None without a session
        self.passed_over = 0  # older places that the start didn't look at

    @property
    def at(self) -> float:
        """The session's modification time, in seconds; 0 without a session."""
        with suppress(OSError):
            return self.session.stat().st_mtime
        return 0.0

    @property
    def time(self) -> str:
        """The session's modification time, local, as words; with the date if that isn't today."""
        then = datetime.fromtimestamp(self.at)
        return f"{then:%H:%M:%S}" if then.date() == datetime.now().date() else f"{then:%Y-%m-%d, %H:%M:%S}"

    @property
    def plays_lab(self) -> bool:
        """True if the window ended while a lab was being played."""
        with suppress(OSError):
            return b'"lab":""' not in self.underway.read_bytes()
        return False

    def take(self) -> Holder:
        """Lock the slot and read its state if it is free; return who has it now. Raises OSError if that can't be read."""
        holder = self.lock.take()
        if holder is Holder.MINE:
            self.found = self._state()
        return holder

    def beside(self) -> WindowSlot:
        """Return a new slot beside this one, without a lock."""
        return WindowSlot(self._folder.parent / uuid4().hex[:8])

    def adopt(self, session: Path) -> None:
        """Move a session's file into this slot, as that of a window closed in order. Raises OSError."""
        session.replace(self.session)
        self.found = WindowState(kept=atomic.stamp(self.session), closed=True)

    def note(self, state: WindowState) -> None:
        """Write the window's state at once."""
        with suppress(OSError):  # the autosave reports such failures
            atomic.write(self.state, state.model_dump_json().encode())

    def put_aside(self) -> Path:
        """Move the session out of the next start's way; return its new path. Raises OSError."""
        aside = self._folder.parent / f"put-aside-{uuid4().hex[:8]}.json"
        self.session.replace(aside)
        with suppress(OSError):
            self.underway.replace(aside.with_suffix(".underway.json"))
        return aside

    def remove(self) -> None:
        """Delete the slot, but nothing in it that is no window's."""
        atomic.delete_unfinished(self._folder, older=0)
        with suppress(OSError):
            for own in (self.session, self.state, self.figures, self.pictures, self.underway, self.step):
                own.unlink(missing_ok=True)
        self.lock.release()
        with suppress(OSError):
            self._folder.rmdir()

    def _state(self) -> WindowState | None:
        """Return the state, None without a session, and the default one if the saved state is another session's. Raises
        OSError."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self.session.stat()
            with suppress(OSError, ValueError):
                state = WindowState.model_validate_json(
                    atomic.read_bytes(self.state, _LARGEST_STATE, "state of a window")
                )
                if state.kept == atomic.stamp(self.session):
                    return state
            return WindowState()
        return None


def claim_slot(root: Path, most_closed: int, *, new: bool = False) -> WindowSlot:
    """Claim the slot of a starting window.

    It is the newest whose window did not end in order; else, if no other window runs on this machine, the newest of all;
    else, or if it should be `new`, an empty one. Only the newest `most_closed` slots of windows that ended in order are
    kept, and none without a session. Of very many slots each start looks at the newest few.
    """
    places = _places(root)
    found = _taken(places)
    free = [place for place, holder in found if holder is Holder.MINE]
    alone = all(holder is not Holder.HERE for _, holder in found)
    lost = [place for place in free if place.found and not place.found.closed]
    ended = [place for place in free if place.found and place.found.closed]
    chosen = next(iter(() if new else (*lost, *(ended if alone else ()))), None)
    for place in (*ended[most_closed:], *(one for one in free if not one.found)):
        place.remove()
    for place in free:
        if place is not chosen:
            place.lock.release()
    claimed = chosen or _new(root)
    claimed.passed_over = max(0, len(places) - _MOST_AT_ONCE)
    return claimed


def free_slots(root: Path) -> list[WindowSlot]:
    """Return the free slots with a session, newest first, unlocked."""
    free = [place for place, holder in _taken(_places(root)) if holder is Holder.MINE]
    for place in free:
        place.lock.release()
    return [place for place in free if place.found]


def _new(root: Path) -> WindowSlot:
    for _ in range(_TRIES):
        place = WindowSlot(root / uuid4().hex[:8])
        with suppress(OSError):
            if place.take() is Holder.MINE and place.lock.holds:
                break
    return place


def _places(root: Path) -> list[WindowSlot]:
    """Return the slots, newest session first; of very many only some."""
    folders: list[Path] = []
    with suppress(OSError), os.scandir(root) as entries:
        folders = [Path(entry) for entry in islice(entries, _MOST_LISTED) if entry.is_dir(follow_symlinks=False)]
    return sorted(map(WindowSlot, folders), key=lambda one: one.at, reverse=True)


def _taken(places: list[WindowSlot]) -> list[tuple[WindowSlot, Holder]]:
    """Return the newest readable slots with their holders; free ones are now locked."""
    found = []
    for place in places[:_MOST_AT_ONCE]:
        with suppress(OSError):
            found.append((place, place.take()))
    return found


class Holder(Enum):
    """The owner of a lock. On a shared folder, whether another machine's window still runs can't be determined."""

    MINE = "this window"
    HERE = "a window of this machine that lives"
    ELSEWHERE = "a window of another machine"


class Lock:
    """A lock file. A window that was killed on this machine no longer holds its lock."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, QLockFile(str(path))
        self._lock.setStaleLockTime(0)  # a window may stand open for days

    @property
    def holds(self) -> bool:
        """True while this window has the lock."""
        return self._lock.isLocked()

    def take(self) -> Holder:
        """Take the lock if nobody has it; return who has it now: in a read-only folder MINE, although nothing is locked."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._delete_impostor()
        if self._lock.tryLock(0) or self._lock.error() != QLockFile.LockError.LockFailedError:
            return Holder.MINE
        if not self._path.is_file():  # nobody's, and can't be deleted
            return Holder.ELSEWHERE
        _process, machine, _program = self._lock.getLockInfo()
        return Holder.HERE if machine in ("", QSysInfo.machineHostName()) else Holder.ELSEWHERE

    def _delete_impostor(self) -> None:
        """Delete what is no lock, such as a link or a pipe, since Qt would read it to its end. Raises OSError."""
        found = self._path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            self._path.unlink()

    def release(self) -> None:
        """Release the lock."""
        self._lock.unlock()
