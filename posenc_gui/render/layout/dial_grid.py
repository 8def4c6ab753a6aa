"""Where dials stand, and which of their words have room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from posenc_gui.figure.figure import Dial, Dials
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import coordinate_colours
from posenc_gui.render.layout.text_fit import Measure

Words = Literal["all", "broken", "label", "some", "none"]

_GAP = 8.0  # around a dial, at least
_LEAST_DIAMETER = 24.0  # a dial gets no smaller for the sake of its label
_LEAST_READ = 48.0  # nor for the sake of its reading, unless
_AS_LARGE = 0.85  # it stays so large of what it is with its label alone
_MOST_APART = 1.6  # from dial to dial, in diameters
_TRAIL = 60  # the dots of a trail that are drawn, the newest


@dataclass(frozen=True)
class DialGrid:
    """Dials in rows, from the room's upper left corner, y downwards.

    `words` says what stands below each dial: its label and reading in two lines ("all"), the reading broken at its
    commas ("broken"), the label alone, the label of `every` so many columns ("some"), or nothing.
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

    def centre(self, index: int) -> tuple[float, float]:
        """Where a dial's hand is fixed."""
        row, column = divmod(index, self.columns)
        return self.left + (column + 0.5) * self.across, self.top + row * self.down + (_GAP + self.diameter) / 2

    def at(self, x: float, y: float) -> int | None:
        """The dial at a place; None between and beside them."""
        column, row = math.floor((x - self.left) / self.across), math.floor((y - self.top) / self.down)
        index = row * self.columns + column
        return index if 0 <= column < self.columns and row >= 0 and index < self.count else None

    def lines(self, index: int, dial: Dial) -> tuple[str, ...]:
        """The words below a dial, line by line."""
        if self.words == "some" and index % self.columns % self.every:
            return ()
        return _lines(dial, self.words)


def dial_grid(panel: Dials, width: float, height: float, line: float, measure: Measure) -> DialGrid:
    """The grid of the largest dials that leaves room for their words; with fewer words where dials would be too small.

    `line` is the height of a line of text, `measure` gives how long a text is.
    """
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
    """The colours of what the legend names: the query's and the key's hand, or the two coordinates."""
    return hand_colours(roles) if panel.hands else coordinate_colours(roles)


def hand_colours(roles: Roles) -> tuple[str, str]:
    """The colours of the query's and of the key's hand, which differ in lightness, too."""
    return roles.focus, roles.ref


def arc_of(dial: Dial) -> tuple[float, float]:
    """Where the marked arc begins and how far it goes: from three o'clock to the hand, or from the key's to the query's."""
    start = dial.key or 0.0
    return start, turned(dial.angle - start)


def turned(angle: float) -> float:
    """What is left of an angle after whole turns, in its direction."""
    return math.fmod(angle, math.tau)


def trail_of(dial: Dial) -> Sequence[tuple[float, float]]:
    """The newest angles of a dial's trail, each with how much of it has not faded, above 0 to 1."""
    shown = dial.trail[-_TRAIL:]
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
    """The grid of the largest dials, in full rows where they are nearly as large; None where words don't fit."""
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
