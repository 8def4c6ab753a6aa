"""Exports in a process of their own: matplotlib and long tables would hold Python's lock and freeze the window."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from posenc_gui import render
from posenc_gui.app.documents.file_dialogs import ExportFields, FileDialogs
from posenc_gui.app.export.html_to_pdf import save_as_pdf
from posenc_gui.app.state.child_process import SPAWN, end_with_window
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.errors import describe_file_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.wording import format_percent, quote
from posenc_gui.labs.definition.record import Record

if TYPE_CHECKING:
    from posenc_gui.render.colour_blindness import ColourVision

Say = Callable[[str], None]  # takes a sentence

_PATIENCE = 8.0  # seconds that a running export may take when the window closes
_BEAT = 250  # milliseconds between progress updates
_WEIGHED = 3  # figures from which the cost of all is estimated


class Stopped(Exception):
    """Raised when the user stops an export."""


class Steps:
    """Progress of the export process, and the request to stop it, in shared memory."""

    def __init__(self) -> None:
        self._shared = SPAWN.RawArray("q", 3)  # steps done, total steps, and 1 to stop

    @property
    def share(self) -> float | None:
        """The progress, 0 to 1; None if nothing is counted."""
        done, count, _ = self._shared
        return done / count if count else None

    def begin(self, count: int) -> None:
        """Start to count this many steps, and forget a request to stop; 0: nothing is counted."""
        self._shared[:] = [0, count, 0]

    def step(self, *_: object) -> None:
        """Count one step as done. Raises Stopped if `stop` was called."""
        self._shared[0] += 1
        if self._shared[2]:
            raise Stopped

    def stop(self) -> None:
        """Ask the export process to stop after its current step."""
        self._shared[2] = 1


class Cost(NamedTuple):
    """The size of a file, and the time that it takes to make it."""

    bytes: int
    seconds: float


@dataclass(frozen=True)
class FigureRequest:
    """A requested figure: as given, or a plot of a session, which is drawn first.

    title: its name in messages. note: the speaker note of its slide. document: the JSON of the session and its bookmarks
    that a deck of several figures carries. heading: a title to draw instead of the plot's own, unless the headline says it;
    empty for its own.
    """

    plot: str
    title: str
    figure: Figure | None = None
    session: str = ""
    note: str = ""
    document: str = ""
    heading: str = ""

    def drawn(self) -> Figure:
        """Return the figure; if it must be drawn, call this in the export process, where it doesn't block the window."""
        if self.figure is not None:
            return self.figure
        from posenc_gui.session import evaluate
        from posenc_gui.session.session import Session

        figure = evaluate.plot(self.plot, Session.from_json(self.session))
        if quote_runs(figure.headline).startswith(self.heading):
            return figure
        return replace(figure, title=self.heading, subject="" if figure.subject in self.heading else figure.subject)


def request_figure(figure: Figure) -> FigureRequest:
    """Request a figure as it is."""
    return FigureRequest(figure.name, figure.title, figure)


class Exporter(QObject):
    """Saves and copies figures and reports, with the drawing done in a child process.

    Each request has its own callbacks, `done` for the result and `failed` for the reason, since several windows share
    one exporter. dialogs: the file dialogs of all exports.
    """

    working = Signal(
        str, bool
    )  # what is being written, in words, and whether it can be stopped; nothing once it is done
    _returned = Signal(object, object, object)  # what to do with the result, who is told of a failure, Future

    def __init__(self, dialogs: FileDialogs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dialogs = dialogs
        self._pool: ProcessPoolExecutor | None = None
        self._futures: dict[Future[Any], str] = {}  # with a message each; empty for previews
        self._steps = Steps()
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._tell)
        self._returned.connect(self._on_returned, Qt.ConnectionType.QueuedConnection)

    def save(self, wanted: Sequence[FigureRequest], path: Path, looks: ExportFields, done: Say, failed: Say) -> None:
        """Write figures to a file, or several to a folder."""
        self._run(f"Writing {quote(path.name)} …", lambda path: done(_saved(path)), failed, save, wanted, path, looks)

    def stop(self) -> None:
        """Ask a running export of several figures to stop; earlier files stay as they were."""
        self._steps.stop()

    def weigh(
        self,
        wanted: Sequence[FigureRequest],
        looks: ExportFields,
        suffix: str,
        done: Callable[[Cost], None],
        failed: Say,
    ) -> None:
        """Estimate what a file with all of these figures costs."""
        self._run("", done, failed, weigh, wanted, looks, suffix)

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
        self._run("", done, failed, preview, wanted, looks, suffix, eyes)

    def tell_editable(self, wanted: FigureRequest, looks: ExportFields, done: Say, failed: Say) -> None:
        """Report which parts of a figure's slide PowerPoint can edit."""
        self._run("", done, failed, describe_editable, wanted, looks)

    def copy_picture(self, wanted: FigureRequest, looks: ExportFields, done: Say, failed: Say) -> None:
        """Copy a figure as it would be exported, as bitmap and as SVG: the program that pastes it takes either."""

        def put(drawn: dict[str, bytes]) -> None:
            data = QMimeData()
            data.setImageData(QImage.fromData(drawn[".png"]))
            data.setData("image/svg+xml", drawn[".svg"])
            QGuiApplication.clipboard().setMimeData(data)
            done(f"Copied the picture of {wanted.title}.")

        self._run("Copying the picture …", put, failed, draw, wanted, looks, (".png", ".svg"))

    def copy_numbers(self, figure: Figure, done: Say, failed: Say) -> None:
        """Copy a figure's numbers, tab-separated, to the clipboard."""

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
        """Cancel waiting exports, and wait a few seconds for the running one; the other process finishes it in any case."""
        if self._pool:
            for future in self._futures:
                future.cancel()
            finishing = threading.Thread(target=self._pool.shutdown, daemon=True)
            finishing.start()
            finishing.join(_PATIENCE)
            self._pool = None  # frees its semaphores, which would outlive the process

    def _run(
        self, words: str, done: Callable[[Any], None], failed: Say, work: Callable[..., Any], *arguments: Any
    ) -> None:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, SPAWN, _begin, (self._steps,))
        try:
            future = self._pool.submit(_work, work, *arguments)
        except BrokenProcessPool:  # its process died between two exports
            self._pool = None
            self._run(words, done, failed, work, *arguments)
            return
        self._futures[future] = words
        self._tell()
        self._beat.start()
        future.add_done_callback(lambda future: self._hand_back(done, failed, future))

    def _tell(self) -> None:
        """Emit what is being written and how far it is."""
        self._futures = {future: words for future, words in self._futures.items() if not future.done()}
        if not self._futures:
            self._beat.stop()
        words = next(filter(None, self._futures.values()), "")
        share = self._steps.share if words else None
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
        elif isinstance(error, Exception) and not isinstance(error, BrokenProcessPool):
            failed(_why(error))
        else:
            self._pool = None
            self._steps.begin(0)
            failed("The export was interrupted; nothing was written. Try again.")


def ask_and_export(
    parent: QWidget, figure: Figure, what: str, exporter: Exporter, done: Say, failed: Say, suffix: str = ".svg"
) -> None:
    """Ask for a file and write the figure to it, in the format of the file's suffix; `suffix` is proposed."""
    filters = {kind: f"{kind[1:].upper()} (*{kind})" for kind in render.suffixes()}
    kinds, proposed = ";;".join(filters.values()), f"{figure.name}{suffix}"
    if path := exporter.dialogs.to_save(parent, f"Export {what}", proposed, kinds, filters[suffix]):
        exporter.save([request_figure(figure)], path, exporter.dialogs.looks, done, failed)


def _saved(path: Path) -> str:
    return f"Saved {path}."


def _why(error: Exception) -> str:
    return f"Not exported: {describe_file_error(error)}"


_working = threading.Lock()
_steps = Steps()  # in the export process, the exporter's own


def _begin(steps: Steps) -> None:
    """Prepare the export process: a running export is finished even if the window ends."""
    global _steps
    _steps = steps
    end_with_window(_working)


def _work(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do one piece of work in the export process, which can't end meanwhile."""
    with _working:
        try:
            return work(*arguments)
        finally:
            _steps.begin(0)


def save(wanted: Sequence[FigureRequest], path: Path, looks: ExportFields) -> Path:
    """Write figures to a file, or one PNG each to a folder. Return the path. Runs in the export process.

    Raises Stopped between two steps if asked to; nothing is then written.
    """
    choices, suffix, figures = render.make_options(looks), path.suffix.lower(), list[tuple[Figure, str]]()
    if len(wanted) > 1:
        _steps.begin(2 * len(wanted))  # each is drawn, then written
    for one in wanted:
        figures.append((one.drawn(), one.note))
        _steps.step()
    if path.is_dir():
        made = {}
        places = render.numbered_paths([figure for figure, _ in figures], path, ".png")
        for place, (figure, _) in zip(places, figures, strict=True):
            made[place] = render.content(figure, ".png", choices)
            _steps.step()
        for place, data in made.items():
            atomic.write(place, data)
        atomic.delete_unfinished(path.resolve())
        return path
    if suffix == render.DECK:
        document = wanted[0].document if len(wanted) > 1 else ""
        return render.save_deck(figures, path, choices, document)
    if suffix in render.FILMS:
        return render.save_film([figure for figure, _ in figures], path, choices, _steps.step)
    return render.save(figures[0][0], path, choices)


def weigh(wanted: Sequence[FigureRequest], looks: ExportFields, suffix: str) -> Cost:
    """Estimate what a file with all of these figures costs, from a few. Runs in the export process."""
    choices, count, began = render.make_options(looks), len(wanted), perf_counter()
    if suffix not in render.FILMS:
        few = wanted[:: math.ceil(count / _WEIGHED)]
        size = sum(len(render.content(one.drawn(), suffix, choices)) for one in few)
        return Cost(count * size // len(few), count * (perf_counter() - began) / len(few))
    from posenc_gui.render import animation

    start = max(0, count - _WEIGHED) // 2  # films often begin with frames that hardly differ
    figures = [one.drawn() for one in wanted[start : start + _WEIGHED]]
    size, seconds = len(animation.film(figures, suffix, choices)), perf_counter() - began
    first = len(animation.film(figures[:1], suffix, choices))  # of the others a film holds only what changes
    others = (size - first) / max(1, len(figures) - 1)
    return Cost(round(first + (count - 1) * others), count * seconds / len(figures))


def preview(wanted: FigureRequest, looks: ExportFields, suffix: str, eyes: ColourVision) -> bytes:
    """Return a figure as PNG, as its file shows it, of a deck its first slide, seen with this colour vision. Runs in the
    export process."""
    from posenc_gui.render import colour_blindness

    drawn = render.first_slide if suffix == render.DECK else render.picture
    return colour_blindness.simulate(drawn(wanted.drawn(), render.make_options(looks)), eyes)


def describe_editable(wanted: FigureRequest, looks: ExportFields) -> str:
    """Return a sentence about what PowerPoint can edit of a figure's slide. Runs in the export process."""
    from posenc_gui.render.pptx import deck

    return deck.describe_editable(draw(wanted, looks, (render.DECK,))[render.DECK])


def draw(wanted: FigureRequest, looks: ExportFields, suffixes: Sequence[str]) -> dict[str, bytes]:
    """Return a figure's file for each suffix. Runs in the export process."""
    choices, figure = render.make_options(looks), wanted.drawn()
    return {suffix: render.content(figure, suffix, choices) for suffix in suffixes}


def tabulate(figure: Figure) -> str:
    """Return a figure's numbers, tab-separated. Runs in the export process."""
    from posenc_gui.render import csv_table

    return csv_table.text(figure, "\t")


def save_report(record: Record, folder: Path) -> Path:
    """Save a lab report in a folder; return the path of its page. Runs in the export process."""
    from posenc_gui.labs.reports import report

    page = report.save(record, folder, report.pictures(record))[0]
    atomic.delete_unfinished(folder)
    return page


def report_page(record: Record) -> str:
    """Return a lab report as HTML. Runs in the export process."""
    from posenc_gui.labs.reports import report

    return report.html(record, report.pictures(record))
