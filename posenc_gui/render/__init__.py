"""Renderers: each turns any `Figure` into something and knows no plot.

A module here with `SUFFIXES` is an output: its `content(figure, suffix, choices)`, or `film(frames, suffix, choices, shown)` if
a file can have several frames, returns the bytes of a file, and `CARRIES_SESSION = True` says that the file holds the session
and can be reopened. Both constants are read from the module's text, so that an output and its libraries are imported only when
a figure is saved with its suffix. `screen` draws in the window; the other modules are shared: `drawings` turns every kind of
panel into parts, `composer` places panels.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from posenc_gui.figure.caption_parts import OF_COLOURS, CaptionPart
from posenc_gui.foundation.files import atomic, turns
from posenc_gui.foundation.registry import module_names
from posenc_gui.foundation.wording import join_words

if TYPE_CHECKING:
    from posenc_gui.figure.figure import Figure
    from posenc_gui.render.export_options import ExportOptions


PAGE = ".html"
FILMS = (".gif", PAGE, ".mp4")  # several figures as frames
DECK = ".pptx"  # several figures as slides, which may be appended
_LARGEST_DECK = 200_000_000  # bytes: the largest file to which slides are appended
_LONGEST_NAME = 80  # characters of a file name


class _Writer(NamedTuple):
    module: str
    carries_session: bool


def suffixes() -> list[str]:
    """Every suffix a figure can be saved with, with its dot."""
    return sorted(_writers())


def session_suffixes() -> list[str]:
    """The suffixes of files that carry their session and can be reopened."""
    return sorted(suffix for suffix, writer in _writers().items() if writer.carries_session)


def make_options(fields: Mapping[str, object]) -> ExportOptions:
    """Build export options from fields. Raises ValueError with one sentence if a field or value is invalid."""
    from posenc_gui.render.export_options import ExportOptions

    return ExportOptions(**fields)


def save(figure: Figure, path: Path, choices: ExportOptions | None = None) -> Path:
    """Write a figure to `path` in the format of its suffix; see `Figure.save`."""
    if path.suffix.lower() == DECK:
        return save_deck([(figure, "")], path, choices)
    return _save(path, lambda suffix: content(figure, suffix, choices))


def save_deck(
    slides: Sequence[tuple[Figure, str]], path: Path, choices: ExportOptions | None = None, document: str = ""
) -> Path:
    """Write figures with their speaker notes as slides of a PowerPoint file; see `Figure.save`.

    document: the JSON of the session and its bookmarks that the file carries; empty: the last figure's session. Of several
    that write the same file at once, each waits for the one before. Raises OSError if it is open in an office program.
    """

    def made(_suffix: str) -> bytes:
        from posenc_gui.render.export_options import DEFAULT_OPTIONS
        from posenc_gui.render.pptx import write_deck
        from posenc_gui.render.pptx.slide import Slide

        chosen = choices or DEFAULT_OPTIONS
        onto = atomic.read_bytes(path, _LARGEST_DECK, "deck") if chosen.append and path.exists() else b""
        captioned = [Slide(_captioned(figure, chosen, DECK), note) for figure, note in slides]
        return write_deck(captioned, chosen, document, onto)

    with turns.turn(path):
        turns.check_closed(path)
        return _save(path, made)


def numbered_paths(figures: Sequence[Figure], folder: Path, suffix: str) -> list[Path]:
    """The paths of several figures in a folder: numbered, with the plot and, where they differ, the encoding. Raises
    ValueError if one of these files already exists."""
    several = len({figure.subject for figure in figures}) > 1
    described = (f"{figure.name} {figure.subject if several else ''}".lower().replace(",", "") for figure in figures)
    words = (re.sub(r"[^\w.]+", "-", one)[:_LONGEST_NAME].strip("-.") for one in described)
    paths = [folder / f"{number:02}-{one}{suffix}" for number, one in enumerate(words, 1)]
    if there := [path for path in paths if path.exists()]:
        raise ValueError(f"{there[0]} already exists: choose another folder, or empty this one.")
    return paths


def save_all(
    figures: Sequence[Figure],
    path: Path,
    choices: ExportOptions | None = None,
    shown: Callable[[int], None] = lambda _count: None,
) -> Path:
    """Write figures as slides or as a film's frames, by the suffix, or the only one as a picture; see `save_film`."""
    suffix = path.suffix.lower()
    if suffix == DECK:
        return save_deck([(figure, "") for figure in figures], path, choices)
    return save_film(figures, path, choices, shown) if suffix in FILMS else save(figures[0], path, choices)


def save_film(
    figures: Sequence[Figure],
    path: Path,
    choices: ExportOptions | None = None,
    shown: Callable[[int], None] = lambda _count: None,
) -> Path:
    """Write figures as the frames of a GIF, an MP4 or a web page, in one layout, on one scale; see `Figure.save`. shown:
    called after each frame with the number drawn so far."""
    return _save(path, lambda suffix: film(figures, suffix, choices, shown))


def film(
    figures: Sequence[Figure],
    suffix: str,
    choices: ExportOptions | None = None,
    shown: Callable[[int], None] = lambda _count: None,
) -> bytes:
    """The bytes of a file with figures, or the frames of those that have some, as frames, in the format of one of `FILMS`; see
    `save_film`."""
    from posenc_gui.figure.compare import on_one_scale
    from posenc_gui.render.export_options import DEFAULT_OPTIONS

    chosen = choices or DEFAULT_OPTIONS
    captioned = [_captioned(figure, chosen, suffix) for figure in figures]
    frames = on_one_scale([frame for figure in captioned for frame in figure.frames or (figure,)])
    made: bytes = importlib.import_module(_writers()[suffix].module).film(frames, suffix, chosen, shown)
    return made


def _save(path: Path, made: Callable[[str], bytes]) -> Path:
    suffix = path.suffix.lower()
    if suffix not in _writers():
        raise ValueError(f"can't save {path.name!r}: allowed are {join_words(suffixes())}")
    try:
        data = made(suffix)
    except ImportError as error:
        raise ValueError(
            f"can't save {path.name!r}: {suffix} needs a library that is not installed ({error})."
        ) from error
    atomic.write(path, data)
    atomic.delete_unfinished(path.resolve().parent)
    return path


def content(figure: Figure, suffix: str, choices: ExportOptions | None = None) -> bytes:
    """The bytes of a file that shows a figure, in the format of one of `suffixes()`. They are complete before anything is
    written, so that no drawing library meets a full disk."""
    if suffix in FILMS:
        return film([figure], suffix, choices)
    from posenc_gui.render.export_options import DEFAULT_OPTIONS

    choices = choices or DEFAULT_OPTIONS
    made: bytes = importlib.import_module(_writers()[suffix].module).content(
        _captioned(figure, choices, suffix), suffix, choices
    )
    return made


def preview(figure: Figure, suffix: str, choices: ExportOptions) -> bytes:
    """A PNG of what a file with this suffix shows, of a deck the first slide."""
    if suffix != DECK:
        return content(figure, ".png", choices)
    from posenc_gui.render import paper

    own = choices.model_copy(update={"title": ""}) if choices.title_slide else choices
    return paper.slides(_captioned(figure, choices, DECK), own)[0]


def _captioned(figure: Figure, choices: ExportOptions, suffix: str) -> Figure:
    """The figure with the chosen title, unless a title slide has it, and caption, and its frames."""
    figure = replace(figure, frames=tuple(_captioned(frame, choices, suffix) for frame in figure.frames))
    if choices.title and not (suffix == DECK and choices.title_slide):
        figure = replace(figure, title=choices.title, subject="")
    if choices.caption:
        figure = figure.captioned(CaptionPart(figure.printed_settings, "settings"))
    if choices.is_mono:
        figure = replace(
            figure, caption_parts=tuple(part for part in figure.caption_parts if part.kind not in OF_COLOURS)
        )
    return figure


@cache
def _writers() -> dict[str, _Writer]:
    found: dict[str, _Writer] = {}
    for name in module_names(__name__):
        module = f"{__name__}.{name}"
        constants = _constants(module)
        writer = _Writer(module, constants.get("CARRIES_SESSION", False))
        found |= dict.fromkeys(constants.get("SUFFIXES", ()), writer)
    return found


def _constants(module: str) -> dict[str, Any]:
    """`SUFFIXES` and `CARRIES_SESSION` of a module, read from its text without importing it."""
    spec = find_spec(module)
    source = spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None
    lines = ast.parse(source or "").body
    assigned = [(line.targets[0], line.value) for line in lines if isinstance(line, ast.Assign)]
    assigned += [(line.target, line.value) for line in lines if isinstance(line, ast.AnnAssign) and line.value]
    return {
        target.id: ast.literal_eval(value)
        for target, value in assigned
        if isinstance(target, ast.Name) and target.id in ("SUFFIXES", "CARRIES_SESSION")
    }
