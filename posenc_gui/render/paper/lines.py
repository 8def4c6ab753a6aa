"""Curves, labelled at their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Lines, VerticalMark
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import label_colour, series_colours
from posenc_gui.render.layout.fills import fills
from posenc_gui.render.layout.label_placement import apart, every, levels
from posenc_gui.render.layout.text_fit import elided, longest
from posenc_gui.render.layout.ticks import Ticks, ticks, ticks_that_fit
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.labels import LabelStyle, labels_with_room, widest_label
from posenc_gui.render.paper.page import (
    AXIS_TITLE,
    GROUND,
    LABEL_ROOM,
    LINE,
    SMALL,
    Box,
    Curve,
    Dash,
    Page,
    draw_panel_title,
)

AXIS = AXIS_TITLE + SMALL * LINE + 6  # the height of the x axis below the curves
_FINE, _BROAD, _LEVEL = (
    1.6,
    5.0,
    1.0,
)  # widths of a curve, of the reference that it is compared with, and of a level line
_OF_NAMES = 0.38  # the maximum share of the width for the labels at the curves' right ends
_AIR = 8.0  # between numbers side by side
_LEAST = 4.0  # the side length of a plot area if there is no space for it
_DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")
_Number = TypeVar("_Number", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class _Plot:
    """The plot area: the box, the ranges along its sides, and the labels beside it.

    `low` and `high` are logarithms if the scale is logarithmic.
    """

    box: Box
    start: float
    end: float
    low: float
    high: float
    log: bool
    names: tuple[str, ...]

    def x(self, value: _Number) -> _Number:
        return self.box.left + (value - self.start) / (self.end - self.start) * self.box.width

    def y(self, value: _Number) -> _Number:
        level = np.log10(value) if self.log else value
        return self.box.bottom + (level - self.low) / (self.high - self.low) * self.box.height

    def shows(self, dot: tuple[float, float]) -> bool:
        return self.start <= dot[0] <= self.end and self.box.bottom <= self.y(dot[1]) <= self.box.top


def draw(panel: Lines, page: Page, box: Box, titles: float) -> None:
    """Draw the curves over their grid, with as many ticks and labels as fit."""
    plot = _plot(panel, box, titles)
    if titles:
        before = plot.box.left - box.left
        draw_panel_title(page, panel.title, plot.box.left, box.top, box.width - before, before)
    _draw_grid(page, panel, plot, box)
    _draw_marks(page, panel, plot)
    _draw_curves(page, panel, plot)
    _draw_curve_names(page, panel, plot)


def room_after(panel: Lines, width: float) -> float:
    """Return the width of the curve labels to the right of the curves, in a box of this width."""
    return longest(_names(panel, width), measured(SMALL)) + 24


def _names(panel: Lines, width: float) -> tuple[str, ...]:
    return tuple(elided(series.label, min(LABEL_ROOM, width * _OF_NAMES), measured(SMALL)) for series in panel.series)


def _plot(panel: Lines, box: Box, titles: float) -> _Plot:
    start = min(float(series.x.min()) for series in panel.series)
    end = max(float(series.x.max()) for series in panel.series)
    if start == end:
        around = max(0.5, abs(start) * 1e-6)
        start, end = start - around, end + around
    low, high = (math.log10(panel.low), math.log10(panel.high)) if panel.log else (panel.low, panel.high)
    # Two neighbouring floats can have the same logarithm.
    slack = (high - low) * 0.03 or 1e-9
    left = AXIS_TITLE + longest((text for _, text in _y_labels(panel, box.height)), measured(SMALL)) + 8
    names = _names(panel, box.width)
    right = room_after(panel, box.width)
    below = 0.0 if panel.shares_x else AXIS
    width, height = box.width - left - right, box.height - below - titles
    room = Box(box.left + left, box.bottom + below, max(_LEAST, width), max(_LEAST, height))
    plot = _Plot(room, start, end, low - slack, high + slack, panel.log, names)
    above = max((level + 1 for _, _, level in _mark_names(panel, plot)), default=0) * SMALL * LINE
    return replace(plot, box=replace(room, height=max(_LEAST, room.height - above)))


def _draw_grid(page: Page, panel: Lines, plot: _Plot, box: Box) -> None:
    room = plot.box
    for tick, text in _y_labels(panel, box.height):
        y = plot.y(tick)
        page.line((room.left, room.right), (y, y), page.roles.grid, 0.8, layer=GROUND)
        page.text(room.left - 6, y, text, SMALL, page.roles.muted, "right")
    for x, text, colour in () if panel.shares_x else _x_labels(panel, plot, page.roles):
        page.line((x, x), (room.bottom, room.bottom - 4), page.roles.muted, 0.8)
        page.text(x, room.bottom - 7, text, SMALL, colour, "center", "top")
    page.line((room.left, room.left, room.right), (room.top, room.bottom, room.bottom), page.roles.muted, 0.8)
    measure, middle = measured(SMALL), room.bottom + room.height / 2
    name, quantity = elided(panel.x.title, room.width, measure), elided(panel.quantity, room.height, measure)
    if not panel.shares_x:
        page.text(room.left + room.width / 2, box.bottom + SMALL / 2, name, SMALL, page.roles.muted, "center")
    page.text(box.left + SMALL / 2, middle, quantity, SMALL, page.roles.muted, "center", upright=True)


def _y_labels(panel: Lines, height: float) -> Ticks:
    fitting = max(1, int(height / (2 * SMALL)))
    most = min(8, max(5, int(height / 35)), fitting + 1) if panel.log else min(6, fitting)
    return ticks(panel.low, panel.high, most, log=panel.log)


def _x_labels(panel: Lines, plot: _Plot, roles: Roles) -> list[tuple[float, str, str]]:
    """Return positions, texts and colours of the x axis's tick labels: text labels if they cover the axis, else numbers."""
    axis = panel.x
    if panel.has_words:
        labels = _word_labels(axis, plot.box.width / (plot.end - plot.start))
        return [
            (plot.x(at), text, label_colour(axis, at, roles)) for at, text in labels if plot.start <= at <= plot.end
        ]
    most, room = min(8, max(1, int(plot.box.width / 60))), plot.box.width
    fitting = ticks_that_fit(plot.start, plot.end, most, room, _AIR, measured(SMALL), whole=True)
    return [(plot.x(tick), text, roles.muted) for tick, text in fitting]


def _word_labels(axis: Axis, pitch: float) -> tuple[tuple[int, str], ...]:
    """Return an axis's labels with their coordinates; only some of them if not all fit."""
    count, style = len(axis.labels), LabelStyle(SMALL, LABEL_ROOM, numbered=False)
    if widest_label(axis, count, style) + 8 > pitch:
        style = replace(style, numbered=True)
    return labels_with_room(axis, count, pitch, style, widest_label(axis, count, style) + 8)


def _draw_curves(page: Page, panel: Lines, plot: _Plot) -> None:
    curves = []
    styles = zip(panel.series, series_colours(page.roles, panel.series), _dashes(page, panel), strict=True)
    for series, colour, dash in sorted(styles, key=lambda style: not style[0].before):
        xs, ys = plot.x(series.x.astype(np.float64)), plot.y(series.y.astype(np.float64))
        dots = [(plot.x(x), plot.y(y)) for x, y in filter(plot.shows, series.dots)]
        width = _LEVEL if series.level else _BROAD if series.before else _FINE
        curves.append(Curve(xs, ys, colour, "--" if series.level else dash, dots, width))
    filled = [
        replace(fill, x=plot.x(fill.x), start=plot.y(fill.start), end=plot.y(fill.end))
        for fill in fills(panel, page.roles)
    ]
    page.curves(plot.box, curves, filled)


def _dashes(page: Page, panel: Lines) -> Sequence[Dash]:
    """Return the dash pattern of each curve; neighbours differ if colours alone don't distinguish them."""
    if len(panel.series) <= (1 if page.is_mono else len(page.roles.curves)) or any(one.before for one in panel.series):
        return ["-"] * len(panel.series)
    return [_DASHES[number % len(_DASHES)] for number in range(len(panel.series))]


def _draw_curve_names(page: Page, panel: Lines, plot: _Plot) -> None:
    """Label each curve at its end, or as many curves as lines of text fit."""
    pitch, left, colours = SMALL * LINE, plot.box.right + 20, series_colours(page.roles, panel.series)
    some = ((number, panel.series[number]) for number in every(len(panel.series), pitch, plot.box.height))
    named = [(number, series) for number, series in some if series.label]
    ends = [min(max(plot.y(float(series.y[-1])), plot.box.bottom), plot.box.top) for _, series in named]
    heights = apart(ends, pitch, plot.box.bottom + pitch / 2, plot.box.top - pitch / 2)
    for (number, series), end, y in zip(named, ends, heights, strict=True):
        page.line((plot.x(float(series.x[-1])) + 4, left - 4), (end, y), colours[number], 0.8)
        page.text(left, y, plot.names[number], SMALL)


_MARK_DASHES: dict[str, Dash] = {"end": "-", "focus": "-", "twin": "--"}
_MARK_LEVELS = 3


def _draw_marks(page: Page, panel: Lines, plot: _Plot) -> None:
    colours = {"end": page.roles.muted, "focus": page.roles.focus, "twin": page.roles.twin}
    for mark in _marks_in_sight(panel, plot):
        x, colour, dash = plot.x(mark.x), colours[mark.kind], _MARK_DASHES[mark.kind]
        page.line((x, x), (plot.box.bottom, plot.box.top), colour, 1.0, dash, layer=GROUND)
    for mark, left, level in _mark_names(panel, plot):
        y = plot.box.top + 4 + level * SMALL * LINE
        page.text(left, y, _mark_name(mark), SMALL, colours[mark.kind], at="bottom")


def _marks_in_sight(panel: Lines, plot: _Plot) -> list[VerticalMark]:
    return sorted((mark for mark in panel.marks if plot.start <= mark.x <= plot.end), key=lambda mark: mark.x)


def _mark_name(mark: VerticalMark) -> str:
    return elided(mark.label, LABEL_ROOM, measured(SMALL))


def _mark_names(panel: Lines, plot: _Plot) -> list[tuple[VerticalMark, float, int]]:
    """Return each vertical line whose label fits, with the label's left end and its text line above the plot."""
    marks = [mark for mark in _marks_in_sight(panel, plot) if mark.label]
    spans = []
    for mark in marks:
        width = measured(SMALL)(_mark_name(mark))
        left = min(max(plot.x(mark.x) - width / 2, plot.box.left), plot.box.right - width)
        spans.append((left, left + width))
    placed = zip(marks, spans, levels(spans, _MARK_LEVELS, gap=6), strict=True)
    return [(mark, left, level) for mark, (left, _), level in placed if level is not None]
