"""Put the panels of an arrangement, and their colour bars, in their places."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from posenc_gui.figure.panels import Heatmap, Links, Panel, Slopes
from posenc_gui.render.layout.arrangements import Arrangement
from posenc_gui.render.layout.breadths import MOST_TITLE_LINES, breadths
from posenc_gui.render.layout.cell_size import largest_cells
from posenc_gui.render.layout.colour_bars import Bar, tips
from posenc_gui.render.layout.composition import Composition, Placed, PlacedBand, PlacedBar, PlacedMap, is_title_cut
from posenc_gui.render.layout.parts import Cells, Parts, Target, Titling
from posenc_gui.render.layout.rect import Rect

Rows = tuple[tuple[Placed, ...], ...]


def place(arrangement: Arrangement, target: Target, panels: Sequence[Panel]) -> Composition:
    """The composition of panels, all or some of which are arranged, with the largest titles of which none is cut."""
    parts, rows = _with_titles(arrangement, target)
    left_out = tuple(panel for panel in panels if panel not in arrangement.panels)
    index = {panel: at for at, panel in enumerate(panels)}
    order = tuple(tuple(index[panel] for panel in row) for row in arrangement.rows)
    bars, bands, title = _place_bars(parts, rows), _place_bands(parts, rows), parts.titling.face
    return Composition(rows, bars, left_out, parts.room.height, title, order, arrangement.below, bands)


def _with_titles(arrangement: Arrangement, target: Target) -> tuple[Parts, Rows]:
    """The panels in their places with the largest titles of which none is cut. If some always are, titles leave out the last
    line, which would take height from the panels for nothing."""
    style, tried = target.style, list[tuple[Parts, Rows]]()
    smaller = (Titling(style.least_title, lines) for lines in range(1, MOST_TITLE_LINES + 1))
    for titling in dict.fromkeys([Titling(style.title, 1), *smaller]):
        parts = Parts(arrangement, target, titling)
        tried.append((parts, rows := _place_rows(parts, largest_cells(parts))))
        if not any(is_title_cut(placed, titling.face) for placed in itertools.chain.from_iterable(rows)):
            return parts, rows
    return tried[-2]


def _place_rows(parts: Parts, cells: Cells) -> Rows:
    """The panels in their places; rows without maps share the height that maps leave."""
    arrangement, found, top = parts.arrangement, list[tuple[Placed, ...]](), parts.room.top
    of_maps = cells.above + parts.map_height(cells) if arrangement.maps else 0.0
    rest = max(1.0, parts.room.height - parts.fixed_height - len(arrangement.rows_of_maps) * of_maps)
    for row, has_maps in enumerate(arrangement.has_maps):
        height = parts.title_height(row) + parts.head + parts.besides(row)
        if has_maps:
            height += of_maps
        else:
            height += rest * parts.least_row(row) / parts.least(maps=False)
        found.append(_place_row(parts, cells, row, top, height))
        top += height + parts.gap(row)
    return tuple(found)


def _place_row(parts: Parts, cells: Cells, row: int, top: float, height: float) -> tuple[Placed, ...]:
    panels, has_maps = parts.arrangement.rows[row], parts.arrangement.has_maps[row]
    found, left, title = list[Placed](), parts.room.left, parts.title_height(row)
    above = title + parts.head + (cells.above if has_maps else 0.0)
    for column, (panel, width) in enumerate(zip(panels, breadths(parts, row, cells), strict=True)):
        room = Rect.down_from(left, top, width, height)
        if isinstance(panel, Heatmap):
            found.append(_place_map(parts, cells, panel, room, title))
        else:
            found.append(_place_other(parts, panel, room, title, above, parts.besides(row)))
        left += width + parts.style.across + (parts.bars_after[column] if has_maps else 0.0)
    return tuple(found)


def _place_map(parts: Parts, cells: Cells, panel: Heatmap, room: Rect, title: float) -> PlacedMap:
    left, top = room.left + parts.beside(panel, cells), room.top + title + parts.head + cells.above
    plot = Rect.down_from(left, top, parts.map_breadth(cells), parts.map_height(cells))
    columns, rows = parts.column_labels(panel, cells.across), parts.row_labels(panel, cells)
    return PlacedMap(panel, room, plot, title, parts.head, columns, rows, parts.bracket(panel))


def _place_other(parts: Parts, panel: Panel, room: Rect, title: float, above: float, below: float) -> Placed:
    """A panel whose plot takes all its room; links and slopes begin `above` deep, where cells of maps beside them do, and end
    `below` from the row's end, as these do."""
    beside_cells = isinstance(panel, Links | Slopes)
    top = room.top + (above if beside_cells else title + parts.head)
    bottom = room.bottom - (below if beside_cells else 0.0)
    if isinstance(panel, Slopes):
        tip_below, tip_above = parts.tips_beside(panel, bottom - top)
        top, bottom = top + tip_above, bottom - tip_below
    return Placed(panel, room, replace(room, top=top, bottom=bottom), title, parts.head)


def _place_bands(parts: Parts, rows: Rows) -> tuple[PlacedBand, ...]:
    """The bands, as broad as the rectangle, each down to halfway to the next."""
    found = list[PlacedBand]()
    for number, (name, row) in enumerate(zip(parts.target.bands, rows, strict=False)):
        top, bottom = row[0].room.top + row[0].title, max(placed.room.bottom for placed in row)
        ground = replace(parts.room, top=top, bottom=bottom + parts.gap(number) / 2)
        found.append(PlacedBand(name, ground, replace(ground, bottom=top + parts.head), row[0].plot.left))
    return tuple(found)


def _place_bars(parts: Parts, rows: Rows) -> dict[Panel, PlacedBar]:
    """The colour bars, each as high or as broad as the maps that it stands for."""
    places = {placed.panel: placed for placed in itertools.chain.from_iterable(rows) if isinstance(placed, PlacedMap)}
    return {
        last: _place_bar(parts, last, bar, [places[panel] for panel in parts.arrangement.on_scale_of(last)])
        for last, bar in parts.arrangement.bars.items()
    }


def _place_bar(parts: Parts, last: Heatmap, bar: Bar, maps: Sequence[PlacedMap]) -> PlacedBar:
    left, right = min(one.plot.left for one in maps), max(one.plot.right for one in maps)
    top, bottom = min(one.plot.top for one in maps), max(one.plot.bottom for one in maps)
    apart, breadth = parts.bar_apart, parts.style.bar
    if parts.arrangement.below:
        bottom += max(one.below for one in maps)
        room = Rect.down_from(left, bottom + apart, right - left, parts.bars_below - apart)
        before, beyond = tips(bar, room.width, breadth, parts.style.small, upright=False)
        level = Rect(left + before, room.top, right - beyond, room.top + breadth)
        return PlacedBar(bar, room, level, upright=False)
    after = max(one.room.right for one in maps) + apart + parts.bar_offset(last)
    room = Rect.down_from(after, top, parts.bar_breadth(bar) - apart, bottom - top)
    below, above = tips(bar, room.height, breadth, parts.style.small, upright=True)
    return PlacedBar(bar, room, Rect(room.left, top + above, room.left + breadth, bottom - below), upright=True)
