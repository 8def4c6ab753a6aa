"""The words of a flow: two lines above each column, and the sum of one key, each part below the column that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from posenc_gui.figure.panels.flow import COLUMNS, Column, Sum
from posenc_gui.foundation.contrast import mixed
from posenc_gui.render.drawings.flow.formula_text import FormulaText
from posenc_gui.render.drawings.flow.places import HEADING_AIR, Span
from posenc_gui.render.drawings.flow.sheet import FlowSheet
from posenc_gui.render.drawings.parts import Box, Dot, Part, Stroke, Text, straight
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.layout.type_sizes import Size, Style

_BAND = 0.86  # of a row's height
_BAND_COLOUR = 0.6  # of that of recessed areas over the card
_OPEN, _CLOSED = 0.45, 0.33  # lines of small type: the radius of a door's dot
_MARK = 2.0  # hairlines: the frame around a column
_SYMBOL = 3  # letters, at most
_AROUND_SIGNS = re.compile(r" ?([·/,]) ?")
_APART = 0.8  # lines of small type between two terms
_LONGEST = 6.0  # lines of labels: of the token's name
_BEFORE = "The sum for "
_SAID_ANYWAY = ("+ 0", "x + p", "output")  # what is left out where there is no room for all


def draw_ground(sheet: FlowSheet) -> Iterator[Part]:
    """Draw the band, the doors that are reached, and the headings."""
    middle, half = sheet.middle(sheet.marked), _BAND / 2 * sheet.rows.pitch
    band = Rect(0.0, middle - half, sheet.width, middle + half)
    yield Box(band, mixed(sheet.roles.sunk, sheet.roles.card, _BAND_COLOUR))
    shown = [column for column in COLUMNS if column in sheet.columns.contents and sheet.panel.shows(column)]
    for column in shown:
        if column in sheet.columns.doors:
            yield from _door(sheet, column)
    for column in shown:
        yield from _heading(sheet, column)


def _door(sheet: FlowSheet, column: Column) -> Iterator[Part]:
    roles, span, is_open = sheet.roles, sheet.columns.doors[column], column == sheet.panel.open_door
    width = (1.5 if is_open else 1.0) * sheet.hair
    frame = Rect(span.left + width / 2, width / 2, span.right - width / 2, sheet.rows.bottom - width / 2)
    yield Box(frame, sheet.wash if is_open else "", roles.focus if is_open else roles.line, width, sheet.label / 4)
    colour, radius = (roles.focus, _OPEN) if is_open else (roles.edge, _CLOSED)
    ground = colour if is_open else roles.card
    yield Dot(span.middle, sheet.rows.dot, radius * sheet.small, ground, colour, sheet.hair)


def draw_marked_column(sheet: FlowSheet) -> Iterator[Part]:
    """Frame the column that a text speaks of, from its heading to its last row."""
    column, width = sheet.panel.marked, _MARK * sheet.hair
    if column is None or column not in sheet.columns.contents or not sheet.panel.shows(column):
        return
    span = sheet.columns.outer(column)
    if column not in sheet.columns.doors:
        span = Span(span.left - HEADING_AIR * sheet.small, span.right + HEADING_AIR * sheet.small)
    frame = Rect(max(width / 2, span.left), width / 2, min(sheet.width - width / 2, span.right), sheet.rows.bottom)
    yield Box(frame, frame=sheet.roles.ink, width=width, corner=sheet.label / 4)


def _heading(sheet: FlowSheet, column: Column) -> Iterator[Part]:
    roles, rows, heading = sheet.roles, sheet.rows, sheet.panel.headings[COLUMNS.index(column)]
    if column == "token":
        yield from _over_tokens(sheet, heading.name, rows.name)
        yield from _over_tokens(sheet, "keys", rows.title)
        return
    room, is_open = _room(sheet, column), heading.door == "open"
    middle = room.middle if heading.door else sheet.columns.contents[column].middle
    colour = roles.focus if is_open else roles.muted if heading.door else roles.ink
    is_bold = is_open or column in ("weight", "output")
    size: Size = "small" if heading.door else "label"
    name = _fitted(sheet.style, heading.name, room, middle, rows.name, colour, size, bold=is_bold)
    yield from name or [_shortened(sheet.style, heading.name, room, rows.name, colour, bold=is_bold)]
    colour = roles.focus if is_open else roles.muted
    yield from _fitted(sheet.style, heading.note, room, middle, rows.note, colour, "small")


def _over_tokens(sheet: FlowSheet, text: str, y: float) -> Iterator[Part]:
    """A heading at the left of the tokens, if there is room."""
    left, after = sheet.columns.contents["token"].left, [*sheet.columns.contents][1]
    if left + sheet.style.title.measure(text) < sheet.columns.outer(after).left:
        yield Text(left, y, text, sheet.roles.ink, bold=True)


def _room(sheet: FlowSheet, column: Column) -> Span:
    """The breadth that a heading may take: that of its door, or as far as the doors and halfway to the columns beside it."""
    columns, order = sheet.columns, [*sheet.columns.contents]
    if column in columns.doors:
        door = columns.doors[column]
        return Span(door.left + HEADING_AIR * sheet.small, door.right - HEADING_AIR * sheet.small)
    at, own = order.index(column), columns.contents[column]
    before, after = order[at - 1], order[min(at + 1, len(order) - 1)]
    left = columns.outer(before).right
    right = columns.outer(after).left if after != column else sheet.width
    left = left if before in columns.doors or before == "token" else (left + own.left) / 2  # tokens have short headings
    right = right if after in columns.doors or after == column else (own.right + right) / 2
    return Span(left + HEADING_AIR * sheet.small, right - HEADING_AIR * sheet.small)


@lru_cache(maxsize=256)  # headings stay while numbers change
def _fitted(
    style: Style, text: str, room: Span, middle: float, y: float, colour: str, size: Size, *, bold: bool = False
) -> tuple[Part, ...]:
    """A heading in its room: in smaller type, without what follows a comma, or without some spaces; else nothing."""
    first, comma, _ = text.partition(",")
    shorter = first if comma and len(first) > _SYMBOL else _AROUND_SIGNS.sub(r"\1", text)
    tried: tuple[tuple[str, Size], ...] = ((text, size), (text, "small"), (shorter, "small"))
    formulas = (FormulaText(words, style, in_size, bold) for words, in_size in tried)
    found = next((one for one in formulas if one.length <= room.breadth), None)
    if found is None:
        return ()
    half = found.length / 2
    x = max(room.left + half, min(room.right - half, middle))
    return tuple(found.drawn(x, y, colour, "center"))


def _shortened(style: Style, text: str, room: Span, y: float, colour: str, *, bold: bool) -> Text:
    """A name that has no room."""
    return Text(room.middle, y, elided(text, room.breadth, style.small.measure), colour, "small", "center", bold)


class _Term(NamedTuple):
    """A term of the sum: its middle, what is told of it with and without position, and its colour."""

    x: float
    told: FormulaText
    plain: str
    colour: str

    @property
    def half(self) -> float:
        return self.told.length / 2


def draw_sums(sheet: FlowSheet) -> Iterator[Part]:
    """Write the marked key's sum, and below it the same without position if there are two lines."""
    rows, style, roles, token = sheet.rows, sheet.style, sheet.roles, sheet.strand(sheet.marked)
    if not rows.sums:
        return
    name = elided(visible(token.label), _LONGEST * style.label.line, style.title.measure)
    before = FormulaText(_BEFORE, style).length
    named = style.title.measure(name) + style.small.measure(token.place)
    terms = _fitted_terms(sheet, (before + named, named))
    if not terms or terms[0].x - terms[0].half < before + named:
        before = 0.0
    top, y = rows.bottom + 0.45 * style.label.line, rows.sums[0]
    yield Stroke(straight((0.0, top), (sheet.width, top)), roles.line, sheet.hair)
    if before:
        yield Text(0.0, y, _BEFORE, roles.ink)
    colour = roles.twin if sheet.marked in sheet.panel.twins else roles.ink
    yield Text(before, y, name, colour, bold=True)
    below = y + 0.25 * style.label.line
    yield Text(before + style.title.measure(name), below, token.place, colour, "small", bold=True)
    for term in terms:
        yield from term.told.drawn(term.x, y, term.colour, "center")
    if len(rows.sums) > 1 and any(term.plain for term in terms):
        yield Text(0.0, rows.sums[1], "without position", roles.muted, "small")
        for term in terms:
            yield from FormulaText(term.plain, style, "small").drawn(term.x, rows.sums[1], roles.muted, "center")


def _fitted_terms(sheet: FlowSheet, before: Sequence[float]) -> list[_Term]:
    """The terms beside each other, in larger or smaller type, after what stands `before` them, which may be shortened; those
    that go without saying are left out if there is no room for all, and all if there is none for the others."""
    gap, told = _APART * sheet.small, sheet.panel.sums(sheet.marked)
    tried: tuple[tuple[Size, bool], ...] = (("label", True), ("small", True), ("small", False))
    for size, whole in tried:
        terms = _terms(sheet, told, size, whole=whole)
        for start in before:
            if start + sum(2 * term.half + gap for term in terms) <= sheet.width:
                return _apart(terms, start, sheet.width, gap)
    return []


def _terms(sheet: FlowSheet, told: Sequence[Sum], size: Size, *, whole: bool) -> list[_Term]:
    contents, panel, roles = sheet.columns.contents, sheet.panel, sheet.roles
    return [
        _Term(
            contents[one.column].middle,
            FormulaText(one.text, sheet.style, size, bold=one.of_position and one.column != "input"),
            one.plain,
            roles.focus if one.of_position else roles.muted if one.text == "+ 0" else roles.ink,
        )
        for one in told
        if one.column in contents and panel.shows(one.column)
        if whole or not {one.text, one.column} & {*_SAID_ANYWAY}
    ]


def _apart(terms: Sequence[_Term], left: float, right: float, gap: float) -> list[_Term]:
    """The terms moved apart between two ends between which they fit: to the left where they must, then to the right."""
    found = list[_Term]()
    for term in reversed(terms):
        found.append(term._replace(x=min(term.x, right - term.half)))
        right = found[-1].x - term.half - gap
    found.reverse()
    for at, term in enumerate(found):
        found[at] = term._replace(x=max(term.x, left + gap + term.half))
        left = found[at].x + term.half
    return found
