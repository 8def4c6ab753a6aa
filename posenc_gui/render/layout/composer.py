"""The composer: how the panels of a figure share a rectangle, for every output.

`compose` tries every arrangement of the panels in rows, with the colour bars beside or below their maps, and with or without
the panels that may be left out. `_merit` says which is best. Lengths are in the target's unit; y runs downwards from the
rectangle's upper left corner.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from posenc_gui.figure.panels import Bars, Dials, Heatmap, Lines, Links, Note, Panel, Slopes
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.cell_labels import CellLabels, Labels
from posenc_gui.render.layout.dial_grid import dial_grid
from posenc_gui.render.layout.heatmap_cells import (
    MOST_NUMBERS,
    NUMBER_AIR,
    NUMBER_LINES,
    Bar,
    colour_bars,
    is_square,
    longest_number,
    shape_in_cells,
)
from posenc_gui.render.layout.slope_labels import has_axis_beside, stands_beside_maps
from posenc_gui.render.layout.text_fit import longest
from posenc_gui.render.layout.ticks import ticks
from posenc_gui.render.layout.type_sizes import Style


class _Weights(NamedTuple):
    """What a composition is judged by. From `grown` on they are costs."""

    size: float = 1.0  # each doubling of the smallest panel up to a comfortable size
    beyond: float = 0.3  # each doubling beyond that
    area: float = 0.5  # the share of the rectangle that is filled
    edges: float = 0.5  # the share of places in the grid that hold a panel
    grown: float = 1.0  # each doubling of the height
    slopes: float = 0.35
    difference: float = 0.45
    numbers: float = 0.7  # numbers in cells for which there would be room
    slanted: float = 0.15  # labels that aren't level
    upright: float = 0.3
    words: float = 0.6  # numbers in place of few words


_WEIGHTS = _Weights()

# Lengths in lines of labels.
_COMFORTABLE: dict[type[Panel], float] = {
    Heatmap: 2.0,
    Lines: 6.0,
    Bars: 8.0,
    Links: 9.0,
    Slopes: 8.0,
    Dials: 5.0,
    Note: 3.0,
}
_LEAST_ROW: dict[type[Panel], float] = {
    Heatmap: 9.0, Lines: 6.0, Bars: 8.0, Links: 9.0, Slopes: 8.0, Dials: 5.0, Note: 3.0
}  # fmt: skip
_LEAST_LANE = 2.0
_LARGEST_CELL = 6.0  # but a map of few cells may grow until it fills its room
_SLOPES = 2.2, 9.0  # the distance between the two columns of slopes: the least, and the most beside narrow maps
_TITLE_AIR = 0.3
_LEAST_BREADTH = 8.0  # of a panel in a row that a figure asks for
_LEADERS = 1.5  # the lines from slopes to their labels

_ABOVE_LANES = 4.0  # units between the first lane and the names of its marks
_LANDSCAPE = 2.0  # the best breadth of curves, bars and dials, in heights
_BESIDE_MAPS = 1.75  # the share of a row that curves, bars and dials get beside maps, each of which gets 1
_OF_LINKS = 0.5  # and the share of links
_LONGEST_SIDE = 1.5  # of a cell, relative to its other side
_NEARLY_SQUARE = 0.05
_WHOLE = 12.0  # units: larger cells have whole sizes, so that gaps are sharp
_MANY_WORDS = 32
_HIGHEST_LABELS = 0.3  # of a row's height
_FILLED = 0.9  # of the breadth or of the height: in less, cells grow beyond the largest
_PASSES = 3  # the room of labels depends on the cells, and they on what the labels leave
_LEFT_TO_CELLS = 0.7  # of the breadth that maps could have, whatever their titles need
_STEPS = 24  # of the search for the breadth of cells


@dataclass(frozen=True)
class Rect:
    """A rectangle, from its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height


@dataclass(frozen=True)
class Placed:
    """A panel in its place.

    `room` holds all of it, its title at the top, `title` high or 0. `plot` is the rest; for slopes and links beside maps it
    is as high as the maps' cells.
    """

    panel: Panel
    room: Rect
    plot: Rect
    title: float


@dataclass(frozen=True)
class PlacedMap(Placed):
    """A map in its place: `plot` holds its cells. It has no `rows` if the panel before it has the same row labels."""

    panel: Heatmap
    columns: Labels
    rows: Labels | None


@dataclass(frozen=True)
class PlacedBar:
    """A colour bar beside its maps, or below them: `room` holds its colours and its numbers."""

    bar: Bar
    room: Rect
    colours: Rect
    upright: bool


@dataclass(frozen=True)
class Composition:
    """Panels in rows from top to bottom, colour bars by the last map of each scale, and the panels that are left out.

    `height` is that of the rectangle, which may have grown; `order` holds the indices of the panels in each row, and `below`
    is true if colour bars lie below the maps.
    """

    rows: tuple[tuple[Placed, ...], ...]
    bars: Mapping[Panel, PlacedBar]
    left_out: tuple[Panel, ...]
    height: float
    order: tuple[tuple[int, ...], ...]
    below: bool

    @cached_property
    def panels(self) -> tuple[Placed, ...]:
        """All panels that are shown, row by row."""
        return tuple(itertools.chain.from_iterable(self.rows))

    @cached_property
    def bounds(self) -> Rect:
        """The smallest rectangle around all panels and colour bars."""
        rects = [placed.room for placed in self.panels] + [bar.room for bar in self.bars.values()]
        left, top = min(rect.left for rect in rects), min(rect.top for rect in rects)
        right, bottom = max(rect.right for rect in rects), max(rect.bottom for rect in rects)
        return Rect(left, top, right - left, bottom - top)


def compose(
    panels: Sequence[Panel],
    across: int | None,
    width: float,
    height: float,
    style: Style,
    *,
    headed: Panel | None = None,
    grows: bool = False,
    closer: Mapping[Panel, tuple[float, float]] = MappingProxyType({}),
    like: Composition | None = None,
) -> Composition:
    """Arrange panels, `across` in a row or as many as are best, in a rectangle of this size.

    There is at least one panel, and no table. Panels that repeat what others show may be left out: slopes, then differences.
    headed: the panel whose title stands elsewhere. grows: the rectangle gets higher where panels would be too low to be read.
    closer: how many times as high and as broad cells of a zoomed map are than those of the whole. like: a composition of as
    many panels of the same kinds and sizes in this rectangle, whose arrangement stays.
    """
    sheet = _Sheet(Rect(0, 0, width, height), style, CellLabels(style), headed, grows, closer)
    if like is not None:
        kept = [tuple(panels[at] for at in row) for row in like.order]
        return _Arrangement(kept, across is not None, like.below, sheet).composed(panels)
    tried = [
        _Arrangement(rows, across is not None, below, sheet)
        for shown in _with_less(panels)
        for rows in _in_rows(shown, _asked(panels, shown, across, width / (_LEAST_BREADTH * style.label.line)))
        for below in ((False, True) if _may_lie(rows) else (False,))
    ]
    best = max(tried, key=lambda one: one.merit - _cost_of_less(panels, one.panels))
    return best.composed(panels)


@dataclass(frozen=True)
class _Sheet:
    """What all arrangements have in common: the rectangle, the type, and what `compose` was told."""

    room: Rect
    style: Style
    labels: CellLabels
    headed: Panel | None
    grows: bool
    closer: Mapping[Panel, tuple[float, float]]


def _asked(panels: Sequence[Panel], shown: Sequence[Panel], across: int | None, most: float) -> int | None:
    """The number of panels in a row that a figure asks for, less those left out of its first row and those without room."""
    if not across:
        return None
    across -= sum(panel not in shown for panel in panels[:across])
    linked = any(isinstance(panel, Links) for panel in shown)
    return max(1, across if linked else min(across, int(most)))


def _with_less(panels: Sequence[Panel]) -> Iterator[list[Panel]]:
    """The panels, then those without slopes beside maps, then those without differences too."""
    yield list(panels)
    shown = [panel for panel in panels if not stands_beside_maps(panel, panels)]
    if len(shown) < len(panels):
        yield shown
    alike = [panel for panel in shown if not (isinstance(panel, Heatmap) and panel.difference)]
    if 0 < len(alike) < len(shown):
        yield alike


def _cost_of_less(panels: Sequence[Panel], shown: Sequence[Panel]) -> float:
    """The cost of the panels that aren't shown."""
    gone = [panel for panel in panels if panel not in shown]
    slopes = any(isinstance(panel, Slopes) for panel in gone)
    return _WEIGHTS.slopes * slopes + _WEIGHTS.difference * any(isinstance(panel, Heatmap) for panel in gone)


def _in_rows(panels: Sequence[Panel], across: int | None) -> Iterator[list[tuple[Panel, ...]]]:
    """Every way to put panels in rows of equal length, but for the last; links and slopes stay beside their maps."""
    if any(map(lanes.is_lane, panels)):
        n_maps = sum(isinstance(panel, Heatmap) for panel in panels)
        for most in range(1, max(1, min(n_maps, lanes.MAPS_ACROSS)) + 1):
            yield lanes.split_into_rows(panels, 1, most)
        return
    stay = any(isinstance(panel, Links) or stands_beside_maps(panel, panels) for panel in panels)
    lengths: Sequence[int] = (across,) if across else (len(panels),) if stay else range(1, len(panels) + 1)
    for length in lengths:
        rows = lanes.split_into_rows(panels, length)
        if across or length == math.ceil(len(panels) / len(rows)):
            yield rows


def _may_lie(rows: Sequence[Sequence[Panel]]) -> bool:
    """True if colour bars may lie below the maps: several in the only row, without slopes, whose axis a bar is, and without
    links, whose legend lies there."""
    n_maps = sum(isinstance(panel, Heatmap) for panel in rows[0])
    return len(rows) == 1 and n_maps > 1 and not any(isinstance(panel, Slopes | Links) for panel in rows[0])


class _Cells(NamedTuple):
    """The size of all maps' cells, and the height of the labels above them."""

    across: float
    down: float
    above: float


@dataclass(frozen=True)
class _Arrangement:
    """Panels in given rows. `asked`: the figure asked for these rows; `below`: colour bars lie below the maps."""

    rows: Sequence[tuple[Panel, ...]]
    asked: bool
    below: bool
    sheet: _Sheet

    def composed(self, panels: Sequence[Panel]) -> Composition:
        """The composition of these panels."""
        left_out = tuple(panel for panel in panels if panel not in self.panels)
        place = {panel: at for at, panel in enumerate(panels)}
        order = tuple(tuple(place[panel] for panel in row) for row in self.rows)
        return Composition(self.rows_placed, self.bars_placed, left_out, self.room.height, order, self.below)

    # What is arranged

    @cached_property
    def room(self) -> Rect:
        """The rectangle, higher where it may grow and panels would be too low."""
        room = self.sheet.room
        least = self._fixed_height + sum(map(self._least_row, range(len(self.rows))))
        return replace(room, height=max(room.height, least)) if self.sheet.grows else room

    @property
    def style(self) -> Style:
        return self.sheet.style

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        return tuple(itertools.chain.from_iterable(self.rows))

    @cached_property
    def _maps(self) -> tuple[Heatmap, ...]:
        return tuple(panel for panel in self.panels if isinstance(panel, Heatmap))

    @cached_property
    def _has_maps(self) -> tuple[bool, ...]:
        return tuple(any(isinstance(panel, Heatmap) for panel in row) for row in self.rows)

    @cached_property
    def _lanes(self) -> list[lanes.Row]:
        return lanes.rows(self.rows)

    @cached_property
    def _bars(self) -> dict[Heatmap, Bar]:
        return colour_bars(self.panels)

    @cached_property
    def _own_rows(self) -> frozenset[Panel]:
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

    # What each part takes

    @cached_property
    def _titles(self) -> dict[Panel, float]:
        """The breadth for each title: of maps below each other the same; no more than an equal part of the row."""
        measure = self.style.title.measure
        own = {
            panel: min(measure(panel.title), self.sheet.room.width / len(row)) if self._is_titled(panel) else 0.0
            for row in self.rows
            for panel in row
        }
        return own | {panel: max(own[one] for one in self._below_each_other(panel)) for panel in self._maps}

    def _below_each_other(self, panel: Heatmap) -> list[Heatmap]:
        """The maps in a map's column."""
        return [one for one in self._maps if self._column_of[one] == self._column_of[panel]]

    def _is_titled(self, panel: Panel) -> bool:
        return bool(panel.title) and panel is not self.sheet.headed

    def _title_height(self, row: int) -> float:
        titled = not self._lanes[row].is_lane and any(map(self._is_titled, self.rows[row]))
        return self.style.title.line + _TITLE_AIR * self.style.label.line if titled else 0.0

    def _besides(self, row: int) -> float:
        """The height of what a row has beside equal plots: names of marks above the first lane, the x axis below the last,
        and the legend below links."""
        lane = self._lanes[row]
        if not lane.is_lane:
            return self.style.legend if any(isinstance(panel, Links) for panel in self.rows[row]) else 0.0
        named = any(mark.label for panel in self.rows[row] if isinstance(panel, Lines) for mark in panel.marks)
        above = self.style.small.line + _ABOVE_LANES if named and not lane.axis_of_above else 0.0
        return above + (0.0 if lane.axis_below else self.style.axis)

    @cached_property
    def _bars_after(self) -> list[float]:
        """The room after each column for upright colour bars; every row leaves it, so that maps stand below each other."""
        found = [0.0] * max(map(len, self.rows))
        for last, bar in self._bars.items() if not self.below else ():
            column = max(self._column_of[panel] for panel in self._on_scale_of(last))
            found[column] = max(found[column], self._bar_breadth(bar))
        return found

    @cached_property
    def _column_of(self) -> dict[Panel, int]:
        return {panel: column for row in self.rows for column, panel in enumerate(row)}

    def _on_scale_of(self, last: Heatmap) -> list[Heatmap]:
        return [panel for panel in self._maps if _scale(panel) == _scale(last)]

    def _bar_breadth(self, bar: Bar) -> float:
        style = self.style
        numbers = style.bar + style.tick + longest((text for _, text in bar.ticks(5)), style.small.measure)
        return style.across / 2 + max(numbers, longest(bar.name.split(), style.small.measure))

    @property
    def _bars_below(self) -> float:
        """The height below the maps for level colour bars."""
        style = self.style
        return style.across / 2 + style.bar + style.tick + style.small.line if self.below else 0.0

    def _slopes_breadth(self, panel: Slopes, lines: float) -> float:
        """The breadth of slopes beside maps, whose columns are so many lines apart, but no less than their headings need."""
        between, rest = self._slopes_parts[panel]
        return max(lines * self.style.label.line, between) + rest

    @cached_property
    def _slopes_parts(self) -> dict[Slopes, tuple[float, float]]:
        """The least distance between the columns of slopes, and the breadth of their axis and labels."""
        return {panel: self._measure_slopes(panel) for panel in self.panels if isinstance(panel, Slopes)}

    def _measure_slopes(self, panel: Slopes) -> tuple[float, float]:
        style = self.style
        left, right = map(style.small.measure, panel.columns)
        names = longest((panel.label(line) for line in panel.lines), style.ends.measure)
        labels = style.ends.measure("−0.00 ") + min(names, style.longest) + style.small.measure("00")
        numbers = longest((text for _, text in ticks(panel.low, panel.high, 5, panel.log)), style.small.measure)
        axis = 0.0 if has_axis_beside(panel, self.panels) else style.tick + numbers
        return left + right / 2 + style.small.line, axis + _LEADERS * style.label.line + labels

    # The cells

    @cached_property
    def _cells(self) -> _Cells:
        """The largest cells that all maps can have; very large only where the maps would leave their room empty."""
        if not self._maps:
            return _Cells(0.0, 0.0, 0.0)
        cells = self._fitted(_LARGEST_CELL * self.style.label.line)
        across = max(sum(self._breadths(row, cells)) + self._between(row) for row in self._rows_of_maps)
        filled = max(across / self.room.width, self._height_of_maps(cells) / self.room.height)
        return cells if filled >= _FILLED else self._fitted(math.inf)

    def _fitted(self, largest: float) -> _Cells:
        square = all(map(is_square, self._maps))
        columns = max(sum(map(_columns, self._maps_in(row))) for row in self._rows_of_maps)
        rows = sum(map(self._highest, self._rows_of_maps))
        cells = _Cells(
            self.room.width / columns, self.room.height / rows, 0.0
        )  # an upper bound: no label is measured in vain
        for _ in range(_PASSES):
            across = min(largest, *(self._cells_across(row, cells) for row in self._rows_of_maps))
            down = min(largest, self._cells_down(cells.above))
            across, down = _nearly_square(across, down) if square else (across, down)
            across, down = (math.floor(side) if side >= _WHOLE else side for side in (across, down))
            cells = _Cells(across, down, max(self._above(panel, across) for panel in self._maps))
        return cells._replace(down=min(cells.down, self._cells_down(cells.above)))

    def _above(self, panel: Heatmap, across: float) -> float:
        return self._column_labels(panel, across).room

    def _column_labels(self, panel: Heatmap, across: float) -> Labels:
        most = _HIGHEST_LABELS * self.sheet.room.height / len(self.rows)
        _, closer = self._closer(panel)
        return self.sheet.labels.above(panel.columns, panel.values.shape[1], across * closer, most)

    def _beside(self, panel: Heatmap, cells: _Cells) -> float:
        """The breadth of the row labels of the maps in a map's column."""
        labels = (self._row_labels(one, cells) for one in self._below_each_other(panel))
        return max((rows.room for rows in labels if rows), default=0.0)

    def _row_labels(self, panel: Heatmap, cells: _Cells) -> Labels | None:
        """A map's row labels, in type no larger than that of its column labels; None where another map has them."""
        if panel not in self._own_rows:
            return None
        closer, _ = self._closer(panel)
        largest = self._column_labels(panel, cells.across).face
        return self.sheet.labels.beside(panel.rows, len(panel.values), cells.down * closer, largest)

    def _closer(self, panel: Heatmap) -> tuple[float, float]:
        return self.sheet.closer.get(panel, (1.0, 1.0))

    @property
    def _rows_of_maps(self) -> list[int]:
        return [row for row, has_maps in enumerate(self._has_maps) if has_maps]

    def _maps_in(self, row: int) -> list[Heatmap]:
        return [panel for panel in self.rows[row] if isinstance(panel, Heatmap)]

    def _highest(self, row: int) -> float:
        return max(shape_in_cells(panel)[0] for panel in self._maps_in(row))

    def _cells_across(self, row: int, cells: _Cells) -> float:
        """The breadth of cells with which a row's maps fill the breadth that other panels leave them.

        A map narrower than its title takes the title's breadth, so the breadth of cells solves a broken line.
        """
        maps = self._maps_in(row)
        taken = self._between(row) + sum(self._beside(panel, cells) for panel in maps)
        taken += sum(self._over(panel, cells.across) for panel in maps)
        slopes = sum(self._slopes_breadth(one, _SLOPES[0]) for one in self.rows[row] if isinstance(one, Slopes))
        shares = sum(_share(panel) for panel in self.rows[row] if not isinstance(panel, Slopes))
        room = max(1.0, (self.room.width - taken - slopes) * len(maps) / shares)
        columns = [_columns(panel) for panel in maps]
        low, high = 0.0, room / sum(columns)
        if all(count * high >= self._titles[panel] for count, panel in zip(columns, maps, strict=True)):
            return high
        for _ in range(_STEPS):
            middle = (low + high) / 2
            needed = sum(max(count * middle, self._titles[one]) for count, one in zip(columns, maps, strict=True))
            low, high = (middle, high) if needed <= room else (low, middle)
        return max(low, _LEFT_TO_CELLS * room / sum(columns))

    def _between(self, row: int) -> float:
        """The breadth of a row's gaps and colour bars."""
        bars = self._bars_after if self._has_maps[row] else ()
        return self.style.across * (len(self.rows[row]) - 1) + sum(bars)

    def _cells_down(self, above: float) -> float:
        """The height of cells with which maps fill their part of the height."""
        fixed = self._fixed_height + above * len(self._rows_of_maps)
        of_maps, of_others = self._least(maps=True), self._least(maps=False)
        room = max(1.0, self.room.height - fixed) * of_maps / (of_maps + of_others)
        return room / sum(map(self._highest, self._rows_of_maps))

    def _height_of_maps(self, cells: _Cells) -> float:
        """The height of all rows; rows without maps take what maps leave."""
        if not all(self._has_maps):
            return self.room.height
        rows = sum(map(self._highest, self._rows_of_maps))
        return self._fixed_height + cells.above * len(self.rows) + rows * cells.down

    @cached_property
    def _fixed_height(self) -> float:
        """The height of gaps, titles, the lanes' axis, and level colour bars."""
        rows = range(len(self.rows))
        gaps = sum(map(self._gap, rows[:-1]))
        return gaps + sum(map(self._title_height, rows)) + sum(map(self._besides, rows)) + self._bars_below

    def _gap(self, row: int) -> float:
        """The distance to the next row."""
        return self.style.down / 2 if self._lanes[row].axis_below else self.style.down

    def _least(self, *, maps: bool) -> float:
        """The least height of all rows with maps, or of all without."""
        return sum(self._least_row(row) for row, has_maps in enumerate(self._has_maps) if has_maps == maps)

    def _least_row(self, row: int) -> float:
        if self._lanes[row].is_lane:
            return _LEAST_LANE * self.style.label.line
        return max(_LEAST_ROW[type(panel)] for panel in self.rows[row]) * self.style.label.line

    # The places

    @cached_property
    def rows_placed(self) -> tuple[tuple[Placed, ...], ...]:
        """The panels in their places, row by row."""
        cells, found, top = self._cells, [], self.room.top
        of_maps = sum(self._highest(row) * cells.down + cells.above for row in self._rows_of_maps)
        rest = max(1.0, self.room.height - self._fixed_height - of_maps)
        for row, has_maps in enumerate(self._has_maps):
            height = self._title_height(row) + self._besides(row)
            if has_maps:
                height += cells.above + self._highest(row) * cells.down
            else:
                height += rest * self._least_row(row) / self._least(maps=False)
            found.append(self._place_row(row, top, height))
            top += height + self._gap(row)
        return tuple(found)

    def _place_row(self, row: int, top: float, height: float) -> tuple[Placed, ...]:
        found, left, title = [], self.room.left, self._title_height(row)
        for column, (panel, width) in enumerate(zip(self.rows[row], self._breadths(row, self._cells), strict=True)):
            room = Rect(left, top, width, height)
            found.append(self._place(panel, room, title, beside_maps=self._has_maps[row]))
            left += width + self.style.across + (self._bars_after[column] if self._has_maps[row] else 0.0)
        return tuple(found)

    def _place(self, panel: Panel, room: Rect, title: float, *, beside_maps: bool) -> Placed:
        if not isinstance(panel, Heatmap):
            above = title + (self._cells.above if beside_maps and isinstance(panel, Links | Slopes) else 0.0)
            below = self.style.legend if isinstance(panel, Links) else 0.0
            plot = Rect(room.left, room.top + above, room.width, room.height - above - below)
            return Placed(panel, room, plot, title)
        cells, (n_rows, n_columns) = self._cells, shape_in_cells(panel)
        rows = self._row_labels(panel, cells)
        left, top = room.left + self._beside(panel, cells), room.top + title + cells.above
        plot = Rect(left, top, n_columns * cells.across, n_rows * cells.down)
        return PlacedMap(panel, room, plot, title, self._column_labels(panel, cells.across), rows)

    def _breadths(self, row: int, cells: _Cells) -> list[float]:
        """The breadth of each panel of a row: maps what they need, slopes what is left up to a limit, others the rest."""
        panels, maps = self.rows[row], self._maps_in(row)
        slopes = [panel for panel in panels if isinstance(panel, Slopes) and maps]
        limits = {panel: [self._slopes_breadth(panel, lines) for lines in _SLOPES] for panel in slopes}
        own = {
            panel: self._beside(panel, cells) + _columns(panel) * cells.across + self._over(panel, cells.across)
            for panel in maps
        }
        free = self.room.width - self._between(row) - sum(own.values()) - sum(least for least, _ in limits.values())
        wanted = {panel: max(0.0, self._beside(panel, cells) + self._titles[panel] - own[panel]) for panel in maps}
        given = min(1.0, max(0.0, free) / (sum(wanted.values()) or 1.0))  # to titles that are longer than their maps
        breadths: dict[Panel, float] = {panel: own[panel] + given * wanted[panel] for panel in maps}
        free -= given * sum(wanted.values())
        for panel, (least, most) in limits.items():
            breadths[panel] = min(most, least + max(0.0, free) / len(slopes))
        free += sum(least for least, _ in limits.values()) - sum(breadths[panel] for panel in slopes)
        shares = sum(_share(panel) for panel in panels if panel not in breadths)
        return [breadths[panel] if panel in breadths else max(1.0, free * _share(panel) / shares) for panel in panels]

    def _over(self, panel: Heatmap, across: float) -> float:
        """The length by which the label of the last column reaches over the map's edge."""
        return max(0.0, self._column_labels(panel, across).over - across / 2)

    @cached_property
    def bars_placed(self) -> dict[Panel, PlacedBar]:
        """The colour bars, each as high or as broad as the maps that it stands for."""
        places = {placed.panel: placed for row in self.rows_placed for placed in row}
        found = dict[Panel, PlacedBar]()
        for last, bar in self._bars.items():
            same = [places[panel] for panel in self._on_scale_of(last)]
            left, right = min(one.plot.left for one in same), max(one.plot.right for one in same)
            top, bottom = min(one.plot.top for one in same), max(one.plot.bottom for one in same)
            space, breadth = self.style.across / 2, self.style.bar
            if self.below:
                room = Rect(left, bottom + space, right - left, self._bars_below - space)
                colours = replace(room, height=breadth)
            else:
                room = Rect(
                    max(one.room.right for one in same) + space, top, self._bar_breadth(bar) - space, bottom - top
                )
                colours = replace(room, width=breadth)
            found[last] = PlacedBar(bar, room, colours, not self.below)
        return found

    # What it is worth

    @cached_property
    def merit(self) -> float:
        """Large panels, a filled rectangle, aligned edges, numbers in cells, level labels."""
        placed = tuple(itertools.chain.from_iterable(self.rows_placed))
        judged = [one for one in placed if not stands_beside_maps(one.panel, self.panels)]
        size = math.log2(max(1e-9, min(map(self._size, judged))))
        area = sum(one.room.width * (one.plot.bottom - one.room.top) for one in placed)
        places = len(self.rows) * max(map(len, self.rows))
        return (
            _WEIGHTS.size * min(0.0, size)
            + _WEIGHTS.beyond * max(0.0, size)
            + _WEIGHTS.area * area / (self.room.width * self.room.height)
            + _WEIGHTS.edges * len(placed) / places
            - _WEIGHTS.grown * math.log2(self.room.height / self.sheet.room.height)
            - _WEIGHTS.numbers * (not self._have_numbers)
            - max((_cost_of_labels(one) for one in placed if isinstance(one, PlacedMap)), default=0.0)
        )

    def _size(self, placed: Placed) -> float:
        """The size of a panel's smallest part, 1 where it is comfortable."""
        panel, plot = placed.panel, placed.plot
        unit = self.style.label.line * _COMFORTABLE[type(panel)]
        if isinstance(panel, Heatmap):
            return min(self._cells.across, self._cells.down) / unit
        if isinstance(panel, Dials):
            return (
                dial_grid(panel, plot.width, plot.height, self.style.small.line, self.style.small.measure).diameter
                / unit
            )
        return min(plot.width / _LANDSCAPE, plot.height) / unit

    @cached_property
    def _have_numbers(self) -> bool:
        """True if all cells have room for their numbers."""
        if any(panel.values.size > MOST_NUMBERS for panel in self._maps):
            return False
        small, cells = self.style.small, self._cells
        return all(
            small.line * NUMBER_LINES <= cells.down
            and longest_number(panel, small.measure) + 2 * NUMBER_AIR <= cells.across
            for panel in self._maps
        )


def _cost_of_labels(placed: PlacedMap) -> float:
    """The cost of labels that aren't words, all of them and level; many words may give way to numbers."""
    if len(placed.columns.texts) < len(placed.panel.columns.marks) < _MANY_WORDS:
        return _WEIGHTS.words
    return {"level": 0.0, "slanted": _WEIGHTS.slanted, "upright": _WEIGHTS.upright}[placed.columns.angle]


def _columns(panel: Heatmap) -> float:
    return shape_in_cells(panel)[1]


def _scale(panel: Heatmap) -> tuple[object, ...]:
    return panel.scale, panel.low, panel.high, panel.log


def _share(panel: Panel) -> float:
    """A panel's share of the free breadth of its row; slopes beside maps get theirs before."""
    match panel:
        case Heatmap():
            return 1.0
        case Links():
            return _OF_LINKS
        case _:
            return _BESIDE_MAPS


def _nearly_square(across: float, down: float) -> tuple[float, float]:
    """Cells that are square if both sides nearly agree, and not longer than 3 to 2 otherwise."""
    least = min(across, down)
    if max(across, down) <= least * (1 + _NEARLY_SQUARE):
        return least, least
    return min(across, _LONGEST_SIDE * least), min(down, _LONGEST_SIDE * least)
