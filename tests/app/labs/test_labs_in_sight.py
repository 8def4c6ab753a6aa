"""What a lab's step asks for is in sight, beside its cards and in small windows, and the keyboard leads to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hands import LEFT, action, choose_arrangement, tabs_of
from lab_answers import right_answer, wrong_answers
from lab_hands import REASON, arrangement_of, assert_arranged, press, told, wholly_in_sight
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QRadioButton, QScrollArea, QToolButton

from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.labs.definition import lab_library

FIRST, ROPE = "attention-reads-a-bag", "rope-turn-dont-add"


@pytest.fixture
def keyboard(learner, qtbot) -> Callable[[str], int]:
    """Go by Tab to what has a name or a text, and press Space there; gives how many times Tab was pressed."""
    with qtbot.waitActive(learner.window):
        learner.window.activateWindow()

    def tab_to(name: str) -> int:
        met = []
        while len(met) < 150:
            QApplication.processEvents()
            if QApplication.focusWidget() is None:  # without a desktop, a menu that closes may leave no window active
                learner.window.activateWindow()
            taker = QApplication.focusWidget() or learner.window.focusWidget()
            assert taker is not None, f"nothing in the window has the keyboard after {met}"
            assert taker.isVisible()
            met.append((taker.accessibleName(), taker.text() if isinstance(taker, QAbstractButton) else ""))
            if name in met[-1]:
                return len(met) - 1
            QTest.keyClick(taker, Qt.Key.Key_Tab)
            QApplication.processEvents()  # what was just put into a layout is shown by the next event
        raise AssertionError(f"Tab doesn't lead to {name}, but to {met}")

    return tab_to


def choose_by_keys(text: str) -> QTimer:
    """Go down the menu that opens next to an action, and press Enter: the menu itself waits for what is chosen."""
    soon = QTimer(interval=10)

    def choose() -> None:
        if menu := QApplication.activePopupWidget():
            soon.stop()
            for _ in menu.actions():
                if menu.activeAction() is None or menu.activeAction().text() != text:
                    QTest.keyClick(menu, Qt.Key.Key_Down)
            QTest.keyClick(menu, Qt.Key.Key_Return)

    soon.timeout.connect(choose)
    soon.start()
    return soon


@pytest.mark.slow
def test_a_choice_s_step_is_played_by_the_keyboard_alone(learner, keyboard) -> None:
    def press_space(name: str) -> None:
        keyboard(name)
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)

    choose_arrangement(learner.window, "Explore")
    press_space(f"Labs: {len(lab_library.names())}, at most 20 minutes each")
    press_space(f"Begin: {lab_library.lab(FIRST).title}")
    keyboard("Your answer")
    QTest.keyClicks(QApplication.focusWidget(), "Not at all.")
    press_space("Keep my answer")
    keyboard("Text")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(QApplication.focusWidget(), "a bird sings now")
    learner.waits(lambda: learner.play.phase == "done")
    press_space("Next")
    assert learner.step.name == "reorder"
    first, second, _ = learner.play.options
    texts = learner.step.prediction.options
    press_space(texts[first])
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    assert QApplication.focusWidget().accessibleName() == texts[second]
    keyboard("Your reason")
    QTest.keyClicks(QApplication.focusWidget(), REASON)
    press_space("Commit my prediction")
    assert learner.play.done.answer == second
    choosing = choose_by_keys("Reverse")
    press_space("Order: as typed")
    assert not choosing.isActive()
    learner.waits(lambda: learner.play.phase == "done")
    press_space("Next")
    assert learner.play.index == 2


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "step"), [(FIRST, "reorder"), (FIRST, "mask"), (ROPE, "pairing")])
def test_the_keyboard_is_in_the_lab_once_a_step_s_controls_have_gone(learner, settle, lab, step) -> None:
    def is_in_the_lab() -> bool:
        taker = QApplication.focusWidget()
        return taker is not None and taker.isVisible() and learner.page.isAncestorOf(taker)

    window = learner.window
    window.resize(1000, 700)
    window.activateWindow()
    learner.at(lab, step)
    learner.answers(right_answer(learner.step, learner.session))
    learner.commits()
    settle(window)
    card = window.cards[next(iter(learner.asked_for()))]
    (taker, *_) = (one for one in card.widget().findChildren(QAbstractButton) if one.isVisible())
    taker.setFocus()
    assert QApplication.focusWidget() is taker
    learner.window.labs.desk.show_me()
    learner.waits(lambda: learner.play.phase == "done")
    settle(window)
    assert is_in_the_lab()
    (right, *_) = learner.page.transfer_answer.findChildren(QRadioButton)
    right.setFocus()
    QTest.keyClick(right, Qt.Key.Key_Space)
    learner.waits(lambda: learner.play.done.transfer is not None)
    settle(window)
    assert is_in_the_lab()


@pytest.mark.slow
def test_tab_goes_from_the_answer_to_the_reason_and_on_to_commit(learner, keyboard) -> None:
    learner.begins(FIRST)
    for _ in range(2):
        learner.answers(right_answer(learner.step, learner.session))
        learner.explains()
        if learner.page.reason.isVisible():
            keyboard(learner.step.prediction.options["same"])
            assert keyboard("Your reason") == 1
        else:
            keyboard("Your answer")
        assert keyboard(learner.page.commit.text()) == 1
        QTest.keyClick(learner.page.commit, Qt.Key.Key_Return)
        learner.waits(lambda: bool(learner.play.done.committed))
        learner.clicks("Skip this step")


@pytest.mark.slow
def test_one_more_space_after_a_commit_or_a_step_presses_nothing(learner, keyboard) -> None:
    learner.begins(FIRST)
    learner.answers("Weights.")
    keyboard("Keep my answer")
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
        QApplication.processEvents()
    assert (learner.play.index, learner.play.phase) == (0, "act")
    learner.reach()
    learner.waits(lambda: learner.play.phase == "done")
    keyboard("Next")
    for _ in range(3):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
        QApplication.processEvents()
    assert (learner.play.index, learner.play.phase) == (1, "predict")


@pytest.mark.slow
def test_who_leaves_a_lab_goes_on_with_the_next_one_by_enter(learner, settle) -> None:
    """The list says so; its last lab stands below the window's edge."""
    learner.window.resize(1366, 768)
    learner.invited()
    first, *_, last = lab_library.names()
    learner.begins(last)
    learner.clicks("Close the lab")
    settle(learner.window)
    learner.waits(lambda: wholly_in_sight(learner.panel.home.rows[first]))
    QTest.keyClick(learner.window.focusWidget(), Qt.Key.Key_Return)
    learner.waits(lambda: learner.play is not None and learner.play.lab.name == first)


@pytest.mark.slow
def test_a_double_click_does_what_one_click_does(learner, settle) -> None:
    learner.begins(FIRST)
    learner.passes()
    settle(learner.window)
    for button, index in ((learner.page.next, 1), (learner.page.commit, 1)):
        if button is learner.page.commit:
            learner.answers("same")
            learner.explains()
            settle(learner.window)
        place = button.mapTo(learner.window, button.rect().center())
        press(button)
        settle(learner.window)
        below = learner.window.childAt(place)
        QTest.mouseClick(below, LEFT, pos=below.mapFrom(learner.window, place))
        assert learner.play.index == index
    assert learner.play.phase == "act"


@pytest.mark.slow
def test_what_is_asked_and_then_what_is_asked_for_are_in_sight(learner, settle) -> None:
    window, page = learner.window, learner.page
    window.resize(1280, 800)
    learner.at(ROPE, "itself")
    settle(window)
    learner.finds(*page.answer.findChildren(QRadioButton), page.reason, page.commit)
    window.resize(960, 540)
    learner.at(FIRST, "reorder")
    settle(window)
    learner.finds(page.commit)
    learner.finds(page.answer.findChildren(QRadioButton)[0])
    learner.answers("same")
    learner.commits()
    settle(window)
    (asked,) = (one for one in page.findChildren(QLabel) if "Now:" in one.text())
    learner.finds(asked)
    learner.finds(window.workbench.tokens.chips.viewport())
    window.resize(1366, 768)
    learner.at("same-words-other-meaning", "only")  # a long step beside a high card
    learner.answers("any")
    learner.commits()
    settle(window)
    (title,) = page.findChildren(QLabel, "stepTitle")
    learner.finds(title, page.hint)


@pytest.mark.slow
def test_what_came_of_a_step_and_what_it_asks_then_is_read_without_scrolling(learner, settle) -> None:
    for size, place in (((1366, 768), (FIRST, "reorder")), ((1000, 700), ("why-add", "few"))):
        learner.window.resize(*size)
        learner.at(*place)
        learner.passes(next(iter(wrong_answers(learner.step, learner.session))))
        settle(learner.window)
        (explained,) = (one for one in learner.page.findChildren(QLabel) if "You see" in one.text())
        learner.finds(explained)
        learner.finds(*learner.page.transfer_answer.findChildren(QRadioButton))


@pytest.mark.slow
def test_a_field_is_unfolded_and_in_sight_and_then_the_choice_of_the_encoding_again(learner, settle) -> None:
    window, lab = learner.window, lab_library.lab("rope-turn-dont-add")
    window.resize(1280, 800)
    panel = window.workbench.encoding
    for name, asked in (("pairing", lambda: panel.form().editor("pairing")), ("move", lambda: panel.choice)):
        window.labs.begin(lab, name)
        learner.answers(right_answer(learner.step, learner.session))
        learner.commits()
        settle(window)
        learner.waits(lambda asked=asked: wholly_in_sight(asked()))


@pytest.mark.slow
def test_what_is_seen_is_in_sight_in_a_low_window_and_what_was_asked_unfolds(learner, settle) -> None:
    learner.window.resize(1000, 640)
    learner.at("what-makes-a-good-encoding", "missing").passes()
    settle(learner.window)
    page = learner.page
    area = page.findChild(QScrollArea)
    seen = next(label for label in page.findChildren(QLabel) if "You see" in label.text() and label.isVisible())
    learner.waits(lambda: 0 <= seen.mapTo(area.viewport(), QPoint()).y() < area.viewport().height() / 2)
    arrow = next(one for one in page.findChildren(QToolButton) if one.accessibleName() == "Unfold the question")
    press(arrow)
    assert told(learner.step.text) in learner.sees()
    assert arrow.accessibleName() == "Fold the question"


@pytest.mark.slow
def test_options_that_a_step_asks_for_stand_on_its_plot_until_the_keyboard_has_left(learner, settle) -> None:
    learner.at("waves", "clock")
    plot = learner.window.workbench.plots["clocks"]
    learner.answers("first")
    learner.commits()
    settle(learner.window)
    editor = plot.form.editor("pairs")
    pairs = editor if isinstance(editor, QLineEdit) else editor.findChild(QLineEdit)
    learner.user.types(pairs, "0-7")
    learner.waits(lambda: learner.play.phase == "done")
    assert QApplication.focusWidget() is pairs
    assert pairs.isVisible()
    learner.goes_on()
    settle(learner.window)
    assert plot.form.isHidden()


@pytest.mark.slow
def test_a_locked_panel_can_be_read_to_its_end(learner, settle) -> None:
    learner.at("waves", "sketch")
    learner.window.resize(1280, 460)
    learner.window.cards["encoding"].bring()
    settle(learner.window)
    areas = learner.window.cards["encoding"].findChildren(QScrollArea)
    scroll = max(areas, key=lambda area: area.verticalScrollBar().maximum())
    bar = scroll.verticalScrollBar()
    assert bar.maximum() > 0
    place = QPointF(scroll.viewport().rect().center())
    glob = QPointF(scroll.viewport().mapToGlobal(place.toPoint()))
    no = Qt.KeyboardModifier.NoModifier
    wheel = QWheelEvent(
        place, glob, QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, no, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(scroll.viewport(), wheel)
    assert bar.value() > 0


@pytest.mark.slow
def test_what_leads_away_from_a_step_is_there_in_free_play_alone(learner, settle) -> None:
    rows = [row for row in learner.window.findChildren(LinkRow) if row.accessibleName().startswith("Labs")]
    learner.at("why-add", "few").passes()
    settle(learner.window)
    assert not any(row.isVisible() for row in rows)
    learner.clicks("Free play")
    settle(learner.window)
    learner.window.cards["encoding"].bring()
    learner.waits(lambda: any(row.isVisible() for row in rows))


@pytest.mark.slow
def test_a_result_and_a_lab_s_end_have_the_column_alone_until_more_is_to_be_tried(learner, settle) -> None:
    window = learner.window
    learner.at("why-add", "words").passes()
    assert window.cards["encoding"].isHidden()
    press(learner.row("Try more"))
    settle(window)
    before = arrangement_of(window)
    assert not window.cards["encoding"].isHidden()
    learner.goes_on()
    settle(window)
    assert window.cards["encoding"].isHidden()
    assert window.cards["tokens"].isHidden()
    learner.clicks("Back")
    settle(window)
    assert_arranged(window, before)


@pytest.mark.slow
def test_where_nothing_may_be_said_the_plots_have_the_headline_s_room(learner, settle) -> None:
    window = learner.window
    learner.at(FIRST, "two-layers")
    settle(window)
    card = window.cards["plot.generation"]
    top = card.y()
    learner.passes()
    settle(window)
    learner.waits(lambda: card.y() > top + 20)


@pytest.mark.slow
def test_tab_bars_are_those_of_the_cards_that_stand_behind_each_other(learner, settle) -> None:
    window = learner.window
    before = tab_bars(window)
    for _ in range(2):
        learner.at("same-words-other-meaning", "cure")
        if learner.play.phase == "predict":
            learner.answers(right_answer(learner.step, learner.session))
            learner.commits()
        learner.waits(lambda: tab_bars(window) == [("Toy model", "Encoding")])
        learner.clicks("Close the lab")
        settle(window)
        learner.waits(lambda: tab_bars(window) == before)


def tab_bars(window) -> list[tuple[str, ...]]:
    """The titles of the cards behind each other in each header that is to be seen."""
    return sorted(tuple(tabs_of(card)) for card in window.cards.values() if card.in_view and tabs_of(card))


@pytest.mark.slow
def test_a_covered_plot_says_how_the_question_comes_back_when_its_card_was_closed(learner, qtbot) -> None:
    lab = lab_library.lab("attention-reads-a-bag")
    learner.window.labs.begin(lab, next(step.name for step in lab.steps if step.reveal))
    card = learner.window.cards[f"plot.{learner.step.reveal[0]}"]

    def says() -> str:
        return " ".join(one.text() for one in card.findChildren(QLabel, "cover") if one.isVisibleTo(card))

    qtbot.waitUntil(lambda: says() == "Covered until you have predicted.")
    learner.window.cards["lab"].close()
    qtbot.waitUntil(lambda: says() == "Covered until you have predicted. Ctrl+3 brings the question back.")
    action(learner.window, "Lab").trigger()
    qtbot.waitUntil(lambda: says() == "Covered until you have predicted.")
    assert learner.window.cards["lab"].in_view
