"""What a first start offers: Play beside the headline, and a line under the words, until a word was moved."""

from __future__ import annotations

import pytest
from hands import LEFT
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton


def play_button(window) -> QPushButton:
    return window.findChild(QPushButton, "demonstrate")


def offers_a_move(window) -> bool:
    return window.workbench.tokens.findChild(QLabel, "hint").isVisible()


@pytest.mark.slow
def test_play_shows_another_order_and_less_position_and_leaves_session_and_history(window, qtbot, settle) -> None:
    store = window.workbench.store
    began, history = store.session, store.history
    seen = []
    store.changed.connect(seen.append)
    QTest.mouseClick(play_button(window), LEFT)
    assert store.session.order
    qtbot.waitUntil(lambda: len(seen) > 5 and store.session == began and store.history == history, timeout=20_000)
    settle(window)
    assert {session.strength for session in seen} > {0.0, 1.0}
    assert store.undo_name == store.redo_name == ""


def test_a_key_ends_it_and_then_takes_effect_on_what_stood_before(window, settle) -> None:
    store, chips = window.workbench.store, window.workbench.tokens.chips()
    began = store.session
    chips.setFocus()
    QTest.mouseClick(play_button(window), LEFT)
    assert store.session.order
    QTest.keyClick(chips, Qt.Key.Key_Right)
    settle(window)
    assert store.session == began.changed(focus=began.focus + 1)
    assert len(store.history) == 2


def test_the_first_word_that_is_moved_ends_the_offers_for_good(window, open_window, settle) -> None:
    assert play_button(window).isVisible()
    assert offers_a_move(window)
    chips = window.workbench.tokens.chips()
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    settle(window)
    assert not play_button(window).isVisible()
    assert not offers_a_move(window)
    window.close()
    again = open_window()
    assert not play_button(again).isVisible()
    assert not offers_a_move(again)
    (action,) = (one for one in again.findChildren(QAction) if one.objectName() == "demonstrate")
    assert action.isEnabled()


def test_a_headline_that_tells_of_no_difference_offers_the_change_that_shows_it(window, settle) -> None:
    store = window.workbench.store
    offered = window.findChild(QPushButton, "offered")
    assert not offered.isVisible()
    store.propose(encoding="alibi", model=store.session.model.model_copy(update={"n_heads": 1}))
    settle(window)
    assert (offered.isVisible(), offered.text()) == (True, "Use 8 heads")
    QTest.mouseClick(offered, LEFT)
    settle(window)
    assert store.session.model.n_heads == 8
    assert offered.text() == "Focus on “mat”"
    QTest.mouseClick(offered, LEFT)
    settle(window)
    assert store.session.focus == 5
    assert not offered.isVisible()
