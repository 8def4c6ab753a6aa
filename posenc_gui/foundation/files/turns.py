"""Whose turn it is to read a file and replace it: a lock beside the file, and the signs that an office program has it open.

The system releases the lock of a process that ends, however it ends.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from posenc_gui.foundation.files import atomic

_PATIENCE = 60.0  # seconds: as long as large decks take to be written
_GLANCE = 0.05  # seconds between two looks whether the lock is free
_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # all else is said by file systems that have no locks
_OWNERS = {"~${}": "PowerPoint", ".~lock.{}#": "LibreOffice"}  # what stands beside a file that is open there

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    _CREATING = os.O_RDWR | os.O_CREAT
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _CREATING = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK


def check_closed(path: Path) -> None:
    """Raise OSError if an office program says that it has the file open: it would overwrite what is written now."""
    for sign, program in _OWNERS.items():
        owner = path.with_name(sign.format(path.name))
        if path.exists() and owner.exists():
            why = f"It is open in {program}; close it there, or delete {owner.name} beside it if it isn't open anywhere"
            raise OSError(errno.EBUSY, why, str(path))


@contextmanager
def turn(path: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """Wait until no one else has this file, then let none have it until the end. Raises OSError; also after `patience`
    seconds."""
    atomic.check_writable(path)
    target = Path(os.path.realpath(path))
    place = target.with_name(f".posenc-{sha256(os.fsencode(target.name)).hexdigest()[:16]}.lock")
    end = time.monotonic() + patience
    try:
        while (file := _taken(place)) is None:
            if time.monotonic() >= end:
                otherwise = f"delete {place.name} beside it if nothing writes it any more"
                raise OSError(errno.EBUSY, f"It is already being written; try again once that is done, or {otherwise}")
            time.sleep(_GLANCE)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        yield
    finally:
        if sys.platform == "win32":
            os.close(file)
        with suppress(OSError):  # where Windows has given it to the next one already
            place.unlink()
        if sys.platform != "win32":
            os.close(file)


def _taken(place: Path) -> int | None:
    """Create and lock the file at this place, and return it opened; None while another has it. Raises OSError."""
    try:
        file = os.open(place, _CREATING, 0o666)
    except PermissionError:
        if not place.exists():
            raise
        return None  # another user's, or Windows is just deleting it
    try:
        _lock(file)
    except OSError as error:
        if error.errno not in _TAKEN:
            return file
    else:
        with suppress(OSError):
            if os.path.samestat(os.fstat(file), place.stat()):  # else the one before has deleted it meanwhile
                place.touch()  # one that a killed process left isn't to be swept now
                return file
    os.close(file)
    return None
