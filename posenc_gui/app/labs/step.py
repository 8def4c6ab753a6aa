"""One step of a lab: what it asks, the learner's prediction, what came out, and the ways on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from superqt import QFlowLayout

from posenc_gui import plots
from posenc_gui.app.controls import TextField, plain, push, rich, scrolling, tool
from posenc_gui.app.labs.answers import AnswerView, SketchView, view_for
from posenc_gui.app.labs.desk import LabDesk
from posenc_gui.app.labs.pad import SketchPad
from posenc_gui.labs import words
from posenc_gui.labs.lab import Text
from posenc_gui.labs.observe import Observation
from posenc_gui.labs.play import Play
from posenc_gui.labs.record import LONGEST_WORDS
from posenc_gui.look import Roles
from posenc_gui.render.screen import FigureView

_SHORTEST_REASON = 3  # characters
_SAVED_AFTER = 600  # milliseconds of quiet after which notes are kept
_PHASES = {"predict": "predict", "act": "try it", "done": "done"}


class StepPage(QWidget):
    """Shows a play's step; the learner's actions go to the desk."""

    finished = Signal()  # past the last step

    def __init__(self, desk: LabDesk, open_plots: Callable[[], list[str]], theme: Roles) -> None:
        super().__init__()
        self._desk, self._open_plots, self._theme = desk, open_plots, theme
        self._play: Play | None = None
        self.answer: AnswerView | None = None

        self._where, self._title = plain(name="muted"), plain(name="stepTitle")
        self._text = rich()
        self._asks = rich()
        self._answer_place = QVBoxLayout()
        self._why = plain()
        self._why.setText("Why do you think so?")
        self.reason = _edit("Your reason", 54)
        self.reason.textChanged.connect(self._say_what_is_missing)
        self._missing = plain(name="muted")
        self.commit = push("Commit my prediction", accent=True)
        self.commit.clicked.connect(self._on_commit)
        self._prediction = _group(self._asks, self._answer_place, self._why, self.reason, self._missing, self.commit)

        self._predicted = rich("boxed")
        self._act = rich("act")
        self._hints = rich("boxed")
        self._outcome = rich("boxed")
        self._sketch = FigureView(theme)
        self._sketch.setFixedHeight(220)
        self._sketch.setAccessibleName("Your sketch and the measured curve")
        self._explain = rich()
        self._doubts = plain(name="refusal")
        self._own = plain()
        self._own.setText("Why did it come out so? In your own words, for your report:")
        self.notes = _edit("Your explanation", 54)
        self._keeper = QTimer(self, singleShot=True, interval=_SAVED_AFTER)
        self._keeper.timeout.connect(self.keep_notes)
        desk.entered.connect(self._on_entered)
        self.notes.textChanged.connect(self._keeper.start)
        self._done = _group(self._outcome, self._sketch, self._explain, self._doubts, self._own, self.notes)

        self.next = push("Next", accent=True)
        self.next.clicked.connect(lambda: self._move(1))
        self.back = push("Back")
        self.back.clicked.connect(lambda: self._move(-1))
        self.hint = push("Hint")
        self.hint.clicked.connect(desk.hint)
        self.show_me = push("Show me")
        self.show_me.clicked.connect(desk.show_me)
        self.reset = _way("Reset", "The session with which the step begins. Your prediction stays.")
        self.reset.clicked.connect(desk.reset_step)
        self.picture = _way("Picture", "Put a picture of a plot, as it is now, into your report.")
        self._pictures = QMenu(self.picture)
        self._pictures.aboutToShow.connect(self._fill_pictures)
        self.picture.setMenu(self._pictures)
        self.picture.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.roam = _way("Free play", "Everything is there to be tried; the lab waits.")
        self.roam.clicked.connect(desk.roam)
        self.leave = _way("Close", "What you have done of it is kept.")
        self.leave.clicked.connect(desk.leave)

        self._scroll, column = scrolling("Step")
        column.setSpacing(8)
        for widget in (self._where, self._title, self._text, self._predicted, self._prediction, self._act):
            column.addWidget(widget)
        column.addWidget(self._hints)
        column.addWidget(self._done)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._scroll, 1)
        outer.addWidget(_flow(self.back, self.next, self.hint, self.show_me))
        outer.addWidget(_flow(self.reset, self.picture, self.roam, self.leave))

    def show_play(self, play: Play) -> None:
        """Show the step at hand as far as it has come."""
        new = self._play is None or (self._play.lab, self._play.index) != (play.lab, play.index)
        came = new or self._play is None or self._play.phase != play.phase
        self._play = play
        step, done, phase = play.step, play.done, play.phase
        self._where.setText(f"{play.lab.title} · step {play.index + 1} of {len(play.lab.steps)} · {_PHASES[phase]}")
        self._title.setText(step.title)
        self._set(self._text, step.text)
        self._set(self._asks, step.asks)
        if new:
            self._replace_answer(play)
            self.notes.blockSignals(True)
            self.notes.setPlainText(done.notes)
            self.notes.blockSignals(False)
        self._prediction.setVisible(phase == "predict")
        self._show_predicted(play)
        self._act.setVisible(phase == "act" and bool(step.goal))
        self._set(self._act, f"**Now:** {step.act or 'Try it in the window.'} The lab notices when you are there.")
        self._hints.setVisible(bool(done.hints) and phase != "done")
        self._set(self._hints, "\n\n".join(step.hints[: done.hints]))
        self._show_done(play)
        self._show_ways(play)
        if came:
            QTimer.singleShot(0, self, lambda: self._scroll_to(phase))

    def keep_notes(self) -> None:
        """Keep what is written now."""
        self._keeper.stop()
        if self._play and self._play.phase == "done":
            self._desk.note(self.notes.toPlainText())

    def _on_entered(self) -> None:
        """What was written is kept; what was not committed is gone."""
        self.keep_notes()
        self._play = None

    def show_observation(self, seen: Observation) -> None:
        """Show the sketch beside the curve, where there are both."""
        self._sketch.setVisible(seen.compared is not None)
        if seen.compared:
            self._sketch.show_figure(seen.compared)

    def take_pad(self, pad: SketchPad) -> None:
        """Take the sketch from this pad."""
        if isinstance(self.answer, SketchView):
            self.answer.take(pad)

    def set_theme(self, theme: Roles) -> None:
        """Draw formulas and curves in another theme."""
        self._theme = theme
        self._sketch.set_colours(theme)
        if self.answer:
            self.answer.renew_words()
        if self._play:
            self.show_play(self._play)

    # --- parts

    def _replace_answer(self, play: Play) -> None:
        if self.answer:
            self._answer_place.removeWidget(self.answer)
            self.answer.hide()  # it goes only later
            self.answer.deleteLater()
            self.answer = None
        self.reason.setPlainText("")
        if play.step.prediction and play.phase == "predict":
            self.answer = view_for(play.step.prediction, self._html)
            self.answer.changed.connect(self._say_what_is_missing)
            self._answer_place.addWidget(self.answer)
            is_reason = isinstance(play.step.prediction, Text)  # free words give their own
            self.commit.setText("Keep my answer" if is_reason else "Commit my prediction")
            self._why.setHidden(is_reason)
            self.reason.setHidden(is_reason)
        self._say_what_is_missing()

    def _say_what_is_missing(self) -> None:
        missing = self.answer.missing() if self.answer else ""
        if not missing and not self.reason.isHidden():
            missing = _missing_of(self.reason.toPlainText().strip())
        self._missing.setText(missing or "A wrong prediction costs nothing. Once committed, it stays as it is.")
        self.commit.setEnabled(not missing)

    def _on_commit(self) -> None:
        if self.answer and (answer := self.answer.answer()) is not None:
            self._desk.commit(answer, self.answer.in_words(), self.reason.toPlainText().strip())

    def _show_predicted(self, play: Play) -> None:
        done = play.done
        self._predicted.setVisible(bool(done.committed))
        if done.committed:
            because = f" — {words.plain(done.reason)}" if done.reason else ""
            given = _inline(self._html(done.answer_words)) if done.by_lab else words.plain(done.answer_words)
            verb = "wrote" if done.kind == "text" else "predicted"
            self._predicted.setText(f"{self._html(play.step.asks)}<p><b>You {verb}:</b> {given}{because}</p>")

    def _show_done(self, play: Play) -> None:
        step, done = play.step, play.done
        self._done.setVisible(play.phase == "done")
        outcome = done.outcome
        told = ""
        if outcome and outcome.words:
            measured = _inline(self._html(outcome.words))
            verdict = {True: "as you predicted", False: "otherwise than you predicted", None: ""}[outcome.right]
            told = f"<p><b>Measured:</b> {measured}</p><p>{done.sign} {verdict}</p>"
            told += self._html(step.feedback.get(outcome.feedback, ""), done.values)
        self._outcome.setText(told)
        self._outcome.setVisible(bool(told))
        if outcome is None or not isinstance(outcome.answer, tuple):
            self._sketch.hide()
        self._set(self._explain, step.explain, done.values)
        doubts = ", ".join(done.doubts)
        self._doubts.setText(f"In your session not all of this holds. This is not so: {doubts}.")
        self._doubts.setVisible(bool(doubts))
        asked = step.prediction is not None and not isinstance(step.prediction, Text)
        self._own.setVisible(asked)
        self.notes.setVisible(asked)

    def _show_ways(self, play: Play) -> None:
        step, done, phase = play.step, play.done, play.phase
        last = play.index == len(play.lab.steps) - 1
        self.next.setText("Skip" if phase != "done" else "Finish" if last else "Next")
        self.next.setDefault(phase == "done")
        self.next.setProperty("accent", phase == "done")
        self.next.style().polish(self.next)
        self.back.setEnabled(play.index > 0)
        self.hint.setVisible(phase == "act" and done.hints < len(step.hints))
        self.hint.setText("Hint" if not done.hints else "Another hint")
        self.show_me.setVisible(phase == "act" and bool(step.solve) and done.hints >= len(step.hints))

    def _move(self, by: int) -> None:
        if self._play and self._play.index + by == len(self._play.lab.steps):
            self.finished.emit()
        elif self._play:
            self._desk.go(self._play.index + by)

    def _fill_pictures(self) -> None:
        self._pictures.clear()
        for name in self._open_plots():
            self._pictures.addAction(plots.plots()[name].title, partial(self._desk.take_picture, name))

    def _scroll_to(self, phase: str) -> None:
        if phase == "done":
            self._scroll.ensureWidgetVisible(self._outcome if self._outcome.isVisible() else self._explain, 0, 0)
        else:
            self._scroll.verticalScrollBar().setValue(0)

    def _set(self, label: QLabel, markdown: str, values: Mapping[str, str] | None = None) -> None:
        label.setText(self._html(markdown, values))

    def _html(self, markdown: str, values: Mapping[str, str] | None = None) -> str:
        return words.html(markdown, values or {}, self._theme.ink)


def _missing_of(reason: str) -> str:
    """What a reason still lacks; empty where nothing."""
    if len(reason) > LONGEST_WORDS:
        return f"Shorten your reason to {LONGEST_WORDS:,} characters: it has {len(reason):,}."
    return "" if len(reason) >= _SHORTEST_REASON else "Write in a few words why you think so."


def _inline(html: str) -> str:
    """Words of one paragraph without it, so that they can follow others."""
    return html.strip().removeprefix("<p>").removesuffix("</p>")


def _edit(name: str, height: int) -> TextField:
    edit = TextField()
    edit.setAccessibleName(name)
    edit.setTabChangesFocus(True)
    edit.setFixedHeight(height)
    return edit


def _way(text: str, hint: str) -> QToolButton:
    button = tool(text, hint=hint, framed=True, name="way")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _group(*parts: QWidget | QVBoxLayout) -> QWidget:
    group = QWidget()
    column = QVBoxLayout(group)
    column.setContentsMargins(0, 0, 0, 0)
    for part in parts:
        if isinstance(part, QWidget):
            column.addWidget(part)
        else:
            column.addLayout(part)
    return group


def _flow(*buttons: QAbstractButton) -> QWidget:
    """Buttons in a line that goes on below where there is no room, so that no text is cut."""
    line = QWidget()
    flow = QFlowLayout(line)
    flow.setContentsMargins(0, 0, 0, 0)
    flow.setSpacing(4)
    for button in buttons:
        flow.addWidget(button)
    return line
