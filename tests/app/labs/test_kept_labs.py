"""What a learner did in a lab is there at the next start, and a first start offers the first lab."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hands import banner
from lab_answers import right_answer
from lab_hands import Learner, arrangement_of, assert_arranged, is_covered, told
from PySide6.QtWidgets import QApplication

import posenc_gui as pe
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.record import Record, StepRecord

FIRST, ROPE = "attention-reads-a-bag", "rope-turn-dont-add"
WITH_NOTES = "what-makes-a-good-encoding"  # whose last step asks no transfer question


@pytest.fixture
def learner(open_window, user, qtbot) -> Learner:
    """Who starts the explorer for the first time, in a window of their own."""
    return Learner(open_window(), user, qtbot)


@pytest.mark.slow
def test_a_first_start_offers_the_first_lab_without_a_dialog(learner) -> None:
    assert QApplication.activeModalWidget() is None
    assert QApplication.activePopupWidget() is None
    home = learner.panel.home
    assert learner.panel.currentWidget() is home
    learner.invited()
    begin = home.rows[FIRST]
    assert begin.text() == "Begin"
    assert not begin.visibleRegion().isEmpty()
    end = max(home.rows[name].geometry().bottom() for name in (*lab_library.names(), lab_library.LESSON))
    assert begin.parentWidget().height() < 1.3 * end  # nothing but rows can be scrolled to
    assert [home.rows[name].property("accent") for name in lab_library.names()] == [
        name == lab_library.names()[0] for name in lab_library.names()
    ]
    assert learner.play is None


def test_a_start_with_a_kept_session_forces_no_lab(window, open_window) -> None:
    assert window.labs.desk.play is None
    assert window.workbench.store.session == pe.Session()
    assert not window.cards["plot.attention"].isHidden()
    assert not is_covered(window, "attention")
    assert window.cards["lab"].isHidden()


@pytest.mark.slow
def test_answers_that_are_not_committed_yet_and_free_play_last_over_a_restart(learner, again) -> None:
    given = {}
    for place in ((FIRST, "own"), ("waves", "base"), (ROPE, "base"), ("waves", "sketch"), (FIRST, "reorder")):
        learner.at(*place)
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
        learner.at(*place)
        learner.waits(lambda answer=answer: learner.page.answer.answer() == answer)
        assert not learner.play.done.committed


@pytest.mark.slow
def test_progress_predictions_notes_and_pictures_survive_a_restart(learner, again) -> None:
    learner.invited()
    before_lab = arrangement_of(learner.window)
    learner.at(FIRST, "reorder").passes("place")
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
    assert learner.panel.home.rows[FIRST].text() == "Continue"


@pytest.mark.slow
def test_nothing_that_a_newer_explorer_recorded_is_overwritten(learner, again, tmp_path) -> None:
    learner.at(WITH_NOTES, "missing").passes()
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
    learner.at(WITH_NOTES, "missing").passes()
    learner.writes("one")
    learner.clicks("Close the lab")
    assert learner.window.labs.desk.record_of(lab_library.lab(WITH_NOTES)).step("missing").notes == "one"
    learner.begins(WITH_NOTES)
    learner.writes("two")
    learner = again(learner)
    assert learner.page.notes.toPlainText() == "two"


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
