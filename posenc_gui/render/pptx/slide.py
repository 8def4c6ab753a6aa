"""One slide: a sentence, the figure, a caption and speaker notes, laid out as on a sheet of paper of the slide's size; and
the first slide of a deck, which says what the others show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.enum.text import PP_ALIGN
from pptx.util import Pt

from posenc_gui import __version__
from posenc_gui.figure.compare import sides_apart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.theme import Roles
from posenc_gui.render import paper
from posenc_gui.render.export_options import ExportOptions, Sheet
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible, wrapped
from posenc_gui.render.paper import heading, layout
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import Format
from posenc_gui.render.paper.heading import Line
from posenc_gui.render.paper.layout import Plan
from posenc_gui.render.pptx.charts import add_chart
from posenc_gui.render.pptx.shapes import (
    GAP,
    MARGIN,
    SMALL,
    TYPE,
    add_picture,
    add_run,
    add_signed_run,
    add_table,
    add_text,
    in_points,
    pptx_colour,
    set_alt_text,
    strip_margins,
)

_TITLE = 0  # the index of a title among placeholders
# Of the slide that begins a deck.
_DECK_TITLE = 40.0  # points
_LINE = 1.25
_UNNAMED = "Positional encodings"
_HIGH = 0.4  # where the title ends, as a share of the height
_MOST_LINES = 3
_OVERHANG = 5.5  # units: of a label at the end of an axis or of a colour bar


@dataclass(frozen=True)
class Slide:
    """A figure and its speaker notes."""

    figure: Figure
    note: str = ""


@dataclass(frozen=True)
class _SlideWords:
    """What is written on a slide. `title`: in another deck's style, or None where `heading` is the title; `top` is where the
    heading begins, and `room` where the figure's room does, in points from the slide's top."""

    title: str | None
    heading: Sequence[Line]
    caption: Sequence[Line]
    top: float
    room: float

    def body(self, form: Format, height: float) -> Rect:
        """The room for the figure on a slide so many points high."""
        bottom = layout.foot_of_slide(form, self.caption)
        return Rect.up_from(form.margin, bottom, form.inner, max(1.0, (height - self.room) / form.zoom - bottom))


def add_slides(presentation: Any, slide: Slide, choices: ExportOptions, *, own: bool) -> None:
    """Append a figure: one slide, and more for tables that leave too little room to its pictures or have none on one. own:
    the deck is ours, so its background and title take our colours."""
    width, height = presentation.slide_width.pt, presentation.slide_height.pt
    # The type of a slide of 540 points.
    form = Format.of(Sheet(width, height, 12, 18, 28, MARGIN))
    layout_of_title = _title_layout(presentation)

    def words(worded: Figure) -> _SlideWords:
        return _words_of_ours(worded, form, choices) if own else _words_in_theirs(worded, form, layout_of_title)

    for figure in (heading.named_once(one, choices.title) for one in sides_apart(slide.figure.pictured)):
        worded, plans = layout.plan_words_and_slides(
            figure, form, choices.title, lambda one: words(one).body(form, height)
        )
        written = words(worded)
        body = written.body(form, height)
        for plan in plans:
            page = _begin_slide(presentation, written, choices, form, own=own)
            draw_panels(page, figure, plan, body, form, choices)
            page.notes_slide.notes_text_frame.text = _speaker_notes(slide.note, figure)


def add_title_slide(presentation: Any, figures: Sequence[Figure], choices: ExportOptions, *, own: bool) -> None:
    """Append a slide that says what the others show: the title, below it what all figures share of their encodings and their
    settings, and the version at the foot."""
    page, roles = presentation.slides.add_slide(_title_layout(presentation)), choices.roles
    _fill_background(page, choices, own=own)
    width, height = presentation.slide_width.pt - 2 * MARGIN, presentation.slide_height.pt
    subject, settings = (
        _text_of_all(texts) for texts in zip(*((one.subject, one.printed_settings) for one in figures), strict=True)
    )
    # The settings repeat the encoding between the sentence and the model.
    settings = " · ".join(part for part in settings.split(" · ") if part != subject)
    titles = {figure.title for figure in figures}
    name = choices.title or (titles.pop() if len(titles) == 1 else _UNNAMED)
    lines = wrapped(visible(name), width, _MOST_LINES, measured(_DECK_TITLE, bold=True))
    box = Rect.down_from(MARGIN, 0, width, max(_LINE * _DECK_TITLE * len(lines), _HIGH * height))
    shape = page.shapes.title
    shape.left, shape.top, shape.width, shape.height = in_points(
        replace(box, top=box.bottom - _LINE * _DECK_TITLE * len(lines))
    )
    strip_margins(shape.text_frame)
    paragraph = shape.text_frame.paragraphs[0]
    paragraph.alignment = PP_ALIGN.LEFT
    add_run(paragraph, name, _DECK_TITLE, roles.ink, bold=True)
    top = box.bottom + TYPE
    for text, signed in ((subject, True), (settings, False)):
        lines = wrapped(text, width, _MOST_LINES, measured(TYPE))
        if not lines:
            continue
        frame = add_text(page, Rect.down_from(MARGIN, top, width, _LINE * TYPE * len(lines)), "", TYPE, roles.ink)
        if signed:
            add_signed_run(frame.paragraphs[0], text, TYPE, roles)
        else:
            add_run(frame.paragraphs[0], text, TYPE, roles.muted)
        top += _LINE * TYPE * len(lines) + SMALL
    foot = Rect.down_from(MARGIN, height - MARGIN - _LINE * SMALL, width, _LINE * SMALL)
    add_text(page, foot, f"posenc-gui {__version__}", SMALL, roles.muted)


def _fill_background(page: Any, choices: ExportOptions, *, own: bool) -> None:
    if own and not choices.transparent:
        page.background.fill.solid()
        page.background.fill.fore_color.rgb = pptx_colour(choices.roles.card)


def _words_of_ours(figure: Figure, form: Format, choices: ExportOptions) -> _SlideWords:
    lines = heading.slide_heading(figure, form, choices.title)
    room = MARGIN + _high(lines, form) + layout.BELOW_HEADLINE
    return _SlideWords(None, lines, heading.slide_caption(figure, form, choices.title), MARGIN, room)


def _words_in_theirs(figure: Figure, form: Format, layout_of_title: Any) -> _SlideWords:
    """The words in another deck: the title stands where its own layout has it, and the headline below it."""
    place = next((one for one in layout_of_title.placeholders if one.placeholder_format.idx == _TITLE), None)
    top = MARGIN if place is None else float((place.top + place.height) / Pt(1)) if place.height else MARGIN + 80
    lines = heading.headline_lines(figure.headline, form)
    caption = heading.slide_caption(replace(figure, headline=()), form)
    return _SlideWords(visible(heading.name_of(figure)), lines, caption, top, top + _high(lines, form) + GAP)


def _begin_slide(presentation: Any, words: _SlideWords, choices: ExportOptions, form: Format, *, own: bool) -> Any:
    """Append a slide with its words."""
    page = presentation.slides.add_slide(_title_layout(presentation))
    _fill_background(page, choices, own=own)
    title, room = page.shapes.title, Rect.down_from(MARGIN, words.top, form.inner * form.zoom, 0)
    if words.title is None:
        title.left, title.top, title.width, title.height = in_points(
            replace(room, bottom=room.top + _high(words.heading, form))
        )
        strip_margins(title.text_frame)
        _write(title.text_frame, words.heading, form, choices.roles)
    else:
        if title is not None:
            title.text_frame.text = words.title
        _add_lines(page, words.heading, room, form, choices.roles)
    above = presentation.slide_height.pt - layout.BELOW_CAPTION - _high(words.caption, form)
    _add_lines(page, words.caption, Rect.down_from(MARGIN, above, room.width, 0), form, choices.roles)
    return page


def _add_lines(page: Any, lines: Sequence[Line], box: Rect, form: Format, roles: Roles) -> None:
    if lines:
        frame = add_text(page, replace(box, bottom=box.top + _high(lines, form)), "", 0, roles.ink)
        _write(frame, lines, form, roles)


def _high(lines: Sequence[Line], form: Format) -> float:
    return heading.height_of(lines) * form.zoom


def _write(frame: Any, lines: Sequence[Line], form: Format, roles: Roles) -> None:
    """Write lines as the window does: tokens bold and in their colour, numbers bold, signs of what is compared as badges."""
    paragraph, colours = frame.paragraphs[0], {"focus": roles.focus, "twin": roles.twin}
    paragraph.alignment = PP_ALIGN.LEFT
    for number, line in enumerate(lines):
        if number:
            paragraph.add_line_break()
        for run in line.runs:
            bold, size = run.kind != "plain", line.size * form.zoom
            if not (bold or line.muted):
                add_signed_run(paragraph, run.text, size, roles)
            else:
                colour = colours.get(run.kind, roles.ink if bold else roles.muted)
                add_run(paragraph, run.text, size, colour, bold=bold)


def _speaker_notes(note: str, figure: Figure) -> str:
    headline = quote_runs(figure.headline)
    headline = "" if headline in figure.description else headline
    noted = filter(None, (note, figure.settings, figure.caption, headline, figure.description))
    return "\n\n".join("\n".join(map(visible, part.splitlines())) for part in noted)


def _title_layout(presentation: Any) -> Any:
    """The layout that has a title and the fewest other placeholders."""
    titles = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
    furniture = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)

    def rank(layout: Any) -> tuple[bool, int]:
        kinds = [one.placeholder_format.type for one in layout.placeholders]
        return not any(kind in titles for kind in kinds), sum(kind not in (*titles, *furniture) for kind in kinds)

    return min(presentation.slide_layouts, key=rank)


def _text_of_all(texts: Sequence[str]) -> str:
    """The text that all figures have; empty where they differ, leaving out those of all encodings, which have none."""
    found = {text for text in texts if text}
    return found.pop() if len(found) == 1 else ""


def draw_panels(page: Any, figure: Figure, plan: Plan, body: Rect, form: Format, choices: ExportOptions) -> None:
    """Draw a figure as planned for the body of a slide: native charts and tables where they show all that a drawing shows."""
    if plan.pictures:
        composed, _ = plan.pictures
        whole = Rect.up_from(body.left, body.top - plan.free, body.width, plan.free)
        panel, box = composed.panels[0].panel, _on_slide(whole, page, form)
        may_be_chart = choices.charts == "editable" and len(composed.panels) == 1
        if may_be_chart and (shape := add_chart(panel, page, box, choices.roles)):
            set_alt_text(shape, panel.title or figure.title, figure.description)
        else:
            _add_picture(page, figure, replace(plan, tables=()), whole, form, choices)
    for grid, place in plan.tables:
        if choices.charts == "drawn":
            _add_picture(page, figure, replace(plan, pictures=None, tables=((grid, place),)), place, form, choices)
            continue
        shape = add_table(grid, page, _on_slide(place, page, form), choices.roles, form.zoom)
        set_alt_text(shape, grid.panel.title or figure.title, figure.description)


def _on_slide(place: Rect, page: Any, form: Format) -> Rect:
    """A place in units from the lower left corner, as a box in points from the upper left one."""
    height = page.part.package.presentation_part.presentation.slide_height.pt
    left, top, width, high = (one * form.zoom for one in (place.left, place.top, place.width, place.height))
    return Rect.down_from(left, height - top, width, high)


def _add_picture(page: Any, figure: Figure, plan: Plan, place: Rect, form: Format, choices: ExportOptions) -> None:
    """Add what is planned for a place on the slide as one picture: PNG, and SVG for programs that show it. It is as broad as
    the slide and higher than the place by a label's height, so that nothing at the figure's sides is cut."""
    place = replace(place, top=place.top + _OVERHANG, bottom=place.bottom - _OVERHANG)
    look = choices.model_copy(update={"transparent": True, "size": "2x"})
    png, svg = (paper.part(plan, place, form, suffix, look) for suffix in (".png", ".svg"))
    slide = page.part.package.presentation_part.presentation
    top = slide.slide_height.pt - place.top * form.zoom
    box = Rect.down_from(0, top, slide.slide_width.pt, place.height * form.zoom)
    shape = add_picture(page, png, svg, box)
    names = " · ".join(filter(None, (panel.title for panel in figure.titled_panels)))
    set_alt_text(shape, names or figure.title, figure.description)
