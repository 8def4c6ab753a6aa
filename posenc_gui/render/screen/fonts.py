"""Fonts on the screen: how long and how high a text is in them."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetricsF

from posenc_gui.render.words import Measure, visible

LABEL_ROOM = 110.0  # pixels, the longest that a token's label gets
_LONGEST = 256  # characters that are measured: no line shows more


def measured(font: QFont | None = None) -> Measure:
    """How long a text is when drawn in a font, or in that of the application, in pixels."""
    metrics = QFontMetricsF(font or QFont())
    return lambda text: metrics.horizontalAdvance(visible(text[:_LONGEST]))


def line_height(font: QFont | None = None) -> float:
    """The height of a line of text, in pixels."""
    return QFontMetricsF(font or QFont()).height()
