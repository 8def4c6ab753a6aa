"""Labs in the window: one is played from end to end by a learner's clicks and keys, and steps of each kind are tried.

That every lab can be played, with each answer that it has words for, is tested without a window, by `labs.play`.
"""

from __future__ import annotations

import re
import socket

import pytest
from hands import LEFT, action, banner, open_file
from lab_answers import right_answer, visited, wrong_answers
from lab_hands import COMPARED, REASON, Learner, arrangement_of, assert_arranged, is_covered, lock_sign, press, told
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QScrollArea, QToolButton, QTreeWidgetItem

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.app.labs.lab_widgets import Folding
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import PANELS, arranged
from posenc_gui.labs.definition.record import LONGEST_WORDS, Answer
from posenc_gui.render.screen import FigureView

FIRST, ROPE = "attention-reads-a-bag", "rope-turn-dont-add"
WITH_NOTES = "what-makes-a-good-encoding"  # whose last step asks no transfer question


@pytest.fixture
def offline(monkeypatch) -> None:
    """Nothing may ask for the network."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was asked for")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


# --- A lab, from end to end ----------------------------------------------------------------------------------------------


def assert_covered(learner: Learner) -> None:
    """Only what the step shows is seen, only that gives a picture, and nothing can be changed."""
    window, step = learner.window, learner.step
    for plot in (*step.show, *step.reveal):
        if plot in step.reveal:
            learner.brings(f"plot.{plot}")
            assert plot in window.workbench.plots  # there, and yet not to be seen
        assert is_covered(window, plot) == (plot in step.reveal)
    assert learner.pictures().keys() == {plots.plots()[plot].title for plot in step.show}
    assert all(window.cards[name].isHidden() for name in PANELS)
    assert not window.workbench.encoding.verdicts.isVisible()


def predict(learner: Learner, answer: Answer) -> None:
    """Answer, give a reason, commit: no sooner, and once for all."""
    page, window, step = learner.page, learner.window, learner.step
    assert not page.commit.isEnabled()
    learner.answers(answer)
    assert page.commit.isEnabled() == (not page.reason.isVisibleTo(page))
    learner.commits()
    assert learner.play.done.reason == ("" if step.prediction.kind == "text" else REASON)
    for plot in step.reveal:
        assert is_covered(window, plot) == ("order" in step.solve)  # it would make an order of its own
    for name in PANELS:
        assert window.cards[name].isHidden() == (name not in step.panels or name in step.lock)
        assert window.cards[name].isHidden() or not lock_sign(window.cards[name])
    assert not page.commit.isVisible()
    assert not page.answer.isVisible()
    assert ("You wrote:" if step.prediction.kind == "text" else "You predicted:") in learner.sees()
    with pytest.raises(ValueError, match="stays as it is"):
        window.labs.desk.commit(answer, "other words", "another reason")


def assert_explained(learner: Learner, feedback: str) -> None:
    """What was measured is shown, and the words that fit the answer."""
    step, done, seen = learner.step, learner.play.done, learner.sees()
    assert not any(is_covered(learner.window, plot) for plot in (*step.show, *step.reveal))
    assert learner.doubt() == ""
    assert told(step.explain, done.values) in seen
    if step.prediction.kind != "text":
        assert done.outcome.right == (not feedback)
        assert told(done.outcome.words) in seen
        assert ("otherwise" if feedback else "as predicted") in seen
    if feedback:
        assert done.outcome.feedback == feedback
        assert told(step.feedback[feedback], done.values) in seen
    if step.prediction.kind == "sketch":
        assert_compared(learner)


def assert_compared(learner: Learner) -> None:
    """The sketch stands beside the measured curve, where the plot was."""
    card = learner.window.cards[f"plot.{learner.step.prediction.plot}"]
    learner.waits(lambda: any(one.isVisible() for one in card.findChildren(FigureView, COMPARED)))
    (view,) = card.findChildren(FigureView, COMPARED)
    (panel,) = view.figure().panels
    measured, drawn = panel.series
    assert drawn.label == "yours"
    answer = [pytest.approx(point, abs=1e-4) for point in learner.play.done.answer]
    assert list(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True)) == answer
    assert measured.y.tolist() == [pytest.approx(y) for _, y in learner.play.done.outcome.answer]


def transfer(learner: Learner) -> None:
    """Answer the question about another case with one click: the plots show that case, and the outcome is said."""
    step, before = learner.step, learner.play.done
    case = arranged(learner.session, step.transfer.changes)
    assert told(step.transfer.asks) in learner.sees()
    answer = learner.play.transfer_options[0]
    learner.transfers(answer)
    assert learner.session == case
    learner.waits(lambda: learner.play.done.transfer.outcome is not None)
    done = learner.play.done.transfer
    assert (done.answer, done.outcome.right) == (answer, answer == done.outcome.answer)
    assert told(step.transfer.answer, done.values) in learner.sees()
    assert learner.play.done.outcome == before.outcome  # the numbers of the step's own case stay


@pytest.mark.slow
@pytest.mark.usefixtures("offline")
def test_a_lab_is_played_from_end_to_end_with_right_and_with_wrong_predictions(learner) -> None:
    """The one whose steps ask for a choice, a number, a curve and an order."""
    learner.begins(ROPE)
    judged = {}
    for place in range(len(learner.play.lab.steps)):
        assert learner.play.index == place
        step, begun = learner.step, learner.session
        feedback, answer = "", right_answer(step, begun)
        if place % 2:
            feedback, answer = next(iter(wrong_answers(step, begun).items()))
        assert_covered(learner)
        predict(learner, answer)
        if step.goal:
            assert told(step.act) in learner.sees()
            learner.change_to(step.solved(begun))
        learner.waits(lambda: learner.play.phase == "done")
        assert_explained(learner, feedback)
        transfer(learner)
        judged[step.title] = "○" if feedback else "●"
        learner.goes_on()
    assert learner.play.record.finished
    assert learner.panel.currentWidget() is learner.panel.end
    said = [label.text() for label in learner.panel.end.findChildren(QLabel)]
    assert "\n".join(f"{sign} {title}" for title, sign in judged.items()) in said


# Of each kind of answer, and of each control by which a goal is reached, a step.
KINDS = {
    "words, a sentence": (FIRST, "own"),
    "a choice, a moved token": ("a-network-that-walks", "order"),
    "a choice, a field of the model": (FIRST, "mask"),
    "a choice, an encoding and an order": ("same-words-other-meaning", "sign"),
    "a choice, an option of a plot": ("waves", "clock"),
    "words, three encodings": (WITH_NOTES, "rank"),
    "a number, a length": ("past-the-training", "alibi"),
    "a curve, nothing": ("waves", "sketch"),
}


@pytest.mark.most(6)
@pytest.mark.parametrize("kind", KINDS)
def test_in_a_low_window_question_control_result_next_and_picture_are_all_reached(learner, settle, kind: str) -> None:
    window, page = learner.window, learner.page
    window.resize(1000, 700)
    learner.at(*KINDS[kind])
    settle(window)
    assert_covered(learner)
    learner.finds(page.commit)
    predict(learner, right_answer(learner.step, learner.session))
    settle(window)
    assert_asked_for_is_in_sight(learner)
    for count, condition in enumerate(learner.step.visit, 1):
        learner.change_to(visited(condition, learner.session))
        learner.waits(lambda text=condition.text: text in learner.play.done.visited)
        assert (f"{count} of 3 so far" in learner.sees()) == (learner.play.phase == "act")
    learner.change_to(learner.step.solved(learner.session))
    learner.waits(lambda: learner.play.phase == "done")
    assert_explained(learner, "")
    settle(window)
    learner.finds(page.next)
    question, prediction = page.findChildren(Folding)
    scroll = next(one for one in page.findChildren(QScrollArea) if one.isAncestorOf(question))
    for part in (question, prediction):
        scroll.ensureWidgetVisible(part)
        learner.finds(part)
    for plot in (*learner.step.show, *learner.step.reveal):
        card = window.cards[f"plot.{plot}"]
        learner.waits(lambda card=card: card.in_view and card.height() > 150)


def assert_asked_for_is_in_sight(learner: Learner) -> None:
    """The controls with which the goal is reached can be used without scrolling, the first without choosing its tab."""
    if not learner.step.goal:
        return
    (first, control), *others = learner.asked_for().items()
    assert learner.window.cards[first].in_view
    learner.finds(control)
    for card, other in others:
        learner.brings(card)
        learner.user.settle(learner.window)
        learner.finds(other)


# --- The ways through a step ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_hints_come_in_stages_and_then_show_me_which_reaches_the_goal(learner) -> None:
    learner.at(FIRST, "reorder")
    step = learner.step
    learner.answers("differ")
    assert not learner.offers("Hint")
    learner.commits()
    for place, hint in enumerate(step.hints):
        assert told(hint) not in learner.sees()
        assert not learner.offers("Show me")
        learner.clicks("Another hint" if place else "Hint")
        assert told(hint) in learner.sees()
    assert learner.play.done.hints == len(step.hints)
    assert not learner.offers("Another hint")
    before = learner.session
    learner.clicks("Show me")
    learner.waits(lambda: learner.play.phase == "done")
    assert learner.play.done.shown
    assert learner.session == step.solved(before)
    assert "Shown" in learner.sees()
    assert banner(learner.window) == ""
    action(learner.window, "Undo").trigger()
    assert learner.session == before
    action(learner.window, "Redo").trigger()
    assert learner.session == step.solved(before)


@pytest.mark.slow
def test_back_and_next_keep_what_was_done_and_reset_begins_the_step_s_session_again(learner) -> None:
    learner.begins(FIRST)
    assert not learner.offers("Back")
    learner.passes()
    done, session = learner.play.done, learner.session
    learner.clicks("Next")
    learner.clicks("Back")
    assert (learner.play.index, learner.play.done, learner.session) == (0, done, session)
    assert learner.play.phase == "done"
    assert not is_covered(learner.window, "attention")
    learner.clicks("Reset this step")
    assert learner.session == learner.step.begun(session)
    assert learner.play.phase == "act"
    assert (learner.play.done.answer, learner.play.done.committed) == (done.answer, done.committed)
    learner.reach()
    learner.waits(lambda: learner.play.phase == "done")
    assert learner.play.done.outcome == done.outcome
    learner.clicks("Next")
    assert learner.session == learner.step.begun(session)
    learner.answers("differ")
    learner.commits()
    learner.clicks("Skip this step")  # nothing holds a learner back
    learner.clicks("Back")
    assert learner.play.phase == "act"
    assert "You predicted:" in learner.sees()


@pytest.mark.slow
def test_undo_and_redo_stay_within_the_step(learner) -> None:
    undo, redo = (action(learner.window, name) for name in ("Undo", "Redo"))
    learner.begins(FIRST)
    assert not undo.isEnabled()
    learner.passes()
    solved = learner.session
    undo.trigger()
    assert learner.session != solved
    learner.goes_on()
    begun = learner.session
    assert not undo.isEnabled()
    assert not redo.isEnabled()
    learner.clicks("Free play")
    learner.changes(encoding="rope")
    undo.trigger()
    assert (learner.session, undo.isEnabled()) == (begun, False)
    redo.trigger()
    learner.clicks("Back to the lab")
    assert learner.session == begun
    assert not undo.isEnabled()


@pytest.mark.slow
def test_free_play_uncovers_and_unlocks_everything_and_the_way_back_restores_it(learner, settle) -> None:
    window = learner.window
    learner.at(FIRST, "reorder")
    settle(window)
    learner.answers("differ")
    learner.explains("half a thought")
    session, arranged_so = learner.session, arrangement_of(window)
    learner.clicks("Free play")
    settle(window)
    assert not any(is_covered(window, name) for name in window.workbench.plots)
    assert window.workbench.encoding.choice.isEnabled()
    for name in (*PANELS, "plot.equivariance", "lab"):
        assert not window.cards[name].isHidden()
    learner.user.chooses_encoding(window, "alibi")
    learner.user.pastes(window, "something else")
    learner.clicks("Back to the lab")
    settle(window)
    assert learner.session == session
    assert is_covered(window, "equivariance")
    assert is_covered(window, "attention")
    assert not window.workbench.encoding.choice.isEnabled()
    assert_arranged(window, arranged_so)
    assert learner.page.reason.toPlainText() == "half a thought"
    assert learner.play.done.explored
    press(learner.page.commit)
    assert learner.play.done.answer == "differ"


@pytest.mark.slow
def test_what_is_not_committed_yet_is_there_again_after_another_step_and_another_lab(learner) -> None:
    learner.at(FIRST, "reorder")
    learner.answers("differ")
    learner.explains("half a thought")
    learner.clicks("Back")
    assert learner.page.reason.toPlainText() == ""
    learner.clicks("Skip this step")
    assert learner.page.answer.answer() == "differ"
    learner.clicks("Close the lab")
    learner.begins("why-add")
    assert learner.page.answer.answer() is None
    learner.clicks("Close the lab")
    learner.begins(FIRST)
    assert learner.page.answer.answer() == "differ"
    assert learner.page.reason.toPlainText() == "half a thought"
    press(learner.page.commit)
    assert learner.play.done.answer == "differ"


@pytest.mark.slow
def test_words_that_are_too_long_to_be_kept_are_no_crash(learner) -> None:
    learner.at(FIRST, "reorder")
    learner.answers("same")
    learner.page.reason.setPlainText("x" * (LONGEST_WORDS + 1))
    if learner.page.commit.isEnabled():
        press(learner.page.commit)
    learner.at(FIRST, "mask").passes()
    learner.page.notes.setPlainText("x" * (LONGEST_WORDS + 1))
    learner.waits(lambda: len(learner.play.done.notes) == LONGEST_WORDS)


@pytest.mark.slow
def test_closing_the_lab_gives_back_the_arrangement(learner, settle) -> None:
    window = learner.window
    learner.invited()
    window.cards["plot.waves"].close()
    window.cards["plot.length"].bring()
    settle(window)
    before = arrangement_of(window)
    learner.begins(FIRST)
    settle(window)
    assert arrangement_of(window) != before
    learner.clicks("Close the lab")
    settle(window)
    assert_arranged(window, before)
    assert learner.panel.currentWidget() is learner.panel.home
    assert not any(is_covered(window, name) for name in window.workbench.plots)


@pytest.mark.slow
def test_the_arrangement_is_reset_within_a_lab_without_losing_the_lab(learner, settle) -> None:
    learner.at(FIRST, "reorder")
    learner.user.chooses(learner.window, "View", "Reset layout")
    assert not learner.window.cards["lab"].isHidden()
    assert is_covered(learner.window, "attention")


@pytest.mark.slow
def test_another_theme_leaves_what_was_answered(learner) -> None:
    learner.at(FIRST, "reorder")
    learner.answers("differ")
    learner.explains()
    learner.user.chooses(learner.window, "Theme", "Dark")
    assert learner.page.reason.toPlainText() == REASON
    press(learner.page.commit)
    assert learner.play.done.answer == "differ"
    learner.at("waves", "sketch")
    learner.pad()
    learner.user.chooses(learner.window, "Theme", "Light")
    learner.answers(right_answer(learner.step, learner.session))
    learner.commits()
    learner.waits(lambda: learner.play.phase == "done")
    assert learner.play.done.outcome.right


@pytest.mark.slow
def test_any_other_plot_that_is_opened_is_covered_too_until_there_is_a_prediction(learner, settle) -> None:
    window = learner.window
    learner.at(FIRST, "mask")
    for name in ("length", "generation"):
        assert window.cards[f"plot.{name}"].isHidden()
        window.cards[f"plot.{name}"].toggleViewAction().trigger()
        settle(window)
        assert window.cards[f"plot.{name}"].in_view
        assert is_covered(window, name)
    learner.answers("yes")
    learner.commits()
    for name in ("length", "generation"):
        assert not is_covered(window, name)


@pytest.mark.slow
def test_locked_panels_say_so_and_can_not_be_changed(learner) -> None:
    for lab, step, locked in ((FIRST, "own", "encoding"), ("same-words-other-meaning", "only", "tokens")):
        learner.at(lab, step)
        QApplication.processEvents()
        card, session = learner.window.cards[locked], learner.session
        assert lock_sign(card)
        QTest.keyClicks(learner.window.workbench.tokens.text_edit if locked == "tokens" else card, "x")
        if locked == "encoding":
            QTest.keyClick(learner.window.workbench.encoding.choice, Qt.Key.Key_Down)
        for button in card.findChildren(QToolButton):
            if button.menu() and button.isEnabled() and button.isVisible():
                entries = button.menu().actions()
                leaves = [leaf for one in entries for leaf in (one.menu().actions() if one.menu() else [one])]
                leaves[-1].trigger()
        assert learner.session == session


@pytest.mark.slow
def test_who_looks_in_free_play_before_predicting_is_told_that_it_is_reported(learner) -> None:
    learner.begins(FIRST)
    assert "used free play" not in learner.sees()
    learner.clicks("Free play")
    learner.clicks("Back to the lab")
    assert "used free play" in learner.sees()
    learner.passes()
    assert "used free play" not in learner.sees()


# --- Traps that steps could lay --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_encoding_is_chosen_with_the_parameters_that_the_step_expects(learner) -> None:
    learner.at("waves", "base").passes()
    learner.at("waves", "table")
    learner.answers(right_answer(learner.step, learner.session))
    learner.commits()
    learner.user.picks(learner.window.workbench.encoding.choice, "sinusoidal")  # as the hint says, and nothing else
    learner.waits(lambda: learner.play.phase == "done")


@pytest.mark.slow
@pytest.mark.patient
def test_a_sentence_that_is_being_typed_is_not_cut_off_and_its_numbers_follow(learner, qtbot) -> None:
    with qtbot.waitActive(learner.window):
        learner.window.activateWindow()  # only then it has the keyboard
    learner.begins(FIRST)
    learner.answers("Weights.")
    learner.commits()
    text = "a bird sings now and then"
    edit = learner.window.workbench.tokens.text_edit
    for typed in (text[:-2], text[:-1]):
        with qtbot.waitSignal(learner.window.labs.desk.observed, check_params_cb=lambda seen: seen.reached):
            learner.user.types(edit, typed)
    QTest.keyClicks(edit, text[-1:])
    learner.waits(lambda: learner.play.phase == "done")
    assert pe.Session.from_json(learner.play.done.session).text == text
    QTest.keyClicks(edit, " again")
    learner.waits(lambda: "has become 7 tokens" in learner.sees())


@pytest.mark.slow
def test_who_does_something_else_than_asked_is_told_so(learner, settle) -> None:
    learner.at("waves", "base")
    learner.answers(60.0)
    learner.commits()
    learner.changes(encoding=pe.encoding("sinusoidal", base=500.0))
    learner.waits(lambda: "So far: Base 10,000 → 500." in learner.sees())
    learner.reach()
    learner.waits(lambda: learner.play.phase == "done")
    assert "So far" not in learner.sees()
    assert "Base 10,000 → 100 ✓ as asked" in learner.sees()


# --- The index -------------------------------------------------------------------------------------------------------------


def entries_of(learner: Learner) -> list[QTreeWidgetItem]:
    """The questions that can be found now."""
    index = learner.panel.home.index
    groups = [index.topLevelItem(place) for place in range(index.topLevelItemCount())]
    entries = [group.child(place) for group in groups if not group.isHidden() for place in range(group.childCount())]
    return [entry for entry in entries if not entry.isHidden()]


def test_the_index_is_filtered_and_a_click_on_a_question_goes_there(learner, settle) -> None:
    home, count = learner.panel.home, sum(len(group.entries) for group in lab_library.ways())
    assert len(entries_of(learner)) == count
    learner.user.types(home.filter, "BUCKETS t5")
    entry = next(one for one in entries_of(learner) if one.text(0) == "What do T5's buckets look like?")
    assert entry.parent().isExpanded()
    QTest.mouseClick(home.index.viewport(), LEFT, pos=home.index.visualItemRect(entry).center())
    settle(learner.window)
    assert learner.session.encoding.name == "t5"
    assert learner.session.plots.encoding.count == 128
    plots = [name for name, card in learner.window.cards.items() if name.startswith("plot.") and card.in_view]
    assert plots == ["plot.encoding"]
    assert learner.window.centralWidget().sentence.startswith("From offset −127 to 127 ")
    learner.user.types(home.filter, "xyzzy")
    assert entries_of(learner) == []
    learner.user.types(home.filter, "mirror image ALiBi")
    entry = next(one for one in entries_of(learner) if one.text(0).startswith("How can ALiBi"))
    home.index.setCurrentItem(entry)
    QTest.keyClick(home.index, Qt.Key.Key_Return)
    assert (learner.play.lab.name, learner.step.name) == ("same-words-other-meaning", "cure")
    learner.clicks("Close the lab")
    home.filter.clear()
    assert len(entries_of(learner)) == count


def test_a_group_of_the_index_opens_by_a_click_and_closes_by_the_next(learner) -> None:
    index = learner.panel.home.index
    group = index.topLevelItem(0)
    for is_open in (True, False, True):
        QTest.mouseClick(index.viewport(), LEFT, pos=index.visualItemRect(group).center())
        assert group.isExpanded() == is_open


# --- What was there before -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_lab_that_is_closed_gives_back_what_it_took_the_place_of(learner, settle, unhurried) -> None:
    window = learner.window
    store, lab = window.workbench.store, lab_library.lab(FIRST)
    store.propose(encoding="alibi", text="dog bites man")
    before = store.session
    window.labs.desk.begin(lab)
    assert store.session != before
    store.propose(focus=1)
    left, history = store.session, store.history
    window.labs.desk.leave()
    assert store.session == before
    assert store.undo_name == "Typed “dog bites man”, Encoding Sinusoidal → ALiBi"
    assert store.redo_name == f"Lab: {lab.title}"
    store.redo()
    assert store.session == left
    assert window.windowTitle().startswith(f"{lab.title}* ")
    store.undo()
    assert window.windowTitle().startswith("Untitled* ")
    assert len(history) == 2  # within the lab
    settle(window)


@pytest.mark.slow
def test_what_was_opened_meanwhile_stays_when_the_lab_is_closed(learner, settle, tmp_path) -> None:
    window = learner.window
    path = pe.Session(text="what was opened").save(tmp_path / "opened.json")
    window.labs.desk.begin(lab_library.lab(FIRST))
    open_file(window, path)
    window.labs.desk.leave()
    assert window.workbench.store.session.text == "what was opened"
    settle(window)


# --- What a step leaves behind --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_goal_is_noticed_while_dials_play_which_stop_when_the_step_is_left(learner, settle) -> None:
    learner.at(ROPE, "angle")
    learner.answers(0.05)
    learner.commits()
    settle(learner.window)
    (player,) = learner.window.workbench.plots["clocks"].players
    press(player)
    learner.chooses_chip(5)
    learner.waits(lambda: learner.play.phase == "done")
    assert player.playing
    learner.clicks("Next")
    assert not player.playing


@pytest.mark.slow
def test_a_result_shows_before_and_now_and_says_both(learner, settle) -> None:
    learner.at(ROPE, "move")
    headline, view = learner.window.centralWidget(), learner.window.workbench.plots["shift"].view
    learner.answers("none")
    learner.commits()
    settle(learner.window)
    assert not view.figure().bands
    learner.reach()
    learner.waits(lambda: learner.play.phase == "done" and bool(view.figure().bands))
    figure = view.figure()
    assert figure.bands == ("Before: Sinusoidal", "Now: RoPE")
    assert re.match("Moved by 100 positions: with Sinusoidal all .* with RoPE no score changes", headline.sentence)
    before, now = figure.panels[0], figure.panels[3]
    assert (before.low, before.high) == (now.low, now.high)
    assert figure.panels[2].values.any()
    assert not figure.panels[5].values.any()
    assert learner.step.question in learner.sees()
    assert told(learner.step.text) not in learner.sees()
    learner.window.resize(1366, 600)  # too low for both
    settle(learner.window)
    learner.waits(lambda: len(view.figure().panels) == 3)
    shown = learner.window.cards["plot.shift"].findChildren(QAbstractButton)
    press(next(one for one in shown if one.text() == "Before"))
    assert view.figure().bands == ("Before: Sinusoidal",)
    learner.window.resize(1000, 760)  # too narrow for all columns
    settle(learner.window)
    learner.waits(lambda: len(view.figure().panels) == 2)
    assert view.figure().panels[0].title == "what has changed"
    learner.clicks("Close the lab")
    settle(learner.window)
    assert not view.figure().bands


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lab", "step", "answer", "verdict"),
    [
        ("waves", "table", 0.0026, "as predicted, at most 0.0005 off"),
        (ROPE, "angle", 0.054, "otherwise, more than 0.003 off"),
    ],
)
def test_a_number_is_judged_by_what_the_page_says(learner, lab: str, step: str, answer: float, verdict: str) -> None:
    learner.at(lab, step).passes(answer)
    assert any(verdict in label.text() for label in learner.page.findChildren(QLabel))


@pytest.mark.slow
def test_a_number_is_framed_with_the_row_that_it_comes_from(learner) -> None:
    learner.at("same-words-other-meaning", "only").passes()
    learner.transfers("tells")
    view = learner.window.workbench.plots["equivariance"].view
    learner.waits(lambda: bool(view.figure().bands) and bool(view.figure().panels[3].marked))
    first, links, second = view.figure().panels[3:]
    most = links.ends[int(links.values.argmax())]
    assert (first.marked, second.marked) == tuple(((row, None),) for row in most)
    assert learner.shaded() == [learner.play.done.transfer.values["equivariance.value"]]
    assert "Shaded numbers are framed in the plots." in learner.sees()
