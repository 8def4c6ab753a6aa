"""Bars as a drawing: groups of level bars from top to bottom, with their categories at the left and a legend above."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Bars
from posenc_gui.foundation.wording import format_plain, format_side_by_side
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage, ZoomRange, focus_or_first
from posenc_gui.render.drawings.parts import Box, Clipped, Part, Side, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.cell_labels import BESIDE, CellLabels, Labels
from posenc_gui.render.layout.colour_scales import curve_colours, label_colour
from posenc_gui.render.layout.label_placement import Ticks, ticks_that_fit
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, from_where_they_differ, longest, visible, wrapped

_LONGEST, _OF_LABELS = 14.0, 0.55  # lines of labels, and of the width: the longest label of a category
_THICKEST = 1.8  # lines of labels
_GROUP = 0.78  # of a group's height is bars; the rest separates it from the next
_TOUCHING = 3.0  # units: groups no higher than this touch, since gaps between them would flicker
_NUMBERED = 0.85  # lines of small type: the least height of a bar with its number, a digit's and a little air
_LEAST_WIDTH = 0.3  # of the width: bars with less have no numbers, which would take it
_BESIDE_BAR, _AIR = 4.0, 8.0  # units: between a bar and its number, and between numbers and the quantity after them
_TICK, _BETWEEN_TICKS, _MOST_TICKS = 5.0, 14.0, 8
# Categories whose labels need the height: then a quantity that takes no more of the width stands beside its numbers.
_CROWDED, _OF_QUANTITY = 20, 0.12
_KEY, _BESIDE_KEY, _APART = 8.0, 5.0, 16.0  # units: a colour of the legend, and the gaps beside a name
_OF_LEGEND = 0.3  # of the height, at most
_MOST_NAME_LINES = 4
_NOISE = 1e-6  # of the longest bar


class _Entry(NamedTuple):
    """A series in the legend: its number, its name line by line, and its length with the gap after it."""

    number: int
    lines: Sequence[str]
    length: float


class BarsDrawing(Drawing[Bars]):
    """Bars over a grid, first category and first series at the top; only some categories where rows are zoomed."""

    least_height, comfortable = 8.0, 8.0
    has_axis_below = True

    def __init__(self, panel: Bars, stage: Stage, widest: Bars | None = None) -> None:
        super().__init__(panel, stage, widest)
        style, small, axis = stage.style, stage.style.small, self.widest.categories
        self.seen = replace(stage.seen or self.zoom_range(panel).shown, left=panel.low, right=panel.high)
        self._legend = self._legend_of(self.widest)
        is_short = small.measure(panel.quantity) <= _OF_QUANTITY * stage.width
        self._is_crowded = len(axis.labels) >= _CROWDED and is_short
        above = sum(map(_lines_in, self._legend)) * small.line + _BESIDE_BAR * bool(self._legend)
        below = _TICK + small.line * (1 if self._is_crowded or not panel.quantity else 2)
        most = _THICKEST * style.label.line * len(panel.series) / _GROUP
        self._pitch = max(1e-3, min((stage.height - above - below) / self.seen.height, most))
        self._thickness = self._pitch * (_GROUP if self._pitch > _TOUCHING else 1) / len(panel.series)
        room = self._pitch if len(panel.series) == 1 else self._thickness
        # Where bars are too thin for all numbers, those that are told stand at the last bar of their group.
        self._ends_alone = bool(panel.told) and room < _NUMBERED * small.line
        self._is_numbered = (self._pitch if self._ends_alone else room) >= _NUMBERED * small.line
        self._labels = self._labels_of(panel)
        self._words_end = self._labels_of(self.widest).room + small.line * bool(style.is_paper and axis.title)
        before, after = self._beyond()
        if stage.width - self._words_end - before - after < _LEAST_WIDTH * stage.width:
            self._is_numbered = False
            before, after = self._beyond()
        left = self._words_end + before
        right = max(left + 1, stage.width - after)
        self.plot = Rect(left, above, right, above + self._pitch * self.seen.height)
        self.field = replace(self.plot, left=0.0, right=stage.width)

    @staticmethod
    def zoom_range(panel: Bars) -> ZoomRange:
        return ZoomRange.of_rows(panel.categories)

    @staticmethod
    def places(panel: Bars) -> tuple[int, ...]:
        return len(panel.categories.labels), len(panel.series)

    @staticmethod
    def widest_of(panels: Sequence[Bars], measure: Measure) -> Bars:
        """Bars with the longest numbers and labels."""
        found = Drawing.widest_of(panels, measure)
        longest_of = partial(max, key=lambda number: measure(format_plain(number)))
        series = (
            replace(one, values=np.array([*map(longest_of, *(own.values.tolist() for own in same))], one.values.dtype))
            for one, *same in zip(found.series, *(panel.series for panel in panels), strict=True)
        )
        return replace(found, series=tuple(series))

    def _labels_of(self, panel: Bars) -> Labels:
        """The labels of categories, in small type where not all are whole in the usual one."""
        style, axis = self.stage.style, panel.categories
        most = min(_LONGEST * style.label.line, _OF_LABELS * self.stage.width)
        labels = CellLabels(replace(style, longest=most, is_paper=False))
        is_whole = longest([visible(word) for word in axis.marks], style.label.measure) <= most
        return labels.beside(axis, len(axis.labels), self._pitch, style.label if is_whole else style.small)

    def _beyond(self) -> tuple[float, float]:
        """The room at the left and the right of the plot for numbers at the ends of bars, and for half a tick's."""
        measure = self.stage.style.small.measure
        texts = [text for group in _texts(self.widest) for text in group] if self._is_numbered else []
        before, after = (
            longest((text for text in texts if (text[0] == "−") == side), measure) for side in (True, False)
        )
        tick = longest((text for _, text in self._ticks(self.stage.width)), measure) / 2
        return max(before + _BESIDE_BAR * bool(before), 0.0), max(after + _BESIDE_BAR + 2, tick)

    def draw(self) -> Iterator[Part]:
        yield from self._draw_legend()
        yield from self._grid()
        bars = Clipped(self.field, tuple(self._bars()))
        yield from [bars] if self.stage.seen else bars.parts
        zero = self._x(0)
        yield Stroke(straight((zero, self.plot.top), (zero, self.plot.bottom)), self.stage.roles.muted, 1.0)
        yield from self._categories()

    def _x(self, value: float) -> float:
        return self.place(min(max(value, self.panel.low), self.panel.high), 0)[0]

    def _y(self, coordinate: float) -> float:
        return self.place(0, coordinate)[1]

    def _ticks(self, width: float) -> Ticks:
        measure, panel = self.stage.style.small.measure, self.panel
        return ticks_that_fit(panel.low, panel.high, _MOST_TICKS, width, _BETWEEN_TICKS, measure, whole=_counts(panel))

    def _grid(self) -> Iterator[Part]:
        """Draw the grid with its numbers, and the quantity below them; beside crowded bars, at their end."""
        plot, roles, small = self.plot, self.stage.roles, self.stage.style.small
        y, ticks, end = plot.bottom + _TICK + small.line / 2, self._ticks(plot.width), math.inf
        if self.panel.quantity and self._is_crowded:
            first = max((small.measure(text) / 2 for _, text in ticks[:1]), default=0.0)
            name = elided(visible(self.panel.quantity), self.stage.width - plot.left - first - _AIR, small.measure)
            yield Text(self.stage.width, y, name, roles.muted, "small", "right")
            end = self.stage.width - small.measure(name) - _AIR
        elif self.panel.quantity:
            name = elided(visible(self.panel.quantity), self.stage.width, small.measure)
            yield Text(max(plot.right, small.measure(name)), y + small.line, name, roles.muted, "small", "right")
        for tick, text in ticks:
            x = self._x(tick)
            yield Stroke(straight((x, plot.top), (x, plot.bottom)), roles.grid, 0.8)
            if x + small.measure(text) / 2 <= end:
                yield Text(x, y, text, roles.muted, "small", "center")

    def _bars(self) -> Iterator[Part]:
        colours, group = (
            curve_colours(self.stage.roles, len(self.panel.series)),
            self._thickness * len(self.panel.series),
        )
        first, low, high = self.panel.categories.first, self.seen.top, self.seen.bottom
        zero, measure = self._x(0), self.stage.style.small.measure
        gap = 1.0 if len(self.panel.series) > 1 and self._thickness > 4 else 0.0
        texts = _texts(self.panel)
        for index, series in enumerate(self.panel.series):
            for category, value in enumerate(series.values.tolist(), first):
                if not low - 1 < category < high + 1:
                    continue
                top = self._y(category) - group / 2 + index * self._thickness
                start, end = sorted((zero, self._x(value)))
                yield Box(Rect(start, top, end, top + self._thickness - gap), colours[index])
                text = texts[category - first][index]
                side: Side
                x, side = (start - _BESIDE_BAR, "right") if value < 0 else (end + _BESIDE_BAR, "left")
                reach = x + measure(text) * (-1 if value < 0 else 1)
                told = not self.panel.told or category in self.panel.told
                told = told and not (self._ends_alone and index < len(self.panel.series) - 1)
                if told and self._is_numbered and 0 <= reach <= self.stage.width:
                    yield Text(x, top + self._thickness / 2, text, self.stage.roles.muted, "small", side)

    def _categories(self) -> Iterator[Part]:
        axis, labels, style = self.panel.categories, self._labels, self.stage.style
        size = style.size_of(labels.face)
        for coordinate, text in labels.texts:
            if self.seen.top <= coordinate <= self.seen.bottom:
                colour, y = label_colour(axis, coordinate, self.stage.roles), self._y(coordinate)
                yield Text(self._words_end - BESIDE / 2, y, text, colour, size, "right")
        if style.is_paper and axis.title:
            name = elided(visible(axis.title), self.plot.height, style.small.measure)
            y = (self.plot.top + self.plot.bottom) / 2
            yield Text(style.small.line / 2, y, name, self.stage.roles.muted, "small", "center", angle=90)

    def _legend_of(self, panel: Bars) -> list[list[_Entry]]:
        """The entries in each row of the legend, none for a single series; where names are long they take several lines, or
        have only what tells them apart."""
        names = [visible(series.label) for series in panel.series]
        small, room = self.stage.style.small, self.stage.width - _KEY - _BESIDE_KEY
        if sum(map(bool, map(small.measure, names))) < 2:
            return []
        rows = self._in_rows([wrapped(name, room, _MOST_NAME_LINES, small.measure) for name in names])
        if sum(map(_lines_in, rows)) * small.line <= _OF_LEGEND * self.stage.height:
            return rows
        return self._in_rows([[elided(name, room, small.measure)] for name in from_where_they_differ(names)])

    def _in_rows(self, names: Sequence[Sequence[str]]) -> list[list[_Entry]]:
        rows, left = list[list[_Entry]](), 0.0
        for number, lines in enumerate(names):
            length = _KEY + _BESIDE_KEY + longest(lines, self.stage.style.small.measure) + _APART
            if not rows or left + length - _APART > self.stage.width:
                rows.append([])
                left = 0.0
            rows[-1].append(_Entry(number, lines, length))
            left += length
        return rows

    def _draw_legend(self) -> Iterator[Part]:
        colours, line, y = curve_colours(self.stage.roles, len(self.panel.series)), self.stage.style.small.line, 0.0
        for row in self._legend_of(self.panel):
            x = 0.0
            for entry in row:
                top = y + (line - _KEY) / 2
                yield Box(Rect(x, top, x + _KEY, top + _KEY), colours[entry.number])
                for below, words in enumerate(entry.lines):
                    middle = y + (below + 0.5) * line
                    yield Text(x + _KEY + _BESIDE_KEY, middle, words, self.stage.roles.ink, "small", signed=True)
                x += entry.length
            y += _lines_in(row) * line

    is_marked_on_top = True

    def draw_marked(self, marked: Hashable) -> Iterator[Part]:
        """Frame the bars of a category."""
        if isinstance(marked, int) and self.seen.top <= marked <= self.seen.bottom:
            top = self._y(marked - 0.5)
            frame = Rect(self.plot.left, top, self.stage.width - 1, top + self._pitch)
            yield Box(frame, frame=self.stage.roles.muted)

    def marked_by(self, pointer: Pointer) -> int | None:
        return self.panel.categories.shown(pointer)

    def cells(self, least: float) -> Iterator[Rect]:
        rows = (self._y(at - 0.5) for at, _ in enumerate(self.panel.categories.labels, self.panel.categories.first))
        return tiles(self.field, (), rows, least)

    def start(self) -> Spot:
        return 0, focus_or_first(self.panel.categories, len(self.panel.categories.labels))

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # A bar has no neighbours at its sides, so left and right move to the next panel.
        return x, self.panel.categories.first - 1 if dx else y + dy


def _texts(panel: Bars) -> list[list[str]]:
    """The numbers of each category's bars; what is rounding error beside the longest bar reads as 0."""
    least = _NOISE * max(-panel.low, panel.high)
    groups = zip(*(series.values.tolist() for series in panel.series), strict=True)
    return [format_side_by_side([0.0 if abs(value) < least else value for value in group]) for group in groups]


def _lines_in(row: Sequence[_Entry]) -> int:
    return max(len(entry.lines) for entry in row)


def _counts(panel: Bars) -> bool:
    """True if bars are counts, so that ticks must be whole numbers."""
    return panel.high >= 1 and all(
        value >= 0 and value.is_integer() for series in panel.series for value in series.values.tolist()
    )
