"""How a figure is saved: declared once, so that a form, flags and a file of habits follow from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.theme import DARK, LIGHT, MONO, Roles
from posenc_gui.text import tokenization as text

Preset = Literal["slide", "slide_4_3", "paper", "column", "handout"]

_MM = 72 / 25.4  # points
_SCREEN = 96  # dots an inch at 1×
_SIZE = re.compile(r"(?:(\d{1,2}(?:\.\d+)?)x|(\d{1,5})px|(\d{1,3}(?:\.\d+)?)cm(?:@(\d{1,4})dpi)?)")
_MOST_PIXELS = 16_384  # across
_DPI = 300  # of a width in centimetres that says nothing of it


@dataclass(frozen=True)
class Sheet:
    """What a figure is drawn on, in points: its width, its height, None where that follows from what is drawn, and the size
    of its smallest type. What stands among other things has no margin of its own."""

    width: float
    height: float | None
    type: float
    has_margin: bool = True


_SHEETS: dict[Preset, Sheet] = {
    "slide": Sheet(960, 540, 18),
    "slide_4_3": Sheet(720, 540, 18),
    "paper": Sheet(175 * _MM, None, 8),
    "column": Sheet(85 * _MM, None, 7.5),
    "handout": Sheet(170 * _MM, None, 10),
}


class Choices(Frozen):
    """How a figure looks in its file."""

    preset: Preset = Field(
        "slide",
        title="For",
        description="A slide has type of 18 points and more, words that stand close along a map 12; paper has a "
        "journal's widths; a hand-out is black and white.",
        json_schema_extra={
            "names": {
                "slide": "Slide, 16:9",
                "slide_4_3": "Slide, 4:3",
                "paper": "Paper, 175 mm",
                "column": "Paper, one column of 85 mm",
                "handout": "Hand-out, black and white",
            }
        },
    )
    theme: Literal["light", "dark"] = Field(
        "light",
        title="Ground",
        description="Light or dark; a hand-out is always black on white.",
        json_schema_extra={"names": {"light": "Light", "dark": "Dark"}},
    )
    transparent: bool = Field(
        False, title="Transparent", description="No ground at all: what lies below shows through."
    )
    title: str = Field(
        "", max_length=300, title="Title", description="A title of your own; empty: the plot's, and the encoding."
    )
    caption: bool = Field(
        False, title="Settings below", description="Say the sentence, the encoding and the model in the caption."
    )
    lettering: Literal["outlines", "editable"] = Field(
        "outlines",
        title="Text in SVG",
        description="Outlines look the same everywhere; editable text is drawn in whatever font the reader has.",
        json_schema_extra={"names": {"outlines": "As outlines", "editable": "To be edited"}},
    )
    size: str = Field(
        "2x",
        title="Size of PNG",
        description="1x, 2x or 4x, a width in pixels as 1920px, or one in centimetres as 12cm@300dpi.",
    )
    append: bool = Field(
        False,
        title="Add to the deck",
        description="Slides go behind those of a PowerPoint file that is there, which stay as they are; else it is replaced.",
    )

    @field_validator("title", mode="before")
    @classmethod
    def _in_a_line(cls, value: object) -> object:
        return " ".join(text.clean(value).split()) if isinstance(value, str) else value

    @field_validator("size")
    @classmethod
    def _must_be_a_size(cls, size: str) -> str:
        found = _SIZE.fullmatch(size)
        if not found or not 16 <= _pixels(found, 960) <= _MOST_PIXELS:
            raise ValueError(
                f"must be 1x, 2x or 4x, a width such as 1920px, or 12cm@300dpi, of 16 to {_MOST_PIXELS:,} pixels"
            )
        return size

    @property
    def sheet(self) -> Sheet:
        """What it is drawn on."""
        return _SHEETS[self.preset]

    @property
    def is_mono(self) -> bool:
        """Whether it is printed in black."""
        return self.preset == "handout"

    @property
    def roles(self) -> Roles:
        """The colours."""
        return MONO if self.is_mono else DARK if self.theme == "dark" else LIGHT

    @property
    def dots_per_inch(self) -> float:
        """How many dots a PNG has on an inch of the sheet."""
        return self._pixels / (self.sheet.width / 72)

    @property
    def said_dots_per_inch(self) -> float:
        """How many dots on an inch a PNG says that it has, from which a program takes how large it is at first."""
        found = _SIZE.fullmatch(self.size)
        assert found
        return float(found[4] or _DPI) if found[3] else self.dots_per_inch

    @property
    def _pixels(self) -> float:
        found = _SIZE.fullmatch(self.size)
        assert found  # as is validated
        return _pixels(found, self.sheet.width)


def _pixels(size: re.Match[str], width: float) -> float:
    """How many pixels a size says that a width in points has."""
    times, pixels, centimetres, dots = size.groups()
    if times:
        return float(times) * width / 72 * _SCREEN
    return float(pixels) if pixels else float(centimetres) / 2.54 * float(dots or _DPI)


DEFAULT = Choices()
