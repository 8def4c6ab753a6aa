"""Playing a lab: predict, act, compare; what was predicted stays, and free play leads back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from example import LAB
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.labs.definition import lab_library, parse
from posenc_gui.labs.definition.record import Outcome, Picture, Record, StepRecord
from posenc_gui.labs.play.observe import Observation, look
from posenc_gui.labs.play.progress import Play
from posenc_gui.session.first_session import first_session

ENGINE = Engine()
FIRST = first_session()
EXAMPLE = parse.read(LAB, "example")
COMMITTED = ("kind", "answer", "answer_words", "reason", "committed")


def begin() -> Play:
    return Play.begin(EXAMPLE, learner="Ada")


def solved(play: Play) -> pe.Session:
    return play.step.solved(play.step.begun(FIRST))


def looked(play: Play, session: pe.Session) -> Play:
    return play.observed(look(play.step, play.done, session, ENGINE))


def test_a_step_is_predicted_then_done_then_compared() -> None:
    play = begin()
    assert (play.phase, play.index, play.free, play.record.finished) == ("predict", 0, False, False)
    assert looked(play, solved(play)) == play, "nothing is measured before there is a prediction"
    play = play.committed("swap", "They swap.", "because")
    assert play.phase == "act"
    assert looked(play, play.step.begun(FIRST)) == play, "the goal isn't reached"
    play = looked(play, solved(play))
    assert play.phase == "done"
    done = play.done
    assert (done.kind, done.answer, done.answer_words, done.reason) == ("choice", "swap", "They swap.", "because")
    assert done.outcome == Outcome(answer="same", words="It moves along, unchanged.", feedback="swap", right=False)
    assert pe.Session.from_json(done.session) == solved(play)
    assert done.values["session.n_tokens"] == "6"
    assert done.committed
    assert done.done


def test_a_verdict_follows_the_lab_s_file() -> None:
    play = begin().committed("swap", "They swap.", "because")
    play = looked(play, solved(play))
    changed = parse.read(LAB.replace("It moves along,", "It goes along,"), "example")
    play = Play.begin(changed, play.record)
    again = looked(play, solved(play))
    assert again.done.outcome.words == "It goes along, unchanged."
    assert looked(again, solved(again)) is again


def test_until_the_prediction_only_what_the_step_shows_can_be_seen() -> None:
    play = begin()
    assert [name for name in plots.names() if not play.covers(name)] == ["attention"]
    assert play.covers("requirements")
    assert not any(play.out(FIRST).covers(name) for name in plots.names())
    committed = play.committed("same", "", "")
    made = committed.step.reveal  # with an order of the plot's own, until the learner has made one
    assert [name for name in (*plots.names(), "requirements") if committed.covers(name)] == list(made)
    assert not any(committed.noted(done="2020-01-01").covers(name) for name in plots.names())
    assert committed.at(1).covers("waves")


def test_no_panel_is_there_before_the_prediction_and_then_those_that_can_be_changed() -> None:
    play = begin()
    assert play.panels == ()
    assert play.committed("same", "", "").panels == play.step.controls
    assert not set(play.step.controls) & set(play.step.lock)


def test_what_was_done_is_told_as_undo_tells_it() -> None:
    play = begin().committed("same", "", "")
    assert play.did == ""
    session = play.step.solved(play.step.begun(FIRST))
    assert play.noted(session=session.to_json()).did.startswith("Order: “")
    assert play.noted(session="torn").did == ""


def test_what_the_goal_asks_for_is_told_first() -> None:
    lab = lab_library.lab("same-words-other-meaning")
    play = Play.begin(lab).at([step.name for step in lab.steps].index("cure"))
    tried = play.step.begun(FIRST).changed(encoding=pe.encoding("alibi", bias_max=2.0))
    tried = tried.changed(model=dict(tried.model) | {"n_heads": 2, "causal": True})
    assert play.noted(session=tried.to_json()).did.startswith("Causal mask off → on")


@given(st.sampled_from([*COMMITTED]), st.sampled_from(["", "same", "text", "2020-01-01"]))
def test_a_committed_prediction_never_changes(field: str, value: str) -> None:
    play = begin().committed("swap", "They swap.", "because")
    kept = {name: getattr(play.done, name) for name in COMMITTED}
    with pytest.raises(ValueError, match="stays as it is"):
        play.noted(**{field: value})
    with pytest.raises(ValueError, match="stays as it is"):
        play.record.with_step("reorder", **{field: value})
    with pytest.raises(ValueError, match="stays as it is"):
        play.committed("same", "It moves.", "now I know")
    changes: tuple[Callable[[Play], Play], ...] = (
        lambda play: looked(play, solved(play)),
        lambda play: looked(play, FIRST),
        lambda play: play.at(3).at(0),
        lambda play: play.hinted().hinted().hinted(),
        lambda play: play.out(FIRST).back(),
        lambda play: play.noted(notes="x", shown=True),
        lambda play: Play.begin(EXAMPLE, play.record),
        lambda play: play.observed(Observation(FIRST, True, Outcome(answer="same", words="x"))),
    )
    for change in changes:
        play = change(play)
        assert {name: getattr(play.done, name) for name in COMMITTED} == kept


def test_numbers_follow_while_the_goal_holds_and_stay_where_it_does_not() -> None:
    play = begin().committed("swap", "", "")
    done = looked(play, solved(play))
    longer = solved(done).changed(text="The cat sat on the mat today", order=(1, 0, 2, 3, 4, 5, 6))
    after = looked(done, longer)
    assert after.done.values["session.n_tokens"] == "7"
    assert pe.Session.from_json(after.done.session) == longer
    assert (after.done.done, after.done.answer) == (done.done.done, "swap")
    assert looked(after, longer) is after
    assert looked(after, solved(done).changed(order=())) == after, "the goal no longer holds"


def test_free_play_leads_back_to_where_the_learner_was() -> None:
    play = begin().at(1)
    session = play.step.begun(FIRST)
    free = play.out(session)
    assert free.free
    assert free.left == session
    assert looked(free.committed(4.0, "4", ""), session).done.done == "", "what is done in free play counts as nothing"
    back = free.back()
    assert (back.index, back.free, back.phase) == (1, False, "predict")
    assert back.done.explored, "the record says that the learner looked before predicting"
    assert not play.committed(4.0, "4", "").out(session).done.explored


def test_hints_are_as_many_as_there_are() -> None:
    play = begin()
    assert [play.done.hints, play.hinted().done.hints, play.hinted().hinted().hinted().done.hints] == [0, 1, 2]
    assert play.at(4).hinted().done.hints == 0


@given(st.lists(st.integers(-3, 9), max_size=5))
def test_a_lab_is_resumed_at_its_step(places: list[int]) -> None:
    play = begin()
    for place in places:
        play = play.at(place)
        assert 0 <= play.index < len(EXAMPLE.steps)
    again = Play.begin(EXAMPLE, Record.model_validate_json(play.record.model_dump_json()))
    assert (again.index, again.record) == (play.index, play.record)


def test_a_record_says_in_words_what_was_asked() -> None:
    record = begin().record
    assert (record.lab, record.title, record.learner) == ("example", "Attention reads a set", "Ada")
    assert list(record.titles) == ["reorder", "count", "order", "sketch", "words"]
    assert record.asked["count"] == "Count them.\n\nHow many tokens are there?"
    assert record.options["reorder"]["swap"] == "The tokens swap their outputs."
    assert record.options["order"]["half"] == "all tokens"


def test_a_record_of_an_earlier_version_of_the_lab_can_be_played_on() -> None:
    done = StepRecord(kind="number", answer=3.0, committed="x")
    play = Play.begin(EXAMPLE, Record(lab="example", title="Old", at="gone", steps={"reorder": done}))
    assert play.index == 0
    found = looked(play, solved(play)).done
    assert found.answer == 3.0
    assert found.outcome is not None
    assert found.outcome.right is False


@pytest.mark.parametrize("name", ["a" * 255, "\udcff", "", "犬"])
def test_a_lab_s_file_may_have_any_name(name: str) -> None:
    play = Play.begin(parse.read(LAB, name)).committed("same", "", "")
    assert Record.model_validate_json(play.record.model_dump_json()) == play.record


def test_pictures_are_kept_with_their_sessions() -> None:
    play = begin().with_picture(Picture(plot="attention", session=FIRST.to_json(), note="one"))
    play = play.with_picture(Picture(plot="waves", session=FIRST.to_json()))
    assert [picture.plot for picture in play.done.pictures] == ["attention", "waves"]


TAKEAWAY = "### Takeaway\n\nYou had {{count: session.n_tokens}} tokens.\n\n"
TAKEN = LAB.replace("## Does the order", f"{TAKEAWAY}## Does the order", 1)


def test_the_takeaway_is_told_with_the_learner_s_own_numbers() -> None:
    lab = parse.read(TAKEN, "taken")
    play = Play.begin(lab).at(1)
    assert play.record.takeaway == lab.takeaway == "You had {{count: session.n_tokens}} tokens."
    play = looked(play.committed(4.0, "4", "so"), solved(play))
    assert play.record.own_numbers["count: session.n_tokens"] == "4"


@pytest.mark.parametrize("asked", ["count: session.text", "session.n_tokens", "gone: session.n_tokens"])
def test_a_takeaway_asks_only_for_what_a_step_has_told(asked: str) -> None:
    with pytest.raises(parse.LabRefused, match="with a question that this step's explanation asks"):
        parse.read(TAKEN.replace("count: session.n_tokens", asked), "taken")
