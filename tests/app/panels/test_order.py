"""The order of the tokens in the window: dragged, moved by keys, swapped, reversed, shuffled, and back as typed."""

from __future__ import annotations

import pytest
from hands import LEFT, NO_KEY, chips_of, figure_of, labels_of, place_of, session_of
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtTest import QTest

import posenc_gui as pe
from posenc_gui.app.panels.chip_drawing import LiftedChip

pytestmark = pytest.mark.one_window

ALT = Qt.KeyboardModifier.AltModifier
TYPED = ["the", "cat", "sat", "on", "the", "mat"]


def choice(window, name: str) -> QAction:
    return window.workbench.tokens.choices()[name]


def press(window, place: QPoint) -> None:
    QTest.mousePress(chips_of(window).viewport(), LEFT, NO_KEY, place)


def move(window, place: QPoint) -> None:
    QTest.mouseMove(chips_of(window).viewport(), place)


def release(window, place: QPoint) -> None:
    QTest.mouseRelease(chips_of(window).viewport(), LEFT, NO_KEY, place)


def click(window, index: int) -> None:
    place = place_of(window, index)
    press(window, place)
    release(window, place)


def assert_shown(window, tokens: list[str]) -> None:
    """Chips, session and the axes of the attention map have these tokens."""
    assert labels_of(window) == tokens
    assert list(session_of(window).tokens) == tokens
    for panel in figure_of(window).panels:
        assert list(panel.rows.labels) == list(panel.columns.labels) == tokens


@pytest.mark.slow
def test_a_dragged_chip_moves_while_it_is_dragged_and_the_pictures_follow(window, settle) -> None:
    orders = []
    press(window, place_of(window, 1))
    window.workbench.store.changed.connect(lambda session: orders.append(session.order))
    move(window, place_of(window, 2))
    assert labels_of(window) == ["the", "sat", "cat", "on", "the", "mat"]
    assert orders == [(0, 2, 1, 3, 4, 5)]
    settle(window)
    assert_shown(window, ["the", "sat", "cat", "on", "the", "mat"])
    for target in (3, 4):
        move(window, place_of(window, target))
    assert len(orders) == 3
    release(window, place_of(window, 4))
    assert len(orders) == 3
    settle(window)
    assert_shown(window, ["the", "sat", "on", "the", "cat", "mat"])
    assert session_of(window).focused == 1  # “sat” stays in focus, so that its row can be followed
    assert chips_of(window).currentIndex().row() == 1


@pytest.mark.slow
def test_a_held_word_is_lifted_and_let_go_it_is_chosen_only_if_it_was_not_moved(window, settle) -> None:
    (lifted,) = window.workbench.tokens.findChildren(LiftedChip)
    cursor = chips_of(window).viewport().cursor
    move(window, place_of(window, 1))
    assert cursor().shape() == Qt.CursorShape.OpenHandCursor
    press(window, place_of(window, 1))
    assert (lifted.isVisible(), cursor().shape()) == (True, Qt.CursorShape.ClosedHandCursor)
    assert session_of(window).focused == 2
    release(window, place_of(window, 1))
    assert (lifted.isVisible(), cursor().shape()) == (False, Qt.CursorShape.OpenHandCursor)
    assert session_of(window).focused == 1
    move(window, QPoint(chips_of(window).viewport().width() - 2, place_of(window, 1).y()))
    assert cursor().shape() == Qt.CursorShape.ArrowCursor
    settle(window)


@pytest.mark.slow
def test_escape_puts_a_dragged_word_back_as_if_it_had_never_been_moved(window, settle, unhurried: None) -> None:
    began, undone = session_of(window), window.workbench.store.undo_name
    press(window, place_of(window, 1))
    for target in (2, 3, 5):
        move(window, place_of(window, target))
    assert labels_of(window) == ["the", "sat", "on", "the", "mat", "cat"]
    QTest.keyClick(chips_of(window), Qt.Key.Key_Escape)  # while pictures are computed, which Escape stops otherwise
    assert session_of(window) == began
    move(window, place_of(window, 4))
    release(window, place_of(window, 4))
    assert session_of(window) == began
    assert window.workbench.store.undo_name == undone
    settle(window)
    assert not window.workbench.stopped


@pytest.mark.slow
def test_a_drag_is_one_step_however_slow_and_a_drag_back_none(window, settle, unhurried: None) -> None:
    click(window, 1)
    undone = window.workbench.store.undo_name
    press(window, place_of(window, 1))
    for target in (2, 3):
        move(window, place_of(window, target))
    assert window.workbench.store.undo_name.startswith("Order: “")
    window.workbench.store.undo()
    assert window.workbench.store.undo_name == undone
    release(window, place_of(window, 3))
    assert labels_of(window) == TYPED
    press(window, place_of(window, 1))
    for target in (2, 1):
        move(window, place_of(window, target))
    release(window, place_of(window, 1))
    assert labels_of(window) == TYPED
    assert window.workbench.store.undo_name == undone
    settle(window)


@pytest.mark.slow
def test_a_narrow_chip_stays_past_a_wide_one_while_the_pointer_is_still_over_it(window, user) -> None:
    user.pastes(window, "a counterrevolutionary b")
    wide = chips_of(window).visualRect(chips_of(window).model().index(1))
    press(window, place_of(window, 0))
    for step in range(0, wide.width() // 2, 4):
        move(window, QPoint(wide.left() + 4 + step, wide.center().y()))
        assert labels_of(window)[0] != "a", f"{step} pixels into the wide chip"
    assert labels_of(window) == ["counterrevolutionary", "a", "b"]
    move(window, place_of(window, 1))
    move(window, place_of(window, 0))
    assert labels_of(window) == ["a", "counterrevolutionary", "b"]
    release(window, place_of(window, 0))


@pytest.mark.slow
def test_a_small_tremble_and_the_other_button_move_nothing(window) -> None:
    place = place_of(window, 1)
    press(window, place)
    move(window, place + QPoint(2, 1))
    release(window, place + QPoint(2, 1))
    move(window, place_of(window, 4))
    assert labels_of(window) == TYPED
    assert session_of(window).order == ()


@pytest.mark.slow
def test_alt_and_arrow_keys_move_the_chip_in_focus_as_far_as_the_ends(window, settle) -> None:
    chips = chips_of(window)
    chips.setFocus()
    QTest.keyClick(chips, Qt.Key.Key_Right, ALT)
    assert labels_of(window) == ["the", "cat", "on", "sat", "the", "mat"]
    assert session_of(window).focused == 3
    for _ in range(5):
        QTest.keyClick(chips, Qt.Key.Key_Left, ALT)
    settle(window)
    assert_shown(window, ["sat", "the", "cat", "on", "the", "mat"])
    assert session_of(window).focused == 0
    QTest.keyClick(chips, Qt.Key.Key_Right)
    assert session_of(window).focused == 1  # without Alt they choose
    assert session_of(window).tokens[0] == "sat"


@pytest.mark.slow
def test_swap_and_a_click_change_two_places_once(window, settle) -> None:
    choice(window, "Swap").trigger()
    assert choice(window, "Swap").isChecked()
    click(window, 5)
    settle(window)
    assert_shown(window, ["the", "cat", "mat", "on", "the", "sat"])
    assert session_of(window).focused == 5
    assert not choice(window, "Swap").isChecked()
    click(window, 0)
    assert session_of(window).focused == 0
    assert labels_of(window) == ["the", "cat", "mat", "on", "the", "sat"]


@pytest.mark.slow
def test_reverse_shuffle_and_as_typed(window, settle) -> None:
    choice(window, "Reverse").trigger()
    settle(window)
    assert_shown(window, TYPED[::-1])
    assert session_of(window).focused == 3
    choice(window, "Reverse").trigger()
    assert session_of(window) == pe.Session()
    shuffles = []
    for _ in range(2):
        row = []
        for _ in range(3):
            choice(window, "Shuffle").trigger()
            row.append(session_of(window).order)
            assert sorted(labels_of(window)) == sorted(TYPED)
        shuffles.append(row)
        choice(window, "As typed").trigger()
        assert session_of(window) == pe.Session()
    assert shuffles[0] == shuffles[1]
    assert len(set(shuffles[0])) == 3
    settle(window)
    assert_shown(window, TYPED)


@pytest.mark.slow
def test_each_button_is_a_step_that_can_be_undone(window, settle) -> None:
    for _ in range(2):
        choice(window, "Reverse").trigger()
    assert labels_of(window) == TYPED
    window.workbench.store.undo()
    assert labels_of(window) == TYPED[::-1]
    settle(window)
    window.workbench.store.undo()
    assert labels_of(window) == TYPED
    settle(window)


@pytest.mark.slow
def test_typing_puts_the_tokens_back_as_they_are_typed(window, user, settle) -> None:
    choice(window, "Reverse").trigger()
    edit = window.workbench.tokens.text_edit
    assert edit.toPlainText() == "The cat sat on the mat"
    QTest.keyClick(edit, Qt.Key.Key_End)
    QTest.keyClicks(edit, " now")
    settle(window)
    assert_shown(window, [*TYPED, "now"])
    assert session_of(window).order == ()


@pytest.mark.slow
def test_without_tokens_there_is_nothing_to_order(window, user) -> None:
    user.pastes(window, "")
    for name in ("Reverse", "Shuffle", "As typed"):
        choice(window, name).trigger()
        assert session_of(window) == pe.Session(text=""), name


def test_below_each_chip_is_its_clock_which_turns_as_the_word_moves_and_goes_with_a_second_row(window, settle) -> None:
    chips = chips_of(window)

    def clock(index: int) -> QImage:
        place = chips.visualRect(chips.model().index(index, 0))
        settle(window)
        return chips.viewport().grab(QRect(place.left(), place.bottom() - 28, place.width() - 6, 24)).toImage()

    height = chips.height()
    at_first = [clock(index) for index in (0, 3)]
    assert at_first[0] != at_first[1]
    window.workbench.store.propose(order=(3, 1, 2, 0, 4, 5))
    assert clock(0).size() == at_first[1].size()
    assert [clock(index) for index in (0, 3)] != at_first  # “on” stands where “the” stood: grey, level
    window.workbench.store.propose(encoding="none")
    settle(window)
    assert chips.height() < height
