"""Export options, declared once: the dialog's form, the command line's flags and the remembered choices follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.theme import DARK, LIGHT, MONO, Roles
from posenc_gui.text import tokenization

Preset = Literal["slide", "slide_4_3", "paper", "column", "handout"]

_MM = 72 / 25.4  # points
_SCREEN = 96  # dots per inch at 1×
_SIZE = re.compile(r"(?:(\d{1,2}(?:\.\d+)?)x|(\d{1,5})px|(\d{1,3}(?:\.\d+)?)cm(?:@(\d{1,4})dpi)?)")
_MOST_PIXELS = 16_384  # across
_DPI = 300  # default resolution for a width given in centimetres
_FEW_FRAMES = 16  # up to this many frames are shown slowly, one by one; more are played as motion
_SLOW_PACE, _FAST_PACE = 0.9, 0.09  # seconds a frame


@dataclass(frozen=True)
class Sheet:
    """The sheet a figure is drawn on, in points: its width, height (None: as high as its content) and margin, and its type.
    `type` is the smallest type, `title` that of titles and of a single figure's labels, `headline` that of the sentence."""

    width: float
    height: float | None
    type: float
    title: float
    headline: float
    margin: float


_SHEETS: dict[Preset, Sheet] = {
    "slide": Sheet(960, 540, 12, 18, 28, 36),
    "slide_4_3": Sheet(720, 540, 12, 18, 28, 36),
    "paper": Sheet(175 * _MM, None, 8, 8.75, 10.75, 16),
    "column": Sheet(85 * _MM, None, 7.5, 8.25, 10, 15),
    "handout": Sheet(170 * _MM, None, 10, 11, 13.5, 20),
}


class ExportOptions(Frozen):
    """The look of an exported figure."""

    preset: Preset = Field(
        "slide",
        title="For",
        description="A slide has a headline of 28 points, titles of 18 and no type below 12; paper has the column widths "
        "of journals; a handout is black and white.",
        json_schema_extra={
            "names": {
                "slide": "Slide, 16:9",
                "slide_4_3": "Slide, 4:3",
                "paper": "Paper, 175 mm",
                "column": "Paper, 85 mm column",
                "handout": "Handout, black and white",
            }
        },
    )
    theme: Literal["light", "dark"] = Field(
        "light",
        title="Background",
        description="Light or dark; a handout is always black on white.",
        json_schema_extra={"names": {"light": "Light", "dark": "Dark"}},
    )
    transparent: bool = Field(
        False, title="Transparent", description="Leave the background out, so that what is below shows through."
    )
    title: str = Field(
        "",
        max_length=300,
        title="Title",
        description="Replaces the plot's title; leave empty to keep it, with the encoding's name.",
    )
    caption: bool = Field(
        False, title="Add caption", description="State the sentence, the encoding and the model in the caption."
    )
    lettering: Literal["outlines", "editable"] = Field(
        "outlines",
        title="Text in SVG",
        description="Outlines look the same everywhere; editable text depends on the fonts of the reader's computer.",
        json_schema_extra={"names": {"outlines": "Outlines", "editable": "Editable text"}},
    )
    size: str = Field(
        "2x",
        title="Picture size",
        description="1x, 2x or 4x; a width in pixels, such as 1920px; or in centimetres, such as 12cm@300dpi.",
    )
    charts: Literal["editable", "drawn"] = Field(
        "editable",
        title="Charts and tables",
        description="Editable charts and tables are drawn by PowerPoint, in its own way; drawn ones are pictures that look "
        "like the preview.",
        json_schema_extra={"names": {"editable": "Editable", "drawn": "Drawn"}},
    )
    title_slide: bool = Field(
        False,
        title="Title slide",
        description="Begin with a slide of the title, what is shown, the sentence and the version; the other slides then keep "
        "their own titles.",
    )
    append: bool = Field(
        False,
        title="Append to deck",
        description="Append the slides to an existing PowerPoint file and keep its own; otherwise the file is replaced.",
    )

    @field_validator("title", mode="before")
    @classmethod
    def _in_a_line(cls, value: object) -> object:
        return " ".join(tokenization.replace_surrogates(value).split()) if isinstance(value, str) else value

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
        """The sheet of the preset."""
        return _SHEETS[self.preset]

    @property
    def is_mono(self) -> bool:
        """True if the figure is drawn in black and greys."""
        return self.preset == "handout"

    @property
    def roles(self) -> Roles:
        """The colour roles."""
        return MONO if self.is_mono else DARK if self.theme == "dark" else LIGHT

    @property
    def dots_per_inch(self) -> float:
        """The pixels of a PNG per inch of the sheet."""
        return _pixels(self._size, self.sheet.width) / (self.sheet.width / 72)

    @property
    def declared_dots_per_inch(self) -> float:
        """The resolution that a PNG's metadata state, from which programs take its size on paper."""
        return float(self._size[4] or _DPI) if self._size[3] else self.dots_per_inch

    @property
    def _size(self) -> re.Match[str]:
        found = _SIZE.fullmatch(self.size)
        assert found  # validated
        return found


def _pixels(size: re.Match[str], width: float) -> float:
    """The pixels across a sheet of this width in points."""
    times, pixels, centimetres, dots = size.groups()
    if times:
        return float(times) * width / 72 * _SCREEN
    return float(pixels) if pixels else float(centimetres) / 2.54 * float(dots or _DPI)


DEFAULT_OPTIONS = ExportOptions()


def seconds_per_frame(count: int) -> float:
    """Return for how many seconds each frame of a film of so many frames is shown."""
    return _SLOW_PACE if count <= _FEW_FRAMES else _FAST_PACE
