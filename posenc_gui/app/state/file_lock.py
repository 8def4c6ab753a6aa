"""Locks between windows: what one of them holds, no other one takes."""

from __future__ import annotations

import stat
from contextlib import suppress
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QLockFile, QSysInfo

_LARGEST = 10_000  # bytes of a lock


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
