"""A flow as a drawing: one query's way from the tokens to its output."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels.flow import COLUMNS, HEADINGS, Column, Flow
from posenc_gui.foundation.contrast import mixed
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage
from posenc_gui.render.drawings.flow.cells import draw_cells
from posenc_gui.render.drawings.flow.places import places
from posenc_gui.render.drawings.flow.sheet import QUERY, Edges, FlowSheet
from posenc_gui.render.drawings.flow.words import draw_ground, draw_marked_column, draw_sums
from posenc_gui.render.drawings.parts import Dot, Part, Ribbon, Stroke, corner, fork, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure

_INSIDE = 0.999  # of a column or row, so that rounding finds the same one
_FIRST = -0.4999  # where it begins, so that no cell's middle is that of its row
_RIBBON = 0.72  # of a ribbon's colour over the card
_OF_KEYS: tuple[Column, ...] = ("projections", "rotation", "products", "score")
_OF_VALUES: tuple[Column, ...] = ("projections",)
_BAR = 3.0  # hairlines: half the height of the bar before a hidden key's weight
_BEFORE_WEIGHT = 0.6  # lines of labels: where that bar stands


class FlowDrawing(Drawing[Flow]):
    """A drawn flow; the panel has only the keys for which there is room."""

    least_height, comfortable = 17.0, 12.0

    def __init__(self, panel: Flow, stage: Stage, widest: Flow | None = None) -> None:
        found = places(panel, stage.width, stage.height, stage.style, sums=not stage.style.is_paper)
        super().__init__(found.panel, stage, widest)
        keys = found.panel.keys
        marked = next((row for row, one in enumerate(keys) if one.at == stage.marked), found.panel.pinned)
        self.sheet = FlowSheet(found.panel, found.columns, found.rows, found.width, found.style, stage.roles, marked)
        beyond = (border for border in self.sheet.columns.borders if border > self.sheet.reach)
        self.field = replace(self.field, right=next(beyond, stage.width))

    @staticmethod
    def places(panel: Flow) -> tuple[int, ...]:
        return (len(panel.keys),)

    @staticmethod
    def widest_of(panels: Sequence[Flow], measure: Measure) -> Flow:
        """The first: its columns never move."""
        return panels[0]

    def draw(self) -> Iterator[Part]:
        return itertools.chain(
            draw_ground(self.sheet),
            draw_lines(self.sheet),
            draw_cells(self.sheet),
            draw_sums(self.sheet),
            draw_marked_column(self.sheet),
        )

    def marked_by(self, pointer: Pointer) -> int | None:
        return pointer.along("key")

    def at(self, x: float, y: float) -> tuple[float, float]:
        row = self.sheet.row_at(y)
        if not QUERY <= row < len(self.sheet.panel.keys):
            return COLUMNS.index(self.sheet.columns.at(x)), row
        near: tuple[Column, ...] = ("output",) if row == QUERY else ()
        for column in (*near, self.sheet.columns.at(x)):
            rects = self.sheet.vector_rects(column, row)
            for number, rect in enumerate(rects):
                if rect.left < x < rect.right and rect.top < y < rect.bottom:
                    across, down = (x - rect.left) / rect.width, (number + (y - rect.top) / rect.height) / len(rects)
                    return COLUMNS.index(column) + _FIRST + _INSIDE * across, row + _FIRST + _INSIDE * down
        return COLUMNS.index(self.sheet.columns.at(x)), row

    def cells(self, least: float) -> Iterator[Rect]:
        keys = len(self.sheet.panel.keys)
        for row in tiles(self.field, (), self.sheet.row_edges, least):
            at = self.sheet.row_at(row.middle[1])
            standing = list(self.sheet.cell_edges(at))
            for column in tiles(row, self.sheet.columns.borders if at < keys else (), (), least):
                yield from filter(self.has_words, _cut(column, standing, least))

    def pressed(self, x: float, y: float) -> Pointer:
        return self.panel.pressed(x, y)

    def door(self, x: float, y: float) -> str:
        return self.panel.door(x, y)

    def offer(self, x: float, y: float) -> str:
        return self.panel.offer(x, y)

    def start(self) -> Spot:
        return 0, self.sheet.marked

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        column = x + dx
        while 0 <= column < len(COLUMNS) and COLUMNS[column] not in self.sheet.columns.contents:
            column += dx
        return column, max(HEADINGS, round(y) + dy)


def _cut(column: Rect, vectors: Iterable[Edges], least: float) -> Iterator[Rect]:
    """Cut a row's part in a column at the cells of vectors, as far as these reach into it."""
    here = [one for one in vectors if one.across[0] < column.right and column.left < one.across[-1]]
    for strip in tiles(column, (), sorted(y for one in here for y in one.down), least):
        cells = sorted(x for one in here if one.down[0] < strip.middle[1] < one.down[-1] for x in one.across)
        yield from tiles(strip, cells, (), least)


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
