"""Boxes, text and colours on a slide, shared by everything that is put on one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR
from pptx.util import Pt

from posenc_gui.foundation.contrast import parts_of
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.layout.text_fit import visible

SMALL, TYPE = 12.0, 18.0  # points
MARGIN, GAP = 36.0, 12.0  # points
_LONGEST_ALT_TEXT = 4000  # characters


@dataclass(frozen=True)
class Box:
    """A rectangle on a slide, in points from its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def place(self) -> tuple[Any, Any, Any, Any]:
        """Left, top, width and height as python-pptx takes them."""
        return Pt(self.left), Pt(self.top), Pt(self.width), Pt(self.height)


def add_text(page: Any, box: Box, text: str, size: float, colour: str, bold: bool = False) -> Any:
    """Add a text box; return its text frame."""
    frame = page.shapes.add_textbox(*box.place).text_frame
    strip_margins(frame)
    if text:
        add_run(frame.paragraphs[0], text, size, colour, bold)
    return frame


def add_run(paragraph: Any, text: str, size: float, colour: str, bold: bool = False) -> None:
    run = paragraph.add_run()
    run.text = visible(text)
    run.font.size, run.font.bold, run.font.color.rgb = Pt(size), bold, pptx_colour(colour)


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
