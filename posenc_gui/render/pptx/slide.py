"""One slide: a sentence, the figure, a caption and speaker notes, laid out as on a sheet of paper of the slide's size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.enum.text import PP_ALIGN
from pptx.util import Pt

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Table
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.export_options import ExportOptions, Sheet
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper import heading, layout
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.heading import Line
from posenc_gui.render.paper.page import Box as Place
from posenc_gui.render.pptx.panels import draw_panels
from posenc_gui.render.pptx.shapes import GAP, MARGIN, Box, add_run, add_text, pptx_colour, strip_margins


@dataclass(frozen=True)
class Slide:
    """A figure and its speaker notes."""

    figure: Figure
    note: str = ""


def add_slides(presentation: Any, slide: Slide, choices: ExportOptions, *, own: bool) -> None:
    """Append a figure: one slide, and another for its tables where they leave too little room to its pictures.

    own: the deck is ours, so its background and title take our colours.
    """
    width, height = presentation.slide_width.pt, presentation.slide_height.pt
    # The type of a slide of 540 points.
    form = Format.of(Sheet(width, height, 12, 18, 28, MARGIN))
    left = _add_slide(presentation, slide, choices, form, own=own)
    if left:
        rest = replace(slide.figure, panels=tuple(left))
        _add_slide(presentation, Slide(rest), choices, form, own=own)


def _add_slide(presentation: Any, slide: Slide, choices: ExportOptions, form: Format, *, own: bool) -> Sequence[Table]:
    """Append a slide; return the tables that it has no room for."""
    figure, roles = slide.figure, choices.roles
    page = presentation.slides.add_slide(_title_layout(presentation))
    if own and not choices.transparent:
        page.background.fill.solid()
        page.background.fill.fore_color.rgb = pptx_colour(roles.card)
    if own:
        top = _add_heading(page, heading.slide_heading(figure, form, choices.title), form, roles)
        caption = heading.slide_caption(figure, form, choices.title)
    else:
        top = _add_headings_of_theirs(page, figure, form, roles)
        caption = heading.slide_caption(replace(figure, headline=()), form)
    height, zoom = presentation.slide_height.pt, form.zoom
    bottom = layout.foot_of_slide(form, caption) * zoom
    _add_lines(page, caption, Box(MARGIN, height - layout.BELOW_CAPTION - _high(caption, form), form.inner * zoom, 0),
               form, roles)  # fmt: skip
    body = Place(form.margin, bottom / zoom, form.inner, max(1.0, (height - bottom - top) / zoom))
    plan = layout.plan_body(figure, form, body)
    draw_panels(page, figure, plan, body, form, choices)
    page.notes_slide.notes_text_frame.text = _speaker_notes(slide.note, figure)
    return plan.left_out


def _add_heading(page: Any, lines: Sequence[Line], form: Format, roles: Roles) -> float:
    """Write a slide's sentence as its title; return where the room below it begins."""
    shape, height = page.shapes.title, _high(lines, form)
    shape.left, shape.top, shape.width, shape.height = Box(MARGIN, MARGIN, form.inner * form.zoom, height).place
    strip_margins(shape.text_frame)
    _write(shape.text_frame, lines, form, roles)
    return MARGIN + height + layout.BELOW_HEADLINE


def _add_headings_of_theirs(page: Any, figure: Figure, form: Format, roles: Roles) -> float:
    """Write the title in the deck's own style, and the headline below it; return where the room below them begins."""
    shape, top = page.shapes.title, MARGIN
    if shape is not None:
        shape.text_frame.text = visible(heading.name_of(figure))
        top = float((shape.top + shape.height) / Pt(1)) if shape.height else MARGIN + 80
    lines = heading.headline_lines(figure.headline, form)
    _add_lines(page, lines, Box(MARGIN, top, form.inner * form.zoom, 0), form, roles)
    return top + _high(lines, form) + GAP


def _add_lines(page: Any, lines: Sequence[Line], box: Box, form: Format, roles: Roles) -> None:
    if lines:
        frame = add_text(page, replace(box, height=_high(lines, form)), "", 0, roles.ink)
        _write(frame, lines, form, roles)


def _high(lines: Sequence[Line], form: Format) -> float:
    return heading.height_of(lines) * form.zoom


def _write(frame: Any, lines: Sequence[Line], form: Format, roles: Roles) -> None:
    """Write lines as the window does: tokens bold and in their colour, numbers bold."""
    paragraph, colours = frame.paragraphs[0], {"focus": roles.focus, "twin": roles.twin}
    paragraph.alignment = PP_ALIGN.LEFT
    for number, line in enumerate(lines):
        if number:
            paragraph.add_line_break()
        for run in line.runs:
            colour = colours.get(run.kind, roles.muted if line.muted else roles.ink)
            add_run(paragraph, run.text, line.size * form.zoom, colour, bold=run.kind != "plain")


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
