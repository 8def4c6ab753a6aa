"""The breadths of the panels of a row, which share its own."""

from __future__ import annotations

from posenc_gui.figure.panels import Heatmap, Links, Panel, Slopes
from posenc_gui.render.layout.parts import Cells, Parts

_SLOPES = 2.2, 9.0  # lines between the two columns of slopes: the least, and the most beside maps that are narrower
_BESIDE_MAPS = 1.75  # the share of a row that curves, bars and dials get beside maps, each of which gets 1
_OF_LINKS = 0.5  # and the share of links
_MOST_LINKS = 0.45  # of a row's free breadth, for links whose labels are long
_LEFT_TO_CELLS = {1: 0.8, 2: 0.7, 3: 0.6}  # of the breadth that maps could have, whatever titles on so many lines need
MOST_TITLE_LINES = max(_LEFT_TO_CELLS)
_OF_TITLES = 0.25  # of the breadth that maps leave to other panels, for titles that are longer than their maps
_STEPS = 24  # of the search for the breadth of cells


def broadest_cells(parts: Parts, row: int, cells: Cells) -> float:
    """The breadth of cells with which a row's maps fill the breadth that other panels leave them.

    The labels are those of `cells`. A map narrower than its title takes the title's breadth, so the breadth of cells solves a
    broken line.
    """
    maps, panels = parts.arrangement.maps_in(row), parts.arrangement.rows[row]
    taken = parts.between(row) + sum(parts.beside(panel, cells) for panel in maps)
    taken += sum(parts.over(panel, cells.across) for panel in maps)
    slopes = sum(parts.slopes_breadth(one, _SLOPES[0]) for one in panels if isinstance(one, Slopes))
    links = [panel for panel in panels if isinstance(panel, Links)]
    shares = sum(_share(panel) for panel in panels if not isinstance(panel, Slopes | Links))
    free = parts.room.width - taken - slopes
    even = free * _OF_LINKS / (shares + _OF_LINKS * len(links))
    free -= sum(max(even, min(parts.links_breadth(panel), _MOST_LINKS * free)) for panel in links)
    room = max(1.0, free * len(maps) / shares)
    _, columns = parts.arrangement.cells_in_map
    low, high = 0.0, room / (len(maps) * columns)
    if all(columns * high >= parts.titles[panel] for panel in maps):
        return high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        needed = sum(max(columns * middle, parts.titles[panel]) for panel in maps)
        low, high = (middle, high) if needed <= room else (low, middle)
    return max(low, _LEFT_TO_CELLS[parts.titling.lines] * room / (len(maps) * columns))


def breadths(parts: Parts, row: int, cells: Cells) -> list[float]:
    """The breadth of each panel of a row: maps what they need, slopes what is left up to a limit, others the rest."""
    panels, maps = parts.arrangement.rows[row], parts.arrangement.maps_in(row)
    slopes = [panel for panel in panels if isinstance(panel, Slopes) and maps]
    limits = {panel: _slopes_limits(parts, panel, cells) for panel in slopes}
    own = {
        panel: parts.beside(panel, cells) + parts.map_breadth(cells) + parts.over(panel, cells.across) for panel in maps
    }
    free = parts.room.width - parts.between(row) - sum(own.values()) - sum(least for least, _ in limits.values())
    wanted = {panel: max(0.0, parts.beside(panel, cells) + parts.titles[panel] - own[panel]) for panel in maps}
    beside_others = any(panel not in maps and panel not in slopes for panel in panels)
    most = _OF_TITLES * free if beside_others else free
    given = min(1.0, max(0.0, most) / (sum(wanted.values()) or 1.0))  # to titles that are longer than their maps
    found: dict[Panel, float] = {panel: own[panel] + given * wanted[panel] for panel in maps}
    free -= given * sum(wanted.values())
    for panel, (least, most) in limits.items():
        found[panel] = min(most, least + max(0.0, free) / len(slopes))
    free += sum(least for least, _ in limits.values()) - sum(found[panel] for panel in slopes)
    lacking = parts.lacking(row)
    free -= parts.style.across * len(lacking)
    shares = sum(_share(panel) for panel in (*panels, *lacking) if panel not in found)
    return [found[panel] if panel in found else max(1.0, free * _share(panel) / shares) for panel in panels]


def _slopes_limits(parts: Parts, panel: Slopes, cells: Cells) -> tuple[float, float]:
    """The least and the most breadth of slopes beside maps, whose columns are at most as far apart as a map is broad."""
    least, most = _SLOPES
    of_map = parts.map_breadth(cells) / parts.style.label.line
    return parts.slopes_breadth(panel, least), parts.slopes_breadth(panel, max(most, of_map))


def _share(panel: Panel) -> float:
    """A panel's share of the free breadth of its row; slopes beside maps get theirs before."""
    match panel:
        case Heatmap():
            return 1.0
        case Links():
            return _OF_LINKS
        case _:
            return _BESIDE_MAPS
