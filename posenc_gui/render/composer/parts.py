"""The room that each part of an arrangement takes beside its plots: titles, labels, colour bars, axes, and the gaps between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from posenc_gui.figure.panels import Heatmap, Lines, Links, Panel, Slopes
from posenc_gui.render.composer.arrangements import Arrangement
from posenc_gui.render.drawings.kinds import drawing_of
from posenc_gui.render.drawings.maps import bracket_height
from posenc_gui.render.drawings.slopes import has_axis_beside
from posenc_gui.render.layout.cell_labels import CellLabels, Labels, shape_in_cells
from posenc_gui.render.layout.colour_bars import Bar, level_height, name_lines, tips, upright_breadth
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Face, Style

# Lengths in lines of labels.
_LEAST_LANE, _LEAST_BEFORE_GROWTH = 2.0, 1.5  # low lanes are better than an axis out of sight
_TITLE_AIR = 0.3
# Lines of small type for each row of cells, and beside them: the least height of a room with brackets below maps.
_BRACKETED = 1.3, 8.0

_ABOVE_LANES = 4.0  # units between the first lane and the names of its marks
_MOST_BRACKETED = 2  # maps that have brackets; more repeat one claim
_HIGHEST_LABELS = 0.3  # of a row's height


class CellSize(NamedTuple):
    """The size of the cells of the map that has the most, and the height of the labels above all maps."""

    across: float
    down: float
    above: float


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
    below_maps: float = 0.0  # the least height there
    longest_side: float = 1.5  # of a cell, relative to its other side


@dataclass(frozen=True)
class Titles:
    """The titles of panels and of bands: all in one type, each on so many lines at most."""

    arrangement: Arrangement
    target: Target
    face: Face
    lines: int

    @cached_property
    def widths(self) -> dict[Panel, float]:
        """The width for each title: of maps below each other the same; no more than an equal part of the row."""
        own = {
            panel: min(self.face.measure(panel.title) / self.lines, self.target.room.width / len(row))
            if self._is_shown(panel)
            else 0.0
            for row in self.arrangement.rows
            for panel in row
        }
        of_maps = {
            panel: max(own[one] for one in self.arrangement.below_each_other(panel)) for panel in self.arrangement.maps
        }
        return own | of_maps

    def height(self, row: int) -> float:
        """The height of a row's titles; lanes have theirs elsewhere."""
        shown = not self.arrangement.lanes[row].is_lane and any(map(self._is_shown, self.arrangement.rows[row]))
        return self.lines * self.face.line + self._air if shown else 0.0

    @property
    def head(self) -> float:
        """The height of a band's name."""
        return self.target.style.title.line + 2 * self._air if self.target.bands else 0.0

    @property
    def _air(self) -> float:
        return _TITLE_AIR * self.target.style.label.line

    def _is_shown(self, panel: Panel) -> bool:
        return bool(panel.title) and panel is not self.target.headed


@dataclass(frozen=True)
class Maps:
    """The cells of maps, the labels at two sides of them, and the brackets below."""

    arrangement: Arrangement
    target: Target

    def width(self, cells: CellSize) -> float:
        """The width of all cells of a map."""
        return self.arrangement.cells_in_map[1] * cells.across

    def height(self, cells: CellSize) -> float:
        """The height of all cells of a map."""
        return self.arrangement.cells_in_map[0] * cells.down

    def labels_above(self, panel: Heatmap, across: float) -> Labels:
        """The labels above a map whose cells are this wide."""
        most = _HIGHEST_LABELS * self.target.room.height / len(self.arrangement.rows)
        _, larger = self._larger(panel)
        return self.target.labels.above(panel.columns, panel.values.shape[1], across * larger, most)

    def labels_beside(self, panel: Heatmap, cells: CellSize) -> Labels | None:
        """A map's row labels, in type no larger than that of its column labels; None where another map has them."""
        if panel not in self.arrangement.with_row_labels:
            return None
        larger, _ = self._larger(panel)
        largest = self.labels_above(panel, cells.across).face
        return self.target.labels.beside(panel.rows, len(panel.values), cells.down * larger, largest)

    def _larger(self, panel: Heatmap) -> tuple[float, float]:
        """How many times as high and as wide a map's cells are than those of the map that has the most."""
        zoom, own = self.target.closer.get(panel, (1.0, 1.0)), shape_in_cells(panel)
        down, across = (
            most / count * closer for most, count, closer in zip(self.arrangement.cells_in_map, own, zoom, strict=True)
        )
        return down, across

    def width_beside(self, panel: Heatmap, cells: CellSize) -> float:
        """The width of the row labels of the maps in a map's column."""
        labels = (self.labels_beside(one, cells) for one in self.arrangement.below_each_other(panel))
        return max((rows.room for rows in labels if rows), default=0.0)

    def overhang(self, panel: Heatmap, across: float) -> float:
        """How far the label of the last column reaches beyond the map's edge."""
        _, larger = self._larger(panel)
        return max(0.0, self.labels_above(panel, across).over - across * larger / 2)

    def bracket(self, panel: Panel) -> float:
        """The height of the bracket below a map; 0 without one, in low rooms, and where many maps would repeat it."""
        many = len(self.arrangement.maps) > _MOST_BRACKETED
        if not isinstance(panel, Heatmap) or panel.bracket is None or many:
            return 0.0
        (of_row, beside), line = _BRACKETED, self.target.style.small.line
        rows = len(self.arrangement.rows_of_maps) * self.arrangement.cells_in_map[0]
        return bracket_height(panel.bracket) * line * (self.target.room.height >= (of_row * rows + beside) * line)


@dataclass(frozen=True)
class ColourBars:
    """Colour bars beside the maps or below them."""

    arrangement: Arrangement
    style: Style

    @cached_property
    def after(self) -> list[float]:
        """The room after each column for upright bars; every row leaves it, so that maps are below each other."""
        found = [0.0] * max(map(len, self.arrangement.rows))
        for last, bar in self.arrangement.bars.items() if not self.arrangement.below else ():
            column = self.arrangement.column_of_bar(last)
            found[column] = max(found[column], self.offset(last) + self.width(bar))
        return found

    def offset(self, last: Heatmap) -> float:
        """The room that other bars take between a bar and its maps: a bar of fewer rows is nearer to them."""
        found, order = self.arrangement, list(self.arrangement.bars)
        own, column = found.rows_of_bar(last), found.column_of_bar(last)
        nearer = (
            self.width(bar)
            for one, bar in found.bars.items()
            if one is not last
            and found.column_of_bar(one) == column
            and found.rows_of_bar(one) & own
            and (len(found.rows_of_bar(one)), order.index(one)) < (len(own), order.index(last))
        )
        return max(nearer, default=0.0)

    def width(self, bar: Bar) -> float:
        """The width of an upright bar with its distance from the maps."""
        return self.apart + upright_breadth(bar, self.style)

    @property
    def names(self) -> float:
        """The height of the names above upright bars."""
        upright = () if self.arrangement.below else self.arrangement.bars.values()
        return max((len(name_lines(bar, self.style)) for bar in upright), default=0) * self.style.small.line

    @property
    def below(self) -> float:
        """The height below the maps for level bars with their distance from the maps."""
        return self.apart + level_height(self.style) if self.arrangement.below else 0.0

    @property
    def apart(self) -> float:
        """The distance of a bar from its maps."""
        return self.style.across / 2

    def tips_beside(self, panel: Slopes, height: float) -> tuple[float, float]:
        """The room of the tips at the lower and the upper end of the bar that is the axis of slopes; 0 without one."""
        if not has_axis_beside(panel, self.arrangement.panels):
            return 0.0, 0.0
        scale = panel.low, panel.high, panel.log
        bar = next(bar for bar in self.arrangement.bars.values() if (bar.low, bar.high, bar.log) == scale)
        return tips(bar, height, self.style.bar, self.style.small, upright=True)


@dataclass(frozen=True)
class Parts:
    """The room that the parts of an arrangement take in a target, with these titles."""

    arrangement: Arrangement
    target: Target
    titles: Titles

    @property
    def style(self) -> Style:
        return self.target.style

    @cached_property
    def maps(self) -> Maps:
        return Maps(self.arrangement, self.target)

    @cached_property
    def bars(self) -> ColourBars:
        return ColourBars(self.arrangement, self.style)

    @cached_property
    def room(self) -> Rect:
        """The rectangle, higher where it may grow and panels would be too low."""
        room = self.target.room
        least = self.fixed_height + self.least_height(maps=True) + self.least_height(maps=False)
        return replace(room, bottom=room.top + max(room.height, least)) if self.target.grows else room

    def height_around_plots(self, row: int) -> float:
        """The height that a row needs above and below its plots: names of marks above the first lane, the x axis below the
        last, the legend below links, and the brackets below maps."""
        lane, panels = self.arrangement.lanes[row], self.arrangement.rows[row]
        if not lane.is_lane:
            legend = self.style.legend if any(isinstance(panel, Links) for panel in panels) else 0.0
            least = self.target.below_maps if self.arrangement.has_maps[row] else 0.0
            return max(legend, least, *map(self.maps.bracket, panels))
        named = any(mark.label for panel in panels if isinstance(panel, Lines) for mark in panel.marks)
        above = self.style.small.line + _ABOVE_LANES if named and not lane.axis_of_above else 0.0
        return above + (0.0 if lane.axis_below else self.style.axis)

    def gap(self, row: int) -> float:
        """The distance to the next row."""
        return self.style.down / 2 if self.arrangement.lanes[row].axis_below else self.style.down

    def gaps_and_bars(self, row: int) -> float:
        """The width of a row's gaps and colour bars."""
        bars = self.bars.after if self.arrangement.has_maps[row] else ()
        return self.style.across * (len(self.arrangement.rows[row]) - 1) + sum(bars)

    @cached_property
    def fixed_height(self) -> float:
        """The height of gaps, titles, the bands' heads, the lanes' axis, and level colour bars."""
        rows = range(len(self.arrangement.rows))
        own = (self.titles.height(row) + self.titles.head + self.height_around_plots(row) for row in rows)
        return sum(own) + sum(map(self.gap, rows[:-1])) + self.bars.below

    def least_height(self, *, maps: bool) -> float:
        """The least height of all rows with maps, or of all without."""
        return sum(
            self.least_row_height(row) for row, has_maps in enumerate(self.arrangement.has_maps) if has_maps == maps
        )

    def least_row_height(self, row: int) -> float:
        """The least height of a row's plots."""
        if self.arrangement.lanes[row].is_lane:
            return (_LEAST_BEFORE_GROWTH if self.target.grows else _LEAST_LANE) * self.style.label.line
        return max(drawing_of(panel).least_height for panel in self.arrangement.rows[row]) * self.style.label.line
