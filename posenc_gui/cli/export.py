"""`export`: draws the requested figures and saves them to a file, a folder, a slide deck or a film."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

from posenc_gui import encodings, plots, render
from posenc_gui.cli import console
from posenc_gui.cli.parser import LOOKS
from posenc_gui.cli.session_options import read_session, read_values, read_view
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.view import EVERYTHING, View
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.foundation.files import atomic, turns
from posenc_gui.foundation.former_names import current_plot
from posenc_gui.foundation.wording import join_words
from posenc_gui.models.presets import catalogue
from posenc_gui.session import evaluate
from posenc_gui.session.session import Session
from posenc_gui.session.sweeps import film, small_multiples, sweep

T = TypeVar("T")

_FRAMES_PER_LINE = 10  # frames of a film per line of progress
# What is lost without positions, what an encoding adds, what attention does with it, how far it reaches, which encodings meet
# what, and what positions are worth to a trained model.
_TEACHING_ORDER = (
    *("twins", "equivariance", "meaning", "recurrence", "generation"),
    *("encoding", "waves", "clocks", "hands", "angles", "rulers", "offsets", "combined", "addition", "requirements"),
    *("flow", "projections", "attention", "row", "slopes", "why", "sweep", "patches"),
    *("similarity", "kernel", "shift", "linear_shift", "frequencies", "length", "extension", "precision"),
    "comparison",
    *("heads", "surgery", "loss", "table"),
)


def export(options: argparse.Namespace) -> None:
    """Draw and save every figure, and print the path. Raises ValueError and OSError."""
    for kind, option, names in (("a model", "model", catalogue()), ("an encoding", "encoding", encodings.names())):
        if options.preset in names:
            meant = f"this is {kind}, so write --{option} {options.preset}; a preset is slide or paper"
            raise ValueError(f"--preset {options.preset}: {meant}")
    suffix = options.out.suffix.lower()
    is_folder = _is_several(options) and suffix not in (render.DECK, *render.FILMS)
    if not is_folder:
        atomic.check_writable(options.out)
        turns.check_closed(options.out)
    elif suffix and not options.out.is_dir():
        raise ValueError(
            f"--out {options.out}: several figures go into a folder, a deck (.pptx), a film (.gif) or a page (.html)"
        )
    figures = list(_figures(options))
    if is_folder:
        _save_all(figures, options)
    else:
        render.save_all(figures, options.out, render.make_options(_looks(options)), _progress(len(figures)))
    console.tell_path(options.out)


def _is_several(options: argparse.Namespace) -> bool:
    """Return True if the options name several plots, sentences or encodings, or give `--each`."""
    are_plots = options.plot == "all" or "," in options.plot
    return are_plots or options.each is not None or any(len(asked) > 1 for asked in (options.encoding, options.text))


def _figures(options: argparse.Namespace) -> Iterator[Figure]:
    """Yield each plot of each sentence, encoding and value; empty ones are left out. Raises ValueError, also if all are
    empty."""
    names = (
        [*in_teaching_order(plots.names())] if options.plot == "all" else [*map(current_plot, options.plot.split(","))]
    )
    for name in names:
        if name not in plots.names():
            raise ValueError(unknown_name("plot", name, [*plots.names(), "all"]))
    view = read_view(options)
    suffix, is_swept = options.out.suffix.lower(), options.sweep is not None
    # A page of one plot shows it as it is; a GIF that moves nothing would be a picture.
    is_film = suffix in render.FILMS and not _is_several(options) and (suffix != render.PAGE or is_swept)
    if view != EVERYTHING and (is_film or is_swept or options.each is not None):
        raise ValueError("--rows, --columns and --pixels work for one picture, not for a sweep or a film")
    count, why = 0, ""
    for text, encoding, name in product(options.text or [None], options.encoding or [None], names):
        one = argparse.Namespace(**{**vars(options), "text": text, "encoding": encoding, "plot": name})
        figures = _drawn(one, view, is_film)
        keeps = is_film and not all(figure.is_note for figure in figures)  # a frame's sentence, as multiples do
        for figure in figures:
            if figure.is_note and not keeps:
                why = f"{name}: {figure.description}"
                if _is_several(options):
                    console.say(f"left out {why}")
            else:
                count += 1
                yield figure
    if not count:
        raise ValueError(why)


def _drawn(options: argparse.Namespace, view: View, is_film: bool) -> Sequence[Figure]:
    """Return the figures of one plot, one sentence and one encoding: one a value or a frame, or a single one."""
    session = read_session(options)
    if options.each is not None:
        return _swept("--each", options.each, options.plot, session, sweep)
    if options.sweep is not None:
        if is_film:
            return _swept("--sweep", options.sweep, options.plot, session, sweep)
        return [_swept("--sweep", options.sweep, options.plot, session, small_multiples)]
    if is_film:
        return film(options.plot, session)
    return [evaluate.plot(options.plot, session, view=view)]


def _swept(
    option: str, assignment: str, plot: str, session: Session, draw: Callable[[str, Session, str, list[Any]], T]
) -> T:
    """Return what `draw` makes of a plot at the values that an option gives; an error message names the option."""
    name, values = read_values(option, assignment, session, plot)
    try:
        return draw(plot, session, name, values)
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None


def _save_all(figures: list[Figure], options: argparse.Namespace) -> None:
    """Save one numbered file per figure into a folder, which is created if it doesn't exist."""
    suffix = f".{options.kind.removeprefix('.')}"
    if suffix not in render.suffixes():
        raise ValueError(f"--as {options.kind}: choose {join_words((one[1:] for one in render.suffixes()), 'or')}")
    paths = render.numbered_paths(figures, options.out, suffix)
    options.out.mkdir(exist_ok=True)
    for figure, path in zip(figures, paths, strict=True):
        figure.save(path, **_looks(options))


def _progress(count: int) -> Callable[[int], None]:
    """Return a callback that prints on standard error, after every ten frames of a film, how many are drawn."""
    return lambda drawn: console.say(f"{drawn} of {count} frames") if not drawn % _FRAMES_PER_LINE else None


def _looks(options: argparse.Namespace) -> dict[str, Any]:
    """Return the export options that were given, as keyword arguments of `figure.save`."""
    return {name: value for name, value in vars(options).items() if name in LOOKS and value is not None}


def in_teaching_order(names: Iterable[str]) -> list[str]:
    """Sort names of plots as they are told; those without a place come last."""
    places = {name: place for place, name in enumerate(_TEACHING_ORDER)}
    return sorted(names, key=lambda name: places.get(name, len(places)))
