"""Dials as a drawing: clocks side by side, with what they read below them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Dial, Dials
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import BROAD, MARK, Drawing, Spot, Stage
from posenc_gui.render.drawings.motion import DialMotion
from posenc_gui.render.drawings.parts import Arc, Box, Dot, Part, Point, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.colour_scales import coordinate_colours
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest, visible
from posenc_gui.render.layout.type_sizes import Style

Words = Literal["all", "broken", "label", "some", "none"]

_GAP = 8.0  # around a dial, at least
_LEAST_DIAMETER = 24.0  # no dial gets smaller to make room for its label
_LEAST_READ = 48.0  # nor smaller than this to make room for its reading
_AS_LARGE = 0.85  # unless it keeps this share of the diameter that it has with only the label
_MOST_APART = 1.6  # from dial to dial, in diameters
_LEGEND = 1.25  # its height, in lines
_LEAST_WITH_LEGS = 6.0  # lines: in smaller dials a tip's coordinates can't be read
_NEWEST = 60  # the newest dots of a trail, which are drawn
_AROUND = 3.0  # units: from a dial to the frame around it
_BELOW = 3.0  # units: from a dial to its text
_BETWEEN = 4.0  # units: between the texts of neighbours
_KEY, _BESIDE_KEY, _APART = 14.0, 5.0, 14.0  # units: a line in the legend, and the gaps beside it
_TRAIL = 0.6  # the opacity of a trail's newest dot
_OF_NAMES = 0.25  # of the width: a name in the legend


@dataclass(frozen=True)
class DialGrid:
    """Dials in rows, from the room's upper left corner, y downwards.

    `words` is the text below each dial: label and reading on two lines ("all"), the reading broken at its commas
    ("broken"), the label alone ("label"), the label in every `every`-th column ("some"), or nothing ("none"). `legend` is the
    height of the legend above them, 0 without one; `legs`: the lines from a tip to the axes, and these, are drawn.
    """

    count: int
    columns: int
    left: float
    top: float
    across: float
    down: float
    diameter: float
    words: Words
    every: int = 1
    legend: float = 0.0
    legs: bool = False

    def centre(self, index: int) -> tuple[float, float]:
        """The centre of a dial."""
        row, column = divmod(index, self.columns)
        return self.left + (column + 0.5) * self.across, self.top + row * self.down + (_GAP + self.diameter) / 2

    def at(self, x: float, y: float) -> int | None:
        """Return the index of the dial at a point; None between and beside dials."""
        column, row = math.floor((x - self.left) / self.across), math.floor((y - self.top) / self.down)
        index = row * self.columns + column
        return index if 0 <= column < self.columns and row >= 0 and index < self.count else None

    def lines(self, index: int, dial: Dial) -> tuple[str, ...]:
        """The text below a dial, line by line."""
        if self.words == "some" and index % self.columns % self.every:
            return ()
        return _lines(dial, self.words)


def dial_grid(panel: Dials, width: float, height: float, line: float, measure: Measure) -> DialGrid:
    """The grid of the largest dials with room for their legend and text; with less of these where dials would be too small.

    `line` is the height of a line of text, `measure` gives the length of a text.
    """
    if not longest(panel.legend or (), measure):
        return _with_texts(panel, width, height, line, measure)
    legend, legs = _LEGEND * line, panel.coordinates is not None
    grid = _with_texts(panel, width, height - legend, line, measure)
    if legs and grid.diameter < _LEAST_WITH_LEGS * line:
        return _with_texts(panel, width, height, line, measure)
    return replace(grid, top=grid.top + legend, legend=legend, legs=legs)


def _with_texts(panel: Dials, width: float, height: float, line: float, measure: Measure) -> DialGrid:
    """The grid of the largest dials with room for their text, all of it or less."""
    count = len(panel.dials)

    def tried(words: Words) -> DialGrid | None:
        texts = [_lines(dial, words) for dial in panel.dials]
        below, widest = max(map(len, texts)) * line, max(measure(text) for lines in texts for text in lines)
        grid = _largest(count, width, height, below, widest + _GAP, words)
        return grid if grid is not None and grid.diameter >= _LEAST_DIAMETER else None

    whole, broken, label = tried("all"), tried("broken"), tried("label")
    read = broken if whole is None or (broken is not None and broken.diameter > 1.15 * whole.diameter) else whole
    if label is not None:
        enough = min(_LEAST_READ, _AS_LARGE * label.diameter)
        return read if read is not None and read.diameter >= enough else label
    some = _largest(count, width, height, line, 0, "some")
    if some is not None and some.diameter >= _LEAST_DIAMETER:
        widest = max(measure(dial.label) for dial in panel.dials)
        return replace(some, every=math.ceil((widest + _GAP) / some.across))
    bare = _largest(count, width, height, 0, 0, "none")
    return bare or DialGrid(count, count, 0, 0, max(width, 1) / count, max(height, 1), 1, "none")


def legend_colours(panel: Dials, roles: Roles) -> tuple[str, str]:
    """The colours in the legend: of the query's and the key's hand, or of the two coordinates."""
    return hand_colours(roles) if panel.hands else coordinate_colours(roles)


def hand_colours(roles: Roles) -> tuple[str, str]:
    """The colours of the query's and the key's hand, which also differ in lightness."""
    return roles.focus, roles.ref


def arc_of(dial: Dial) -> tuple[float, float]:
    """Start and length of the marked arc: from three o'clock to the hand, or from the key's hand to the query's."""
    start = dial.key or 0.0
    return start, without_whole_turns(dial.angle - start)


def without_whole_turns(angle: float) -> float:
    """The angle modulo a whole turn, with its sign."""
    return math.fmod(angle, math.tau)


def trail_of(dial: Dial) -> Sequence[tuple[float, float]]:
    """The newest angles of a dial's trail, each with its opacity, above 0 and up to 1."""
    shown = dial.trail[-_NEWEST:]
    return [(angle, (number + 1) / len(shown)) for number, angle in enumerate(shown)]


def _lines(dial: Dial, words: Words) -> tuple[str, ...]:
    match words:
        case "all":
            return dial.label, dial.reading
        case "broken":
            return dial.label, *dial.reading.split(", ")
        case "none":
            return ()
        case _:
            return (dial.label,)


def _largest(count: int, width: float, height: float, below: float, least: float, words: Words) -> DialGrid | None:
    """The grid of the largest dials, in full rows where that makes them little smaller; None if the text doesn't fit."""
    grids = []
    for columns in range(1, count + 1):
        rows = math.ceil(count / columns)
        diameter = min(width / columns, height / rows - below) - _GAP
        if diameter > 0 and width / columns >= least:
            grids.append((diameter, columns, rows))
    if not grids:
        return None
    largest = max(grids)[0]
    fair = [grid for grid in grids if grid[0] >= 0.9 * largest]
    diameter, columns, rows = min(fair, key=lambda grid: (grid[1] * grid[2] - count, -grid[0]))
    across = min(width / columns, max(diameter * _MOST_APART, least))
    down = min(height / rows, diameter * 1.2 + below + _GAP)
    left, top = (width - across * columns) / 2, (height - down * (rows - 1) - diameter - _GAP - below) / 2
    return DialGrid(count, columns, left, top, across, down, diameter, words)


class DialsDrawing(Drawing[Dials]):
    """Dials in as many rows as make them largest, with the legend at the right above them."""

    least_height, comfortable = 5.0, 5.0

    def __init__(self, panel: Dials, stage: Stage, widest: Dials | None = None) -> None:
        super().__init__(panel, stage, widest)
        small = stage.style.small
        self.grid = dial_grid(self.widest, stage.width, stage.height, small.line, small.measure)
        self._radius = self.grid.diameter / 2

    @classmethod
    def comfort(cls, panel: Dials, plot: Rect, style: Style) -> float:
        grid = dial_grid(panel, plot.width, plot.height, style.small.line, style.small.measure)
        return grid.diameter / (cls.comfortable * style.label.line)

    @staticmethod
    def places(panel: Dials) -> tuple[int, ...]:
        return (len(panel.dials),)

    def draw(self) -> Iterator[Part]:
        if self.panel.legend and self.grid.legend:
            yield from self._legend(self.panel.legend)
        motion, dials = self.stage.motion, self.panel.dials
        if isinstance(motion, DialMotion):
            dials = motion.at(self.stage.moment.share)
            for index in motion.changed:
                yield from self._former(motion.former[index], *self.grid.centre(index))
        for index, dial in enumerate(dials):
            yield from self._dial(index, dial, *self.grid.centre(index))
        half = self._radius + _AROUND
        for index in self.panel.marked:
            x, y = self.grid.centre(index)
            yield Box(Rect(x - half, y - half, x + half, y + half), frame=self.stage.roles.ink, width=MARK)

    def _dial(self, index: int, dial: Dial, x: float, y: float) -> Iterator[Part]:
        radius, roles, is_marked = self._radius, self.stage.roles, index == self.stage.marked
        thin, tip = min(1.4, radius / 12), self._tip(x, y, dial.angle)
        yield Dot(x, y, radius, frame=roles.muted if is_marked else roles.line, width=thin)
        if self.grid.legs:
            yield Stroke(straight((x - radius, y), (x + radius, y)), roles.line, thin)
            yield Stroke(straight((x, y - radius), (x, y + radius)), roles.line, thin)
        arc, largest = min(2.4, radius / 8), max(0.8, min(2.1, radius / 20))
        yield self._arc(dial, x, y, roles.curves[1], arc)
        for angle, left in trail_of(dial):
            size = arc / 2 + left * (largest - arc / 2)
            yield Dot(*self._tip(x, y, angle), size, mixed(roles.ink, roles.curves[1], _TRAIL * left))
        if self.grid.legs:
            across, up = legend_colours(self.panel, roles)
            yield Stroke(straight(tip, (x, tip[1])), across, 1.2 * thin)
            yield Stroke(straight(tip, (tip[0], y)), up, 1.2 * thin)
        width, hand = max(0.9, min(1.7, radius / 12)), roles.ink
        if dial.key is not None:
            hand, of_key = hand_colours(roles)
            yield Stroke(straight((x, y), self._tip(x, y, dial.key)), of_key, width)
        yield Stroke(straight((x, y), tip), hand, width)
        yield Dot(*tip, max(1.7, min(4.5, radius / 11)), roles.focus)
        yield from self._words(index, dial, x, y + radius + _BELOW, roles.ink if is_marked else roles.muted)

    def _words(self, index: int, dial: Dial, x: float, top: float, colour: str) -> Iterator[Part]:
        small = self.stage.style.small
        room = self.grid.across * self.grid.every - _BETWEEN
        for row, text in enumerate(self.grid.lines(index, dial)):
            shown = elided(visible(text), room, small.measure)
            yield Text(x, top + (row + 0.5) * small.line, shown, colour, "small", "center")

    def _former(self, dial: Dial, x: float, y: float) -> Iterator[Part]:
        width, roles = min(BROAD, self._radius / 4), self.stage.roles
        yield self._arc(dial, x, y, self.stage.faded(roles.curves[1]), width)
        for angle in (dial.angle,) if dial.key is None else (dial.angle, dial.key):
            yield Stroke(straight((x, y), self._tip(x, y, angle)), self.stage.faded(roles.muted), width)

    def _arc(self, dial: Dial, x: float, y: float, colour: str, width: float) -> Arc:
        start, angle = arc_of(dial)
        return Arc(x, y, self._radius, angle, colour, width, start)

    def _tip(self, x: float, y: float, angle: float) -> Point:
        return x + self._radius * math.cos(angle), y - self._radius * math.sin(angle)

    def _legend(self, names: tuple[str, str]) -> Iterator[Part]:
        x, y, roles, measure = self.stage.width, self.grid.legend / 2, self.stage.roles, self.stage.style.small.measure
        for name, colour in reversed([*zip(names, legend_colours(self.panel, roles), strict=True)]):
            shown = elided(visible(name), _OF_NAMES * self.stage.width, measure)
            x -= measure(shown)
            yield Text(x, y, shown, roles.ink, "small")
            yield Stroke(straight((x - _BESIDE_KEY - _KEY, y), (x - _BESIDE_KEY, y)), colour, 1.6)
            x -= _BESIDE_KEY + _KEY + _APART

    def has_room_for(self, panel: Dials) -> bool:
        """True if the same dials have room for their readings, which change their length as hands turn."""
        mine, measure = self.widest, self.stage.style.small.measure
        if (panel.legend, [one.label for one in panel.dials]) != (mine.legend, [one.label for one in mine.dials]):
            return False
        lines = (line for index, dial in enumerate(panel.dials) for line in self.grid.lines(index, dial))
        return self.grid.words not in ("all", "broken") or longest(lines, measure) <= self.grid.across - _BETWEEN

    def marked_by(self, pointer: Pointer) -> int | None:
        pair, pairs = pointer.along("pair"), self.panel.shown_pairs
        return pairs.index(pair) if pair in pairs else None

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The index of the dial, −1 beside dials, and 0."""
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
