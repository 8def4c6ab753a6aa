"""The reading of a class's reports, beside the UI thread: small files on a thread, others in a process of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from posenc_gui.app.state.reader import INTERRUPTED, Refused, read_in, size_of
from posenc_gui.foundation.child import Child, ChildError
from posenc_gui.foundation.stopped import CheckStop
from posenc_gui.labs.reports import classroom
from posenc_gui.labs.reports.classroom import Classroom
from posenc_gui.labs.reports.report_folder import Progress, Report, ReportFolder, open_report

_SMALL = 1_000_000  # bytes: reading so many, file after file, holds Python's lock for some milliseconds at once
_MEMORY = 2_000_000_000  # bytes that a file may take: several times what the largest does


def read(folder: ReportFolder, _path: Path, check_stop: CheckStop, progress: Progress) -> Classroom:
    """Read what a folder holds. Raises OSError if it can't be listed."""
    with _opening(check_stop) as open_file:
        folder.read(check_stop, progress, open_file)
    return classroom.gather(folder)


@contextmanager
def _opening(check_stop: CheckStop) -> Iterator[Callable[[Path], Report]]:
    """Give what opens report after report, large ones in a process that ends afterwards."""
    child: Child | None = None

    def open_file(path: Path) -> Report:
        nonlocal child
        if size_of(path) <= _SMALL:
            return open_report(path)
        if child is None or not child.is_alive:
            child = Child()
        try:
            found = read_in(child, open_report, path, check_stop=check_stop, grace=0, memory=_MEMORY)
        except ChildError:
            raise ValueError(f"{path.name}: {INTERRUPTED}") from None
        if isinstance(found, Refused):
            raise ValueError(found.why)
        return found

    try:
        yield open_file
    finally:
        if child:
            child.stop()
