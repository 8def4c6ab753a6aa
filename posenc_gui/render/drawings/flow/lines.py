"""The lines of a flow: from each key to its weight, from the query to the keys, and from the weights into the output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from posenc_gui.figure.panels.flow import Column
from posenc_gui.foundation.contrast import mixed
from posenc_gui.render.drawings.flow.sheet import FlowSheet
from posenc_gui.render.drawings.parts import Dot, Part, Ribbon, Stroke, corner, fork, straight

_RIBBON = 0.72  # of a ribbon's colour over the card
_OF_KEYS: tuple[Column, ...] = ("projections", "rotation", "products", "score")
_OF_VALUES: tuple[Column, ...] = ("projections",)
_BAR = 3.0  # hairlines: half the height of the bar before a hidden key's weight
_BEFORE_WEIGHT = 0.6  # lines of labels: where that bar stands


def draw_lines(sheet: FlowSheet) -> Iterator[Part]:
    """Draw the ribbons, the lines of all keys, and over them the query's."""
    if sheet.panel.shows("output"):
        yield from _ribbons(sheet)
    for row in range(len(sheet.panel.keys)):
        yield from _strand(sheet, row)
    yield from _query(sheet)


def _strand(sheet: FlowSheet, row: int) -> Iterator[Part]:
    """The line of a key, which parts into those of k and v."""
    panel, found, key, middle = sheet.panel, sheet.ends, sheet.panel.keys[row], sheet.middle(row)
    split = sheet.columns.doors["input"].right
    before: list[Column] = [column for column in ("token", "x", "input") if column in found]
    yield from _level(sheet, row, before, split, middle, key.parted)
    if not panel.shows("projections"):
        return
    for y, parted, columns in (
        (middle - sheet.apart, key.parted, _OF_KEYS),
        (middle + sheet.apart, key.value_parted, _OF_VALUES),
    ):
        curve = fork((split, middle), (found["projections"].left, y))
        yield Stroke(curve, *_look(sheet, row, parted="input" in parted))
        end = found["weight"].left
        if not panel.visible[row]:
            end -= _BEFORE_WEIGHT * sheet.label
            if panel.shows("weight"):
                bar = straight((end, y - _BAR * sheet.hair), (end, y + _BAR * sheet.hair))
                yield Stroke(bar, sheet.roles.muted, 2 * sheet.hair)
        yield from _level(sheet, row, columns, end, y, parted)


def _level(
    sheet: FlowSheet, row: int, columns: Sequence[Column], end: float, y: float, parted: frozenset[Column]
) -> Iterator[Part]:
    """A level line in pieces: each begins where its column’s content ends, and is amber if equal tokens differ there."""
    starts = [sheet.ends[column].right for column in columns]
    for column, start, stop in zip(columns, starts, [*starts[1:], end], strict=True):
        if start < min(stop, sheet.reach):
            path = straight((start, y), (min(stop, sheet.reach), y))
            yield Stroke(path, *_look(sheet, row, parted=column in parted))


def _look(sheet: FlowSheet, row: int, *, parted: bool) -> tuple[str, float]:
    """The colour and the width of a key's line."""
    if parted:
        return sheet.roles.twin, 2 * sheet.hair
    return (sheet.roles.ink, 1.5 * sheet.hair) if row == sheet.marked else (sheet.roles.edge, sheet.hair)


def _query(sheet: FlowSheet) -> Iterator[Part]:
    """The query's line to the right, then down to the scores, with a dot on each key."""
    colour, width, y, turn = sheet.roles.focus, 2 * sheet.hair, sheet.rows.query, sheet.columns.turn
    start = sheet.columns.contents["token"].right, y
    if not sheet.panel.shows("products"):
        if start[0] < sheet.reach:
            yield Stroke(straight(start, (sheet.reach, y)), colour, width)
        return
    heights = [middle - sheet.apart for middle in sheet.rows.keys]
    yield Stroke(corner(start, (turn, y), (turn, heights[-1]), 0.5 * sheet.label), colour, width)
    for height in heights:
        yield Dot(turn, height, 2.2 * width, colour, sheet.roles.card, sheet.hair)


def _ribbons(sheet: FlowSheet) -> Iterator[Part]:
    """Each key's weight as a ribbon from its cell into the output: together they are as broad as 1."""
    panel, roles, left = sheet.panel, sheet.roles, sheet.bundle.left
    plain = mixed(roles.ref, roles.card, _RIBBON)
    for row, (key, weight) in enumerate(zip(panel.keys, panel.numbers.weights.tolist(), strict=True)):
        if panel.visible[row]:
            colour = roles.twin if "weight" in key.parted else roles.ref if row == sheet.marked else plain
            yield _ribbon(sheet, sheet.middle(row), left, weight, colour)
            left += weight * sheet.bundle.breadth
    if panel.rest and sheet.rows.rest is not None:
        yield _ribbon(sheet, sheet.rows.rest, left, panel.rest.weight, plain)


def _ribbon(sheet: FlowSheet, y: float, left: float, weight: float, colour: str) -> Ribbon:
    breadth = weight * sheet.bundle.breadth
    x, top = left + breadth / 2, sheet.rows.query + sheet.columns.cell
    start = sheet.columns.contents["weight"].right, y
    return Ribbon(corner(start, (x, y), (x, top), breadth / 2 + 0.5 * sheet.label), colour, breadth)
