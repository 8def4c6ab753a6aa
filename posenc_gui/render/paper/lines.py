"""Curves, labelled at their ends."""

from __future__ import annotations

import itertools
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
from posenc_gui.render.paper.format import AXIS, LINE, LONGEST, SMALL
from posenc_gui.render.paper.labels import LabelStyle, labels_with_room, widest_label
from posenc_gui.render.paper.page import GROUND, Box, Curve, Dash, Page

_FINE, _BROAD, _LEVEL = (
    1.6,
    5.0,
    1.0,
)  # widths of a curve, of the reference that it is compared with, and of a level line
_OF_NAMES = 0.34  # the maximum share of the width for the labels at the curves' right ends
_OF_TITLE = 0.2  # and for the titles of lanes at the left
_UNSAID = "value"  # a quantity that says nothing
_QUANTITY = 18.0  # the breadth of the quantity at the left
_LEADER = 18.0  # from the end of a curve to its name
_BESIDE = 14.0  # from the longest title of a lane to the numbers
_AIR = 8.0  # between numbers side by side
_LEAST = 4.0  # the side length of a plot area if there is no space for it
_DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")
_Number = TypeVar("_Number", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class Place:
    """Where curves are drawn: a box with `titles` at its top; `lane`: it is one of several lanes."""

    box: Box
    titles: float
    lane: bool


@dataclass(frozen=True)
class _Frame:
    """The room around plots: beside them, above them for names of marks, and below them for the x axis; and the size of the
    lanes' titles at their left, 0 where they have no room."""

    left: float
    right: float
    above: float
    below: float
    lane_title: float


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


def draw_all(page: Page, placed: Sequence[tuple[Lines, Place]]) -> None:
    """Draw curves; panels that are equal in width, quantity and range have equal plots and ticks."""
    groups: dict[tuple[object, ...], list[tuple[Lines, Place]]] = {}
    for panel, place in placed:
        alike = panel.quantity, panel.low, panel.high, panel.log, round(place.box.width)
        groups.setdefault(("lanes", round(place.box.width)) if place.lane else alike, []).append((panel, place))
    frames = [_frame(page, same) for same in groups.values()]
    above, below = (max((getattr(frame, side) for frame in frames), default=0.0) for side in ("above", "below"))
    for frame, same in zip(frames, groups.values(), strict=True):
        for panel, place in same:
            _draw(page, panel, place, replace(frame, above=above, below=below))


def _draw(page: Page, panel: Lines, place: Place, frame: _Frame) -> None:
    """Draw the curves over their grid, with as many ticks and labels as fit."""
    plot = _plot(panel, place, frame)
    if place.lane and frame.lane_title:
        y = plot.box.bottom + plot.box.height / 2
        page.text(place.box.left, y, panel.title, frame.lane_title, bold=True)
    _draw_grid(page, panel, plot, place, one_line=frame.below == AXIS)
    _draw_marks(page, panel, plot, place.lane)
    _draw_curves(page, panel, plot)
    _draw_curve_names(page, panel, plot)


def _frame(page: Page, placed: Sequence[tuple[Lines, Place]]) -> _Frame:
    lanes = [panel for panel, place in placed if place.lane]
    title = _lane_title_size(page, lanes, placed[0][1].box.width)
    beside = longest((panel.title for panel in lanes), measured(title, bold=True)) + _BESIDE if title else 0.0
    numbers = longest((text for panel, place in placed for _, text in _y_labels(panel, place)), measured(SMALL))
    quantity = any(_quantity(panel, place) for panel, place in placed) * _QUANTITY
    right = max(_room_after(_names(panel, place, bool(title))) for panel, place in placed)
    fits = lanes or all(measured(SMALL)(panel.x.title) <= right - _LEADER for panel, _ in placed)
    frame = _Frame(beside + quantity + numbers + 8, right, 0.0, AXIS if fits else AXIS + SMALL * LINE, title)
    found = (
        (1 + level for _, _, level in _mark_names(panel, _plot(panel, place, frame), _MARK_LEVELS))
        for panel, place in placed
        if not place.lane
    )
    return replace(frame, above=SMALL * LINE * max(itertools.chain.from_iterable(found), default=0))


def _lane_title_size(page: Page, panels: Sequence[Lines], width: float) -> float:
    """The size in which all lanes have their title at the left; 0 where it has no room."""
    titles = [panel.title for panel in panels]
    if not all(titles):
        return 0.0
    sizes = (page.title, SMALL) if titles else ()
    return next((size for size in sizes if longest(titles, measured(size, bold=True)) <= _OF_TITLE * width), 0.0)


def _quantity(panel: Lines, place: Place) -> str:
    """The quantity that stands at the left; lanes, which are low, have none."""
    fits = measured(SMALL)(panel.quantity) <= place.box.height - place.titles - 2 * AXIS
    return panel.quantity if fits and not place.lane and panel.quantity != _UNSAID else ""


def _room_after(names: Sequence[str]) -> float:
    """The width of the labels to the right of the curves."""
    return longest(names, measured(SMALL)) + _LEADER + 6


def _names(panel: Lines, place: Place, titled: bool) -> tuple[str, ...]:
    """The labels at the curves' ends; without the title of their lane where it stands at the left."""
    before = f"{panel.title}, " if place.lane and titled else ""
    labels = (series.label.removeprefix(before) for series in panel.series)
    return tuple(elided(label, _OF_NAMES * place.box.width, measured(SMALL)) for label in labels)


def _plot(panel: Lines, place: Place, frame: _Frame) -> _Plot:
    start = min(float(series.x.min()) for series in panel.series)
    end = max(float(series.x.max()) for series in panel.series)
    if start == end:
        around = max(0.5, abs(start) * 1e-6)
        start, end = start - around, end + around
    low, high = (math.log10(panel.low), math.log10(panel.high)) if panel.log else (panel.low, panel.high)
    # Two neighbouring floats can have the same logarithm.
    slack = (high - low) * 0.03 or 1e-9
    box = place.box
    above = frame.above if not place.lane else SMALL * LINE * any(mark.label for mark in panel.marks)
    bottom = box.bottom + (0.0 if panel.shares_x else frame.below)
    width, height = box.width - frame.left - frame.right, box.top - bottom - place.titles - above
    room = Box(box.left + frame.left, bottom, max(_LEAST, width), max(_LEAST, height))
    names = _names(panel, place, bool(frame.lane_title))
    return _Plot(room, start, end, low - slack, high + slack, panel.log, names)


def _draw_grid(page: Page, panel: Lines, plot: _Plot, place: Place, *, one_line: bool) -> None:
    room, muted = plot.box, page.roles.muted
    for tick, text in _y_labels(panel, place):
        y = plot.y(tick)
        page.line((room.left, room.right), (y, y), page.roles.grid, 0.8, layer=GROUND)
        page.text(room.left - 6, y, text, SMALL, muted, "right")
    if not place.lane:
        page.line((room.left, room.left), (room.top, room.bottom), muted, 0.8)
    if not panel.shares_x:
        _draw_x_axis(page, panel, plot, place.box, one_line=one_line)
    quantity = _quantity(panel, place)
    page.text(place.box.left + SMALL / 2, room.bottom + room.height / 2, quantity, SMALL, muted, "center", angle=90)


def _draw_x_axis(page: Page, panel: Lines, plot: _Plot, box: Box, *, one_line: bool) -> None:
    """Draw the axis where the data is; its name stands after its numbers, or below them."""
    room, measure, muted = plot.box, measured(SMALL), page.roles.muted
    page.line((room.left, room.right), (room.bottom, room.bottom), muted, 0.8)
    start = math.inf
    if one_line:
        start = min(room.right + _LEADER, box.right - measure(panel.x.title))
        page.text(start, room.bottom - 7, panel.x.title, SMALL, muted, at="top")
    else:
        name = elided(panel.x.title, box.width, measure)
        middle = min(room.left + room.width / 2, box.right - measure(name) / 2)
        page.text(middle, room.bottom - 7 - SMALL * LINE, name, SMALL, muted, "center", "top")
    for x, text, colour in _x_labels(panel, plot, page.roles):
        if x + measure(text) / 2 + _AIR <= start:
            page.line((x, x), (room.bottom, room.bottom - 4), muted, 0.8)
            page.text(x, room.bottom - 7, text, SMALL, colour, "center", "top")


def _y_labels(panel: Lines, place: Place) -> Ticks:
    height = place.box.height - place.titles - (0.0 if panel.shares_x else AXIS)
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
    count, style = len(axis.labels), LabelStyle(SMALL, LONGEST, numbered=False)
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
    pitch, left, colours = SMALL * LINE, plot.box.right + _LEADER, series_colours(page.roles, panel.series)
    some = ((number, panel.series[number]) for number in every(len(panel.series), pitch, plot.box.height + pitch / 2))
    named = [(number, series) for number, series in some if series.label]
    ends = [min(max(plot.y(float(series.y[-1])), plot.box.bottom), plot.box.top) for _, series in named]
    heights = apart(ends, pitch, plot.box.bottom, plot.box.top)
    for (number, series), end, y in zip(named, ends, heights, strict=True):
        page.line((plot.x(float(series.x[-1])) + 4, left - 4), (end, y), colours[number], 0.8)
        page.text(left, y, plot.names[number], SMALL)


_MARK_DASHES: dict[str, Dash] = {"end": "-", "focus": "-", "twin": "--"}
_MARK_LEVELS = 3


def _draw_marks(page: Page, panel: Lines, plot: _Plot, lane: bool) -> None:
    colours = {"end": page.roles.muted, "focus": page.roles.focus, "twin": page.roles.twin}
    for mark in _marks_in_sight(panel, plot):
        x, colour, dash = plot.x(mark.x), colours[mark.kind], _MARK_DASHES[mark.kind]
        page.line((x, x), (plot.box.bottom, plot.box.top), colour, 1.0, dash, layer=GROUND)
    for mark, left, level in _mark_names(panel, plot, 1 if lane else _MARK_LEVELS):
        y = plot.box.top + 3 + level * SMALL * LINE
        page.text(left, y, _mark_name(mark), SMALL, colours[mark.kind], at="bottom", bold=mark.kind == "focus")


def _marks_in_sight(panel: Lines, plot: _Plot) -> list[VerticalMark]:
    return sorted((mark for mark in panel.marks if plot.start <= mark.x <= plot.end), key=lambda mark: mark.x)


def _mark_name(mark: VerticalMark) -> str:
    return elided(mark.label, LONGEST, measured(SMALL))


def _mark_names(panel: Lines, plot: _Plot, most: int) -> list[tuple[VerticalMark, float, int]]:
    """Return each vertical line whose label fits on one of `most` lines, with the label's left end and its line.

    Labels stand over their line; that of the sentence's end begins there, beside those of its last tokens.
    """
    marks = [mark for mark in _marks_in_sight(panel, plot) if mark.label]
    spans = []
    for mark in marks:
        width = measured(SMALL, mark.kind == "focus")(_mark_name(mark))
        left = plot.x(mark.x) - (0.0 if mark.kind == "end" else width / 2)
        left = min(max(left, plot.box.left), plot.box.right - width)
        spans.append((left, left + width))
    placed = zip(marks, spans, levels(spans, most, gap=6), strict=True)
    return [(mark, left, level) for mark, (left, _), level in placed if level is not None]
