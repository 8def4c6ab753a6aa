"""Fonts on the screen: how large type is, and how long and how high a text is in it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF

from posenc_gui.foundation.theme import BODY, CAPTION, Type
from posenc_gui.render.layout.text_fit import Measure, visible

LABEL_ROOM = 110.0  # pixels, the longest that a token's label gets
_ANY_ROOM = 1e6
_LONGEST = 256  # characters that are measured: no line shows more


def font_of(size: Type, *, bold: bool = False) -> QFont:
    """The application's font, which is that of the body, in another size and weight."""
    font = QFont()
    font.setPixelSize(round(QFontInfo(font).pixelSize() * size.size / BODY.size))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def caption() -> QFont:
    """The font of axes, names of curves and marks, and of what is said beside the pointer."""
    return font_of(CAPTION)


def measured(font: QFont | None = None) -> Measure:
    """How long a text is when drawn in a font, or in that of the application, in pixels."""
    metrics = QFontMetricsF(font or QFont())
    return lambda text: metrics.horizontalAdvance(visible(text[:_LONGEST]))


def line_height(texts: Iterable[str] = (), font: QFont | None = None) -> float:
    """How high a line is that holds any of these texts, in pixels.

    Letters that the font doesn't have come from others, and those may be higher.
    """
    metrics, letters = QFontMetricsF(font or QFont()), "".join(sorted(set().union(*texts)))
    room = QRectF(0, 0, _ANY_ROOM, _ANY_ROOM)
    return max(metrics.height(), metrics.boundingRect(room, Qt.TextFlag.TextSingleLine, letters).height())
