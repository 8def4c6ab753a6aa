"""What comes of a case, and what processes must not do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tools.attack.child import PATIENCE, Ended

FAULTS = HANG, STALL, TRACEBACK, ABORT, LOST, STRAY, UNSAID = (
    "hangs",
    "stalls",
    "tracebacks",
    "aborts",
    "lost",
    "stray",
    "unsaid",
)

_LONGEST_PAUSE = 1.0  # seconds
_PREFIX = ".posenc-"  # of temporary files
_FRAME = re.compile(r'File "(.+)", line (\d+),? in (\S+)')
_CRASH = 2000  # characters of where a process crashed
_TOLD = 300  # characters of what a process said
_HARMLESS = (
    "This plugin does not support",  # the offscreen platform, of every window that asks to be raised
    'Mouse event "',  # the tests' own mouse, of a widget that is hidden or doesn't listen
)
_UNPRINTABLE = frozenset(
    map(chr, (*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)


@dataclass
class Outcome:
    """The faults of a case; in seconds, the longest pause of a window's UI thread, and of how long edits were lost."""

    tried: int = 1  # actions, where a case has several
    met: int = 0  # how many of them met what the kind is about: one that never does finds nothing, whatever is broken
    faults: list[tuple[str, str]] = field(default_factory=list)
    pause: float = 0.0
    loss: float = 0.0

    def add(self, fault: str, what: str) -> None:
        """Note a fault."""
        self.faults.append((fault, what))

    def judge(self, ended: Ended, what: str, statuses: Iterable[int] = (0,)) -> bool:
        """Note what a process did that none may do; gives whether it ended as it may."""
        before = len(self.faults)
        if ended.hung:
            self.add(HANG, f"{what}: no answer in {PATIENCE:g} s: {_innermost(ended.err)}")
        elif ended.status not in statuses:
            self.add(ABORT, f"{what}: status {ended.status}: {_innermost(ended.err)}")
        if not ended.hung and "Traceback (most recent call last)" in ended.err:
            self.add(TRACEBACK, f"{what}: {last_line(ended.err)}")
        return len(self.faults) == before

    def judge_pauses(self, ended: Ended, what: str) -> None:
        """The window's UI thread doesn't pause for long."""
        for told in ended.said("pause"):
            seconds = float(told.partition(" ")[0])
            self.pause = max(self.pause, seconds)
            if seconds > _LONGEST_PAUSE:
                self.add(STALL, f"{what}: {told}")

    def judge_silence(self, ended: Ended, what: str) -> None:
        """A window says nothing on standard error."""
        said = [line for line in ended.err.splitlines() if line.strip() and not line.startswith(_HARMLESS)]
        if said and not ended.hung and ended.status == 0 and "Traceback" not in ended.err:
            self.add(UNSAID, f"{what}, on standard error: {' / '.join(said)[:_TOLD]}")

    def judge_sentence(self, said: str, what: str) -> None:
        """Whatever is told to a user is one line of what can be printed, and no name of an exception."""
        named = [name for name in ("Error:", "Exception", "object has no attribute") if name in said]
        if not said.strip() or "\n" in said.strip() or named or _UNPRINTABLE & set(said.strip()):
            self.add(UNSAID, f"{what}: {said[:_TOLD]!r}")

    def judge_strays(self, folder: Path, what: str) -> None:
        """Temporary files don't stay."""
        if found := strays(folder):
            self.add(STRAY, f"{what}: {', '.join(str(path.relative_to(folder)) for path in found)}"[:_TOLD])

    def judge_logs(self, folder: Path, what: str) -> None:
        """No error that nobody foresaw is in a log, and where a process crashed, this says where."""
        for path in filter(Path.is_file, sorted(folder.rglob("crash*.txt"))):
            if text := path.read_text(encoding="utf-8", errors="replace").strip():
                self.add(ABORT, f"{what}, in {path.name}: {text[:_CRASH]!r}")
        for path in filter(Path.is_file, sorted({*folder.rglob("*log*.txt"), *folder.rglob("*.log")})):
            if "Traceback" in (text := path.read_text(encoding="utf-8", errors="replace")):
                frames = [_short(frame) for frame in _FRAME.findall(text)[-3:]]
                self.add(TRACEBACK, f"{what}, in {path.name}: {last_line(text)}: {' > '.join(frames)}")


def strays(folder: Path) -> list[Path]:
    """The temporary files in a folder."""
    return sorted(path for path in folder.rglob(f"{_PREFIX}*") if path.is_file())


def last_line(text: str) -> str:
    """The last line of a text, as an error's own words stand below its traceback."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(_HARMLESS)]
    return repr(lines[-1].strip()[:_TOLD]) if lines else "nothing was said"


def _innermost(err: str) -> str:
    """Where a process was when it crashed or hung, as faulthandler wrote it for the thread that it was in."""
    _, _, frames = err.partition("most recent call first):\n")
    _, current, own = err.partition("Current thread")
    frames = own.partition("\n")[2] if current else frames
    lines = _FRAME.findall(frames.partition("\n\n")[0])
    return " < ".join(_short(line) for line in lines[:4]) or last_line(err)


def _short(frame: tuple[str, str, str]) -> str:
    """A file, a line and a function as `c.py:3 f`."""
    path, line, function = frame
    return f"{Path(path).name}:{line} {function}"
