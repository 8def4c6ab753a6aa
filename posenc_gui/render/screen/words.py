"""Words that have little room."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
)

_LABEL_PIXELS = 110.0  # the longest token label


def elided(text: str, font: QFont, room: float = _LABEL_PIXELS) -> str:
    # Measuring a whole pasted page would take a second; no label shows more than its two ends.
    measured = text if len(text) <= 64 else text[:40] + text[-24:]
    return QFontMetricsF(font).elidedText(measured, Qt.TextElideMode.ElideMiddle, room)


def measure_with(metrics: QFontMetricsF) -> Callable[[str], float]:
    return lambda text: metrics.horizontalAdvance(one_line(text[:64]))


def one_line(text: str) -> str:
    """The text with a sign for each character that would break its line."""
    return re.sub(
        r"[\x00-\x1f\x7f-\x9f\u2028\u2029]",
        lambda found: chr(0x2400 + ord(found[0])) if found[0] < " " else "\ufffd",
        text,
    )
