"""A flow as a drawing: one query's way from the tokens to its output."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels.flow import COLUMNS, HEADINGS, Column, Flow
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage
from posenc_gui.render.drawings.flow.cells import draw_cells
from posenc_gui.render.drawings.flow.headings import draw_ground, draw_marked_column
from posenc_gui.render.drawings.flow.lines import draw_lines
from posenc_gui.render.drawings.flow.places import places
from posenc_gui.render.drawings.flow.sheet import QUERY, FlowSheet
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
        """Yield each row's columns from left to right; the output's vectors of the query reach into the column before it."""
        places, borders = self.sheet.places, self.sheet.columns.borders
        for band in tiles(self.field, (), places.row_edges, least):
            row = places.row_at(band.middle[1])
            for zone in tiles(band, borders[:-1] if row == QUERY else borders, (), least):
                yield from filter(self.has_words, self._cells_in(row, zone, least))

    def _cells_in(self, row: int, zone: Rect, least: float) -> Iterator[Rect]:
        """Cut a zone of a row at columns, and at the cells of the vectors that stand in it."""
        standing = [one for one in self.sheet.cell_edges(row) if zone.left <= one[0][0] < zone.right]
        for band in tiles(zone, (), sorted(y for _, down in standing for y in down), least):
            cells = (x for across, down in standing if down[0] < band.middle[1] < down[-1] for x in across)
            yield from tiles(band, sorted((*self.sheet.columns.borders, *cells)), (), least)

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
