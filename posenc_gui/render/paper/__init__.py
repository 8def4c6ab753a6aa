"""Figures on paper: a slide of 13.33 × 7.5 inches as SVG, PDF or PNG, drawn with matplotlib.

Everything is laid out in points on the slide, from its lower left corner, and every text is measured before it is
placed, so that nothing overlaps or is cut. The figure's words are data: they are never read as formulas or markup.

`page` is the slide and `fonts` measures text, and only they know matplotlib; `layout` divides the room; the panels are
drawn by one file each.
"""

from __future__ import annotations

from posenc_gui import provenance
from posenc_gui.figure import Figure
from posenc_gui.render.paper.layout import draw_figure, rows_of
from posenc_gui.render.paper.page import HEIGHT, MORE_HEIGHT, blank
from posenc_gui.render.words import visible

SUFFIXES = (".svg", ".pdf", ".png")
CARRIES_SESSION = True


def content(figure: Figure, suffix: str) -> bytes:
    """The figure drawn, as a file of the suffix's kind. The same figure gives the same bytes."""
    rows = rows_of(figure)
    # A slide holds two rows of panels that can be read; more of them make it taller.
    with blank(HEIGHT + MORE_HEIGHT * max(0, len(rows) - 2)) as page:
        draw_figure(page, figure, rows)
        session = provenance.mark(figure.session) if figure.session else ""
        return page.content(suffix, visible(figure.title), visible(figure.description), session)
