"""Size-limited reads and atomic writes of regular files.

A path to a pipe, a socket or a device is refused before it is opened: reading one may block or never end, and writing
would replace it by a file.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from posenc_gui.foundation.wording import format_bytes

_UNFINISHED = re.compile(r"\.posenc-[0-9a-f]{16}\.(unfinished|lock)")  # hidden from file lists
_LEFT_AFTER = 3600  # seconds without a change after which a file counts as abandoned
_AT_ONCE = 1_000_000  # bytes of one read
_KINDS = {
    stat.S_IFDIR: "directory",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}
# A pipe may replace the file between the check and the opening: that must not block either.
if sys.platform == "win32":
    _READING = os.O_RDONLY | os.O_BINARY
else:
    _READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


Stamp = tuple[int, int, int]  # the time of a file's last change, in nanoseconds, its size and its inode
StrictStamp = tuple[int, int, int, int, int]


class Oversized(ValueError):
    """A file larger than any of its kind, and therefore not read; `why` ends a sentence that begins with its name."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}.")
        self.why = why


# --- Reading --------------------------------------------------------------------------------------------------------


def read_bytes(path: Path, most: int, kind: str) -> bytes:
    """Read a regular file, never much more than `most` bytes, though it grow meanwhile. Raises Oversized beyond them,
    OSError."""
    pieces: list[bytes] = []
    with _opened(path) as file:
        expected = os.fstat(file).st_size
        is_larger = expected > most
        while not is_larger and (piece := os.read(file, max(expected + 1, _AT_ONCE))):
            pieces.append(piece)
            is_larger = sum(map(len, pieces)) > most
    if is_larger:
        raise Oversized(path.name, f"is larger than {format_bytes(most)}: that is no {kind}")
    return b"".join(pieces)  # mostly a single one, which isn't copied


def read_beginning(path: Path, count: int) -> tuple[bytes, int]:
    """Read at most `count` bytes of a regular file; return them and the file's size. Raises OSError."""
    with _opened(path) as file:
        pieces: list[bytes] = []
        while (left := count - sum(map(len, pieces))) and (piece := os.read(file, left)):
            pieces.append(piece)
        return b"".join(pieces), os.fstat(file).st_size


def read_pieces(path: Path, at_once: int) -> Iterator[bytes]:
    """Yield a regular file's bytes, `at_once` at a time. Raises OSError."""
    with _opened(path) as file:
        while piece := os.read(file, at_once):
            yield piece


def read_places(path: Path, starts: Iterable[int], count: int) -> Iterator[bytes]:
    """Yield at most `count` bytes of a regular file from each of these places. Raises OSError."""
    with _opened(path) as file:
        for start in starts:
            os.lseek(file, start, os.SEEK_SET)
            yield os.read(file, count)


def check_readable(path: Path) -> None:
    """Raise OSError unless the path is a readable regular file."""
    with _opened(path):
        pass


def stamp(path: Path) -> Stamp | None:
    """Return a stamp that changes whenever the file is written; None if there is no file."""
    try:
        return _stamp_of(path.stat())
    except (OSError, ValueError):
        return None


def strict_stamp(path: Path) -> StrictStamp | None:
    """Return a stamp that also changes when a file is written and given its old time again, or moved; None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return *_stamp_of(status), status.st_dev, status.st_ctime_ns


def _stamp_of(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    with _naming(path):
        _require_ordinary(path.stat(), "read")  # merely opening a device can have effects
        file = os.open(path, _READING)
        try:
            _require_ordinary(os.fstat(file), "read")
            yield file
        finally:
            os.close(file)


# --- Writing --------------------------------------------------------------------------------------------------------


def write(path: Path, data: bytes) -> Stamp:
    """Write a file atomically, through a temporary file beside it, and return its stamp.

    An existing file stays as it was unless everything went well, even on a full disk or after a kill. A symbolic link is
    kept: its target is replaced. Only regular files are ever replaced. Raises OSError.
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
            own = _stamp_of(unfinished.stat())  # once moved, the file at the path may be another writer's
            unfinished.replace(target)
            return own
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


def check_writable(path: Path) -> None:
    """Raise OSError if `write` would refuse the path, or if the path can't be checked."""
    with _naming(path):
        _mode_of(path)


def delete_unfinished(folder: Path, older: float = _LEFT_AFTER) -> None:
    """Delete the user's own unfinished files in a folder, left by a killed process and unchanged for `older` seconds."""
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [Path(entry) for entry in entries if _UNFINISHED.fullmatch(entry.name)]:
            with suppress(OSError):
                if _is_left(path.lstat(), older):
                    path.unlink()


def _is_left(status: os.stat_result, older: float) -> bool:
    is_own = sys.platform == "win32" or status.st_uid == os.geteuid()
    return is_own and stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > older


def _mode_of(path: Path) -> int | None:
    """Return the permissions of the file to be replaced; None if it doesn't exist yet."""
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
    """Turn any error into an OSError that names this file and gives the reason."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error) or type(error).__name__, str(path)) from None
    except ValueError:  # a NUL or a lone surrogate
        raise OSError(errno.EINVAL, "This is not a valid file name", str(path)) from None
