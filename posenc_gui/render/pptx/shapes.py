"""Boxes, text and colours on a slide, shared by everything that is put on one."""

from __future__ import annotations

from typing import Any

from lxml import etree
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR
from pptx.oxml.ns import qn
from pptx.util import Pt

from posenc_gui.foundation.contrast import parts_of
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.layout.badges import split_signs
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible

SMALL, TYPE = 12.0, 18.0  # points
MARGIN, GAP = 36.0, 12.0  # points
_SIGN, _NO_BREAK = 0.8, "\N{NO-BREAK SPACE}"
_LONGEST_ALT_TEXT = 4000  # characters


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
