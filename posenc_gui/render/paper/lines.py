"""Curves, named where they end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from posenc_gui.figure import Axis, Lines, VerticalMark
from posenc_gui.render.paper.page import (
    ACCENT,
    AXIS_TITLE,
    CURVE_NAMES,
    CURVES,
    LABEL_ROOM,
    LINE,
    MUTED,
    RULE,
    SMALL,
    TWIN,
    UPRIGHT,
    Box,
    Page,
    draw_panel_title,
)
from posenc_gui.render.paper.ticks import (
    LabelStyle,
    label_colour,
    log_tick_texts,
    log_ticks,
    round_ticks,
    thinned,
    tick_texts,
    widest_label,
)
from posenc_gui.render.paper.words import elided, longest, width_of

_DASHES = ("-", "--", ":")
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
    draw_panel_title(page, panel.title, plot.box.left, box.top, plot.box.width)
    _draw_grid(page, panel, plot, box)
    _draw_marks(page, panel, plot)
    _draw_curves(page, panel, plot)
    _draw_curve_names(page, panel, plot)


def _plot(panel: Lines, box: Box, titles: float) -> _Plot:
    start = min(float(series.x.min()) for series in panel.series)
    end = max(float(series.x.max()) for series in panel.series)
    if start == end:
        around = max(0.5, abs(start) * 1e-6)
        start, end = start - around, end + around
    low, high = (math.log10(panel.low), math.log10(panel.high)) if panel.log else (panel.low, panel.high)
    # Two neighbouring numbers can have the same logarithm.
    slack = (high - low) * 0.03 or 1e-9
    left = AXIS_TITLE + longest((text for _, text in _y_labels(panel, box.height)), SMALL) + 8
    names = tuple(elided(series.label, min(LABEL_ROOM, box.width / 4), SMALL) for series in panel.series)
    right = longest(names, SMALL) + 24
    below = AXIS_TITLE + SMALL * LINE + 6
    room = Box(box.left + left, box.bottom + below, box.width - left - right, box.height - below - titles)
    plot = _Plot(room, start, end, low - slack, high + slack, panel.log, names)
    levels = max((level + 1 for _, _, level in _mark_names(panel, plot)), default=0)
    return replace(plot, box=replace(room, height=room.height - levels * SMALL * LINE))


def _draw_grid(page: Page, panel: Lines, plot: _Plot, box: Box) -> None:
    room = plot.box
    for tick, text in _y_labels(panel, box.height):
        y = plot.y(tick)
        page.line((room.left, room.right), (y, y), color=RULE, linewidth=0.8, zorder=-1)
        page.text(room.left - 6, y, text, SMALL, color=MUTED, ha="right")
    for x, text, colour in _x_labels(panel, plot):
        page.line((x, x), (room.bottom, room.bottom - 4), color=MUTED, linewidth=0.8)
        page.text(x, room.bottom - 7, text, SMALL, color=colour, ha="center", va="top")
    page.line((room.left, room.left, room.right), (room.top, room.bottom, room.bottom), color=MUTED, linewidth=0.8)
    style: dict[str, Any] = {"color": MUTED, "ha": "center"}
    name, quantity = elided(panel.x.title, room.width, SMALL), elided(panel.quantity, room.height, SMALL)
    page.text(room.left + room.width / 2, box.bottom + SMALL / 2, name, SMALL, **style)
    page.text(box.left + SMALL / 2, room.bottom + room.height / 2, quantity, SMALL, **UPRIGHT, **style)


def _y_labels(panel: Lines, height: float) -> list[tuple[float, str]]:
    if panel.log:
        powers = log_ticks(panel.low, panel.high, min(8, max(5, int(height / 35))))
        if len(powers) > 1:
            return list(zip(powers, log_tick_texts(powers), strict=True))
    ticks = round_ticks(panel.low, panel.high, 6)
    return list(zip(ticks, tick_texts(ticks), strict=True))


def _x_labels(panel: Lines, plot: _Plot) -> list[tuple[float, str, str]]:
    """Places, texts and colours along the x axis: its labels where they name all of it, numbers where not."""
    axis, count = panel.x, len(panel.x.labels)
    if count and axis.first <= plot.start and plot.end <= axis.first + count - 1:
        labels = _word_labels(axis, plot.box.width / (plot.end - plot.start))
        return [(plot.x(at), text, label_colour(axis, at)) for at, text in labels if plot.start <= at <= plot.end]
    ticks = round_ticks(plot.start, plot.end, min(8, max(1, int(plot.box.width / 60))), whole=True)
    return [(plot.x(tick), text, MUTED) for tick, text in zip(ticks, tick_texts(ticks), strict=True)]


def _word_labels(axis: Axis, pitch: float) -> tuple[tuple[int, str], ...]:
    """An axis's words where there is room for all of them, else some, with their coordinates."""
    count, style = len(axis.labels), LabelStyle(SMALL, LABEL_ROOM, numbered=False)
    if widest_label(axis, count, style) + 8 > pitch:
        style = replace(style, numbered=True)
    return thinned(axis, count, pitch, style, widest_label(axis, count, style) + 8)


def _draw_curves(page: Page, panel: Lines, plot: _Plot) -> None:
    axes = page.axes(plot.box)
    axes.patch.set_visible(False)
    # The axes only clip; they take points, so that no range is too small or too large for them.
    axes.set(xlim=(plot.box.left, plot.box.right), ylim=(plot.box.bottom, plot.box.top))
    for number, series in enumerate(panel.series):
        colour, dashes = _curve_style(number)
        xs, ys = plot.x(series.x.astype(np.float64)), plot.y(series.y.astype(np.float64))
        axes.plot(xs, ys, color=colour, linestyle=dashes, linewidth=1.6)
        for x, y in filter(plot.shows, series.dots):
            axes.plot(plot.x(x), plot.y(y), "o", color=colour, markersize=6.5, mec="white", clip_on=False)


def _curve_style(number: int) -> tuple[str, str]:
    return CURVES[number % len(CURVES)], _DASHES[number // len(CURVES) % len(_DASHES)]


def _draw_curve_names(page: Page, panel: Lines, plot: _Plot) -> None:
    """Name each curve where it ends; of more curves than there are lines of text, every second or third."""
    pitch, left = SMALL * LINE, plot.box.right + 20
    step = math.ceil(len(panel.series) / max(1, int(plot.box.height / pitch)))
    named = [(number, series) for number, series in enumerate(panel.series) if number % step == 0 and series.label]
    ends = [min(max(plot.y(float(series.y[-1])), plot.box.bottom), plot.box.top) for _, series in named]
    heights = _apart(ends, pitch, plot.box.bottom + pitch / 2, plot.box.top - pitch / 2)
    for (number, series), end, y in zip(named, ends, heights, strict=True):
        page.line((plot.x(float(series.x[-1])) + 4, left - 4), (end, y), color=_curve_style(number)[0], linewidth=0.8)
        page.text(left, y, plot.names[number], SMALL, color=CURVE_NAMES[number % len(CURVE_NAMES)])


def _apart(wanted: list[float], pitch: float, low: float, high: float) -> list[float]:
    """Heights at least one pitch apart, together as near to the wanted ones as can be, between low and high."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # Without the pitches in between, the heights only have to rise: what falls is levelled to its mean.
    blocks: list[list[float]] = []
    for rank, index in enumerate(order):
        blocks.append([wanted[index] - rank * pitch])
        while len(blocks) > 1 and np.mean(blocks[-2]) >= np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    levels = [float(np.mean(block)) for block in blocks for _ in block]
    highest = max(low, high - (len(wanted) - 1) * pitch)
    placed = dict(zip(order, levels, strict=True))
    return [min(max(placed[index], low), highest) + order.index(index) * pitch for index in range(len(wanted))]


_MARK_COLOURS = {"end": MUTED, "focus": ACCENT, "twin": TWIN}
_MARK_DASHES = {"end": "-", "focus": "-", "twin": "--"}
_MARK_LEVELS = 3


def _draw_marks(page: Page, panel: Lines, plot: _Plot) -> None:
    for mark in _marks_in_sight(panel, plot):
        x, style = plot.x(mark.x), {"color": _MARK_COLOURS[mark.kind], "linestyle": _MARK_DASHES[mark.kind]}
        page.line((x, x), (plot.box.bottom, plot.box.top), linewidth=1.0, zorder=-1, **style)
    for mark, left, level in _mark_names(panel, plot):
        y = plot.box.top + 4 + level * SMALL * LINE
        page.text(left, y, _mark_name(mark), SMALL, color=_MARK_COLOURS[mark.kind], va="bottom")


def _marks_in_sight(panel: Lines, plot: _Plot) -> list[VerticalMark]:
    return sorted((mark for mark in panel.marks if plot.start <= mark.x <= plot.end), key=lambda mark: mark.x)


def _mark_name(mark: VerticalMark) -> str:
    return elided(mark.label, LABEL_ROOM, SMALL)


def _mark_names(panel: Lines, plot: _Plot) -> list[tuple[VerticalMark, float, int]]:
    """Each mark with its word's left end and level above the plot; what finds no free place goes without its word."""
    places, ends = [], [-math.inf] * _MARK_LEVELS
    for mark in _marks_in_sight(panel, plot):
        width = width_of(_mark_name(mark), SMALL)
        left = min(max(plot.x(mark.x) - width / 2, plot.box.left), plot.box.right - width)
        level = next((level for level, end in enumerate(ends) if end + 6 <= left), None)
        if level is not None and mark.label:
            places.append((mark, left, level))
            ends[level] = left + width
    return places
