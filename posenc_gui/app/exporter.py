"""Exports in a process of their own: matplotlib and long tables would hold Python's lock and freeze the window."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from posenc_gui import files, render
from posenc_gui.app.dialogs import Dialogs
from posenc_gui.app.pdf import save_as_pdf
from posenc_gui.errors import explain
from posenc_gui.figure import Figure
from posenc_gui.labs.record import Record

Say = Callable[[str], None]  # takes a sentence

_PATIENCE = 8.0  # seconds for what is being written when the window ends


class Exporter(QObject):
    """Saves figures and turns them into text, off the window's process.

    Who asks for something is told what was done, or why it failed: several windows have one exporter.
    dialogs: by which users are asked for files.
    """

    working = Signal(str)  # what is being written, in words; nothing once it is done
    _returned = Signal(object, object, object)  # what to do with the result, who is told of a failure, Future

    def __init__(self, dialogs: Dialogs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dialogs = dialogs
        self._pool: ProcessPoolExecutor | None = None
        self._futures: list[Future[Any]] = []
        self._returned.connect(self._on_returned, Qt.ConnectionType.QueuedConnection)

    def save(self, figure: Figure, path: Path, done: Say, failed: Say) -> None:
        """Write a figure to a file."""
        self._run(f"Writing {path.name} …", lambda path: done(_saved(path)), failed, save, figure, path)

    def copy_numbers(self, figure: Figure, done: Say, failed: Say) -> None:
        """Put a figure's numbers, tab-separated, on the clipboard."""

        def put(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            done("Copied the numbers, tab-separated.")

        self._run("Copying numbers …", put, failed, tabulate, figure)

    def report(self, record: Record, folder: Path, done: Say, failed: Say) -> None:
        """Write a lab report into a folder: a page, and the record that a teacher's explorer opens."""
        self._run("Writing the report …", lambda path: done(_saved(path)), failed, save_report, record, folder)

    def print_report(self, record: Record, path: Path, done: Say, failed: Say) -> None:
        """Write a lab report as a PDF."""

        def put(page: str) -> None:
            try:
                done(_saved(save_as_pdf(page, path)))
            except OSError as error:
                failed(_why(error))

        self._run("Writing the report …", put, failed, report_page, record)

    def close(self) -> None:
        """Take no more work, and wait until what is being written is finished, or for a while: the other process goes on."""
        if self._pool:
            begun = [future for future in self._futures if not future.cancel()]
            late = wait(begun, _PATIENCE).not_done
            self._pool.shutdown(wait=not late)
            self._pool = None  # with it go its semaphores, which would outlive the process

    def _run(
        self, words: str, done: Callable[[Any], None], failed: Say, work: Callable[..., Any], *arguments: Any
    ) -> None:
        if self._pool is None:
            # spawn: a forked copy of a process with Qt and torch threads can hang.
            # Ctrl+C in a terminal reaches all its processes; what is being written is finished.
            self._pool = ProcessPoolExecutor(
                1, multiprocessing.get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_IGN)
            )
        try:
            future = self._pool.submit(work, *arguments)
        except BrokenProcessPool:  # its process ended between two exports
            self._pool = None
            self._run(words, done, failed, work, *arguments)
            return
        self.working.emit(words)
        self._futures = [*(one for one in self._futures if not one.done()), future]
        future.add_done_callback(lambda future: self._hand_back(done, failed, future))

    def _hand_back(self, done: Callable[[Any], None], failed: Say, future: Future[Any]) -> None:
        with suppress(RuntimeError):  # the window went away first
            self._returned.emit(done, failed, future)

    def _on_returned(self, done: Callable[[Any], None], failed: Say, future: Future[Any]) -> None:
        if all(one.done() for one in self._futures):
            self.working.emit("")
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            done(future.result())
        elif isinstance(error, Exception) and not isinstance(error, BrokenProcessPool):
            failed(_why(error))
        else:
            self._pool = None
            failed("The export was interrupted; nothing was written. Try again.")


def ask_and_export(
    parent: QWidget, figure: Figure, what: str, exporter: Exporter, done: Say, failed: Say, suffix: str = ".svg"
) -> None:
    """Ask for a file and write the figure to it; its suffix, which begins as the given one, decides how."""
    filters = {kind: f"{kind[1:].upper()} (*{kind})" for kind in render.suffixes()}
    kinds, proposed = ";;".join(filters.values()), f"{figure.name}{suffix}"
    if path := exporter.dialogs.to_save(parent, f"Export {what}", proposed, kinds, filters[suffix]):
        exporter.save(figure, path, done, failed)


def _saved(path: Path) -> str:
    return f"Saved {path}."


def _why(error: Exception) -> str:
    return f"Not exported: {explain(error)}"


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

    page = report.save(record, folder, report.pictures(record))[0]
    files.sweep(folder)
    return page


def report_page(record: Record) -> str:
    """Runs in the other process."""
    from posenc_gui.labs import report

    return report.html(record, report.pictures(record))
