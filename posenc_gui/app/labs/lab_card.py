"""The lab card: list of labs, current step, free play and results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from posenc_gui.app.labs.lab_list import LabList
from posenc_gui.app.labs.lab_widgets import text_metrics_of
from posenc_gui.app.labs.played_lab import COMES_BACK, LabDesk
from posenc_gui.app.labs.step_page import StepPage
from posenc_gui.app.widgets.controls import (
    add_to,
    in_column,
    in_row,
    line_field,
    plain_label,
    push_button,
    rich_label,
    scrolling_column,
)
from posenc_gui.app.widgets.focus_order import holds_keyboard
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import SMALL, TIGHT
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.labs.definition.lab import Lab
from posenc_gui.labs.definition.record import MOST_NAMED, OTHERWISE, RIGHT, StepRecord
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.text import lab_markdown

_AGAIN, _REALLY = "Begin again", "Yes, begin again"  # the second is asked after the first
_DONE, _NOT_DONE = "·", "–"  # symbols before steps that were not judged


class LabPanel(QStackedWidget):
    """The lab card's content, which follows the state of the desk."""

    def __init__(self, desk: LabDesk, open_plots: Callable[[], list[str]]) -> None:
        super().__init__()
        self._desk = desk
        self.home = LabList(desk.record_of)
        self.step = StepPage(desk, open_plots)
        self.away = _AwayPage(desk)
        self.end = EndPage(desk)
        for page in (self.home, self.step, self.away, self.end):
            self.addWidget(page)
        self.home.chosen.connect(self._on_chosen)
        self.step.finished.connect(self._on_finished)
        self.end.back.clicked.connect(lambda: self.setCurrentWidget(self.step))
        desk.changed.connect(self.show_play)

    def show_play(self, play: Play | None) -> None:
        """Show a played lab, or the list of labs; there the keyboard goes to the one with which to go on."""
        if play is None:
            had_keyboard = holds_keyboard(self)
            self.home.refresh()
            self.setCurrentWidget(self.home)
            if had_keyboard:
                self.home.take_keyboard()
        elif play.free:
            self.away.show_play(play)
            self.setCurrentWidget(self.away)
        else:
            self.step.show_play(play)
            self.setCurrentWidget(self.step)

    def _on_chosen(self, lab: Lab) -> None:
        """Play a lab, or show the results of a finished one."""
        if self._desk.begin(lab) and self._desk.play and self._desk.play.record.finished:
            self._on_finished()

    def _on_finished(self) -> None:
        if self._desk.play:
            self.end.show_play(self._desk.play)
            self.setCurrentWidget(self.end)


class _AwayPage(QWidget):
    """The page shown during free play, with the button that leads back to the lab."""

    def __init__(self, desk: LabDesk) -> None:
        super().__init__()
        self._where = plain_label()
        self.back = push_button("Back to the lab", desk.come_back, accent=True)
        leave = push_button("Close the lab", desk.leave, hint=COMES_BACK)
        column = QVBoxLayout(self)
        add_to(column, plain_label("Free play", "stepTitle"), self._where, self.back, leave, None)

    def show_play(self, play: Play) -> None:
        """Show at which step the lab is paused, or was left once it was finished."""
        lab, step = quote(play.lab.title), f"at step {play.index + 1}, {quote(play.step.title)}"
        where = f"{lab} is finished; you left it {step}" if play.record.finished else f"{lab} waits {step}"
        self._where.setText(
            f"Try anything. {where}, with the sentence and settings you had there."
            + (" Your report will say that you used free play before predicting." if play.phase == "predict" else "")
        )


class EndPage(QWidget):
    """The results of a lab, and its report."""

    folder_wanted = Signal()  # save the report in a folder
    pdf_wanted = Signal()  # save the report as a PDF
    more_wanted = Signal()  # close this lab, and list all

    def __init__(self, desk: LabDesk) -> None:
        super().__init__()
        self._desk = desk
        self._title, self._told, self._missing = plain_label("", "stepTitle"), plain_label(), plain_label("", "muted")
        self._takeaway = rich_label("boxed")
        self.learner = line_field("Your name", "Your name", most=MOST_NAMED)
        self.learner.editingFinished.connect(self.keep_name)
        desk.entered.connect(self.keep_name)
        self.learner.textChanged.connect(self._on_named)
        hint = "A web page, and a file that the teacher's explorer can open."
        to_folder, to_pdf = (partial(self._want, report) for report in (self.folder_wanted, self.pdf_wanted))
        self.save = push_button("Save report to a folder …", to_folder, accent=True, hint=hint)
        self.pdf = push_button("Save report as PDF …", to_pdf)
        self.back = push_button("Back")
        more = push_button("More labs", self.more_wanted.emit)
        self._again = push_button(_AGAIN, self._on_again, hint="Start a new record; this one is kept.")
        self._state = plain_label("", "muted")
        self._scroll, column = scrolling_column("Results of the lab")  # the last step's cards leave little height
        column.setContentsMargins(scaled(SMALL), scaled(TIGHT), scaled(SMALL), scaled(TIGHT))  # for the focus frame
        said = self._title, self._takeaway, self._told, self._missing, plain_label("Name for the report")
        add_to(column, *said, self.learner, self.save, self.pdf, None)
        ways = in_row(self.back, self._again, more)
        in_column(self._scroll, self._state, ways, of=self, gap=scaled(TIGHT), grows=self._scroll)
        THEME.changed.connect(self._restyle)

    def show_play(self, play: Play) -> None:
        """Show the takeaway and, one line per step, whether it is done and was predicted right."""
        record = play.record
        self._title.setText(play.lab.title)
        self._show_takeaway(play)
        self._told.setText("\n".join(f"{_sign(record.step(step.name))} {step.title}" for step in play.lab.steps))
        explained = f"{RIGHT} as predicted, {OTHERWISE} otherwise, {_DONE} done, {_NOT_DONE} not done."
        so_far = "" if record.finished else f" {record.n_done} of {format_count(record.n_steps, 'step')} done."
        n_pictures = sum(len(step.pictures) for step in record.steps.values())
        kept = f" {format_count(n_pictures, 'picture')} for the report." if n_pictures else ""
        self._missing.setText(f"{explained}{so_far}{kept}")
        self.learner.setText(record.learner)
        self._on_named()
        self._again.setText(_AGAIN)
        self._scroll.verticalScrollBar().setValue(0)
        self._scroll.setFocus()  # from where arrow keys scroll and Tab goes on

    def _restyle(self) -> None:
        """Draw formulas in the current theme."""
        if self._desk.play:
            self._show_takeaway(self._desk.play)

    def _show_takeaway(self, play: Play) -> None:
        """Show the lab's concluding text, with the learner's own measurements filled in."""
        told = lab_markdown.html(play.lab.takeaway, play.record.own_numbers, THEME.roles.ink, text_metrics_of(self))
        self._takeaway.setText(told)
        self._takeaway.setVisible(lab_markdown.is_filled(play.lab.takeaway, play.record.own_numbers))

    def keep_name(self) -> None:
        """Save the typed name."""
        if self.learner.isModified():
            self.learner.setModified(False)
            self._desk.name_learner(self.learner.text())

    def say(self, words: str) -> None:
        """Show what becomes of the report: being written, saved or failed."""
        self._state.setText(words)

    def _want(self, report: SignalInstance) -> None:
        self.keep_name()  # on some desktops a click on a button doesn't take the focus from the name field
        report.emit()

    def _on_named(self) -> None:
        named = bool(self.learner.text().strip())
        for button in (self.save, self.pdf):
            button.setEnabled(named)
        self._state.setText("" if named else "Write your name first.")

    def _on_again(self) -> None:
        if self._again.text() == _AGAIN:
            self._again.setText(_REALLY)
            self._state.setText("A new run begins at the first step; this one is kept as a report.")
        elif self._desk.play:
            self._desk.begin(self._desk.play.lab, again=True)


def _sign(done: StepRecord) -> str:
    return (done.sign or _DONE) if done.done else _NOT_DONE
