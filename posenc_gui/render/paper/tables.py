"""Tables: text left-aligned, numbers right-aligned, a line below the header and above each sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from posenc_gui.figure.panels import Judged
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.drawings.parts import Box, Part, Side, Stroke, Text, straight
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided_before_number
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, MIDDLE, SMALL, face
from posenc_gui.render.paper.table_grid import TableGrid

_GAP = 22.0  # between a title and what stands at its right
_LINE = 0.8  # the width of lines
_BAND, _EDGE, _AROUND = (
    0.1,
    2.5,
    6.0,
)  # of the focus: how much of its colour, the width of its edge, and beyond the columns


def draw(grid: TableGrid, width: float, roles: Roles) -> Iterator[Part]:
    """Draw a table as it is set, from its upper left corner, its note at the right end of this width."""
    panel, pitch, muted = grid.panel, grid.setting.pitch, roles.muted
    of_title = width - measured(SMALL)(grid.note) - (_GAP if grid.note else 0)
    size = grid.title if measured(grid.title, bold=True)(panel.title[:200]) <= of_title else SMALL
    title = elided_before_number(panel.title, of_title, measured(size, bold=True))
    yield Text(0, MIDDLE * size, title, roles.ink, face(size), bold=True, signed=True)
    yield Text(width, MIDDLE * SMALL, grid.note, muted, "small", "right")
    heading, *heights = grid.heights
    top = grid.title_height + heading
    yield from _row(grid, grid.header, grid.title_height + pitch / 2, [muted] * len(panel.header))
    yield _line(grid, top, muted)
    for index, cells, height in zip(grid.rows, grid.cells, heights, strict=True):
        y = top + pitch / 2
        if index is None:
            left_out = format_count(len(panel.rows) - len(grid.rows) + 1, "more row")
            yield Text(0, y, f"… {left_out}", muted, face(grid.setting.size))
        else:
            marked = index == panel.focus
            if grid.is_sum(index):
                yield _line(grid, top, roles.ink)
            if marked:
                yield Box(
                    Rect.down_from(-_AROUND, top, grid.width + 2 * _AROUND, height),
                    mixed(roles.focus, roles.card, _BAND),
                )
                yield Box(Rect.down_from(-_AROUND, top, _EDGE, height), roles.focus)
            colours = [ink_of(cell, roles, marked) for cell in panel.rows[index]]
            yield from _row(grid, cells, y, colours, bold=grid.is_sum(index))
        top += height


def _line(grid: TableGrid, y: float, colour: str) -> Stroke:
    return Stroke(straight((0, y), (grid.width, y)), colour, _LINE)


def _row(
    grid: TableGrid, cells: Sequence[list[str]], y: float, colours: Sequence[str], *, bold: bool = False
) -> Iterator[Part]:
    x, size = 0.0, grid.setting.size
    for column, (width, lines, colour) in enumerate(zip(grid.widths, cells, colours, strict=False)):
        side: Side = "right" if grid.panel.is_numeric(column) else "left"
        at = x + width if side == "right" else x
        for place, line in enumerate(lines):
            yield Text(at, y + place * size * LINE, line, colour, face(size), side, bold=bold)
        x += width + grid.setting.between


def ink_of(cell: str | float, roles: Roles, marked: bool) -> str:
    """Return the colour of a cell's text: its verdict's colour, if it has one, else its row's."""
    if isinstance(cell, Judged):
        return roles.of_verdict(cell.verdict)
    return roles.focus if marked else roles.ink
