"""Tables as native PowerPoint tables, set like those on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml import etree
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.util import Pt

from posenc_gui.figure.panels import table_text
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE
from posenc_gui.render.paper.table_grid import TableGrid
from posenc_gui.render.paper.tables import ink_of
from posenc_gui.render.pptx.shapes import GAP, SMALL, add_run, add_text, add_title, in_points, pptx_colour

_NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # PowerPoint's table style without colours and lines
_BAND = 0.1  # of the focus's colour behind its row
_RULE = 0.8  # points


def add_table(grid: TableGrid, page: Any, box: Rect, roles: Roles, zoom: float) -> Any:
    """Add a table as it is set in units of `zoom` points; return its shape."""
    panel, height = grid.panel, grid.title_height * zoom
    of_note = measured(SMALL)(grid.note) + GAP if grid.note else 0.0
    if panel.title:
        of_title = Rect.down_from(box.left, box.top, box.width - of_note, height)
        add_title(page, of_title, panel.title, grid.title * zoom, roles)
    if grid.note:
        right = Rect.down_from(box.left + box.width - of_note, box.top, of_note, height)
        add_text(page, right, grid.note, SMALL, roles.muted).paragraphs[0].alignment = PP_ALIGN.RIGHT
    gap, pitch = grid.setting.between * zoom, grid.setting.pitch * zoom
    widths = [width * zoom + gap for width in grid.widths]
    heights = [one * zoom for one in grid.heights]
    # Half a gap stands at each side of a column: at its free side, as room for a font that is a little broader.
    place = Rect.down_from(box.left - gap / 2, box.top + height, sum(widths), sum(heights))
    shape = page.shapes.add_table(len(heights), len(widths), *in_points(place))
    table = _unstyled(shape, widths, heights)
    above = (pitch - grid.setting.size * LINE * zoom) / 2
    for row, index in enumerate((None, *grid.rows)):
        cells = panel.header if index is None else panel.rows[index]
        for column, cell in enumerate(cells):
            marked, is_sum = index is not None and index == panel.focus, index is not None and grid.is_sum(index)
            own = table.cell(row, column)
            numeric = panel.is_numeric(column)
            own.margin_left, own.margin_right = (Pt(0), Pt(gap / 2)) if numeric else (Pt(gap / 2), Pt(0))
            own.margin_top, own.margin_bottom = Pt(above), Pt(0)
            own.vertical_anchor = MSO_ANCHOR.TOP
            _fill(own, mixed(roles.focus, roles.card, _BAND) if marked else "")
            paragraph = own.text_frame.paragraphs[0]
            paragraph.alignment = PP_ALIGN.RIGHT if numeric else PP_ALIGN.LEFT
            colour = roles.muted if index is None else ink_of(cell, roles, marked)
            add_run(paragraph, table_text(cell), grid.setting.size * zoom, colour, bold=is_sum)
            if index is None:
                _rule(own, "lnB", roles.muted)
            elif is_sum:
                _rule(own, "lnT", roles.ink)
    return shape


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


def _fill(cell: Any, colour: str) -> None:
    if not colour:
        cell.fill.background()
        return
    cell.fill.solid()
    cell.fill.fore_color.rgb = pptx_colour(colour)


def _rule(cell: Any, side: str, colour: str) -> None:
    """Draw a line along one side of a cell; python-pptx has no call for that."""
    line = etree.Element(qn(f"a:{side}"), w=str(Pt(_RULE)))
    fill = etree.SubElement(line, qn("a:solidFill"))
    etree.SubElement(fill, qn("a:srgbClr"), val=str(pptx_colour(colour)))
    cell._tc.get_or_add_tcPr().insert(0, line)  # lines stand before the fill
