"""Questions that lead on from a first picture, a line for each with its answer in brief."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal

from posenc_gui.app.widgets.link_rows import LinkRows


class Questions(LinkRows):
    """Rows by the names of questions, each with its words; at its right it says the answer in brief."""

    chosen = Signal(str)  # the name of a question

    def __init__(self, questions: Mapping[str, str]) -> None:
        super().__init__()
        self.setObjectName("questions")
        self.rows = {name: self.add(words, partial(self.chosen.emit, name)) for name, words in questions.items()}
