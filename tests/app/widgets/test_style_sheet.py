"""Themes and type: everything that is read stands out from what it is read on, and can be made larger."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from posenc_gui.app.documents.listed_files import HistoryWindow
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.widgets import style_sheet
from posenc_gui.app.widgets.controls import Choices
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.foundation.theme import DARK, LIGHT
from tests.foundation.test_colour_roles import contrast


def drawn_contrast(widget: QWidget) -> float:
    """Between what a widget is drawn on, its most frequent colour, and what stands out most from it."""
    picture = widget.grab().toImage()
    places = ((x, y) for x in range(picture.width()) for y in range(picture.height()))
    colours = Counter(picture.pixelColor(x, y).name() for x, y in places)
    ground = colours.most_common(1)[0][0]
    return max(contrast(ground, colour) for colour in colours)


def turn() -> None:
    """Let all that waits for the event loop happen."""
    for _ in range(20):
        QApplication.processEvents()


def is_icon(widget: QWidget) -> bool:
    """Whether a button's text stands only for those who hear it."""
    alone = Qt.ToolButtonStyle.ToolButtonIconOnly
    return isinstance(widget, QToolButton) and not widget.icon().isNull() and widget.toolButtonStyle() == alone


@pytest.mark.slow
def test_everything_written_in_the_window_can_be_read_in_every_theme(window, user) -> None:
    grounds = set()
    for choice in ("Light", "Dark"):
        user.chooses(window, "Theme", choice)
        window.messages.say("Something went wrong.")
        written = [one for kind in (QLabel, QToolButton) for one in window.findChildren(kind) if one.text().strip()]
        seen = [one for one in written if one.isVisible() and not is_icon(one)]
        assert len(seen) > 20
        assert {one.text(): drawn_contrast(one) for one in seen if drawn_contrast(one) < 4.5} == {}
        grounds.add(window.palette().window().color().name())
    assert len(grounds) == 2
    user.chooses(window, "Theme", "Follow the system")
    assert QApplication.palette().window().color().name() == LIGHT.window


@pytest.mark.slow
@pytest.mark.parametrize(
    ("menu", "there", "back"), [("Theme", "Dark", "Light"), ("View", "Larger text", "Smaller text")]
)
def test_what_was_hidden_while_the_look_changed_looks_as_what_was_seen(window, user, settle, menu, there, back) -> None:
    behind, before = window.cards["plot.angles"], window.cards["plot.clocks"]
    floating, dialog = window.cards["code"], window.findChild(HistoryWindow)

    def look(card: QWidget) -> QImage:
        card.raise_()
        settle(window)
        turn()
        return card.grab().toImage()

    for card in (behind, before):
        card.bring()
        settle(window)
    floating.setFloating(True)
    at_first = look(behind)
    user.chooses(window, menu, there)
    seen = look(behind)
    user.chooses(window, menu, back)
    look(before)
    user.chooses(window, menu, there)
    assert look(behind) == seen != at_first
    for part in (floating, dialog):
        part.show()
        assert part.styleSheet() == window.cards["tokens"].styleSheet()


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["Dark", "Follow the system"])
def test_all_that_is_seen_changes_in_one_paint(window, user, qtbot, monkeypatch, chosen: str) -> None:
    floating = window.cards["plot.waves"]
    floating.setFloating(True)
    window.cards["plot.row"].bring()
    qtbot.waitUntil(lambda: not window.busy)
    windows = window, floating

    def look() -> list[QImage]:
        return [one.grab().toImage() for one in windows]

    before = look()
    if chosen == "Dark":
        window.findChild(QAction, "theme.dark").trigger()
    else:
        user.chooses(window, "Theme", chosen)
        monkeypatch.setattr(style_sheet, "theme_for", lambda *_: DARK)  # no desktop tells one here
        QApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    first = look()
    turn()
    assert look() == first
    assert all(one != other for one, other in zip(first, before, strict=True))
    monkeypatch.undo()
    user.chooses(window, "Theme", "Light")


@pytest.mark.slow
def test_a_plot_that_stood_behind_another_has_the_new_theme_when_it_comes(window, user, qtbot) -> None:
    behind, before = window.cards["plot.angles"], window.cards["plot.clocks"]
    for card in (behind, before):
        card.bring()
        qtbot.waitUntil(lambda card=card: card.in_view and not window.busy)
    user.chooses(window, "Theme", "Dark")
    behind.bring()
    qtbot.waitUntil(lambda: behind.in_view)
    picture = window.workbench.plots["angles"].view.grab().toImage()
    assert picture.pixelColor(3, 3).name() == DARK.card
    user.chooses(window, "Theme", "Light")


def heights(window: MainWindow) -> dict[str, int]:
    """How high fields, buttons and words are."""
    kinds = {"field": QLineEdit, "list": Choices, "button": QPushButton, "caption": QLabel}
    found = {name: [one for one in window.findChildren(kind) if one.isVisible()] for name, kind in kinds.items()}
    captions = [one for one in found["caption"] if one.objectName() == "muted"]
    return {name: min(one.sizeHint().height() for one in ones) for name, ones in found.items() if ones} | {
        "letters": captions[0].fontInfo().pixelSize()
    }


@pytest.mark.slow
def test_type_grows_and_shrinks_by_keys_as_far_as_it_may_and_is_kept(window, qtbot, tmp_path) -> None:
    def press(key: Qt.Key) -> None:
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)

    def labels() -> float:
        return window.workbench.plots["attention"].view.panel_views()[0].drawing().plot.left

    memory, before, words = Memory(tmp_path / "memory"), heights(window), labels()
    press(Qt.Key.Key_Plus)
    press(Qt.Key.Key_Equal)
    larger = heights(window)
    assert all(larger[name] > height for name, height in before.items())
    assert larger["letters"] == 15
    qtbot.waitUntil(lambda: labels() > words)
    for _ in range(9):
        press(Qt.Key.Key_Plus)
    assert QApplication.font().pixelSize() == 28
    assert memory.settings().scale == 2
    for _ in range(9):
        press(Qt.Key.Key_Minus)
    assert memory.settings().scale == 0.75
    assert all(heights(window)[name] < height for name, height in before.items())
    press(Qt.Key.Key_0)
    assert memory.settings().scale == 1
    assert heights(window) == before
    qtbot.waitUntil(lambda: labels() == words)
