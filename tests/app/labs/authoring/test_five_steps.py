"""A teacher's lab of five steps, written in the window by its own controls: it is checked, played, and took fifteen minutes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hands import action
from keystrokes import Hand
from lab_hands import Learner
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QScrollArea, QTabBar, QWidget

from posenc_gui.app.labs.authoring.step_parts import PAGES
from posenc_gui.app.labs.authoring.step_writer import StepWriter
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.labs.authoring import check
from posenc_gui.labs.definition import parse

MINUTES = 15
LAB = ("ALiBi against RoPE", "Two ways to tell attention how far a word is: what does each know?")
CONTROL = Qt.KeyboardModifier.ControlModifier


class Teacher:
    """Writes steps, as fast as someone who knows the dialog."""

    def __init__(self, window: MainWindow, settle, qtbot, path: Path) -> None:
        self.window, self.settle, self.qtbot, self.path = window, settle, qtbot, path
        self.hand = Hand()
        action(window, "Make this state a step").trigger()
        (self.dialog,) = window.findChildren(StepWriter)
        self.waits_for("Equivariance")

    def waits_for(self, measured: str) -> None:
        """Until the dialog offers a value that begins and goes on with these words."""
        begins, _, goes_on = measured.partition(" … ")
        box = self.dialog.number

        def is_there() -> bool:
            told = [box.itemText(at) for at in range(box.count())]
            return any(one.startswith(begins) and goes_on in one for one in told)

        self.qtbot.waitUntil(is_there)

    def encodes(self, title: str) -> None:
        """Choose an encoding in the window, by its name."""
        choice = self.window.workbench.encoding.choice()
        self.hand.clicks(choice)
        if not choice.list().isVisible():
            choice.showPopup()
        self.hand.keys(choice.list().field, title)
        self.hand.presses(choice.list().field, Qt.Key.Key_Return)
        self.settle(self.window)

    def sets(self, field: str, value: str) -> None:
        """Write a parameter of the encoding."""
        editor = self.window.workbench.encoding.form().editor(field)
        box = editor.findChild(QLineEdit)
        self.hand.goes_to(box)
        self.hand.presses(box, Qt.Key.Key_A, CONTROL)
        self.hand.keys(box, value)
        self.hand.presses(box, Qt.Key.Key_Return)
        self.settle(self.window)

    def turns_to(self, field: QWidget) -> None:
        """Go to the page on which a field stands."""
        if not field.isVisible():
            (area,) = (area for area in self.dialog.findChildren(QScrollArea) if area.isAncestorOf(field))
            tabs = self.dialog.findChild(QTabBar)
            self.hand.clicks(tabs, tabs.tabRect(PAGES.index(area.accessibleName())).center())

    def chooses(self, box: QComboBox, words: str) -> None:
        """Choose an entry of the dialog."""
        self.turns_to(box)
        self.hand.chooses(box, words)

    def writes(self, field: QWidget, prose: str) -> None:
        """Write in a field of the dialog."""
        self.turns_to(field)
        self.hand.writes(field, prose)

    def captures(self) -> None:
        """Begin, or end, what the learner shall do."""
        self.turns_to(self.dialog.capture)
        self.hand.clicks(self.dialog.capture)

    def asks(self, text: str) -> None:
        """Write what leads to the question."""
        self.turns_to(self.dialog.text)
        self.hand.writes(self.dialog.text, text)

    def says(self, explanation: str, number: str = "", rest: str = "") -> None:
        """Write what is then said, with a number that is measured in its middle."""
        self.turns_to(self.dialog.explain)
        self.hand.writes(self.dialog.explain, explanation)
        if number:
            self.hand.chooses(self.dialog.number, number)
            self.hand.goes_on(self.dialog.explain, rest)

    def ends(self, last: bool = False) -> None:
        """Write the step; the first asks for a file, whose name is there."""
        before = self.path.read_text() if self.path.exists() else ""
        if not before:
            self.hand.counts.update("MK")
        button = self.dialog.play if last else self.dialog.next
        self.qtbot.waitUntil(button.isEnabled)
        self.hand.clicks(button)
        written = lambda: self.path.exists() and self.path.read_text() != before  # noqa: E731
        self.qtbot.waitUntil(lambda: written() or bool(self.dialog.refusal()))
        assert not self.dialog.refusal()
        box = self.dialog.number
        self.qtbot.waitUntil(lambda: last or not any("→" in box.itemText(at) for at in range(box.count())))


@pytest.mark.slow
def test_five_steps_are_written_in_fifteen_minutes_checked_and_played(
    open_window, user, settle, qtbot, tmp_path, monkeypatch
) -> None:
    path = tmp_path / "alibi-against-rope.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window = open_window()
    user.chooses_encoding(window, "none")
    window.cards["plot.dials"].close()  # ALiBi has no hands
    teacher = Teacher(window, settle, qtbot, path)
    hand, dialog = teacher.hand, teacher.dialog
    asking = dialog.asking
    hand.writes(dialog.lab, LAB[0])
    hand.writes(dialog.summary, LAB[1])

    teacher.asks(
        "Without positions, attention reads a bag of words. ALiBi takes from each score a penalty that grows with distance. "
        "When words are reordered, how far do outputs then move?"
    )
    teacher.captures()
    teacher.encodes("ALiBi")
    teacher.captures()
    teacher.waits_for("Equivariance: … →")
    teacher.chooses(asking.kind, "One of several")
    teacher.chooses(asking.value, "Equivariance:")
    teacher.writes(
        asking.rows[2].said, "Weights now depend on the distance, and a reordered word has other neighbours."
    )
    teacher.says("Each word meets its neighbours at other distances: outputs move by ", "Equivariance:", ", not by 0.")
    teacher.ends()

    teacher.asks(
        "Move the whole sentence 100 places on. ALiBi sees distances alone. RoPE turns by the place: will scores change?"
    )
    teacher.captures()
    teacher.encodes("RoPE")
    teacher.captures()
    teacher.waits_for("Frequencies, wavelengths, last: none")
    teacher.chooses(asking.value, "Absolute or relative:")
    teacher.writes(asking.rows[0].said, "Query and key are both turned further, by the same angle.")
    teacher.says("What both hands turn further leaves the angle between them as it was: RoPE is relative, too.")
    teacher.chooses(dialog.claims.more, "Absolute or relative: 0: is 0")
    teacher.ends()

    teacher.asks("RoPE has a hand for each pair of dimensions. How many places does the slowest take for one turn?")
    teacher.chooses(asking.kind, "A number")
    teacher.chooses(asking.value, "Frequencies, wavelengths, last")
    teacher.chooses(asking.rows[0].when, "Frequencies, wavelengths, first")
    teacher.writes(asking.rows[0].said, "That is the fastest hand.")
    teacher.says("The slowest needs ", "Frequencies, wavelengths, last", " places, far more than this sentence has.")
    teacher.ends()

    teacher.asks(
        "A smaller base makes all hands but the first faster. What becomes of the slowest one's turn at base 500?"
    )
    teacher.captures()
    teacher.sets("base", "500")
    teacher.captures()
    teacher.waits_for("Frequencies, wavelengths, last: … →")
    teacher.chooses(asking.kind, "One of several")
    teacher.chooses(asking.value, "Frequencies, wavelengths, last")
    teacher.writes(asking.rows[0].said, "A smaller base means larger angles from place to place.")
    teacher.says("It now takes ", "Frequencies, wavelengths, last", " places: angles are powers of the base.")
    teacher.ends()

    teacher.encodes("ALiBi")
    teacher.asks("Back to ALiBi. Draw what it adds to a score, from far before the query to far behind it.")
    teacher.chooses(asking.kind, "A curve")
    qtbot.waitUntil(lambda: asking.plot.findText("Waves") >= 0)
    teacher.chooses(asking.plot, "Waves")
    teacher.writes(asking.judged["wrong"], "It is highest at the query itself.")
    teacher.says("A roof: each place away costs the same. RoPE has waves instead, whose sum fades only on the whole.")
    teacher.ends(last=True)

    lab = parse.load(path)
    assert check.check(lab) == []
    assert [step.prediction.kind for step in lab.steps] == ["choice", "choice", "number", "choice", "sketch"]
    assert hand.minutes <= MINUTES

    learner = Learner(window, user, qtbot)
    assert (learner.play.lab, learner.step.name) == (lab, "step-5")
    window.labs.begin(lab, "step-1")
    for _ in lab.steps:
        learner.passes()
        learner.goes_on()
    assert learner.play.record.finished
    assert all(learner.play.record.step(step.name).outcome.right for step in lab.steps)
