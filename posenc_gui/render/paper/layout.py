"""Layout of a sheet: its words, its figure as the composer arranges it, and tables below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from posenc_gui.figure.compare import sides_apart
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Flow, Heatmap, Lines, Links, Panel, Table
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.composer import compose
from posenc_gui.render.drawings.kinds import are_alike, widest_panels
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.composition import Composition
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.set_table import SetTable, fitted, height_of_table, in_parts
from posenc_gui.render.paper.format import LINE, SMALL, Format
from posenc_gui.render.paper.heading import (
    Line,
    height_of,
    is_compared,
    missing_names,
    named_once,
    paper_heading,
    slide_caption,
    slide_captions,
    slide_heading,
    slide_headings,
)

_GAP = 20.0  # between pictures and tables
BELOW_HEADLINE, _ABOVE_CAPTION, BELOW_CAPTION = 10.0, 15.0, 20.0  # points on a slide
_OF_TABLES = 0.45  # the maximum share of the height for tables below pictures
_ROW, _HIGHEST_ROW = 225.0, 0.8  # the height of a picture on paper, at least, and at most in widths of the sheet
_HEAD_OF_FLOW, _KEY_OF_FLOW = 8.0, 2.7  # lines
_ROUND_BARS, _OF_BAR = 7.0, 0.7  # lines above and below bars, and the least breadth of one
_COLUMN = 300.0  # the width of a picture on paper
_LANE = 62.0
_HIGHEST = 1.3  # the height of all pictures, in widths of the sheet
_BROAD = 0.85  # of the sheet: a narrower figure stands in its middle
_MOST_PAGES = 12  # of a table
_MOST_PANELS, _MOST_OF_TWO_KINDS = 9, 4  # on a slide: of many panels, and of maps beside curves
_P = TypeVar("_P", bound=Panel)


@dataclass(frozen=True)
class Plan:
    """A sheet before it is drawn: what is written above and below, what is shown where, and the height of it all.

    `free` is the height that the pictures have, `left_out` are tables that would leave them too little. `shown` has the
    panels that are drawn in the places of the planned ones: those of one frame in the places of a film's widest ones.
    """

    heading: Sequence[Line]
    caption: Sequence[Line]
    pictures: tuple[Composition, Rect] | None
    tables: Sequence[tuple[SetTable, Rect]]
    height: float
    free: float = 0.0
    left_out: Sequence[Table] = ()
    shown: Mapping[Panel, Panel] = field(default_factory=dict)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The panels on the sheet."""
        placed = self.pictures[0].panels if self.pictures else ()
        return (*(one.panel for one in placed), *(grid.panel for grid, _ in self.tables))

    def own(self, panel: _P) -> _P:
        """The panel that is drawn in the place of a planned one."""
        found = self.shown[panel]
        assert isinstance(found, type(panel))
        return found


def plan_frames(figures: Sequence[Figure], form: Format, title: str = "") -> list[Plan]:
    """Lay out figures on equal sheets: all in the places that their widest texts need, so that in a film nothing moves but
    what changes. Figures of other kinds of panels than the first get places of their own. The chosen `title`, if any, stands in
    place of a slide's headline."""
    kinds = {tuple(map(type, figure.panels)) for figure in figures}
    if len(kinds) == 1 and any(kinds):
        panels = zip(*map(_equally_high, zip(*(figure.panels for figure in figures), strict=True)), strict=True)
        figures = [replace(figure, panels=own) for figure, own in zip(figures, panels, strict=True)]
    return _slides(figures, form, title, form.height) if form.height else _papers(figures, form)


def _equally_high(panels: Sequence[Panel]) -> list[Panel]:
    """Panels whose tables have equally many rows, so that their columns are where those of the highest are: blank ones end
    the others."""
    most = max((len(panel.rows) for panel in panels if isinstance(panel, Table)), default=0)
    return [
        replace(panel, rows=(*panel.rows, *[("",) * len(panel.header)] * (most - len(panel.rows))), pressed=())
        if isinstance(panel, Table) and len(panel.rows) < most
        else panel
        for panel in panels
    ]


def _slides(figures: Sequence[Figure], form: Format, title: str, height: float) -> list[Plan]:
    headings = slide_headings(figures, form, title)
    captions = slide_captions(figures, form, title)
    body = _body(form, max(headings, key=height_of), max(captions, key=height_of), height)
    plans = zip(_fill_boxes(figures, form, body), headings, captions, strict=True)
    return [replace(plan, heading=heading, caption=caption, height=height) for plan, heading, caption in plans]


def _body(form: Format, heading: Sequence[Line], caption: Sequence[Line], height: float) -> Rect:
    """The room of a slide's figure."""
    top = height - form.margin - height_of(heading) - BELOW_HEADLINE / form.zoom
    bottom = foot_of_slide(form, caption)
    return Rect.up_from(form.margin, bottom, form.inner, max(1.0, top - bottom))


def plan_slides(figure: Figure, form: Format, title: str = "") -> list[Plan]:
    """Lay out a figure on as many slides as it needs; a sheet that is as high as its content is one of them."""
    if not (height := form.height):
        return plan_frames([figure], form)

    def words(worded: Figure) -> tuple[Sequence[Line], Sequence[Line]]:
        return slide_heading(worded, form, title), slide_caption(worded, form, title)

    found = list[Plan]()
    for side in (named_once(one, title) for one in sides_apart(figure)):
        worded, plans = plan_words_and_slides(side, form, title, lambda one: _body(form, *words(one), height))
        heading, caption = words(worded)
        found += [replace(plan, heading=heading, caption=caption, height=height) for plan in plans]
    return found


def plan_words_and_slides(
    figure: Figure, form: Format, title: str, body_of: Callable[[Figure], Rect]
) -> tuple[Figure, list[Plan]]:
    """Lay out a figure in the bodies of its slides, which the words above and below leave; and find the figure from which these
    words are made on all of them: it has the panels of that slide whose own titles leave most to say of what is compared."""
    has_tables = any(isinstance(panel, Table) for panel in figure.panels)  # which may go to slides of their own
    if not (has_tables and is_compared(figure)):
        return figure, _fill_slides(figure, form, body_of(figure))
    # Nearly always a slide has no title with a name, so that the words leave the body that is planned first.
    body = body_of(replace(figure, panels=()))
    plans = _fill_slides(figure, form, body)
    slides = (replace(figure, panels=plan.panels) for plan in plans)
    worded = max(slides, key=lambda slide: len(missing_names(slide, title)))
    if (own := body_of(worded)) != body:
        plans = _fill_slides(figure, form, own)
    return worded, plans


def foot_of_slide(form: Format, caption: Sequence[Line]) -> float:
    """The height below a slide's figure."""
    return (BELOW_CAPTION + _ABOVE_CAPTION) / form.zoom + height_of(caption)


def _fill_box(figure: Figure, form: Format, body: Rect) -> Plan:
    """Lay out a figure without its words in a box: tables that would leave too little to the pictures are left out."""
    (plan,) = _fill_boxes([figure], form, body)
    return plan


def _fill_boxes(figures: Sequence[Figure], form: Format, body: Rect) -> list[Plan]:
    """Lay out figures without their words in equal boxes."""
    if not _are_alike(figures):
        return [_fill_box(figure, form, body) for figure in figures]
    (pictures, below), *frames = _split(figures, form)
    shown_below = below
    asked = [height_of_table(panel, body.width, form.style) for panel in below]
    free, left_out = body.height, list[Table]()
    if pictures:
        left = body.height - sum(asked) - _GAP * len(below)
        if sum(asked) > _OF_TABLES * body.height or left < max(map(_least_height, pictures)):
            left_out, shown_below, asked = below, [], []
        free -= sum(asked) + _GAP * len(shown_below)
    elif below:
        room = body.height - _GAP * (len(below) - 1)
        asked = [one * room / sum(asked) for one in asked]
    box = Rect.up_from(body.left, body.top - free, body.width, free)
    placed, own = None, [drawn for drawn, _ in frames]
    if pictures:
        most = max(1, min(lanes.MOST, int(free / (lanes.LEAST / form.zoom))))
        pictures, *own = lanes.with_most([pictures, *own], most)
        composed = compose(pictures, figures[0].across, box.width, box.height, form.style, bands=figures[0].bands)
        placed = composed, _centred(composed, box)
    plan = Plan((), (), placed, _stacked(shown_below, asked, body, form), body.height, free, left_out)
    known = zip(own, frames, strict=True)
    return [_showing(plan, (*pictures, *below), (*drawn, *listed)) for drawn, (_, listed) in known]


def _fill_slides(figure: Figure, form: Format, body: Rect) -> list[Plan]:
    """Lay out a figure in the bodies of as many slides as it needs: no table is cut, and none leaves the pictures too little.

    Tables that have room together stand on one slide; pictures that would be too small together don't, and maps of
    differences that have no room beside the others follow them.
    """
    first = _fill_box(figure, form, body)
    if len(groups := _readable_groups(figure, first, form)) > 1:
        return [plan for group in groups for plan in _fill_slides(replace(figure, panels=group), form, body)]
    if not any(grid.is_cut for grid, _ in first.tables):
        first, left = replace(first, left_out=()), first.left_out
        rest = _differences_left_out(first)
        after = _fill_slides(replace(figure, panels=rest, across=None), form, body) if rest else []
        return [first, *after, *(plan for table in left for plan in _pages(table, form, body))]
    (pictures, below), _ = _split([figure], form)
    plans = [_fill_box(replace(figure, panels=tuple(pictures)), form, body)] if pictures else []
    return [*plans, *(plan for table in below for plan in _pages(table, form, body))]


def _differences_left_out(plan: Plan) -> tuple[Panel, ...]:
    """The maps of differences that had no room beside the maps that they are of."""
    left_out = plan.pictures[0].left_out if plan.pictures else ()
    return tuple(panel for panel in left_out if isinstance(panel, Heatmap) and panel.difference)


def _readable_groups(figure: Figure, planned: Plan, form: Format) -> list[tuple[Panel, ...]]:
    """The panels slide by slide: flows, links and many panels as the figure groups them, lanes apart from what leaves them too
    little height."""
    (pictures, below), _ = _split([figure], form)
    groups = _small_multiples(figure, pictures)
    if len(groups) == 1 and planned.pictures and _has_low_lane(planned.pictures[0], form):
        runs = groupby(zip(lanes.among(pictures), pictures, strict=True), key=itemgetter(0))
        groups = [[panel for _, panel in run] for _, run in runs]
    return [*map(tuple, groups[:-1]), (*groups[-1], *below)]


def _small_multiples(figure: Figure, pictures: Sequence[Panel]) -> list[Sequence[Panel]]:
    """Pictures in runs of whole rows of the figure's own: as equal as possible with room on a slide; lanes together."""
    across, alone = figure.across or 1, sum(isinstance(panel, Flow | Links) for panel in pictures) > 1
    most = _MOST_PANELS if len(set(map(type, pictures))) == 1 else _MOST_OF_TWO_KINDS
    many = bool(figure.across) and len(pictures) > most
    if figure.bands or any(map(lanes.is_lane, pictures)) or not (alone or many):
        return [pictures]
    rows = -(-len(pictures) // across)
    slides = rows if alone else -(-rows // max(1, most // across))
    run = across * -(-rows // slides)
    return [pictures[start : start + run] for start in range(0, len(pictures), run)]


def _has_low_lane(composed: Composition, form: Format) -> bool:
    low = lanes.LEAST / form.zoom
    return any(
        placed.plot.height < low
        for row, lane in zip(composed.rows, composed.lanes, strict=True)
        if lane.is_lane
        for placed in row
    )


def _pages(table: Table, form: Format, body: Rect) -> list[Plan]:
    """A table on as many slides as it needs; of one that needs more than anyone would read, its first rows."""
    found = in_parts(table, body.width, body.height, form.style)
    notes = [f"{number} of {len(found)}" for number, _ in enumerate(found, 1)] if len(found) > 1 else [""]
    if len(found) > _MOST_PAGES:
        found, count = [page for page in found if page.rows[0] == 0], format_count(len(table.rows), "row")
        notes = [f"the first {len(page.rows)} of {count}" for page in found]
    pages = (replace(page, note=note) for page, note in zip(found, notes, strict=True))
    return [Plan((), (), None, [(page, body)], body.height) for page in pages]


def _papers(figures: Sequence[Figure], form: Format) -> list[Plan]:
    if not _are_alike(figures):
        return [plan for figure in figures for plan in plan_frames([figure], form)]
    headings = [paper_heading(figure, form) for figure in figures]
    (pictures, below), *frames = _split(figures, form)
    asked = [height_of_table(panel, form.inner, form.style) for panel in below]
    composed, used = None, 0.0
    if pictures:
        bands = figures[0].bands
        across = len(pictures) // len(bands) if bands else figures[0].across
        room = _height_on_paper(pictures, across, form.inner)
        composed = compose(pictures, across, form.inner, room, form.style, bands=bands)
        used = composed.bounds.bottom + _GAP
    above = form.margin + max(map(height_of, headings)) + SMALL
    height = above + used + sum(asked) + _GAP * max(0, len(below) - 1) + form.margin
    box = Rect.up_from(form.margin, height - above - used, form.inner, used)
    body = Rect.up_from(form.margin, form.margin, form.inner, height - above - used - form.margin)
    placed = None if composed is None else (composed, _centred(composed, box))
    plan = Plan((), (), placed, _stacked(below, asked, body, form), height)
    return [
        replace(_showing(plan, (*pictures, *below), (*drawn, *listed)), heading=heading)
        for heading, (drawn, listed) in zip(headings, frames, strict=True)
    ]


def _showing(plan: Plan, widest: Sequence[Panel], panels: Sequence[Panel]) -> Plan:
    """The plan with a frame's panels in the places of the widest ones."""
    shown = dict(zip(widest, panels, strict=True))
    plan = replace(plan, shown=shown)
    if tuple(widest) == tuple(panels):
        return plan
    return replace(plan, tables=[(grid.showing(plan.own(grid.panel)), box) for grid, box in plan.tables])


def _are_alike(figures: Sequence[Figure]) -> bool:
    return (
        are_alike([figure.panels for figure in figures])
        and len({(figure.across, figure.bands) for figure in figures}) == 1
    )


def _split(figures: Sequence[Figure], form: Format) -> list[tuple[list[Panel], list[Table]]]:
    """The panels that are drawn, curves as far as they are shown at first, and the tables below them: first the widest ones,
    then those of each figure."""
    frames = [
        [panel.in_sight() if isinstance(panel, Lines) else panel for panel in figure.panels] for figure in figures
    ]
    return [
        (
            [panel for panel in panels if not isinstance(panel, Table)],
            [panel for panel in panels if isinstance(panel, Table)],
        )
        for panels in (widest_panels(frames, form.style.small.measure), *frames)
    ]


def _height_on_paper(panels: Sequence[Panel], across: int | None, width: float) -> float:
    """The height for pictures on a sheet that is as high as its content: each gets the room of one in a journal."""
    are_lanes = lanes.among(panels)
    of_lanes = _LANE * sum(are_lanes)
    heights = [_own_height(panel, width) for panel, is_lane in zip(panels, are_lanes, strict=True) if not is_lane]
    if across:
        rows = [max(heights[start : start + across]) for start in range(0, len(heights), across)]
    else:
        rows = [max(max(heights, default=0.0), sum(_COLUMN * height for height in heights) / width)]
    return min(of_lanes + sum(rows), _HIGHEST * width)


def _own_height(panel: Panel, width: float) -> float:
    """The height in which a picture, or each row's label of a map, or each key of a flow, can be read."""
    wanted = 0.0
    if isinstance(panel, Heatmap):
        wanted = 5 * SMALL + len(panel.values) * SMALL * LINE
    elif isinstance(panel, Flow):
        wanted = (_HEAD_OF_FLOW + _KEY_OF_FLOW * (len(panel.keys) + bool(panel.rest))) * SMALL * LINE
    return max(_ROW, min(wanted, _HIGHEST_ROW * width))


def _least_height(panel: Panel) -> float:
    """The height below which bars lose their names."""
    if not isinstance(panel, Bars):
        return 0.0
    return SMALL * (_ROUND_BARS * LINE + len(panel.categories.labels) * max(LINE, _OF_BAR * len(panel.series)))


def _centred(composed: Composition, box: Rect) -> Rect:
    """The box for a composition, moved to the middle if little of it is used."""
    free = box.width - composed.bounds.right
    return box.shifted(along=free / 2) if free > (1 - _BROAD) * box.width else box


def _stacked(below: Sequence[Table], asked: Sequence[float], body: Rect, form: Format) -> list[tuple[SetTable, Rect]]:
    """Tables from the bottom of a box upwards, each set in the height that it asks for."""
    found, bottom = [], body.bottom
    for panel, height in zip(reversed(below), reversed(asked), strict=True):
        table = fitted(panel, body.width, height, form.style)
        found.append((table, Rect.up_from(body.left, bottom, body.width, height)))
        bottom += height + _GAP
    return found
