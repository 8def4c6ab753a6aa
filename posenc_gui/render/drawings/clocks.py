"""Clocks as a drawing: side by side, words at the ends of their hands where these are apart, and below how long a turn takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Clocks
from posenc_gui.figure.panels.clocks import Angles
from posenc_gui.foundation.contrast import mixed
from posenc_gui.render.drawings.clock_faces import face, framed, hand, pin, tip_of
from posenc_gui.render.drawings.drawing import BROAD, Drawing, Spot, Stage, contains, meet
from posenc_gui.render.drawings.motion import ClockMotion
from posenc_gui.render.drawings.parts import Dot, Part, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest, visible
from posenc_gui.render.layout.type_sizes import BOLD, Style

Words = Literal["all", "read", "label", "some", "none"]

_GAP = 8.0  # around a clock, at least
_LEAST_DIAMETER = 24.0  # no clock gets smaller to make room for its label
_LEAST_READ, _LEAST_NAMED = 48.0, 56.0  # nor smaller than this for its reading, or for words around it
_BETWEEN_ROWS = 0.5  # lines: from a reading to the label below it
_MUCH_LARGER = 1.15  # times as large are worth a reading on two lines
_AS_LARGE = 0.85  # unless it keeps this share of the diameter that it has with only the label
_MOST_APART, _APART = 1.6, 1.4  # from clock to clock, in diameters: at most, and at least where words stand around them
_ABOVE = {"all": 2, "read": 1, "label": 1, "some": 1, "none": 0}  # lines of text
_NEWEST = 60  # the newest dots of a trail, which are drawn
_BETWEEN = 4.0  # units between the texts of neighbours
_OFF, _CLOSE = 6.0, 3.5  # units: from a hand's end to its word, and where there is no room for that
_NEAR = 6.0  # units: hands whose ends are nearer than this have no words
_OF_NAMES = 0.55  # of the distance between clocks: the longest word at a hand's end
_TRAIL = 0.6  # the opacity of a trail's newest dot


@dataclass(frozen=True)
class ClockGrid:
    """Clocks in rows, from the room's upper left corner, y downwards.

    `words` is the text at each clock: its label above, its reading below and words around it ("all"), label and reading ("read"),
    the label alone ("label"), the label in every `every`-th column ("some"), or nothing ("none"). `above`: its height above each;
    `lines`: those of a reading.
    """

    count: int
    columns: int
    left: float
    top: float
    across: float
    down: float
    diameter: float
    words: Words
    above: float = 0.0
    lines: int = 0
    every: int = 1

    def centre(self, index: int) -> tuple[float, float]:
        """The centre of a clock."""
        row, column = divmod(index, self.columns)
        middle = self.above + (_GAP + self.diameter) / 2
        return self.left + (column + 0.5) * self.across, self.top + row * self.down + middle

    def at(self, x: float, y: float) -> int | None:
        """Return the index of the clock at a point; None between and beside clocks."""
        column, row = math.floor((x - self.left) / self.across), math.floor((y - self.top) / self.down)
        index = row * self.columns + column
        return index if 0 <= column < self.columns and row >= 0 and index < self.count else None


def clock_grid(panel: Clocks, width: float, height: float, line: float, measure: Measure) -> ClockGrid:
    """The grid of the largest clocks with room for their text; with less of it where clocks would be too small."""
    count, labels = len(panel.labels), max(map(measure, panel.labels))
    broken = longest(chain.from_iterable(_broken(panel.readings, measure)), measure)
    widths = labels, max(labels, *map(measure, panel.readings)), max(labels, broken)  # by the lines of a reading

    def tried(words: Words, lines: int = 0) -> ClockGrid | None:
        least = 0.0 if words in ("some", "none") else widths[lines] + _GAP
        return _largest(count, width, height, line, least, words, lines)

    def with_reading(words: Words) -> ClockGrid | None:
        one, two = tried(words, 1), tried(words, 2)
        return two if one is None or (two and two.diameter > _MUCH_LARGER * one.diameter) else one

    named, read, label = with_reading("all"), with_reading("read"), tried("label")
    if named and panel.hands and named.diameter >= max(_LEAST_NAMED, 3.5 * line):
        return named
    if label and label.diameter >= _LEAST_DIAMETER:
        enough = min(_LEAST_READ, _AS_LARGE * label.diameter)
        return read if read and read.diameter >= enough else label
    some = tried("some")
    if some and some.diameter >= _LEAST_DIAMETER:
        return replace(some, every=math.ceil((labels + _GAP) / some.across))
    return tried("none") or ClockGrid(count, count, 0, 0, max(width, 1) / count, max(height, 1), 1, "none")


def _largest(
    count: int, width: float, height: float, line: float, least: float, words: Words, lines: int
) -> ClockGrid | None:
    """The grid of the largest clocks, in full rows where that makes them little smaller; None if the text doesn't fit."""
    above, below = _ABOVE[words] * line, (lines + (words == "all")) * line
    apart = _APART if words == "all" else 1.0
    grids = []
    for columns in range(1, count + 1):
        rows = math.ceil(count / columns)
        between = _BETWEEN_ROWS * line * (rows > 1)
        diameter = min(width / columns / apart, height / rows - above - below - between) - _GAP
        if diameter > 0 and width / columns >= least:
            grids.append((diameter, columns, rows))
    if not grids:
        return None
    largest = max(grids)[0]
    fair = [grid for grid in grids if grid[0] >= 0.9 * largest]
    diameter, columns, rows = min(fair, key=lambda grid: (grid[1] * grid[2] - count, -grid[0]))
    across = min(width / columns, max(diameter * _MOST_APART, least))
    high = above + diameter + below + _GAP
    down = min(height / rows, high + 0.2 * diameter)
    left, top = (width - across * columns) / 2, (height - down * (rows - 1) - high) / 2
    return ClockGrid(count, columns, left, top, across, down, diameter, words, above, lines)


def _broken(readings: Sequence[str], measure: Measure) -> list[list[str]]:
    """The readings on two lines, all broken at the same word from their ends, so that the longest line is as short as can be."""
    words = [reading.split() for reading in readings]
    tried = (
        [[" ".join(part) for part in (one[:-last], one[-last:]) if part] for one in words]
        for last in range(1, max(2, *map(len, words)))
    )
    return min(tried, key=lambda lines: longest(chain.from_iterable(lines), measure))


class ClocksDrawing(Drawing[Clocks]):
    """Clocks in as many rows as make them largest."""

    least_height, comfortable = 5.0, 5.0

    def __init__(self, panel: Clocks, stage: Stage, widest: Clocks | None = None) -> None:
        super().__init__(panel, stage, widest)
        self._small = stage.style.small
        self.grid = clock_grid(self.widest, stage.width, stage.height, self._small.line, self._small.measure)
        self._radius = self.grid.diameter / 2
        motion = stage.motion if isinstance(stage.motion, ClockMotion) else None
        self._motion, self._angles = motion, motion.at(stage.moment.share) if motion else panel.angles

    @classmethod
    def comfort(cls, panel: Clocks, plot: Rect, style: Style) -> float:
        grid = clock_grid(panel, plot.width, plot.height, style.small.line, style.small.measure)
        return grid.diameter / (cls.comfortable * style.label.line)

    @staticmethod
    def places(panel: Clocks) -> tuple[int, ...]:
        return (len(panel.labels),)

    def draw(self) -> Iterator[Part]:
        if self._motion:
            for index in self._motion.changed:
                yield from self._former(index, self._motion.former)
        for index in range(self.grid.count):
            yield from self._clock(index)
            yield from self._words(index)
        if self.grid.words == "all":
            yield from self._names()
        yield from (framed(self.grid.centre(index), self._radius, self.stage.roles) for index in self.panel.marked)

    def _clock(self, index: int) -> Iterator[Part]:
        (x, y), radius, roles, panel = self.grid.centre(index), self._radius, self.stage.roles, self.panel
        yield from face(x, y, radius, roles.muted if index == self.stage.marked else roles.line)
        if panel.trail is not None:
            shown = panel.trail[index, -_NEWEST:].tolist()
            for number, angle in enumerate(shown):
                share = (number + 1) / len(shown)
                colour = mixed(roles.focus, roles.card, _TRAIL * share)
                yield Dot(*tip_of(x, y, panel.length * radius, angle), share * max(0.8, min(2.1, radius / 20)), colour)
        for at in sorted(range(len(panel.hands)), key=lambda at: _ORDER[panel.hands[at].of], reverse=True):
            yield from hand(x, y, self._tip(index, at), radius, panel.hands[at].of, roles)
        yield from pin(x, y, radius, roles)

    def _tip(self, index: int, at: int) -> tuple[float, float]:
        return tip_of(*self.grid.centre(index), self.panel.length * self._radius, float(self._angles[index, at]))

    def _words(self, index: int) -> Iterator[Part]:
        """The label above a clock and the reading below it."""
        for rect, text, bold in self._texts(index):
            colour = self.stage.roles.ink if bold or index == self.stage.marked else self.stage.roles.muted
            yield Text(*rect.middle, text, colour, "small", "center", bold=bold)

    def _texts(self, index: int) -> Iterator[tuple[Rect, str, bool]]:
        """The places of a clock's label and reading, with their texts; the label is bold."""
        grid, line, (x, y) = self.grid, self._small.line, self.grid.centre(index)
        room = grid.across * grid.every - _BETWEEN
        beyond, readings = self._radius + _GAP / 2, self.panel.readings
        bottom = y + beyond + (grid.words == "all") * line
        is_labelled = grid.words != "none" and not index % grid.columns % grid.every
        found = [(y - beyond - grid.above, self.panel.labels[index], True)] if is_labelled else []
        lines = _broken(readings, self._small.measure)[index] if grid.lines == 2 else [readings[index]][: grid.lines]
        found += [(bottom + at * line, words, False) for at, words in enumerate(lines)]
        for start, words, bold in found:
            text = elided(visible(words), room / (BOLD if bold else 1), self._small.measure)
            half = self._small.measure(text) * (BOLD if bold else 1) / 2
            yield Rect(x - half, start, x + half, start + line), text, bold

    def _names(self) -> Iterator[Part]:
        """The words at the ends of hands that are apart, the focus first, as far as they are free."""
        grid, measure, roles, line = self.grid, self._small.measure, self.stage.roles, self._small.line
        taken = [rect for index in range(grid.count) for rect, _, _ in self._texts(index)]
        colours = {"focus": roles.focus, "twin": roles.twin, "other": roles.muted}
        hands = sorted(enumerate(self.panel.hands), key=lambda one: _ORDER[one[1].of])
        names = {at: elided(visible(one.name), _OF_NAMES * grid.across, measure) for at, one in hands}
        for (at, one), index in ((one, index) for one in hands for index in range(grid.count)):
            is_bold = one.of != "other"
            places = self._beside_tip(index, at, (BOLD if is_bold else 1) * measure(names[at]), line)
            free = (one for one in places if not any(meet(one, other) for other in taken) and self._is_free(one, index))
            if place := next(free, None):
                taken.append(place)
                yield Text(*place.middle, names[at], colours[one.of], "small", "center", bold=is_bold)

    def _beside_tip(self, index: int, at: int, width: float, height: float) -> Iterator[Rect]:
        """Where a word may stand that a hand points at, best first: at its end, closer to it, or below or above it between the
        clocks beside; nowhere if another hand ends nearby."""
        tip = self._tip(index, at)
        ends = (self._tip(index, other) for other in range(len(self.panel.hands)) if other != at)
        if any(math.dist(tip, end) < _NEAR for end in ends):
            return
        angle, centre = float(self._angles[index, at]), self.grid.centre(index)
        for off in (_OFF, _CLOSE):
            x, y = tip_of(*centre, self.panel.length * self._radius + off, angle)
            x, y = x + width / 2 * math.cos(angle), y - height / 2 * math.sin(angle)
            yield Rect(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        reach = self.grid.across - self._radius - _OFF - width / 2
        x = max(centre[0] - reach, min(x, centre[0] + reach))
        x = max(width / 2, min(x, self.stage.width - width / 2))
        y = tip[1] - math.copysign(height / 2 + _CLOSE, math.sin(angle))
        yield Rect(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def _is_free(self, place: Rect, index: int) -> bool:
        """True if a place is on the stage and on no other clock."""
        others = (self.grid.centre(other) for other in range(self.grid.count) if other != index)
        near = (
            (at, (min(max(at[0], place.left), place.right), min(max(at[1], place.top), place.bottom))) for at in others
        )
        reach = self._radius + _OFF / 2
        is_on_stage = contains(Rect(0, 0, self.stage.width, self.stage.height), place)
        return is_on_stage and all(math.dist(*ends) > reach for ends in near)

    def _former(self, index: int, former: Angles) -> Iterator[Part]:
        (x, y), width = self.grid.centre(index), min(BROAD, self._radius / 4)
        for at, one in enumerate(self.panel.hands):
            if one.of != "other" or len(self.panel.hands) == 1:
                end = tip_of(x, y, self.panel.length * self._radius, float(former[index, at]))
                yield Stroke(straight((x, y), end), self.stage.faded(self.stage.roles.muted), width)

    def has_room_for(self, panel: Clocks) -> bool:
        """True if these are the same clocks, whose texts stay while hands turn."""
        mine = self.widest
        return (panel.labels, panel.readings, len(panel.hands)) == (mine.labels, mine.readings, len(mine.hands))

    def marked_by(self, pointer: Pointer) -> int | None:
        pair, pairs = pointer.along("pair"), self.panel.pairs
        return pairs.index(pair) if pair in pairs else None

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The index of the clock, −1 beside clocks, and 0."""
        index = self.grid.at(x, y)
        return -1 if index is None else index, 0

    def cells(self, least: float) -> Iterator[Rect]:
        grid = self.grid
        across = [grid.left + at * grid.across for at in range(grid.columns + 1)]
        down = [grid.top + at * grid.down for at in range(math.ceil(grid.count / grid.columns) + 1)]
        whole = Rect(across[0], down[0], across[-1], min(down[-1], self.stage.height))
        return filter(self.has_words, tiles(whole, across, down, least))

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        return x + dx + dy * self.grid.columns, y


_ORDER = {"focus": 0, "twin": 1, "other": 2}  # in which words are written; hands are drawn the other way round
