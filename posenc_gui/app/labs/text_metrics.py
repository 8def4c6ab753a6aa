"""The metrics of the window's text, to which the formulas in a lab's prose are matched."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import BODY
from posenc_gui.labs.text.lab_markdown import Letters


def text_metrics_of(widget: QWidget) -> Letters:
    """Return the metrics on a widget's screen."""
    font = QFontMetrics(QApplication.font())
    return Letters.of(scaled(BODY.size), font.ascent(), font.xHeight(), widget.devicePixelRatioF())
