"""The room that each part of an arrangement takes beside its plots: titles, labels, colour bars, axes, and the gaps between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Links, Note, Panel, Slopes
from posenc_gui.render.composer.arrangements import Arrangement
from posenc_gui.render.drawings.maps import bracket_height
from posenc_gui.render.drawings.slopes import breadths, has_axis_beside
from posenc_gui.render.layout.cell_labels import CellLabels, Labels
from posenc_gui.render.layout.colour_bars import Bar, level_height, name_lines, tips, upright_breadth
from posenc_gui.render.layout.heatmap_cells import shape_in_cells
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import longest
from posenc_gui.render.layout.type_sizes import Face, Style

# Lengths in lines of labels.
_LEAST_ROW: dict[type[Panel], float] = {
    Heatmap: 9.0, Lines: 6.0, Bars: 8.0, Links: 9.0, Slopes: 8.0, Dials: 5.0, Flow: 17.0, Note: 3.0
}  # fmt: skip
_LEAST_LANE, _LEAST_BEFORE_GROWTH = 2.0, 1.5  # low lanes are better than an axis out of sight
_TITLE_AIR = 0.3
# Lines of small type for each row of cells, and beside them: the least height of a room with brackets below maps.
_BRACKETED = 1.3, 8.0
_OF_LINKS = 0.33  # a column of their labels: a little less than screen and paper give it, because of edges
_LINKS = 1.0  # the lines from one column of links to the other, with their distance from the labels

_ABOVE_LANES = 4.0  # units between the first lane and the names of its marks
_MOST_BRACKETED = 2  # maps that have brackets; more repeat one claim
_HIGHEST_LABELS = 0.3  # of a row's height


class CellSize(NamedTuple):
    """The size of the cells of the map that has the most, and the height of the labels above all maps."""

    across: float
    down: float
    above: float


class Titling(NamedTuple):
    """The type of all titles, and the lines that each may take."""

    face: Face
    lines: int


@dataclass(frozen=True)
class Target:
    """What all arrangements of a figure have in common: the rectangle, the type, and what `compose` was told."""

    room: Rect
    style: Style
    labels: CellLabels
    headed: Panel | None
    grows: bool
    closer: Mapping[Panel, tuple[float, float]]
    bands: tuple[str, ...]
    longest_side: float = 1.5  # of a cell, relative to its other side


@dataclass(frozen=True)
class Parts:
    """The room that the parts of an arrangement take in a target, with titles of one type on so many lines."""

    arrangement: Arrangement
    target: Target
    titling: Titling

    @property
    def style(self) -> Style:
        return self.target.style

    @cached_property
    def room(self) -> Rect:
        """The rectangle, higher where it may grow and panels would be too low."""
        room = self.target.room
        least = self.fixed_height + sum(map(self.least_row_height, range(len(self.arrangement.rows))))
        return replace(room, bottom=room.top + max(room.height, least)) if self.target.grows else room

    # Titles

    @cached_property
    def title_widths(self) -> dict[Panel, float]:
        """The width for each title: of maps below each other the same; no more than an equal part of the row."""
        measure, most = self.titling.face.measure, self.titling.lines
        own = {
            panel: min(measure(panel.title) / most, self.target.room.width / len(row))
            if self._is_titled(panel)
            else 0.0
            for row in self.arrangement.rows
            for panel in row
        }
        of_maps = {
            panel: max(own[one] for one in self.arrangement.below_each_other(panel)) for panel in self.arrangement.maps
        }
        return own | of_maps

    def title_height(self, row: int) -> float:
        """The height of a row's titles; lanes have theirs elsewhere."""
        titled = not self.arrangement.lanes[row].is_lane and any(map(self._is_titled, self.arrangement.rows[row]))
        return self.titling.lines * self.titling.face.line + _TITLE_AIR * self.style.label.line if titled else 0.0

    @property
    def head(self) -> float:
        """The height of a band's name."""
        return self.style.title.line + 2 * _TITLE_AIR * self.style.label.line if self.target.bands else 0.0

    def _is_titled(self, panel: Panel) -> bool:
        return bool(panel.title) and panel is not self.target.headed

    # Labels of cells

    def column_labels(self, panel: Heatmap, across: float) -> Labels:
        """The labels above a map whose cells are this wide."""
        most = _HIGHEST_LABELS * self.target.room.height / len(self.arrangement.rows)
        _, larger = self._larger(panel)
        return self.target.labels.above(panel.columns, panel.values.shape[1], across * larger, most)

    def row_labels(self, panel: Heatmap, cells: CellSize) -> Labels | None:
        """A map's row labels, in type no larger than that of its column labels; None where another map has them."""
        if panel not in self.arrangement.with_row_labels:
            return None
        larger, _ = self._larger(panel)
        largest = self.column_labels(panel, cells.across).face
        return self.target.labels.beside(panel.rows, len(panel.values), cells.down * larger, largest)

    def _larger(self, panel: Heatmap) -> tuple[float, float]:
        """How many times as high and as wide a map's cells are than those of the map that has the most."""
        zoom, own = self.target.closer.get(panel, (1.0, 1.0)), shape_in_cells(panel)
        down, across = (
            most / count * closer for most, count, closer in zip(self.arrangement.cells_in_map, own, zoom, strict=True)
        )
        return down, across

    def map_height(self, cells: CellSize) -> float:
        """The height of all cells of a map."""
        return self.arrangement.cells_in_map[0] * cells.down

    def map_width(self, cells: CellSize) -> float:
        """The width of all cells of a map."""
        return self.arrangement.cells_in_map[1] * cells.across

    def row_labels_width(self, panel: Heatmap, cells: CellSize) -> float:
        """The width of the row labels of the maps in a map's column."""
        labels = (self.row_labels(one, cells) for one in self.arrangement.below_each_other(panel))
        return max((rows.room for rows in labels if rows), default=0.0)

    def label_overhang(self, panel: Heatmap, across: float) -> float:
        """How far the label of the last column reaches beyond the map's edge."""
        _, larger = self._larger(panel)
        return max(0.0, self.column_labels(panel, across).over - across * larger / 2)

    def bracket(self, panel: Heatmap) -> float:
        """The height of the bracket below a map; 0 without one, in low rooms, and where many maps would repeat it."""
        if panel.bracket is None or len(self.arrangement.maps) > _MOST_BRACKETED:
            return 0.0
        of_row, beside = _BRACKETED
        rows = len(self.arrangement.rows_of_maps) * self.arrangement.cells_in_map[0]
        fits = self.target.room.height >= (of_row * rows + beside) * self.style.small.line
        return bracket_height(panel.bracket) * self.style.small.line if fits else 0.0

    # Colour bars

    @cached_property
    def bars_after(self) -> list[float]:
        """The room after each column for upright colour bars; every row leaves it, so that maps are below each other."""
        found = [0.0] * max(map(len, self.arrangement.rows))
        for last, bar in self.arrangement.bars.items() if not self.arrangement.below else ():
            column = self.column_of_bar(last)
            found[column] = max(found[column], self.bar_offset(last) + self.bar_width(bar))
        return found

    def column_of_bar(self, last: Heatmap) -> int:
        """The column of maps beside which their colour bar is drawn, at its right; `last` is the last map on that scale."""
        return max(self.arrangement.column_of[panel] for panel in self.arrangement.on_scale_of(last))

    def bar_offset(self, last: Heatmap) -> float:
        """The room that other bars take between a colour bar and its maps: a bar of fewer rows is nearer to them."""
        own, column = self._rows_of_bar(last), self.column_of_bar(last)
        order = list(self.arrangement.bars)
        nearer = (
            self.bar_width(bar)
            for one, bar in self.arrangement.bars.items()
            if one is not last
            and self.column_of_bar(one) == column
            and self._rows_of_bar(one) & own
            and (len(self._rows_of_bar(one)), order.index(one)) < (len(own), order.index(last))
        )
        return max(nearer, default=0.0)

    def _rows_of_bar(self, last: Heatmap) -> frozenset[int]:
        """The rows beside which a colour bar is drawn."""
        maps = set(self.arrangement.on_scale_of(last))
        rows = [row for row, panels in enumerate(self.arrangement.rows) if maps & set(panels)]
        return frozenset(range(rows[0], rows[-1] + 1))

    def bar_width(self, bar: Bar) -> float:
        """The width of an upright colour bar with its distance from the maps."""
        return self.bar_apart + upright_breadth(bar, self.style)

    @property
    def over_bars(self) -> float:
        """The height above cells that the names of upright colour bars need beside titles."""
        if self.arrangement.below or not self.arrangement.bars:
            return 0.0
        lines = max(len(name_lines(bar, self.style)) for bar in self.arrangement.bars.values())
        return lines * self.style.small.line - self.title_height(self.arrangement.rows_of_maps[0]) - self.head

    @property
    def bars_below(self) -> float:
        """The height below the maps for level colour bars with their distance from the maps."""
        return self.bar_apart + level_height(self.style) if self.arrangement.below else 0.0

    @property
    def bar_apart(self) -> float:
        """The distance of a colour bar from its maps."""
        return self.style.across / 2

    def tips_beside(self, panel: Slopes, height: float) -> tuple[float, float]:
        """The room of the tips at the lower and the upper end of the colour bar that is the axis of slopes; 0 without one."""
        if not has_axis_beside(panel, self.arrangement.panels):
            return 0.0, 0.0
        scale = panel.low, panel.high, panel.log
        bar = next(bar for bar in self.arrangement.bars.values() if (bar.low, bar.high, bar.log) == scale)
        return tips(bar, height, self.style.bar, self.style.small, upright=True)

    # Slopes

    def slopes_width(self, panel: Slopes, lines: float) -> float:
        """The width of slopes beside maps, whose columns are so many lines apart, but no less than their headings need."""
        between, rest = self._slopes_parts[panel]
        return max(lines * self.style.label.line, between) + rest

    @cached_property
    def _slopes_parts(self) -> dict[Slopes, tuple[float, float]]:
        """The least distance between the columns of slopes, and the width of their axis and labels."""
        panels = self.arrangement.panels
        return {
            panel: breadths(panel, self.style, own_axis=not has_axis_beside(panel, panels))
            for panel in panels
            if isinstance(panel, Slopes)
        }

    def links_width(self, panel: Links) -> float:
        """The width with which neither column of links has a label cut."""
        names = (axis.marks if axis.labels else () for axis in (panel.left, panel.right))
        widest = [min(longest(own, self.style.label.measure), self.style.longest) for own in names]
        return max(_LINKS * self.style.label.line + sum(widest), max(widest) / _OF_LINKS)

    # Rows

    def height_around_plots(self, row: int) -> float:
        """The height that a row needs above and below its plots: names of marks above the first lane, the x axis below the
        last, the legend below links, and the brackets below maps."""
        lane, panels = self.arrangement.lanes[row], self.arrangement.rows[row]
        if not lane.is_lane:
            legend = self.style.legend if any(isinstance(panel, Links) for panel in panels) else 0.0
            return max(legend, *(self.bracket(panel) for panel in panels if isinstance(panel, Heatmap)), 0.0)
        named = any(mark.label for panel in panels if isinstance(panel, Lines) for mark in panel.marks)
        above = self.style.small.line + _ABOVE_LANES if named and not lane.axis_of_above else 0.0
        return above + (0.0 if lane.axis_below else self.style.axis)

    def gap(self, row: int) -> float:
        """The distance to the next row."""
        return self.style.down / 2 if self.arrangement.lanes[row].axis_below else self.style.down

    def missing_panels(self, row: int) -> tuple[Panel, ...]:
        """The panels that a row lacks below those of the first row, if it is shorter, of the same kinds and without maps."""
        first, own = self.arrangement.rows[0], self.arrangement.rows[row]
        alike = all(type(one) is type(other) for one, other in zip(first, own, strict=False))
        return first[len(own) :] if alike and not self.arrangement.has_maps[row] else ()

    def gaps_and_bars(self, row: int) -> float:
        """The width of a row's gaps and colour bars."""
        bars = self.bars_after if self.arrangement.has_maps[row] else ()
        return self.style.across * (len(self.arrangement.rows[row]) - 1) + sum(bars)

    @cached_property
    def fixed_height(self) -> float:
        """The height of gaps, titles, the bands' heads, the lanes' axis, and level colour bars."""
        rows = range(len(self.arrangement.rows))
        gaps = sum(map(self.gap, rows[:-1]))
        heads = len(rows) * self.head
        return (
            gaps
            + heads
            + sum(map(self.title_height, rows))
            + sum(map(self.height_around_plots, rows))
            + self.bars_below
        )

    def least_height(self, *, maps: bool) -> float:
        """The least height of all rows with maps, or of all without."""
        return sum(
            self.least_row_height(row) for row, has_maps in enumerate(self.arrangement.has_maps) if has_maps == maps
        )

    def least_row_height(self, row: int) -> float:
        """The least height of a row's plots."""
        if self.arrangement.lanes[row].is_lane:
            return (_LEAST_BEFORE_GROWTH if self.target.grows else _LEAST_LANE) * self.style.label.line
        return max(_LEAST_ROW[type(panel)] for panel in self.arrangement.rows[row]) * self.style.label.line
