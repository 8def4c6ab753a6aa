"""A figure in the tile of a question: a small picture with its most telling words and numbers.

It is SVG whose colours are roles, as a thumbnail is, and as large as `WIDTH` and `HEIGHT` say at 100 % text size. Figures for
which nothing is drawn here have a thumbnail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from unicodedata import east_asian_width

import numpy as np

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Flow, Slopes, Table
from posenc_gui.figure.panels.flow import COLUMN_NAMES, Column
from posenc_gui.figure.panels.tables_and_notes import Judged
from posenc_gui.figure.ranges import Values
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.wording import format_distinct, isolate
from posenc_gui.render.layout.label_placement import apart
from posenc_gui.render.layout.text_fit import elided
from posenc_gui.render.thumbnail import STEPS, draw_thumbnail

WIDTH, HEIGHT = 240, 108

_SIZE = 12  # of the type, in pixels
_MOST_ROWS = 6
_LONGEST, _LONGEST_NAME = 6, 16  # characters of a token and of an encoding, of which wide ones count twice
_MOST_NUMBERS = 3  # at an end of slopes
_VERDICT = {"met": "@met", "partly": "@partly", "not": "@bad", "n/a": "@muted"}
_MARK, _JUDGED = 106, 122  # where a verdict's mark and its word begin
_HEAD, _FOOT = 18, 18  # the heights of the line above Flow and of that below slopes
_NAMES_END, _WEIGHTS = 52, 192  # where Flow's tokens end, and its weights stand
_DOORS: dict[Column, tuple[int, int]] = {"input": (62, 92), "rotation": (104, 146), "score": (157, 185)}
_LEFT, _RIGHT = 48, 192  # the two ends of slopes
_APART = 13  # pixels between the middles of two numbers
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # in XML


def draw_tile_picture(figure: Figure, names: Sequence[str] = ()) -> str:
    """Return the picture of a figure, as SVG; `names` are those of two compared encodings."""
    panel = figure.panels[0]
    if isinstance(panel, Flow):
        body = _flow(panel)
    elif isinstance(panel, Slopes):
        body = _slopes(panel, names or panel.columns, figure.headline)
    elif isinstance(panel, Table):
        body = _table(panel)
    else:
        return draw_thumbnail(figure)
    drawn = "".join(body)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none">{drawn}</svg>\n'


def _table(panel: Table) -> Iterator[str]:
    """Yield the first rows: what is judged, and the verdict."""
    rows = panel.rows[:_MOST_ROWS]
    for row, cells in enumerate(rows):
        y = HEIGHT * (row + 0.5) / len(rows)
        yield _text(0, y, str(cells[0]), "@ink")
        verdict = cells[1]
        if isinstance(verdict, Judged):
            mark, _, word = verdict.partition(" ")
            yield _text(_MARK, y, mark, _VERDICT[verdict.verdict])
            yield _text(_JUDGED, y, word, _VERDICT[verdict.verdict], bold=True)


def _flow(whole: Flow) -> Iterator[str]:
    """Yield the doors with their names, and for each key its token, its line and its weight."""
    panel = whole.with_keys(_MOST_ROWS) if len(whole.keys) > _MOST_ROWS else whole
    for column, (left, right) in _DOORS.items():
        is_open = column == panel.open_door
        box = f'x="{left}" y="{_HEAD}" width="{right - left}" height="{HEIGHT - _HEAD - 1}" rx="3"'
        yield f'<rect {box} stroke="{"@focus" if is_open else "@line"}" stroke-width="{2 if is_open else 1}"/>'
        colour = "@focus" if is_open else "@muted"
        yield _text((left + right) / 2, _HEAD / 2 - 1, COLUMN_NAMES[column], colour, anchor="middle", bold=is_open)
    weights = panel.numbers.weights
    most = float(weights.max())
    high = (HEIGHT - _HEAD - 4) / len(panel.keys)
    for row, (key, weight, seen) in enumerate(zip(panel.keys, weights, panel.visible, strict=True)):
        y = _HEAD + 2 + (row + 0.5) * high
        twin = row in panel.twins
        yield _text(_NAMES_END, y, elided(key.label, _LONGEST, _length), "@twin" if twin else "@ink", anchor="end")
        end = _WEIGHTS if seen else _WEIGHTS - 8
        yield _line(_NAMES_END + 6, y, end, y, "@edge")
        if key.parted and panel.open_door:
            yield _line(_DOORS[panel.open_door][1], y, end, y, "@twin")
        if seen:
            step = round(STEPS * float(weight) / most) if most else 0
            cell = f'x="{_WEIGHTS}" y="{y - 0.42 * high:.1f}" width="12" height="{0.84 * high:.1f}"'
            yield f'<rect {cell} fill="@sequential{step}"/>'
            yield _text(_WEIGHTS + 17, y, panel.weight_texts[row], "@twin" if twin else "@ink", bold=twin)


def _slopes(panel: Slopes, names: Sequence[str], headline: Sequence[Run]) -> Iterator[str]:
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
    colour = "@twin" if twins else "@ink"
    for x, name in zip((_LEFT, _RIGHT), names, strict=True):
        yield _line(x, 0, x, HEIGHT - _FOOT, "@line")
        yield _text(x, HEIGHT - _FOOT / 2 + 2, elided(name, _LONGEST_NAME, _length), "@ink", anchor="middle", bold=True)
    for row in sorted(range(len(panel.lines)), key=told.__contains__):
        left, right = heights[row]
        yield _line(_LEFT, left, _RIGHT, right, colour if row in told else "@edge", 2 if row in told else 1)
    ends = [_ends_told(told, panel.values[:, end]) for end in (0, 1)]
    numbers = format_distinct([float(panel.values[row, end]) for end in (0, 1) for row in ends[end]])
    for end, x, anchor in ((0, _LEFT - 8, "end"), (1, _RIGHT + 8, "start")):
        pitch = min(_APART, room / len(ends[end]))
        for y in apart([float(heights[row, end]) for row in ends[end]], pitch, pitch / 2, room - pitch / 2):
            yield _text(x, y, numbers.pop(0), colour, anchor=anchor, bold=True)


def _ends_told(rows: list[int], values: Values) -> list[int]:
    """Return the rows that have a number at one end: of many, the least and the largest."""
    if len(rows) <= _MOST_NUMBERS:
        return rows
    return [min(rows, key=values.__getitem__), max(rows, key=values.__getitem__)]


def _length(text: str) -> int:
    """The number of characters, of which wide ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _text(x: float, y: float, words: str, colour: str, *, anchor: str = "start", bold: bool = False) -> str:
    """A text whose middle is at the height y."""
    weight = ' font-weight="600"' if bold else ""
    written = escape(_UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", words)).replace("@", "&#64;")  # @ begins a role
    place = f'x="{x:.1f}" y="{y + 0.35 * _SIZE:.1f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="{_SIZE}"{weight} fill="{colour}">{written}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, broad: float = 1) -> str:
    return f'<path stroke="{colour}" stroke-width="{broad}" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"/>'
