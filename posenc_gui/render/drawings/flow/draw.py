"""A flow as a drawing: one query's way from the tokens to its output."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels.flow import COLUMNS, HEADINGS, Column, Flow
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage
from posenc_gui.render.drawings.flow.cells import draw_cells
from posenc_gui.render.drawings.flow.headings import draw_ground, draw_marked_column
from posenc_gui.render.drawings.flow.lines import draw_lines
from posenc_gui.render.drawings.flow.places import places
from posenc_gui.render.drawings.flow.sheet import QUERY, Edges, FlowSheet
from posenc_gui.render.drawings.flow.sums import draw_sums
from posenc_gui.render.drawings.parts import Part
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure

_INSIDE = 0.999  # of a column or row, so that rounding finds the same one
_FIRST = -0.4999  # where it begins, so that no cell's middle is that of its row


class FlowDrawing(Drawing[Flow]):
    """A drawn flow; the panel has only the keys for which there is room.

    The row of the key at the marked position stands out, if that is shown; else that of the pinned one. The sum of that key is
    written below, if there is room, where it can be pointed at.
    """

    least_height, comfortable = 17.0, 12.0

    def __init__(self, panel: Flow, stage: Stage, widest: Flow | None = None) -> None:
        found = places(panel, stage.width, stage.height, stage.style, sums=not stage.style.is_paper)
        super().__init__(found.panel, stage, widest)
        keys = found.panel.keys
        marked = next((row for row, one in enumerate(keys) if one.at == stage.marked), found.panel.pinned)
        self.sheet = FlowSheet(found, stage.roles, marked)

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
        row = self.sheet.places.row_at(y)
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
        places = self.sheet.places
        for row in tiles(self.field, (), places.row_edges, least):
            standing = list(self.sheet.cell_edges(places.row_at(row.middle[1])))
            for column in tiles(row, self.sheet.columns.borders, (), least):
                yield from filter(self.has_words, _cut(column, standing, least))

    def pressed(self, x: float, y: float) -> Pointer:
        return self.panel.pressed(x, y)

    def door(self, x: float, y: float) -> str:
        return self.panel.door(x, y)

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
