"""Help: keys and mouse, glossary, measures, and About."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QWidget

from posenc_gui import __version__
from posenc_gui.app.state.action import Action
from posenc_gui.app.widgets.controls import plain_label, scrolling_column
from posenc_gui.app.widgets.dialogs import Page, PassingDialog
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.window.keys_page import KeysPage
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import PADDING

_ABOUT = (
    f"Positional encodings, an explorer. Version {__version__}.\n\n"
    "Unless you open a trained model, attention and all that follows from it come from a toy model with seeded weights: it "
    "shows what an encoding does, not what a trained model has learned.\n\n"
    "Built with Qt for Python (LGPL 3), pyqtgraph, PyTorch and Matplotlib."
)
_SIZE = 720, 520  # pixels


class Help:
    """Opens help in windows of their own."""

    def __init__(self, window: QWidget, actions: Callable[[], Iterable[Action]]) -> None:
        self._window, self._actions = window, actions

    def show_keys(self) -> None:
        """Show all shortcuts, and how to use the mouse."""
        KeysPage(self._actions(), self._window).show()

    def show_measures(self) -> None:
        """Show each measure, and the definitions of the requirements."""
        from posenc_gui.measures import measures
        from posenc_gui.measures.base import SIGNATURE
        from posenc_gui.measures.requirements import definitions

        required = {
            one.title: f"{one.definition}\n\nA requirement that is not defined is not met."
            for one in definitions().values()
        }
        asked = {one.title: one.summary for one in measures().values()}
        Pages("Measures and requirements", required | {"Signatures": SIGNATURE} | asked, self._window).show()

    def show_glossary(self) -> None:
        """Show the terms of the field with their definitions."""
        Pages("Glossary", GLOSSARY, self._window).show()

    def show_about(self) -> None:
        """Show the version and the libraries used."""
        Page("About", _ABOUT, self._window).show()


class Pages(PassingDialog):
    """A list of titles beside the text of the selected one, in a non-modal window."""

    def __init__(self, title: str, entries: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(title, parent)
        titles = QListWidget()
        titles.setAccessibleName(title)
        titles.addItems(list(entries))
        area, column = scrolling_column("Definition")
        heading, text = plain_label("", "cardTitle"), plain_label()
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(heading)
        column.addWidget(text)
        column.addStretch(1)
        line = QHBoxLayout()
        line.setSpacing(scaled(PADDING))
        line.addWidget(titles, 2)
        line.addWidget(area, 3)
        self.body.addLayout(line, 1)
        self.fit(*_SIZE)

        def show(name: str) -> None:
            heading.setText(name)
            text.setText(entries[name])
            titles.setAccessibleDescription(entries[name])  # heard without leaving the list

        titles.currentTextChanged.connect(show)
        titles.setCurrentRow(0)
