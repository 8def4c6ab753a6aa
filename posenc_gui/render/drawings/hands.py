"""Two hands as a drawing: a row of clocks for each key, under each the part of the score that its pair makes."""

from __future__ import annotations

import cmath
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Hands, KeyHands
from posenc_gui.figure.panels.hands import HIDDEN, as_summed
from posenc_gui.foundation.contrast import colour_of, mixed
from posenc_gui.foundation.wording import format_decimals
from posenc_gui.render.drawings.clock_faces import face, framed, pin
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage
from posenc_gui.render.drawings.motion import HandsMotion
from posenc_gui.render.drawings.parts import Area, Box, Dot, Part, Point, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.colour_scales import shades
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest, on_two_lines, visible
from posenc_gui.render.layout.type_sizes import BOLD, Style

_GAP = 6.0  # units between clocks, and between texts of neighbours, at least
# Lines of labels: no clock gets smaller to make room for another one, or for numbers; for more than two rows, times `_MANY`.
_LEAST, _LEAST_ON_PAPER, _MANY = 1.7, 1.2, 1.4
_LEAST_BAR, _LONGEST_BAR = 0.6, 3.0  # lines: the longest bar, to either side
_BAR, _BARS = 0.5, 0.7  # lines: the height of a bar, and of the line of bars without numbers
_AIR = 0.6  # lines between rows
_MOST_APART = 2.2  # from clock to clock, in diameters
_OF_WORDS = 0.2  # of the width: the words at the left
_WEDGE, _WASH = 0.9, 0.32  # the wedge's radius in lengths of the shorter hand; its colour over the card
_STEP = math.radians(6)  # of a wedge's rim
_SUBSCRIPT = 0.22  # lines below the word's middle
_USUAL, _USUAL_WEIGHT = "−0.00", "0.000"  # as long as most, so that few changes need more room

Breadths = tuple[float, float, float, float]  # of the words at the left, and of the longest part, score and weight


@dataclass(frozen=True)
class HandsGrid:
    """The places of clocks, in `rows` rows; columns are `across` apart from `left` on, rows `down` from `top` on, y downwards.

    `heads` are a few lines above each column. `below`: the lines of small type below a clock; one for a bar with its number
    beside it, more for a number below the bar, less for a bar alone. `bar` is the longest, to either side. The words begin at
    `start`, the equals sign ends at `equals`; the score and the weight have their middles at `score` and `weight`.
    """

    rows: int
    left: float
    top: float
    across: float
    down: float
    diameter: float
    heads: tuple[tuple[str, ...], ...]
    below: float
    bar: float
    start: float
    equals: float
    score: float
    weight: float


def fitted(panel: Hands, width: float, style: Style) -> Hands:
    """The hands with as many clocks as are legible beside each other; the other pairs are one part."""
    columns, rest = int(_room(panel, width, style)[1] / (_least(style) + _GAP)), len(panel.columns) - len(panel.pairs)
    return panel if columns >= len(panel.columns) else panel.fitting(columns - rest - (not panel.more))


def _room(panel: Hands, width: float, style: Style) -> tuple[float, float]:
    """The breadth of the words at the left, and what is left to the columns."""
    words, _, score, weight = _breadths(panel, style)
    words = min(words, _OF_WORDS * width) + 2 * _GAP
    return words, max(1.0, width - words - score - weight - 4 * _GAP - style.small.measure("="))


def _least(style: Style) -> float:
    return (_LEAST_ON_PAPER if style.is_paper else _LEAST) * style.label.line


def hands_grid(panel: Hands, width: float, height: float, style: Style) -> HandsGrid:
    """The grid of the largest clocks: with as many rows as leave them legible, and with numbers where there is room."""
    line, count, least = style.small.line, len(panel.columns), _least(style)
    (_, number, score, weight), (words, free) = _breadths(panel, style), _room(panel, width, style)
    across = free / count
    heads = _heads(panel, across - _GAP, style.small.measure)
    above, air = (max(map(len, heads)) + 0.4) * line, _AIR * line
    is_beside = across - number - 2 * _GAP >= 2 * _LEAST_BAR * line
    below = 1.0 if is_beside else 1 + _BARS if number <= across - 1 else _BARS

    def diameter(rows: int, below: float) -> float:
        return min(across - _GAP, (height - above + air) / rows - below * line - air - 2)

    at_most = range(len(panel.rows), 1, -1)
    rows = next((rows for rows in at_most if diameter(rows, below) >= least * (_MANY if rows > 2 else 1)), 1)
    if below > 1 and diameter(rows, below) < least:
        below = _BARS
    side = max(1.0, diameter(rows, below))
    named = longest((text for head in heads for text in head), style.small.measure)
    apart = max(_MOST_APART * side, number + _LONGEST_BAR * line, named)
    across = min(across, apart + _GAP)
    down = side + 2 + below * line + air
    spare, beside = max(0.0, height - above + air - rows * down), max(0.0, free - count * across) / 2
    down += min(spare / (rows + 1), side / 4) if rows > 1 else 0
    top = above + max(0.0, height - above + air - rows * down) / 2
    bar = max(1.0, min(_LONGEST_BAR * line, 0.6 * side, (across - 2 - (number + 2 * _GAP - 2) * (below == 1)) / 2))
    end = width - beside
    of_score = end - weight - 2 * _GAP - score / 2
    return HandsGrid(
        rows, words + beside, top, across, down, side, heads, below, bar, beside,
        of_score - score / 2 - _GAP, of_score, end - weight / 2,
    )  # fmt: skip


def _words(panel: Hands) -> Iterator[str]:
    """The words at the left, positions with three digits, so that few starts need more room."""
    yield visible(f"{panel.label} →")
    yield from (visible(f"{key.label}{f'{panel.start + key.at:03}' if key.is_twin else ''}") for key in panel.shown)


def _breadths(panel: Hands, style: Style) -> Breadths:
    keys, small, label = panel.shown, style.small.measure, style.label.measure
    parts = max(small(_USUAL), _longest_part(panel, small))
    scores = longest((_USUAL, *format_decimals([key.score for key in keys], 2)), label)
    weights = panel.weights(keys)
    told = longest((_USUAL_WEIGHT, *(text for text in weights if text != HIDDEN)), label)
    hidden = longest(on_two_lines(HIDDEN, small), small) if HIDDEN in weights else 0.0
    score, weight = max(BOLD * scores, small("score")), max(BOLD * told, hidden, small("weight"))
    return BOLD * longest(_words(panel), label), BOLD * parts, score, weight


def _longest_part(panel: Hands, measure: Measure) -> float:
    return longest((text for key in panel.shown for text in as_summed(key.parts)), measure)


def _heads(panel: Hands, room: float, measure: Measure) -> tuple[tuple[str, ...], ...]:
    """The name above each column: on one line, or broken before its axis, or else its number alone."""
    whole = tuple((name,) for name in panel.columns)
    broken = tuple(tuple(name.split(" · ")) for name in panel.columns)
    for heads in (whole, broken):
        if BOLD * longest((line for head in heads for line in head), measure) <= room:
            return heads
    short = (
        f"+{name[:-5]}" if name.endswith(" more") else name.partition(" · ")[0].split()[-1] for name in panel.columns
    )
    return tuple((elided(name, room, measure),) for name in short)


class HandsDrawing(Drawing[Hands]):
    """A row of clocks for each key, as many of both as have room. A key that a pointer names has its own row, or the last one."""

    least_height, comfortable = 5.0, 3.0

    def __init__(self, panel: Hands, stage: Stage, widest: Hands | None = None) -> None:
        panel, widest = (fitted(one, stage.width, stage.style) for one in (panel, widest or panel))
        super().__init__(panel, stage, widest)
        self.grid = hands_grid(self.widest, stage.width, stage.height, stage.style)
        self._radius = self.grid.diameter / 2
        rows = [*panel.rows[: self.grid.rows]]
        self._named, self._clock = stage.marked if isinstance(stage.marked, tuple) else (None, None)
        self.rows = rows if self._named is None or self._named in rows else [*rows[:-1], self._named]

    @classmethod
    def comfort(cls, panel: Hands, plot: Rect, style: Style) -> float:
        grid = hands_grid(fitted(panel, plot.width, style), plot.width, plot.height, style)
        return grid.diameter / (cls.comfortable * style.label.line)

    @staticmethod
    def places(panel: Hands) -> tuple[int, ...]:
        return len(panel.rows), len(panel.columns)

    @staticmethod
    def widest_of(panels: Sequence[Hands], measure: Measure) -> Hands:
        """The one with the longest part, of those whose words are alike."""
        return max(panels, key=lambda one: _longest_part(one, measure))

    def draw(self) -> Iterator[Part]:
        motion, panel, roles = self.stage.motion, self.panel, self.stage.roles
        former = motion.former if isinstance(motion, HandsMotion) else None
        if isinstance(motion, HandsMotion):
            panel = motion.at(self.stage.moment.share)
        weights = panel.weights([panel.keys[row] for row in self.rows])
        yield from self._draw_heads()
        for at, (row, weight) in enumerate(zip(self.rows, weights, strict=True)):
            key, top = panel.keys[row], self.grid.top + at * self.grid.down
            if row == self._named:
                whole = Rect.down_from(0, top - 2, self.stage.width, self.grid.down - 2)
                yield Box(whole, mixed(roles.hover, roles.card, 0.5), corner=4)
            yield from self._draw_words(key, top + self._radius)
            for column in range(len(panel.pairs)):
                middle = self._middle(column), top + self._radius
                for tips in (former.tips, former.keys[row].tips) if former else ():
                    yield Stroke(straight(middle, self._tip(middle, tips[column])), self.stage.faded(roles.muted), 2)
                yield from self._draw_clock(panel.tips[column], key.tips[column], self._of_key(key), column, middle)
            yield from self._draw_parts(key, top + self.grid.diameter + 2)
            yield from self._draw_sum(key, weight, top + self._radius)

    def _middle(self, column: int) -> float:
        return self.grid.left + (column + 0.5) * self.grid.across

    def _draw_heads(self) -> Iterator[Part]:
        grid, line, roles = self.grid, self.stage.style.small.line, self.stage.roles
        heads = [(self._middle(at), head, at in self.panel.told) for at, head in enumerate(grid.heads)]
        for x, head, is_told in (*heads, (grid.score, ("score",), False), (grid.weight, ("weight",), False)):
            for above, text in enumerate(reversed(head)):
                y = grid.top - (above + 0.9) * line
                yield Text(x, y, text, roles.ink if is_told else roles.muted, "small", "center", bold=is_told)

    def _draw_words(self, key: KeyHands, y: float) -> Iterator[Part]:
        """“sat →” and below it “the₀”; the key alone where the row has room for one line."""
        grid, label, small, roles = self.grid, self.stage.style.label, self.stage.style.small, self.stage.roles
        index, room = str(self.panel.start + key.at) if key.is_twin else "", grid.left - grid.start - 2 * _GAP
        if grid.diameter >= 2 * label.line:
            asks = elided(visible(self.panel.label), room / BOLD - label.measure(" →"), label.measure)
            yield Text(grid.start, y - label.line / 2, asks, roles.focus, bold=True)
            yield Text(grid.start + BOLD * label.measure(asks), y - label.line / 2, " →", roles.muted)
            y += label.line / 2
        name = elided(visible(key.label), (room - small.measure(index)) / BOLD, label.measure)
        yield Text(grid.start, y, name, self._of_key(key), bold=True)
        if index:
            x = grid.start + BOLD * label.measure(name) + 1
            yield Text(x, y + _SUBSCRIPT * label.line, index, self._of_key(key), "small")

    def _of_key(self, key: KeyHands) -> str:
        return self.stage.roles.twin if key.is_twin else self.stage.roles.ink

    def _draw_clock(self, query: complex, key: complex, of_key: str, column: int, middle: Point) -> Iterator[Part]:
        roles, radius, (x, y) = self.stage.roles, self._radius, middle
        yield from face(x, y, radius, roles.muted if column == self._clock else roles.line)
        yield from self._draw_wedge(query, key, middle)
        ends = (self._tip(middle, key), of_key), (self._tip(middle, query), roles.focus)
        for tip, colour in ends:
            yield Stroke(straight(middle, tip), colour, max(0.8, min(1.8, radius / 14)))
        for tip, colour in ends:
            yield Dot(*tip, max(1.4, min(3.2, radius / 11)), colour)
        yield from pin(x, y, radius, roles)
        if column in self.panel.marked:
            yield framed(middle, radius, roles)

    def _draw_wedge(self, query: complex, key: complex, middle: Point) -> Iterator[Part]:
        """The angle between two hands, the shorter way round: teal where it is less than a right angle, else rust."""
        turn = cmath.phase(query * key.conjugate())
        length = _WEDGE * min(abs(query), abs(key))
        if abs(turn) * length * self._radius > self.panel.longest:
            turns = np.exp(1j * (cmath.phase(key) + np.linspace(0, turn, 2 + int(abs(turn) / _STEP))))
            corners = np.array([middle, *(self._tip(middle, length * one) for one in turns)])
            side = self.stage.roles.diverging[3 if abs(turn) <= math.pi / 2 else 1]
            yield Area(corners, mixed(side, self.stage.roles.card, _WASH))

    def _tip(self, middle: Point, tip: complex) -> Point:
        unit = self._radius / self.panel.longest
        return middle[0] + unit * float(tip.real), middle[1] - unit * float(tip.imag)

    def _draw_parts(self, key: KeyHands, top: float) -> Iterator[Part]:
        """A bar from its middle for each part, with its number."""
        grid, line, roles = self.grid, self.stage.style.small.line, self.stage.roles
        is_beside, level, half = grid.below == 1, top + min(grid.below, 1.0) * line / 2, _BAR * line / 2
        level = top + _BARS * line / 2 if grid.below > 1 else level
        for column, (value, text) in enumerate(zip(key.parts, as_summed(key.parts), strict=True)):
            x, share = self._middle(column), max(-1.0, min(1.0, value / self.panel.high))
            colour = colour_of(shades("diverging", np.array([(1 + share) / 2]), roles)[0].tolist())
            end, is_told = x + share * grid.bar, column in self.panel.told
            yield Box(Rect(min(x, end), level - half, max(x, end), level + half), colour)
            yield Stroke(straight((x, level - half - 1), (x, level + half + 1)), roles.muted, 1.0)
            if is_beside:
                yield Text(x + grid.bar + _GAP / 2, level, text, roles.ink, "small", bold=is_told)
            elif grid.below > 1:
                yield Text(x, top + (_BARS + 0.5) * line, text, roles.ink, "small", "center", bold=is_told)

    def _draw_sum(self, key: KeyHands, weight: str, y: float) -> Iterator[Part]:
        grid, small, roles = self.grid, self.stage.style.small, self.stage.roles
        yield Text(grid.equals, y, "=", roles.muted, side="right")
        yield Text(grid.score, y, format_decimals([key.score], 2)[0], roles.ink, side="center", bold=True)
        if weight != HIDDEN:
            yield Text(grid.weight, y, weight, self._of_key(key), side="center", bold=True)
            return
        for at, text in enumerate(on_two_lines(HIDDEN, small.measure)):
            yield Text(grid.weight, y + (at - 0.5) * small.line, text, roles.muted, "small", "center")

    def has_room_for(self, panel: Hands) -> bool:
        """True if the same clocks have room for their numbers, which change their length as hands turn."""
        mine, style = self.widest, self.stage.style
        panel = fitted(panel, self.stage.width, style)
        same = (panel.columns, self.places(panel)) == (mine.columns, self.places(mine))
        return same and all(map(float.__le__, _breadths(panel, style), _breadths(mine, style)))

    def marked_by(self, pointer: Pointer) -> Hashable:
        """The index of the key that the query in focus meets, and of the clock, None for either that isn't named here."""
        query, at, pair = (pointer.along(role) for role in ("query", "key", "pair"))
        keys = [key.at for key in self.panel.keys]
        key = keys.index(at) if at in keys and query == self.panel.query else None
        clock = self.panel.pairs.index(pair) if pair in self.panel.pairs else None
        return None if key is None and clock is None else (key, clock)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The column, that of the score beside the clocks, and the index of the key; −1 above and below the rows."""
        grid, last = self.grid, len(self.panel.columns)
        row, column = math.floor((y - grid.top) / grid.down), math.floor((x - grid.left) / grid.across)
        if not 0 <= row < len(self.rows):
            return -1, -1
        return column if 0 <= column < last else last, self.rows[row]

    def cells(self, least: float) -> Iterator[Rect]:
        grid, rows = self.grid, len(self.rows)
        across = [grid.left + at * grid.across for at in range(len(self.panel.columns) + 1)]
        whole = Rect(0, grid.top, self.stage.width, min(grid.top + rows * grid.down, self.stage.height))
        down = [grid.top + at * grid.down for at in range(1, rows)]
        return filter(self.has_words, tiles(whole, across, down, least))

    def start(self) -> Spot:
        return 0, self.rows[0]

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        row = self.rows.index(round(y)) + dy if round(y) in self.rows else 0
        return x + dx, self.rows[row] if 0 <= row < len(self.rows) else -1
