"""Tables as native PowerPoint tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Pt

from posenc_gui.figure.panels import Judged, Table, table_text
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.pptx.shapes import SMALL, TYPE, Box, add_run, add_text

_SIZES = TYPE, 16.0, 14.0, SMALL  # points
_ROW, _TITLE = 1.6, 1.7  # heights, in sizes of type
_BETWEEN = 20.0  # points between columns
_NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # PowerPoint's table style without colours and lines


def fitting_size(panel: Table, room: Box) -> float | None:
    """The largest type in which a table has room for all its rows and columns; None if there is none."""
    return next((size for size in _SIZES if _fits(panel, room, size)), None)


def _fits(panel: Table, room: Box, size: float) -> bool:
    title = _TITLE * TYPE if panel.title else 0.0
    height = title + (len(panel.rows) + 1) * _ROW * size
    return sum(_column_widths(panel, size)) <= room.width and height <= room.height


def add_table(panel: Table, page: Any, box: Box, roles: Roles, size: float) -> Any:
    """Add a table; return its shape."""
    top = box.top
    if panel.title:
        add_text(page, Box(box.left, top, box.width, _TITLE * TYPE), panel.title, TYPE, roles.ink, bold=True)
        top += _TITLE * TYPE
    widths, count = _column_widths(panel, size), len(panel.rows)
    place = Box(box.left, top, sum(widths), _ROW * size * (count + 1))
    shape = page.shapes.add_table(count + 1, len(panel.header), *place.place)
    table = _unstyled(shape, widths, [_ROW * size] * (count + 1))
    for row, cells in enumerate([panel.header, *panel.rows]):
        for column, cell in enumerate(cells):
            colour = roles.of_verdict(cell.verdict) if isinstance(cell, Judged) else roles.ink
            colour = roles.muted if row == 0 else roles.focus if row - 1 == panel.focus else colour
            numeric = not any(isinstance(one[column], str) and one[column] for one in panel.rows)
            side = PP_ALIGN.RIGHT if numeric else PP_ALIGN.LEFT
            _fill_cell(table.cell(row, column), table_text(cell), colour, side, size, bold=row - 1 in panel.sums)
    return shape


def _column_widths(panel: Table, size: float) -> list[float]:
    columns = zip(*([panel.header, *panel.rows]), strict=True)
    measure = measured(size, bold=True)
    return [max(measure(visible(table_text(cell))[:200]) for cell in column) + _BETWEEN for column in columns]


def _unstyled(shape: Any, widths: Sequence[float], heights: Sequence[float]) -> Any:
    """The shape's table in these sizes, without PowerPoint's table style."""
    table = shape.table
    table.first_row = table.horz_banding = False
    table._tbl.tblPr.find("{*}tableStyleId").text = _NO_STYLE
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Pt(width)
    for row, height in zip(table.rows, heights, strict=True):
        row.height = Pt(height)
    return table


def _fill_cell(cell: Any, text: str, colour: str, side: PP_ALIGN, size: float, *, bold: bool) -> None:
    cell.margin_left = cell.margin_right = Pt(4)
    cell.margin_top = cell.margin_bottom = Pt(0)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    cell.fill.background()
    paragraph = cell.text_frame.paragraphs[0]
    paragraph.alignment = side
    add_run(paragraph, text, size, colour, bold)
