"""Labels: words that go on in the next line, and are never read as HTML unless they were made to be."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


def plain(text: str = "", name: str = "") -> QLabel:
    """A label whose text is shown as it is; `name` is its style's."""
    return _label(text, name, Qt.TextFormat.PlainText)


def rich(name: str = "") -> QLabel:
    """A label for safe HTML, as `posenc_gui.labs.words` makes it."""
    return _label("", name, Qt.TextFormat.RichText)


def _label(text: str, name: str, form: Qt.TextFormat) -> QLabel:
    label = QLabel(text, wordWrap=True)
    label.setObjectName(name)
    label.setTextFormat(form)
    label.setMinimumWidth(1)  # else the longest word would be the least width of a card
    return label
