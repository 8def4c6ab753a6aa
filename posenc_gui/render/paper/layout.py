"""Where a figure's words and panels stand on the slide."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import singledispatch

from posenc_gui.figure import Figure, Heatmap, Lines, Links, Note, Panel, Run, Slopes, Table, seeded
from posenc_gui.render import lanes
from posenc_gui.render.maps import Bar, colour_bars
from posenc_gui.render.paper import bars, dials, lines, links, slopes, tables
from posenc_gui.render.paper.fonts import advance, measured
from posenc_gui.render.paper.heatmaps import Fit, draw_map, fits_briefly, fitted, room_of_bar
from posenc_gui.render.paper.page import (
    CAPTION,
    GAP,
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
from posenc_gui.render.words import wrapped, wrapped_runs

_HEADING, _ROW = 90.0, 220.0  # how high a heading and a row of pictures are where there is as much room as they ask
_OF_TABLES = 0.45  # of the room, the most that tables below pictures get
_LANE_GAP = SMALL  # between curves below each other that share their axis


def draw_figure(page: Page, figure: Figure, rows: list[tuple[Panel, ...]]) -> None:
    top = _draw_heading(page, figure, 1 if len(rows) > 1 else 3)
    among = lanes.rows(rows)
    # Lanes are equally high, whichever of them has the axis for all below it.
    axes = [lines.AXIS if own.axis_of_above and not own.axis_below else 0.0 for own in among]
    gaps = [_LANE_GAP if own.axis_below else GAP for own in among]
    width = page.width - 2 * MARGIN
    heights = _heights(rows, width, top - MARGIN - sum(gaps[:-1]) - sum(axes))
    bars_of = colour_bars(figure.panels)
    # Every row keeps the room of the bars above and below it, so that the maps of a grid stand in columns.
    bar_rooms = [
        max(room_of_bar(bars_of[panel]) if panel in bars_of else 0.0 for panel in column if panel is not None)
        for column in itertools.zip_longest(*rows)
    ]
    after = [_room_after(row, width) if own.is_lane else 0.0 for row, own in zip(rows, among, strict=True)]
    for row, height, axis, own, room, gap in zip(rows, heights, axes, among, after, gaps, strict=True):
        # So do they end at one place, whatever stands after them.
        box = Box(MARGIN, top - height - axis, width - (max(after) - room if own.is_lane else 0.0), height + axis)
        _draw_row(page, row, box, bars_of, bar_rooms, titled=not own.is_lane)
        top = box.bottom - gap


def _heights(rows: list[tuple[Panel, ...]], width: float, room: float) -> list[float]:
    """How high each row is: tables as high as they ask, below pictures no more than a part, and the others alike."""
    asked = [tables.height(panel, width) if isinstance(panel := row[0], Table) else None for row in rows]
    of_tables = sum(one for one in asked if one is not None)
    pictures = asked.count(None)
    shared = min(of_tables, room * _OF_TABLES) if pictures else room
    return [(room - shared) / pictures if one is None else one * shared / of_tables for one in asked]


def height_of(rows: list[tuple[Panel, ...]], width: float) -> float:
    """How high a sheet is that is as high as what is drawn on it."""
    asked = (tables.height(panel, width - 2 * MARGIN) if isinstance(panel := row[0], Table) else _ROW for row in rows)
    return _HEADING + sum(one + GAP for one in asked)


def without_long_tables(rows: list[tuple[Panel, ...]], page: Page) -> list[tuple[Panel, ...]]:
    """The rows without the tables below pictures of which a sheet of this height would show no more than the beginning."""
    of_tables = [row for row in rows if isinstance(row[0], Table)]
    asked = sum(tables.height(one, page.width - 2 * MARGIN) for (one,) in of_tables if isinstance(one, Table))
    fits = asked <= _OF_TABLES * (page.height - _HEADING)
    return rows if fits or len(of_tables) == len(rows) else [row for row in rows if row not in of_tables]


def _room_after(row: tuple[Panel, ...], width: float) -> float:
    return max(lines.room_after(panel, width) for panel in row if isinstance(panel, Lines))


def _draw_heading(page: Page, figure: Figure, most_lines: int) -> float:
    """Draw the title and, below it, headline and caption in so many lines; return where the panels' room begins."""
    y = page.height - MARGIN
    room = page.width - 2 * MARGIN
    title = (Run(figure.title, "number"), *([Run(f" · {figure.subject}")] if figure.subject else []))
    for runs, size, most in ((title, TITLE, 2), (figure.headline, SENTENCE, 2)):
        normal, bold = measured(size), measured(size, bold=True)
        wider = sum(bold(run.text) - normal(run.text) for run in runs if run.kind != "plain")
        for pieces in wrapped_runs(runs, room - wider, most, normal):
            _draw_runs(page, pieces, MARGIN, y, size)
            y -= size * LINE
    lines = wrapped(figure.caption, room, most_lines, measured(CAPTION))
    if lines and lines[-1].endswith("…"):  # what must be said stands where nothing is cut
        caption = " · ".join(filter(None, (seeded(figure), figure.caption)))
        lines = wrapped(caption, room, most_lines, measured(CAPTION))
    for line in lines:
        page.text(MARGIN, y, line, CAPTION, page.roles.muted, at="top")
        y -= CAPTION * LINE
    return y - CAPTION * 0.7


def _draw_runs(page: Page, runs: list[Run], x: float, y: float, size: float) -> None:
    """Write a line as the window does: tokens in the colour of what they are, and bold, as numbers are."""
    colours = {"focus": page.roles.focus, "twin": page.roles.twin}
    for run in runs:
        bold = run.kind != "plain"
        page.text(x, y, run.text, size, colours.get(run.kind, page.roles.ink), at="top", bold=bold)
        x += advance(run.text, size, bold)


def rows_of(figure: Figure) -> list[tuple[Panel, ...]]:
    """The panels side by side as the figure asks, else up to four, more of them in rows of nearly the same length.

    Each table has a row of its own, below.
    """
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
    count = math.ceil(len(drawn) / 4)
    length = figure.across or math.ceil(len(drawn) / max(1, count))
    return [*lanes.in_rows(drawn, max(1, length)), *((panel,) for panel in figure.panels if isinstance(panel, Table))]


def _draw_row(
    page: Page,
    panels: tuple[Panel, ...],
    box: Box,
    bars_of: dict[Heatmap, Bar],
    bar_rooms: Sequence[float],
    *,
    titled: bool,
) -> None:
    """Draw panels side by side: maps as large as their cells allow, links as those ask, the others in what is left."""
    titles = PANEL * 1.7 if titled and any(panel.title for panel in panels) else 0.0
    below = links.LEGEND if any(isinstance(panel, Links) for panel in panels) else 0.0
    between, bar_room = GAP * (len(panels) - 1), sum(bar_rooms)
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    set_wide = {
        panel: slopes.width_beside_maps(panel, panels) for panel in panels if maps and isinstance(panel, Slopes)
    }
    shares = sum(links.SHARE if isinstance(panel, Links) else 1 for panel in panels if panel not in set_wide)
    slot = (box.width - bar_room - between - sum(set_wide.values())) / shares
    fits = fitted(maps, slot, box.height - titles - below)
    brief = any(
        fits_briefly(panel, fit) for panel, fit in fits.items()
    )  # all of a row's numbers are written in one way

    widths = set_wide | {panel: width for panel in panels if (width := _own_width(panel, fits, slot)) is not None}
    others = len(panels) - len(widths)
    free = box.width - sum(widths.values()) - bar_room - between
    height = box.height if others else titles + max(fit.height for fit in fits.values()) + below
    x, bottom = box.left if others else box.left + free / 2, box.bottom + (box.height - height) / 2
    for panel, room in zip(panels, bar_rooms, strict=False):
        place = Box(x, bottom, widths[panel] if panel in widths else free / others, height)
        x += place.width + GAP + room
        if isinstance(panel, Heatmap):
            draw_map(page, panel, fits[panel], place, titles, bars_of.get(panel), brief, place.width + room)
        elif isinstance(panel, Links):
            beside = next((fit for other, fit in fits.items() if links.stands_beside(panel, other)), None)
            links.draw(panel, page, place, titles, beside)
        elif isinstance(panel, Slopes) and maps:
            slopes.draw(panel, page, place, titles, fits[maps[0]])
        else:
            _draw(panel, page, place, titles)


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
