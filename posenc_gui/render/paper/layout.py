"""Where a figure's words and panels stand on the slide."""

from __future__ import annotations

import math
from functools import singledispatch

from posenc_gui.figure import Figure, Heatmap, Note, Panel, Scale
from posenc_gui.render.paper import dials, lines, tables
from posenc_gui.render.paper.heatmaps import draw_map, fitted, room_of_bar
from posenc_gui.render.paper.page import (
    CAPTION,
    GAP,
    LINE,
    MARGIN,
    MUTED,
    PANEL,
    SENTENCE,
    TITLE,
    WIDTH,
    Box,
    Page,
    draw_panel_title,
)
from posenc_gui.render.paper.words import wrapped


def draw_figure(page: Page, figure: Figure, rows: list[tuple[Panel, ...]]) -> None:
    top = _draw_heading(page, figure)
    height = (top - MARGIN - GAP * (len(rows) - 1)) / max(1, len(rows))
    bars = _colour_bars(figure.panels)
    # Every row keeps the room of the longest row's bars, so that the maps of a grid stand in columns.
    bar_room = max((sum(room_of_bar(panel) for panel in row if panel in bars) for row in rows), default=0.0)
    for number, row in enumerate(rows):
        box = Box(MARGIN, top - height - number * (height + GAP), WIDTH - 2 * MARGIN, height)
        _draw_row(page, row, box, bars, bar_room)


def _draw_heading(page: Page, figure: Figure) -> float:
    """Draw the title and, below it, headline and caption; return where the panels' room begins."""
    y = page.height - MARGIN
    room = WIDTH - 2 * MARGIN
    for line in wrapped(figure.title, room, TITLE, 2, "bold"):
        page.text(MARGIN, y, line, TITLE, weight="bold", va="top")
        y -= TITLE * LINE
    for line in wrapped(figure.headline, room, SENTENCE, 2):
        page.text(MARGIN, y, line, SENTENCE, va="top")
        y -= SENTENCE * LINE
    for line in wrapped(figure.caption, room, CAPTION, 4):
        page.text(MARGIN, y, line, CAPTION, color=MUTED, va="top")
        y -= CAPTION * LINE
    return y - CAPTION


def rows_of(panels: tuple[Panel, ...]) -> list[tuple[Panel, ...]]:
    """The panels side by side, up to four; more of them in rows of nearly the same length."""
    count = math.ceil(len(panels) / 4)
    length = math.ceil(len(panels) / max(1, count))
    return [panels[start : start + length] for start in range(0, len(panels), max(1, length))]


def _colour_bars(panels: tuple[Panel, ...]) -> dict[Heatmap, str]:
    """Which maps have a colour bar at their right, and what stands on it: the last map of each common scale."""
    maps: dict[tuple[Scale, float, float], list[Heatmap]] = {}
    for panel in panels:
        if isinstance(panel, Heatmap):
            maps.setdefault((panel.scale, panel.low, panel.high), []).append(panel)
    return {same[-1]: " · ".join(dict.fromkeys(panel.quantity for panel in same)) for same in maps.values()}


def _draw_row(page: Page, panels: tuple[Panel, ...], box: Box, bars: dict[Heatmap, str], bar_room: float) -> None:
    """Draw panels side by side: maps as large as their cells allow, the others in what is left."""
    titles = PANEL * 1.7 if any(panel.title for panel in panels) else 0.0
    between = GAP * (len(panels) - 1)
    slot = (box.width - bar_room - between) / len(panels)
    fits = fitted([panel for panel in panels if isinstance(panel, Heatmap)], slot, box.height - titles)

    others = len(panels) - len(fits)
    free = box.width - sum(fit.width for fit in fits.values()) - bar_room - between
    height = box.height if others else titles + max(fit.height for fit in fits.values())
    x, bottom = box.left if others else box.left + free / 2, box.bottom + (box.height - height) / 2
    for panel in panels:
        if isinstance(panel, Heatmap):
            fit, bar = fits[panel], bars.get(panel)
            draw_map(page, panel, fit, Box(x, bottom, fit.width, height), titles, bar)
            x += fit.width + (room_of_bar(panel) if bar is not None else 0.0) + GAP
        else:
            _draw(panel, page, Box(x, bottom, free / others, height), titles)
            x += free / others + GAP


@singledispatch
def _draw(panel: Panel, page: Page, box: Box, titles: float) -> None:
    """Draw a panel that takes all the room it gets; `titles` is kept for panel titles at its top."""
    raise NotImplementedError(f"no picture is known for {type(panel).__name__}")


@_draw.register
def _draw_note(panel: Note, page: Page, box: Box, titles: float) -> None:
    lines = wrapped(panel.text, min(box.width, 560), SENTENCE, 12)
    pitch = SENTENCE * LINE
    y = box.bottom + (box.height - titles) / 2 + pitch * (len(lines) - 1) / 2
    for number, line in enumerate(lines):
        page.text(box.left + box.width / 2, y - number * pitch, line, SENTENCE, color=MUTED, ha="center")
    draw_panel_title(page, panel.title, box.left, box.top, box.width)


for _kind in (dials, lines, tables):
    _draw.register(_kind.draw)
