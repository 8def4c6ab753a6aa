"""Figures as PowerPoint slides, made with python-pptx.

A slide is laid out like a sheet of paper of its size, so a picture of one shows the other. Its words can be edited, and so
can plain curves and bars, as native charts, and tables. Everything else is drawn by the paper renderer as SVG, with a PNG
for programs that show no SVG.
"""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from typing import Any

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.util import Pt

from posenc_gui.figure.figure import Figure
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions, Sheet
from posenc_gui.render.paper.fonts import without_font_warnings
from posenc_gui.render.pptx.package import embed_session, open_deck, set_theme_font, undated_deck
from posenc_gui.render.pptx.slide import Slide, add_slides, add_title_slide

SUFFIXES = (".pptx",)
CARRIES_SESSION = True

_SHEET = Sheet(960, 540, 12, 18, 28, 36)
# The twin of the font of drawings, DejaVu Sans, that Office has everywhere; where it is missing, DejaVu Sans stands for it.
_FONT = "Verdana"
_EARLIEST = 1980  # year of a ZIP archive's members


def content(figure: Figure, _suffix: str, choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """A deck of one slide."""
    return write_deck([Slide(figure)], choices)


def write_deck(
    slides: Sequence[Slide], choices: ExportOptions = DEFAULT_OPTIONS, document: str = "", onto: bytes = b""
) -> bytes:
    """The bytes of a new deck with these slides, or of the deck `onto` with them appended.

    document: the JSON that the deck carries; empty: the last figure's session. Raises ValueError if `onto` is not a deck, or
    if the clock is so wrong that python-pptx can't date its parts.
    """
    if (year := time.localtime().tm_year) < _EARLIEST:
        raise ValueError(f"a deck can't be made in {year}, as this computer's clock has it: set the clock.")
    presentation = open_deck(onto) if onto else _begin(choices)
    with without_font_warnings():
        if choices.title_slide:
            add_title_slide(presentation, [slide.figure for slide in slides], choices, own=not onto)
            choices = choices.model_copy(update={"title": ""})
        for slide in slides:
            add_slides(presentation, slide, choices, own=not onto)
    carried = document or next((slide.figure.session for slide in reversed(slides) if slide.figure.session), "")
    if carried:
        embed_session(presentation, carried)
    file = io.BytesIO()
    presentation.save(file)
    return undated_deck(file.getvalue())


def describe_editable(deck: bytes) -> str:
    """Say which parts of a figure's deck can be edited in PowerPoint, and how many slides it has if there are several."""
    slides = Presentation(io.BytesIO(deck)).slides
    shapes = [shape for slide in slides for shape in slide.shapes]
    charts, tables = any(one.has_chart for one in shapes), any(one.has_table for one in shapes)
    several = f" There are {len(slides)} slides; this is the first with the plot." if len(slides) > 1 else ""
    if not charts and not tables:
        return f"This plot becomes a picture; only its text can be edited in PowerPoint.{several}"
    own = "Charts and tables" if charts and tables else "Charts" if charts else "Tables"
    drawn = any(one.shape_type == MSO_SHAPE_TYPE.PICTURE for one in shapes)
    return f"{own} can be edited in PowerPoint{'; the rest becomes a picture' if drawn else ''}.{several}"


def _begin(choices: ExportOptions) -> Any:
    """An empty deck of the chosen sheet's size, or 16:9: python-pptx's own is 4:3, so its layouts are stretched too."""
    presentation = Presentation()
    before = presentation.slide_width
    sheet = choices.sheet if choices.sheet.height else _SHEET
    presentation.slide_width, presentation.slide_height = Pt(sheet.width), Pt(sheet.height or _SHEET.width)
    master = presentation.slide_master
    set_theme_font(master, _FONT)
    for shape in (shape for part in (master, *master.slide_layouts) for shape in part.placeholders):
        if shape.element.spPr.xfrm is not None:
            shape.left, shape.width = (
                round(one * presentation.slide_width / before) for one in (shape.left, shape.width)
            )
    return presentation
