"""What the exports' process does: matplotlib and long tables would hold Python's lock and freeze the window."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from posenc_gui import render
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.files import atomic, turns
from posenc_gui.labs.definition.record import Record

if TYPE_CHECKING:
    from posenc_gui.app.documents.file_dialogs import ExportFields
    from posenc_gui.foundation.child_server import Report
    from posenc_gui.render.colour_blindness import ColourVision

_WEIGHED = 3  # figures from which the cost of all is estimated


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


def run(work: bytes, *report: Report) -> Any:
    """Do a pickled piece of work, a function with its arguments, which comes from the window."""
    function, arguments = pickle.loads(work)
    return function(*arguments, *report)


def save(wanted: Sequence[FigureRequest], path: Path, looks: ExportFields, report: Report) -> str:
    """Write figures to a file, or one PNG each to a folder. Return the path. report: gets the share that is done, None of a
    single figure; if it raises Stopped, nothing is written."""
    choices, suffix, figures = render.make_options(looks), path.suffix.lower(), list[tuple[Figure, str]]()
    if suffix == render.DECK:
        turns.check_closed(path)
    n_steps, steps = 2 * len(wanted), itertools.count()  # each is drawn, then written

    def step(*_: object) -> None:
        report(next(steps) / n_steps if len(wanted) > 1 else None)

    step()
    for one in wanted:
        figures.append((one.drawn(), one.note))
        step()
    if path.is_dir():
        made = {}
        places = render.numbered_paths([figure for figure, _ in figures], path, ".png")
        for place, (figure, _) in zip(places, figures, strict=True):
            made[place] = render.content(figure, ".png", choices)
            step()
        for place, data in made.items():
            atomic.write(place, data)
        atomic.delete_unfinished(path.resolve())
        return str(path)
    if suffix == render.DECK:
        document = wanted[0].document if len(wanted) > 1 else ""
        return str(render.save_deck(figures, path, choices, document))
    if suffix in render.FILMS:
        return str(render.save_film([figure for figure, _ in figures], path, choices, step))
    return str(render.save(figures[0][0], path, choices))


def weigh(wanted: Sequence[FigureRequest], looks: ExportFields, suffix: str) -> Cost:
    """Estimate what a file with all of these figures costs, from a few."""
    choices, count, began = render.make_options(looks), len(wanted), perf_counter()
    if suffix not in render.FILMS:
        few = wanted[:: math.ceil(count / _WEIGHED)]
        size = sum(len(render.content(one.drawn(), suffix, choices)) for one in few)
        return Cost(count * size // len(few), count * (perf_counter() - began) / len(few))
    start = max(0, count - _WEIGHED) // 2  # films often begin with frames that hardly differ
    figures = [one.drawn() for one in wanted[start : start + _WEIGHED]]
    size, seconds = len(render.film(figures, suffix, choices)), perf_counter() - began
    first = len(render.film(figures[:1], suffix, choices))  # of the others a film holds only what changes
    others = (size - first) / max(1, len(figures) - 1)
    return Cost(round(first + (count - 1) * others), count * seconds / len(figures))


def preview(wanted: FigureRequest, looks: ExportFields, suffix: str, eyes: ColourVision) -> bytes:
    """Return a figure as PNG, as its file shows it, of a deck its first slide, seen with this colour vision."""
    from posenc_gui.render import colour_blindness

    return colour_blindness.simulate(render.preview(wanted.drawn(), suffix, render.make_options(looks)), eyes)


def describe_editable(wanted: FigureRequest, looks: ExportFields) -> str:
    """Return a sentence about what PowerPoint can edit of a figure's slide."""
    from posenc_gui.render import pptx

    return pptx.describe_editable(draw(wanted, looks, (render.DECK,))[render.DECK])


def draw(wanted: FigureRequest, looks: ExportFields, suffixes: Sequence[str]) -> dict[str, bytes]:
    """Return a figure's file for each suffix."""
    choices, figure = render.make_options(looks), wanted.drawn()
    return {suffix: render.content(figure, suffix, choices) for suffix in suffixes}


def tabulate(figure: Figure) -> str:
    """Return a figure's numbers, tab-separated."""
    from posenc_gui.render import csv_table

    return csv_table.text(figure, "\t")


def save_report(record: Record, folder: Path) -> str:
    """Save a lab report in a folder; return the path of its page."""
    from posenc_gui.labs.reports import report

    page = report.save(record, folder, report.pictures(record))[0]
    atomic.delete_unfinished(folder)
    return str(page)


def report_page(record: Record) -> str:
    """Return a lab report as HTML."""
    from posenc_gui.labs.reports import report

    return report.html(record, report.pictures(record))
