"""Where a figure's words and panels stand on the slide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

from posenc_gui.figure.figure import Figure, Heatmap, Lines, Links, Note, Panel, Run, Slopes, Table, seeded
from posenc_gui.render.export_options import Sheet
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.heatmap_cells import Bar, colour_bars
from posenc_gui.render.layout.text_fit import longest, wrapped, wrapped_runs
from posenc_gui.render.paper import bars, dials, lines, links, slopes, tables
from posenc_gui.render.paper.fonts import advance, measured
from posenc_gui.render.paper.heatmaps import Fit, draw_map, fits_briefly, fitted, room_of_bar, share_named
from posenc_gui.render.paper.page import (
    CAPTION,
    GAP,
    LEAST,
    LINE,
    MARGIN,
    PANEL,
    SENTENCE,
    SMALL,
    TITLE,
    Box,
    Page,
    draw_panel_title,
)

_MOST_WORDS = 5  # lines of headline and caption
_LONG_SENTENCE = 12.5  # the size of a headline that is more than two lines in its own
_HEADING, _ROW = 90.0, 220.0  # how high a heading and a row of pictures are where there is as much room as they ask
OF_TABLES = 0.45  # of the room, the most that tables below pictures get
_NARROW, _COLUMN = 50.0, 36.0  # of its smallest type, a sheet's width
_FEW = 4  # panels
_OF_CURVES = 1.75  # of a map's share, what curves beside it get: their names stand in it
_LENT = GAP - 8.0  # of the gap after a map, what its title may take
_WIDE = 1.5  # a sheet's width in heights, from which lanes stand beside the other pictures
_TABLE_LEFT_OUT = "its table has no room here"
_LANE_GAP = SMALL  # between curves below each other that share their axis


@dataclass(frozen=True)
class _Shared:
    """What rows of as many panels share, so that their maps stand in columns: the room of the bar after each panel, and
    of the longest title."""

    bars: tuple[float, ...]
    title: float


@dataclass(frozen=True)
class _Line:
    """One line of the heading: its words, their size, and the colour of those that have none of their own."""

    runs: Sequence[Run]
    size: float
    colour: str


def draw_figure(page: Page, figure: Figure, rows: list[tuple[Panel, ...]]) -> None:
    parts = _parts(rows, page.width / page.height)
    heading = _fitting_heading(page, figure, rows, 1 if max(map(len, parts), default=0) > 1 else 3)
    _draw_heading(page, heading)
    top = page.height - page.margin - _height_of(heading)
    bars_of, left = colour_bars(figure.panels), page.margin
    width = (page.width - 2 * page.margin - GAP * (len(parts) - 1)) / max(1, len(parts))
    for part in parts:
        _draw_rows(page, part, Box(left, page.margin, width, top - page.margin), bars_of)
        left += width + GAP


def _parts(rows: list[tuple[Panel, ...]], ratio: float) -> list[list[tuple[Panel, ...]]]:
    """The rows below each other; on a slide, lanes beside the other pictures, since below them they would have no height."""
    among = lanes.rows(rows)
    own = [row for row, place in zip(rows, among, strict=True) if place.is_lane]
    others = [row for row, place in zip(rows, among, strict=True) if not place.is_lane]
    if not own or not others or ratio < _WIDE or any(isinstance(row[0], Table) for row in others):
        return [rows]
    return [own, others] if among[0].is_lane else [others, own]


def _draw_rows(page: Page, rows: list[tuple[Panel, ...]], box: Box, bars_of: dict[Heatmap, Bar]) -> None:
    """Draw rows of panels, one below the other."""
    among, top, width = lanes.rows(rows), box.top, box.width
    # Curves are equally high, whichever have an axis below them, and no lower than the maps in other rows.
    axes = [
        lines.AXIS if any(isinstance(panel, Lines) for panel in row) and not own.axis_below else 0.0
        for row, own in zip(rows, among, strict=True)
    ]
    gaps = [_LANE_GAP if own.axis_below else GAP for own in among]
    heights = _heights(rows, width, box.height - sum(gaps[:-1]) - sum(axes))
    shared = {len(row): _shared([one for one in rows if len(one) == len(row)], bars_of) for row in rows}
    after = [_room_after(row, width) if own.is_lane else 0.0 for row, own in zip(rows, among, strict=True)]
    for row, height, axis, own, room, gap in zip(rows, heights, axes, among, after, gaps, strict=True):
        # So do they end at one place, whatever stands after them.
        wide = width - (max(after) - room if own.is_lane else 0.0)
        place = Box(box.left, top - height - axis, wide, height + axis)
        _draw_row(page, row, place, bars_of, shared[len(row)], titled=not own.is_lane)
        top = place.bottom - gap


def _shared(rows: Sequence[tuple[Panel, ...]], bars_of: dict[Heatmap, Bar]) -> _Shared:
    bars = tuple(
        max(room_of_bar(bars_of[panel]) if isinstance(panel, Heatmap) and panel in bars_of else 0.0 for panel in column)
        for column in zip(*rows, strict=True)
    )
    return _Shared(bars, longest((panel.title for row in rows for panel in row), measured(PANEL, bold=True)))


def _heights(rows: list[tuple[Panel, ...]], width: float, room: float) -> list[float]:
    """How high each row is: tables as high as they ask, below pictures no more than a part, and the others alike."""
    asked = [tables.height(panel, width) if isinstance(panel := row[0], Table) else None for row in rows]
    of_tables = sum(one for one in asked if one is not None)
    pictures = asked.count(None)
    shared = min(of_tables, room * OF_TABLES) if pictures else room
    return [(room - shared) / pictures if one is None else one * shared / of_tables for one in asked]


def height_of(rows: list[tuple[Panel, ...]], width: float) -> float:
    """How high a sheet is that is as high as what is drawn on it."""
    asked = (tables.height(panel, width - 2 * MARGIN) if isinstance(panel := row[0], Table) else _ROW for row in rows)
    return _HEADING + sum(one + GAP for one in asked)


def without_long_tables(rows: list[tuple[Panel, ...]], page: Page) -> list[tuple[Panel, ...]]:
    """The rows without the tables below pictures of which a sheet of this height would show no more than the beginning."""
    of_tables = [row for row in rows if isinstance(row[0], Table)]
    asked = sum(tables.height(one, page.width - 2 * page.margin) for (one,) in of_tables if isinstance(one, Table))
    fits = asked <= OF_TABLES * (page.height - _HEADING)
    return rows if fits or len(of_tables) == len(rows) else [row for row in rows if row not in of_tables]


def without_crowding_rows(rows: list[tuple[Panel, ...]], page: Page) -> list[tuple[Panel, ...]]:
    """The rows without the slopes beside maps whose words would have to be thinned for them."""
    bars_of = colour_bars([panel for row in rows for panel in row])
    width, height = page.width - 2 * page.margin, page.height - page.margin - _HEADING
    return [_without_slopes(row) if _is_crowded(row, width, height / len(rows), bars_of) else row for row in rows]


def _are_crowded(page: Page, rows: list[tuple[Panel, ...]], height: float, least: float) -> bool:
    """Whether words along maps would have to be thinned in this height, or to be smaller than that."""
    bars_of = colour_bars([panel for row in rows for panel in row])
    width = page.width - 2 * page.margin
    heights = _heights(rows, width, height - GAP * (len(rows) - 1))
    return any(_is_crowded(row, width, high, bars_of, least) for row, high in zip(rows, heights, strict=True))


def _is_crowded(
    row: tuple[Panel, ...], width: float, height: float, bars_of: dict[Heatmap, Bar], least: float = LEAST
) -> bool:
    """Whether words along a row's maps would have to be thinned, or to be smaller than that."""
    maps = [panel for panel in row if isinstance(panel, Heatmap)]
    if not maps:
        return False
    beside = [panel for panel in row if isinstance(panel, Slopes)]
    taken = sum(slopes.width_beside_maps(panel, row) for panel in beside) + GAP * (len(row) - 1)
    taken += sum(room_of_bar(bars_of[panel]) for panel in maps if panel in bars_of)
    fits = fitted(maps, (width - taken) / (len(row) - len(beside)), height - PANEL * 1.7, least)
    return share_named(fits) < 1


def _without_slopes(row: tuple[Panel, ...]) -> tuple[Panel, ...]:
    return tuple(panel for panel in row if not isinstance(panel, Slopes))


def told_left_out(panels: Sequence[Panel], shown: Sequence[Panel]) -> str:
    """A word for what of the panels isn't shown; empty where all are."""
    gone = [panel for panel in panels if panel not in shown]
    told = [_TABLE_LEFT_OUT] if any(isinstance(panel, Table) for panel in gone) else []
    return " · ".join([*told, *(f"{panel.title} has no room here" for panel in gone if isinstance(panel, Slopes))])


def _room_after(row: tuple[Panel, ...], width: float) -> float:
    return max(lines.room_after(panel, width) for panel in row if isinstance(panel, Lines))


def _fitting_heading(page: Page, figure: Figure, rows: list[tuple[Panel, ...]], most_lines: int) -> Sequence[_Line]:
    """The heading; on a sheet that has no more room, as small as it takes for all words along its maps to be there."""
    whole, small = (_heading(page, figure, most_lines, small=small) for small in (False, True))
    if page.is_full:
        brief = _heading(page, figure, 1, small=True)
        for heading, least in ((whole, LEAST), (small, LEAST), (small, page.least), (brief, page.least)):
            if not _are_crowded(page, rows, page.height - 2 * page.margin - _height_of(heading), least):
                return heading
    return whole


def _heading(page: Page, figure: Figure, most_lines: int, *, small: bool) -> Sequence[_Line]:
    """The title and, below it, headline and caption in so many lines; the headline may be small, as a long one is."""
    room = page.width - 2 * page.margin
    title = (Run(figure.title, "number"), *([Run(f" · {figure.subject}")] if figure.subject else []))
    sizes = ((_LONG_SENTENCE, 4),) if small else ((SENTENCE, 2), (_LONG_SENTENCE, 4))
    lines: list[_Line] = []
    broken: list[list[Run]] = []
    for runs, tried in ((title, ((TITLE, 2),)), (figure.headline, sizes)):
        for size, most in tried:
            broken = _broken(runs, room, size, most)
            if not broken or not broken[-1][-1].text.endswith("…"):
                break
        lines += [_Line(pieces, size, page.roles.ink) for pieces in broken]
    most_lines = min(most_lines, _MOST_WORDS - len(broken))
    words = wrapped(figure.caption, room, most_lines, measured(CAPTION))
    if words and words[-1].endswith("…"):  # what must be said stands where nothing is cut
        caption = " · ".join(filter(None, (seeded(figure), figure.caption)))
        words = wrapped(caption, room, most_lines, measured(CAPTION))
    return [*lines, *(_Line([Run(line)], CAPTION, page.roles.muted) for line in words)]


def _height_of(heading: Sequence[_Line]) -> float:
    return sum(line.size * LINE for line in heading) + (CAPTION * 0.7 if heading else 0.0)


def _draw_heading(page: Page, heading: Sequence[_Line]) -> None:
    y = page.height - page.margin
    for line in heading:
        _draw_runs(page, line, page.margin, y)
        y -= line.size * LINE


def _broken(runs: Sequence[Run], room: float, size: float, most_lines: int) -> list[list[Run]]:
    normal, bold = measured(size), measured(size, bold=True)
    wider = sum(bold(run.text) - normal(run.text) for run in runs if run.kind != "plain")
    return wrapped_runs(runs, room - wider, most_lines, normal)


def _draw_runs(page: Page, line: _Line, x: float, y: float) -> None:
    """Write a line as the window does: tokens in the colour of what they are, and bold, as numbers are."""
    colours = {"focus": page.roles.focus, "twin": page.roles.twin}
    for run in line.runs:
        bold = run.kind != "plain"
        page.text(x, y, run.text, line.size, colours.get(run.kind, line.colour), at="top", bold=bold)
        x += advance(run.text, line.size, bold)


def rows_of(figure: Figure) -> list[tuple[Panel, ...]]:
    """The panels side by side as the figure asks, else up to four, more of them in rows of nearly the same length.

    Each table has a row of its own, below.
    """
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
    count = math.ceil(len(drawn) / 4)
    length = figure.across or math.ceil(len(drawn) / max(1, count))
    return [*lanes.in_rows(drawn, max(1, length)), *((panel,) for panel in figure.panels if isinstance(panel, Table))]


def rows_on(sheet: Sheet, figure: Figure) -> list[tuple[Panel, ...]]:
    """The rows as a sheet has the width for them.

    On a narrow one curves don't stand beside several maps, but below; in a column, a few panels stand below each other.
    """
    rows, width = rows_of(figure), sheet.width / sheet.type
    if width < _COLUMN and sheet.height is None and sum(map(len, rows)) <= _FEW:
        return [part for row in rows for part in _apart(row)]
    return [part for row in rows for part in _maps_and_curves(row)] if width < _NARROW else rows


def _apart(row: tuple[Panel, ...]) -> list[tuple[Panel, ...]]:
    read_together = any(isinstance(panel, Links | Slopes) for panel in row)
    return [row] if read_together else [(panel,) for panel in row]


def _maps_and_curves(row: tuple[Panel, ...]) -> list[tuple[Panel, ...]]:
    if sum(isinstance(panel, Heatmap) for panel in row) < 2:
        return [row]
    curves = tuple(panel for panel in row if isinstance(panel, Lines))
    return [one for one in (tuple(panel for panel in row if panel not in curves), curves) if one]


def _draw_row(
    page: Page,
    panels: tuple[Panel, ...],
    box: Box,
    bars_of: dict[Heatmap, Bar],
    shared: _Shared,
    *,
    titled: bool,
) -> None:
    """Draw panels side by side: maps as large as their cells allow, links as those ask, the others in what is left."""
    titles = PANEL * 1.7 if titled and any(panel.title for panel in panels) else 0.0
    below = links.room_below(box.height - titles) if any(isinstance(panel, Links) for panel in panels) else 0.0
    between, bar_room = GAP * (len(panels) - 1), sum(shared.bars)
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    set_wide = {
        panel: slopes.width_beside_maps(panel, panels) for panel in panels if maps and isinstance(panel, Slopes)
    }
    shares = sum(_share(panel, maps) for panel in panels if panel not in set_wide)
    slot = (box.width - bar_room - between - sum(set_wide.values())) / shares
    fits = fitted(maps, slot, box.height - titles - below, page.least)
    brief = any(
        fits_briefly(panel, fit) for panel, fit in fits.items()
    )  # all of a row's numbers are written in one way

    widths = set_wide | {panel: width for panel in panels if (width := _own_width(panel, fits, slot)) is not None}
    others = len(panels) - len(widths)
    if not others:  # what would be free is of use to titles
        asked = {
            panel: max(widths[panel], shared.title - bar - _LENT)
            for panel, bar in zip(panels, shared.bars, strict=True)
        }
        spare = (box.width - bar_room - between - sum(widths.values())) / len(widths)
        enough = sum(asked.values()) <= box.width - bar_room - between
        widths = asked if enough else {panel: width + max(0.0, spare) for panel, width in widths.items()}
    free = box.width - sum(widths.values()) - bar_room - between
    height = box.height if others else titles + max(fit.height for fit in fits.values()) + below
    x, bottom = box.left if others else box.left + free / 2, box.bottom + (box.height - height) / 2
    for panel, room in zip(panels, shared.bars, strict=True):
        place = Box(x, bottom, widths[panel] if panel in widths else free / others, height)
        x += place.width + GAP + room
        if isinstance(panel, Heatmap):
            draw_map(page, panel, fits[panel], place, titles, bars_of.get(panel), brief, place.width + room + _LENT)
        elif isinstance(panel, Links):
            beside = next((fit for other, fit in fits.items() if links.stands_beside(panel, other)), None)
            links.draw(panel, page, place, titles, beside)
        elif isinstance(panel, Slopes) and maps:
            slopes.draw(panel, page, place, titles, fits[maps[0]])
        else:
            _draw(panel, page, place, titles)


def _share(panel: Panel, maps: Sequence[Heatmap]) -> float:
    """How much of a row a panel gets beside maps, one of which gets 1."""
    if isinstance(panel, Links):
        return links.SHARE
    return _OF_CURVES if maps and isinstance(panel, Lines) else 1.0


def _own_width(panel: Panel, fits: dict[Heatmap, Fit], slot: float) -> float | None:
    """The width that a panel asks for itself; None where it takes what is left."""
    if isinstance(panel, Heatmap):
        return fits[panel].width
    if isinstance(panel, Links) and fits:
        widest = max(fit.width for fit in fits.values())
        return max(links.SHARE * widest, min(links.SHARE * slot, links.LEAST_WIDTH))
    return None


@singledispatch
def _draw(panel: Panel, page: Page, box: Box, titles: float) -> None:
    """Draw a panel that takes all the room it gets; `titles` is kept for panel titles at its top."""
    raise NotImplementedError(f"no picture is known for {type(panel).__name__}")


@_draw.register
def _draw_note(panel: Note, page: Page, box: Box, titles: float) -> None:
    lines = wrapped(panel.text, min(box.width, 560), 12, measured(SENTENCE))
    pitch = SENTENCE * LINE
    y = box.bottom + (box.height - titles) / 2 + pitch * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        page.text(box.left + box.width / 2, y - number * pitch, line, SENTENCE, page.roles.muted, "center")
    draw_panel_title(page, panel.title, box.left, box.top, box.width)


for _kind in (bars, dials, lines, slopes, tables):
    _draw.register(_kind.draw)
