"""Figures on paper: a slide, a column or a hand-out as SVG, PDF or PNG, drawn with matplotlib.

Everything is laid out in units, from the sheet's lower left corner, and every text is measured before it is
placed, so that nothing overlaps or is cut. The figure's words are data: they are never read as formulas or markup.

`page` is the sheet and `fonts` measures text, and only they know matplotlib; `layout` divides the room; the panels are
drawn by one file each.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session as provenance
from posenc_gui.render.export_options import DEFAULT, Choices, Sheet
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.layout import (
    draw_figure,
    height_of,
    rows_on,
    told_left_out,
    without_crowding_rows,
    without_long_tables,
)
from posenc_gui.render.paper.page import blank

SUFFIXES = (".svg", ".pdf", ".png")
CARRIES_SESSION = True


def content(figure: Figure, suffix: str, choices: Choices = DEFAULT, sheet: Sheet | None = None) -> bytes:
    """The figure drawn, as a file of the suffix's kind, on the chosen sheet or another one.

    The same figure gives the same bytes.
    """
    sheet = sheet or choices.sheet
    rows = rows_on(sheet, figure)
    with blank(choices, sheet, partial(height_of, rows)) as page:
        shown = without_crowding_rows(without_long_tables(rows, page), page) if sheet.height else rows
        told = told_left_out(figure.panels, [panel for row in shown for panel in row])
        figure = replace(figure, caption=" · ".join(filter(None, (told, figure.caption))))
        draw_figure(page, figure, shown)
        page.own_up()
        session = provenance.mark(figure.session) if figure.session else ""
        return page.content(suffix, visible(figure.title), visible(figure.description), session)
