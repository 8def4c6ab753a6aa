"""Tables: text left-aligned, numbers right-aligned, a line below the header and above each sum."""

from __future__ import annotations

from collections.abc import Sequence

from posenc_gui.figure.panels import Judged
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL
from posenc_gui.render.paper.page import Page, draw_panel_title
from posenc_gui.render.paper.table_grid import TableGrid

_GAP = 22.0  # between a title and what stands at its right


def draw(grid: TableGrid, page: Page, box: Rect) -> None:
    """Draw a table as it is set."""
    panel, pitch, muted = grid.panel, grid.setting.pitch, page.roles.muted
    of_title = box.width - measured(SMALL)(grid.note) - (_GAP if grid.note else 0)
    size = grid.title if measured(grid.title, bold=True)(panel.title[:200]) <= of_title else SMALL
    draw_panel_title(page, panel.title, box.left, box.top, of_title, size)
    page.text(box.right, box.top, grid.note, SMALL, muted, "right", at="top")
    room = Rect.up_from(box.left, box.bottom, grid.width, 0)
    top = box.top - grid.title_height
    heading, *heights = grid.heights
    _draw_row(page, grid.header, grid, room, top - pitch / 2, [muted] * len(panel.header))
    top -= heading
    page.line((room.left, room.right), (top, top), muted, 0.8)
    for index, cells, height in zip(grid.rows, grid.cells, heights, strict=True):
        y, bottom = top - pitch / 2, top - height
        if index is None:
            left_out = len(panel.rows) - len(grid.rows) + 1
            page.text(room.left, y, f"… {format_count(left_out, 'more row')}", grid.setting.size, muted)
        else:
            marked = index == panel.focus
            if grid.is_sum(index):
                page.line((room.left, room.right), (top, top), page.roles.ink, 0.8)
            if marked:
                page.band(Rect.up_from(room.left - 6, bottom, room.width + 12, height), page.roles.focus)
            colours = [ink_of(cell, page.roles, marked) for cell in panel.rows[index]]
            _draw_row(page, cells, grid, room, y, colours, grid.is_sum(index))
        top = bottom


def _draw_row(
    page: Page,
    cells: Sequence[list[str]],
    grid: TableGrid,
    box: Rect,
    y: float,
    colours: Sequence[str],
    bold: bool = False,
) -> None:
    x, size = box.left, grid.setting.size
    for column, (width, lines, colour) in enumerate(zip(grid.widths, cells, colours, strict=False)):
        for place, line in enumerate(lines):
            below = y - place * size * LINE
            if grid.panel.is_numeric(column):
                page.text(x + width, below, line, size, colour, "right", bold=bold)
            else:
                page.text(x, below, line, size, colour, bold=bold)
        x += width + grid.setting.between


def ink_of(cell: str | float, roles: Roles, marked: bool) -> str:
    """Return the colour of a cell's text: its verdict's colour, if it has one, else its row's."""
    if isinstance(cell, Judged):
        return roles.of_verdict(cell.verdict)
    return roles.focus if marked else roles.ink
