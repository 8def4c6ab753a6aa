"""Renderers: one file an output. Each turns any `Figure` into something and knows no plot.

A file renderer is a module here with `SUFFIXES` and `write(figure, path)`; it is found by being here.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

from posenc_gui.discovery import modules
from posenc_gui.figure import Figure
from posenc_gui.files import replacing

# The screen needs a running Qt application and writes no files.
_NOT_FILES = {"screen"}


@cache
def _writers() -> dict[str, ModuleType]:
    names = [name for name in modules(__name__) if name not in _NOT_FILES]
    writers = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {suffix: writer for writer in writers for suffix in writer.SUFFIXES}


def suffixes() -> list[str]:
    """Every suffix a figure can be saved with, with its dot."""
    return sorted(_writers())


def save(figure: Figure, path: Path) -> Path:
    """Write a figure to `path` in the way its suffix asks for; see `Figure.save`."""
    writer = _writers().get(path.suffix.lower())
    if writer is None:
        raise ValueError(f"can't save {path.name!r}: allowed are {', '.join(suffixes())}")
    with replacing(path) as unfinished:
        writer.write(figure, unfinished)
    return path
