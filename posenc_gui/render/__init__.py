"""Renderers: each turns any `Figure` into something and knows no plot.

A file here with `SUFFIXES` makes files: `content(figure, suffix, choices)` is what a file of one of these kinds holds, and
`CARRIES_SESSION = True` says that the session is in it, so that it can be opened again. Both are read from the file's
text, so that a renderer and what it draws with are imported only where a figure is saved as its suffix asks. `screen`
draws in the window; all other files are what several of them share.
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

from posenc_gui.foundation.files import atomic as files
from posenc_gui.foundation.registry import modules

if TYPE_CHECKING:
    from posenc_gui.figure.figure import Figure
    from posenc_gui.render.export_options import Choices


FILMS = (".gif", ".mp4")  # several figures, one after the other
DECK = ".pptx"  # several figures, which may be added to others
_LARGEST_DECK = 200_000_000  # bytes of a file that slides are added to
_LONGEST_NAME = 80  # letters of what a file's name says of its figure


class _Writer(NamedTuple):
    module: str
    carries_session: bool


def suffixes() -> list[str]:
    """Every suffix a figure can be saved with, with its dot."""
    return sorted(_writers())


def session_suffixes() -> list[str]:
    """The suffixes of files that carry their session, so that they can be opened again."""
    return sorted(suffix for suffix, writer in _writers().items() if writer.carries_session)


def chosen(fields: Mapping[str, object]) -> Choices:
    """The choices that have these fields. Raises ValueError in one sentence for what can't be chosen."""
    from posenc_gui.render.export_options import Choices

    return Choices(**fields)


def save(figure: Figure, path: Path, choices: Choices | None = None) -> Path:
    """Write a figure to `path` in the way its suffix asks; see `Figure.save`."""
    if path.suffix.lower() == DECK:
        return save_deck([(figure, "")], path, choices)
    return _save(path, lambda suffix: content(figure, suffix, choices))


def save_deck(
    slides: Sequence[tuple[Figure, str]], path: Path, choices: Choices | None = None, document: str = ""
) -> Path:
    """Write figures, each with what is said about it, as slides to a PowerPoint file; see `Figure.save`.

    document: the JSON of the session and its bookmarks that the file carries; empty: the last figure's session.
    """

    def made(_suffix: str) -> bytes:
        from posenc_gui.render import pptx as writer
        from posenc_gui.render.export_options import DEFAULT

        chosen = choices or DEFAULT
        onto = files.content(path, _LARGEST_DECK, "deck") if chosen.append and path.exists() else b""
        worded = [writer.Slide(_worded(figure, chosen), note) for figure, note in slides]
        return writer.deck(worded, chosen, document, onto)

    return _save(path, made)


def new_files(figures: Sequence[Figure], folder: Path, suffix: str) -> list[Path]:
    """Where several figures go in a folder: numbered in their order, with plot and encoding, where there are several.

    Raises ValueError where one of these files is there already.
    """
    several = len({figure.subject for figure in figures}) > 1
    said = (f"{figure.name} {figure.subject if several else ''}".lower().replace(",", "") for figure in figures)
    words = (re.sub(r"[^\w.]+", "-", one)[:_LONGEST_NAME].strip("-.") for one in said)
    paths = [folder / f"{number:02}-{one}{suffix}" for number, one in enumerate(words, 1)]
    if there := [path for path in paths if path.exists()]:
        raise ValueError(f"{there[0]} is there already: choose another folder, or take away what is in this one.")
    return paths


def save_film(
    figures: Sequence[Figure],
    path: Path,
    choices: Choices | None = None,
    shown: Callable[[int], None] = lambda _count: None,
) -> Path:
    """Write figures as the frames of a GIF or an MP4; see `Figure.save`. `shown` is told how many are drawn."""

    def made(suffix: str) -> bytes:
        from posenc_gui.render import animation
        from posenc_gui.render.export_options import DEFAULT

        chosen = choices or DEFAULT
        return animation.film([_worded(figure, chosen) for figure in figures], suffix, chosen, shown)

    return _save(path, made)


def _save(path: Path, made: Callable[[str], bytes]) -> Path:
    suffix = path.suffix.lower()
    if suffix not in _writers():
        raise ValueError(f"can't save {path.name!r}: allowed are {', '.join(suffixes())}")
    try:
        data = made(suffix)
    except ImportError as error:
        raise ValueError(f"can't save {path.name!r}: {suffix} needs what is not installed ({error}).") from error
    files.write(path, data)
    files.sweep(path.resolve().parent)
    return path


def content(figure: Figure, suffix: str, choices: Choices | None = None) -> bytes:
    """What a file with a figure holds, of the kind that one of `suffixes()` says, as was chosen or by default.

    All of it is made before anything is written: no library that draws has to tell of a full disk.
    """
    from posenc_gui.render.export_options import DEFAULT

    choices = choices or DEFAULT
    made: bytes = importlib.import_module(_writers()[suffix].module).content(_worded(figure, choices), suffix, choices)
    return made


def _worded(figure: Figure, choices: Choices) -> Figure:
    """The figure with the title and the caption that were chosen; a title of one's own names the encoding if it is to."""
    if choices.title:
        figure = replace(figure, title=choices.title, subject="")
    if choices.caption:
        figure = replace(figure, caption=" · ".join(filter(None, (figure.settings, figure.caption))))
    return figure


@cache
def _writers() -> dict[str, _Writer]:
    found: dict[str, _Writer] = {}
    for name in modules(__name__):
        module = f"{__name__}.{name}"
        said = _constants(module)
        writer = _Writer(module, said.get("CARRIES_SESSION", False))
        found |= dict.fromkeys(said.get("SUFFIXES", ()), writer)
    return found


def _constants(module: str) -> dict[str, Any]:
    """What a file says of itself as a writer, read without running it."""
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
