"""A lab written beside the window, by its own controls: what is asked, done and then said stands in the file, and plays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hands import User, action
from lab_hands import PATIENT, Learner, press
from PySide6.QtWidgets import QComboBox, QFileDialog

from posenc_gui.app.controls import Choices
from posenc_gui.app.labs.writing import StepWriter
from posenc_gui.app.window import MainWindow
from posenc_gui.labs import check, read
from posenc_gui.labs.lab import Lab


class Writer:
    """A teacher at the window, who writes to a file."""

    def __init__(self, window: MainWindow, user: User, qtbot: object, path: Path) -> None:
        self.window, self.user, self.qtbot, self.path = window, user, qtbot, path
        action(window, "Make this state a step").trigger()
        (self.dialog,) = window.findChildren(StepWriter)

    def chooses(self, box: Choices, words: str) -> None:
        """Choose the first entry that holds these words, once it is there."""
        self.qtbot.waitUntil(lambda: _place_of(box, words) is not None, timeout=PATIENT)
        self.user.picks(box, box.itemData(_place_of(box, words)))

    def shows(self, encoding: str) -> None:
        """Do what the learner shall do: choose another encoding."""
        press(self.dialog.capture)
        self.user.chooses_encoding(self.window, encoding)
        press(self.dialog.capture)

    def answers(self, *answers: tuple[str, str]) -> None:
        """Write answers, each with the words of when it is what happens."""
        for row, (words, when) in zip(self.dialog.asking.rows, answers, strict=False):
            self.user.types(row.words, words)
            if when:
                self.chooses(row.when, when)

    def lab(self) -> Lab:
        """What was written."""
        return read.load(self.path)


def _place_of(box: QComboBox, words: str) -> int | None:
    return next((at for at in range(box.count()) if words in box.itemText(at)), None)


@pytest.fixture
def writer(open_window, user, qtbot, settle, tmp_path, monkeypatch) -> Writer:
    """Who begins without an encoding, and names a file when asked."""
    path = tmp_path / "mine.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window = open_window()
    user.chooses_encoding(window, "none")
    return Writer(window, user, qtbot, path)


def test_a_step_is_written_by_doing_what_the_learner_shall_do_and_is_then_played(
    writer: Writer, user: User, qtbot: object
) -> None:
    dialog, begun = writer.dialog, writer.window.workbench.store.session
    user.types(dialog.lab, "Twins")
    user.types(dialog.title, "Two equal words")
    user.types(dialog.text, "What becomes of their rows?")
    writer.shows("sinusoidal")
    done = writer.window.workbench.store.session
    writer.chooses(dialog.more, "is larger than before")
    user.types(dialog.act, "Choose Sinusoidal.")
    writer.chooses(dialog.asking.kind, "One of several")
    user.types(dialog.asking.asks, "With positions they")
    writer.chooses(dialog.asking.value, "Twins: 0 →")
    assert _place_of(dialog.asking.rows[0].when, "● is larger than before") is not None
    writer.answers(("grow apart.", "larger"), ("stay equal.", "as before"), ("change places.", ""))
    user.types(dialog.explain, "They are apart by ")
    writer.chooses(dialog.number, "Twins: 0 →")
    press(dialog.play)
    assert dialog.isHidden()
    lab = writer.lab()
    assert check.check(lab) == []
    (step,) = lab.steps
    assert (lab.title, step.title, step.text) == ("Twins", "Two equal words", "What becomes of their rows?")
    assert step.begun(begun) == begun
    assert step.solved(begun) == done
    encoding, larger = (condition.text for condition in step.goal)
    assert encoding == 'session.encoding.name == "sinusoidal"'
    assert "> before." in larger
    assert step.explain == "They are apart by {{twins.value}}"
    assert step.panels == ("encoding",)
    learner = Learner(writer.window, user, qtbot)
    assert learner.play.lab == lab
    learner.passes("b")
    assert learner.play.done.outcome.answer == "a"


def test_a_step_without_a_prediction_is_seen_to_be_done_while_it_is_played(writer: Writer, user: User, qtbot) -> None:
    user.types(writer.dialog.title, "Choose another one")
    writer.shows("sinusoidal")
    user.types(writer.dialog.act, "Choose Sinusoidal.")
    press(writer.dialog.play)
    learner = Learner(writer.window, user, qtbot)
    assert learner.play.phase == "act"
    user.chooses_encoding(writer.window, "sinusoidal")
    learner.waits(lambda: learner.play.phase == "done")


def test_step_after_step_goes_to_the_same_file_until_another_is_wanted(writer: Writer, user: User) -> None:
    for count in (1, 2):
        user.types(writer.dialog.title, f"Step number {count}")
        writer.chooses(writer.dialog.asking.kind, "Their own words")
        press(writer.dialog.next)
        assert [step.title for step in writer.lab().steps] == ["Step number 1", "Step number 2"][:count]
        assert writer.dialog.isVisible()
        assert writer.dialog.title.text() == ""
        assert not writer.dialog.lab.isVisible()
    press(writer.dialog.another)
    assert writer.dialog.lab.isVisible()
    writer.path.unlink()
    user.types(writer.dialog.title, "First of another")
    press(writer.dialog.next)
    assert len(writer.lab().steps) == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("# A heading", "begins a part of the file"),
        ("```step\nname = 1\n```", "begins a part of the file"),
        ("Is {{session.n_tokens}} known?", "is filled in under"),
    ],
)
def test_what_can_not_be_written_is_said_and_nothing_is_lost(writer: Writer, words: str, why: str) -> None:
    writer.dialog.text.setPlainText(words)
    press(writer.dialog.next)
    assert not writer.path.exists()
    assert why in writer.dialog.refusal()
    assert writer.dialog.text.toPlainText() == words


def test_what_is_missing_is_asked_for(writer: Writer, user: User) -> None:
    dialog = writer.dialog
    press(dialog.play)
    assert dialog.refusal() == "Write the step's title, or what leads to the question."
    assert dialog.focusWidget() is dialog.title
    press(dialog.capture)
    press(dialog.next)
    assert "Press “" in dialog.refusal()
    press(dialog.capture)
    writer.chooses(dialog.asking.kind, "One of several")
    press(dialog.next)
    assert dialog.refusal() == "Write two answers at least."
    assert dialog.focusWidget() is dialog.asking.rows[0].words
    assert not dialog.asking.rows[0].words.visibleRegion().isEmpty()  # it has come into sight
    writer.answers(("one", ""), ("two", ""))
    press(dialog.next)
    assert dialog.refusal() == "Choose for one answer when it is what happens."
    writer.chooses(dialog.asking.value, "Twins:")
    assert _place_of(dialog.asking.rows[0].when, "before") is None  # nothing is done
    writer.answers(("one", "is not 0"))
    press(dialog.next)
    assert dialog.refusal() == "Exactly one answer must be what happens, marked by ●: none is."
    assert dialog.focusWidget() is dialog.asking.rows[0].when
    writer.answers(("one", "● is 0"), ("two", "● is 0"))
    press(dialog.next)
    assert dialog.refusal() == "Exactly one answer must be what happens, marked by ●: answers a and b are."
    assert not writer.path.exists()


def test_a_lab_that_is_played_waits_while_a_step_is_written(open_window, user, qtbot, tmp_path) -> None:
    learner = Learner(open_window(), user, qtbot)
    learner.begins("6-why-add")
    Writer(learner.window, user, qtbot, tmp_path / "mine.md")
    assert learner.play.free
    learner.clicks("Back to the lab")
    assert not learner.play.free
