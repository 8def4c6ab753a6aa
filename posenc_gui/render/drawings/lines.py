"""Curves as a drawing: over a grid, named at their ends, with upright lines at what the x axis counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.figure.ranges import Values
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.wording import format_told
from posenc_gui.render.drawings import around_curves as around
from posenc_gui.render.drawings.drawing import MARK, Drawing, Spot, Stage, ZoomRange, crosses, next_value, power_of_ten
from posenc_gui.render.drawings.parts import Area, Box, Clipped, Curve, Dash, Dot, Part, Stroke, Text, straight
from posenc_gui.render.drawings.regions import halfway, tiles
from posenc_gui.render.layout.colour_scales import is_grey, label_colour, series_colours
from posenc_gui.render.layout.label_placement import apart, every, thinned, ticks_that_fit
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest, split_signs, visible

_FINE, _BROAD, _LEVEL = 1.8, 5.0, 1.0  # units: of a curve, of what it is compared with, and of a level line
_MOST_X_TICKS, _PER_X_TICK = 12, 3.5  # the last in lines of small type
_THIN = 0.45  # opacity of the colour of a filled area over the ground
_POINT = 11.0  # units: the side of the frame around a point that a text speaks of
_DOT, _LEAST_APART = 8.0, 4.0  # units: across a dot, and from dot to dot; nearer ones would hide their curve
_APART = 3.0  # units: columns in each of which a long curve keeps its lowest and highest point
_MARKS = {"end": 1.0, "focus": 1.5, "twin": 1.0, "word": 1.0}  # units: the width of upright lines
_EARLY = 0.1  # of the width: from a curve's end to that of the axis
_DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")

Numbers = npt.NDArray[np.float64]


class LinesDrawing(Drawing[Lines]):
    """Curves of which all is in sight that their panel shows at first, unless they are zoomed. Those in equal frames on one
    sheet, such as lanes below each other, share their margins."""

    least_height, comfortable = 6.0, 6.0
    has_axis_below = True

    def __init__(self, panel: Lines, stage: Stage, widest: Lines | None = None) -> None:
        super().__init__(panel, stage, widest)
        self._small = stage.style.small
        self.seen = around.in_sight(panel, stage)
        need = around.margins_of([(self.widest, stage)])
        room = stage.margins or need
        left = max(room.left, need.left if stage.seen else 0.0)
        above = need.above if self.stage.is_lane else room.above
        bottom = stage.height - (0.0 if panel.shares_x else room.below)
        self._title_size = room.title
        right = max(left + around.LEAST, stage.width - room.right)
        self.plot = Rect(left, above, right, max(above + around.LEAST, bottom))
        first, last = (self._x(end) for end in (panel.reach[0] - 0.5, panel.reach[1] + 0.5))
        self.field = Rect(max(left, first), 0, min(right, last), stage.height)
        strip = around.STRIP if panel.whole else 0.0
        self._is_one_line = room.below - strip <= around.TICK + self._small.line

    def draw(self) -> Iterator[Part]:
        yield from self._grid()
        yield from self._marks()
        yield Clipped(self.plot, tuple(self._curves()))
        yield from self._dots()
        yield from self._words_of_marks()
        yield from self._names()
        if self.panel.whole and not self.panel.shares_x:
            yield from self._strip(*self.panel.whole)
        if self._title_size:
            middle = (self.plot.top + self.plot.bottom) / 2
            yield Text(0, middle, visible(self.panel.title), self.stage.roles.ink, self._title_size, bold=True)

    def _x(self, value: float) -> float:
        return self.place(value, 0)[0]

    def _y(self, level: float) -> float:
        """The place of a number, or of a logarithm on a logarithmic scale."""
        return self.place(0, level)[1]

    def _level(self, value: float) -> float:
        return math.log10(value) if self.panel.log else value

    def _upright(self, x: float, colour: str, width: float, dash: Dash) -> Stroke:
        return Stroke(straight((self._x(x), self.plot.top), (self._x(x), self.plot.bottom)), colour, width, dash)

    def _grid(self) -> Iterator[Part]:
        plot, roles = self.plot, self.stage.roles
        found = around.ticks_of(self.panel, self.seen, plot.height, self.stage)
        written = math.inf
        for number, text in found:
            y = self._y(self._level(number))
            yield Stroke(straight((plot.left, y), (plot.right, y)), roles.grid, 0.8)
            is_end = number in (found[0][0], found[-1][0])
            if written - y >= 0.8 * self._small.line and (is_end or not self.stage.is_lane):
                yield Text(plot.left - around.TICK, y, text, roles.muted, "small", "right")
                written = y
        if not self.stage.is_lane:
            yield Stroke(straight((plot.left, plot.top), (plot.left, plot.bottom)), roles.muted, 0.8)
        if not self.panel.shares_x:
            yield from self._x_axis()

    def _x_axis(self) -> Iterator[Part]:
        """Draw the axis where the data is; its name stands after its numbers, or below them at their end."""
        plot, muted, measure = self.plot, self.stage.roles.muted, self._small.measure
        yield Stroke(straight((plot.left, plot.bottom), (plot.right, plot.bottom)), muted, 0.8)
        y, free = plot.bottom + around.TICK - 2 + self._small.line / 2, math.inf
        name = elided(visible(self.panel.x.title), self.stage.width, measure)
        if self._is_one_line:
            free = min(plot.right + around.LEADER, self.stage.width - measure(name))
            yield Text(free, y, name, muted, "small")
        else:
            end = max(plot.right, measure(name))
            yield Text(end, y + self._small.line + 1, name, muted, "small", "right")
        for x, text, colour in self._x_labels():
            half = measure(text) / 2
            if x + half + around.AIR <= free:
                yield Stroke(straight((x, plot.bottom), (x, plot.bottom + 3)), muted, 0.8)
                yield Text(x, y, text, colour, "small", "center")

    def _strip(self, first: float, last: float) -> Iterator[Part]:
        """Draw the whole text as a strip, with the part in sight, and the focus."""
        roles, left, width = self.stage.roles, self.plot.left, self.plot.width
        y, thick = self.stage.height - around.STRIP / 2, around.STRIP / 2

        def x(at: float) -> float:
            return left + width * min(1.0, max(0.0, (at - first) / max(1.0, last - first)))

        yield Stroke(straight((left, y), (left + width, y)), roles.line, thick)
        start, end = x(self.seen.left), x(self.seen.right)
        yield Stroke(straight((start, y), (max(end, start + thick), y)), roles.muted, thick)
        for mark in self.panel.marks:
            if mark.kind == "focus":
                yield Stroke(straight((x(mark.x), y - thick), (x(mark.x), y + thick)), roles.focus, _MARKS["focus"])

    def _x_labels(self) -> list[tuple[float, str, str]]:
        """Places, texts and colours of labels along x: words if they cover the axis, else numbers."""
        axis, seen, measure = self.panel.x, self.seen, self._small.measure
        if not self.panel.has_words:
            most = max(1, min(_MOST_X_TICKS, int(self.plot.width / (_PER_X_TICK * self._small.line))))
            found = ticks_that_fit(seen.left, seen.right, most, self.plot.width, around.AIR, measure, whole=True)
            return [(self._x(at), text, self.stage.roles.muted) for at, text in found]
        words = [elided(visible(word), self.stage.style.longest, measure) for word in axis.labels]
        pitch = self.plot.width / seen.width
        first = () if axis.focus is None else (axis.focus,)
        shown = thinned(range(axis.first, axis.first + len(words)), pitch, longest(words, measure) + around.AIR, first)
        return [
            (self._x(at), words[at - axis.first], label_colour(axis, at, self.stage.roles))
            for at in shown
            if seen.left <= at <= seen.right
        ]

    @cached_property
    def _paths(self) -> list[tuple[Series, Numbers]]:
        """The points of each curve as far as it is in sight, with one more at each side; references first."""
        found = []
        for series in sorted(self.panel.series, key=lambda one: not one.before):
            first, last = np.searchsorted(series.x, (self.seen.left, self.seen.right))
            part = slice(max(0, int(first) - 1), int(last) + 1)
            cuts = np.searchsorted(series.x[part], series.breaks, side="right")
            pieces = (np.split(values[part], cuts) for values in (series.x, series.y))
            for x, y in zip(*pieces, strict=True):
                if not self.stage.style.is_paper:
                    x, y = without_crowd(x, y, max(1, int(self.plot.width / _APART)))
                if x.size:
                    found.append((series, self._points(x.astype(np.float64), y.astype(np.float64))))
        return found

    def _points(self, x: Numbers, y: Numbers) -> Numbers:
        """Points of the panel on the stage, (n, 2)."""
        seen, plot = self.seen, self.plot
        across = plot.left + (x - seen.left) / seen.width * plot.width
        down = plot.bottom - ((np.log10(y) if self.panel.log else y) - seen.bottom) / seen.height * plot.height
        return np.stack((across, down), axis=-1)

    def _curves(self) -> Iterator[Part]:
        colours, dashes = self._colours(), self._dashes()
        if self.panel.filled:
            yield from self._areas()
        for series, points in self._paths:
            width = _LEVEL if series.level else _BROAD if series.before else _FINE
            colour, dash = colours[series], "--" if series.level else dashes[series]
            if _is_of_both(series):
                yield Curve(points, self.stage.roles.ref, _BROAD, dash)
            yield Curve(points, colour, width, dash)

    def _areas(self) -> Iterator[Part]:
        """Fill where a curve is above and below its reference, in the colours of a diverging scale."""
        now, before = sorted(self.panel.series, key=lambda one: one.before)
        x = np.union1d(before.x, now.x).astype(np.float64)
        x = x[(x >= max(before.x[0], now.x[0])) & (x <= min(before.x[-1], now.x[-1]))]
        start, end = (np.interp(x, one.x, one.y) for one in (before, now))
        _, less, _, more, _ = (mixed(colour, self.stage.roles.card, _THIN) for colour in self.stage.roles.diverging)
        for edge, colour in ((np.maximum(start, end), more), (np.minimum(start, end), less)):
            yield Area(np.concatenate((self._points(x, start), self._points(x, edge)[::-1])), colour)

    def _colours(self) -> dict[Series, str]:
        series, roles = self.panel.series, self.stage.roles
        colours = zip(series, series_colours(roles, series), strict=True)
        return {one: roles.ink if _is_of_both(one) else colour for one, colour in colours}

    def _dashes(self) -> dict[Series, Dash]:
        """On paper neighbours differ in more than their colours where these don't tell them apart."""
        series, roles = self.panel.series, self.stage.roles
        told_by_colours = 1 if is_grey(roles.curves) else len(roles.curves)
        plain = not self.stage.style.is_paper or len(series) <= told_by_colours or any(one.before for one in series)
        return {one: "-" if plain else _DASHES[number % len(_DASHES)] for number, one in enumerate(series)}

    def _dots(self) -> Iterator[Part]:
        """Draw rings where there is room, smaller dots where they are closer; then frames with numbers around marked points."""
        colours, card, framed = self._colours(), self.stage.roles.card, list[tuple[Rect, str]]()
        for series in dict.fromkeys(series for series, _ in self._paths):
            places = [place for dot in series.dots if (place := self._place(dot))]
            between = min((b[0] - a[0] for a, b in itertools.pairwise(places)), default=math.inf)
            size = min(_DOT, between - 1)
            for x, y in places if between >= _LEAST_APART else ():
                is_ring = size > 0.55 * _DOT
                ground, edge = (card, colours[series]) if is_ring else (colours[series], "")
                yield Dot(x, y, size / 2 - 0.9 * is_ring, ground, edge, 1.8)
            for dot in series.marked:
                if place := self._place(dot):
                    left, top = place[0] - _POINT / 2, place[1] - _POINT / 2
                    framed.append((Rect(left, top, left + _POINT, top + _POINT), format_told(dot[1])))
        for frame, _ in framed:
            yield Box(frame, frame=self.stage.roles.ink, width=MARK)
        yield from self.numbers_beside(
            framed, lambda place: any(crosses(points[:, 0], points[:, 1], place) for _, points in self._paths)
        )

    def _place(self, dot: tuple[float, float]) -> tuple[float, float] | None:
        """A point on the stage; None if it is out of sight."""
        x, y = self.place(dot[0], self._level(dot[1]))
        plot, slack = self.plot, 0.5
        inside = plot.left - slack <= x <= plot.right + slack and plot.top - slack <= y <= plot.bottom + slack
        return (x, y) if inside else None

    def _marks(self) -> Iterator[Part]:
        for mark in self.panel.marks:
            if self.seen.left <= mark.x <= self.seen.right:
                yield self._upright(
                    mark.x, self._line_of(mark), _MARKS[mark.kind], "--" if mark.kind == "twin" else "-"
                )

    def _line_of(self, mark: VerticalMark) -> str:
        return self.stage.roles.grid if mark.kind == "word" else self._ink_of(mark)

    def _ink_of(self, mark: VerticalMark) -> str:
        roles = self.stage.roles
        return {"end": roles.muted, "focus": roles.focus, "twin": roles.twin, "word": roles.ink}[mark.kind]

    def _words_of_marks(self) -> Iterator[Part]:
        """Write the quantity and the labels of upright lines above the curves; those without room there, beside their lines."""
        plot, line = self.plot, self._small.line
        most = max(1, round(plot.top / line)) if self.stage.is_lane else around.MOST_LEVELS
        above, inside = around.labels_of(self.panel.marks, self.seen, plot.width, most, self.stage.style)
        for one in above:
            bottom = plot.top - one.level * line
            if one.level:
                x = self._x(one.mark.x)
                yield Stroke(straight((x, bottom), (x, plot.top)), self._line_of(one.mark), _MARKS[one.mark.kind])
        for one in sorted(above, key=lambda one: -one.level):  # lines of higher words pass behind lower ones
            left, middle = plot.left + one.left, plot.top - (one.level + 0.5) * line - 1
            behind = Rect(left, middle - line / 2, left + self._small.measure(one.text), middle + line / 2)
            yield Box(behind, self.stage.roles.card)
            yield self._word(one, middle)
        for one in inside:
            y = plot.top + (one.level + 0.5) * line
            left, right = plot.left + one.left, plot.left + one.left + self._small.measure(one.text)
            yield Box(Rect(left, y - line / 2, right, y + line / 2), self.stage.roles.card)
            yield self._word(one, y)
        quantity, level = around.quantity_of(self.panel, self.stage, above, plot.left)
        if quantity:
            name = elided(quantity, self.stage.width, self._small.measure)
            y = plot.top - (level + 0.5) * line - 1
            yield Text(0, max(line / 2, y), name, self.stage.roles.muted, "small")

    def _word(self, one: around.MarkLabel, y: float) -> Text:
        return Text(self.plot.left + one.left, y, one.text, self._ink_of(one.mark), "small")

    def _names(self) -> Iterator[Part]:
        """Name curves where they leave the part in sight, as many as lines of text fit, apart from each other."""
        plot, line, measure, roles = self.plot, self._small.line, self._small.measure, self.stage.roles
        colours, known = self._colours(), around.names_of(self.panel, self.stage, titled=bool(self._title_size))
        named = [(one, name) for one, name in zip(self.panel.series, known, strict=True) if longest(name, measure)]
        pitch = line * max((len(name) for _, name in named), default=1)
        shown = [named[at] for at in every(len(named), pitch, plot.height + pitch / 2)]
        ends = [self._end(series) for series, _ in shown]
        into = (pitch - line) / 2 if len(shown) * pitch <= plot.height else 0.0
        left = plot.right + around.LEADER
        is_below_quantity = not self.stage.is_lane and measure(visible(self.panel.quantity)) > left
        top = plot.top + into + is_below_quantity * line / 2
        low = max(top, plot.bottom - into - line / 2)
        heights = apart([min(max(y, plot.top), plot.bottom) for _, y in ends], pitch, top, low)
        for (series, name), (x, end), y in zip(shown, ends, heights, strict=True):
            if plot.top <= end <= plot.bottom:
                leader = straight((max(x, plot.left) + 3, end), (left - 4, y))
                ends_early = x < plot.right - _EARLY * plot.width  # its leader is no part of the curve
                yield Stroke(leader, roles.muted, 0.8, ":") if ends_early else Stroke(leader, colours[series], 0.8)
            for number, text in enumerate(name):
                middle = y + (number - (len(name) - 1) / 2) * line
                yield Text(left, middle, text, self.stage.roles.ink, "small", signed=True)
            if series.is_marked:
                half = line * len(name) / 2 + 1
                frame = Rect(left - 4, y - half, left + longest(name, measure) + 4, y + half)
                yield Box(frame, frame=self.stage.roles.ink, width=MARK)

    def _end(self, series: Series) -> tuple[float, float]:
        """Where a curve ends, or leaves the part in sight."""
        x = min(self.seen.right, float(series.x[-1]))
        return self.place(x, self._level(self.panel.value(series, x)))

    is_marked_on_top = True

    def draw_marked(self, marked: Hashable) -> Iterator[Part]:
        """Draw an upright line."""
        if isinstance(marked, int) and self.seen.left <= marked <= self.seen.right:
            yield self._upright(marked, self.stage.roles.muted, 1.0, "--")

    def marked_by(self, pointer: Pointer) -> int | None:
        return self.panel.x.shown(pointer)

    def at(self, x: float, y: float) -> tuple[float, float]:
        across, level = super().at(x, y)
        return across, power_of_ten(level) if self.panel.log else level

    def cells(self, least: float) -> Iterator[Rect]:
        first, last = (self.at(end, 0)[0] for end in (self.field.left, self.field.right))
        every = max(1, math.ceil(least / self.plot.width * self.seen.width))
        steps = (self._x(at + 0.5) for at in range(math.floor(first), math.ceil(last), every))
        for column in tiles(self.field, steps, (), least):
            x = round(self.at(*column.middle)[0])
            heights = (self._y(self._level(self.panel.value(series, x))) for series in self.panel.series)
            yield from tiles(column, (), halfway(heights), least)

    def start(self) -> Spot:
        first = math.ceil((self.panel.seen or self.panel.reach)[0])
        return first, self.panel.value(self.panel.series[0], first)

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Up and down move between curves; left and right stay on the nearest curve.
        x += dx
        return x, next_value((self.panel.value(series, x) for series in self.panel.series), y, dy)

    @staticmethod
    def places(panel: Lines) -> tuple[int, ...]:
        return len(panel.series), panel.shares_x

    @staticmethod
    def widest_of(panels: Sequence[Lines], measure: Measure) -> Lines:
        """Curves with the longest labels, and with the marks of all panels."""
        marks = {(mark.x, mark.label): mark for panel in panels for mark in panel.marks}
        return replace(Drawing.widest_of(panels, measure), marks=tuple(marks.values()))

    @staticmethod
    def zoom_range(panel: Lines) -> ZoomRange:
        shown, whole = (around.extent(panel, *reach) for reach in (panel.seen or panel.reach, panel.reach))
        limits = Rect(
            whole.left - whole.width, whole.top + whole.height, whole.right + whole.width, whole.bottom - whole.height
        )
        return ZoomRange(shown, limits, (shown.width * 1e-4, shown.height * 1e-4), along=True, down=panel.seen is None)


def _is_of_both(series: Series) -> bool:
    """True for a curve that is equal in both encodings that are compared."""
    return sum(is_sign for _, is_sign in split_signs(series.label)) > 1


def without_crowd(x: Values, y: Values, columns: int) -> tuple[Values, Values]:
    """The lowest and highest point of each column, in order, if a curve has at least three points per column."""
    per = len(x) // columns
    if per < 3:
        return x, y
    whole = len(y) // per * per
    rows, rest = y[:whole].reshape(-1, per), y[whole:] if whole < len(y) else y[-1:]
    ends = np.stack((rows.argmin(axis=1), rows.argmax(axis=1))) + per * np.arange(len(rows))
    last = len(y) - len(rest) + np.array((rest.argmin(), rest.argmax()))
    kept = np.unique(np.concatenate((ends.ravel(), last, (0, len(x) - 1))))
    return x[kept], y[kept]
