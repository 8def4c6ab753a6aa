"""The window with words of any length: nothing that Qt would have to measure is longer than can be read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QLabel, QTableView, QWidget

from posenc_gui.app.panels.text_edit import MOST_EDITED
from posenc_gui.foundation.unicode_text import LONGEST

pytestmark = pytest.mark.one_window

LONGEST_READ = 2000  # characters of a sentence, a tip, or what is read to those who can't see
WORDS = {
    "letters": "abcdefghij" * (MOST_EDITED // 10),
    "marks": "e" + "\u0301" * (MOST_EDITED - 1),
    "emoji": "👩\u200d" * (MOST_EDITED // 2),
    "Arabic": " ".join(["سلام" * (MOST_EDITED // 16)] * 3),
}
CARDS = ("attention", "row", "twins", "why")


def shown_in(window) -> list[str]:
    """What the window's labels, lists, menus, tips and cells hold, and what is said of them."""
    words: list[str] = [window.windowTitle()]
    for widget in window.findChildren(QWidget):
        words += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription()]
        if isinstance(widget, QLabel):
            words.append(widget.text())
        if isinstance(widget, QComboBox):
            words += [widget.itemText(index) for index in range(widget.count())]
        if isinstance(widget, QAbstractItemView) and widget.model():
            words += cells_of(widget)
    return words + [action.text() for action in window.findChildren(QAction)]


def cells_of(view: QAbstractItemView) -> list[str]:
    model = view.model()
    columns = model.columnCount() if isinstance(view, QTableView) else 1
    indices = (model.index(row, column) for row in range(model.rowCount()) for column in range(columns))
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
    return [str(index.data(role) or "") for index in indices for role in roles]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORDS)
def test_what_the_window_shows_of_a_long_word_is_short(window, user, name: str) -> None:
    tokens, width = window.workbench.tokens, window.width()
    user.pastes(window, WORDS[name])
    for card in CARDS:
        window.cards[f"plot.{card}"].bring()
        user.settle(window)
    assert tokens.text_edit.toPlainText() == window.workbench.store.session.text == WORDS[name]
    assert max(map(len, tokens.chips.model().stringList())) <= LONGEST
    assert max(map(len, shown_in(window))) <= LONGEST_READ
    assert window.width() == width
    window.workbench.store.undo()
    user.settle(window)
    assert tokens.text_edit.toPlainText() == window.workbench.store.session.text != WORDS[name]


def test_a_path_of_any_length_is_shown_cut(window, user) -> None:
    path = f"/no/{'x' * 2000}/{'y' * 2000}.json"
    width = window.width()
    window.workbench.store.propose(tokenizer=path)
    user.settle(window)
    assert max(map(len, shown_in(window))) <= LONGEST_READ
    assert window.width() == width
    window.messages.say(f"{path} can't be read.")
    assert max(map(len, shown_in(window))) <= LONGEST_READ
    assert window.workbench.store.session.tokenizer == path
