"""Layout of a sheet: its words, its figure as the composer arranges it, and tables below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Dials, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.composer import Composition, Placed, PlacedMap, Rect, compose
from posenc_gui.render.layout.text_fit import wrapped
from posenc_gui.render.layout.type_sizes import Face
from posenc_gui.render.paper import bars, dials, heatmaps, lines, links, slopes, tables
from posenc_gui.render.paper.fonts import advance, measured
from posenc_gui.render.paper.format import LINE, SMALL, Format
from posenc_gui.render.paper.heading import Line, height_of, paper_heading, slide_caption, slide_heading
from posenc_gui.render.paper.page import Box, Page, draw_panel_title

_GAP = 20.0  # between pictures and tables
BELOW_HEADLINE, _ABOVE_CAPTION, BELOW_CAPTION = 10.0, 15.0, 20.0  # points on a slide
_OF_TABLES = 0.45  # the maximum share of the height for tables below pictures
_ROW, _HIGHEST_ROW = 225.0, 0.8  # the height of a picture on paper, at least, and at most in widths of the sheet
_COLUMN = 300.0  # the width of a picture on paper
_LANE = 62.0
_HIGHEST = 1.3  # the height of all pictures, in widths of the sheet
_BROAD = 0.85  # of the sheet: a narrower figure stands in its middle
_TITLES_APART = 8.0
_NOTE_SIZE = 1.1  # in sizes of titles


@dataclass(frozen=True)
class Plan:
    """A sheet before it is drawn: what is written above and below, what is shown where, and the height of it all.

    `free` is the height that the pictures have, `left_out` are tables that would leave them too little.
    """

    heading: Sequence[Line]
    caption: Sequence[Line]
    pictures: tuple[Composition, Box] | None
    tables: Sequence[tuple[Table, Box]]
    height: float
    free: float = 0.0
    left_out: Sequence[Table] = ()

    def moved(self, up: float) -> Plan:
        """The plan with its figure moved upwards."""
        pictures = self.pictures and (self.pictures[0], _moved(self.pictures[1], up))
        return replace(self, pictures=pictures, tables=[(table, _moved(box, up)) for table, box in self.tables])


def plan_page(figure: Figure, form: Format, title: str = "") -> Plan:
    """Lay out a figure on a sheet; the chosen `title`, if any, stands in place of a slide's headline."""
    return _slide(figure, form, title, form.height) if form.height else _paper(figure, form)


def _slide(figure: Figure, form: Format, title: str, height: float) -> Plan:
    heading, caption = slide_heading(figure, form, title), slide_caption(figure, form, title)
    top = height - form.margin - height_of(heading) - BELOW_HEADLINE / form.zoom
    bottom = foot_of_slide(form, caption)
    body = Box(form.margin, bottom, form.inner, max(1.0, top - bottom))
    return replace(plan_body(figure, form, body), heading=heading, caption=caption, height=height)


def foot_of_slide(form: Format, caption: Sequence[Line]) -> float:
    """The height below a slide's figure."""
    return (BELOW_CAPTION + _ABOVE_CAPTION) / form.zoom + height_of(caption)


def plan_body(figure: Figure, form: Format, body: Box) -> Plan:
    """Lay out a figure without its words in a box: tables that would leave too little to the pictures are left out."""
    pictures, below = _split(figure)
    asked = [tables.height(panel, body.width) for panel in below]
    free, left_out = body.height, list[Table]()
    if pictures:
        if sum(asked) > _OF_TABLES * body.height:
            left_out, below, asked = below, [], []
        free -= sum(asked) + _GAP * bool(below)
    elif below:
        asked = [one * body.height / sum(asked) for one in asked]
    box = Box(body.left, body.top - free, body.width, free)
    placed = None
    if pictures:
        most = max(1, min(lanes.MOST, int(free / (lanes.LEAST / form.zoom))))
        shown = lanes.with_most(pictures, most)
        composed = compose(shown, figure.across, box.width, box.height, form.style)
        placed = composed, _centred(composed, box)
    return Plan((), (), placed, _stacked(below, asked, body), body.height, free, left_out)


def _paper(figure: Figure, form: Format) -> Plan:
    heading = paper_heading(figure, form)
    pictures, below = _split(figure)
    asked = [tables.height(panel, form.inner) for panel in below]
    composed, used = None, 0.0
    if pictures:
        room = _height_on_paper(pictures, figure.across, form.inner)
        composed = compose(pictures, figure.across, form.inner, room, form.style)
        used = composed.bounds.bottom + _GAP
    above = form.margin + height_of(heading) + SMALL
    height = above + used + sum(asked) + _GAP * max(0, len(below) - 1) + form.margin
    box = Box(form.margin, height - above - used, form.inner, used)
    body = Box(form.margin, form.margin, form.inner, height - above - used - form.margin)
    placed = None if composed is None else (composed, _centred(composed, box))
    return Plan(heading, (), placed, _stacked(below, asked, body), height)


def _moved(box: Box, up: float) -> Box:
    return replace(box, bottom=box.bottom + up)


def _split(figure: Figure) -> tuple[list[Panel], list[Table]]:
    """The panels that are drawn, and the tables below them."""
    drawn: list[Panel] = [panel for panel in figure.panels if not isinstance(panel, Table)]
    return drawn, [panel for panel in figure.panels if isinstance(panel, Table)]


def _height_on_paper(panels: Sequence[Panel], across: int | None, width: float) -> float:
    """The height for pictures on a sheet that is as high as its content: each gets the room of one in a journal."""
    lane_rows = lanes.rows([(panel,) for panel in panels])
    of_lanes = _LANE * sum(row.is_lane for row in lane_rows)
    heights = [_own_height(panel, width) for panel, row in zip(panels, lane_rows, strict=True) if not row.is_lane]
    if across:
        rows = [max(heights[start : start + across]) for start in range(0, len(heights), across)]
    else:
        rows = [max(max(heights, default=0.0), sum(_COLUMN * height for height in heights) / width)]
    return min(of_lanes + sum(rows), _HIGHEST * width)


def _own_height(panel: Panel, width: float) -> float:
    """The height in which a picture, or each row's label of a map, can be read."""
    wanted = 5 * SMALL + len(panel.values) * SMALL * LINE if isinstance(panel, Heatmap) else 0.0
    return max(_ROW, min(wanted, _HIGHEST_ROW * width))


def _centred(composed: Composition, box: Box) -> Box:
    """The box for a composition, moved to the middle if little of it is used."""
    free = box.width - composed.bounds.right
    return replace(box, left=box.left + free / 2) if free > (1 - _BROAD) * box.width else box


def _stacked(below: Sequence[Table], asked: Sequence[float], body: Box) -> list[tuple[Table, Box]]:
    """Tables from the bottom of a box upwards."""
    found, bottom = [], body.bottom
    for panel, height in zip(reversed(below), reversed(asked), strict=True):
        found.append((panel, Box(body.left, bottom, body.width, height)))
        bottom += height + _GAP
    return found


def draw_plan(page: Page, plan: Plan) -> None:
    """Draw a sheet as it is planned."""
    y = page.height - page.margin
    for line in plan.heading:
        _draw_runs(page, line, y)
        y -= line.size * LINE
    y = BELOW_CAPTION / page.zoom + height_of(plan.caption)
    for line in plan.caption:
        _draw_runs(page, line, y)
        y -= line.size * LINE
    if plan.pictures:
        _draw_pictures(page, *plan.pictures)
    for table, box in plan.tables:
        tables.draw(table, page, box)


def _draw_runs(page: Page, line: Line, y: float) -> None:
    """Write a line as the window does: tokens bold and in their colour, numbers bold."""
    colours, x = {"focus": page.roles.focus, "twin": page.roles.twin}, page.margin
    for run in line.runs:
        bold, plain = run.kind != "plain", page.roles.muted if line.muted else page.roles.ink
        page.text(x, y, run.text, line.size, colours.get(run.kind, plain), at="top", bold=bold)
        x += advance(run.text, line.size, bold)


def _draw_pictures(page: Page, composed: Composition, box: Box) -> None:
    numbers = heatmaps.number_type(
        [placed for placed in composed.panels if isinstance(placed, PlacedMap)], (page.title, SMALL)
    )
    curves, titles = list[tuple[Lines, lines.Place]](), list[tuple[str, float, float, float]]()
    for row, lane in zip(composed.rows, lanes.rows([[one.panel for one in row] for row in composed.rows]), strict=True):
        ends = [*(placed.room.left for placed in row[1:]), composed.bounds.right + _TITLES_APART]
        for placed, end in zip(row, ends, strict=True):
            room, plot = _on_page(placed.room, box), _on_page(placed.plot, box)
            if not lane.is_lane:
                start = plot.left if isinstance(placed, PlacedMap) else room.left
                titles.append((placed.panel.title, start, room.top, box.left + end - start - _TITLES_APART))
            match placed.panel:
                case Heatmap():
                    assert isinstance(placed, PlacedMap)
                    heatmaps.draw_map(page, placed, plot, numbers)
                case Lines() as panel:
                    curves.append((panel, lines.Place(room, room.top - plot.top, lane.is_lane)))
                case Links() as panel:
                    links.draw(panel, page, plot, _type_of_rows(panel, row))
                case Slopes() as panel:
                    maps = [one.panel for one in row if isinstance(one, PlacedMap)]
                    slopes.draw(panel, page, plot, maps)
                case Bars() as panel:
                    bars.draw(panel, page, room, room.top - plot.top)
                case Dials() as panel:
                    dials.draw(panel, page, room, room.top - plot.top)
                case Note() as panel:
                    _draw_note(panel, page, plot)
    _draw_titles(page, titles)
    lines.draw_all(page, curves)
    for last, bar in composed.bars.items():
        assert isinstance(last, Heatmap)
        heatmaps.draw_bar(page, last, bar, _on_page(bar.colours, box))


def _draw_titles(page: Page, titles: Sequence[tuple[str, float, float, float]]) -> None:
    """Write the panels' titles, each with its left end, its top and its room: all in one size."""
    large = all(measured(page.title, bold=True)(title[:200]) <= room for title, _, _, room in titles)
    for title, left, top, room in titles:
        draw_panel_title(page, title, left, top, room, page.title if large else SMALL)


def _type_of_rows(panel: Links, row: Sequence[Placed]) -> Face | None:
    """The type of the labels along the maps whose rows links stand beside, if any."""
    maps = (one for one in row if isinstance(one, PlacedMap))
    return next((one.columns.face for one in maps if links.stands_beside(panel, one.panel)), None)


def _on_page(rect: Rect, box: Box) -> Box:
    """A rectangle of a composition in its box on the page."""
    return Box(box.left + rect.left, box.top - rect.bottom, rect.width, rect.height)


def _draw_note(panel: Note, page: Page, plot: Box) -> None:
    size = _NOTE_SIZE * page.title
    texts = wrapped(panel.text, min(plot.width, 40 * size), 12, measured(size))
    y = plot.bottom + plot.height / 2 + size * LINE * (len(texts) - 1) / 2
    for number, text in enumerate(texts):
        page.text(plot.left + plot.width / 2, y - number * size * LINE, text, size, page.roles.muted, "center")
