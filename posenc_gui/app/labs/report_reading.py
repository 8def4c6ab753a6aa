"""The reading of a class's reports, beside the UI thread: small files on a thread, others in a process of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from posenc_gui.app.state.reader import INTERRUPTED, Refused, read_in, size_of
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.child import Child, ChildError
from posenc_gui.foundation.stopped import CheckStop
from posenc_gui.labs.reports import classroom
from posenc_gui.labs.reports.classroom import Classroom
from posenc_gui.labs.reports.report_folder import Report, ReportFolder, open_report

_SMALL = 1_000_000  # bytes: reading so many, file after file, holds Python's lock for some milliseconds at once
_MEMORY = 2_000_000_000  # bytes that a file may take: several times what the largest does


@dataclass(frozen=True)
class Found:
    """The reports in a folder and each lab's table, built beside the UI thread, since a thousand reports take a while."""

    classroom: Classroom = field(default_factory=Classroom)
    tables: Mapping[str, Figure] = field(default_factory=dict)


def read(folder: ReportFolder, _path: Path, check_stop: CheckStop, progress: Callable[[int, int, str], None]) -> Found:
    """Read what a folder holds. Raises OSError if it can't be listed."""
    with closing(_Opener(check_stop)) as opener:
        folder.read(check_stop, progress, opener.open)
    return gather(folder, _path)


def gather(folder: ReportFolder, _path: Path, **_watched: object) -> Found:
    """Return what has been read of a folder."""
    found = classroom.gather(folder)
    return Found(found, {lab: classroom.answers(found, lab) for lab in found.labs()})


class _Opener:
    """Opens report after report, large ones in a process."""

    def __init__(self, check_stop: CheckStop) -> None:
        self._check_stop = check_stop
        self._child: Child | None = None

    def open(self, path: Path) -> Report:
        """Read a file. Raises ValueError with a sentence that names it; OSError if no process can be started."""
        if size_of(path) <= _SMALL:
            return open_report(path)
        if self._child is None or not self._child.is_alive:
            self._child = Child()
        try:
            found = read_in(self._child, open_report, path, check_stop=self._check_stop, grace=0, memory=_MEMORY)
        except ChildError:
            raise ValueError(f"{path.name}: {INTERRUPTED}") from None
        if isinstance(found, Refused):
            raise ValueError(found.why)
        return found

    def close(self) -> None:
        """End the process."""
        if self._child:
            self._child.stop()
