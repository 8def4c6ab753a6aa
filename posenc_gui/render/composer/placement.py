"""Put the panels of an arrangement, and their colour bars, in their places.

All maps of a figure have cells of one size, the largest with which everything has room; the panels of a row share its width.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from posenc_gui.figure.panels import Heatmap, Links, Panel, Slopes
from posenc_gui.render.composer.arrangements import Arrangement
from posenc_gui.render.composer.parts import CellSize, Parts, Target, Titles
from posenc_gui.render.drawings.links import width_of_links
from posenc_gui.render.drawings.slopes import breadths, has_axis_beside
from posenc_gui.render.layout.cell_labels import NumberStyle, is_square, numbers_fit
from posenc_gui.render.layout.colour_bars import Bar, maps_of, tips
from posenc_gui.render.layout.composition import Composition, Placed, PlacedBand, PlacedBar, PlacedMap, is_title_cut
from posenc_gui.render.layout.rect import Rect

Rows = tuple[tuple[Placed, ...], ...]

_LARGEST_CELL = 6.0  # lines of labels: but a map of few cells may grow until it fills its room
_FILLED_BY_MAPS = 0.9  # of the width or of the height: in less, cells grow beyond the largest
_NEARLY_SQUARE = 0.05
_WHOLE_FROM = 12.0  # units: larger cells have whole sizes, so that gaps are sharp
_PASSES = 3  # the room of labels depends on the cells, and they on what the labels leave
_SLOPES = 2.2, 9.0  # lines between the two columns of slopes: the least, and the most beside maps that are narrower
_BESIDE_MAPS = 1.75  # the share of a row that curves, bars and clocks get beside maps, each of which gets 1
_OF_LINKS = 0.5  # and the share of links
_MOST_LINKS = 0.45  # of a row's free width, for links whose labels are long
_LEFT_TO_CELLS = {1: 0.8, 2: 0.7, 3: 0.6}  # of the width that maps could have, whatever titles on so many lines need
_MOST_TITLE_LINES = max(_LEFT_TO_CELLS)
_OF_TITLES = 0.25  # of the width that maps leave to other panels, for titles that are longer than their maps
_STEPS = 24  # of the search for the width of cells


def place(arrangement: Arrangement, target: Target, panels: Sequence[Panel]) -> Composition:
    """The composition of panels, all or some of which are arranged, with the largest titles of which none is cut."""
    parts, rows = _with_titles(arrangement, target)
    left_out = tuple(panel for panel in panels if panel not in arrangement.panels)
    index = {panel: at for at, panel in enumerate(panels)}
    order = tuple(tuple(index[panel] for panel in row) for row in arrangement.rows)
    bars, bands, title = _place_bars(parts, rows), _place_bands(parts, rows), parts.titles.face
    return Composition(rows, bars, left_out, parts.room.height, title, order, arrangement.below, bands)


def _with_titles(arrangement: Arrangement, target: Target) -> tuple[Parts, Rows]:
    """The panels in their places with the largest titles of which none is cut. If some always are, titles leave out the last
    line, which would take height from the panels for nothing."""
    style, tried = target.style, list[tuple[Parts, Rows]]()
    smaller = ((style.least_title, lines) for lines in range(1, _MOST_TITLE_LINES + 1))
    for face, lines in dict.fromkeys([(style.title, 1), *smaller]):
        parts = Parts(arrangement, target, Titles(arrangement, target, face, lines))
        tried.append((parts, rows := _place_rows(parts, _largest_cells(parts))))
        if not any(is_title_cut(placed, face) for placed in itertools.chain.from_iterable(rows)):
            return parts, rows
    return tried[-2]


def _place_rows(parts: Parts, cells: CellSize) -> Rows:
    """The panels in their places; rows without maps share the height that maps leave."""
    arrangement, found, top = parts.arrangement, list[tuple[Placed, ...]](), parts.room.top
    of_maps = cells.above + parts.maps.height(cells) if arrangement.maps else 0.0
    rest = max(1.0, parts.room.height - parts.fixed_height - len(arrangement.rows_of_maps) * of_maps)
    for row, has_maps in enumerate(arrangement.has_maps):
        height = parts.titles.height(row) + parts.titles.head + parts.height_around_plots(row)
        if has_maps:
            height += of_maps
        else:
            height += rest * parts.least_row_height(row) / parts.least_height(maps=False)
        found.append(_place_row(parts, cells, row, top, height))
        top += height + parts.gap(row)
    return tuple(found)


def _place_row(parts: Parts, cells: CellSize, row: int, top: float, height: float) -> tuple[Placed, ...]:
    panels, has_maps = parts.arrangement.rows[row], parts.arrangement.has_maps[row]
    found, left, title = list[Placed](), parts.room.left, parts.titles.height(row)
    above = title + parts.titles.head + (cells.above if has_maps else 0.0)
    for column, (panel, width) in enumerate(zip(panels, _widths(parts, row, cells), strict=True)):
        room = Rect.down_from(left, top, width, height)
        if isinstance(panel, Heatmap):
            found.append(_place_map(parts, cells, panel, room, title))
        else:
            found.append(_place_other(parts, panel, room, title, above, parts.height_around_plots(row)))
        left += width + parts.style.across + (parts.bars.after[column] if has_maps else 0.0)
    return tuple(found)


def _place_map(parts: Parts, cells: CellSize, panel: Heatmap, room: Rect, title: float) -> PlacedMap:
    left, top = room.left + parts.maps.width_beside(panel, cells), room.top + title + parts.titles.head + cells.above
    plot = Rect.down_from(left, top, parts.maps.width(cells), parts.maps.height(cells))
    columns, rows = parts.maps.labels_above(panel, cells.across), parts.maps.labels_beside(panel, cells)
    return PlacedMap(panel, room, plot, title, parts.titles.head, columns, rows, parts.maps.bracket(panel))


def _place_other(parts: Parts, panel: Panel, room: Rect, title: float, above: float, below: float) -> Placed:
    """A panel whose plot takes all its room; links and slopes begin `above` deep, where cells of maps beside them do, and end
    `below` from the row's end, as these do."""
    beside_cells = isinstance(panel, Links | Slopes)
    top = room.top + (above if beside_cells else title + parts.titles.head)
    bottom = room.bottom - (below if beside_cells else 0.0)
    if isinstance(panel, Slopes):
        tip_below, tip_above = parts.bars.tips_beside(panel, bottom - top)
        top, bottom = top + tip_above, bottom - tip_below
    return Placed(panel, room, replace(room, top=top, bottom=bottom), title, parts.titles.head)


def _place_bands(parts: Parts, rows: Rows) -> tuple[PlacedBand, ...]:
    """The bands, as wide as the rectangle, each down to halfway to the next."""
    found = list[PlacedBand]()
    for number, (name, row) in enumerate(zip(parts.target.bands, rows, strict=False)):
        top, bottom = row[0].room.top + row[0].title, max(placed.room.bottom for placed in row)
        ground = replace(parts.room, top=top, bottom=bottom + parts.gap(number) / 2)
        found.append(PlacedBand(name, ground, replace(ground, bottom=top + parts.titles.head), row[0].plot.left))
    return tuple(found)


def _place_bars(parts: Parts, rows: Rows) -> dict[Panel, PlacedBar]:
    """The colour bars, each as high or as wide as the maps that it stands for."""
    places = {placed.panel: placed for placed in itertools.chain.from_iterable(rows) if isinstance(placed, PlacedMap)}
    return {
        last: _place_bar(parts, last, bar, [places[panel] for panel in parts.arrangement.on_scale_of(last)])
        for last, bar in parts.arrangement.bars.items()
    }


def _place_bar(parts: Parts, last: Heatmap, bar: Bar, maps: Sequence[PlacedMap]) -> PlacedBar:
    left, right = min(one.plot.left for one in maps), max(one.plot.right for one in maps)
    top, bottom = min(one.plot.top for one in maps), max(one.plot.bottom for one in maps)
    apart, width = parts.bars.apart, parts.style.bar
    if parts.arrangement.below:
        bottom += max(one.below for one in maps)
        room = Rect.down_from(left, bottom + apart, right - left, parts.bars.below - apart)
        before, beyond = tips(bar, room.width, width, parts.style.small, upright=False)
        level = Rect(left + before, room.top, right - beyond, room.top + width)
        return PlacedBar(bar, room, level, upright=False)
    after = max(one.room.right for one in maps) + apart + parts.bars.offset(last)
    room = Rect.down_from(after, top, parts.bars.width(bar) - apart, bottom - top)
    below, above = tips(bar, room.height, width, parts.style.small, upright=True)
    return PlacedBar(bar, room, Rect(room.left, top + above, room.left + width, bottom - below), upright=True)


def _largest_cells(parts: Parts) -> CellSize:
    """The largest cells that all maps can have; very large only where the maps would leave their room empty."""
    if not parts.arrangement.maps:
        return CellSize(0.0, 0.0, 0.0)
    cells = _fitting_cells(parts, _LARGEST_CELL * parts.style.label.line)
    across = max(sum(_widths(parts, row, cells)) + parts.gaps_and_bars(row) for row in parts.arrangement.rows_of_maps)
    filled = max(across / parts.room.width, _height(parts, cells) / parts.room.height)
    return cells if filled >= _FILLED_BY_MAPS else _fitting_cells(parts, math.inf)


def _fitting_cells(parts: Parts, largest: float) -> CellSize:
    """The largest cells up to a limit. Each pass takes the labels of the cells before."""
    arrangement = parts.arrangement
    square = all(map(is_square, arrangement.maps))
    rows, columns = arrangement.cells_in_map
    most = max(len(maps_of(arrangement.rows[row])) for row in arrangement.rows_of_maps)
    # At first an upper bound, so that no label is measured in vain.
    cells = CellSize(
        parts.room.width / (most * columns), parts.room.height / (len(arrangement.rows_of_maps) * rows), 0.0
    )
    for _ in range(_PASSES):
        across = min(largest, *(_widest_cells(parts, row, cells) for row in arrangement.rows_of_maps))
        down = min(largest, _highest_cells(parts, cells.above))
        across, down = _nearly_square(parts, across, down) if square else _on_whole(across, down)
        # The names of upright colour bars also have the room of the titles beside them.
        names = parts.bars.names - parts.titles.height(arrangement.rows_of_maps[0]) - parts.titles.head
        labels = max(parts.maps.labels_above(panel, across).room for panel in arrangement.maps)
        cells = CellSize(across, down, max(labels, names))
    return cells._replace(down=min(cells.down, _highest_cells(parts, cells.above)))


def _highest_cells(parts: Parts, above: float) -> float:
    """The height of cells with which maps fill their part of the height."""
    rows_of_maps = parts.arrangement.rows_of_maps
    fixed = parts.fixed_height + above * len(rows_of_maps)
    of_maps, of_others = parts.least_height(maps=True), parts.least_height(maps=False)
    room = max(1.0, parts.room.height - fixed) * of_maps / (of_maps + of_others)
    return room / (len(rows_of_maps) * parts.arrangement.cells_in_map[0])


def _height(parts: Parts, cells: CellSize) -> float:
    """The height of all rows; rows without maps take what maps leave."""
    arrangement = parts.arrangement
    if not all(arrangement.has_maps):
        return parts.room.height
    return parts.fixed_height + len(arrangement.rows) * (cells.above + parts.maps.height(cells))


def _nearly_square(parts: Parts, across: float, down: float) -> tuple[float, float]:
    """Cells that are square if both sides nearly agree, unless that costs them their numbers; else oblong up to a limit."""
    least = min(across, down)
    most = parts.target.longest_side * least
    if max(across, down) > least * (1 + _NEARLY_SQUARE):
        return _on_whole(min(across, most), min(down, most))
    square, oblong = _on_whole(least, least), _on_whole(across, down)
    smallest = NumberStyle(parts.style.small, brief=True)
    fit = [numbers_fit(parts.arrangement.maps, *cell, smallest) for cell in (square, oblong)]
    return oblong if fit == [False, True] else square


def _on_whole(across: float, down: float) -> tuple[float, float]:
    """The sides of a cell, on whole units where it is large."""
    across, down = (math.floor(side) if side >= _WHOLE_FROM else side for side in (across, down))
    return across, down


def _widest_cells(parts: Parts, row: int, cells: CellSize) -> float:
    """The width of cells with which a row's maps fill the width that other panels leave them. The labels are those of
    `cells`. A map narrower than its title takes the title's width, so the width of cells solves a broken line."""
    panels = parts.arrangement.rows[row]
    maps = maps_of(panels)
    taken = parts.gaps_and_bars(row) + sum(parts.maps.width_beside(panel, cells) for panel in maps)
    taken += sum(parts.maps.overhang(panel, cells.across) for panel in maps)
    slopes = sum(_slopes_width(parts, one, _SLOPES[0]) for one in panels if isinstance(one, Slopes))
    links = [panel for panel in panels if isinstance(panel, Links)]
    shares = sum(_share(panel) for panel in panels if not isinstance(panel, Slopes | Links))
    free = parts.room.width - taken - slopes
    even = free * _OF_LINKS / (shares + _OF_LINKS * len(links))
    free -= sum(max(even, min(width_of_links(panel, parts.style), _MOST_LINKS * free)) for panel in links)
    room = max(1.0, free * len(maps) / shares)
    _, columns = parts.arrangement.cells_in_map
    low, high = 0.0, room / (len(maps) * columns)
    if all(columns * high >= parts.titles.widths[panel] for panel in maps):
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        needed = sum(max(columns * middle, parts.titles.widths[panel]) for panel in maps)
        low, high = (middle, high) if needed <= room else (low, middle)
    return max(low, _LEFT_TO_CELLS[parts.titles.lines] * room / (len(maps) * columns))


def _widths(parts: Parts, row: int, cells: CellSize) -> list[float]:
    """The width of each panel of a row: maps what they need, slopes what is left up to a limit, others the rest."""
    panels = parts.arrangement.rows[row]
    maps = maps_of(panels)
    slopes = [panel for panel in panels if isinstance(panel, Slopes) and maps]
    limits = {panel: _slopes_limits(parts, panel, cells) for panel in slopes}
    labels = {panel: parts.maps.width_beside(panel, cells) for panel in maps}
    overhangs = {panel: parts.maps.overhang(panel, cells.across) for panel in maps}
    own = {panel: labels[panel] + parts.maps.width(cells) + overhangs[panel] for panel in maps}
    free = parts.room.width - parts.gaps_and_bars(row) - sum(own.values()) - sum(least for least, _ in limits.values())
    wanted = {panel: max(0.0, labels[panel] + parts.titles.widths[panel] - own[panel]) for panel in maps}
    beside_others = any(panel not in maps and panel not in slopes for panel in panels)
    most = _OF_TITLES * free if beside_others else free
    given = min(1.0, max(0.0, most) / (sum(wanted.values()) or 1.0))  # to titles that are longer than their maps
    found: dict[Panel, float] = {panel: own[panel] + given * wanted[panel] for panel in maps}
    free -= given * sum(wanted.values())
    for panel, (least, most) in limits.items():
        found[panel] = min(most, least + max(0.0, free) / len(slopes))
    free += sum(least for least, _ in limits.values()) - sum(found[panel] for panel in slopes)
    missing = parts.arrangement.missing_panels(row)
    free -= parts.style.across * len(missing)
    shares = sum(_share(panel) for panel in (*panels, *missing) if panel not in found)
    return [found[panel] if panel in found else max(1.0, free * _share(panel) / shares) for panel in panels]


def _slopes_limits(parts: Parts, panel: Slopes, cells: CellSize) -> tuple[float, float]:
    """The least and the most width of slopes beside maps, whose columns are at most as far apart as a map is wide."""
    least, most = _SLOPES
    of_map = parts.maps.width(cells) / parts.style.label.line
    return _slopes_width(parts, panel, least), _slopes_width(parts, panel, max(most, of_map))


def _slopes_width(parts: Parts, panel: Slopes, lines: float) -> float:
    """The width of slopes whose columns are so many lines apart, but no less than their headings need."""
    between, rest = breadths(panel, parts.style, own_axis=not has_axis_beside(panel, parts.arrangement.panels))
    return max(lines * parts.style.label.line, between) + rest


def _share(panel: Panel) -> float:
    """A panel's share of the free width of its row; slopes beside maps get theirs before."""
    match panel:
        case Heatmap():
            return 1.0
        case Links():
            return _OF_LINKS
        case _:
            return _BESIDE_MAPS
