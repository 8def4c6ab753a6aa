"""Labs of one's own: opened, listed, followed as they are written, and given another step."""

from __future__ import annotations

import os

import pytest
from example import LAB
from hands import action, answers, banner, close_banner, drop, read
from lab_hands import Learner, arrangement_of, assert_arranged, plain, press
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel

from posenc_gui.app.labs.authoring.step_writer import Written
from posenc_gui.foundation.files.turns import turn
from posenc_gui.labs.authoring.write import StepDraft
from posenc_gui.labs.definition import parse

FIRST = "attention-reads-a-bag"
OWN = LAB[: LAB.index("## How many tokens?")]  # of one step


@pytest.fixture
def learner(open_window, user, qtbot) -> Learner:
    """Who starts the explorer for the first time, in a window of their own."""
    return Learner(open_window(), user, qtbot)


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


def test_a_lab_that_is_being_written_elsewhere_gets_no_step_and_the_window_doesn_t_wait(
    learner, own_lab, monkeypatch
) -> None:
    with turn(own_lab), monkeypatch.context() as while_writing:
        while_writing.setattr("time.sleep", pytest.fail)
        learner.window.labs.write_step(own_lab, Written(StepDraft(learner.session, ("attention",))))
    assert banner(learner.window).startswith(f"Not written: {own_lab}: It is already being written; try again")


@pytest.mark.slow
def test_a_folder_s_labs_are_listed_and_what_is_none_is_named(learner, own_lab) -> None:
    (own_lab.parent / "notes.md").write_text("no lab")
    (own_lab.parent / "notes.txt").write_text("nor this")
    learner.window.labs.show_folder(own_lab.parent)
    read(learner.window)
    assert banner(learner.window).startswith("Not listed: notes.md, line 1: ")
    QApplication.processEvents()
    press(learner.panel.home.rows["own"])
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
    assert banner(learner.window) == f"Not written: {why.replace('be read', 'be written')}"
    drop(learner.window, own_lab)
    pipe.replace(own_lab)
    learner.waits(lambda: banner(learner.window) == f"The lab was not reloaded: {why.replace('a-pipe', 'own')}")
    assert learner.play.lab.name == "own"


@pytest.mark.slow
def test_a_window_asks_before_it_closes_on_a_step_that_is_in_no_file(learner) -> None:
    user, window = learner.user, learner.window
    action(window, "Make this state a step").trigger()
    dialog = window.labs.writer
    assert not dialog.holds_unwritten
    user.types(dialog.title, "Half a step")
    dialog.close()
    asked = []
    QTimer.singleShot(0, lambda: asked.append(answers(window, "Back to the step")))
    assert not window.close()
    assert dialog.isVisible()
    assert dialog.title.text() == "Half a step"
    QTimer.singleShot(0, lambda: asked.append(answers(window, "Close without it")))
    assert window.close()
    assert asked == ["The step of a lab that you are making is in no file yet."] * 2
