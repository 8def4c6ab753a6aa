"""Figures on paper: a slide, a journal column or a handout as SVG, PDF or PNG, drawn with matplotlib.

Everything is laid out in units, and every text is measured before it is placed, so that nothing overlaps or is cut. The
figure's text is data: it is never read as formulas or markup.

`layout` plans a sheet, whose panels stand where the composer puts them, `sheet` turns the plan into parts, and `page` draws
these; `fonts` measures text. Only the last two use matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.files import embedded_session
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.fonts import without_font_warnings
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.layout import Plan, plan_frames, plan_slides
from posenc_gui.render.paper.page import blank_page
from posenc_gui.render.paper.sheet import Sheet

SUFFIXES = (".svg", ".pdf", ".png")
CARRIES_SESSION = True


def content(figure: Figure, suffix: str, choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """The figure drawn on the chosen sheet, in the format of the suffix. Equal figures give equal bytes."""
    (drawn,) = frames([figure], suffix, choices)
    return drawn


def frames(figures: Sequence[Figure], suffix: str, choices: ExportOptions = DEFAULT_OPTIONS) -> Iterator[bytes]:
    """Figures drawn one by one in one layout on equal sheets, in which nothing moves but what changes."""
    form = Format.of(choices.sheet)
    figures = [figure.pictured for figure in figures]
    with without_font_warnings():
        plans = plan_frames(figures, form, choices.title)
    for figure, plan in zip(figures, plans, strict=True):
        with blank_page(choices, form, plan.height) as page:
            page.draw(Sheet(plan, form, choices.roles).parts())
            page.note_missing_characters()
            session = embedded_session.session_marker(figure.session) if figure.session else ""
            yield page.content(suffix, visible(figure.title), visible(figure.description), session)


def slides(figure: Figure, choices: ExportOptions = DEFAULT_OPTIONS) -> list[bytes]:
    """The slides that a figure takes in a deck, as PNGs."""
    form = Format.of(choices.sheet)
    with without_font_warnings():
        plans = plan_slides(figure.pictured, form, choices.title)
    found = []
    for plan in plans:
        with blank_page(choices, form, plan.height) as page:
            page.draw(Sheet(plan, form, choices.roles).parts())
            found.append(page.content(".png", "", "", ""))
    return found


def part(plan: Plan, place: Rect, form: Format, suffix: str, choices: ExportOptions) -> bytes:
    """What is planned for one place of a sheet, drawn on a sheet of its width and of the place's height."""
    with blank_page(choices, form, place.height) as page:
        page.draw(Sheet(plan, form, choices.roles).parts(), y=place.top - plan.height)
        return page.content(suffix, "", "", "")
