"""Fonts on the screen, and the length and height of text in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from posenc_gui.foundation.theme import BODY, CAPTION, Type
from posenc_gui.render.layout.text_fit import Measure, visible
from posenc_gui.render.layout.type_sizes import Face, Style

_LONGEST_LABEL = 110.0  # pixels of normal text; in larger type it has more
_ANY_ROOM = 1e6
_LONGEST = 256  # characters that are measured: no line shows more
_REMEMBERED = 1024  # lengths of text
_FONTS = 16  # fonts and lengths of labels whose style is remembered


@dataclass(frozen=True)
class ScreenFace(Face):
    """One size of type of the application's font."""

    size: Type

    @classmethod
    def of(cls, size: Type, *, bold: bool = False) -> ScreenFace:
        """The type of this size."""
        font = font_of(size, bold=bold)
        return cls(line_height(font=font), measured(font), size)


def font_of(size: Type, *, bold: bool = False) -> QFont:
    """The application's font, which is the body's, in another size and weight."""
    font = QFont()
    font.setPixelSize(round(QFontInfo(font).pixelSize() * size.size / BODY.size))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def caption() -> QFont:
    """The font of axes, of labels of curves and marks, and of the hint beside the pointer."""
    return font_of(CAPTION)


def measured(font: QFont | None = None) -> Measure:
    """A measure of text: its length in pixels in a font, by default the application's. It remembers lengths."""
    metrics = QFontMetricsF(font or QFont())

    @lru_cache(maxsize=_REMEMBERED)
    def length(text: str) -> float:
        return metrics.horizontalAdvance(visible(text))

    return lambda text: length(text[:_LONGEST])


def line_height(texts: Iterable[str] = (), font: QFont | None = None) -> float:
    """The height in pixels of a line that holds any of these texts. Characters that the font lacks come from fallback fonts,
    which may be higher."""
    metrics, letters = QFontMetricsF(font or QFont()), "".join(sorted(set().union(*texts)))
    room = QRectF(0, 0, _ANY_ROOM, _ANY_ROOM)
    return max(metrics.height(), metrics.boundingRect(room, Qt.TextFlag.TextSingleLine, letters).height())


def screen_style() -> Style:
    """The type and the distances of a card, in pixels, in the application's font; labels are as long as in normal text."""
    return _style_in(QFont().key())


@lru_cache(maxsize=_FONTS)
def _style_in(_font: str) -> Style:
    small = Face(line_height(font=caption()), measured(caption()))
    bold = font_of(BODY, bold=True)
    title = Face(line_height(font=bold), measured(bold))
    return Style(
        title=title,
        least_title=title,
        label=Face(line_height(), measured()),
        ends=Face(line_height(), measured()),
        small=small,
        across=20.0,
        down=16.0,
        bar=12.0,
        tick=8.0,
        axis=small.line + 5.0,
        longest=_LONGEST_LABEL * QFontInfo(QFont()).pixelSize() / BODY.size,
    )
