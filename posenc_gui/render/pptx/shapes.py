"""What is put on a slide: text, tables, pictures, and their colours."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from lxml import etree
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml.ns import qn
from pptx.util import Pt

from posenc_gui.foundation.contrast import mixed, parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.drawings.tables import BAND, ink_of
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.set_table import SetTable
from posenc_gui.render.layout.text_fit import split_signs, visible
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import size_of

SMALL, TYPE = 12.0, 18.0  # points
MARGIN, GAP = 36.0, 12.0  # points
_SIGN, _NO_BREAK = 0.8, "\N{NO-BREAK SPACE}"
_LONGEST_ALT_TEXT = 4000  # characters
_SVG = "http://schemas.microsoft.com/office/drawing/2016/SVG/main"
_SVG_USE = "{96DAC541-7B7A-43D3-8B79-37D633B846F1}"  # the extension by which Office finds the SVG of a picture
_NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # PowerPoint's table style without colours and lines
_RULE = 0.8  # points


def in_points(rect: Rect) -> tuple[Any, Any, Any, Any]:
    """Left, top, width and height as python-pptx takes them, of a rectangle in points from a slide's upper left corner."""
    return Pt(rect.left), Pt(rect.top), Pt(rect.width), Pt(rect.height)


def add_text(page: Any, box: Rect, text: str, size: float, colour: str, bold: bool = False) -> Any:
    """Add a text box; return its text frame."""
    frame = page.shapes.add_textbox(*in_points(box)).text_frame
    strip_margins(frame)
    if text:
        add_run(frame.paragraphs[0], text, size, colour, bold)
    return frame


def add_title(page: Any, box: Rect, title: str, size: float, roles: Roles) -> None:
    """Write the title of a chart or of a table where drawings have it, and as they do."""
    add_signed_run(add_text(page, box, "", size, roles.ink).paragraphs[0], title, size, roles, bold=True)


def add_run(paragraph: Any, text: str, size: float, colour: str, bold: bool = False) -> None:
    run = paragraph.add_run()
    run.text = visible(text)
    run.font.size, run.font.bold, run.font.color.rgb = Pt(size), bold, pptx_colour(colour)


def add_signed_run(paragraph: Any, text: str, size: float, roles: Roles, bold: bool = False) -> None:
    """Add a text in which the signs of compared encodings stand on grounds of their own."""
    for number, (part, is_sign) in enumerate(split_signs(text)):
        if not is_sign:
            add_run(paragraph, part, size, roles.ink, bold)
            continue
        ground, ink = (roles.ref, roles.ink) if part == "A" else (roles.ink, roles.card)
        add_run(paragraph, " " * bool(number), size, roles.ink)
        add_run(paragraph, f"{_NO_BREAK}{part}{_NO_BREAK}", _SIGN * size, ink, bold=True)
        own = paragraph.runs[-1].font._element
        own.find(qn("a:solidFill")).addnext(highlight := etree.Element(qn("a:highlight")))
        etree.SubElement(highlight, qn("a:srgbClr"), val=str(pptx_colour(ground)))
        add_run(paragraph, " ", size, roles.ink)


def strip_margins(frame: Any) -> None:
    """Wrap a frame's text from its upper left corner, without margins."""
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    frame.vertical_anchor = MSO_ANCHOR.TOP


def pptx_colour(colour: str) -> RGBColor:
    return RGBColor(*parts_of(colour))


def set_alt_text(shape: Any, name: str, description: str) -> None:
    """Set the title and the description that screen readers read."""
    own = shape._element.xpath(".//p:cNvPr")[0]
    own.set("descr", shorten_middle(visible(description), _LONGEST_ALT_TEXT))
    own.set("title", shorten_middle(visible(name), 200))


def add_picture(page: Any, png: bytes, svg: bytes, box: Rect) -> Any:
    """Add a picture as PNG, and as SVG for programs that show it; return its shape. python-pptx has no call for the SVG."""
    shape = page.shapes.add_picture(io.BytesIO(png), *in_points(box))
    name = PackURI(f"/ppt/media/drawing{page.part.partname.idx}_{shape.shape_id}.svg")
    related = page.part.relate_to(Part(name, "image/svg+xml", page.part.package, svg), RELATIONSHIP_TYPE.IMAGE)
    extensions = etree.SubElement(shape._element.blipFill.find("{*}blip"), qn("a:extLst"))
    use = etree.SubElement(extensions, qn("a:ext"), uri=_SVG_USE)
    etree.SubElement(use, f"{{{_SVG}}}svgBlip", nsmap={"asvg": _SVG}).set(qn("r:embed"), related)
    return shape


def add_table(grid: SetTable, page: Any, box: Rect, roles: Roles, zoom: float) -> Any:
    """Add a table as it is set in units of `zoom` points; return its shape."""
    panel, height = grid.panel, grid.title_height * zoom
    of_note = measured(SMALL)(grid.note) + GAP if grid.note else 0.0
    if panel.drawn_title:
        of_title = Rect.down_from(box.left, box.top, box.width - of_note, height)
        add_title(page, of_title, panel.drawn_title, size_of(grid.title) * zoom, roles)
    if grid.note:
        right = Rect.down_from(box.left + box.width - of_note, box.top, of_note, height)
        add_text(page, right, grid.note, SMALL, roles.muted).paragraphs[0].alignment = PP_ALIGN.RIGHT
    gap, size = grid.type.between * zoom, size_of(grid.type.face) * zoom
    widths = [width * zoom + gap for width in grid.widths]
    heights = [one * zoom for one in grid.heights]
    # Half a gap stands at each side of a column: at its free side, as room for a font that is a little broader.
    place = Rect.down_from(box.left - gap / 2, box.top + height, sum(widths), sum(heights))
    shape = page.shapes.add_table(len(heights), len(widths), *in_points(place))
    table = _unstyled(shape, widths, heights)
    for row, index in enumerate((None, *grid.rows)):
        marked, is_sum = index is not None and index == panel.focus, index in panel.sums
        for at, column in enumerate(grid.columns):
            own = table.cell(row, at)
            numeric, dotted = panel.is_numeric(column), panel.is_dotted(column)
            own.margin_left, own.margin_right = (Pt(0), Pt(gap / 2)) if numeric else (Pt(gap / 2), Pt(0))
            if dotted:
                own.margin_right = own.margin_left
            own.margin_top, own.margin_bottom = Pt(grid.type.air * zoom / 2), Pt(0)
            own.vertical_anchor = MSO_ANCHOR.TOP
            _fill(own, mixed(roles.focus, roles.card, BAND) if marked else "")
            paragraph = own.text_frame.paragraphs[0]
            paragraph.alignment = PP_ALIGN.CENTER if dotted else PP_ALIGN.RIGHT if numeric else PP_ALIGN.LEFT
            colour = roles.muted if index is None else ink_of(panel.rows[index][column], roles, marked)
            text = panel.heading(column) if index is None else panel.text(index, column)
            add_run(paragraph, text, size, colour, bold=is_sum)
            if index is None:
                _rule(own, "lnB", roles.muted)
            elif is_sum or panel.begins_group(index):
                _rule(own, "lnT", roles.ink if is_sum else roles.line)
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
