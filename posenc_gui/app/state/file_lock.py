"""Locks between windows: what one of them has, no other one takes."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QLockFile, QSysInfo


class Holder(Enum):
    """Who has a lock. Whether a window of another machine, which may share the folder, still lives nobody here can tell."""

    MINE = "this window"
    HERE = "a window of this machine that lives"
    ELSEWHERE = "a window of another machine"


class Lock:
    """A lock in a file. A window that was killed on this machine has none."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, QLockFile(str(path))
        self._lock.setStaleLockTime(0)  # a window may stand open for days

    @property
    def holds(self) -> bool:
        """Whether it keeps others away."""
        return self._lock.isLocked()

    def take(self) -> Holder:
        """Keep other windows away, if none has it: who has it now. Where nothing can be written nobody is kept away."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._lock.tryLock(0) or self._lock.error() != QLockFile.LockError.LockFailedError:
            return Holder.MINE
        _process, machine, _program = self._lock.getLockInfo()
        return Holder.HERE if machine in ("", QSysInfo.machineHostName()) else Holder.ELSEWHERE

    def release(self) -> None:
        """Let others take it."""
        self._lock.unlock()
