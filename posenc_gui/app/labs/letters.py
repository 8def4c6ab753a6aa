"""The letters among which a lab's formulas stand in the window."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app.theme import scaled
from posenc_gui.labs.words import Letters
from posenc_gui.look import BODY


def letters_of(widget: QWidget) -> Letters:
    """Those of the window's text, on the screen on which a widget stands."""
    font = QFontMetrics(QApplication.font())
    return Letters.of(scaled(BODY.size), font.ascent(), font.xHeight(), widget.devicePixelRatioF())
