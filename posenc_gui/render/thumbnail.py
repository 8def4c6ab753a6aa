"""A figure at a glance: a small picture without text, as SVG whose colours are roles.

Colours are written as roles, such as @ink, and as steps of a scale, such as @sequential0 to @sequential8: whoever shows the
picture replaces them by those of its theme.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Dials, Flow, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.figure.ranges import shares

WIDTH, HEIGHT = 120, 66
STEPS = 8  # from one end of a scale to the other

_GAP = 6
_MOST_CELLS, _MOST_POINTS, _MOST_CURVES, _MOST_ROWS = 16, 60, 4, 7
_MOST_PANELS = 3
_SECONDARY = (Table, Slopes)  # left out beside other panels, to show one thing at a glance
_DOORS: dict[str, tuple[float, float]] = {
    "input": (0.12, 0.26),
    "rotation": (0.38, 0.52),
    "score": (0.6, 0.72),
}  # of Flow, in shares of the width
_WEIGHT, _HEAD = 0.82, 8  # Flow's weights, in shares of the width, and the room of its query
_NOTE = (0.8, 0.9, 0.5)  # the lengths of the strokes that stand for a sentence


def draw_thumbnail(figure: Figure) -> str:
    """Return the small picture of a figure, as SVG."""
    first: list[Panel] = [panel for panel in figure.panels if not isinstance(panel, _SECONDARY)]
    shown = (first or list(figure.panels))[:_MOST_PANELS]
    width = (WIDTH - _GAP * (len(shown) - 1)) / len(shown)
    groups = (
        f'<g transform="translate({at * (width + _GAP):.1f} 0)">{"".join(_DRAW[type(panel)](panel, width))}</g>'
        for at, panel in enumerate(shown)
    )
    body = "".join(groups)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none">{body}</svg>\n'


def _heatmap(panel: Heatmap, width: float) -> Iterator[str]:
    """Yield a heatmap's cells; of many, an even selection."""
    values = panel.values
    rows, columns = (np.linspace(0, n - 1, min(n, _MOST_CELLS)).round().astype(int) for n in values.shape)
    side = min(width / len(columns), HEIGHT / len(rows))
    wide, high = (side, side) if len(rows) == len(columns) else (width / len(columns), HEIGHT / len(rows))
    left, top = (width - wide * len(columns)) / 2, (HEIGHT - high * len(rows)) / 2
    cells: dict[int, list[str]] = defaultdict(list)
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            if panel.is_masked(int(row), int(column)):
                continue
            step = round(STEPS * float(shares(float(values[row, column]), panel.low, panel.high, panel.log)))
            box = f"M{left + x * wide:.1f} {top + y * high:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z"
            cells[step].append(box)
    for step, boxes in sorted(cells.items()):
        yield f'<path fill="@{panel.scale}{step}" d="{"".join(boxes)}"/>'


def _lines(panel: Lines, width: float) -> Iterator[str]:
    """Yield the curves; of many, an even selection."""
    some = np.linspace(0, len(panel.series) - 1, min(len(panel.series), _MOST_CURVES)).round().astype(int)
    start, end = (f(edge(series.x) for series in panel.series) for f, edge in ((min, np.min), (max, np.max)))
    scale: Callable[[Any], Any] = np.log10 if panel.log else np.asarray
    low, high = float(scale(panel.low)), float(scale(panel.high))
    for curve, index in enumerate(some):
        series = panel.series[index]
        at = np.linspace(start, end, _MOST_POINTS)
        values = scale([panel.value(series, float(x)) for x in at])
        points = zip(width * (at - start) / (end - start), HEIGHT * (high - values) / (high - low), strict=True)
        yield _line(list(points), f"@curves{curve}")


def _bars(panel: Bars, width: float) -> Iterator[str]:
    """Yield the bars of the first categories; of several series, the first has a colour of its own."""
    n_rows = min(len(panel.categories.labels), _MOST_ROWS)
    high = HEIGHT / n_rows
    thick = 0.8 * high / len(panel.series)
    zero = width * -panel.low / (panel.high - panel.low)
    for of, series in enumerate(panel.series):
        colour = "@ref" if len(panel.series) > 1 and not of else "@sequential5"
        for row, value in enumerate(series.values[:n_rows]):
            long = width * float(value) / (panel.high - panel.low)
            box = f'x="{min(zero, zero + long):.1f}" y="{row * high + of * thick:.1f}" width="{abs(long):.1f}"'
            yield f'<rect {box} height="{thick:.1f}" fill="{colour}"/>'


def _links(panel: Links, width: float) -> Iterator[str]:
    """Yield a line for each link."""
    n_rows = len(panel.left.labels)
    for left, right in panel.ends:
        ends = [
            (x, HEIGHT * (at - axis.first + 0.5) / n_rows)
            for x, at, axis in ((0, left, panel.left), (width, right, panel.right))
        ]
        yield _line(ends, "@curves1")


def _slopes(panel: Slopes, width: float) -> Iterator[str]:
    """Yield the lines, those of twins in their own colour."""
    for line, (left, right) in zip(panel.lines, panel.heights(), strict=True):
        colour = "@twin" if line in panel.cells.twins else "@muted"
        yield _line([(width * 0.3, HEIGHT * (1 - left)), (width * 0.7, HEIGHT * (1 - right))], colour)


def _dials(panel: Dials, width: float) -> Iterator[str]:
    """Yield the first eight dials, in two rows."""
    radius = 12
    for index, dial in enumerate(panel.dials[:8]):
        x, y = width * (index % 4 + 0.5) / 4, HEIGHT * (index // 4 + 0.5) / 2
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" stroke="@edge"/>'
        yield _line([(x, y), (x + radius * math.cos(dial.angle), y - radius * math.sin(dial.angle))], "@ink")


def _flow(panel: Flow, width: float) -> Iterator[str]:
    """Yield the doors, a line for each key, its weight, and the ribbons that rise into the output."""
    for column, (left, right) in _DOORS.items():
        is_open = column == panel.open_door
        box = f'x="{left * width:.1f}" y="1" width="{(right - left) * width:.1f}" height="{HEIGHT - 2}" rx="2"'
        yield f'<rect {box} stroke="{"@focus" if is_open else "@line"}" stroke-width="{2 if is_open else 1}"/>'
    keys = list(zip(panel.keys, panel.numbers.weights, strict=True))[:_MOST_ROWS]
    high, most = (HEIGHT - _HEAD) / len(keys), max(float(weight) for _, weight in keys)
    for row, (key, weight) in enumerate(keys):
        y, broad = _HEAD + (row + 0.5) * high, max(0.5, 7 * float(weight))
        end = width * (0.94 + 0.05 * row / len(keys))
        yield _line([(0, y), (width * _WEIGHT, y)], "@muted", broad=1)
        if key.parted and panel.open_door:
            yield _line([(width * _DOORS[panel.open_door][1], y), (width * _WEIGHT, y)], "@twin", broad=1)
        yield _line([(width * _WEIGHT, y), (end, y), (end, 4)], "@twin" if "weight" in key.parted else "@edge", broad)
        step = round(STEPS * float(weight) / most) if most else 0
        cell = f'x="{width * _WEIGHT - 5:.1f}" y="{y - 0.4 * high:.1f}" width="10" height="{0.8 * high:.1f}"'
        yield f'<rect {cell} fill="@sequential{step}"/>'


def _table(panel: Table, width: float) -> Iterator[str]:
    """Yield a stroke for each cell, about as long as its text; those in the first column are darker."""
    n_columns = min(len(panel.header), 4)
    for row, cells in enumerate(panel.rows[:_MOST_ROWS]):
        y = HEIGHT * (row + 0.5) / min(len(panel.rows), _MOST_ROWS)
        for column, cell in enumerate(cells[:n_columns]):
            words = cell if isinstance(cell, str) else "0.00"
            x, long = width * column / n_columns, min(0.8, 0.15 + len(words) / 20) * width / n_columns
            yield _line([(x, y), (x + long, y)], "@muted" if column else "@ink", broad=2)


def _note(_panel: Note, width: float) -> Iterator[str]:
    """Yield strokes in place of the lines of a sentence."""
    for at, share in enumerate(_NOTE):
        y, left = HEIGHT * (0.35 + 0.15 * at), width * (1 - share) / 2
        yield _line([(left, y), (width - left, y)], "@muted", broad=2)


def _line(points: list[tuple[float, float]], colour: str, broad: float = 1.25) -> str:
    kept = [points[0], *(after for before, after in pairwise(points) if after != before)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in kept)
    return f'<path stroke="{colour}" stroke-width="{broad}" d="M{path}"/>'


_DRAW: dict[type, Callable[[Any, float], Iterator[str]]] = {
    Heatmap: _heatmap,
    Lines: _lines,
    Bars: _bars,
    Links: _links,
    Slopes: _slopes,
    Dials: _dials,
    Flow: _flow,
    Table: _table,
    Note: _note,
}
