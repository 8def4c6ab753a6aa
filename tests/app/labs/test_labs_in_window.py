"""Labs in the window: one is played from end to end by a learner's clicks and keys, and steps of each kind are tried.

That every lab can be played, with each answer that it has words for, is tested without a window, by `labs.play`.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from example import LAB
from hands import LEFT, action, banner, close_banner, open_file, read, tabs_of
from lab_answers import right_answer, visited, wrong_answers
from lab_hands import COMPARED, FRAME, REASON, Learner, arrangement_of, drop, is_covered, plain, press, told
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QLabel,
    QRadioButton,
    QScrollArea,
    QToolButton,
    QTreeWidgetItem,
    QWidget,
)

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.app.docks.card import Card
from posenc_gui.app.labs import played_lab
from posenc_gui.app.labs.authoring.step_writer import Written
from posenc_gui.app.labs.lab_widgets import Folding
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.labs.authoring.write import StepDraft
from posenc_gui.labs.definition import lab_library, parse
from posenc_gui.labs.definition.lab import PANELS, arranged
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.labs.definition.record import LONGEST_WORDS, Answer, Record, StepRecord
from posenc_gui.render.screen import FigureView

FIRST, ROPE = "attention-reads-a-bag", "rope-turn-dont-add"
WITH_NOTES = "what-makes-a-good-encoding"  # whose last step asks no transfer question


@pytest.fixture(autouse=True)
def _notice_at_once(request, monkeypatch) -> None:
    """Whole labs need not wait until it is sure that a hand has finished."""
    if "patient" not in request.keywords:
        monkeypatch.setattr(played_lab, "NOTICED", 0)
        monkeypatch.setattr(played_lab, "TYPED", 0)


OWN = LAB[: LAB.index("## How many tokens?")]  # of one step


@pytest.fixture
def offline(monkeypatch) -> None:
    """Nothing may ask for the network."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was asked for")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.fixture
def learner(open_window, user, qtbot) -> Learner:
    """Who starts the explorer for the first time."""
    return Learner(open_window(), user, qtbot)


@pytest.fixture
def again(open_window, user, qtbot) -> Callable[[Learner], Learner]:
    """Close the window and open it once more on the same folder."""

    def closed_and_opened(before: Learner) -> Learner:
        before.window.close()
        return Learner(open_window(), user, qtbot)

    return closed_and_opened


@pytest.fixture
def own_lab(tmp_path: Path) -> Path:
    """A lab's file."""
    path = tmp_path / "own.md"
    path.write_text(OWN, encoding="utf-8")
    return path


def assert_arranged(window, before: dict[str, tuple]) -> None:
    """The cards stand as before, but for a few pixels that Qt gives to another column."""
    for name, (hidden, in_view, box) in arrangement_of(window).items():
        assert (hidden, in_view) == before[name][:2], name
        assert box == pytest.approx(before[name][2], abs=40), name


def at(learner: Learner, lab: str, step: str) -> Learner:
    """Begin a lab at a step, as the index does."""
    learner.window.labs.follow(Way(question="?", lab=lab, step=step))
    assert learner.step.name == step
    return learner


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
    assert {lock_sign(window.cards[name]) for name in PANELS} == {"after your prediction"}
    assert not window.workbench.encoding.verdicts.isVisible()


def lock_sign(card: Card) -> str:
    """Why a card can't be changed, as its header says; empty where it can be."""
    signs = ("after your prediction", "locked by the lab")
    return " ".join(one.text() for one in card.findChildren(QLabel) if one.text() in signs and one.isVisibleTo(card))


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
        assert lock_sign(window.cards[name]) == ("locked by the lab" if name in step.lock else "")
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
    assert list(zip(drawn.x.tolist(), drawn.y.tolist(), strict=True)) == [
        pytest.approx(point, abs=1e-4) for point in learner.play.done.answer
    ]
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
    "a number, a length": ("past-the-training", "rope"),
    "a curve, nothing": ("waves", "sketch"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_in_a_low_window_question_control_result_next_and_picture_are_all_reached(learner, settle, kind: str) -> None:
    window, page = learner.window, learner.page
    window.resize(1000, 700)
    at(learner, *KINDS[kind])
    settle(window)
    assert_covered(learner)
    assert wholly_in_sight(page.commit)
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
    assert wholly_in_sight(page.next)
    question, prediction = page.findChildren(Folding)
    scroll = next(one for one in page.findChildren(QScrollArea) if one.isAncestorOf(question))
    for part in (question, prediction):
        scroll.ensureWidgetVisible(part)
        assert wholly_in_sight(part)
    for plot in (*learner.step.show, *learner.step.reveal):
        card = window.cards[f"plot.{plot}"]
        assert card.in_view
        assert card.height() > 150


def assert_asked_for_is_in_sight(learner: Learner) -> None:
    """The controls with which the goal is reached can be used without scrolling, the first without choosing its tab."""
    if not learner.step.goal:
        return
    (first, control), *others = asked_for(learner).items()
    assert learner.window.cards[first].in_view
    learner.waits(lambda: wholly_in_sight(control))
    for card, other in others:
        learner.brings(card)
        learner.user.settle(learner.window)
        learner.waits(lambda other=other: wholly_in_sight(other))


# --- The start ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_first_start_offers_the_first_lab_without_a_dialog(learner) -> None:
    assert QApplication.activeModalWidget() is None
    assert QApplication.activePopupWidget() is None
    home = learner.panel.home
    assert learner.panel.currentWidget() is home
    learner.invited()
    begin = home.button(FIRST)
    assert begin.text() == "Begin"
    assert not begin.visibleRegion().isEmpty()
    end = max(home.button(name).geometry().bottom() for name in (*lab_library.names(), lab_library.LESSON))
    assert begin.parentWidget().height() < 1.3 * end  # nothing but rows can be scrolled to
    assert [home.button(name).property("accent") for name in lab_library.names()] == [
        name == lab_library.names()[0] for name in lab_library.names()
    ]
    assert learner.play is None


def test_a_start_with_a_kept_session_forces_no_lab(window, open_window) -> None:
    assert window.labs.desk.play is None
    assert window.workbench.store.session == pe.Session()
    assert not window.cards["plot.attention"].isHidden()
    assert not is_covered(window, "attention")
    assert window.cards["lab"].isHidden()


# --- The ways through a step ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_hints_come_in_stages_and_then_show_me_which_reaches_the_goal(learner) -> None:
    at(learner, FIRST, "reorder")
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
    assert banner(learner.window).startswith("Shown: ")
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
    assert undo.isEnabled()
    undo.trigger()
    learner.clicks("Back to the lab")
    assert learner.session == begun
    assert not undo.isEnabled()


@pytest.mark.slow
def test_free_play_uncovers_and_unlocks_everything_and_the_way_back_restores_it(learner, settle) -> None:
    window = learner.window
    at(learner, FIRST, "reorder")
    settle(window)
    learner.answers("differ")
    learner.explains("half a thought")
    session, arranged_so = learner.session, arrangement_of(window)
    learner.clicks("Free play")
    settle(window)
    assert not any(is_covered(window, name) for name in window.workbench.plots)
    assert window.workbench.encoding.choice().isEnabled()
    for name in (*PANELS, "plot.equivariance", "lab"):
        assert not window.cards[name].isHidden()
    learner.user.chooses_encoding(window, "alibi")
    learner.user.pastes(window, "something else")
    learner.clicks("Back to the lab")
    settle(window)
    assert learner.session == session
    assert is_covered(window, "equivariance")
    assert is_covered(window, "attention")
    assert not window.workbench.encoding.choice().isEnabled()
    assert_arranged(window, arranged_so)
    assert learner.page.reason.toPlainText() == "half a thought"
    assert learner.play.done.explored
    press(learner.page.commit)
    assert learner.play.done.answer == "differ"


@pytest.mark.slow
def test_what_is_not_committed_yet_is_there_again_after_another_step_and_another_lab(learner) -> None:
    at(learner, FIRST, "reorder")
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
def test_answers_that_are_not_committed_yet_and_free_play_last_over_a_restart(learner, again) -> None:
    given = {}
    for place in ((FIRST, "own"), ("waves", "base"), (ROPE, "base"), ("waves", "sketch"), (FIRST, "reorder")):
        at(learner, *place)
        learner.answers(right_answer(learner.step, learner.session))
        given[place] = learner.page.answer.answer()
    session = learner.session
    learner.clicks("Free play")
    learner.user.chooses_encoding(learner.window, "alibi")
    learner = again(learner)
    assert learner.play.free
    assert learner.session.encoding.name == "alibi"
    learner.clicks("Back to the lab")
    assert learner.session == session
    assert is_covered(learner.window, "attention")
    for place, answer in given.items():
        at(learner, *place)
        learner.waits(lambda answer=answer: learner.page.answer.answer() == answer)
        assert not learner.play.done.committed


@pytest.mark.slow
def test_progress_predictions_notes_and_pictures_survive_a_restart(learner, again) -> None:
    learner.invited()
    before_lab = arrangement_of(learner.window)
    at(learner, FIRST, "reorder").passes("place")
    learner.transfers("moves")
    learner.waits(lambda: learner.play.done.transfer.outcome is not None)
    pictures = learner.pictures()
    assert set(pictures) == {"Two orders"}
    pictures["Two orders"].trigger()
    play, session = learner.play, learner.session
    (picture,) = play.done.pictures
    assert (picture.plot, picture.session) == ("equivariance", session.to_json())
    assert session.model.n_layers == 2  # the case that was asked about
    learner = again(learner)
    assert learner.play == play
    assert learner.session == session
    assert learner.panel.currentWidget() is learner.page
    assert "You predicted:" in learner.sees()
    assert told(learner.step.feedback["place"]) in learner.sees()
    learner.clicks("Close the lab")
    learner.user.settle(learner.window)
    assert_arranged(learner.window, before_lab)
    assert learner.panel.home.button(FIRST).text() == "Continue"


@pytest.mark.slow
def test_nothing_that_a_newer_explorer_recorded_is_overwritten(learner, again, tmp_path) -> None:
    at(learner, WITH_NOTES, "missing").passes()
    learner.writes("mine")
    learner.clicks("Free play")
    learner.window.close()
    folder = tmp_path / "memory" / "labs"
    file = folder / f"{WITH_NOTES}.json"
    (underway,) = (tmp_path / "memory" / "windows").glob("*/underway.json")
    newer = json.dumps({**json.loads(file.read_text(encoding="utf-8")), "voice": 1})
    file.write_text(newer, encoding="utf-8")
    content = json.loads(underway.read_text(encoding="utf-8"))
    left = json.dumps({**json.loads(content["left"]), "postcards": []})
    underway.write_text(json.dumps({**content, "left": left}), encoding="utf-8")
    learner = again(learner)
    assert "The session to come back to: left out 'postcards', " in banner(learner.window)
    assert learner.play.record.step("missing").notes == "mine"
    assert [path.read_text(encoding="utf-8") for path in folder.glob(f"{WITH_NOTES}.*.json")] == [newer]
    assert "voice" not in file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_notes_are_kept_however_soon_the_window_or_the_lab_is_closed(learner, again) -> None:
    at(learner, WITH_NOTES, "missing").passes()
    learner.writes("one")
    learner.clicks("Close the lab")
    assert learner.window.labs.desk.record_of(lab_library.lab(WITH_NOTES)).step("missing").notes == "one"
    learner.begins(WITH_NOTES)
    learner.writes("two")
    learner = again(learner)
    assert learner.page.notes.toPlainText() == "two"


@pytest.mark.slow
def test_words_that_are_too_long_to_be_kept_are_no_crash(learner) -> None:
    at(learner, FIRST, "reorder")
    learner.answers("same")
    learner.page.reason.setPlainText("x" * (LONGEST_WORDS + 1))
    if learner.page.commit.isEnabled():
        press(learner.page.commit)
    at(learner, FIRST, "mask").passes()
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
def test_who_leaves_a_lab_goes_on_with_the_next_one_by_enter(learner, settle) -> None:
    """The list says so; its last lab stands below the window's edge."""
    learner.window.resize(1366, 768)
    learner.invited()
    first, *_, last = lab_library.names()
    learner.begins(last)
    learner.clicks("Close the lab")
    settle(learner.window)
    learner.waits(lambda: wholly_in_sight(learner.panel.home.button(first)))
    QTest.keyClick(learner.window.focusWidget(), Qt.Key.Key_Return)
    learner.waits(lambda: learner.play is not None and learner.play.lab.name == first)


@pytest.mark.slow
def test_the_arrangement_is_reset_within_a_lab_without_losing_the_lab(learner, settle) -> None:
    at(learner, FIRST, "reorder")
    learner.user.chooses(learner.window, "View", "Reset layout")
    assert not learner.window.cards["lab"].isHidden()
    assert is_covered(learner.window, "attention")


@pytest.mark.slow
def test_another_theme_leaves_what_was_answered(learner) -> None:
    at(learner, FIRST, "reorder")
    learner.answers("differ")
    learner.explains()
    learner.user.chooses(learner.window, "Theme", "Dark")
    assert learner.page.reason.toPlainText() == REASON
    press(learner.page.commit)
    assert learner.play.done.answer == "differ"
    at(learner, "waves", "sketch")
    learner.pad()
    learner.user.chooses(learner.window, "Theme", "Light")
    learner.answers(right_answer(learner.step, learner.session))
    learner.commits()
    learner.waits(lambda: learner.play.phase == "done")
    assert learner.play.done.outcome.right


@pytest.mark.slow
def test_any_other_plot_that_is_opened_is_covered_too_until_there_is_a_prediction(learner, settle) -> None:
    window = learner.window
    at(learner, FIRST, "mask")
    window.cards["plot.equivariance"].close()
    for name in ("equivariance", "length", "generation"):
        assert window.cards[f"plot.{name}"].isHidden()
        window.cards[f"plot.{name}"].toggleViewAction().trigger()
        settle(window)
        assert window.cards[f"plot.{name}"].in_view
        assert is_covered(window, name)
    learner.answers("yes")
    learner.commits()
    for name in ("equivariance", "length", "generation"):
        assert not is_covered(window, name)


@pytest.mark.slow
def test_locked_panels_say_so_and_can_not_be_changed(learner) -> None:
    for lab, step, locked in ((FIRST, "own", "encoding"), ("same-words-other-meaning", "only", "tokens")):
        at(learner, lab, step)
        QApplication.processEvents()
        card, session = learner.window.cards[locked], learner.session
        assert lock_sign(card)
        QTest.keyClicks(learner.window.workbench.tokens.text_edit() if locked == "tokens" else card, "x")
        if locked == "encoding":
            QTest.keyClick(learner.window.workbench.encoding.choice(), Qt.Key.Key_Down)
        for button in card.findChildren(QToolButton):
            if button.menu() and button.isEnabled() and button.isVisible():
                entries = button.menu().actions()
                leaves = [leaf for one in entries for leaf in (one.menu().actions() if one.menu() else [one])]
                leaves[-1].trigger()
        assert learner.session == session


@pytest.mark.slow
def test_a_locked_panel_can_be_read_to_its_end(learner, settle) -> None:
    at(learner, "waves", "sketch")
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
@pytest.mark.parametrize(
    ("lab", "step"),
    [(FIRST, "reorder"), (FIRST, "mask"), (ROPE, "pairing")],
)
def test_the_keyboard_is_in_the_lab_once_a_step_s_controls_have_gone_with_their_card(
    learner, settle, lab, step
) -> None:
    window = learner.window
    window.resize(1000, 700)
    window.activateWindow()
    at(learner, lab, step)
    learner.answers(right_answer(learner.step, learner.session))
    learner.commits()
    settle(window)
    card = window.cards[next(iter(asked_for(learner)))]
    (taker, *_) = (one for one in card.widget().findChildren(QAbstractButton) if one.isVisible())
    taker.setFocus()
    assert QApplication.focusWidget() is taker
    learner.window.labs.desk.show_me()
    learner.waits(lambda: learner.play.phase == "done")
    settle(window)
    taken = QApplication.focusWidget()
    assert taken is not None
    assert taken.isVisible()
    assert learner.page.isAncestorOf(taken)
    (right, *_) = learner.page.transfer_answer.findChildren(QRadioButton)
    right.setFocus()
    QTest.keyClick(right, Qt.Key.Key_Space)
    learner.waits(lambda: learner.play.done.transfer is not None)
    settle(window)
    taken = QApplication.focusWidget()
    assert taken is not None
    assert taken.isVisible()
    assert learner.page.isAncestorOf(taken)


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
        press(learner.page.commit)
        learner.clicks("Skip this step")


def wholly_in_sight(widget: QWidget) -> bool:
    """Whether nothing of a widget is cut off or scrolled away."""
    return widget.visibleRegion().boundingRect() == widget.rect()


@pytest.mark.slow
def test_what_is_asked_and_then_what_is_asked_for_are_in_sight(learner, settle) -> None:
    window, page = learner.window, learner.page
    window.resize(1280, 800)
    at(learner, ROPE, "itself")
    settle(window)
    assert all(map(wholly_in_sight, (*page.answer.findChildren(QRadioButton), page.reason, page.commit)))
    window.resize(960, 540)
    at(learner, FIRST, "reorder")
    settle(window)
    assert wholly_in_sight(page.commit)
    assert wholly_in_sight(page.answer.findChildren(QRadioButton)[0])
    learner.answers("same")
    learner.commits()
    settle(window)
    (asked,) = (one for one in page.findChildren(QLabel) if "Now:" in one.text())
    assert wholly_in_sight(asked)
    assert wholly_in_sight(window.workbench.tokens.chips().viewport())
    window.resize(1366, 768)
    at(learner, "same-words-other-meaning", "only")  # a long step beside a high card
    learner.answers("any")
    learner.commits()
    settle(window)
    (title,) = page.findChildren(QLabel, "stepTitle")
    learner.waits(lambda: wholly_in_sight(title) and wholly_in_sight(page.hint))


@pytest.mark.slow
def test_what_came_of_a_step_and_what_it_asks_then_is_read_without_scrolling(learner, settle) -> None:
    for size, place in (((1366, 768), (FIRST, "reorder")), ((1000, 700), ("why-add", "few"))):
        learner.window.resize(*size)
        at(learner, *place)
        learner.passes(next(iter(wrong_answers(learner.step, learner.session))))
        settle(learner.window)
        (explained,) = (one for one in learner.page.findChildren(QLabel) if "You see" in one.text())
        learner.waits(lambda explained=explained: wholly_in_sight(explained))
        assert all(map(wholly_in_sight, learner.page.transfer_answer.findChildren(QRadioButton)))


def asked_for(learner: Learner) -> dict[str, QWidget]:
    """The controls with which a step's goal is reached, by the cards on which they stand, the one in front first."""
    workbench, step = learner.window.workbench, learner.step
    wanted = step.solved(learner.session)
    forms = {"encoding": workbench.encoding.form(), "model": workbench.model.form()}
    found = {panel: forms[panel].editor(name) for panel in forms for name in step.fields_of(panel)}
    if wanted.encoding.name != learner.session.encoding.name:
        found["encoding"] = workbench.encoding.choice()
    if {"order", "focus"} & step.solve.keys():
        found["tokens"] = workbench.tokens.chips().viewport()
    if "text" in step.solve:
        found["tokens"] = workbench.tokens.text_edit()
    if "fill_to" in step.solve:
        found["tokens"] = workbench.tokens.length_form().editor("fill_to")
    found |= {
        f"plot.{one}": workbench.plots[one].form().editor(name) for one in step.played for name in step.options_of(one)
    }
    return dict(sorted(found.items(), key=lambda one: (*step.controls, one[0]).index(one[0])))


@pytest.mark.slow
def test_options_that_a_step_asks_for_stand_on_its_plot_until_it_is_done_and_the_keyboard_has_left(
    learner, settle
) -> None:
    at(learner, "waves", "clock")
    plot = learner.window.workbench.plots["dials"]
    learner.answers("first")
    learner.commits()
    settle(learner.window)
    position = plot.form().editor("position").findChild(QAbstractSpinBox)
    learner.user.types(position, "1")
    learner.waits(lambda: learner.play.phase == "done")
    assert QApplication.focusWidget() is position
    assert position.isVisible()
    learner.goes_on()
    settle(learner.window)
    assert plot.form().isHidden()


@pytest.mark.slow
def test_what_leads_away_from_a_step_is_there_in_free_play_alone(learner, settle) -> None:
    rows = [row for row in learner.window.findChildren(LinkRow) if row.accessibleName().startswith("Labs")]
    at(learner, "why-add", "few").passes()
    settle(learner.window)
    assert not any(row.isVisible() for row in rows)
    learner.clicks("Free play")
    settle(learner.window)
    learner.window.cards["encoding"].bring()
    learner.waits(lambda: any(row.isVisible() for row in rows))


@pytest.mark.slow
def test_a_result_and_a_lab_s_end_have_the_column_alone_until_more_is_to_be_tried(learner, settle) -> None:
    window = learner.window
    at(learner, "why-add", "words").passes()
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
def test_who_looks_in_free_play_before_predicting_is_told_that_it_is_reported(learner) -> None:
    learner.begins(FIRST)
    assert "used free play" not in learner.sees()
    learner.clicks("Free play")
    learner.clicks("Back to the lab")
    assert "used free play" in learner.sees()
    learner.passes()
    assert "used free play" not in learner.sees()


@pytest.mark.slow
def test_a_field_is_unfolded_and_in_sight_and_then_the_choice_of_the_encoding_again(learner, settle) -> None:
    window, lab = learner.window, lab_library.lab("rope-turn-dont-add")
    window.resize(1280, 800)
    panel = window.workbench.encoding
    for name, asked in (("pairing", lambda: panel.form().editor("pairing")), ("move", panel.choice)):
        window.labs.begin(lab, name)
        learner.answers(right_answer(learner.step, learner.session))
        learner.commits()
        settle(window)
        learner.waits(lambda asked=asked: wholly_in_sight(asked()))


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
def test_where_nothing_may_be_said_the_plots_have_the_headline_s_room(learner, settle) -> None:
    window = learner.window
    at(learner, FIRST, "two-layers")
    settle(window)
    card = window.cards["plot.generation"]
    top = card.y()
    learner.passes()
    settle(window)
    assert card.y() > top + 20


# --- Traps that steps could lay --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_encoding_is_chosen_with_the_parameters_that_the_step_expects(learner) -> None:
    at(learner, "waves", "base").passes()
    at(learner, "waves", "table")
    learner.answers(right_answer(learner.step, learner.session))
    learner.commits()
    learner.user.picks(learner.window.workbench.encoding.choice(), "sinusoidal")  # as the hint says, and nothing else
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
    edit = learner.window.workbench.tokens.text_edit()
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
    at(learner, "waves", "base")
    learner.answers(60.0)
    learner.commits()
    learner.changes(encoding=pe.encoding("sinusoidal", base=500.0))
    learner.waits(lambda: "So far: Base 10,000 → 500." in learner.sees())
    learner.reach()
    learner.waits(lambda: learner.play.phase == "done")
    assert "So far" not in learner.sees()
    assert "Base 10,000 → 100 ✓ as asked" in learner.sees()


@pytest.mark.slow
def test_a_claim_that_does_not_hold_is_told_as_it_stands_in_the_file_and_never_read_as_html(learner, own_lab) -> None:
    claim = "session.text == '<img src=\"far\"> & more'"
    own_lab.write_text(OWN.replace('claims = ["equivariance.value < 1e-4"]', f'claims = ["""{claim}"""]'))
    drop(learner.window, own_lab)
    learner.passes()
    learner.waits(lambda: bool(learner.doubt()))
    assert "session.text" not in learner.doubt()
    hints = [label.toolTip() for label in learner.page.findChildren(QLabel, "refusal")]
    assert f"Does not hold: {claim}" in [plain(hint) for hint in hints]


# --- Labs of one's own -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_dropped_lab_is_played_and_begun_again(learner, own_lab) -> None:
    drop(learner.window, own_lab)
    assert learner.play.lab == parse.load(own_lab)
    learner.passes("swap")
    assert "An output belongs to its token." in learner.sees()
    learner.writes("so be it")
    learner.clicks("Finish")
    learner.clicks("Back")
    learner.clicks("Free play")
    told = [label.text() for label in learner.window.cards["lab"].findChildren(QLabel) if label.isVisible()]
    assert any("is finished; you left it at step 1" in words for words in told)
    learner.clicks("Back to the lab")
    learner.clicks("Finish")
    learner.clicks("Begin again")
    learner.clicks("Yes, begin again")
    assert learner.play.phase == "predict"
    assert learner.page.answer.answer() is None
    assert learner.page.reason.toPlainText() == learner.page.notes.toPlainText() == ""
    assert not learner.page.commit.isEnabled()
    learner.passes("same")
    assert learner.play.done.outcome.right
    assert len(list((own_lab.parent / "memory" / "labs").glob("own-*.json"))) == 2  # the first one is kept


@pytest.mark.slow
def test_a_broken_lab_is_refused_with_its_line_and_nothing_changes(learner, own_lab) -> None:
    session, arranged_so = learner.session, arrangement_of(learner.window)
    own_lab.write_text(OWN.replace("equivariance.value >= 1e-4", "equivarianc.value >= 1e-4"))
    line = next(at for at, one in enumerate(own_lab.read_text().split("\n"), 1) if "equivarianc.value" in one)
    drop(learner.window, own_lab)
    assert banner(learner.window).startswith(f"Not opened: own.md, line {line}: ")
    assert learner.play is None
    assert learner.session == session
    assert arrangement_of(learner.window) == arranged_so
    learner.begins(FIRST)
    play, session = learner.play, learner.session
    drop(learner.window, own_lab)
    assert (learner.play, learner.session) == (play, session)


@pytest.mark.slow
def test_a_lab_that_is_written_meanwhile_is_shown_anew_and_a_broken_one_is_not(learner, own_lab) -> None:
    drop(learner.window, own_lab)
    own_lab.write_text(OWN.replace("What happens to", "What becomes of"))
    learner.waits(lambda: "What becomes of the output" in learner.sees())
    assert banner(learner.window) == "“own.md” was reloaded."
    own_lab.write_text(OWN.replace("minutes = 10", "minutes = ten"))
    learner.waits(lambda: "own.md, line 7: " in banner(learner.window))
    assert banner(learner.window).startswith("The lab was not reloaded: ")
    assert "What becomes of the output" in learner.sees()
    close_banner(learner.window)
    other = own_lab.with_name("unfinished")  # many editors write another file and put it in the place of the first
    other.write_text(OWN.replace("What happens to", "What of"))
    other.replace(own_lab)
    learner.waits(lambda: "What of the output" in learner.sees())
    session = learner.session
    learner.clicks("Free play")
    learner.changes(encoding="alibi")
    own_lab.write_text(OWN.replace("Attention reads a set", "Another title"))
    learner.waits(lambda: learner.play.lab.title == "Another title")
    assert learner.play.free
    learner.clicks("Back to the lab")
    assert learner.session == session
    learner.passes()
    own_lab.unlink()
    learner.waits(lambda: "The lab was not reloaded" in banner(learner.window))
    own_lab.write_text(OWN.replace("No output changed", "None changed"))
    learner.waits(lambda: "None changed" in learner.sees())
    assert learner.play.phase == "done"


@pytest.mark.slow
def test_lab_without_a_step_shows_what_a_step_is_written_with_and_then_stands_as_before(learner, settle) -> None:
    window = learner.window
    action(window, "All labs and questions").trigger()
    settle(window)
    before = arrangement_of(window)
    assert not window.cards["encoding"].in_view
    action(window, "Make this state a step").trigger()
    settle(window)
    assert window.cards["encoding"].in_view
    window.labs.writer.close()
    settle(window)
    assert_arranged(window, before)


def test_a_broken_lab_gets_no_step_and_is_not_touched(learner, own_lab) -> None:
    broken = OWN.replace('name = "reorder"', 'nam = "reorder"').encode()
    for content in (broken, OWN.replace("What", "W\xe4s").encode("cp1252")):
        own_lab.write_bytes(content)
        learner.window.labs.write_step(own_lab, Written(StepDraft(learner.session, ("attention",))))
        assert own_lab.read_bytes() == content
        assert banner(learner.window).startswith("Not written: ")
        assert "own.md" in banner(learner.window)
        assert "line" in banner(learner.window)
        assert "codec" not in banner(learner.window)
        assert learner.play is None
        close_banner(learner.window)


@pytest.mark.slow
def test_a_folder_s_labs_are_listed_and_what_is_none_is_named(learner, own_lab) -> None:
    (own_lab.parent / "notes.md").write_text("no lab")
    (own_lab.parent / "notes.txt").write_text("nor this")
    learner.window.labs.show_folder(own_lab.parent)
    read(learner.window)
    assert banner(learner.window).startswith("Not listed: notes.md, line 1: ")
    QApplication.processEvents()
    press(learner.panel.home.button("own"))
    assert learner.play.lab == parse.load(own_lab)
    empty = own_lab.parent / "empty"
    empty.mkdir()
    learner.window.labs.show_folder(empty)
    read(learner.window)
    assert "There are no labs in" in banner(learner.window)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes as Unix has them")
def test_a_pipe_is_no_lab_wherever_it_stands_and_the_window_never_waits_for_it(learner, own_lab) -> None:
    pipe = own_lab.with_name("a-pipe.md")
    os.mkfifo(pipe)
    why = f"{pipe}: Is a pipe; only ordinary files can be read."
    learner.window.labs.show_folder(own_lab.parent)
    read(learner.window)
    assert banner(learner.window) == f"Not listed: {why}"
    drop(learner.window, pipe)
    assert banner(learner.window) == f"Not opened: {why}"
    learner.window.labs.write_step(pipe, Written(StepDraft(learner.session, ("attention",))))
    assert banner(learner.window) == f"Not written: {why}"
    drop(learner.window, own_lab)
    pipe.replace(own_lab)
    learner.waits(lambda: banner(learner.window) == f"The lab was not reloaded: {why.replace('a-pipe', 'own')}")
    assert learner.play.lab.name == "own"


# --- The index -------------------------------------------------------------------------------------------------------------


def entries_of(learner: Learner) -> list[QTreeWidgetItem]:
    """The questions that can be found now."""
    index = learner.panel.home.index
    groups = [index.topLevelItem(place) for place in range(index.topLevelItemCount())]
    entries = [group.child(place) for group in groups if not group.isHidden() for place in range(group.childCount())]
    return [entry for entry in entries if not entry.isHidden()]


@pytest.mark.slow
def test_work_in_a_lab_that_had_another_name_is_found(learner, tmp_path: Path) -> None:
    done = StepRecord(done="2026-01-31T09:30:00+00:00", notes="I knew.")
    former = tmp_path / "memory" / "labs" / "9-where-it-ends.json"
    former.parent.mkdir(parents=True, exist_ok=True)
    Record(lab="9-where-it-ends", title="Where it ends", steps={"bucket": done, "table": done}).save(former)
    learner.begins("past-the-training")
    record = learner.play.record
    assert (record.lab, record.title) == ("past-the-training", "Past the training")
    assert record.steps == {"bucket": done}
    assert former.exists()


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
    assert learner.window.centralWidget().sentence.startswith("At offset ")
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


@pytest.mark.slow
def test_tab_bars_are_those_of_the_cards_that_stand_behind_each_other(learner, settle) -> None:
    window = learner.window
    before = tab_bars(window)
    for _ in range(2):
        at(learner, "same-words-other-meaning", "cure")
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


# --- What was there before -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_lab_that_is_closed_gives_back_what_it_took_the_place_of(window, settle, unhurried) -> None:
    store, lab = window.workbench.store, lab_library.lab(FIRST)
    store.propose(encoding="alibi", text="dog bites man")
    before = store.session
    window.labs.desk.begin(lab)
    assert store.session != before
    store.propose(focus=1)
    window.labs.desk.leave()
    assert store.session == before
    assert store.undo_name == f"Close the lab: {lab.title}"
    store.undo()
    assert store.session != before
    settle(window)


@pytest.mark.slow
def test_also_after_a_restart_and_from_free_play(open_window, settle) -> None:
    window = open_window()
    window.workbench.store.propose(encoding="rope")
    before = window.workbench.store.session
    window.labs.desk.begin(lab_library.lab(FIRST))
    settle(window)
    window.close()
    again = open_window()
    assert again.workbench.store.session != before
    again.labs.desk.roam()
    again.labs.desk.leave()
    assert again.workbench.store.session == before
    settle(again)


@pytest.mark.slow
def test_what_was_opened_meanwhile_stays_when_the_lab_is_closed(window, settle, tmp_path) -> None:
    path = pe.Session(text="what was opened").save(tmp_path / "opened.json")
    window.labs.desk.begin(lab_library.lab(FIRST))
    open_file(window, path)
    window.labs.desk.leave()
    assert window.workbench.store.session.text == "what was opened"
    settle(window)


# --- What a step leaves behind --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_goal_is_noticed_while_dials_play_which_stop_when_the_step_is_left(learner, settle) -> None:
    at(learner, ROPE, "angle")
    learner.answers(0.05)
    learner.commits()
    settle(learner.window)
    (player,) = learner.window.workbench.plots["dials"].players()
    press(player)
    learner.chooses_chip(5)
    learner.waits(lambda: learner.play.phase == "done")
    assert player.playing
    learner.clicks("Next")
    assert not player.playing


@pytest.mark.slow
def test_a_result_shows_before_and_now_says_both_and_marks_the_cell_that_its_number_comes_from(learner, settle) -> None:
    at(learner, ROPE, "move")
    headline, view = learner.window.centralWidget(), learner.window.workbench.plots["shift"].view()
    learner.answers("none")
    learner.commits()
    settle(learner.window)
    assert not view.figure().bands
    learner.reach()
    learner.waits(lambda: learner.play.phase == "done")
    learner.transfers("change")
    learner.waits(lambda: bool(view.figure().bands) and bool(view.figure().panels[0].marked))
    figure = view.figure()
    assert figure.bands == ("Before: RoPE", "Now: Sinusoidal")
    assert headline.sentence.startswith("Moved by 100 positions: with RoPE no score changes, with Sinusoidal all")
    before, now = figure.panels[0], figure.panels[3]
    assert (before.low, before.high) == (now.low, now.high)
    assert len({panel.marked for panel in figure.panels}) == 1
    ((row, column),) = before.marked
    changed = abs(figure.panels[5].values)
    assert changed[row, column] == changed.max()
    told_value = re.escape(learner.play.done.transfer.values["shift.value"])
    assert re.search(FRAME.pattern + told_value, learner.sees_with_frames())
    assert learner.step.question in learner.sees()
    assert told(learner.step.text) not in learner.sees()
    learner.window.resize(1366, 600)  # too low for both
    settle(learner.window)
    learner.waits(lambda: len(view.figure().panels) == 3)
    (before,) = (one for one in learner.window.cards["plot.shift"].findChildren(QToolButton) if one.text() == "Before")
    press(before)
    assert view.figure().bands == ("Before: RoPE",)
    learner.window.resize(1000, 760)  # too narrow for all columns
    settle(learner.window)
    learner.waits(lambda: len(view.figure().panels) == 2)
    assert view.figure().panels[0].title == "what has changed"
    learner.clicks("Close the lab")
    settle(learner.window)
    assert not view.figure().bands


@pytest.mark.slow
def test_what_is_seen_is_in_sight_in_a_low_window_and_what_was_asked_unfolds(learner, settle) -> None:
    learner.window.resize(1000, 640)
    at(learner, "what-makes-a-good-encoding", "missing").passes()
    settle(learner.window)
    page = learner.page
    area = page.findChild(QScrollArea)
    seen = next(label for label in page.findChildren(QLabel) if "You see" in label.text() and label.isVisible())
    top = seen.mapTo(area.viewport(), QPoint()).y()
    assert 0 <= top < area.viewport().height() / 2
    arrow = next(one for one in page.findChildren(QToolButton) if one.accessibleName() == "Unfold the question")
    press(arrow)
    assert told(learner.step.text) in learner.sees()
    assert arrow.accessibleName() == "Fold the question"


@pytest.mark.slow
def test_a_covered_plot_says_how_the_question_comes_back_when_its_card_was_closed(open_window, user, qtbot) -> None:
    learner = Learner(open_window(), user, qtbot)
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
