"""Figures as numbers in arrays: NPZ for numpy."""

from __future__ import annotations

import io

import numpy as np

from posenc_gui import __version__
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions
from posenc_gui.render.numbers import Arrays, numbers

SUFFIXES = (".npz",)
CARRIES_SESSION = True


def content(figure: Figure, _suffix: str, _choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """The figure's numbers as a file."""
    file = io.BytesIO()
    np.savez(file, **arrays(figure))  # type: ignore[arg-type]
    return file.getvalue()


def arrays(figure: Figure) -> Arrays:
    """The figure's numbers and words by name: `title`, `caption`, `settings`, `panel0_values`, `panel0_rows`, …, `session`."""
    words = {
        "title": figure.title,
        "caption": figure.caption,
        "settings": figure.settings,
        "written_by": f"posenc-gui {__version__}",
    }
    named: Arrays = {name: np.array(word) for name, word in words.items()}
    for index, panel in enumerate(figure.titled_panels):
        named |= {f"panel{index}_{name}": array for name, array in numbers(panel).arrays.items()}
    if figure.session:
        # As bytes: numpy stores text as four bytes a character, in which the session's mark would not be found.
        named["session"] = np.array(embedded_session.session_marker(figure.session).encode("ascii"))
    return named
