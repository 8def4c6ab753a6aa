"""A folder of lab reports, read file by file: of each, what a class needs is kept."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition.lab_folder import natural_order
from posenc_gui.labs.definition.record import Record, StepRecord

MOST_FILES = 1_000
MOST_KEPT = 100_000_000  # bytes of what is kept of all, as JSON

_UNSHOWN = StepRecord().model_dump(include={"session", "pictures", "values", "doubts", "visited", "draft", "transfer"})

Progress = Callable[[int, int, str], None]  # takes the number of files read, of all, and the name of the next one


@dataclass(frozen=True)
class Report:
    """A record without its sessions and pictures, which can be megabytes; what was left out of its file; its bytes as JSON."""

    record: Record
    remarks: tuple[str, ...]
    size: int


def open_report(path: Path) -> Report:
    """Read a report's file. Raises ValueError with a sentence that names it."""
    try:
        opened = Record.open(path)
    except OSError as error:
        raise ValueError(f"{path.name} can't be read: {error.strerror}.") from None
    steps = {name: step.model_copy(update=_UNSHOWN) for name, step in opened.content.steps.items()}
    record = opened.content.model_copy(update={"steps": steps})
    return Report(record, opened.remarks, len(record.model_dump_json()))


class ReportFolder:
    """The lab reports directly in a folder, at most `MOST_FILES`.

    problems: a sentence on each file that can't be read. left: one on those that weren't tried; empty if all were.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.left = path, ""
        self.problems: tuple[str, ...] = ()
        self._known: dict[Path, tuple[atomic.StrictStamp | None, Report]] = {}

    @property
    def reports(self) -> tuple[Report, ...]:
        """What has been read."""
        return tuple(report for _, report in [*self._known.values()])

    def read(
        self, check_stop: CheckStop, progress: Progress, open_file: Callable[[Path], Report] = open_report
    ) -> None:
        """Read all files but those that were read and are as they were; what has been read stays if this is stopped.

        open_file does what `open_report` does, perhaps elsewhere. Raises OSError if the folder can't be listed; what `check_stop`
        raises, which is called after each file.
        """
        files = sorted(filter(_may_be_report, self.path.iterdir()), key=lambda path: natural_order(path.name))
        stamps = {path: atomic.strict_stamp(path) for path in files[:MOST_FILES]}
        self._known = {path: one for path, one in self._known.items() if one[0] == stamps.get(path)}
        self.problems, kept = (), sum(one.size for one in self.reports)
        for path in (path for path in stamps if path not in self._known):
            done = len(self._known) + len(self.problems)
            so_far = f"after {done:,} of {format_count(len(files), 'file')}"
            self.left = f"Reading was stopped {so_far}: “Read again” goes on."
            progress(done, len(files), path.name)
            try:
                found: Report | str = open_file(path)
            except ValueError as error:
                found = describe_error(error)
            check_stop()  # before anything is changed: another reading may have begun
            if isinstance(found, str):
                self.problems += (found,)
                continue
            kept += found.size
            if kept > MOST_KEPT:
                self.left = f"Reading ended {so_far}: more text than theirs takes too much memory."
                return
            self._known[path] = stamps[path], found
        some = f"Only the first {MOST_FILES:,} of {len(files):,} files are read, by name: open the others in another folder."
        self.left = some if len(files) > MOST_FILES else ""


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
