"""The letters among which a lab's formulas stand in the window."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import BODY
from posenc_gui.labs.text.lab_markdown import Letters


def letters_of(widget: QWidget) -> Letters:
    """Those of the window's text, on the screen on which a widget stands."""
    font = QFontMetrics(QApplication.font())
    return Letters.of(scaled(BODY.size), font.ascent(), font.xHeight(), widget.devicePixelRatioF())
