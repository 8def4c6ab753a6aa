"""Every bundled lab is played from end to end, as the window plays it: with right and with wrong predictions."""

from __future__ import annotations

import pytest
from lab_answers import ENGINE, right_answer, visited, wrong_answers

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab import Sketch, arranged
from posenc_gui.labs.definition.record import Answer
from posenc_gui.labs.play.observe import look, observe
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.text.lab_markdown import placeholders
from posenc_gui.session.first_session import first_session


def seen(play: Play, session: pe.Session) -> Play:
    """The play after its lab has looked at a session, as the window's desk does it."""
    found = look(play.step, play.done, session, ENGINE)
    return play.visiting(found).judged(found).observed(found)


def committed(play: Play, answer: Answer) -> Play:
    return play.committed(answer, "in words", "because")


def assert_nothing_is_given_away(play: Play, begun: pe.Session) -> None:
    """Before the prediction nothing is measured, and nothing can be changed or seen but what the step shows."""
    assert play.phase == "predict"
    found = look(play.step, play.done, begun, ENGINE)
    assert not found.reached
    assert found.outcome is None
    assert bool(found.curves) == isinstance(play.step.prediction, Sketch)
    assert {name for name in plots.names() if not play.covers(name)} == set(play.step.show)
    assert set(play.panels) <= {"code"}
    assert play.quiet
    assert play.silent


def assert_each_wrong_answer_gets_its_feedback(play: Play, begun: pe.Session) -> None:
    step, solved = play.step, play.step.solved(begun)
    for name, answer in wrong_answers(step, begun).items():
        found = committed(play, answer).observed(observe(step, answer, solved, ENGINE, begun))
        assert found.phase == "done"
        assert (found.done.outcome.right, found.done.outcome.feedback) == (False, name)
        assert name in step.feedback
        assert set(placeholders(step.feedback[name])) <= found.done.values.keys()


def reached(play: Play, begun: pe.Session) -> Play:
    """The play once all is done that its step asks for."""
    step = play.step
    for _ in step.hints:
        play = play.hinted()
    assert play.done.hints == len(step.hints)
    if step.goal:
        assert seen(play, begun).phase == "act", "the goal is reached before anything is done"
    if step.visit:
        assert seen(play, step.solved(begun)).phase == "act", "nothing has been visited"
        assert seen(play.noted(shown=True), step.solved(begun)).phase == "done"
    for condition in step.visit:
        play = seen(play, visited(condition, begun))
        assert condition.text in play.done.visited
    return seen(play, step.solved(begun))


def assert_compared(play: Play, begun: pe.Session) -> None:
    """The outcome is the one predicted, every number that is told has a value, every claim holds."""
    step, done = play.step, play.done
    assert play.phase == "done"
    assert not any(map(play.covers, plots.names()))
    assert done.doubts == ()
    assert set(placeholders(step.explain)) <= done.values.keys()
    assert bool(play.did) == (step.solved(begun) != begun)
    if step.prediction.kind != "text":
        assert done.outcome.right
        assert done.outcome.words


def transferred(play: Play) -> Play:
    """The play once the question about another case is answered, in each way, and last in the right one."""
    step, session = play.step, pe.Session.from_json(play.done.session)
    case = arranged(session, step.transfer.changes)
    by_answer = {name: seen(play.transferred(name), case) for name in play.transfer_options}
    (right,) = (one for one in by_answer.values() if one.done.transfer.outcome.right)
    assert all(one.done.transfer.outcome.answer == right.done.transfer.answer for one in by_answer.values())
    assert right.done.outcome == play.done.outcome, "the step's own case stays as it was"
    return right


FIRST, *OTHERS = [*lab_library.names(), lab_library.LESSON]


@pytest.mark.parametrize("names", [[FIRST], pytest.param(OTHERS, marks=pytest.mark.slow)], ids=["first", "others"])
def test_every_lab_is_played_to_its_end(names: list[str]) -> None:
    for name in names:
        play, session = Play.begin(lab_library.lab(name)), first_session()
        for place, step in enumerate(play.lab.steps):
            play, begun = play.at(place), step.begun(session)
            assert_nothing_is_given_away(play, begun)
            assert_each_wrong_answer_gets_its_feedback(play, begun)
            play = reached(committed(play, right_answer(step, begun)), begun)
            assert_compared(play, begun)
            if step.transfer:
                play = transferred(play)
            session = step.solved(begun)
        assert play.record.finished
