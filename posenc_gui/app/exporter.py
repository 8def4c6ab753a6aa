"""Exports in a process of their own: matplotlib and long tables would hold Python's lock and freeze the window."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from posenc_gui.app.pdf import save_as_pdf
from posenc_gui.errors import sentence
from posenc_gui.figure import Figure
from posenc_gui.labs.record import Record


class Exporter(QObject):
    """Saves figures and turns them into text, off the window's process."""

    saved = Signal(object)  # Path
    reported = Signal(object)  # Path of a lab report
    tabulated = Signal(str)  # the numbers, tab-separated
    failed = Signal(str)  # why, in a sentence
    _returned = Signal(object, object)  # what to do with the result, Future

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool: ProcessPoolExecutor | None = None
        self._returned.connect(self._on_returned, Qt.ConnectionType.QueuedConnection)

    def save(self, figure: Figure, path: Path) -> None:
        """Write a figure to a file."""
        self._run(self.saved.emit, save, figure, path)

    def tabulate(self, figure: Figure) -> None:
        """Turn a figure's numbers into tab-separated text."""
        self._run(self.tabulated.emit, tabulate, figure)

    def report(self, record: Record, folder: Path) -> None:
        """Write a lab report into a folder: a page, and the record that a teacher's explorer opens."""
        self._run(self.reported.emit, save_report, record, folder)

    def print_report(self, record: Record, path: Path) -> None:
        """Write a lab report as a PDF."""
        self._run(lambda page: self._print(page, path), report_page, record)

    def close(self) -> None:
        """Take no more work, and wait until what is being written is finished.

        Not waiting would be quicker, but then the interpreter's own end can write to a pool that is just going, and says so.
        """
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _print(self, page: str, path: Path) -> None:
        try:
            self.reported.emit(save_as_pdf(page, path))
        except OSError as error:
            self.failed.emit(f"Not exported: {error.filename}: {error.strerror}.")

    def _run(self, done: Callable[[Any], None], work: Callable[..., Any], *arguments: Any) -> None:
        if self._pool is None:
            # spawn: a forked copy of a process with Qt and torch threads can hang.
            self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        try:
            future = self._pool.submit(work, *arguments)
        except BrokenProcessPool:  # its process ended between two exports
            self._pool = None
            self._run(done, work, *arguments)
            return
        future.add_done_callback(lambda future: self._hand_back(done, future))

    def _hand_back(self, done: Callable[[Any], None], future: Future[Any]) -> None:
        with suppress(RuntimeError):  # the window went away first
            self._returned.emit(done, future)

    def _on_returned(self, done: Callable[[Any], None], future: Future[Any]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            done(future.result())
        elif isinstance(error, BrokenProcessPool):
            self._pool = None
            self.failed.emit("The export was interrupted; nothing was written. Try again.")
        else:
            why = f"{error.filename}: {error.strerror}." if isinstance(error, OSError) else sentence(error)
            self.failed.emit(f"Not exported: {why}")


def save(figure: Figure, path: Path) -> Path:
    """Runs in the other process."""
    return figure.save(path)


def tabulate(figure: Figure) -> str:
    """Runs in the other process."""
    from posenc_gui.render import table

    return table.text(figure, "\t")


def save_report(record: Record, folder: Path) -> Path:
    """Runs in the other process."""
    from posenc_gui.labs import report

    return report.save(record, folder, report.pictures(record))[0]


def report_page(record: Record) -> str:
    """Runs in the other process."""
    from posenc_gui.labs import report

    return report.html(record, report.pictures(record))
