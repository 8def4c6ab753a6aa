"""A flow as a drawing: one query's way from the tokens to its output, for every output that draws it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from posenc_gui.figure.panels.flow import COLUMNS, Column, Flow
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.drawing import Part
from posenc_gui.render.layout.flow.cells import draw_cells
from posenc_gui.render.layout.flow.headings import draw_ground, draw_marked_column
from posenc_gui.render.layout.flow.lines import draw_lines
from posenc_gui.render.layout.flow.places import places
from posenc_gui.render.layout.flow.sheet import QUERY, FlowSheet
from posenc_gui.render.layout.flow.sums import draw_sums
from posenc_gui.render.layout.type_sizes import Style

_INSIDE = 0.999  # of half a column or row, so that rounding finds the same one


@dataclass(frozen=True, eq=False)
class FlowDrawing:
    """A drawn flow, from the ground to what lies on top. The sheet's panel has only the keys for which there is room."""

    sheet: FlowSheet
    parts: tuple[Part, ...]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the coordinates of the panel at a point of the drawing."""
        row = self.sheet.places.row_at(y)
        if not QUERY <= row < len(self.sheet.panel.keys):
            return COLUMNS.index(self.sheet.columns.at(x)), row
        near: tuple[Column, ...] = ("output",) if row == QUERY else ()
        for column in (*near, self.sheet.columns.at(x)):
            rects = self.sheet.vector_rects(column, row)
            for number, rect in enumerate(rects):
                if rect.left < x < rect.right and rect.top < y < rect.bottom:
                    across, down = (x - rect.left) / rect.width, (number + (y - rect.top) / rect.height) / len(rects)
                    return COLUMNS.index(column) + _INSIDE * (across - 0.5), row + _INSIDE * (down - 0.5)
        return COLUMNS.index(self.sheet.columns.at(x)), row


def draw_flow(
    panel: Flow, width: float, height: float, style: Style, roles: Roles, *, key: int | None = None, sums: bool = True
) -> FlowDrawing:
    """Draw a flow in a room of this size.

    key: the position of the key whose row is marked, if that is shown; else the pinned one's is. sums: the sum of the
    marked key is written below, if there is room.
    """
    found = places(panel, width, height, style, sums=sums)
    marked = next((row for row, one in enumerate(found.panel.keys) if one.at == key), found.panel.pinned)
    sheet = FlowSheet(found, roles, marked)
    parts = itertools.chain(
        draw_ground(sheet), draw_lines(sheet), draw_cells(sheet), draw_sums(sheet), draw_marked_column(sheet)
    )
    return FlowDrawing(sheet, tuple(parts))
