"""A figure in the tile of a question: a small picture with its most telling words and numbers.

It is SVG as a thumbnail is, and as large as `WIDTH` and `HEIGHT` say at 100 % text size. Figures for which nothing is drawn
here have a thumbnail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

import numpy as np

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Flow, Slopes, Table
from posenc_gui.figure.panels.flow import COLUMN_NAMES, Column
from posenc_gui.figure.panels.tables_and_notes import Judged
from posenc_gui.figure.ranges import Values
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.contrast import colour_of
from posenc_gui.foundation.theme import THEMES, Roles
from posenc_gui.foundation.wording import format_distinct, isolate
from posenc_gui.render.drawings.parts import Box, Part, Side, Stroke, Text, straight
from posenc_gui.render.layout.colour_scales import shades
from posenc_gui.render.layout.label_placement import apart
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided
from posenc_gui.render.thumbnail import SmallWriter, draw_thumbnail

WIDTH, HEIGHT = 240, 108

_SIZE = 12  # of the type, in pixels
_MOST_ROWS = 6
_LONGEST, _LONGEST_NAME = 6, 16  # characters of a token and of an encoding, of which wide ones count twice
_MOST_NUMBERS = 3  # at an end of slopes
_MARK, _JUDGED = 106, 122  # where a verdict's mark and its word begin
_HEAD, _FOOT = 18, 18  # the heights of the line above Flow and of that below slopes
_NAMES_END, _WEIGHTS = 52, 192  # where Flow's tokens end, and its weights stand
_DOORS: dict[Column, tuple[int, int]] = {"input": (62, 92), "rotation": (104, 146), "score": (157, 185)}
_LEFT, _RIGHT = 48, 192  # the two ends of slopes
_APART = 13  # pixels between the middles of two numbers


def draw_tile_picture(figure: Figure, names: Sequence[str] = ()) -> str:
    """Return the picture of a figure, as SVG; `names` are those of two compared encodings."""
    panel = figure.panels[0]
    if not isinstance(panel, Flow | Slopes | Table):
        return draw_thumbnail(figure)
    drawn = []
    for roles in THEMES.values():
        if isinstance(panel, Flow):
            drawn.append(_flow(panel, roles))
        elif isinstance(panel, Slopes):
            drawn.append(_slopes(panel, names or panel.columns, figure.headline, roles))
        else:
            drawn.append(_table(panel, roles))
    return _TileWriter().svg(WIDTH, HEIGHT, drawn)


class _TileWriter(SmallWriter):
    """Writes texts in the font in which the picture is painted."""

    def texts(self, same: Sequence[Text], x: float, y: float) -> Iterator[str]:
        yield self.text(same, x, y, _SIZE)


def _table(panel: Table, roles: Roles) -> Iterator[Part]:
    """Yield the first rows: what is judged, and the verdict."""
    rows = panel.rows[:_MOST_ROWS]
    for row, cells in enumerate(rows):
        y = HEIGHT * (row + 0.5) / len(rows)
        yield Text(0, y, str(cells[0]), roles.ink)
        verdict = cells[1]
        if isinstance(verdict, Judged):
            mark, _, word = verdict.partition(" ")
            colour = roles.of_verdict(verdict.verdict)
            yield Text(_MARK, y, mark, colour)
            yield Text(_JUDGED, y, word, colour, bold=True)


def _flow(whole: Flow, roles: Roles) -> Iterator[Part]:
    """Yield the doors with their names, and for each key its token, its line and its weight."""
    panel = whole.with_keys(_MOST_ROWS) if len(whole.keys) > _MOST_ROWS else whole
    for column, (left, right) in _DOORS.items():
        is_open = column == panel.open_door
        frame, colour = (roles.focus, roles.focus) if is_open else (roles.line, roles.muted)
        yield Box(Rect(left, _HEAD, right, HEIGHT - 1), frame=frame, width=1.0 + is_open, corner=3)
        yield Text((left + right) / 2, _HEAD / 2 - 1, COLUMN_NAMES[column], colour, side="center", bold=is_open)
    weights = panel.numbers.weights
    most = float(weights.max())
    high = (HEIGHT - _HEAD - 4) / len(panel.keys)
    for row, (key, weight, seen) in enumerate(zip(panel.keys, weights, panel.visible, strict=True)):
        y = _HEAD + 2 + (row + 0.5) * high
        twin = row in panel.twins
        ink = roles.twin if twin else roles.ink
        yield Text(_NAMES_END, y, elided(key.label, _LONGEST, _length), ink, side="right")
        end = _WEIGHTS if seen else _WEIGHTS - 8
        yield Stroke(straight((_NAMES_END + 6, y), (end, y)), roles.edge, 1.0)
        if key.parted and panel.open_door:
            yield Stroke(straight((_DOORS[panel.open_door][1], y), (end, y)), roles.twin, 1.0)
        if seen:
            ground = colour_of(shades("sequential", np.array(weight / most if most else 0.0), roles))
            yield Box(Rect(_WEIGHTS, y - 0.42 * high, _WEIGHTS + 12, y + 0.42 * high), ground)
            yield Text(_WEIGHTS + 17, y, panel.weight_texts[row], ink, bold=twin)


def _slopes(panel: Slopes, names: Sequence[str], headline: Sequence[Run], roles: Roles) -> Iterator[Part]:
    """Yield the lines and the names of both ends, with numbers at the lines of the equal tokens that the headline is about, or
    else at the one that changes most."""
    room = HEIGHT - _FOOT
    heights = _SIZE / 2 + (room - _SIZE) * (1 - panel.heights())
    about = {run.text for run in headline if run.kind == "twin"}
    twins = [
        row
        for row, line in enumerate(panel.lines)
        if line in panel.cells.twins and not about.isdisjoint((panel.label(line), isolate(panel.label(line))))
    ]
    told = twins or [int(np.abs(np.diff(panel.values, axis=1)).argmax())]
    colour = roles.twin if twins else roles.ink
    for x, name in zip((_LEFT, _RIGHT), names, strict=True):
        yield Stroke(straight((x, 0), (x, room)), roles.line, 1.0)
        words = elided(name, _LONGEST_NAME, _length)
        yield Text(x, HEIGHT - _FOOT / 2 + 2, words, roles.ink, side="center", bold=True)
    for row in sorted(range(len(panel.lines)), key=told.__contains__):
        left, right = heights[row]
        ink, broad = (colour, 2.0) if row in told else (roles.edge, 1.0)
        yield Stroke(straight((_LEFT, left), (_RIGHT, right)), ink, broad)
    ends = [_ends_told(told, panel.values[:, end]) for end in (0, 1)]
    numbers = format_distinct([float(panel.values[row, end]) for end in (0, 1) for row in ends[end]])
    sides: tuple[Side, Side] = "right", "left"
    for end, x, side in zip((0, 1), (_LEFT - 8, _RIGHT + 8), sides, strict=True):
        pitch = min(_APART, room / len(ends[end]))
        for y in apart([float(heights[row, end]) for row in ends[end]], pitch, pitch / 2, room - pitch / 2):
            yield Text(x, y, numbers.pop(0), colour, side=side, bold=True)


def _ends_told(rows: list[int], values: Values) -> list[int]:
    """Return the rows that have a number at one end: of many, the least and the largest."""
    if len(rows) <= _MOST_NUMBERS:
        return rows
    return [min(rows, key=values.__getitem__), max(rows, key=values.__getitem__)]


def _length(text: str) -> int:
    """The number of characters, of which wide ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
