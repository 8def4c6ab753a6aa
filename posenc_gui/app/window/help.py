"""Help: keys and mouse, glossary, measures, and About."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QWidget

from posenc_gui import __version__
from posenc_gui.app.state.action import Action
from posenc_gui.app.widgets.controls import plain_label, scrolling_column
from posenc_gui.app.widgets.passing_dialog import Page, PassingDialog
from posenc_gui.foundation.glossary import GLOSSARY

_MOUSE = (
    "Tab moves between controls. Arrow keys choose a token; with Alt they move it, as dragging does.\n"
    "In a plot, arrow keys move the crosshair, Enter focuses the token under it, Escape removes it.\n"
    "Drag to pan a plot, use the wheel to zoom, double-click to show everything again. Over form fields the wheel only scrolls.\n"
    "If a card has more pictures than fit, the wheel and Page Up and Down scroll to them; Ctrl with the wheel zooms.\n"
    "In a map, + and - zoom as well, Shift with arrow keys pans, 0 shows everything. A map of a long text shows blocks of "
    "tokens: press one to see its tokens.\n"
    "Click a map or a curve to focus that token in all plots.\n"
    "In Present, arrow keys, Page Up and Down, Space or a presenter's clicker step through bookmarks; B blanks the screen, "
    "N hides the note, ? lists all keys, Escape ends.\n"
    "Drag a card by its title to move or float it; Plots and View ▸ Panels bring closed cards back."
)
_ABOUT = (
    f"Positional encodings, an explorer. Version {__version__}.\n\n"
    "Attention and all that follows from it come from a toy model with seeded weights: it shows what an encoding does, "
    "not what a trained model has learned.\n\n"
    "Built with Qt for Python (LGPL 3), pyqtgraph, PyTorch and Matplotlib."
)


class Help:
    """Opens help in windows of their own."""

    def __init__(self, window: QWidget, actions: Callable[[], Iterable[Action]]) -> None:
        self._window, self._actions = window, actions

    def show_keys(self) -> None:
        """Show all shortcuts, and how to use the mouse."""
        Page("Keys and mouse", f"{list_shortcuts(self._actions())}\n\n{_MOUSE}", self._window).show()

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
        self.resize(640, 400)
        titles = QListWidget()
        titles.setAccessibleName(title)
        titles.addItems(list(entries))
        area, column = scrolling_column("Definition")
        heading, text = plain_label("", "cardTitle"), plain_label()
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(heading)
        column.addWidget(text)
        column.addStretch(1)
        line = QHBoxLayout(self)
        line.addWidget(titles, 2)
        line.addWidget(area, 3)

        def show(name: str) -> None:
            heading.setText(name)
            text.setText(entries[name])
            titles.setAccessibleDescription(entries[name])  # heard without leaving the list

        titles.currentTextChanged.connect(show)
        titles.setCurrentRow(0)


def list_shortcuts(actions: Iterable[Action]) -> str:
    """Return the actions with shortcuts, a line each, with the first shortcut."""
    keyed = (
        (one.words, keys.toString(QKeySequence.SequenceFormat.NativeText))
        for one in actions
        for keys in one.shortcuts[:1]
    )
    return "\n".join(f"{keys}: {words}" for words, keys in keyed if keys)
