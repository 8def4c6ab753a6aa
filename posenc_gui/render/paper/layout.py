"""Layout of a sheet: heading, rows of panels, and the panels of a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

from posenc_gui.figure.caption_parts import join_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.figure.runs import Run
from posenc_gui.render.export_options import Sheet
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.heatmap_cells import Bar, colour_bars
from posenc_gui.render.layout.text_fit import longest, wrapped, wrapped_runs
from posenc_gui.render.paper import bars, dials, lines, links, slopes, tables
from posenc_gui.render.paper.fonts import advance, measured
from posenc_gui.render.paper.heatmaps import Fit, draw_map, fit_maps, fits_briefly, room_of_bar, share_named
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

_MOST_HEADING_LINES = 5  # lines of headline and caption
_LONG_SENTENCE = 12.5  # the size of a headline that is more than two lines in its own
_HEADING, _ROW = 90.0, 220.0  # the height of a heading and of a row of pictures where the sheet grows with its content
OF_TABLES = 0.45  # maximum share of the height for tables below pictures
_NARROW, _COLUMN = 50.0, 36.0  # sheet widths, in units of the smallest type size
_FEW = 4  # panels
_OF_CURVES = 1.75  # width of curves with their labels, relative to a map beside them
_LENT = GAP - 8.0  # part of the gap after a map that its title may use
_WIDE = 1.5  # sheets with at least this width over height place lanes beside the other pictures
_TABLE_LEFT_OUT = "the table has no room here"
_LANE_GAP = SMALL  # between lanes


@dataclass(frozen=True)
class _Shared:
    """Common to rows with equally many panels, so that their maps align: the room for the colour bar after each panel, and
    for the longest title."""

    bars: tuple[float, ...]
    title: float


@dataclass(frozen=True)
class _Line:
    """One line of the heading: its runs, their size, and the colour of runs without one of their own."""

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
    """Arrange rows in one column; on a slide, lanes get a second column, since below other pictures they would be too low."""
    among = lanes.rows(rows)
    own = [row for row, place in zip(rows, among, strict=True) if place.is_lane]
    others = [row for row, place in zip(rows, among, strict=True) if not place.is_lane]
    if not own or not others or ratio < _WIDE or any(isinstance(row[0], Table) for row in others):
        return [rows]
    return [own, others] if among[0].is_lane else [others, own]


def _draw_rows(page: Page, rows: list[tuple[Panel, ...]], box: Box, bars_of: dict[Heatmap, Bar]) -> None:
    """Draw rows of panels, one below the other."""
    among, top, width = lanes.rows(rows), box.top, box.width
    # Curves are equally high, with or without an axis below them, and no lower than the maps in other rows.
    axes = [
        lines.AXIS if any(isinstance(panel, Lines) for panel in row) and not own.axis_below else 0.0
        for row, own in zip(rows, among, strict=True)
    ]
    gaps = [_LANE_GAP if own.axis_below else GAP for own in among]
    heights = _heights(rows, width, box.height - sum(gaps[:-1]) - sum(axes))
    shared = {len(row): _shared([one for one in rows if len(one) == len(row)], bars_of) for row in rows}
    after = [_room_after(row, width) if own.is_lane else 0.0 for row, own in zip(rows, among, strict=True)]
    for row, height, axis, own, room, gap in zip(rows, heights, axes, among, after, gaps, strict=True):
        # Lanes end at the same x, however long the labels after them are.
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
    """Return the height of each row: tables get what they need, with a limit below pictures; other rows are equally high."""
    asked = [tables.height(panel, width) if isinstance(panel := row[0], Table) else None for row in rows]
    of_tables = sum(one for one in asked if one is not None)
    pictures = asked.count(None)
    shared = min(of_tables, room * OF_TABLES) if pictures else room
    return [(room - shared) / pictures if one is None else one * shared / of_tables for one in asked]


def height_of(rows: list[tuple[Panel, ...]], width: float) -> float:
    """The height of a sheet that is as high as its content."""
    asked = (tables.height(panel, width - 2 * MARGIN) if isinstance(panel := row[0], Table) else _ROW for row in rows)
    return _HEADING + sum(one + GAP for one in asked)


def without_long_tables(rows: list[tuple[Panel, ...]], page: Page) -> list[tuple[Panel, ...]]:
    """The rows without tables below pictures if the sheet could show only their beginning."""
    of_tables = [row for row in rows if isinstance(row[0], Table)]
    asked = sum(tables.height(one, page.width - 2 * page.margin) for (one,) in of_tables if isinstance(one, Table))
    fits = asked <= OF_TABLES * (page.height - _HEADING)
    return rows if fits or len(of_tables) == len(rows) else [row for row in rows if row not in of_tables]


def without_crowding_rows(rows: list[tuple[Panel, ...]], page: Page) -> list[tuple[Panel, ...]]:
    """The rows; those whose maps have too little room for all labels lose their slopes."""
    bars_of = colour_bars([panel for row in rows for panel in row])
    width, height = page.width - 2 * page.margin, page.height - page.margin - _HEADING
    return [_without_slopes(row) if _is_crowded(row, width, height / len(rows), bars_of) else row for row in rows]


def _are_crowded(page: Page, rows: list[tuple[Panel, ...]], height: float, least: float) -> bool:
    """True if labels along maps would be thinned in this height, or smaller than `least`."""
    bars_of = colour_bars([panel for row in rows for panel in row])
    width = page.width - 2 * page.margin
    heights = _heights(rows, width, height - GAP * (len(rows) - 1))
    return any(_is_crowded(row, width, high, bars_of, least) for row, high in zip(rows, heights, strict=True))


def _is_crowded(
    row: tuple[Panel, ...], width: float, height: float, bars_of: dict[Heatmap, Bar], least: float = LEAST
) -> bool:
    """True if labels along a row's maps would be thinned, or smaller than `least`."""
    maps = [panel for panel in row if isinstance(panel, Heatmap)]
    if not maps:
        return False
    beside = [panel for panel in row if isinstance(panel, Slopes)]
    taken = sum(slopes.width_beside_maps(panel, row) for panel in beside) + GAP * (len(row) - 1)
    taken += sum(room_of_bar(bars_of[panel]) for panel in maps if panel in bars_of)
    fits = fit_maps(maps, (width - taken) / (len(row) - len(beside)), height - PANEL * 1.7, least)
    return share_named(fits) < 1


def _without_slopes(row: tuple[Panel, ...]) -> tuple[Panel, ...]:
    return tuple(panel for panel in row if not isinstance(panel, Slopes))


def describe_left_out(panels: Sequence[Panel], shown: Sequence[Panel]) -> str:
    """Say which panels are left out; empty if none is."""
    gone = [panel for panel in panels if panel not in shown]
    tables_left_out = [_TABLE_LEFT_OUT] if any(isinstance(panel, Table) for panel in gone) else []
    return " · ".join(
        [*tables_left_out, *(f"{panel.title} has no room here" for panel in gone if isinstance(panel, Slopes))]
    )


def _room_after(row: tuple[Panel, ...], width: float) -> float:
    return max(lines.room_after(panel, width) for panel in row if isinstance(panel, Lines))


def _fitting_heading(page: Page, figure: Figure, rows: list[tuple[Panel, ...]], most_lines: int) -> Sequence[_Line]:
    """The heading; on a sheet of fixed height, small enough for all labels along the maps to be shown."""
    whole, small = (_heading(page, figure, most_lines, small=small) for small in (False, True))
    if page.is_full:
        brief = _heading(page, figure, 1, small=True)
        for heading, least in ((whole, LEAST), (small, LEAST), (small, page.least), (brief, page.least)):
            if not _are_crowded(page, rows, page.height - 2 * page.margin - _height_of(heading), least):
                return heading
    return whole


def _heading(page: Page, figure: Figure, most_lines: int, *, small: bool) -> Sequence[_Line]:
    """The title, the headline, and the caption on at most `most_lines`; `small`: the headline in the size of a long one."""
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
    most_lines = min(most_lines, _MOST_HEADING_LINES - len(broken))
    words = wrapped(figure.caption, room, most_lines, measured(CAPTION))
    if words and words[-1].endswith("…"):  # required parts come first, where nothing is cut
        caption = join_caption(figure.caption_parts, seeded_first=True)
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
    """Write a line as the window does: tokens bold and in their colour, numbers bold."""
    colours = {"focus": page.roles.focus, "twin": page.roles.twin}
    for run in line.runs:
        bold = run.kind != "plain"
        page.text(x, y, run.text, line.size, colours.get(run.kind, line.colour), at="top", bold=bold)
        x += advance(run.text, line.size, bold)


def rows_of(figure: Figure) -> list[tuple[Panel, ...]]:
    """The panels in rows: as the figure asks, else up to four in a row, in rows of nearly equal length.

    Each table has a row of its own below them.
    """
    drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
    count = math.ceil(len(drawn) / 4)
    length = figure.across or math.ceil(len(drawn) / max(1, count))
    return [
        *lanes.split_into_rows(drawn, max(1, length)),
        *((panel,) for panel in figure.panels if isinstance(panel, Table)),
    ]


def rows_on(sheet: Sheet, figure: Figure) -> list[tuple[Panel, ...]]:
    """The rows for the width of a sheet.

    On a narrow sheet curves go below several maps, not beside them; in a column, a few panels go below each other.
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
    """Draw panels side by side: maps as large as their cells allow, links as wide as they need, others in what is left."""
    titles = PANEL * 1.7 if titled and any(panel.title for panel in panels) else 0.0
    below = links.room_below(box.height - titles) if any(isinstance(panel, Links) for panel in panels) else 0.0
    between, bar_room = GAP * (len(panels) - 1), sum(shared.bars)
    maps = [panel for panel in panels if isinstance(panel, Heatmap)]
    fixed = {panel: slopes.width_beside_maps(panel, panels) for panel in panels if maps and isinstance(panel, Slopes)}
    shares = sum(_share(panel, maps) for panel in panels if panel not in fixed)
    slot = (box.width - bar_room - between - sum(fixed.values())) / shares
    fits = fit_maps(maps, slot, box.height - titles - below, page.least)
    brief = any(fits_briefly(panel, fit) for panel, fit in fits.items())  # all numbers of a row are written in one way

    widths = fixed | {panel: width for panel in panels if (width := _own_width(panel, fits, slot)) is not None}
    others = len(panels) - len(widths)
    if not others:
        widths = _widened_for_titles(panels, widths, box.width - bar_room - between, shared)
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


def _widened_for_titles(
    panels: Sequence[Panel], widths: dict[Panel, float], room: float, shared: _Shared
) -> dict[Panel, float]:
    """Give the room that panels leave free to their titles: what each needs if there is enough, else equal parts."""
    wanted = {
        panel: max(widths[panel], shared.title - bar - _LENT) for panel, bar in zip(panels, shared.bars, strict=True)
    }
    if sum(wanted.values()) <= room:
        return wanted
    spare = (room - sum(widths.values())) / len(widths)
    return {panel: width + max(0.0, spare) for panel, width in widths.items()}


def _share(panel: Panel, maps: Sequence[Heatmap]) -> float:
    """The share of a row that a panel gets beside maps, each of which gets 1."""
    if isinstance(panel, Links):
        return links.SHARE
    return _OF_CURVES if maps and isinstance(panel, Lines) else 1.0


def _own_width(panel: Panel, fits: dict[Heatmap, Fit], slot: float) -> float | None:
    """The width that a panel needs; None if it takes what is left."""
    if isinstance(panel, Heatmap):
        return fits[panel].width
    if isinstance(panel, Links) and fits:
        widest = max(fit.width for fit in fits.values())
        return max(links.SHARE * widest, min(links.SHARE * slot, links.LEAST_WIDTH))
    return None


@singledispatch
def _draw(panel: Panel, page: Page, box: Box, titles: float) -> None:
    """Draw a panel that fills its room; `titles` is the height reserved for titles at its top."""
    raise NotImplementedError(f"paper can't draw {type(panel).__name__}")


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
