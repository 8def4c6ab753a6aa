"""Curves, named where they end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from posenc_gui.figure import Axis, Lines, VerticalMark
from posenc_gui.look import LIGHT
from posenc_gui.render.colours import series_colours
from posenc_gui.render.fills import fills
from posenc_gui.render.labels import apart, every, levels
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.labels import LabelStyle, label_colour, labels_with_room, widest_label
from posenc_gui.render.paper.page import (
    ACCENT,
    AXIS_TITLE,
    GRID,
    GROUND,
    LABEL_ROOM,
    LINE,
    MUTED,
    SMALL,
    TWIN,
    Box,
    Curve,
    Dash,
    Page,
    draw_panel_title,
)
from posenc_gui.render.ticks import Ticks, ticks
from posenc_gui.render.words import elided, longest

AXIS = AXIS_TITLE + SMALL * LINE + 6  # what the axis along x takes below the curves
_FINE, _BROAD = 1.6, 5.0  # of a curve, and of one that others are compared with
_Number = TypeVar("_Number", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class _Plot:
    """Where curves are drawn: the box on the page, the range of numbers along its sides, the names beside it.

    `low` and `high` are logarithms where the scale is.
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
    """Draw the curves over their grid, with the marks and names that have room."""
    plot = _plot(panel, box, titles)
    if titles:
        draw_panel_title(page, panel.title, plot.box.left, box.top, plot.box.width)
    _draw_grid(page, panel, plot, box)
    _draw_marks(page, panel, plot)
    _draw_curves(page, panel, plot)
    _draw_curve_names(page, panel, plot)


def room_after(panel: Lines, width: float) -> float:
    """What the names of curves take after their end, in a box of this width."""
    return longest(_names(panel, width), measured(SMALL)) + 24


def _names(panel: Lines, width: float) -> tuple[str, ...]:
    return tuple(elided(series.label, min(LABEL_ROOM, width / 2), measured(SMALL)) for series in panel.series)


def _plot(panel: Lines, box: Box, titles: float) -> _Plot:
    start = min(float(series.x.min()) for series in panel.series)
    end = max(float(series.x.max()) for series in panel.series)
    if start == end:
        around = max(0.5, abs(start) * 1e-6)
        start, end = start - around, end + around
    low, high = (math.log10(panel.low), math.log10(panel.high)) if panel.log else (panel.low, panel.high)
    # Two neighbouring numbers can have the same logarithm.
    slack = (high - low) * 0.03 or 1e-9
    left = AXIS_TITLE + longest((text for _, text in _y_labels(panel, box.height)), measured(SMALL)) + 8
    names = _names(panel, box.width)
    right = room_after(panel, box.width)
    below = 0.0 if panel.shares_x else AXIS
    room = Box(box.left + left, box.bottom + below, box.width - left - right, box.height - below - titles)
    plot = _Plot(room, start, end, low - slack, high + slack, panel.log, names)
    above = max((level + 1 for _, _, level in _mark_names(panel, plot)), default=0) * SMALL * LINE
    return replace(plot, box=replace(room, height=room.height - above))


def _draw_grid(page: Page, panel: Lines, plot: _Plot, box: Box) -> None:
    room = plot.box
    for tick, text in _y_labels(panel, box.height):
        y = plot.y(tick)
        page.line((room.left, room.right), (y, y), GRID, 0.8, layer=GROUND)
        page.text(room.left - 6, y, text, SMALL, MUTED, "right")
    for x, text, colour in () if panel.shares_x else _x_labels(panel, plot):
        page.line((x, x), (room.bottom, room.bottom - 4), MUTED, 0.8)
        page.text(x, room.bottom - 7, text, SMALL, colour, "center", "top")
    page.line((room.left, room.left, room.right), (room.top, room.bottom, room.bottom), MUTED, 0.8)
    measure, middle = measured(SMALL), room.bottom + room.height / 2
    name, quantity = elided(panel.x.title, room.width, measure), elided(panel.quantity, room.height, measure)
    if not panel.shares_x:
        page.text(room.left + room.width / 2, box.bottom + SMALL / 2, name, SMALL, MUTED, "center")
    page.text(box.left + SMALL / 2, middle, quantity, SMALL, MUTED, "center", upright=True)


def _y_labels(panel: Lines, height: float) -> Ticks:
    most = min(8, max(5, int(height / 35))) if panel.log else 6
    return ticks(panel.low, panel.high, most, log=panel.log)


def _x_labels(panel: Lines, plot: _Plot) -> list[tuple[float, str, str]]:
    """Places, texts and colours along the x axis: its labels where they name all of it, numbers where not."""
    axis = panel.x
    if panel.has_words:
        labels = _word_labels(axis, plot.box.width / (plot.end - plot.start))
        return [(plot.x(at), text, label_colour(axis, at)) for at, text in labels if plot.start <= at <= plot.end]
    most = min(8, max(1, int(plot.box.width / 60)))
    return [(plot.x(tick), text, MUTED) for tick, text in ticks(plot.start, plot.end, most, whole=True)]


def _word_labels(axis: Axis, pitch: float) -> tuple[tuple[int, str], ...]:
    """An axis's words where there is room for all of them, else some, with their coordinates."""
    count, style = len(axis.labels), LabelStyle(SMALL, LABEL_ROOM, numbered=False)
    if widest_label(axis, count, style) + 8 > pitch:
        style = replace(style, numbered=True)
    return labels_with_room(axis, count, pitch, style, widest_label(axis, count, style) + 8)


def _draw_curves(page: Page, panel: Lines, plot: _Plot) -> None:
    curves = []
    colours = series_colours(LIGHT, panel.series)
    pairs = sorted(zip(panel.series, colours, strict=True), key=lambda pair: not pair[0].before)
    for series, colour in pairs:
        xs, ys = plot.x(series.x.astype(np.float64)), plot.y(series.y.astype(np.float64))
        dots = [(plot.x(x), plot.y(y)) for x, y in filter(plot.shows, series.dots)]
        curves.append(Curve(xs, ys, colour, "-", dots, _BROAD if series.before else _FINE))
    filled = [
        replace(fill, x=plot.x(fill.x), start=plot.y(fill.start), end=plot.y(fill.end)) for fill in fills(panel, LIGHT)
    ]
    page.curves(plot.box, curves, filled)


def _draw_curve_names(page: Page, panel: Lines, plot: _Plot) -> None:
    """Name each curve where it ends, or as many as there are lines of text."""
    pitch, left, colours = SMALL * LINE, plot.box.right + 20, series_colours(LIGHT, panel.series)
    some = ((number, panel.series[number]) for number in every(len(panel.series), pitch, plot.box.height))
    named = [(number, series) for number, series in some if series.label]
    ends = [min(max(plot.y(float(series.y[-1])), plot.box.bottom), plot.box.top) for _, series in named]
    heights = apart(ends, pitch, plot.box.bottom + pitch / 2, plot.box.top - pitch / 2)
    for (number, series), end, y in zip(named, ends, heights, strict=True):
        page.line((plot.x(float(series.x[-1])) + 4, left - 4), (end, y), colours[number], 0.8)
        page.text(left, y, plot.names[number], SMALL)


_MARK_COLOURS = {"end": MUTED, "focus": ACCENT, "twin": TWIN}
_MARK_DASHES: dict[str, Dash] = {"end": "-", "focus": "-", "twin": "--"}
_MARK_LEVELS = 3


def _draw_marks(page: Page, panel: Lines, plot: _Plot) -> None:
    for mark in _marks_in_sight(panel, plot):
        x, colour, dash = plot.x(mark.x), _MARK_COLOURS[mark.kind], _MARK_DASHES[mark.kind]
        page.line((x, x), (plot.box.bottom, plot.box.top), colour, 1.0, dash, layer=GROUND)
    for mark, left, level in _mark_names(panel, plot):
        y = plot.box.top + 4 + level * SMALL * LINE
        page.text(left, y, _mark_name(mark), SMALL, _MARK_COLOURS[mark.kind], at="bottom")


def _marks_in_sight(panel: Lines, plot: _Plot) -> list[VerticalMark]:
    return sorted((mark for mark in panel.marks if plot.start <= mark.x <= plot.end), key=lambda mark: mark.x)


def _mark_name(mark: VerticalMark) -> str:
    return elided(mark.label, LABEL_ROOM, measured(SMALL))


def _mark_names(panel: Lines, plot: _Plot) -> list[tuple[VerticalMark, float, int]]:
    """Each mark with its word's left end and level above the plot; what finds no free place goes without its word."""
    marks = [mark for mark in _marks_in_sight(panel, plot) if mark.label]
    spans = []
    for mark in marks:
        width = measured(SMALL)(_mark_name(mark))
        left = min(max(plot.x(mark.x) - width / 2, plot.box.left), plot.box.right - width)
        spans.append((left, left + width))
    placed = zip(marks, spans, levels(spans, _MARK_LEVELS, gap=6), strict=True)
    return [(mark, left, level) for mark, (left, _), level in placed if level is not None]
