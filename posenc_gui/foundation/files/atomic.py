"""Files: only ordinary ones, read no further than they may be long, and written whole or not at all.

What leads to a pipe, a socket or a device is refused before it is opened: reading one may wait for ever or never end, and
writing would put a file in its place.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

_UNFINISHED = re.compile(r"\.posenc-[0-9a-f]{16}\.unfinished")  # hidden, so that no list of files shows it
_LEFT_AFTER = 3600  # seconds: nobody is still writing what has not changed for so long
_AT_ONCE = 1_000_000  # bytes that are read in one go
_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
# Between the look at a path and its opening a pipe may take the file's place: it must not block either.
if sys.platform == "win32":
    _READING = os.O_RDONLY | os.O_BINARY
else:
    _READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


Stamp = tuple[int, int, int]  # the time of a file's last change, in nanoseconds, its size and its inode


class Oversized(ValueError):
    """A file that was not read, since nothing of its kind is that large; `why` goes on what names it."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}.")
        self.why = why


# --- Reading --------------------------------------------------------------------------------------------------------


def content(path: Path, most: int, kind: str) -> bytes:
    """All bytes of an ordinary file. Raises Oversized where there are more than `most`, OSError where it can't be read.

    No more than these are read, whatever the file says of its size: it may grow meanwhile.
    """
    data = bytearray()
    with _opened(path) as file:
        is_larger = os.fstat(file).st_size > most
        while not is_larger and (piece := os.read(file, _AT_ONCE)):
            data += piece
            is_larger = len(data) > most
    if is_larger:
        size = f"{most // 10**6} MB" if most >= 10**6 else f"{most // 1000} kB"
        raise Oversized(path.name, f"is larger than {size}: that is no {kind}")
    return bytes(data)


def check_readable(path: Path) -> None:
    """Raises OSError where there is no ordinary file that can be read."""
    with _opened(path):
        pass


def stamp(path: Path) -> Stamp | None:
    """What changes whenever somebody writes a file; None where there is none."""
    try:
        return _stamp_of(path.stat())
    except (OSError, ValueError):
        return None


def _stamp_of(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    with _naming(path):
        _require_ordinary(path.stat(), "read")  # opening a device may do something by itself
        file = os.open(path, _READING)
        try:
            _require_ordinary(os.fstat(file), "read")
            yield file
        finally:
            os.close(file)


# --- Writing --------------------------------------------------------------------------------------------------------


def write(path: Path, data: bytes) -> Stamp:
    """Make this the content of the file and give its stamp: it is written beside its place, and moved there once whole.

    An existing file stays as it was unless everything went well, also on a full disk or after a kill. A symbolic link
    stays one: what it points to is replaced. What is no ordinary file is never replaced. Raises OSError.
    """
    with _naming(path):
        target = Path(os.path.realpath(path))
        mode = _mode_of(target)
        unfinished = target.parent / f".posenc-{token_hex(8)}.unfinished"
        try:
            with unfinished.open("xb") as file:
                if mode is not None:
                    unfinished.chmod(mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            own = _stamp_of(unfinished.stat())  # of the file in its place it may be another's already
            unfinished.replace(target)
            return own
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


def check_writable(path: Path) -> None:
    """Raises OSError where something stands that `write` would not replace, or can't be looked at."""
    with _naming(path):
        _mode_of(path)


def sweep(folder: Path, older: float = _LEFT_AFTER) -> None:
    """Delete what a kill in the middle of writing left in a folder: one's own unfinished files, older than so many seconds."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [Path(entry) for entry in entries if _UNFINISHED.fullmatch(entry.name)]:
            with suppress(OSError):
                if _is_left(path.lstat(), older):
                    path.unlink()


def _is_left(status: os.stat_result, older: float) -> bool:
    is_own = sys.platform == "win32" or status.st_uid == os.geteuid()
    return is_own and stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > older


def _mode_of(path: Path) -> int | None:
    """The permissions of the file that is to be replaced; None where there is none yet."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    _require_ordinary(status, "written")
    return stat.S_IMODE(status.st_mode)


# --- Refusing -------------------------------------------------------------------------------------------------------


def _require_ordinary(status: os.stat_result, done: str) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        number = errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL
        raise OSError(number, f"Is a {_KINDS.get(kind, 'special file')}; only ordinary files can be {done}")


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Whatever goes wrong is an OSError that names this file and says why."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error) or type(error).__name__, str(path)) from None
    except ValueError:  # a NUL, or half a sign
        raise OSError(errno.EINVAL, "No file can have this name", str(path)) from None
