"""Help: keys and mouse, the words of the field, the measures, and what this is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QListWidget, QMessageBox, QVBoxLayout, QWidget

from posenc_gui import __version__
from posenc_gui.app.state.action import Action
from posenc_gui.app.widgets.controls import plain, scrolling
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.glossary import GLOSSARY

_FRAME = QSize(40, 80)  # pixels that the desktop takes around a window, or a little more

_MOUSE = (
    "Tab goes from control to control; in the tokens, arrow keys choose one and, with Alt, move it; so does dragging.\n"
    "In a plot, arrow keys move the crosshair, Enter puts the token under it in focus, Escape takes it away.\n"
    "Drag moves a plot, the wheel zooms, a double click shows everything again. Over fields the wheel only scrolls.\n"
    "Where pictures are out of sight in a card, the wheel scrolls to them, as Page Up and Down do; with Ctrl it zooms.\n"
    "In a map + and - zoom, too, Shift with arrow keys moves it, 0 shows everything. Of a long text a map shows blocks of "
    "tokens: press one to see its tokens.\n"
    "A click on a map or a curve puts that token in focus everywhere.\n"
    "In Present, arrow keys, Page Up and Down, Space or a presenter's clicker step through bookmarks; B adds one, N hides "
    "the note, Escape ends.\n"
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
        window = Page("Keys and mouse", f"{keys_of(self._actions())}\n\n{_MOUSE}", self._window)
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        window.show()

    def show_measures(self) -> None:
        """What is measured of an encoding, and when it meets a requirement."""
        from posenc_gui.measures import measures
        from posenc_gui.measures.base import SIGNATURE
        from posenc_gui.measures.requirements import definitions

        required = {one.title: f"{one.definition}\n\nWhat isn't defined isn't met." for one in definitions().values()}
        asked = {one.title: one.summary for one in measures().values()}
        self._list("Measures and requirements", required | {"Signatures": SIGNATURE} | asked)

    def show_glossary(self) -> None:
        """The words of the field as they are meant here."""
        self._list("Glossary", GLOSSARY)

    def show_about(self) -> None:
        """What this is, and what it is made with."""
        self._inform("About", _ABOUT)

    def _list(self, title: str, entries: Mapping[str, str]) -> None:
        window = Pages(title, entries, self._window)
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        window.show()

    def _inform(self, title: str, text: str) -> None:
        box = QMessageBox(QMessageBox.Icon.NoIcon, title, text, QMessageBox.StandardButton.Close, self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.open()


class Page(QDialog):
    """A text that is scrolled where the screen is low, and a button that closes it; the window stays usable."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        area, column = scrolling(title)
        for line in text.split("\n"):
            column.addWidget(plain(line))
        column.addStretch(1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        outer = QVBoxLayout(self)
        outer.addWidget(area, 1)
        outer.addWidget(buttons)
        self.resize(QSize(scaled(560), scaled(640)).boundedTo(self.screen().availableSize() - _FRAME))


class Pages(QDialog):
    """A list of titles, and beside it what is to be read under the one that is chosen; the window stays usable."""

    def __init__(self, title: str, entries: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(640, 400)
        titles = QListWidget()
        titles.setAccessibleName(title)
        titles.addItems(list(entries))
        area, column = scrolling("What it means")
        heading, text = plain("", "cardTitle"), plain()
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


def keys_of(actions: Iterable[Action]) -> str:
    """The actions that have keys, a line each."""
    keyed = (
        (one.words, keys.toString(QKeySequence.SequenceFormat.NativeText))
        for one in actions
        for keys in one.shortcuts[:1]
    )
    return "\n".join(f"{keys}: {words}" for words, keys in keyed if keys)
