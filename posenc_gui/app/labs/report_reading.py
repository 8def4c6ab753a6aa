"""The reading of a class's reports, a job of the worker: small files on its thread, others in a process of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from posenc_gui.app.state.reader import INTERRUPTED, Refused, read_in, size_of
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.child import Child, ChildError
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.labs.reports import classroom
from posenc_gui.labs.reports.classroom import Classroom
from posenc_gui.labs.reports.report_folder import ReadingFile, Report, ReportFolder, open_report

_SMALL = 1_000_000  # bytes: reading so many, file after file, holds Python's lock for some milliseconds at once
_MEMORY = 2_000_000_000  # bytes that a file may take: several times what the largest does


@dataclass(frozen=True)
class Found:
    """The reports in a folder and each lab's table. The worker builds them, since a thousand reports take a while."""

    classroom: Classroom = field(default_factory=Classroom)
    tables: Mapping[str, Figure] = field(default_factory=dict)


def read(folder: ReportFolder, check_stop: Callable[[], None]) -> Iterator[tuple[ReportFolder, ReadingFile | Found]]:
    """Read what a folder holds, and yield each file before it is read, then all reports, with the folder that they are of."""
    with closing(_Opener(check_stop)) as opener:
        try:
            for file in folder.read(check_stop, opener.open):
                yield folder, file
        except OSError as error:
            yield folder, Found(Classroom(problems=(describe_file_error(error),)))
            return
    yield from show(folder, check_stop)


def show(folder: ReportFolder, check_stop: Callable[[], None]) -> Iterator[tuple[ReportFolder, Found]]:
    """Yield what has been read of a folder."""
    found, tables = classroom.gather(folder), dict[str, Figure]()
    for lab in found.labs():
        check_stop()
        tables[lab] = classroom.answers(found, lab)
    yield folder, Found(found, tables)


class _Opener:
    """Opens report after report, large ones in a process."""

    def __init__(self, check_stop: Callable[[], None]) -> None:
        self._check_stop = check_stop
        self._child: Child | None = None

    def open(self, path: Path) -> Report:
        """Read a file. Raises ValueError with a sentence that names it; OSError if no process can be started."""
        if size_of(path) <= _SMALL:
            return open_report(path)
        if self._child is None or not self._child.is_alive:
            self._child = Child(memory=_MEMORY)
        try:
            found = read_in(self._child, open_report, path, self._check_stop)
        except ChildError:
            raise ValueError(f"{path.name}: {INTERRUPTED}") from None
        if isinstance(found, Refused):
            raise ValueError(found.why)
        return found

    def close(self) -> None:
        """End the process."""
        if self._child:
            self._child.stop()
