"""A folder of lab reports, read file by file: of each, what a class needs is kept."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition.lab_folder import natural_order
from posenc_gui.labs.definition.record import Record

MOST_FILES = 1_000
MOST_KEPT = 100_000_000  # bytes of what is kept of all, as JSON; a lab has some thousand words

_UNSHOWN = {"session": "", "pictures": (), "values": {}, "doubts": (), "visited": (), "draft": None, "transfer": None}


@dataclass(frozen=True)
class Report:
    """A record without its sessions and pictures, which can be megabytes; what was left out of its file; its bytes as JSON."""

    record: Record
    remarks: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class ReadingFile:
    """The file that is read now: how many come before it, of how many, and its name."""

    before: int
    of: int
    name: str


@dataclass(frozen=True)
class _Known:
    """What a file held, or why it can't be read, when it had this stamp."""

    stamp: atomic.StrictStamp | None
    found: Report | str


class ReportFolder:
    """The lab reports directly in a folder, at most `MOST_FILES`; a file that stays as it is is read once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.left = ""  # a sentence on the files that aren't read; empty if all are
        self._known: dict[Path, _Known] = {}

    @property
    def reports(self) -> tuple[Report, ...]:
        """What has been read."""
        return tuple(one.found for one in self._known.values() if isinstance(one.found, Report))

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence on each file that can't be read."""
        return tuple(one.found for one in self._known.values() if isinstance(one.found, str))

    def read(
        self, check_stop: CheckStop = go_on, open_file: Callable[[Path], Report] | None = None
    ) -> Iterator[ReadingFile]:
        """Read all files but those that are as they were, and yield before each. What has been read stays if this is stopped.

        check_stop is called before each file. open_file does what `open_report` does, perhaps elsewhere. Raises OSError if the
        folder can't be listed; what `check_stop` raises.
        """
        files = sorted(filter(_may_be_report, self.path.iterdir()), key=lambda path: natural_order(path.name))
        stamps = {path: atomic.strict_stamp(path) for path in files[:MOST_FILES]}
        self._known = {path: one for path, one in self._known.items() if one.stamp == stamps.get(path, one) is not None}
        kept = sum(one.size for one in self.reports)
        for path in (path for path in stamps if path not in self._known):
            so_far = f"after {len(self._known):,} of {format_count(len(files), 'file')}"
            self.left = f"Reading was stopped {so_far}: “Read again” goes on."
            check_stop()
            yield ReadingFile(len(self._known), len(files), path.name)
            found = _read(path, open_file or open_report)
            kept += found.size if isinstance(found, Report) else len(found)
            if kept > MOST_KEPT:
                self.left = f"Reading ended {so_far}: more text than theirs takes too much memory."
                return
            self._known[path] = _Known(stamps[path], found)
        more = len(files) > MOST_FILES
        self.left = f"Only the first {MOST_FILES:,} of {len(files):,} files are read." if more else ""


def open_report(path: Path) -> Report:
    """Read a report's file. Raises ValueError with a sentence that names it."""
    try:
        opened = Record.open(path)
    except OSError as error:
        raise ValueError(f"{path.name} can't be read: {error.strerror}.") from None
    steps = {name: step.model_copy(update=_UNSHOWN) for name, step in opened.content.steps.items()}
    record = opened.content.model_copy(update={"steps": steps})
    return Report(record, opened.remarks, len(record.model_dump_json()))


def _read(path: Path, open_file: Callable[[Path], Report]) -> Report | str:
    try:
        return open_file(path)
    except ValueError as error:
        return describe_error(error)


def _may_be_report(path: Path) -> bool:
    """Return True for a visible .json file; those whose name begins with a dot are hidden, or still being written.

    What can't be examined, such as a link into a folder without permission, may be one: reading it gives the reason.
    """
    if path.suffix.lower() != ".json" or path.name.startswith("."):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True
