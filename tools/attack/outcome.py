"""The outcome of a case, and what processes must not do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tools.attack.child import PATIENCE, Ended

FAULTS = HANG, STALL, TRACEBACK, ABORT, LOST, STRAY, UNSAID, GROWN = (
    "hangs",
    "stalls",
    "tracebacks",
    "aborts",
    "lost",
    "stray",
    "unsaid",
    "grown",
)

_LONGEST_PAUSE = 0.25  # seconds
_PREFIX = ".posenc-"  # of temporary files
_FRAME = re.compile(r'File "(.+)", line (\d+),? in (\S+)')
_CRASH = 2000  # characters quoted of a crash log
_TOLD = 300  # characters quoted of a process's output
_HARMLESS = (
    "This plugin does not support",  # printed by the offscreen platform for each window that is to be raised
    # printed by Qt where LC_ALL is C, or no locale
    *("Detected locale", "Qt depends on a UTF-8", "If this causes problems", "for more information."),
    "Fontconfig warning: ignoring nowhere",
    "libpng error: ",  # printed for a kept picture under a seal that somebody made anew
    'Mouse event "',  # printed by QTest for a mouse event on a hidden or disabled widget
)
_UNPRINTABLE = frozenset(
    map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)


@dataclass
class Outcome:
    """The faults of a case and, in seconds, the longest pause of a window's UI thread and the age of the oldest lost edit; for
    an input also how long it took, and the most megabytes that were held."""

    tried: int = 1  # the number of cases, or of actions where a case has several
    met: int = 0  # how many of them met what the kind is about; others prove nothing
    faults: list[tuple[str, str]] = field(default_factory=list)
    pause: float = 0.0
    loss: float = 0.0
    seconds: float = 0.0
    megabytes: float = 0.0

    def add(self, fault: str, what: str) -> None:
        """Note a fault."""
        self.faults.append((fault, what))

    def judge(self, ended: Ended, what: str, statuses: Iterable[int] = (0,)) -> bool:
        """Note a hang, an unusual status or a traceback; return True if there was none."""
        before = len(self.faults)
        if ended.hung:
            self.add(HANG, f"{what}: no answer in {PATIENCE:g} s: {_innermost(ended.err)}")
        elif ended.status not in statuses:
            self.add(ABORT, f"{what}: status {ended.status}: {_innermost(ended.err)}")
        if not ended.hung and "Traceback (most recent call last)" in ended.err:
            self.add(TRACEBACK, f"{what}: {last_line(ended.err)}")
        return len(self.faults) == before

    def judge_pauses(self, ended: Ended, what: str) -> None:
        """Note the longest pause of the window's UI thread, and each that is too long."""
        for told in ended.said("pause"):
            seconds = float(told.partition(" ")[0])
            self.pause = max(self.pause, seconds)
            if seconds > _LONGEST_PAUSE:
                self.add(STALL, f"{what}: {told}")

    def judge_silence(self, ended: Ended, what: str) -> None:
        """Note what a window that ended well printed on standard error."""
        said = [line for line in ended.err.splitlines() if line.strip() and not line.startswith(_HARMLESS)]
        if said and not ended.hung and ended.status == 0 and "Traceback" not in ended.err:
            self.add(UNSAID, f"{what}, on standard error: {' / '.join(said)[:_TOLD]}")

    def judge_sentence(self, said: str, what: str) -> None:
        """Note a message that is not one printable line, or that names an exception."""
        named = [name for name in ("Error:", "Exception", "object has no attribute") if name in said]
        if not said.strip() or "\n" in said.strip() or named or _UNPRINTABLE & set(said.strip()):
            self.add(UNSAID, f"{what}: {said[:_TOLD]!r}")

    def judge_strays(self, folder: Path, what: str) -> None:
        """Note temporary files that are still there."""
        if found := strays(folder):
            self.add(STRAY, f"{what}: {', '.join(str(path.relative_to(folder)) for path in found)}"[:_TOLD])

    def judge_logs(self, folder: Path, what: str) -> None:
        """Note crashes and tracebacks in log files, each with its place in the code."""
        for path in filter(Path.is_file, sorted(folder.rglob("crash*.txt"))):
            if text := path.read_text(encoding="utf-8", errors="replace").strip():
                self.add(ABORT, f"{what}, in {path.name}: {text[:_CRASH]!r}")
        for path in filter(Path.is_file, sorted({*folder.rglob("*log*.txt"), *folder.rglob("*.log")})):
            if "Traceback" in (text := path.read_text(encoding="utf-8", errors="replace")):
                frames = [_short(frame) for frame in _FRAME.findall(text)[-3:]]
                self.add(TRACEBACK, f"{what}, in {path.name}: {last_line(text)}: {' > '.join(frames)}")


def strays(folder: Path) -> list[Path]:
    """Return the explorer's temporary files in a folder and below."""
    return sorted(path for path in folder.rglob(f"{_PREFIX}*") if path.is_file())


def last_line(text: str) -> str:
    """Return the last line of a text, where a traceback has the error itself, quoted by `repr`."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_HARMLESS)]
    return repr(lines[-1].strip()[:_TOLD]) if lines else "nothing was said"


def _innermost(err: str) -> str:
    """Return where a process was when it crashed or hung, from faulthandler's stack of the current thread; without one, the
    last line."""
    _, _, frames = err.partition("most recent call first):\n")
    _, current, own = err.partition("Current thread")
    frames = own.partition("\n")[2] if current else frames
    lines = _FRAME.findall(frames.partition("\n\n")[0])
    return " < ".join(_short(line) for line in lines[:4]) or last_line(err)


def _short(frame: tuple[str, str, str]) -> str:
    """Format a file, a line and a function as `c.py:3 f`."""
    path, line, function = frame
    return f"{Path(path).name}:{line} {function}"
