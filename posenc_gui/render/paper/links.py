"""Two columns of tokens, joined by lines whose width shows their value."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Heatmap, Links
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.layout.colour_scales import label_colour, strength_colour
from posenc_gui.render.layout.text_fit import elided, side_by_side
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.heatmaps import BARE, Fit
from posenc_gui.render.paper.labels import LabelStyle, labels_with_room, widest_label
from posenc_gui.render.paper.page import (
    AXIS_TITLE,
    LABEL_ROOM,
    LEAST,
    LINE,
    PANEL,
    SMALL,
    Box,
    Page,
    Side,
    draw_panel_title,
)

SHARE = 0.5  # share of a map's width, but at least `LEAST_WIDTH` if there is space
LEAST_WIDTH = 150.0
_LEGEND = 2 * SMALL * LINE + 10  # the height below the columns
_LEGEND_IN_A_LINE = SMALL * LINE + 10  # likewise, beside maps without labels
_WIDEST, _HIGHEST_TOKEN = 420.0, 48.0
_WEDGE, _WEDGE_STEPS = 48.0, 24


@dataclass(frozen=True)
class _Columns:
    """The two columns: the box between them, the first token's coordinate, the distance from token to token, the style."""

    lines: Box
    first: int
    pitch: float
    style: LabelStyle

    def y(self, coordinate: int) -> float:
        return self.lines.top - (coordinate - self.first + 0.5) * self.pitch


def coordinates(panel: Links) -> range:
    """Return the range of token coordinates in either column."""
    sides = (panel.left, panel.right)
    return range(min(axis.first for axis in sides), max(axis.first + len(axis.labels) for axis in sides))


def stands_beside(panel: Links, other: Heatmap) -> bool:
    """True if the tokens are the rows of this map, so that they can align with them."""
    return coordinates(panel) == range(other.rows.first, other.rows.first + other.values.shape[0])


def room_below(height: float) -> float:
    """Return the part of this height that the legend takes."""
    return _LEGEND_IN_A_LINE if height - _LEGEND < BARE else _LEGEND


def draw(panel: Links, page: Page, box: Box, titles: float, beside: Fit | None) -> None:
    """Draw both columns and the lines, aligned with the rows of the map beside them, if any."""
    if beside is None:
        width = min(box.width, _WIDEST)
        box = Box(box.left + (box.width - width) / 2, box.bottom, width, box.height)
    above = AXIS_TITLE + 4 if beside is None else beside.above
    columns = _columns(panel, box, titles, above, beside)
    draw_panel_title(page, panel.title, box.left, box.top, box.width)
    _draw_labels(page, panel, columns)
    if above:
        _draw_axis_titles(page, panel, box, columns.lines.top + above - SMALL / 2)
    # The largest last, so that they are on top.
    for line in np.argsort(panel.values, kind="stable").tolist():
        left, right = panel.ends[line]
        heights = (columns.y(left), columns.y(right))
        _draw_line(page, (columns.lines.left, columns.lines.right), heights, panel.values[line] / panel.high, columns)
    _draw_legend(page, panel, box, columns, in_a_line=not above)


def _columns(panel: Links, box: Box, titles: float, above: float, beside: Fit | None) -> _Columns:
    places = coordinates(panel)
    height = box.height - titles - above - _LEGEND if beside is None else beside.map_height
    pitch = height / len(places) if beside is not None else min(_HIGHEST_TOKEN, height / len(places))
    size = min(max(LEAST, pitch * 0.4), PANEL)
    style = LabelStyle(size, 0, numbered=pitch < size * 1.25) if beside is None else beside.style
    room = min(LABEL_ROOM, box.width * 0.32)
    style = replace(style, room=room, numbered=style.numbered and room >= 4 * style.size)
    left, right = (widest_label(axis, len(axis.labels), style) + 6 for axis in (panel.left, panel.right))
    top = box.top - titles - above
    lines = Box(box.left + left, top - pitch * len(places), box.width - left - right, pitch * len(places))
    return _Columns(lines, places.start, pitch, style)


def _draw_labels(page: Page, panel: Links, columns: _Columns) -> None:
    sides: tuple[tuple[Axis, float, Side], ...] = (
        (panel.left, columns.lines.left - 6, "right"),
        (panel.right, columns.lines.right + 6, "left"),
    )
    for axis, x, side in sides:
        style, count = columns.style, len(axis.labels)
        for coordinate, label in labels_with_room(axis, count, columns.pitch, style, style.pitch):
            page.text(x, columns.y(coordinate), label, style.size, label_colour(axis, coordinate, page.roles), side)


def _draw_axis_titles(page: Page, panel: Links, box: Box, y: float) -> None:
    left, right = side_by_side((panel.left.title, panel.right.title), box.width - 8, measured(SMALL))
    page.text(box.left, y, left, SMALL, page.roles.muted)
    page.text(box.right, y, right, SMALL, page.roles.muted, "right")


def _draw_line(page: Page, xs: tuple[float, float], ys: tuple[float, float], share: float, columns: _Columns) -> None:
    share = min(max(float(share), 0.0), 1.0)
    thick = min(4.0, max(1.2, columns.pitch * 0.4))
    thin = thick * 0.2
    page.line(xs, ys, strength_colour(page.roles, share), thin + (thick - thin) * share, rounded=True)


def _draw_legend(page: Page, panel: Links, box: Box, columns: _Columns, *, in_a_line: bool) -> None:
    """Draw a line that widens from 0 to the largest value, with the quantity below or after it."""
    centre, y = box.left + box.width / 2, columns.lines.bottom - 10 - SMALL * LINE / 2
    steps = np.linspace(-_WEDGE / 2, _WEDGE / 2, _WEDGE_STEPS + 1) + centre
    for step, (start, end) in enumerate(itertools.pairwise(steps.tolist())):
        _draw_line(page, (start, end), (y, y), step / (_WEDGE_STEPS - 1), columns)
    page.text(steps[0] - 8, y, "0", SMALL, page.roles.muted, "right")
    end = f"{format_number(panel.high)} {panel.quantity}" if in_a_line else format_number(panel.high)
    page.text(steps[-1] + 8, y, end, SMALL, page.roles.muted)
    if in_a_line:
        return
    name = elided(panel.quantity, box.width, measured(SMALL))
    page.text(centre, y - SMALL * LINE, name, SMALL, page.roles.muted, "center")
