"""Draw the small pictures by which plots are chosen: `python tools/thumbnails.py NAME…`; without names, those of all plots.

Each shows, without text, the plot of the first start's session or, if that is empty, of an extended RoPE or of image
patches. Colours are written as roles, such as @ink, and as steps of a scale, such as @sequential0 to @sequential8: the window
replaces them by those of its theme.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import posenc_gui as pe
from posenc_gui.figure.panels import Bars, Dials, Heatmap, Lines, Links, Slopes, Table
from posenc_gui.session.first_session import first_session

PICTURES = Path(__file__).parents[1] / "resources" / "plots"
EXTENDED = pe.encoding("rope", scaling={"rope_type": "yarn", "factor": 8.0})
WIDTH, HEIGHT = 120, 66
GAP = 6
STEPS = 8  # from one end of a scale to the other
MOST_CELLS, MOST_POINTS, MOST_CURVES, MOST_ROWS = 16, 60, 4, 7
MOST_PANELS = 3
SECONDARY = (Table, Slopes)  # left out beside other panels, to show one thing at a glance


def picture(name: str) -> str:
    """Return the small picture of a plot, as SVG."""
    first = first_session()
    sessions = first, first.changed(encoding=EXTENDED), first.changed(patches=pe.Patches())
    figures = (pe.plot(name, session) for session in sessions)  # some plots are empty at the first start
    figure = next(figure for figure in figures if not figure.is_note)
    panels = figure.panels
    shown = ([panel for panel in panels if not isinstance(panel, SECONDARY)] or list(panels))[:MOST_PANELS]
    width = (WIDTH - GAP * (len(shown) - 1)) / len(shown)
    groups = (
        f'<g transform="translate({at * (width + GAP):.1f} 0)">{"".join(DRAW[type(panel)](panel, width))}</g>'
        for at, panel in enumerate(shown)
    )
    body = "".join(groups)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none">{body}</svg>\n'


def heatmap(panel: Heatmap, width: float) -> Iterator[str]:
    """Yield a heatmap's cells; of many, an even selection."""
    values = panel.values
    rows, columns = (np.linspace(0, n - 1, min(n, MOST_CELLS)).round().astype(int) for n in values.shape)
    side = min(width / len(columns), HEIGHT / len(rows))
    wide, high = (side, side) if len(rows) == len(columns) else (width / len(columns), HEIGHT / len(rows))
    left, top = (width - wide * len(columns)) / 2, (HEIGHT - high * len(rows)) / 2
    cells: dict[int, list[str]] = defaultdict(list)
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            share = (values[row, column] - panel.low) / (panel.high - panel.low)
            step = round(STEPS * float(np.clip(share, 0, 1)))
            box = f"M{left + x * wide:.1f} {top + y * high:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}z"
            cells[step].append(box)
    for step, boxes in sorted(cells.items()):
        yield f'<path fill="@{panel.scale}{step}" d="{"".join(boxes)}"/>'


def lines(panel: Lines, width: float) -> Iterator[str]:
    """Yield the curves; of many, an even selection."""
    some = np.linspace(0, len(panel.series) - 1, min(len(panel.series), MOST_CURVES)).round().astype(int)
    start, end = (f(edge(series.x) for series in panel.series) for f, edge in ((min, np.min), (max, np.max)))
    scale: Callable[[Any], Any] = np.log10 if panel.log else np.asarray
    low, high = float(scale(panel.low)), float(scale(panel.high))
    for curve, index in enumerate(some):
        series = panel.series[index]
        at = np.linspace(start, end, MOST_POINTS)
        values = scale([panel.value(series, float(x)) for x in at])
        points = zip(width * (at - start) / (end - start), HEIGHT * (high - values) / (high - low), strict=True)
        yield _line(list(points), f"@curves{curve}")


def bars(panel: Bars, width: float) -> Iterator[str]:
    """Yield the bars of the first categories; of several series, the first has a colour of its own."""
    n_rows = min(len(panel.categories.labels), MOST_ROWS)
    high = HEIGHT / n_rows
    thick = 0.8 * high / len(panel.series)
    zero = width * -panel.low / (panel.high - panel.low)
    for of, series in enumerate(panel.series):
        colour = "@ref" if len(panel.series) > 1 and not of else "@sequential5"
        for row, value in enumerate(series.values[:n_rows]):
            long = width * float(value) / (panel.high - panel.low)
            box = f'x="{min(zero, zero + long):.1f}" y="{row * high + of * thick:.1f}" width="{abs(long):.1f}"'
            yield f'<rect {box} height="{thick:.1f}" fill="{colour}"/>'


def links(panel: Links, width: float) -> Iterator[str]:
    """Yield a line for each link."""
    n_rows = len(panel.left.labels)
    for left, right in panel.ends:
        ends = [
            (x, HEIGHT * (at - axis.first + 0.5) / n_rows)
            for x, at, axis in ((0, left, panel.left), (width, right, panel.right))
        ]
        yield _line(ends, "@curves1")


def slopes(panel: Slopes, width: float) -> Iterator[str]:
    """Yield the lines, those of twins in their own colour."""
    for line, (left, right) in zip(panel.lines, panel.heights(), strict=True):
        colour = "@twin" if line in panel.cells.twins else "@muted"
        yield _line([(width * 0.3, HEIGHT * (1 - left)), (width * 0.7, HEIGHT * (1 - right))], colour)


def dials(panel: Dials, width: float) -> Iterator[str]:
    """Yield the first eight dials, in two rows."""
    radius = 12
    for index, dial in enumerate(panel.dials[:8]):
        x, y = width * (index % 4 + 0.5) / 4, HEIGHT * (index // 4 + 0.5) / 2
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" stroke="@edge"/>'
        yield _line([(x, y), (x + radius * math.cos(dial.angle), y - radius * math.sin(dial.angle))], "@ink")


def table(panel: Table, width: float) -> Iterator[str]:
    """Yield a stroke for each cell, about as long as its text; those in the first column are darker."""
    n_columns = min(len(panel.header), 4)
    for row, cells in enumerate(panel.rows[:MOST_ROWS]):
        y = HEIGHT * (row + 0.5) / min(len(panel.rows), MOST_ROWS)
        for column, cell in enumerate(cells[:n_columns]):
            words = cell if isinstance(cell, str) else "0.00"
            x, long = width * column / n_columns, min(0.8, 0.15 + len(words) / 20) * width / n_columns
            yield _line([(x, y), (x + long, y)], "@muted" if column else "@ink", broad=2)


def _line(points: list[tuple[float, float]], colour: str, broad: float = 1.25) -> str:
    kept = [points[0], *(after for before, after in pairwise(points) if after != before)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in kept)
    return f'<path stroke="{colour}" stroke-width="{broad}" d="M{path}"/>'


DRAW: dict[type, Callable[[Any, float], Iterator[str]]] = {
    Heatmap: heatmap,
    Lines: lines,
    Bars: bars,
    Links: links,
    Slopes: slopes,
    Dials: dials,
    Table: table,
}


if __name__ == "__main__":
    for plot in sys.argv[1:] or pe.plots():
        (PICTURES / f"{plot}.svg").write_text(picture(plot), encoding="utf-8")
