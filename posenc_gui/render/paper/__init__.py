"""Figures on paper: a slide, a journal column or a handout as SVG, PDF or PNG, drawn with matplotlib.

Everything is laid out in units, from the sheet's lower left corner, and every text is measured before it is
placed, so that nothing overlaps or is cut. The figure's text is data: it is never read as formulas or markup.

`page` is the sheet and `fonts` measures text; only they use matplotlib. `layout` divides the space among panels; each
kind of panel is drawn by a file of its own.
"""

from __future__ import annotations

from functools import partial

from posenc_gui.figure.caption_parts import CaptionPart
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions, Sheet
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.layout import (
    describe_left_out,
    draw_figure,
    height_of,
    rows_on,
    without_crowding_rows,
    without_long_tables,
)
from posenc_gui.render.paper.page import blank_page

SUFFIXES = (".svg", ".pdf", ".png")
CARRIES_SESSION = True


def content(figure: Figure, suffix: str, choices: ExportOptions = DEFAULT_OPTIONS, sheet: Sheet | None = None) -> bytes:
    """The figure drawn on the chosen sheet, or on `sheet`, in the format of the suffix.

    Equal figures give equal bytes.
    """
    sheet = sheet or choices.sheet
    rows = rows_on(sheet, figure)
    with blank_page(choices, sheet, partial(height_of, rows)) as page:
        shown = without_crowding_rows(without_long_tables(rows, page), page) if sheet.height else rows
        left_out = describe_left_out(figure.panels, [panel for row in shown for panel in row])
        figure = figure.captioned(CaptionPart(left_out, "omitted"))
        draw_figure(page, figure, shown)
        page.note_missing_characters()
        session = embedded_session.session_marker(figure.session) if figure.session else ""
        return page.content(suffix, visible(figure.title), visible(figure.description), session)
