"""One slide: title, headline, panels, caption and speaker notes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.enum.text import PP_ALIGN
from pptx.util import Pt

from posenc_gui.figure.caption_parts import CaptionPart, join_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.layout import describe_left_out
from posenc_gui.render.pptx.panels import draw_panels, without_long_tables, without_slopes
from posenc_gui.render.pptx.shapes import (
    GAP,
    HEADLINE,
    LINE,
    LONG_HEADLINE,
    MARGIN,
    TITLE,
    TYPE,
    Box,
    add_run,
    add_text,
    line_count,
    pptx_colour,
    strip_margins,
)


@dataclass(frozen=True)
class Slide:
    """A figure and its speaker notes."""

    figure: Figure
    note: str = ""


def add_slide(presentation: Any, slide: Slide, choices: ExportOptions, *, own: bool) -> None:
    """Append a slide. own: the deck is ours, so its background and title take our colours."""
    figure, roles = slide.figure, choices.roles
    page = presentation.slides.add_slide(_title_layout(presentation))
    width, height = presentation.slide_width.pt, presentation.slide_height.pt
    if own and not choices.transparent:
        page.background.fill.solid()
        page.background.fill.fore_color.rgb = pptx_colour(roles.card)
    room = width - 2 * MARGIN
    top = _add_title(page, figure, roles if own else None, width)
    top = _add_headline(page, figure, roles, Box(MARGIN, top, room, 0))
    figure = _without_what_has_no_room(figure, Box(MARGIN, top, room, height - top))
    bottom = _add_caption(page, figure, roles, Box(MARGIN, top, room, height - MARGIN / 2 - top))
    draw_panels(page, figure, choices, Box(MARGIN, top, room, bottom - top))
    page.notes_slide.notes_text_frame.text = _speaker_notes(slide.note, figure)


def _add_headline(page: Any, figure: Figure, roles: Roles, box: Box) -> float:
    """Write the headline at the top of a box, smaller where it takes more than two lines; return where it ends."""
    if not figure.headline:
        return box.top
    text = quote_runs(figure.headline)
    size = HEADLINE if line_count(text, box.width, HEADLINE) <= 2 else LONG_HEADLINE
    height = line_count(text, box.width, size) * size * LINE
    frame = add_text(page, replace(box, height=height), "", size, roles.ink)
    for run in figure.headline:
        colour = {"focus": roles.focus, "twin": roles.twin}.get(run.kind, roles.ink)
        add_run(frame.paragraphs[0], run.text, size, colour, bold=run.kind != "plain")
    return box.top + height + GAP


def _without_what_has_no_room(figure: Figure, box: Box) -> Figure:
    """The figure without panels for which a box has no room; its caption names them."""
    every = figure.panels
    figure = without_long_tables(figure, box.width, box.height - MARGIN)
    figure = without_slopes(figure, replace(box, height=box.height - 2 * MARGIN - 2 * TYPE * LINE))
    left_out = describe_left_out(every, figure.panels)
    return figure.captioned(CaptionPart(left_out, "omitted"))


def _add_caption(page: Any, figure: Figure, roles: Roles, box: Box) -> float:
    """Write the caption at a box's bottom, only the required parts of a long one; return the y at which the free space ends."""
    bottom = box.top + box.height
    long = line_count(figure.caption, box.width, TYPE) > 2
    needed = (part for part in figure.caption_parts if part.kind in ("omitted", "seeded"))
    text = join_caption(needed) if long else figure.caption
    if not text:
        return bottom
    height = line_count(text, box.width, TYPE) * TYPE * LINE
    add_text(page, Box(box.left, bottom - height, box.width, height), text, TYPE, roles.muted)
    return bottom - height - GAP


def _speaker_notes(note: str, figure: Figure) -> str:
    headline = quote_runs(figure.headline)
    headline = "" if headline in figure.description else headline
    noted = filter(None, (note, figure.settings, figure.caption, headline, figure.description))
    return "\n\n".join(_visible_lines(part) for part in noted)


def _visible_lines(text: str) -> str:
    """The text line by line, with visible signs for control characters, which no file may hold."""
    return "\n".join(visible(line) for line in text.splitlines())


def _title_layout(presentation: Any) -> Any:
    """The layout that has a title and the fewest other placeholders."""
    titles = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
    furniture = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)

    def rank(layout: Any) -> tuple[bool, int]:
        kinds = [one.placeholder_format.type for one in layout.placeholders]
        return not any(kind in titles for kind in kinds), sum(kind not in (*titles, *furniture) for kind in kinds)

    return min(presentation.slide_layouts, key=rank)


def _add_title(page: Any, figure: Figure, roles: Roles | None, width: float) -> float:
    """Write the title, in the deck's own style where `roles` is None; return where the room below it begins."""
    text = " · ".join(filter(None, (figure.title, figure.subject)))
    shape = page.shapes.title
    if shape is None:
        return MARGIN
    if roles is None:
        shape.text_frame.text = visible(text)
        return float((shape.top + shape.height) / Pt(1)) + GAP if shape.height else MARGIN + 80
    lines = line_count(text, width - 2 * MARGIN, TITLE)
    box = Box(MARGIN, MARGIN / 2, width - 2 * MARGIN, lines * TITLE * LINE)
    shape.left, shape.top, shape.width, shape.height = box.place
    frame = shape.text_frame
    strip_margins(frame)
    add_run(frame.paragraphs[0], figure.title, TITLE, roles.ink, bold=True)
    if figure.subject:
        add_run(frame.paragraphs[0], f" · {figure.subject}", TITLE, roles.ink)
    frame.paragraphs[0].alignment = PP_ALIGN.LEFT
    return box.top + box.height + GAP / 2
