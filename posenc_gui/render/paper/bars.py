"""Horizontal bars in groups, with categories at the left and numbers at the bars' ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from posenc_gui.figure.panels import Bars
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.layout.colour_scales import curve_colours, label_colour
from posenc_gui.render.layout.heatmap_cells import counts
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, longest, visible, wrapped
from posenc_gui.render.layout.ticks import Ticks, ticks_that_fit
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL
from posenc_gui.render.paper.labels import LabelStyle, labels_with_room, widest_label
from posenc_gui.render.paper.page import GROUND, Page

_AXIS_TITLE = 18.0  # height of an axis title
_LABEL_ROOM = 220.0  # the longest label of a category: beside its bars it has more room than labels elsewhere
_OF_LABELS = 0.62  # of the width, at most
_THICKEST = 34.0
_GROUP = 0.78  # of a group's height is bars; the rest separates it from the next
_TOUCHING = 3.0  # groups no higher than this touch: gaps between them would flicker
_LEGEND, _SWATCH, _BESIDE_SWATCH, _APART = SMALL * 2, 9.0, 5.0, 17.0
_MOST_LINES = 4  # of a name in the legend
_MOST_TICKS = 8
_CROWDED = 20  # categories: their labels need the height
_AIR = 8.0  # between numbers and the quantity after them


@dataclass(frozen=True)
class _BarPlot:
    """The plot area: the box that `low` to `high` spans, and the style of the text around it.

    labels: the x at which category labels end. numbers: the type size of the numbers at the bars' ends, None if they
    have no room.
    """

    box: Rect
    low: float
    high: float
    pitch: float
    labels: float
    style: LabelStyle
    numbers: float | None

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.box.left + share * self.box.width


def draw(panel: Bars, page: Page, box: Rect, titles: float, widest: Bars) -> None:
    """Draw the bars over their grid, first category and first series at the top, with room for the texts of `widest`."""
    legend = _legend(widest, box.width)
    above = _LEGEND + SMALL * LINE * (_lines_of(legend) - 1) if legend else 0.0
    plot = replace(_plot(widest, box, titles + above, page.title), low=panel.low, high=panel.high)
    _draw_legend(page, panel, _legend(panel, box.width), box.left, box.top - titles - SMALL / 2)
    _draw_grid(page, panel, plot, box.right)
    _draw_categories(page, panel, plot, box)
    _draw_bars(page, panel, plot)


def _plot(panel: Bars, box: Rect, above: float, largest: float) -> _BarPlot:
    count = len(panel.categories.labels)
    lines = 1 if count >= _CROWDED else 2
    room = box.height - above - lines * SMALL * LINE - 7
    pitch = min(room / count, _THICKEST * len(panel.series) / _GROUP)
    thickness = pitch * _GROUP / len(panel.series)
    numbers = SMALL if thickness * 0.9 >= SMALL else None
    size = min(max(SMALL, pitch * 0.45), largest)
    style = LabelStyle(size, min(_LABEL_ROOM, _OF_LABELS * box.width), numbered=False)
    # Where labels are thinned, a repeated one needs its number to say where it is.
    words = panel.categories.labels
    style = replace(style, numbered=pitch < style.pitch and len(set(words)) < len(words))

    values = [float(value) for series in panel.series for value in series.values]
    ends = {
        side: longest((format_number(value) for value in values if (value < 0) == side), measured(numbers)) + 6
        if numbers
        else 0.0
        for side in (True, False)
    }
    tick = longest((text for _, text in _ticks(panel, box.width)), measured(SMALL)) / 2
    before = ends[True] if min(values) < 0 else 0.0
    labels = box.left + (_AXIS_TITLE if panel.categories.title else 0.0) + widest_label(panel.categories, count, style)
    left, right = labels + 8 + before, box.right - max(ends[False], tick)
    place = Rect.up_from(left, box.top - above - pitch * count, right - left, pitch * count)
    return _BarPlot(place, panel.low, panel.high, pitch, labels, style, numbers)


def _draw_grid(page: Page, panel: Bars, plot: _BarPlot, right: float) -> None:
    """Draw the grid with its numbers, and the quantity below them; beside crowded bars, at their end."""
    room, measure, y = plot.box, measured(SMALL), plot.box.bottom - 7
    end = math.inf
    if len(panel.categories.labels) < _CROWDED:
        name = elided(panel.quantity, right - room.left, measure)
        page.text(room.left + room.width / 2, y - SMALL * LINE, name, SMALL, page.roles.muted, "center", "top")
    elif panel.quantity:
        first = max((measure(text) / 2 for _, text in _ticks(panel, room.width)[:1]), default=0.0)
        name = elided(panel.quantity, right - room.left - first - _AIR, measure)
        page.text(right, y, name, SMALL, page.roles.muted, "right", "top")
        end = right - measure(name) - _AIR
    for tick, text in _ticks(panel, room.width):
        x = plot.x(tick)
        page.line((x, x), (room.bottom, room.top), page.roles.grid, 0.8, layer=GROUND)
        if x + measure(text) / 2 <= end:
            page.text(x, y, text, SMALL, page.roles.muted, "center", "top")
    page.line((plot.x(0), plot.x(0)), (room.bottom, room.top), page.roles.muted, 1.0)


def _ticks(panel: Bars, width: float) -> Ticks:
    return ticks_that_fit(panel.low, panel.high, _MOST_TICKS, width, 14, measured(SMALL), whole=counts(panel))


def _draw_categories(page: Page, panel: Bars, plot: _BarPlot, box: Rect) -> None:
    axis, room = panel.categories, plot.box
    for coordinate, label in labels_with_room(axis, len(axis.labels), plot.pitch, plot.style, plot.style.pitch):
        y = room.top - (coordinate - axis.first + 0.5) * plot.pitch
        page.text(plot.labels, y, label, plot.style.size, label_colour(axis, coordinate, page.roles), "right")
    name = elided(axis.title, room.height, measured(SMALL))
    page.text(box.left + SMALL / 2, room.bottom + room.height / 2, name, SMALL, page.roles.muted, "center", angle=90)


def _draw_bars(page: Page, panel: Bars, plot: _BarPlot) -> None:
    group = plot.pitch * (_GROUP if plot.pitch > _TOUCHING else 1)
    thickness = group / len(panel.series)
    colours = curve_colours(page.roles, len(panel.series))
    for index, series in enumerate(panel.series):
        boxes = []
        for row, value in enumerate(series.values.tolist()):
            top = plot.box.top - row * plot.pitch - (plot.pitch - group) / 2 - index * thickness
            start, end = sorted((plot.x(0), plot.x(value)))
            boxes.append(Rect.up_from(start, top - thickness, end - start, thickness))
            if plot.numbers is not None:
                x, y = start - 4 if value < 0 else end + 4, top - thickness / 2
                page.text(x, y, format_number(value), plot.numbers, page.roles.muted, "right" if value < 0 else "left")
        page.boxes(boxes, colours[index])


class _LegendEntry(NamedTuple):
    """A series in the legend, and its name line by line."""

    number: int
    lines: list[str]

    @property
    def breadth(self) -> float:
        """The length of the entry with the gap after it."""
        return _SWATCH + _BESIDE_SWATCH + longest(self.lines, measured(SMALL)) + _APART


def _legend(panel: Bars, width: float) -> list[list[_LegendEntry]]:
    """The entries in each row of the legend; no row for a single series."""
    rows, left = list[list[_LegendEntry]](), 0.0
    for number, series in enumerate(panel.series if len(panel.series) > 1 else ()):
        room = width - _SWATCH - _BESIDE_SWATCH
        entry = _LegendEntry(number, wrapped(visible(series.label), room, _MOST_LINES, measured(SMALL)))
        if not rows or left + entry.breadth - _APART > width:
            rows.append([])
            left = 0.0
        rows[-1].append(entry)
        left += entry.breadth
    return rows


def _lines_of(legend: Sequence[Sequence[_LegendEntry]]) -> int:
    return sum(_lines_in(row) for row in legend)


def _lines_in(row: Sequence[_LegendEntry]) -> int:
    return max(len(entry.lines) for entry in row)


def _draw_legend(page: Page, panel: Bars, legend: Sequence[Sequence[_LegendEntry]], left: float, y: float) -> None:
    colours = curve_colours(page.roles, len(panel.series))
    for row in legend:
        x = left
        for entry in row:
            page.boxes([Rect.up_from(x, y - _SWATCH / 2, _SWATCH, _SWATCH)], colours[entry.number])
            for below, line in enumerate(entry.lines):
                page.signed_text(x + _SWATCH + _BESIDE_SWATCH, y - below * SMALL * LINE, line, SMALL)
            x += entry.breadth
        y -= _lines_in(row) * SMALL * LINE
