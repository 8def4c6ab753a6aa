"""Short tables, and heatmaps whose numbers can be read in their cells, as native PowerPoint tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Pt

from posenc_gui.figure.panels import Heatmap, Judged, Table, table_text
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.contrast import ink_on, parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import shades
from posenc_gui.render.layout.heatmap_cells import cell_texts
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.pptx.shapes import TYPE, Box, add_run, add_text, pptx_colour

_MOST_CELLS = 12  # along a side of a heatmap that can still be edited by hand
_ROW, _LOW_ROW = 30.0, 24.0  # points: the least height of a table's row, and of a heatmap's
_WIDEST_CELL = 110.0  # points


def heatmap_fits(panel: Heatmap, room: Box) -> bool:
    """True where the numbers of a heatmap can be read in their cells."""
    rows, columns = panel.values.shape
    if max(rows, columns) > _MOST_CELLS:
        return False
    return bool(_heatmap_width(panel, brief=True) <= room.width and 2 * _ROW + rows * _LOW_ROW <= room.height)


def table_fits(panel: Table, room: Box) -> bool:
    """True where a table has room for all its rows and columns."""
    return native_width(panel) <= room.width and native_height(panel) <= room.height


def native_width(panel: Table) -> float:
    return sum(_column_widths(panel))


def native_height(panel: Table) -> float:
    return (len(panel.rows) + 2) * _ROW


def add_heatmap(panel: Heatmap, page: Any, box: Box, roles: Roles, titled: bool) -> Any:
    """Add a heatmap as a table of coloured cells; return its shape."""
    rows, columns = panel.values.shape
    names, heads = _labels(panel)
    left = max(map(measured(TYPE), names)) + 12
    side = min((box.width - left) / columns, _WIDEST_CELL)
    high = min((box.height - _ROW * (2 if titled else 1)) / rows, side)
    top = box.top
    if titled:
        title = Box(box.left + left, top, box.width - left, _ROW)
        add_text(page, title, panel.title, TYPE, roles.ink, bold=True)
        top += _ROW
    place = Box(box.left, top, left + side * columns, _ROW + high * rows)
    shape = page.shapes.add_table(rows + 1, columns + 1, *place.place)
    table = _unstyled(shape, [left, *[side] * columns], [_ROW, *[max(high, _LOW_ROW)] * rows])
    _label_cells(table, panel, names, heads, roles)
    _colour_cells(table, panel, roles, brief=_heatmap_width(panel, brief=False) > box.width)
    return shape


def _label_cells(table: Any, panel: Heatmap, names: Sequence[str], heads: Sequence[str], roles: Roles) -> None:
    """Write labels before the rows and above the columns; focus and twins have their colours."""
    for axis, labels, is_column in ((panel.columns, heads, True), (panel.rows, names, False)):
        for index, label in enumerate(labels):
            cell = table.cell(0, index + 1) if is_column else table.cell(index + 1, 0)
            coordinate = index + axis.first
            colour = roles.twin if coordinate in axis.twins else roles.ink
            colour = roles.focus if coordinate == axis.focus else colour
            _fill_cell(cell, label, colour, PP_ALIGN.CENTER if is_column else PP_ALIGN.RIGHT)


def _colour_cells(table: Any, panel: Heatmap, roles: Roles, *, brief: bool) -> None:
    """Colour each cell by its value, and write the value in it; masked cells stay empty."""
    found = shares(panel.values, panel.low, panel.high, panel.log)
    colours, texts = shades(panel.scale, found, roles), cell_texts(panel)
    for row, column in np.ndindex(*panel.values.shape):
        cell, masked = table.cell(row + 1, column + 1), panel.is_masked(row, column)
        colour = roles.sunk if masked else "#" + bytes(colours[row, column].tolist()).hex()
        text = texts[row][column].brief if brief else texts[row][column].whole
        _fill_cell(cell, "" if masked else text, ink_on(*parts_of(colour)), PP_ALIGN.CENTER, colour)


def add_table(panel: Table, page: Any, box: Box, roles: Roles, titled: bool) -> Any:
    """Add a table; return its shape."""
    top = box.top
    if titled and panel.title:
        add_text(page, Box(box.left, top, box.width, _ROW), panel.title, TYPE, roles.ink, bold=True)
        top += _ROW
    widths, count = _column_widths(panel), len(panel.rows)
    place = Box(box.left, top, sum(widths), _ROW * (count + 1))
    shape = page.shapes.add_table(count + 1, len(panel.header), *place.place)
    table = _unstyled(shape, widths, [_ROW] * (count + 1))
    for row, cells in enumerate([panel.header, *panel.rows]):
        for column, cell in enumerate(cells):
            colour = roles.of_verdict(cell.verdict) if isinstance(cell, Judged) else roles.ink
            colour = roles.muted if row == 0 else roles.focus if row - 1 == panel.focus else colour
            numeric = not any(isinstance(one[column], str) and one[column] for one in panel.rows)
            side = PP_ALIGN.RIGHT if numeric else PP_ALIGN.LEFT
            _fill_cell(table.cell(row, column), table_text(cell), colour, side, bold=row - 1 in panel.sums)
    return shape


def _heatmap_width(panel: Heatmap, *, brief: bool) -> float:
    """The width that a heatmap's labels and numbers need."""
    names, heads = _labels(panel)
    numbers = (one.brief if brief else one.whole for row in cell_texts(panel) for one in row)
    widest = max(map(measured(TYPE), (*heads, *numbers)))
    return max(map(measured(TYPE), names)) + 12 + len(heads) * (widest + 8)


def _labels(panel: Heatmap) -> tuple[list[str], list[str]]:
    """The labels of rows and columns; where an axis has none, its coordinates."""
    found = []
    for axis, count in zip((panel.rows, panel.columns), panel.values.shape, strict=True):
        numbers = (str(coordinate).replace("-", "−") for coordinate in range(axis.first, axis.first + count))
        found.append([visible(word) for word in (axis.labels or numbers)])
    return found[0], found[1]


def _column_widths(panel: Table) -> list[float]:
    columns = zip(*([panel.header, *panel.rows]), strict=True)
    return [
        max(measured(TYPE, bold=True)(visible(table_text(cell))[:200]) for cell in column) + 20 for column in columns
    ]


def _unstyled(shape: Any, widths: Sequence[float], heights: Sequence[float]) -> Any:
    """The shape's table in these sizes, without PowerPoint's banding and header style."""
    table = shape.table
    table.first_row = table.horz_banding = False
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Pt(width)
    for row, height in zip(table.rows, heights, strict=True):
        row.height = Pt(height)
    return table


def _fill_cell(cell: Any, text: str, colour: str, side: PP_ALIGN, ground: str = "", bold: bool = False) -> None:
    """Write a cell's text and fill its background, which is transparent where `ground` is empty."""
    cell.margin_left = cell.margin_right = Pt(4)
    cell.margin_top = cell.margin_bottom = Pt(0)
    cell.vertical_anchor = MSO_ANCHOR.MIDDLE
    if ground:
        cell.fill.solid()
        cell.fill.fore_color.rgb = pptx_colour(ground)
    else:
        cell.fill.background()
    paragraph = cell.text_frame.paragraphs[0]
    paragraph.alignment = side
    add_run(paragraph, text, TYPE, colour, bold)
