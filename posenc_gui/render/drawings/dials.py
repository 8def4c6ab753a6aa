"""Dials as a drawing: clocks side by side, with what they read below them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Dial, Dials
from posenc_gui.foundation.contrast import mixed
from posenc_gui.render.drawings.drawing import BROAD, MARK, Drawing, Spot, Stage
from posenc_gui.render.drawings.motion import DialMotion
from posenc_gui.render.drawings.parts import Arc, Box, Dot, Part, Point, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.dial_grid import arc_of, dial_grid, hand_colours, legend_colours, trail_of
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, longest, visible

_AROUND = 3.0  # units: from a dial to the frame around it
_BELOW = 3.0  # units: from a dial to its text
_BETWEEN = 4.0  # units: between the texts of neighbours
_KEY, _BESIDE_KEY, _APART = 14.0, 5.0, 14.0  # units: a line in the legend, and the gaps beside it
_TRAIL = 0.6  # the opacity of a trail's newest dot
_OF_NAMES = 0.25  # of the width: a name in the legend


class DialsDrawing(Drawing[Dials]):
    """Dials in as many rows as make them largest, with the legend at the right above them."""

    def __init__(self, panel: Dials, stage: Stage, widest: Dials | None = None) -> None:
        super().__init__(panel, stage, widest)
        small = stage.style.small
        self.grid = dial_grid(self.widest, stage.width, stage.height, small.line, small.measure)
        self._radius = self.grid.diameter / 2

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
