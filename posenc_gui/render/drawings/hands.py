"""Two hands as a drawing: a row of clocks for each key, under each the part of the score that its pair makes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Hands, KeyHands
from posenc_gui.figure.panels.hands import HIDDEN, as_summed
from posenc_gui.foundation.contrast import colour_of, mixed
from posenc_gui.foundation.wording import format_decimals
from posenc_gui.render.drawings.drawing import MARK, Drawing, Spot, Stage
from posenc_gui.render.drawings.motion import HandsMotion
from posenc_gui.render.drawings.parts import Area, Box, Dot, Part, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.colour_scales import shades
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest, visible
from posenc_gui.render.layout.type_sizes import BOLD, Style

Numbers = Literal["beside", "below", "none"]  # where a part's number stands: beside its bar, below it, nowhere

_GAP = 6.0  # units between clocks, and between texts of neighbours, at least
# Lines of labels: no clock gets smaller to make room for another row, or for numbers; on paper these are high.
_LEAST, _LEAST_ON_PAPER = 1.7, 1.2
_LEAST_BAR = 0.6  # lines: the longest bar beside a number, at least
_BAR, _BARS = 0.5, 0.7  # lines: the height of a bar, and of the line of bars without numbers
_BETWEEN_ROWS = 0.6  # lines
_MOST_APART = 2.2  # from clock to clock, in diameters
_OF_WORDS = 0.2  # of the width: the words at the left
_WEDGE, _WASH = 0.9, 0.32  # the wedge's radius in lengths of the shorter hand; its colour over the card
_STEP = math.radians(6)  # of a wedge's rim
_SUBSCRIPT = 0.22  # lines below the word's middle
_USUAL, _USUAL_WEIGHT = "−0.00", "0.000"  # as long as most, so that few changes need more room


@dataclass(frozen=True)
class HandsGrid:
    """The places of clocks, in `rows` rows from the upper left corner, y downwards.

    Columns are `across` apart and begin at `left`, rows are `down` apart and begin at `top`, below the `heads`, which are a few
    lines for each column. `bar` is the length of the longest bar, to either side; `words`, `score` and `weight` are breadths.
    """

    rows: int
    left: float
    top: float
    across: float
    down: float
    diameter: float
    heads: tuple[tuple[str, ...], ...]
    numbers: Numbers
    bar: float
    words: float
    score: float
    weight: float


def hands_grid(panel: Hands, width: float, height: float, style: Style) -> HandsGrid:
    """The grid of the largest clocks: with as many rows as leave them legible, and with numbers where there is room."""
    small, label, count = style.small, style.label, len(panel.columns)
    number, score, weight = _breadths(panel, style)
    words = min(longest(_words(panel), label.measure) * BOLD, _OF_WORDS * width) + 2 * _GAP
    free = max(1.0, width - words - score - weight - 4 * _GAP - small.measure("="))
    across = free / count
    heads = _heads(panel, across - _GAP, small.measure)
    above = (max(map(len, heads)) + 0.4) * small.line
    bar = (across - number - 2 * _GAP) / 2
    beside = bar >= _LEAST_BAR * small.line
    below = {"beside": small.line, "below": (1 + _BARS) * small.line, "none": _BARS * small.line}
    numbers: Numbers = "beside" if beside else "below" if number <= across - 1 else "none"

    def diameter(rows: int, numbers: Numbers) -> float:
        air = _BETWEEN_ROWS * small.line
        return min(across - _GAP, (height - above + air) / rows - below[numbers] - air - 2)

    least = (_LEAST_ON_PAPER if style.is_paper else _LEAST) * label.line
    rows = next((rows for rows in range(len(panel.rows), 1, -1) if diameter(rows, numbers) >= least), 1)
    if diameter(rows, numbers) < min(least, diameter(rows, "none")):
        numbers = "none"
    side = max(1.0, diameter(rows, numbers))
    across = min(
        across, max(_MOST_APART * side, longest((line for head in heads for line in head), small.measure) + _GAP)
    )
    down = side + 2 + below[numbers] + _BETWEEN_ROWS * small.line
    spare = max(0.0, height - above - rows * down + _BETWEEN_ROWS * small.line)
    down += min(spare / (rows + 1), 0.25 * side) if rows > 1 else 0.0
    top = above + max(0.0, height - above - rows * down + _BETWEEN_ROWS * small.line) / 2
    left = words + max(0.0, free - count * across) / 2
    bar = min(across / 2 - 1 if numbers != "beside" else (across - number - 2 * _GAP) / 2, 0.6 * side)
    return HandsGrid(rows, left, top, across, down, side, heads, numbers, max(bar, 1.0), words, score, weight)


def _words(panel: Hands) -> Iterator[str]:
    yield visible(f"{panel.label} →")
    yield from (visible(f"{key.label}{panel.start + key.at if key.is_twin else ''}") for key in panel.shown)


def _breadths(panel: Hands, style: Style) -> tuple[float, float, float]:
    """The breadths of the longest part, score and weight."""
    keys, small, label = panel.shown, style.small.measure, style.label.measure
    parts = longest((_USUAL, *(text for key in keys for text in as_summed(panel.parts(key)))), small) * BOLD
    scores = longest((_USUAL, *_scores(keys)), label) * BOLD
    weights = [
        small(line) if text == HIDDEN else label(text) * BOLD for text in panel.weights(keys) for line in _lines(text)
    ]
    return parts, max(scores, small("score")), max(*weights, small("weight"), label(_USUAL_WEIGHT) * BOLD)


def _lines(weight: str) -> tuple[str, ...]:
    return tuple(weight.split(" the ", 1)) if weight != HIDDEN else ("hidden by", "the mask")


def _scores(keys: Sequence[KeyHands]) -> list[str]:
    return format_decimals([key.score for key in keys], 2)


def _heads(panel: Hands, room: float, measure: Measure) -> tuple[tuple[str, ...], ...]:
    """The name above each column: on one line, or broken before its axis, or else its number alone."""
    whole = tuple((name,) for name in panel.columns)
    broken = tuple(tuple(name.split(" · ")) for name in panel.columns)
    for heads in (whole, broken):
        if longest((line for head in heads for line in head), measure) * BOLD <= room:
            return heads
    return tuple((elided(name.partition(" · ")[0].rpartition(" ")[2], room, measure),) for name in panel.columns)


class HandsDrawing(Drawing[Hands]):
    """A row of clocks for each key, as many as have room. A key that a pointer names has a row: its own, or else the last."""

    least_height, comfortable = 5.0, 3.0

    def __init__(self, panel: Hands, stage: Stage, widest: Hands | None = None) -> None:
        super().__init__(panel, stage, widest)
        self.grid = hands_grid(self.widest, stage.width, stage.height, stage.style)
        self._radius = self.grid.diameter / 2
        rows = [*panel.rows[: self.grid.rows]]
        named = stage.marked[0] if isinstance(stage.marked, tuple) else None
        self._named = named
        self.rows = rows if named is None or named in rows else [*rows[:-1], named]

    @classmethod
    def comfort(cls, panel: Hands, plot: Rect, style: Style) -> float:
        return hands_grid(panel, plot.width, plot.height, style).diameter / (cls.comfortable * style.label.line)

    @staticmethod
    def places(panel: Hands) -> tuple[int, ...]:
        return len(panel.rows), len(panel.columns)

    @staticmethod
    def widest_of(panels: Sequence[Hands], measure: Measure) -> Hands:
        def breadth(panel: Hands) -> float:
            texts = (text for key in panel.shown for text in (*as_summed(panel.parts(key)), *_scores([key])))
            return longest((_USUAL, *texts), measure) + longest(_words(panel), measure)

        return max(panels, key=breadth)

    def draw(self) -> Iterator[Part]:
        motion, panel = self.stage.motion, self.panel
        if isinstance(motion, HandsMotion):
            panel = motion.at(self.stage.moment.share)
        yield from self._draw_heads()
        weights = panel.weights([panel.keys[row] for row in self.rows])
        for at, (row, weight) in enumerate(zip(self.rows, weights, strict=True)):
            key, y = panel.keys[row], self.grid.top + at * self.grid.down + self._radius
            if row == self._named:
                whole = Rect(0, y - self._radius - 2, self.stage.width, y - self._radius - 4 + self.grid.down)
                yield Box(whole, mixed(self.stage.roles.hover, self.stage.roles.card, 0.5), corner=4)
            yield from self._draw_words(panel, key, y)
            former = motion.former.keys[row] if isinstance(motion, HandsMotion) else None
            for column in range(len(panel.pairs)):
                x = self._middle(column)
                if former is not None and isinstance(motion, HandsMotion):
                    for tip in (motion.former.tips[column], former.tips[column]):
                        yield self._hand(x, y, tip, self.stage.faded(self.stage.roles.muted))
                yield from self._draw_clock(panel, key, column, x, y)
            yield from self._draw_parts(panel, key, y + self._radius + 2)
            yield from self._draw_sum(key, weight, y)

    def _middle(self, column: int) -> float:
        return self.grid.left + (column + 0.5) * self.grid.across

    def _draw_heads(self) -> Iterator[Part]:
        grid, small, muted = self.grid, self.stage.style.small, self.stage.roles.muted
        bottom = grid.top - 0.4 * small.line
        for column, head in enumerate(grid.heads):
            for line, text in enumerate(reversed(head)):
                y, is_told = bottom - (line + 0.5) * small.line, column in self.panel.told
                colour = self.stage.roles.ink if is_told else muted
                yield Text(self._middle(column), y, text, colour, "small", "center", bold=is_told)
        for x, text in zip(self._of_sum(), ("score", "weight"), strict=True):
            yield Text(x, bottom - 0.5 * small.line, text, muted, "small", "center")

    def _of_sum(self) -> tuple[float, float]:
        """The middles of the score and of the weight."""
        grid = self.grid
        right = self.stage.width - grid.weight / 2
        return right - grid.weight / 2 - 2 * _GAP - grid.score / 2, right

    def _draw_words(self, panel: Hands, key: KeyHands, y: float) -> Iterator[Part]:
        """“sat →” and below it “the₀”; the key alone where the row has room for one line."""
        label, roles, room = self.stage.style.label, self.stage.roles, self.grid.words - 2 * _GAP
        index = str(panel.start + key.at) if key.is_twin else ""
        if self.grid.diameter >= 2 * label.line:
            asks = elided(visible(panel.label), (room - label.measure(" →")) / BOLD, label.measure)
            yield Text(0, y - label.line / 2, asks, roles.focus, bold=True)
            yield Text(BOLD * label.measure(asks), y - label.line / 2, " →", roles.muted)
            y += label.line / 2
        small, colour = self.stage.style.small, self._of_key(key)
        name = elided(visible(key.label), (room - small.measure(index)) / BOLD, label.measure)
        yield Text(0, y, name, colour, bold=True)
        if index:
            yield Text(BOLD * label.measure(name) + 1, y + _SUBSCRIPT * label.line, index, colour, "small")

    def _of_key(self, key: KeyHands) -> str:
        return self.stage.roles.twin if key.is_twin else self.stage.roles.ink

    def _draw_clock(self, panel: Hands, key: KeyHands, column: int, x: float, y: float) -> Iterator[Part]:
        roles, radius, thin = self.stage.roles, self._radius, min(1.4, self._radius / 12)
        is_marked = isinstance(self.stage.marked, tuple) and self.stage.marked[1] == column
        query, tip = panel.tips[column], key.tips[column]
        yield Dot(x, y, radius, frame=roles.muted if is_marked else roles.line, width=thin)
        yield from self._draw_wedge(x, y, query / panel.longest, tip / panel.longest)
        hands = ((tip, self._of_key(key)), (query, roles.focus))
        for at, colour in hands:
            yield self._hand(x, y, at, colour)
        for at, colour in hands:
            yield Dot(*self._tip(x, y, at), max(1.4, min(3.2, radius / 11)), colour)
        yield Dot(x, y, max(0.9, min(1.8, radius / 18)), roles.ink)
        if column in self.panel.marked:
            yield Box(Rect(x - radius - 3, y - radius - 3, x + radius + 3, y + radius + 3), frame=roles.ink, width=MARK)

    def _draw_wedge(self, x: float, y: float, query: np.ndarray, tip: np.ndarray) -> Iterator[Part]:
        """The angle between two hands, the shorter way round: teal where it is less than a right angle, else rust."""
        start = math.atan2(tip[1], tip[0])
        turn = math.remainder(math.atan2(query[1], query[0]) - start, math.tau)
        radius = _WEDGE * self._radius * min(math.hypot(*query), math.hypot(*tip))
        if abs(turn) * radius < 1:
            return
        turns = start + np.linspace(0, turn, 2 + int(abs(turn) / _STEP))
        rim = np.stack((x + radius * np.cos(turns), y - radius * np.sin(turns)), axis=1)
        side = self.stage.roles.diverging[3 if abs(turn) <= math.pi / 2 else 1]
        yield Area(np.concatenate((np.array([[x, y]]), rim)), mixed(side, self.stage.roles.card, _WASH))

    def _hand(self, x: float, y: float, tip: np.ndarray, colour: str) -> Stroke:
        return Stroke(straight((x, y), self._tip(x, y, tip)), colour, max(0.8, min(1.8, self._radius / 14)))

    def _tip(self, x: float, y: float, tip: np.ndarray) -> tuple[float, float]:
        unit = self._radius / self.panel.longest
        return x + unit * float(tip[0]), y - unit * float(tip[1])

    def _draw_parts(self, panel: Hands, key: KeyHands, top: float) -> Iterator[Part]:
        """A bar from its middle for each part, with its number."""
        grid, small, roles = self.grid, self.stage.style.small, self.stage.roles
        values = panel.parts(key)
        beside, half = grid.numbers == "beside", _BAR * small.line / 2
        level = top + (small.line if beside else _BARS * small.line) / 2
        for column, (value, text) in enumerate(zip(values, as_summed(values), strict=True)):
            x, share = self._middle(column), max(-1.0, min(1.0, value / panel.high))
            colour = colour_of(shades("diverging", np.array([(1 + share) / 2]), roles)[0].tolist())
            end = x + share * grid.bar
            yield Box(Rect(min(x, end), level - half, max(x, end), level + half), colour)
            yield Stroke(straight((x, level - half - 1), (x, level + half + 1)), roles.muted, 1.0)
            if grid.numbers == "none":
                continue
            is_told = column in self.panel.told
            if beside:
                yield Text(x + grid.bar + _GAP / 2, level, text, roles.ink, "small", bold=is_told)
            else:
                y = top + (_BARS + 0.5) * small.line
                yield Text(x, y, text, roles.ink, "small", "center", bold=is_told)

    def _draw_sum(self, key: KeyHands, weight: str, y: float) -> Iterator[Part]:
        roles, small, (score, right) = self.stage.roles, self.stage.style.small, self._of_sum()
        equals = score - self.grid.score / 2 - _GAP
        yield Text(equals, y, "=", roles.muted, side="right")
        yield Text(score, y, _scores([key])[0], roles.ink, side="center", bold=True)
        if key.weight is not None:
            yield Text(right, y, weight, self._of_key(key), side="center", bold=True)
            return
        for line, text in enumerate(_lines(weight)):
            yield Text(right, y + (line - 0.5) * small.line, text, roles.muted, "small", "center")

    def has_room_for(self, panel: Hands) -> bool:
        """True if the same clocks have room for their numbers, which change their length as hands turn."""
        mine, style = self.widest, self.stage.style
        same = (panel.columns, self.places(panel), [*_words(panel)]) == (
            mine.columns,
            self.places(mine),
            [*_words(mine)],
        )
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
        row, column = (
            math.floor((y - self.grid.top) / self.grid.down),
            math.floor((x - self.grid.left) / self.grid.across),
        )
        last = len(self.panel.columns)
        if not 0 <= row < len(self.rows):
            return -1, -1
        return column if 0 <= column < last else last, self.rows[row]

    def cells(self, least: float) -> Iterator[Rect]:
        grid = self.grid
        across = [grid.left + at * grid.across for at in range(len(self.panel.columns) + 1)]
        down = [grid.top + at * grid.down for at in range(1, len(self.rows))]
        bottom = min(grid.top + len(self.rows) * grid.down, self.stage.height)
        return filter(self.has_words, tiles(Rect(0, grid.top, self.stage.width, bottom), across, down, least))

    def start(self) -> Spot:
        return 0, self.rows[0]

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        row = self.rows.index(round(y)) + dy if round(y) in self.rows else 0
        return x + dx, self.rows[row] if 0 <= row < len(self.rows) else -1
