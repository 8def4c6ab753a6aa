"""Figures on paper: a slide of 13.33 × 7.5 inches as SVG, PDF or PNG, drawn with matplotlib.

Everything is laid out in points on the slide, from its lower left corner, and every text is measured before it is
placed, so that nothing overlaps or is cut. The figure's words are data: they are never read as formulas or markup.

`page` is the slide, `words` measures text, `layout` divides the room; the panels are drawn by one file each.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.style
from matplotlib import font_manager
from matplotlib.figure import Figure as Paper
from matplotlib.font_manager import FontProperties

from posenc_gui import provenance
from posenc_gui.figure import Figure
from posenc_gui.render.paper.layout import draw_figure, rows_of
from posenc_gui.render.paper.page import HEIGHT, MORE_HEIGHT, Page
from posenc_gui.render.paper.words import visible

SUFFIXES = (".svg", ".pdf", ".png")
# Beside DejaVu, in this order, whichever are installed. Fonts of coloured pictures are not drawable here.
_MORE_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC", "Microsoft YaHei", "PingFang SC", "Hiragino Sans"),
    *("Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Noto Sans Arabic", "Geeza Pro", "Segoe UI", "Noto Sans Hebrew", "Noto Sans Devanagari", "Nirmala UI"),
    *("Noto Sans Thai", "Noto Sans Symbols", "Noto Sans Symbols2", "Noto Emoji", "Segoe UI Symbol", "Segoe UI Emoji"),
    *("Symbola", "Apple Symbols", "Arial Unicode MS"),
)


def write(figure: Figure, path: Path) -> None:
    """Draw the figure into the file at `path`, as its suffix asks. The same figure gives the same bytes."""
    suffix = path.suffix.lower()
    with matplotlib.style.context(["default", _settings()]), _fonts_unmentioned():
        rows = rows_of(figure.panels)
        # A slide holds two rows of panels that can be read; more of them make it taller.
        page = Page(HEIGHT + MORE_HEIGHT * max(0, len(rows) - 2))
        draw_figure(page, figure, rows)
        matplotlib.rcParams["pdf.fonttype"] = _pdf_font_type(page.paper)
        page.paper.savefig(path, format=suffix.removeprefix("."), metadata=_metadata(figure, suffix))


@contextmanager
def _fonts_unmentioned() -> Iterator[None]:
    """Without matplotlib's remarks about fonts: a character that none has is drawn as a box, which says enough."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            yield
    finally:
        log.setLevel(level)


@cache
def _settings() -> dict[str, Any]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return {
        "font.family": ["DejaVu Sans", *(font for font in _MORE_FONTS if font in installed)],
        "svg.fonttype": "path",
        "svg.hashsalt": "posenc-gui",
    }


def _pdf_font_type(paper: Paper) -> int:
    """42, whose text stays editable, where DejaVu has all characters; else 3, since 42 loses the shapes of CJK fonts."""
    font = font_manager.get_font(font_manager.findfont(FontProperties(family="DejaVu Sans", weight="bold")))
    characters = font.get_charmap()
    return 42 if all(ord(character) in characters for text in paper.texts for character in text.get_text()) else 3


def _metadata(figure: Figure, suffix: str) -> dict[str, Any]:
    title, description = visible(figure.title), visible(figure.description)
    session = provenance.mark(figure.session) if figure.session else ""
    match suffix:
        case ".svg":
            return {"Title": title, "Description": description, "Keywords": [session], "Date": None}
        case ".pdf":
            return {"Title": title, "Subject": description, "Keywords": session, "CreationDate": None}
        case _:
            return {"Title": title, "Description": description, "Comment": session}
