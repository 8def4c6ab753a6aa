"""What a first start offers: Play beside the headline, and a line under the words, until a word was moved."""

from __future__ import annotations

import pytest
from hands import LEFT
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QToolButton

import posenc_gui as pe
from posenc_gui.app.widgets.link_rows import Row
from posenc_gui.app.widgets.questions import Questions
from posenc_gui.app.window.labs_offer import LabsOffer
from posenc_gui.figure.runs import quote_runs
from posenc_gui.labs.definition import lab_library
from posenc_gui.render.thumbnail import HEIGHT, WIDTH, draw_thumbnail


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


def questions(window) -> dict[str, QAbstractButton]:
    return window.findChild(Questions, "questions").tiles


def action_of(window, name: str) -> QAction:
    (action,) = (one for one in window.findChildren(QAction) if one.objectName() == name)
    return action


def in_view(window) -> set[str]:
    return {
        name.removeprefix("plot.") for name, card in window.cards.items() if name.startswith("plot.") and card.in_view
    }


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("flow", {"flow"}),
        ("requirements", {"requirements", "waves", "dials"}),
        ("compare", {"attention"}),
    ],
)
def test_a_first_start_shows_one_plot_and_a_question_shows_what_answers_it(
    open_window, qtbot, settle, question, shown
) -> None:
    window = open_window(first_start=True)
    assert in_view(window) == {"attention"}
    assert all(tile.isVisible() for tile in questions(window).values())
    tile = questions(window)[question]
    tile.setFocus()
    QTest.keyClick(tile, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: in_view(window) >= shown)
    settle(window)
    name, figure = window.workbench.in_front
    assert name in shown
    assert window.centralWidget().sentence == quote_runs(figure.headline)
    assert not tile.isVisible()
    assert window.workbench.store.session.other is not None or question != "compare"


def test_a_returning_user_finds_the_window_as_it_was_left_and_help_brings_the_first_start_back(
    open_window, qtbot, settle
) -> None:
    window = open_window(first_start=True)
    QTest.mouseClick(questions(window)["flow"], LEFT)
    qtbot.waitUntil(lambda: in_view(window) == {"flow"})  # which takes all the room
    window.close()
    again = open_window()
    qtbot.waitUntil(lambda: in_view(again) == {"flow"})
    assert not questions(again)["flow"].isVisible()
    action_of(again, "first_start").trigger()
    settle(again)
    assert in_view(again) == {"attention"}
    assert questions(again)["flow"].isVisible()
    assert play_button(again).isVisible()
    assert offers_a_move(again)


def test_the_questions_give_way_to_a_lab_and_to_the_user_s_own_layout(open_window, settle) -> None:
    window = open_window(first_start=True)
    action_of(window, "go.lab").trigger()
    settle(window)
    assert not questions(window)["flow"].isVisible()
    action_of(window, "go.explore").trigger()
    settle(window)
    assert in_view(window) >= {"attention", "waves", "dials"}
    assert not questions(window)["flow"].isVisible()


def labs_offer(window) -> LabsOffer:
    return window.findChild(LabsOffer)


def labs_row(window) -> Row:
    (row,) = (row for row in window.cards["encoding"].findChildren(Row) if row.accessibleName().startswith("Labs"))
    return row


@pytest.mark.slow
def test_labs_are_offered_once_and_not_again_after_not_now(open_window) -> None:
    window = open_window(first_start=True)
    assert labs_offer(window).isVisible()
    assert not labs_row(window).isVisible()
    close = next(one for one in labs_offer(window).findChildren(QToolButton) if one.text() == "Not now")
    QTest.mouseClick(close, LEFT)
    assert not labs_offer(window).isVisible()
    assert labs_row(window).isVisible()
    window.close()
    again = open_window(first_start=True)
    assert not labs_offer(again).isVisible()
    action_of(again, "first_start").trigger()  # asked for, it is as it was
    assert labs_offer(again).isVisible()


@pytest.mark.slow
def test_the_offer_begins_the_first_lab_and_is_gone(open_window, settle) -> None:
    window = open_window(first_start=True)
    (take,) = labs_offer(window).findChildren(QPushButton)
    QTest.mouseClick(take, LEFT)
    settle(window)
    assert window.labs.desk.play.lab.name == lab_library.labs()[0].name
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    settle(window)
    assert not labs_offer(window).isVisible()


@pytest.mark.slow
def test_the_questions_show_the_user_s_own_sentence(open_window, user, qtbot, settle) -> None:
    window = open_window(first_start=True)
    tiles = questions(window)
    assert tiles["compare"].picture  # before it is drawn, that of the plot

    def own(name: str, plot: str) -> bool:
        figure = pe.plot(plot, window.workbench.store.session, view=pe.View(pixels=(WIDTH, HEIGHT)))
        return tiles[name].picture == draw_thumbnail(figure)

    for text in ("The cat sat on the mat", "one two two three"):
        user.pastes(window, text)
        qtbot.waitUntil(lambda: own("compare", "slopes") and own("flow", "dials"), timeout=20_000)
