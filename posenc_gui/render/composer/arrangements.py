"""The arrangements that a figure's panels may have: which panels are shown, in which rows, and where colour bars stand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from posenc_gui.figure.panels import Heatmap, Links, Panel, Slopes
from posenc_gui.render.drawings.slopes import stands_beside_maps
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.cell_labels import shape_in_cells
from posenc_gui.render.layout.colour_bars import Bar, colour_bars, maps_of


@dataclass(frozen=True)
class Arrangement:
    """Panels in rows. `asked`: the figure asked for these rows; `below`: colour bars lie below the maps."""

    rows: Sequence[tuple[Panel, ...]]
    asked: bool = True
    below: bool = False

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """All panels, row by row."""
        return tuple(itertools.chain.from_iterable(self.rows))

    @cached_property
    def maps(self) -> tuple[Heatmap, ...]:
        """All maps, row by row."""
        return tuple(maps_of(self.panels))

    @cached_property
    def has_maps(self) -> tuple[bool, ...]:
        """True for each row with maps."""
        return tuple(bool(maps_of(row)) for row in self.rows)

    @cached_property
    def rows_of_maps(self) -> tuple[int, ...]:
        """The rows with maps."""
        return tuple(row for row, has_maps in enumerate(self.has_maps) if has_maps)

    @cached_property
    def cells_in_map(self) -> tuple[float, float]:
        """The rows and columns of the largest map: all are as large as it, those of fewer cells have larger ones."""
        rows, columns = zip(*map(shape_in_cells, self.maps), strict=True)
        return max(rows), max(columns)

    @cached_property
    def lanes(self) -> list[lanes.LaneRow]:
        """Each row in relation to those above and below it."""
        return lanes.rows(self.rows)

    @cached_property
    def column_of(self) -> dict[Panel, int]:
        """Each panel's place in its row."""
        return {panel: column for row in self.rows for column, panel in enumerate(row)}

    def below_each_other(self, panel: Heatmap) -> list[Heatmap]:
        """The maps in a map's column."""
        return [one for one in self.maps if self.column_of[one] == self.column_of[panel]]

    @cached_property
    def bars(self) -> dict[Heatmap, Bar]:
        """The colour bars, each by the last map of its scale."""
        return colour_bars(self.panels)

    def on_scale_of(self, last: Heatmap) -> list[Heatmap]:
        """The maps that a colour bar stands for."""
        return [panel for panel in self.maps if _scale(panel) == _scale(last)]

    def column_of_bar(self, last: Heatmap) -> int:
        """The column of maps beside which their colour bar is drawn, at its right; `last` is the last map on that scale."""
        return max(self.column_of[panel] for panel in self.on_scale_of(last))

    def rows_of_bar(self, last: Heatmap) -> frozenset[int]:
        """The rows beside which a colour bar is drawn."""
        maps = set(self.on_scale_of(last))
        rows = [row for row, panels in enumerate(self.rows) if maps & set(panels)]
        return frozenset(range(rows[0], rows[-1] + 1))

    def missing_panels(self, row: int) -> tuple[Panel, ...]:
        """The panels that a row lacks below those of the first row, if it is shorter, of the same kinds and without maps."""
        first, own = self.rows[0], self.rows[row]
        alike = all(type(one) is type(other) for one, other in zip(first, own, strict=False))
        return first[len(own) :] if alike and not self.has_maps[row] else ()

    @cached_property
    def with_row_labels(self) -> frozenset[Panel]:
        """The maps with row labels of their own: in a grid of many each, in a row that belongs together the first."""
        found = set[Panel]()
        for row in self.rows:
            known: object = None
            for panel, after in itertools.zip_longest(row, row[1:]):
                if isinstance(panel, Heatmap):
                    own = panel.rows.labels, panel.rows.first, panel.values.shape[0]
                    together = self.asked or len(self.rows) == 1
                    if not (isinstance(after, Links) or (together and own == known)):
                        found.add(panel)
                    known = own
                elif isinstance(panel, Links):
                    known = panel.right.labels, panel.right.first, len(panel.right.labels)
        return frozenset(found)


def arrangements(panels: Sequence[Panel], across: int | None, most: int) -> Iterator[Arrangement]:
    """All arrangements of panels that ask for `across` beside each other or leave that open; a row has room for `most`."""
    compared = any(panel.difference for panel in maps_of(panels))  # then a row ends in its difference
    for shown in _with_less(panels):
        together = [[panel for panel in row if panel in shown] for row in _ending_in_differences(panels, across or 1)]
        groups = [row for row in together if row]
        for rows in _in_rows(shown, _asked(panels, shown, across, most), groups, several=not compared):
            for below in (False, True) if _may_lie(rows) else (False,):
                yield Arrangement(rows, asked=across is not None, below=below)


def _with_less(panels: Sequence[Panel]) -> Iterator[list[Panel]]:
    """The panels, then those without slopes beside maps, then those without differences too."""
    yield list(panels)
    shown = [panel for panel in panels if not stands_beside_maps(panel, panels)]
    if len(shown) < len(panels):
        yield shown
    alike = [panel for panel in shown if not (isinstance(panel, Heatmap) and panel.difference)]
    if 0 < len(alike) < len(shown):
        yield alike


def _asked(panels: Sequence[Panel], shown: Sequence[Panel], across: int | None, most: int) -> int | None:
    """The number of panels in a row that a figure asks for, less those left out of its first row and those without room."""
    if not across:
        return None
    across -= sum(panel not in shown for panel in panels[:across])
    linked = any(isinstance(panel, Links) for panel in shown)
    return max(1, across if linked else min(across, most))


def _in_rows(
    panels: Sequence[Panel], across: int | None, together: Sequence[Sequence[Panel]], *, several: bool
) -> Iterator[list[tuple[Panel, ...]]]:
    """Every way to put panels in rows of equal length, but for the last; links and slopes stay beside their maps.

    Where `across` are asked for beside each other, `together` are those groups: a row has one of them, or `several`. Equal
    maps of many short groups may also stand in columns: A's in one row and B's below it.
    """
    if any(map(lanes.is_lane, panels)):
        for most in range(1, max(1, min(len(maps_of(panels)), lanes.MAPS_ACROSS)) + 1):
            yield lanes.split_into_rows(panels, 1, most)
        return
    stay = any(isinstance(panel, Links) or stands_beside_maps(panel, panels) for panel in panels)
    if across:
        as_asked = max(map(len, together)) <= across
        groups = [tuple(row) for row in together] if as_asked else lanes.split_into_rows(panels, across)
        yield from _of_groups(groups) if several else [groups]
        if len(groups) > across and _are_alike(panels):
            yield [tuple(filter(None, column)) for column in itertools.zip_longest(*groups)]
    else:
        yield from _of_groups(lanes.split_into_rows(panels, len(panels) if stay else 1))


def _of_groups(groups: Sequence[tuple[Panel, ...]]) -> Iterator[list[tuple[Panel, ...]]]:
    """Rows of equally many groups each, but for the last."""
    for count in range(1, len(groups) + 1):
        n_rows = math.ceil(len(groups) / count)
        if count == math.ceil(len(groups) / n_rows):
            yield [tuple(itertools.chain(*groups[start : start + count])) for start in range(0, len(groups), count)]


def _ending_in_differences(panels: Sequence[Panel], across: int) -> list[tuple[Panel, ...]]:
    """Groups of `across` panels, where a map of differences ends its group: it stands beside the maps that it is of."""
    rows, row = list[tuple[Panel, ...]](), list[Panel]()
    for panel in panels:
        row.append(panel)
        if isinstance(panel, Heatmap) and panel.difference:
            rows += lanes.split_into_rows(row[:-across], across)
            rows.append(tuple(row[-across:]))
            row = []
    return [*rows, *lanes.split_into_rows(row, across)]


def _are_alike(panels: Sequence[Panel]) -> bool:
    """True for maps that all have equally many rows and columns."""
    maps = maps_of(panels)
    return len(maps) == len(panels) and len({panel.values.shape for panel in maps}) == 1


def _may_lie(rows: Sequence[Sequence[Panel]]) -> bool:
    """True if colour bars may lie below the maps: several in the only row, without slopes, whose axis a bar is, and without
    links, whose legend lies there."""
    with_axis_or_legend = any(isinstance(panel, Slopes | Links) for panel in rows[0])
    return len(rows) == 1 and len(maps_of(rows[0])) > 1 and not with_axis_or_legend


def _scale(panel: Heatmap) -> tuple[object, ...]:
    return panel.scale, panel.low, panel.high, panel.log
