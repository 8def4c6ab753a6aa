"""Labs in the window: every one is played from end to end by a learner's clicks and keys, with right and wrong predictions."""

from __future__ import annotations

import socket

import pytest
from lab_hands import Learner, is_covered, right_answer, told, wrong_answers
from PySide6.QtWidgets import QApplication, QLabel

from posenc_gui.attention.engine import Engine
from posenc_gui.labs import shelf
from posenc_gui.labs.lab import PANELS
from posenc_gui.labs.observe import outcome_of
from posenc_gui.labs.questions import Question, in_words
from posenc_gui.labs.record import Answer
from posenc_gui.labs.words import placeholders


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


# --- Every lab, from end to end -----------------------------------------------------------------------------------------


def assert_only_what_the_step_shows_is_seen(learner: Learner) -> None:
    window, step = learner.window, learner.step
    QApplication.processEvents()  # what was just put into a layout is shown by the next event
    for plot in (*step.show, *step.reveal):
        card = window.cards[f"plot.{plot}"]
        assert not card.isHidden()
        if plot in step.reveal:
            learner.brings(f"plot.{plot}")
            assert plot in window.workbench.plots  # there, and yet not to be seen
        assert is_covered(window, plot) == (plot in step.reveal)
    for name in PANELS:
        assert window.cards[name].isHidden() == (name not in step.panels)
    assert not window.workbench.encoding.verdicts.isVisible()
    assert_locked(learner)


def assert_locked(learner: Learner) -> None:
    for name in PANELS:
        card = learner.window.cards[name]
        (sign,) = (label for label in card.findChildren(QLabel) if label.text() == "locked by the lab")
        assert sign.isVisibleTo(card) == (name in learner.step.lock)


def predict(learner: Learner, answer: Answer) -> None:
    """Answer, give a reason, commit: no sooner."""
    page = learner.page
    assert not page.commit.isEnabled()
    learner.answers(answer)
    assert page.commit.isEnabled() == (not page.reason.isVisibleTo(page))
    learner.commits()
    done = learner.play.done
    assert done.answer_words
    assert done.reason or learner.step.prediction.kind == "text"
    if learner.step.prediction.kind == "choice":
        assert done.answer == answer
    for plot in learner.step.reveal:
        assert not is_covered(learner.window, plot)
    assert not page.commit.isVisible()
    assert not page.answer.isVisible()
    assert "You predicted:" in learner.sees()
    with pytest.raises(ValueError, match="stays as it is"):
        learner.window.labs.desk.commit(answer, "other words", "another reason")
    assert learner.play.done == done


def assert_explained(learner: Learner, feedback: str | None) -> None:
    """What is shown is what can be measured anew; the words that fit the answer are there."""
    play, session, engine = learner.play, learner.session, Engine()
    step, done, seen = play.step, play.done, learner.sees()
    assert done.session == session.to_json()
    for claim in step.claims:
        assert claim.answer(session, engine) is True, claim.text
    assert learner.doubt() == ""
    values = {text: in_words(Question(text).answer(session, engine)) for text in placeholders(step.explain)}
    explanation = told(step.explain, values)
    assert all(value in explanation for value in values.values())
    assert explanation in seen
    if step.prediction is None or step.prediction.kind == "text":
        return
    outcome = outcome_of(step.prediction, done.answer, session, engine)
    assert done.outcome == outcome
    assert told(outcome.words) in seen
    assert ("as you predicted" if outcome.right else "otherwise than you predicted") in seen
    if feedback is None:
        assert outcome.right
    else:
        assert (outcome.right, outcome.feedback) == (False, feedback)
        assert feedback in step.feedback
    if outcome.feedback in step.feedback:
        asked = placeholders(step.feedback[outcome.feedback])
        values = {text: in_words(Question(text).answer(session, engine)) for text in asked}
        assert told(step.feedback[outcome.feedback], values) in seen


def play_step(learner: Learner, feedback: str | None, answer: Answer | None) -> None:
    step = learner.step
    if step.prediction:
        assert learner.play.phase == "predict"
        assert_only_what_the_step_shows_is_seen(learner)
        assert answer is not None
        predict(learner, answer)
    if step.goal:
        assert learner.play.phase == "act"
        learner.reach()
    learner.waits(lambda: learner.play.phase == "done")
    assert_explained(learner, feedback)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("name", shelf.names())
def test_a_lab_is_played_from_end_to_end_with_right_and_with_wrong_predictions(learner, name: str) -> None:
    learner.begins(name)
    count = len(learner.play.lab.steps)
    for wrong in (False, True):
        for place in range(count):
            assert learner.play.index == place
            step, begun = learner.step, learner.session
            feedback, answer = None, right_answer(step, begun) if step.prediction else None
            if wrong and (others := list(wrong_answers(step, begun).items())):
                feedback, answer = others[place % len(others)]
            play_step(learner, feedback, answer)
            learner.goes_on()
        assert learner.play.finished
        assert learner.panel.currentWidget() is learner.panel.end
        if not wrong:
            learner.clicks("Begin again")
