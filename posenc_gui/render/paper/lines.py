"""Curves, labelled at their ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.layout.badges import split_signs
from posenc_gui.render.layout.beside_frames import crosses
from posenc_gui.render.layout.colour_scales import label_colour, series_colours
from posenc_gui.render.layout.fills import fills
from posenc_gui.render.layout.label_placement import apart, beside_line, every, levels, name_lines
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, longest
from posenc_gui.render.layout.ticks import UNSAID, Ticks, ticks, ticks_that_fit
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import AXIS, LINE, LONGEST, MARK, SMALL
from posenc_gui.render.paper.labels import LabelStyle, draw_values, labels_with_room, widest_label
from posenc_gui.render.paper.page import GROUND, Curve, Dash, Page

_FINE, _BROAD, _LEVEL = (
    1.8,
    5.0,
    1.0,
)  # widths of a curve, of the reference that it is compared with, and of a level line
_OF_NAMES = 0.34  # the maximum share of the width for the labels at the curves' right ends
_OF_TITLE = 0.2  # and for the titles of lanes at the left
_QUANTITY = 18.0  # the breadth of the quantity at the left
_LEADER = 18.0  # from the end of a curve to its name
_BESIDE = 14.0  # from the longest title of a lane to the numbers
_AIR = 8.0  # between numbers side by side
_POINT = 11.0  # the side of the frame around a point that a text speaks of
_LEAST = 4.0  # the side length of a plot area if there is no space for it
_DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")
_Number = TypeVar("_Number", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class CurvesPlace:
    """Where curves are drawn: a box with `titles` at its top; `lane`: it is one of several lanes.

    `widest` are the curves whose texts have room there.
    """

    box: Rect
    titles: float
    lane: bool
    widest: Lines


@dataclass(frozen=True)
class _Margins:
    """The room around plots: beside them, above them for names of marks, and below them for the x axis; and the size of the
    lanes' titles at their left, 0 where they have no room."""

    left: float
    right: float
    above: float
    below: float
    lane_title: float


@dataclass(frozen=True)
class _CurvePlot:
    """The plot area: the box, the ranges along its sides, and the labels beside it.

    `low` and `high` are logarithms if the scale is logarithmic.
    """

    box: Rect
    start: float
    end: float
    low: float
    high: float
    log: bool
    names: tuple[Sequence[str], ...]

    def x(self, value: _Number) -> _Number:
        return self.box.left + (value - self.start) / (self.end - self.start) * self.box.width

    def y(self, value: _Number) -> _Number:
        level = np.log10(value) if self.log else value
        return self.box.bottom + (level - self.low) / (self.high - self.low) * self.box.height

    def shows(self, dot: tuple[float, float]) -> bool:
        return self.start <= dot[0] <= self.end and self.box.bottom <= self.y(dot[1]) <= self.box.top


def draw_all(page: Page, placed: Sequence[tuple[Lines, CurvesPlace]]) -> None:
    """Draw curves; panels that are equal in width, quantity and range have equal plots and ticks."""
    groups: dict[tuple[object, ...], list[tuple[Lines, CurvesPlace]]] = {}
    for panel, place in placed:
        alike = panel.quantity, panel.low, panel.high, panel.log, round(place.box.width)
        groups.setdefault(("lanes", round(place.box.width)) if place.lane else alike, []).append((panel, place))
    frames = [_frame(page, [(place.widest, place) for _, place in same]) for same in groups.values()]
    above, below = (max((getattr(frame, side) for frame in frames), default=0.0) for side in ("above", "below"))
    for frame, same in zip(frames, groups.values(), strict=True):
        drawn = [(panel, _draw(page, panel, place, replace(frame, above=above, below=below))) for panel, place in same]
        for together in [drawn] if same[0][1].lane else [[one] for one in drawn]:
            _draw_curve_names(page, together)


def _draw(page: Page, panel: Lines, place: CurvesPlace, frame: _Margins) -> _CurvePlot:
    """Draw the curves over their grid, with as many ticks and labels as fit; return where they are."""
    plot = _plot(panel, place, frame)
    if place.lane and frame.lane_title:
        y = plot.box.bottom + plot.box.height / 2
        page.text(place.box.left, y, panel.title, frame.lane_title, bold=True)
    _draw_grid(page, panel, plot, place, one_line=frame.below == AXIS)
    _draw_marks(page, panel, plot, place.lane)
    _draw_curves(page, panel, plot)
    return plot


def _frame(page: Page, placed: Sequence[tuple[Lines, CurvesPlace]]) -> _Margins:
    lanes = [panel for panel, place in placed if place.lane]
    title = _lane_title_size(page, lanes, placed[0][1].box.width)
    beside = longest((panel.title for panel in lanes), measured(title, bold=True)) + _BESIDE if title else 0.0
    numbers = longest((text for panel, place in placed for _, text in _y_labels(panel, place)), measured(SMALL))
    quantity = any(_quantity(panel, place) for panel, place in placed) * _QUANTITY
    right = max(_room_after(_names(panel, place, bool(title))) for panel, place in placed)
    fits = lanes or all(measured(SMALL)(panel.x.title) <= right - _LEADER for panel, _ in placed)
    frame = _Margins(beside + quantity + numbers + 8, right, 0.0, AXIS if fits else AXIS + SMALL * LINE, title)
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


def _quantity(panel: Lines, place: CurvesPlace) -> str:
    """The quantity that stands at the left; lanes, which are low, have none."""
    fits = measured(SMALL)(panel.quantity) <= place.box.height - place.titles - 2 * AXIS
    return panel.quantity if fits and not place.lane and panel.quantity != UNSAID else ""


def _room_after(names: Iterable[Sequence[str]]) -> float:
    """The width of the labels to the right of the curves."""
    return longest(itertools.chain.from_iterable(names), measured(SMALL)) + _LEADER + 6


def _names(panel: Lines, place: CurvesPlace, titled: bool) -> tuple[Sequence[str], ...]:
    """The labels at the curves' ends, line by line, those of lanes on one; without what their lane's title, where it stands at
    the left, begins with."""
    title = panel.title if place.lane and titled else ""
    labels = (
        ": ".join(filter(None, (_after(series.label, title), series.told * place.lane))) for series in panel.series
    )
    width, measure = place.box.width, measured(SMALL)
    return tuple(
        [elided(label, _OF_NAMES * width, measure)] if place.lane else name_lines(label, width, measure)
        for label in labels
    )


def _after(label: str, title: str) -> str:
    """“A” of “fp16, A” below the title “fp16” or “fp16: error”, else the whole label."""
    name, _, rest = label.rpartition(", ")
    return rest if name and f"{title}: ".startswith(f"{name}: ") else label


def _plot(panel: Lines, place: CurvesPlace, frame: _Margins) -> _CurvePlot:
    start, end = panel.reach
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
    room = Rect.up_from(box.left + frame.left, bottom, max(_LEAST, width), max(_LEAST, height))
    names = _names(panel, place, bool(frame.lane_title))
    return _CurvePlot(room, start, end, low - slack, high + slack, panel.log, names)


def _draw_grid(page: Page, panel: Lines, plot: _CurvePlot, place: CurvesPlace, *, one_line: bool) -> None:
    room, muted = plot.box, page.roles.muted
    labels, written = _y_labels(panel, place), -math.inf
    for tick, text in labels:
        y = plot.y(tick)
        page.line((room.left, room.right), (y, y), page.roles.grid, 0.8, layer=GROUND)
        if y - written >= SMALL and (not place.lane or tick in (labels[0][0], labels[-1][0])):
            page.text(room.left - 6, y, text, SMALL, muted, "right")
            written = y
    if not place.lane:
        page.line((room.left, room.left), (room.top, room.bottom), muted, 0.8)
    if not panel.shares_x:
        _draw_x_axis(page, panel, plot, place.box, one_line=one_line)
    quantity = _quantity(panel, place)
    page.text(place.box.left + SMALL / 2, room.bottom + room.height / 2, quantity, SMALL, muted, "center", angle=90)


def _draw_x_axis(page: Page, panel: Lines, plot: _CurvePlot, box: Rect, *, one_line: bool) -> None:
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


def _y_labels(panel: Lines, place: CurvesPlace) -> Ticks:
    height = place.box.height - place.titles - (0.0 if panel.shares_x else AXIS)
    fitting = max(1, int(height / (2 * SMALL)))
    most = min(8, max(5, int(height / 35)), fitting + 1) if panel.log else min(6, fitting)
    return ticks(panel.low, panel.high, most, log=panel.log)


def _x_labels(panel: Lines, plot: _CurvePlot, roles: Roles) -> list[tuple[float, str, str]]:
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


def _draw_curves(page: Page, panel: Lines, plot: _CurvePlot) -> None:
    curves = []
    styles = zip(panel.series, series_colours(page.roles, panel.series), _dashes(page, panel), strict=True)
    for series, colour, dash in sorted(styles, key=lambda style: not style[0].before):
        xs, ys = plot.x(series.x.astype(np.float64)), plot.y(series.y.astype(np.float64))
        dots = [(plot.x(x), plot.y(y)) for x, y in filter(plot.shows, series.dots)]
        width = _LEVEL if series.level else _BROAD if series.before else _FINE
        if _is_of_both(series):
            curves.append(Curve(xs, ys, page.roles.ref, dash, (), _BROAD))
            colour = page.roles.ink
        curves.append(Curve(xs, ys, colour, "--" if series.level else dash, dots, width))
    filled = [
        replace(fill, x=plot.x(fill.x), start=plot.y(fill.start), end=plot.y(fill.end))
        for fill in fills(panel, page.roles)
    ]
    page.curves(plot.box, curves, filled)
    values = [
        (Rect.up_from(plot.x(x) - _POINT / 2, plot.y(y) - _POINT / 2, _POINT, _POINT), format_told(y))
        for one in panel.series
        for x, y in filter(plot.shows, one.marked)
    ]
    for frame, _ in values:
        page.outline(frame, page.roles.ink, MARK)
    draw_values(page, values, plot.box, lambda place: any(crosses(one.xs, one.ys, place) for one in curves))


def _is_of_both(series: Series) -> bool:
    """True for a curve that is equal in both encodings that are compared."""
    return sum(is_sign for _, is_sign in split_signs(series.label)) > 1


def _dashes(page: Page, panel: Lines) -> Sequence[Dash]:
    """Return the dash pattern of each curve; neighbours differ if colours alone don't distinguish them."""
    if len(panel.series) <= (1 if page.is_mono else len(page.roles.curves)) or any(one.before for one in panel.series):
        return ["-"] * len(panel.series)
    return [_DASHES[number % len(_DASHES)] for number in range(len(panel.series))]


def _draw_curve_names(page: Page, drawn: Sequence[tuple[Lines, _CurvePlot]]) -> None:
    """Label curves at their ends, those of all panels apart from each other; in a panel as many as lines of text fit."""
    line, named = SMALL * LINE, list[tuple[_CurvePlot, int, Series, str, float]]()
    pitch = line * max(len(name) for _, plot in drawn for name in (*plot.names, "1"))
    for panel, plot in drawn:
        colours = series_colours(page.roles, panel.series)
        for number in every(len(panel.series), pitch, plot.box.height + pitch / 2):
            series = panel.series[number]
            if series.label:
                end = min(max(plot.y(float(series.y[-1])), plot.box.bottom), plot.box.top)
                named.append((plot, number, series, colours[number], end))
    low, high = min(plot.box.bottom for _, plot in drawn), max(plot.box.top for _, plot in drawn)
    into = (pitch - line) / 2 if len(named) * pitch <= high - low else 0.0
    heights = apart([end for *_, end in named], pitch, low + into, high - into)
    for (plot, number, series, colour, end), y in zip(named, heights, strict=True):
        left = plot.box.right + _LEADER
        page.line((plot.x(float(series.x[-1])) + 4, left - 4), (end, y), colour, 0.8)
        name = plot.names[number]
        for at, text in enumerate(name):
            page.signed_text(left, y + ((len(name) - 1) / 2 - at) * line, text, SMALL)
        if series.is_marked:
            width, height = longest(name, measured(SMALL)) + 8, line * len(name) + 2
            page.outline(Rect.up_from(left - 4, y - height / 2, width, height), page.roles.ink, MARK)


_MARK_DASHES: dict[str, Dash] = {"end": "-", "focus": "-", "twin": "--"}
_MARK_LEVELS = 3


def _draw_marks(page: Page, panel: Lines, plot: _CurvePlot, lane: bool) -> None:
    colours = {"end": page.roles.muted, "focus": page.roles.focus, "twin": page.roles.twin}
    for mark in _marks_in_sight(panel, plot):
        x, colour, dash = plot.x(mark.x), colours[mark.kind], _MARK_DASHES[mark.kind]
        page.line((x, x), (plot.box.bottom, plot.box.top), colour, 1.0, dash, layer=GROUND)
    for mark, left, level in _mark_names(panel, plot, 1 if lane else _MARK_LEVELS):
        y = plot.box.top + 3 + level * SMALL * LINE
        page.text(left, y, _mark_name(mark), SMALL, colours[mark.kind], at="bottom", bold=mark.kind == "focus")
    for mark, left, level in _names_inside(panel, plot, 1 if lane else _MARK_LEVELS):
        y = plot.box.top - 3 - level * SMALL * LINE
        page.text(left, y, _mark_name(mark), SMALL, colours[mark.kind], at="top", bold=mark.kind == "focus")


def _marks_in_sight(panel: Lines, plot: _CurvePlot) -> list[VerticalMark]:
    return sorted((mark for mark in panel.marks if plot.start <= mark.x <= plot.end), key=lambda mark: mark.x)


def _mark_name(mark: VerticalMark) -> str:
    return elided(mark.label, LONGEST, measured(SMALL))


def _mark_names(panel: Lines, plot: _CurvePlot, most: int) -> list[tuple[VerticalMark, float, int]]:
    """Return each vertical line whose label fits on one of `most` lines, with the label's left end and its line.

    Labels stand over their line; that of the sentence's end begins there, beside those of its last tokens.
    """
    marks = [mark for mark in _marks_in_sight(panel, plot) if mark.label]
    spans = []
    for mark in marks:
        width = _width_of_name(mark)
        left = plot.x(mark.x) - (0.0 if mark.kind == "end" else width / 2)
        left = min(max(left, plot.box.left), plot.box.right - width)
        spans.append((left, left + width))
    placed = zip(marks, spans, levels(spans, most, gap=6), strict=True)
    return [(mark, left, level) for mark, (left, _), level in placed if level is not None]


def _names_inside(panel: Lines, plot: _CurvePlot, most: int) -> list[tuple[VerticalMark, float, int]]:
    """Return the vertical lines whose labels have no room above, with each label's left end beside its line, and its line."""
    above = [mark for mark, _, _ in _mark_names(panel, plot, most)]
    marks = [mark for mark in _marks_in_sight(panel, plot) if mark.label and mark not in above]
    spans = [beside_line(plot.x(mark.x), _width_of_name(mark), plot.box.right, _AIR / 2) for mark in marks]
    placed = zip(marks, spans, levels(spans, _MARK_LEVELS, gap=6), strict=True)
    return [(mark, left, level) for mark, (left, _), level in placed if level is not None and left >= plot.box.left]


def _width_of_name(mark: VerticalMark) -> float:
    return measured(SMALL, mark.kind == "focus")(_mark_name(mark))
