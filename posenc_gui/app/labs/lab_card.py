"""The lab card: where labs begin, the step at hand, free play, and what goes into the report."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from posenc_gui.app.labs.lab_list import LabHome
from posenc_gui.app.labs.played_lab import LabDesk
from posenc_gui.app.labs.step_page import StepPage
from posenc_gui.app.widgets.controls import LineField, plain, push, rich, scrolling
from posenc_gui.app.widgets.formula_metrics import letters_of
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import SMALL, TIGHT, Roles
from posenc_gui.labs.definition.record import MOST_NAMED, OTHERWISE, RIGHT, StepRecord
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.text import lab_markdown as words
from posenc_gui.measures.base import counted

_DONE, _NOT_DONE = "·", "–"  # signs where nobody judges


class LabPanel(QStackedWidget):
    """Shows what the desk holds."""

    def __init__(self, desk: LabDesk, open_plots: Callable[[], list[str]], theme: Roles) -> None:
        super().__init__()
        self._desk = desk
        self.home = LabHome(desk.record_of)
        self.step = StepPage(desk, open_plots, theme)
        self.away = _AwayPage(desk)
        self.end = EndPage(desk, theme)
        for page in (self.home, self.step, self.away, self.end):
            self.addWidget(page)
        self.home.chosen.connect(desk.begin)
        self.step.finished.connect(self._on_finished)
        self.end.back.clicked.connect(lambda: self.setCurrentWidget(self.step))
        desk.changed.connect(self.show_play)

    def show_play(self, play: Play | None) -> None:
        """Show a play, or where labs begin."""
        if play is None:
            self.home.refresh()
            self.setCurrentWidget(self.home)
        elif play.free:
            self.away.show_play(play)
            self.setCurrentWidget(self.away)
        else:
            self.step.show_play(play)
            self.setCurrentWidget(self.step)

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        self.step.set_theme(theme)
        self.end.set_theme(theme)

    def _on_finished(self) -> None:
        if self._desk.play:
            self.end.show_play(self._desk.play)
            self.setCurrentWidget(self.end)


class _AwayPage(QWidget):
    """Free play: the way back to the lab."""

    def __init__(self, desk: LabDesk) -> None:
        super().__init__()
        self._where = plain()
        self.back = push("Back to the lab", accent=True)
        self.back.clicked.connect(desk.come_back)
        leave = push("Close lab")
        leave.clicked.connect(desk.leave)
        column = QVBoxLayout(self)
        for widget in (plain("Free play", "stepTitle"), self._where, self.back, leave):
            column.addWidget(widget)
        column.addStretch(1)

    def show_play(self, play: Play) -> None:
        """Say where the lab waits."""
        self._where.setText(
            f"Try what you like. “{play.lab.title}” waits at step {play.index + 1}, “{play.step.title}”, "
            "with the sentence and the settings that you had there."
            + (" Your report will say that you looked around before you predict." if play.phase == "predict" else "")
        )


class EndPage(QWidget):
    """What was done of a lab, and the report of it."""

    folder_wanted = Signal()  # the report, in a folder
    pdf_wanted = Signal()  # the report, as PDF

    def __init__(self, desk: LabDesk, theme: Roles) -> None:
        super().__init__()
        self._desk, self._theme = desk, theme
        self._title, self._told, self._missing = plain("", "stepTitle"), plain(), plain("", "muted")
        self._takeaway = rich("boxed")
        self.learner = LineField(placeholderText="Your name", maxLength=MOST_NAMED)
        self.learner.setAccessibleName("Your name")
        self.learner.editingFinished.connect(self.keep_name)
        desk.entered.connect(self.keep_name)
        self.learner.textChanged.connect(self._on_named)
        self.save = push("Save report to a folder …", accent=True)
        self.save.setToolTip("A page for any browser, and a file that a teacher's explorer can open.")
        self.save.clicked.connect(lambda: self._want(self.folder_wanted))
        self.pdf = push("Save report as PDF …")
        self.pdf.clicked.connect(lambda: self._want(self.pdf_wanted))
        self.back = push("Back to the steps")
        more = push("More labs")
        more.clicked.connect(desk.leave)
        again = push("Begin again")
        again.setToolTip("With a new record; this one is kept.")
        again.clicked.connect(self._on_again)
        self._state = plain("", "muted")
        scroll, column = scrolling("What came of the lab")  # the cards of the last step leave it little room
        room = scaled(SMALL), scaled(TIGHT), scaled(SMALL), scaled(TIGHT)  # for the frame of what has the focus
        column.setContentsMargins(*room)
        asked = plain("Under which name shall it be saved?")
        for said in (self._title, self._takeaway, self._told, self._missing, asked):
            column.addWidget(said)
        for done in (self.learner, self.save, self.pdf, self._state, self.back, again, more):
            column.addWidget(done)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def show_play(self, play: Play) -> None:
        """Show what was predicted and what was measured, a line a step."""
        record = play.record
        self._title.setText(play.lab.title)
        self._show_takeaway(play)
        self._told.setText("\n".join(f"{_sign(record.step(step.name))} {step.title}" for step in play.lab.steps))
        explained = f"{RIGHT} as predicted, {OTHERWISE} otherwise, {_DONE} done, {_NOT_DONE} not done."
        so_far = "" if record.finished else f" {record.n_done} of {record.n_steps} steps done."
        n_pictures = sum(len(step.pictures) for step in record.steps.values())
        kept = f" {counted(n_pictures, 'picture')} for the report." if n_pictures else ""
        self._missing.setText(f"{explained}{so_far}{kept}")
        self.learner.setText(record.learner)
        self._on_named()

    def set_theme(self, theme: Roles) -> None:
        """Draw formulas in another theme."""
        self._theme = theme
        if self._desk.play:
            self._show_takeaway(self._desk.play)

    def _show_takeaway(self, play: Play) -> None:
        """What stays of the lab, with the learner's own numbers."""
        told = words.html(play.lab.takeaway, play.record.own_numbers, self._theme.ink, letters_of(self))
        self._takeaway.setText(told)
        self._takeaway.setVisible(bool(play.lab.takeaway))

    def keep_name(self) -> None:
        """Keep the name that was typed."""
        if self.learner.isModified():
            self.learner.setModified(False)
            self._desk.name_learner(self.learner.text())

    def say(self, words: str) -> None:
        """Say what has become of the report."""
        self._state.setText(words)

    def _want(self, report: SignalInstance) -> None:
        self.keep_name()  # a button that is clicked doesn't take the keyboard from the name on every desktop
        report.emit()

    def _on_named(self) -> None:
        named = bool(self.learner.text().strip())
        for button in (self.save, self.pdf):
            button.setEnabled(named)
        self._state.setText("" if named else "Write your name first.")

    def _on_again(self) -> None:
        if self._desk.play:
            self._desk.begin(self._desk.play.lab, again=True)


def _sign(done: StepRecord) -> str:
    return (done.sign or _DONE) if done.done else _NOT_DONE
