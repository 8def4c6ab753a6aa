"""Exports in a process of their own, asked from the window; what is printed is drawn by Qt, here."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QMimeData,
    QObject,
    QRectF,
    QSizeF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextDocument,
)
from PySide6.QtWidgets import QWidget

from posenc_gui import render
from posenc_gui.app.documents.file_dialogs import ExportFields, FileDialogs
from posenc_gui.app.export import export_process
from posenc_gui.app.export.export_process import Cost, FigureRequest, request_figure
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.child import Child, Crashed
from posenc_gui.foundation.child_server import Report
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import Stopped
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.foundation.wording import format_percent, quote
from posenc_gui.labs.definition.record import Record

if TYPE_CHECKING:
    from posenc_gui.render.colour_blindness import ColourVision

Say = Callable[[str], None]  # takes a sentence

_PATIENCE = 8.0  # seconds that a running export may take when the window closes
_BEAT = 250  # milliseconds between progress updates
_DPI = 150
_MARGIN = 15  # millimetres
_WIDTH = 760  # pixels of the page across the sheet, a little more than a report's pictures: 16 of them are 11 points
_FOOT = 24  # pixels for the page's number
_NUMBER = 12  # pixels: the size of its digits


class Exporter(QObject):
    """Saves and copies figures and reports, with the drawing done in a child process.

    Each request has its own callbacks, `done` for the result and `failed` for the reason, since several windows share
    one exporter. dialogs: the file dialogs of all exports.
    """

    # What is being written, in words, and whether it can be stopped; nothing once it is done.
    working = Signal(str, bool)
    _returned = Signal(object, object, object)  # what to do with the result, who is told of a failure, Future

    def __init__(self, dialogs: FileDialogs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dialogs = dialogs
        self._pool: ThreadPoolExecutor | None = None  # its one thread asks the process
        self._child: Child | None = None
        self._futures: dict[Future[Any], str] = {}  # with a message each; empty for previews
        self._share: float | None = None  # of the running export that is done; None if that isn't known
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._tell)
        self._returned.connect(self._on_returned, Qt.ConnectionType.QueuedConnection)

    def save(self, wanted: Sequence[FigureRequest], path: Path, looks: ExportFields, done: Say, failed: Say) -> None:
        """Write figures to a file, or several to a folder."""
        words, written = f"Writing {quote(path.name)} …", lambda path: done(_saved(path))
        self._run(words, written, failed, export_process.save, wanted, path, looks, on_report=self._on_report)

    def stop(self) -> None:
        """Ask a running export of several figures to stop; earlier files stay as they were."""
        if self._child:
            self._child.ask_to_stop()

    def weigh(
        self,
        wanted: Sequence[FigureRequest],
        looks: ExportFields,
        suffix: str,
        done: Callable[[Cost], None],
        failed: Say,
    ) -> None:
        """Estimate what a file with all of these figures costs."""
        self._run("", lambda cost: done(Cost(*cost)), failed, export_process.weigh, wanted, looks, suffix)

    def preview(
        self,
        wanted: FigureRequest,
        looks: ExportFields,
        suffix: str,
        eyes: ColourVision,
        done: Callable[[bytes], None],
        failed: Say,
    ) -> None:
        """Draw a figure as a PNG, as its file of this kind will show it, seen with this colour vision."""
        self._run("", done, failed, export_process.preview, wanted, looks, suffix, eyes)

    def tell_editable(self, wanted: FigureRequest, looks: ExportFields, done: Say, failed: Say) -> None:
        """Report which parts of a figure's slide PowerPoint can edit."""
        self._run("", done, failed, export_process.describe_editable, wanted, looks)

    def copy_picture(self, wanted: FigureRequest, looks: ExportFields, done: Say, failed: Say) -> None:
        """Copy a figure as it would be exported, as bitmap and as SVG: the program that pastes it takes either."""

        def put(drawn: dict[str, bytes]) -> None:
            data = QMimeData()
            data.setImageData(QImage.fromData(drawn[".png"]))
            data.setData("image/svg+xml", drawn[".svg"])
            QGuiApplication.clipboard().setMimeData(data)
            done(f"Copied the picture of {wanted.title}.")

        self._run("Copying the picture …", put, failed, export_process.draw, wanted, looks, (".png", ".svg"))

    def copy_numbers(self, figure: Figure, done: Say, failed: Say) -> None:
        """Copy a figure's numbers, tab-separated, to the clipboard."""

        def put(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            done("Copied the numbers, tab-separated.")

        self._run("Copying numbers …", put, failed, export_process.tabulate, figure)

    def report(self, record: Record, folder: Path, done: Say, failed: Say) -> None:
        """Write a lab report into a folder: a page, and the record that a teacher's explorer opens."""
        self._run(
            "Writing the report …", lambda path: done(_saved(path)), failed, export_process.save_report, record, folder
        )

    def print_report(self, record: Record, path: Path, done: Say, failed: Say) -> None:
        """Write a lab report as a PDF."""

        def put(page: str) -> None:
            try:
                done(_saved(save_as_pdf(page, path)))
            except OSError as error:
                failed(_why(error))

        self._run("Writing the report …", put, failed, export_process.report_page, record)

    def close(self) -> None:
        """Cancel waiting exports, and wait a few seconds for the running one; the other process finishes it in any case."""
        if self._pool:
            for future in self._futures:
                future.cancel()
            finishing = threading.Thread(target=self._finish, args=(self._pool,), daemon=True)
            finishing.start()
            finishing.join(_PATIENCE)
            self._pool = None

    def _finish(self, pool: ThreadPoolExecutor) -> None:
        pool.shutdown()
        if self._child:
            self._child.stop()

    def _run(
        self,
        words: str,
        done: Callable[[Any], None],
        failed: Say,
        work: Callable[..., Any],
        *arguments: Any,
        on_report: Report | None = None,
    ) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "exports")
        future = self._pool.submit(self._in_child, work, arguments, on_report)
        self._futures[future] = words
        self._tell()
        self._beat.start()
        future.add_done_callback(lambda future: self._hand_back(done, failed, future))

    def _in_child(self, work: Callable[..., Any], arguments: tuple[Any, ...], on_report: Report | None) -> Any:
        """Do a piece of work in the process, which is started if need be. Runs on the pool's thread."""
        if self._child is None or not self._child.is_alive:
            self._child = Child(finishes=True)
        try:
            pickled = pickle.dumps((work, arguments), pickle.HIGHEST_PROTOCOL)
            return self._child.call(export_process.run, pickled, on_report=on_report)
        finally:
            self._share = None

    def _on_report(self, share: float | None) -> None:
        self._share = share

    def _tell(self) -> None:
        """Emit what is being written and how far it is."""
        self._futures = {future: words for future, words in self._futures.items() if not future.done()}
        if not self._futures:
            self._beat.stop()
        words = next(filter(None, self._futures.values()), "")
        share = self._share if words else None
        self.working.emit(words if share is None else f"{words} {format_percent(share)}", share is not None)

    def _hand_back(self, done: Callable[[Any], None], failed: Say, future: Future[Any]) -> None:
        with suppress(RuntimeError):  # the window went away first
            self._returned.emit(done, failed, future)

    def _on_returned(self, done: Callable[[Any], None], failed: Say, future: Future[Any]) -> None:
        self._tell()
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            done(future.result())
        elif isinstance(error, Stopped):
            failed("Stopped: nothing was written.")
        elif isinstance(error, Exception) and not isinstance(error, Crashed):
            failed(_why(error))
        else:
            failed("The export was interrupted; nothing was written. Try again.")


def ask_and_export(
    parent: QWidget, figure: Figure, what: str, exporter: Exporter, done: Say, failed: Say, suffix: str = ".svg"
) -> None:
    """Ask for a file and write the figure to it, in the format of the file's suffix; `suffix` is proposed."""
    filters = {kind: f"{kind[1:].upper()} (*{kind})" for kind in render.suffixes()}
    kinds, proposed = ";;".join(filters.values()), f"{figure.name}{suffix}"
    if path := exporter.dialogs.to_save(parent, f"Export {what}", proposed, kinds, filters[suffix]):
        exporter.save([request_figure(figure)], path, exporter.dialogs.looks, done, failed)


def _saved(path: str | Path) -> str:
    return f"Saved {path}."


def _why(error: Exception) -> str:
    return f"Not exported: {describe_file_error(error)}"


def save_as_pdf(page: str, path: Path) -> Path:
    """Write a self-contained HTML page as A4 pages to a PDF, whole or not at all. Return the path. Raises OSError."""
    data = QByteArray()
    memory = QBuffer(data)  # Qt doesn't report a full disk
    memory.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(memory)
    writer.setResolution(_DPI)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageLayout.Unit.Millimeter)
    _draw(page, writer)
    atomic.write(path, bytes(data.data()))
    return path


def _draw(page: str, writer: QPdfWriter) -> None:
    """Draw a page on as many sheets as it needs. It is laid out in pixels and scaled as a whole: `QTextDocument.print_`
    scales pictures but not letters in pixels."""
    sheet = writer.pageLayout().paintRectPixels(_DPI)
    scale = sheet.width() / _WIDTH
    height = sheet.height() / scale - _FOOT
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setHtml(page)
    document.setPageSize(QSizeF(_WIDTH, height))
    digits, foot = QFont(), QRectF(0, height, _WIDTH, _FOOT)
    digits.setPixelSize(_NUMBER)
    on_paper = QAbstractTextDocumentLayout.PaintContext()
    on_paper.palette.setColor(QPalette.ColorRole.Text, QColor(LIGHT.ink))  # the window's may be white
    painter = QPainter(writer)
    painter.scale(scale, scale)
    painter.setFont(digits)
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, str(number + 1))
        painter.save()
        painter.translate(0, -number * height)
        on_paper.clip = QRectF(0, number * height, _WIDTH, height)
        painter.setClipRect(on_paper.clip)
        document.documentLayout().draw(painter, on_paper)
        painter.restore()
    painter.end()
