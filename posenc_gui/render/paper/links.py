"""Two columns of tokens, joined by lines whose width shows their value."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.panels import Heatmap, Links
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.layout.colour_scales import label_colour, strength_colour
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import side_by_side
from posenc_gui.render.layout.type_sizes import Face
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LONGEST, SMALL, size_of
from posenc_gui.render.paper.labels import LabelStyle, labels_with_room, widest_label
from posenc_gui.render.paper.page import Page, Side

_HEADS = 20.0  # the height of the columns' names
_WIDEST, _HIGHEST_TOKEN = 420.0, 48.0
_WEDGE, _WEDGE_STEPS = 48.0, 24
_OF_LABELS = 0.42  # of the breadth, at most, for the labels of a column


@dataclass(frozen=True)
class _Columns:
    """The two columns: the box between them, the first token's coordinate, the distance from token to token, the style."""

    lines: Rect
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


def draw(panel: Links, page: Page, plot: Rect, beside: Face | None) -> None:
    """Draw both columns and the lines, at the heights and in the type of the map's rows beside them, if any."""
    if beside is None:
        width = min(plot.width, _WIDEST)
        plot = Rect.up_from(plot.left + (plot.width - width) / 2, plot.bottom, width, plot.height - _HEADS)
    columns = _columns(panel, plot, beside, page.title)
    _draw_labels(page, panel, columns)
    _draw_axis_titles(page, panel, plot)
    # The largest last, so that they are on top.
    for line in np.argsort(panel.values, kind="stable").tolist():
        left, right = panel.ends[line]
        heights = (columns.y(left), columns.y(right))
        _draw_line(page, (columns.lines.left, columns.lines.right), heights, panel.values[line] / panel.high, columns)
    _draw_legend(page, panel, plot, columns)


def _columns(panel: Links, plot: Rect, beside: Face | None, largest: float) -> _Columns:
    places = coordinates(panel)
    pitch = plot.height / len(places)
    if beside is None:
        pitch = min(_HIGHEST_TOKEN, pitch)
    size = min(max(SMALL, pitch * 0.4), largest) if beside is None else size_of(beside)
    style = LabelStyle(size, min(LONGEST, _OF_LABELS * plot.width), numbered=False)
    left, right = (widest_label(axis, len(axis.labels), style) + 6 for axis in (panel.left, panel.right))
    bottom = plot.top - pitch * len(places)
    lines = Rect.up_from(plot.left + left, bottom, plot.width - left - right, pitch * len(places))
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


def _draw_axis_titles(page: Page, panel: Links, plot: Rect) -> None:
    left, right = side_by_side((panel.left.title, panel.right.title), plot.width - 8, measured(SMALL))
    page.text(plot.left, plot.top + 5, left, SMALL, page.roles.muted, at="bottom")
    page.text(plot.right, plot.top + 5, right, SMALL, page.roles.muted, "right", "bottom")


def _draw_line(page: Page, xs: tuple[float, float], ys: tuple[float, float], share: float, columns: _Columns) -> None:
    share = min(max(float(share), 0.0), 1.0)
    thick = min(4.0, max(1.2, columns.pitch * 0.4))
    thin = thick * 0.2
    page.line(xs, ys, strength_colour(page.roles, share), thin + (thick - thin) * share, rounded=True)


def _draw_legend(page: Page, panel: Links, plot: Rect, columns: _Columns) -> None:
    """Draw a line that widens from 0 to the largest value, with the quantity after it where that has room."""
    measure, y = measured(SMALL), columns.lines.bottom - SMALL
    room = plot.width - _WEDGE - measure("0") - 16
    largest = format_number(panel.high)
    end = whole if measure(whole := f"{largest} {panel.quantity}") <= room else largest
    wide = measure("0") + 16 + _WEDGE + measure(end)
    start = plot.left + (plot.width - wide) / 2 + measure("0") + 8
    page.text(start - 8, y, "0", SMALL, page.roles.muted, "right")
    steps = np.linspace(start, start + _WEDGE, _WEDGE_STEPS + 1)
    for step, (left, right) in enumerate(itertools.pairwise(steps.tolist())):
        _draw_line(page, (left, right), (y, y), step / (_WEDGE_STEPS - 1), columns)
    page.text(start + _WEDGE + 8, y, end, SMALL, page.roles.muted)
