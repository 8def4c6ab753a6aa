"""The log of internal errors, for developers."""

from __future__ import annotations

import faulthandler
import logging
import re
import traceback
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

from posenc_gui import __version__
from posenc_gui.foundation.files import atomic

_NAME, _CRASH = "log.txt", "crash.txt"
_LARGEST = 500_000  # bytes of a log, after which another is begun; the one before it is kept
_READ = 100_000  # bytes of its end that are read
_DEEPEST = 5  # errors that led to each other
_LONGEST = 2000  # characters of what an error says

# An error may quote what the user typed, so what it says stands behind this sign, and can be left out.
_SAYS = "    | "
_BEGINS = re.compile(r"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)


def open_log(folder: Path) -> logging.Logger:
    """Give the explorer's logger a file in this folder, and return the logger. Raises OSError."""
    log = logging.getLogger("posenc_gui")  # above the loggers of all modules
    log.propagate = False
    folder.mkdir(parents=True, exist_ok=True)
    atomic.check_writable(folder / _NAME)  # opening a pipe of this name would block
    handler = _LogFile(
        folder / _NAME, maxBytes=_LARGEST, backupCount=1, encoding="utf-8", delay=True, errors="backslashreplace"
    )
    handler.setFormatter(_Lines())
    log.addHandler(handler)
    return log


def last_errors(folder: Path, most: int, *, with_words: bool) -> list[str]:
    """Return the newest entries of the log in a folder, the oldest first; errors' own messages only `with_words`."""
    text = "".join(_end(folder / name) for name in (f"{_NAME}.1", _NAME))
    entries = [entry.rstrip() for entry in _BEGINS.split(text)[1:]][-most:]
    if with_words:
        return entries
    return ["\n".join(line for line in entry.split("\n") if not line.startswith(_SAYS)) for entry in entries]


def follow_crashes(folder: Path) -> None:
    """Record native crashes with faulthandler, and log the one that the last start recorded. Raises OSError."""
    atomic.check_writable(folder / _CRASH)
    crash = (folder / _CRASH).open("a+", encoding="utf-8", errors="replace")  # stays open as long as the process
    crash.seek(0)
    if text := crash.read(_READ):
        logging.getLogger(__name__).error("the process crashed\n%s", text)
        crash.truncate(0)
    faulthandler.enable(crash)


class _LogFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing: a full disk has no room for this error either."""


class _Lines(logging.Formatter):
    """Format: time, level, module and version; then the traceback, and behind a mark the error's message."""

    def __init__(self) -> None:
        super().__init__(f"%(asctime)s %(levelname)s %(name)s, posenc-gui {__version__}: %(message)s")

    def formatException(self, ei: object) -> str:
        """Format the error, after those that led to it."""
        _kind, error, _trace = ei if isinstance(ei, tuple) else (None, None, None)
        return "\n".join(_lines(error)) if isinstance(error, BaseException) else ""


def _lines(error: BaseException, depth: int = 1) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and depth < _DEEPEST:
        yield from _lines(before, depth + 1)
        yield "which led to"
    yield "Traceback (most recent call last):"
    for frame in traceback.format_list(traceback.extract_tb(error.__traceback__)):
        yield frame.rstrip("\n")
    yield f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    for line in str(error)[:_LONGEST].splitlines():
        yield _SAYS + line


def _end(path: Path) -> str:
    try:
        atomic.check_readable(path)  # a pipe of this name would be waited for
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _READ))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
