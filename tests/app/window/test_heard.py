"""What screen readers meet in the window: names, roles and tables, and what is announced while one acts."""

from __future__ import annotations

import pytest
from ears import description, heard, name
from hands import action, choose_arrangement
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QTableView, QToolButton

from posenc_gui.app.panels.token_chips import ChipsView
from posenc_gui.app.widgets.focus_order import ONE_STOP
from posenc_gui.app.widgets.headline_label import Headline

pytestmark = pytest.mark.one_window


def test_equal_words_are_heard_with_their_places(window) -> None:
    chips = heard(window.findChild(ChipsView))
    names = [chips.child(at).text(QAccessible.Text.Name) for at in range(chips.childCount())]
    twins = [name for name in names if name.startswith("the,")]
    assert twins == ["the, position 0, occurs more than once", "the, position 4, occurs more than once"]
    assert {"cat, position 1", "sat, position 2, query in focus"} <= {*names}


def test_every_drop_down_list_in_compare_has_a_name_of_its_own(window, settle) -> None:
    choose_arrangement(window, "Compare")
    settle(window)
    lists = [box for box in window.findChildren(QComboBox) if box.isVisible()]
    assert {"Encoding of A", "Encoding of B"} <= {name(box) for box in lists}
    assert not [box for box in lists if name(box) in ("", box.currentText())]


def test_roles_are_what_is_seen(window) -> None:
    role = QAccessible.Role
    segments = window.findChildren(QPushButton, "choice")
    assert {heard(one).role() for one in segments} == {role.RadioButton}
    options = window.workbench.plots["attention"].options_button
    assert heard(options).role() == role.Button
    assert name(options) == "Options of Attention"
    QTest.keyClick(options, Qt.Key.Key_Space)
    assert name(options) == "Hide options of Attention"
    QTest.keyClick(options, Qt.Key.Key_Space)


def test_a_plots_header_is_one_stop_whose_buttons_arrow_keys_reach(window) -> None:
    card = window.cards["plot.attention"]
    first = card.findChild(QToolButton, "copy")
    buttons = [one for one in first.parentWidget().findChildren(QToolButton) if one.isVisible()]
    assert first.parentWidget().property(ONE_STOP)
    assert len(buttons) >= 4
    first.setFocus()
    reached = set()
    for _ in buttons:
        reached.add(QApplication.focusWidget())
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    assert reached == {*buttons}
    assert first.hasFocus()
    QTest.keyClick(first, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() not in buttons


def test_the_crosshair_reads_both_maps_by_their_names_and_only_where_it_rests(window, qtbot, announced) -> None:
    view = window.workbench.plots["attention"].view
    view.setFocus()
    for _ in range(12):
        QTest.keyClick(view, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: any("No encoding" in words for words in announced))
    told = [words for words in announced if "No encoding" in words]
    assert "Sinusoidal" in told[-1]
    assert "query" in told[-1]
    assert "·" not in told[-1]
    assert len(told) < 6  # not each of twelve steps


def test_the_headline_and_a_message_are_heard_once_after_an_act(window, settle, qtbot, announced) -> None:
    headline = window.findChild(Headline)
    window.workbench.store.propose(text="dog bites dog")
    settle(window)
    qtbot.waitUntil(lambda: headline.sentence in announced)
    assert announced.count(headline.sentence) == 1
    window.messages.tell("Saved.", ("Undo", lambda: None))
    qtbot.waitUntil(lambda: "Saved. Button: Undo." in announced)


def test_a_drag_is_not_heard_until_it_ends(window, settle, qtbot, announced) -> None:
    headline = window.findChild(Headline)
    headline.hold(())
    for strength in (0.2, 0.4, 0.6):
        window.workbench.store.propose(strength=strength)
        settle(window)
    assert headline.sentence not in announced
    headline.hold(None)
    qtbot.waitUntil(lambda: announced[-1:] == [headline.sentence])


def test_a_map_is_read_as_a_table_with_its_names(window, settle) -> None:
    panel = window.workbench.plots["attention"]
    weight = panel.view.figure().panels[0].values[1, 0]
    panel.view.setFocus()
    (reads,) = (one for one in window.cards["plot.attention"].actions() if one.text() == "Read as a table")
    reads.trigger()
    first = panel.view.findChild(QTableView)
    table = heard(first)
    assert table.role() == QAccessible.Role.Table
    assert name(first) == "No encoding"
    cells = [table.child(at).text(QAccessible.Text.Name) for at in range(table.childCount())]
    assert f"query cat (1) · key the (0): {weight:.2f}" in cells
    assert "query cat (1)" in cells
    reads.trigger()
    settle(window)
    assert panel.view.figure().panels[0].title == "No encoding"
    assert panel.view.hasFocus()


def test_what_a_lab_asks_is_where_the_keyboard_is(window, settle, announced) -> None:
    action(window, "Three doors").trigger()
    settle(window)
    told = QApplication.focusWidget()
    words = description(told) or description(told.parentWidget())
    assert words.endswith("?") or "?" in words
