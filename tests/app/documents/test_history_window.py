"""History: every step by its name, and any of them in one move."""

from __future__ import annotations

from typing import Any

import pytest
from hands import LEFT, action, session_of
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

import posenc_gui as pe
from posenc_gui.app.documents.listed_files import HistoryWindow
from posenc_gui.app.state.store import LONGEST_HISTORY, Store

pytestmark = pytest.mark.one_window


def steps_of(window) -> QListWidget:
    return window.findChild(HistoryWindow).findChild(QListWidget)


def listed(window) -> list[str]:
    steps = steps_of(window)
    return [steps.item(row).text() for row in range(steps.count())]


def said(window, row: int) -> str:
    return steps_of(window).item(row).data(Qt.ItemDataRole.AccessibleTextRole)


@pytest.fixture
def history(window, user, unhurried) -> QListWidget:
    """The list of a window in which three things were changed."""
    for change in ({"text": "dog bites man"}, {"encoding": "rope"}, {"focus": 0}):
        window.workbench.store.propose(**change)
    user.chooses(window, "Edit", "History …")
    return steps_of(window)


NAMES = ["As opened", "Typed “dog bites man”", "Encoding Sinusoidal → RoPE", "Focus on “dog”"]


def test_steps_stand_in_order_and_the_current_one_is_marked(window, history) -> None:
    assert listed(window) == NAMES
    assert history.currentRow() == 3
    assert history.hasFocus()
    assert [said(window, row).rpartition(", ")[2] for row in range(4)] == ["done", "done", "done", "current"]
    assert history.accessibleName()


def test_a_click_goes_to_a_step_in_one_move_and_those_after_it_stay(window, history, settle) -> None:
    shown = []
    window.workbench.store.changed.connect(shown.append)
    QTest.mouseClick(history.viewport(), LEFT, pos=history.visualItemRect(history.item(0)).center())
    settle(window)
    assert shown == [session_of(window)] == [pe.Session()]
    assert window.workbench.tokens.text_edit.toPlainText() == "The cat sat on the mat"
    assert listed(window) == NAMES
    assert said(window, 0).endswith("current")
    assert said(window, 3).endswith("undone")
    QTest.mouseClick(history.viewport(), LEFT, pos=history.visualItemRect(history.item(2)).center())
    assert (session_of(window).encoding.name, session_of(window).focus) == ("rope", 2)


@pytest.mark.slow
def test_arrow_keys_go_step_by_step_and_undo_and_redo_move_the_mark(window, history, settle) -> None:
    QTest.keyClick(history, Qt.Key.Key_Up)
    assert session_of(window).focus == 2
    QTest.keyClick(history, Qt.Key.Key_Home)
    assert session_of(window) == pe.Session()
    settle(window)
    action(window, "Redo: Typed “dog bites man”").trigger()
    assert history.currentRow() == 1
    action(window, "Undo: Typed “dog bites man”").trigger()
    settle(window)
    assert history.currentRow() == 0
    QTest.keyClick(history, Qt.Key.Key_End)
    assert action(window, "Undo").text().replace("&", "") == "Undo: Focus on “dog”"
    settle(window)


@pytest.mark.slow
def test_a_change_after_going_back_takes_the_place_of_what_came_after(window, history) -> None:
    QTest.keyClick(history, Qt.Key.Key_Home)
    window.workbench.store.propose(keep_case=True)
    assert listed(window) == ["As opened", "Keep case off → on"]
    assert history.currentRow() == 1


@pytest.mark.slow
def test_escape_closes_it_and_the_menu_brings_it_back_as_things_are_then(window, history, user) -> None:
    QTest.keyClick(history, Qt.Key.Key_Escape)
    assert not history.isVisible()
    window.workbench.store.undo()
    user.chooses(window, "Edit", "History …")
    assert history.isVisible()
    assert history.currentRow() == 2


@pytest.mark.slow
def test_steps_are_written_in_the_ink_of_each_theme(window, history, user) -> None:
    for theme in ("Dark", "Light"):
        user.chooses(window, "Theme", theme)
        assert history.item(0).foreground().color() == history.palette().text().color()


@pytest.mark.slow
def test_it_stands_within_the_window_and_names_are_never_markup(window, history) -> None:
    window.workbench.store.propose(tokenizer="<b>bold</b>.json")
    assert "<b>bold</b>.json" in listed(window)[-1]
    corner = window.mapFromGlobal(history.window().mapToGlobal(QPoint(0, 0)))
    assert window.rect().contains(corner)


# --- The store


changes = st.lists(
    st.one_of(
        st.fixed_dictionaries({"text": st.sampled_from(["dog", "man", "The cat sat on the mat"])}),
        st.fixed_dictionaries({"focus": st.integers(0, 3)}),
        st.integers(-3, 12),
        st.sampled_from(["undo", "redo"]),
    ),
    max_size=20,
)


@settings(max_examples=40)
@given(changes)
def test_undo_redo_and_jumps_agree(moves: list[Any]) -> None:
    store = Store(pe.Session(), clock=iter(range(0, 10_000, 5)).__next__)
    known, at = [store.session], 0
    for move in moves:
        match move:
            case dict():
                store.propose(**move)
                if store.session != known[at]:
                    known, at = [*known[: at + 1], store.session], at + 1
            case "undo":
                store.undo()
                at = max(0, at - 1)
            case "redo":
                store.redo()
                at = min(len(known) - 1, at + 1)
            case int():
                store.go(move)
                at = move if 0 <= move < len(known) else at
        assert (store.session, store.at, len(store.history)) == (known[at], at, len(known))
        assert store.undo_name == (store.history[at] if at else "")
        assert store.redo_name == (store.history[at + 1] if at + 1 < len(known) else "")
    for place, session in enumerate(known):
        store.go(place)
        assert store.session == session


def test_what_is_forgotten_is_said_and_nothing_can_be_undone_past_it() -> None:
    store = Store(pe.Session(), clock=iter(range(0, 10_000, 5)).__next__)
    for step in range(LONGEST_HISTORY):
        store.propose(text=f"word {step}")
    assert store.history[0] == "As opened"
    store.propose(text="one more")
    assert store.history[0] == "Earlier steps are forgotten"
    assert len(store.history) == 1 + LONGEST_HISTORY
    store.go(0)
    assert (store.session.text, store.undo_name) == ("word 0", "")
