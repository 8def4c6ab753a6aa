"""Two columns of values, with a labelled line between them for each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from posenc_gui.figure.panels import Panel, Slopes
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.slope_labels import (
    Kind,
    Label,
    drawing_order,
    has_axis_beside,
    labels,
    others_label,
    place_labels,
)
from posenc_gui.render.layout.text_fit import elided, longest
from posenc_gui.render.layout.ticks import ticks
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, LONGEST, SMALL
from posenc_gui.render.paper.page import TOP, Page, Side

_HEADS = 20.0  # the height of the columns' names where no labels of maps give them room
_WIDEST = 420.0  # maximum width of both columns with their labels, without maps
_LEADER, _AIR, _RADIUS = 18.0, 5.0, 3.2
_QUANTITY = 18.0  # the breadth of the quantity beside the numbers
_NUMBERS = 9.0  # distance from the left column to the numbers at its left


@dataclass(frozen=True)
class _Label:
    """A label with its shortened name."""

    known: Label
    name: str

    @property
    def bold(self) -> bool:
        return self.known.kind != "plain"


def draw(panel: Slopes, page: Page, plot: Rect, beside: Sequence[Panel], widest: Slopes) -> None:
    """Draw both columns and the lines between them, at the height of the maps `beside` them, if any.

    The columns leave room for the labels of `widest`.
    """
    named, known = _labels(panel), _labels(widest)
    names = _label_room(widest, known)
    if beside:
        numbers = 0.0 if has_axis_beside(widest, beside) else _room_of_numbers(widest)
        columns = Rect.up_from(plot.left + numbers, plot.bottom, plot.width - numbers - names, plot.height)
    else:
        numbers = _room_of_numbers(widest)
        wide = min(plot.width, _WIDEST + numbers)
        bottom = plot.bottom + LINE * SMALL
        start = plot.left + (plot.width - wide) / 2 + numbers
        columns = Rect.up_from(start, bottom, wide - numbers - names, plot.top - _HEADS - bottom)
    if numbers:
        _draw_numbers(page, panel, columns)
    _draw_columns(page, panel, columns)
    heights = columns.bottom + panel.heights().astype(float) * columns.height
    for line in drawing_order(panel):
        kind = named[line].known.kind
        colour = page.roles.muted if kind == "plain" else _colour(page.roles, kind)
        page.line((columns.left, columns.right), heights[line], colour, 1.0 if kind == "plain" else 1.8)
        for x, y in zip((columns.left, columns.right), heights[line].tolist(), strict=True):
            page.dot(x, y, _RADIUS, colour)
            page.dot(x, y, _RADIUS - 1.2, page.roles.card, layer=TOP)
    placed = place_labels(panel, columns.height, SMALL * LINE)
    for line, end, place in zip(placed.lines, placed.ends, placed.places, strict=True):
        _draw_label(page, named[line], _wide(known), columns.right, columns.top - end, columns.top - place)
    rest, place = placed.others
    page.text(columns.right + _LEADER, columns.top - place, rest, SMALL, page.roles.muted)


def _colour(roles: Roles, kind: Kind) -> str:
    return {"plain": roles.ink, "twin": roles.twin, "focus": roles.focus}[kind]


def _labels(panel: Slopes) -> list[_Label]:
    return [_Label(label, elided(label.name, LONGEST, measured(SMALL))) for label in labels(panel)]


def _wide(named: list[_Label]) -> float:
    return longest((label.known.value for label in named), measured(SMALL, bold=True))


def _label_room(panel: Slopes, named: list[_Label]) -> float:
    names = max(measured(SMALL)(label.name) + measured(SMALL)(label.known.place) for label in named)
    return _LEADER + max(_wide(named) + _AIR + names, measured(SMALL)(others_label(panel, 0))) + 2


def _draw_columns(page: Page, panel: Slopes, columns: Rect) -> None:
    for x, name, side in zip(
        (columns.left, columns.right), panel.columns, _sides_of_heads(panel, columns), strict=True
    ):
        page.line((x, x), (columns.bottom, columns.top), page.roles.line, 1.0)
        page.text(x, columns.top + 5, name, SMALL, page.roles.muted, side, "bottom")


def _sides_of_heads(panel: Slopes, columns: Rect) -> tuple[Side, Side]:
    """Where the columns' names stand over their lines: as near each other as they have room."""
    first, second = map(measured(SMALL), panel.columns)
    if first + second / 2 + _AIR <= columns.width:
        return "left", "center"
    return ("center", "center") if (first + second) / 2 + _AIR <= columns.width else ("right", "left")


def _draw_label(page: Page, label: _Label, values: float, right: float, end: float, y: float) -> None:
    """Write a label; the name stands after the breadth of all `values`."""
    colour = _colour(page.roles, label.known.kind)
    if abs(end - y) > 1:
        page.line((right + _RADIUS + 2, right + _LEADER - 3), (end, y), page.roles.muted, 0.6)
    x = right + _LEADER
    page.text(x, y, label.known.value, SMALL, colour, bold=label.bold)
    x += values + _AIR
    page.text(x, y, label.name, SMALL, colour)
    page.text(x + measured(SMALL)(label.name) + 0.5, y - 0.3 * SMALL, label.known.place, SMALL, colour)


def _room_of_numbers(panel: Slopes) -> float:
    return (
        _NUMBERS
        + longest((text for _, text in ticks(panel.low, panel.high, 5, panel.log)), measured(SMALL))
        + _QUANTITY
    )


def _draw_numbers(page: Page, panel: Slopes, columns: Rect) -> None:
    for tick, text in ticks(panel.low, panel.high, 5, panel.log):
        y = columns.bottom + float(shares(tick, panel.low, panel.high, panel.log)) * columns.height
        page.line((columns.left - 4, columns.left), (y, y), page.roles.muted, 0.8)
        page.text(columns.left - _NUMBERS, y, text, SMALL, page.roles.muted, "right")
    x = columns.left - _room_of_numbers(panel) + SMALL / 2
    page.text(x, columns.bottom + columns.height / 2, panel.quantity, SMALL, page.roles.muted, "center", angle=90)
