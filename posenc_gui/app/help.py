"""Help: keys and mouse, the measures, and what this is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMessageBox, QWidget

from posenc_gui import __version__
from posenc_gui.app.actions import Action

_MOUSE = (
    "Tab goes from control to control; in the tokens, arrow keys choose one and, with Alt, move it; so does dragging.\n"
    "In a plot, arrow keys move the crosshair, Enter puts the token under it in focus, Escape takes it away.\n"
    "Drag moves a plot, the wheel zooms, a double click shows everything again.\n"
    "A click on a map or a curve puts that token in focus everywhere.\n"
    "Drag a card by its title to move or float it; Plots and View ▸ Panels bring closed cards back."
)
_ABOUT = (
    f"Positional encodings, an explorer. Version {__version__}.\n\n"
    "Every number is computed here, by a toy model with seeded weights: it shows what an encoding does, "
    "not what a trained model has learned.\n\n"
    "Made with Qt for Python (LGPL 3), pyqtgraph, PyTorch and Matplotlib."
)


class Help:
    """Opens pages of help beside the work."""

    def __init__(self, window: QWidget, actions: Callable[[], Iterable[Action]]) -> None:
        self._window, self._actions = window, actions

    def show_keys(self) -> None:
        """The keys of all actions, and what the mouse does."""
        self._inform("Keys and mouse", f"{keys_of(self._actions())}\n\n{_MOUSE}")

    def show_measures(self) -> None:
        """What is measured of an encoding, and when it meets a requirement."""
        from posenc_gui.measures import measures
        from posenc_gui.measures.base import SIGNATURE
        from posenc_gui.measures.requirements import definitions

        asked = "\n".join(f"{one.title}: {one.summary}" for one in measures().values())
        required = "\n\n".join(f"{one.title}. {one.definition}" for one in definitions().values())
        text = f"MEASURES\n{asked}\n\nTHE SIX REQUIREMENTS\n{SIGNATURE}\n\n{required}\n\nWhat isn't defined isn't met."
        self._inform("Measures and requirements", text)

    def show_about(self) -> None:
        """What this is, and what it is made with."""
        self._inform("About", _ABOUT)

    def _inform(self, title: str, text: str) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, QMessageBox.StandardButton.Close, self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.open()


def keys_of(actions: Iterable[Action]) -> str:
    """The actions that have keys, a line each."""
    keyed = (
        (one.words, keys.toString(QKeySequence.SequenceFormat.NativeText))
        for one in actions
        for keys in one.shortcuts[:1]
    )
    return "\n".join(f"{keys}: {words}" for words, keys in keyed if keys)
