"""The contents of a flow's columns: tokens, vectors, dials, scores, weights, and the output."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.panels.flow import Column
from posenc_gui.figure.panels.heatmap import Scale
from posenc_gui.figure.ranges import Values
from posenc_gui.foundation.contrast import colour_of, ink_on
from posenc_gui.foundation.wording import format_count, format_distinct
from posenc_gui.render.drawings.flow.sheet import QUERY, FlowSheet
from posenc_gui.render.drawings.parts import Arc, Box, Cells, Dot, Part, Side, Stroke, Text, straight
from posenc_gui.render.layout.colour_scales import Colours, shades
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.type_sizes import Size

_PLACE, _WORD = 0.27, 0.66  # of the height of a token's box: the middle of its position, and of its text
_NUMBER = 1.5  # lines: the height of a cell with a score
_SUM = "sum 1"
_LONGEST = 6  # characters of a score
_AIR = 0.35  # lines of small type around a number

_Numbers = npt.NDArray[np.floating[Any]]


def draw_cells(sheet: FlowSheet) -> Iterator[Part]:
    """Draw what stands in all columns that are reached: of the query, of each key, of all other keys, and the output."""
    panel = sheet.panel
    for row in (QUERY, *range(len(panel.keys))):
        yield from _token(sheet, row)
        stages: tuple[Column, ...] = ("x", "input", "projections", "rotation")
        for column in stages:
            if panel.shows(column):
                yield from _vectors(sheet, column, row)
    yield from _numbers(sheet)
    yield from _rest(sheet)
    if panel.shows("output"):
        yield from _output(sheet)


def _token(sheet: FlowSheet, row: int) -> Iterator[Part]:
    """A token's box with its position above its text."""
    roles, span, strand, y = sheet.roles, sheet.columns.contents["token"], sheet.strand(row), sheet.middle(row)
    rect = Rect(span.left, y - sheet.rows.box / 2, span.right, y + sheet.rows.box / 2)
    ground, frame = (roles.focus, "") if row == QUERY else (roles.card, roles.line)
    yield Box(rect, ground, frame, sheet.hair, sheet.label / 4)
    place, word = strand.place, roles.twin if row in sheet.panel.twins else roles.ink
    if sheet.style.small.measure(place) <= span.breadth:
        colour = roles.on_focus if row == QUERY else roles.muted
        yield Text(span.middle, rect.top + _PLACE * rect.height, place, colour, "small", "center")
    room, text = span.breadth - 0.3 * sheet.small, visible(strand.label)
    fits = sheet.style.label.measure(text) <= room
    shown = text if fits else elided(text, room, sheet.style.small.measure)
    colour = roles.on_focus if row == QUERY else word
    yield Text(span.middle, rect.top + _WORD * rect.height, shown, colour, "label" if fits else "small", "center")


def _vectors(sheet: FlowSheet, column: Column, row: int) -> Iterator[Part]:
    vectors = sheet.panel.vectors_in(column, sheet.strand(row))
    for rect, (name, vector) in zip(sheet.vector_rects(column, row), vectors, strict=False):
        if column == "rotation":
            yield from _dials(sheet, rect, vector)
            continue
        yield from _vector(sheet, rect, vector)
        if column == "input":
            yield from _plus(sheet, (sheet.columns.doors["input"].left + rect.left) / 2, sheet.middle(row))
        if column == "projections" and row <= 0:
            above = (
                rect.top + rect.bottom
            ) / 2 - 0.65 * sheet.small  # on its own line, so that none can be taken for another's
            yield Text(rect.right + 0.3 * sheet.small, above, name, sheet.roles.ink, "small", italic=True)


def _plus(sheet: FlowSheet, x: float, y: float) -> Iterator[Part]:
    """A plus sign that interrupts the line."""
    arm, width = 0.27 * sheet.small, 1.8 * sheet.hair
    yield Box(Rect(x - 1.6 * arm, y - 1.3 * arm, x + 1.6 * arm, y + 1.3 * arm), sheet.wash)
    yield Stroke(straight((x - arm, y), (x + arm, y)), sheet.roles.focus, width)
    yield Stroke(straight((x, y - arm), (x, y + arm)), sheet.roles.focus, width)


def _vector(sheet: FlowSheet, rect: Rect, vector: _Numbers) -> Iterator[Part]:
    """A vector in two rows of cells; the second is shorter where their number is odd."""
    colours, across = sheet.vector_colours[id(vector)], (len(vector) + 1) // 2
    if len(vector) % 2 == 0:
        yield Cells(rect, colours.reshape(2, across, 3))
        return
    middle = (rect.top + rect.bottom) / 2
    yield Cells(Rect(rect.left, rect.top, rect.right, middle), colours[None, :across])
    if across > 1:
        yield Cells(Rect(rect.left, middle, rect.right - sheet.columns.cell, rect.bottom), colours[None, across:])


def _colours(sheet: FlowSheet, scale: Scale, values: _Numbers, low: float, high: float) -> Colours:
    return shades(scale, np.clip((values - low) / (high - low), 0, 1), sheet.roles)


def _dials(sheet: FlowSheet, rect: Rect, angles: _Numbers) -> Iterator[Part]:
    """A dial for each pair: the circle, the arc from three o'clock to the hand, the hand, and its tip."""
    roles, pitch, y = sheet.roles, rect.width / len(angles), (rect.top + rect.bottom) / 2
    radius = max(sheet.hair, min(rect.height / 2, 0.48 * pitch) - sheet.hair)
    for number, angle in enumerate(angles.tolist()):
        x, turn = rect.left + (number + 0.5) * pitch, math.fmod(angle, math.tau)
        tip = x + radius * math.cos(turn), y - radius * math.sin(turn)
        yield Dot(x, y, radius, roles.card, roles.edge, 0.7 * sheet.hair)
        yield Arc(x, y, radius, turn, roles.curves[1], 1.6 * sheet.hair)
        yield Stroke(straight((x, y), tip), roles.ink, sheet.hair)
        yield Dot(*tip, 1.7 * sheet.hair, roles.focus)


def _numbers(sheet: FlowSheet) -> Iterator[Part]:
    """Each key's score, what the score's door adds to it, and its weight, or an empty cell if it is hidden."""
    panel, numbers = sheet.panel, sheet.panel.numbers
    products, added = _texts(numbers.products), _texts(numbers.added)
    size = _size_of(sheet, "products", [*products, *added], 0.9 * sheet.rows.pitch)
    height = min(_NUMBER * (sheet.small if size == "small" else sheet.label), 0.9 * sheet.rows.pitch)
    shown: list[tuple[Column, Values, Sequence[str]]] = [("products", numbers.products, products)]
    if panel.open_door == "score":
        shown.append(("score", numbers.added, added))
    for column, values, texts in shown:
        if panel.shows(column):
            colours = _colours(sheet, "diverging", values, -panel.score_high, panel.score_high)
            for row, (text, colour) in enumerate(zip(texts, colours, strict=True)):
                rect = _cell_rect(sheet, column, sheet.middle(row) - sheet.apart, height)
                yield from _cell(sheet, rect, colour, text, size)
    if panel.shows("weight"):
        colours = _colours(sheet, "sequential", numbers.weights, 0.0, panel.weight_high)
        size = _size_of(sheet, "weight", panel.weight_texts, sheet.weight_height)
        for row, (text, colour) in enumerate(zip(panel.weight_texts, colours, strict=True)):
            rect = _cell_rect(sheet, "weight", sheet.middle(row), sheet.weight_height)
            if panel.visible[row]:
                yield from _cell(sheet, rect, colour, text, size, bold=row in sheet.strong)
            else:
                yield Box(rect, sheet.roles.card, sheet.roles.line, sheet.hair, 1.5 * sheet.hair)


def _cell(
    sheet: FlowSheet, rect: Rect, colour: npt.NDArray[np.uint8], text: str, size: Size | None, *, bold: bool = False
) -> Iterator[Part]:
    """A coloured cell and its number, if that has room."""
    yield Box(rect, colour_of(colour), corner=1.5 * sheet.hair)
    measure = (sheet.style.small if size == "small" else sheet.style.title).measure
    if size and measure(text) <= rect.width:
        ink, x, y = ink_on(*colour.tolist()), (rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2
        yield Text(x, y, text, ink, size, "center", bold)


def _cell_rect(sheet: FlowSheet, column: Column, y: float, height: float) -> Rect:
    span = sheet.columns.contents[column]
    return Rect(span.left, y - height / 2, span.right, y + height / 2)


def _text(value: float) -> str:
    return "0" if value == 0 else format_distinct([value])[0]


def _texts(values: Values) -> list[str]:
    """Scores with equally many decimals, as many as tell them apart, where that leaves them short."""
    together = [
        "0" if value == 0 else text for value, text in zip(values, format_distinct(values.tolist()), strict=True)
    ]
    return together if max(map(len, together)) <= _LONGEST else [*map(_text, values.tolist())]


def _size_of(sheet: FlowSheet, column: Column, texts: Sequence[str], height: float) -> Size | None:
    """The largest type in which all numbers of a column have air, else the smallest; None if the cells are too low."""
    breadth = sheet.columns.contents[column].breadth
    if longest(texts, sheet.style.title.measure) + _AIR * sheet.small <= breadth and sheet.label <= 1.1 * height:
        return "label"
    return "small" if sheet.small <= 1.1 * height else None


def _rest(sheet: FlowSheet) -> Iterator[Part]:
    """The count of all other keys, and their weight together."""
    rest, y = sheet.panel.rest, sheet.rows.rest
    if rest is None or y is None:
        return
    left, words = sheet.columns.contents["token"].left, format_count(rest.count, "other")
    if left + sheet.style.small.measure(words) > sheet.columns.doors["input"].left:
        words = f"+ {rest.count:,}"
    yield Text(left, y, words, sheet.roles.muted, "small")
    if sheet.panel.shows("weight"):
        right = sheet.columns.contents["weight"].right - 0.3 * sheet.small
        yield Text(right, y, _text(rest.weight), sheet.roles.muted, "small", "right")


def _output(sheet: FlowSheet) -> Iterator[Part]:
    """The output in the query's row, and beside it what position adds to it."""
    roles, small, vectors = sheet.roles, sheet.small, sheet.panel.vectors_in("output", sheet.panel.query)
    rects = sheet.vector_rects("output", QUERY)
    for rect, (_, vector) in zip(rects, vectors, strict=True):
        yield from _vector(sheet, rect, vector)
        beyond = 1.5 * sheet.hair
        yield Box(rect.grown(beyond), frame=roles.focus, width=beyond, corner=beyond)
    y = sheet.rows.query
    if len(rects) == 2:
        yield Text((rects[1].right + rects[0].left) / 2, y, "+", roles.focus, side="center", bold=True)
    has_room = sheet.bundle.right + 0.5 * small + sheet.style.small.measure(_SUM) <= sheet.width
    beside: tuple[float, Side] = (sheet.bundle.right + 0.5 * small, "left")
    x, side = beside if has_room else (sheet.bundle.left - 0.5 * small, "right")
    yield Text(x, y + sheet.columns.cell + 0.9 * small, _SUM, roles.muted, "small", side)
