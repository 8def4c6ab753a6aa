"""Where a figure's words and panels stand on the slide."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import singledispatch

from posenc_gui.figure import Figure, Heatmap, Lines, Links, Note, Panel, Run, Slopes, Table
from posenc_gui.render.maps import Bar, colour_bars
from posenc_gui.render.paper import bars, dials, lines, links, slopes, tables
from posenc_gui.render.paper.fonts import advance, measured
from posenc_gui.render.paper.heatmaps import Fit, draw_map, fits_briefly, fitted, room_of_bar
from posenc_gui.render.paper.page import (
    ACCENT,
    CAPTION,
    GAP,
    INK,
    LINE,
    MARGIN,
    MUTED,
    PANEL,
    SENTENCE,
    SMALL,
    TITLE,
    TWIN,
    WIDTH,
    Box,
    Page,
    draw_panel_title,
)
from posenc_gui.render.words import wrapped, wrapped_runs

_RUNS = {"focus": ACCENT, "twin": TWIN}  # the colours of tokens in a sentence

_LANE_GAP = SMALL  # between curves below each other that share their axis


def draw_figure(page: Page, figure: Figure, rows: list[tuple[Panel, ...]]) -> None:
    top = _draw_heading(page, figure)
    shares = [any(isinstance(panel, Lines) and panel.shares_x for panel in row) for row in rows]
    above = [False, *shares][: len(shares)]
    # Lanes are equally high, whichever of them has the axis for all below it.
    axes = [lines.AXIS if before and not own else 0.0 for before, own in zip(above, shares, strict=True)]
    gaps = [_LANE_GAP if own else GAP for own in shares]
    height = (top - MARGIN - sum(gaps[:-1]) - sum(axes)) / max(1, len(rows))
    bars_of = colour_bars(figure.panels)
    # Every row keeps the room of the bars above and below it, so that the maps of a grid stand in columns.
    bar_rooms = [
        max(room_of_bar(bars_of[panel]) if panel in bars_of else 0.0 for panel in column if panel is not None)
        for column in itertools.zip_longest(*rows)
    ]
    lanes = [own or before for own, before in zip(shares, above, strict=True)]
    width = WIDTH - 2 * MARGIN
    after = [_room_after(row, width) if lane else 0.0 for row, lane in zip(rows, lanes, strict=True)]
    for row, axis, lane, own, gap in zip(rows, axes, lanes, after, gaps, strict=True):
        # So do they end at one place, whatever stands after them.
        box = Box(MARGIN, top - height - axis, width - (max(after) - own if lane else 0.0), height + axis)
        _draw_row(page, row, box, bars_of, bar_rooms, titled=not lane)
        top = box.bottom - gap


def _room_after(row: tuple[Panel, ...], width: float) -> float:
    return max(lines.room_after(panel, width) for panel in row if isinstance(panel, Lines))


def _draw_heading(page: Page, figure: Figure) -> float:
    """Draw the title and, below it, headline and caption; return where the panels' room begins."""
    y = page.height - MARGIN
    room = WIDTH - 2 * MARGIN
    for line in wrapped(figure.title, room, 2, measured(TITLE, bold=True)):
        page.text(MARGIN, y, line, TITLE, at="top", bold=True)
        y -= TITLE * LINE
    normal, bold = measured(SENTENCE), measured(SENTENCE, bold=True)
    wider = sum(bold(run.text) - normal(run.text) for run in figure.headline if run.kind != "plain")
    for pieces in wrapped_runs(figure.headline, room - wider, 2, normal):
        _draw_runs(page, pieces, MARGIN, y)
        y -= SENTENCE * LINE
    for line in wrapped(figure.caption, room, 4, measured(CAPTION)):
        page.text(MARGIN, y, line, CAPTION, MUTED, at="top")
        y -= CAPTION * LINE
    return y - CAPTION


def _draw_runs(page: Page, runs: list[Run], x: float, y: float) -> None:
    """Write a line as the window does: tokens in the colour of what they are, and bold, as numbers are."""
    for run in runs:
        bold = run.kind != "plain"
        page.text(x, y, run.text, SENTENCE, _RUNS.get(run.kind, INK), at="top", bold=bold)
        x += advance(run.text, SENTENCE, bold)


def rows_of(figure: Figure) -> list[tuple[Panel, ...]]:
    """The panels side by side as the figure asks, else up to four, more of them in rows of nearly the same length.

    Each table has a row of its own, below.
    """
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
    count = math.ceil(len(drawn) / 4)
    length = figure.across or math.ceil(len(drawn) / max(1, count))
    rows = [drawn[start : start + length] for start in range(0, len(drawn), max(1, length))]
    return [*rows, *((panel,) for panel in figure.panels if isinstance(panel, Table))]


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
    set_wide = {panel: slopes.width_beside_maps(panel) for panel in panels if maps and isinstance(panel, Slopes)}
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
            draw_map(page, panel, fits[panel], place, titles, bars_of.get(panel), brief)
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
        page.text(box.left + box.width / 2, y - number * pitch, line, SENTENCE, MUTED, "center")
    draw_panel_title(page, panel.title, box.left, box.top, box.width)


for _kind in (bars, dials, lines, slopes, tables):
    _draw.register(_kind.draw)
