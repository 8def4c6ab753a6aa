"""Figures as PowerPoint slides, made with python-pptx.

A slide is laid out like a sheet of paper of its size, so a picture of one shows the other. Its words can be edited, and so
can plain curves and bars, as native charts, and tables. Everything else is drawn by the paper renderer as SVG, with a PNG
for programs that show no SVG.
"""

from __future__ import annotations

from posenc_gui.figure.figure import Figure
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions
from posenc_gui.render.pptx.deck import write_deck
from posenc_gui.render.pptx.slide import Slide

SUFFIXES = (".pptx",)
CARRIES_SESSION = True


def content(figure: Figure, _suffix: str, choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """A deck of one slide."""
    return write_deck([Slide(figure)], choices)
