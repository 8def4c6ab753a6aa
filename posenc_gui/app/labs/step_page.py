"""One step of a lab: question, prediction, outcome and navigation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from posenc_gui import plots
from posenc_gui.app.labs.answer_widgets import AnswerView, ChoiceView, SketchView, view_for
from posenc_gui.app.labs.lab_widgets import Folding, ProgressStrokes, text_metrics_of
from posenc_gui.app.labs.played_lab import COMES_BACK, LabDesk
from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.widgets.aloud import announce
from posenc_gui.app.widgets.controls import (
    TextField,
    add_to,
    delayed,
    discard,
    explain,
    in_column,
    in_row,
    layout_height,
    plain_label,
    push_button,
    rich_label,
    scrolling_column,
    show_words,
    text_field,
)
from posenc_gui.app.widgets.focus_order import holds_keyboard, keyboard_of
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.app.widgets.menu_button import MenuButton
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import SMALL, TIGHT
from posenc_gui.foundation.unicode_text import shorten_sentence
from posenc_gui.labs.definition.expressions import format_answer
from posenc_gui.labs.definition.lab import FreeText, Number
from posenc_gui.labs.definition.record import LONGEST_WORDS, OTHERWISE, RIGHT, DraftAnswer
from posenc_gui.labs.play.observe import Observation
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.text import lab_markdown
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.session.session import Session

_SHORTEST_REASON = 3  # characters
_LONGEST_GIVEN = 60  # characters of the sentence, where its panel is hidden
_SAVED_AFTER = 600  # milliseconds without typing before words are saved
_PANEL_NAMES = {"tokens": "Sentence", "encoding": "Encoding", "model": "Toy model", "code": "Code"}
_SHADE = "\N{WORD JOINER}"  # before a value that is to be shaded
_FRAMED = "Shaded numbers are framed in the plots."
_WORDS = 54  # pixels: the height of a field for a reason
_LABELS = 72  # pixels for "You did" and "You see" beside what was done and is seen


class StepPage(QWidget):
    """The page for a play's current step; the learner's actions are passed to the desk."""

    finished = Signal()  # the learner chose Finish in the last step
    tries_wanted = Signal()  # on a result: show the cards in which the step's session can be changed, or hide them

    def __init__(self, desk: LabDesk, open_plots: Callable[[], list[str]]) -> None:
        super().__init__()
        self._desk, self._open_plots = desk, open_plots
        self._play: Play | None = None
        THEME.changed.connect(self._restyle)
        self.answer: AnswerView | None = None
        self._session: Session | None = None
        self._marked = frozenset[str]()  # the expressions whose values are framed in a plot
        self._bar, self._title = ProgressStrokes(), plain_label(name="stepTitle")
        self._text = Folding("the question")
        self._given = plain_label(name="muted")
        self._keeper = delayed(self, self.keep_words, _SAVED_AFTER)
        self._make_prediction()
        self._make_help()
        self._make_outcome()
        self._make_ways()
        self._scroll, column = scrolling_column("Step")
        self._follows = False  # scroll to new parts until the learner scrolls
        self._scroll.viewport().installEventFilter(self)
        bar = self._scroll.verticalScrollBar()
        bar.rangeChanged.connect(self._show_new)
        bar.actionTriggered.connect(self._on_scrolled)
        column.setSpacing(scaled(SMALL))
        column.setContentsMargins(scaled(SMALL), scaled(TIGHT), scaled(SMALL), scaled(TIGHT))  # for the focus frame
        given = self._title, self._text, self._given, self._predicted, self._prediction
        add_to(column, *given, self._act, self._so_far, self._hints, self._help, self._done, None)
        self._column = column
        below = self._committing, self._transfer, self._more_tries, self._own, self.notes
        ways = in_row(self.back, self.more, None, self.next, gap=scaled(SMALL))
        in_column(self._bar, self._scroll, *below, ways, of=self, gap=scaled(TIGHT), grows=self._scroll)
        desk.entered.connect(self._on_entered)
        desk.observed.connect(self._say_so_far)

    def _make_prediction(self) -> None:
        self._asks = rich_label()
        self._answer_place = QVBoxLayout()
        self._why = plain_label("Why do you think so?")
        self.reason = text_field("Your reason", height=_WORDS)
        self.reason.textChanged.connect(self._on_answered)
        self._looked = plain_label("You used free play before predicting; your report will say so.", "muted")
        self._missing = plain_label(name="muted")
        self.commit = push_button("Commit my prediction", self._on_commit, accent=True)
        self._prediction = _group(self._asks, self._answer_place, self._why, self.reason)
        self._committing = _group(self._looked, self._missing, self.commit)
        self._predicted = Folding("your prediction", "boxed")

    def _make_help(self) -> None:
        self._act = rich_label("act")
        self._so_far = plain_label()
        self._hints = rich_label("boxed")
        self.hint = push_button("Hint", self._on_hint)
        self.show_me = push_button("Show me", self._desk.show_me)
        self._help = QWidget()
        in_row(self.hint, self.show_me, None, of=self._help, gap=scaled(SMALL))

    def _make_outcome(self) -> None:
        self._outcome = rich_label()
        self._doubts = plain_label(
            "Not all of this holds in your session. To do the step again, choose “Reset this step” below.", "refusal"
        )
        self._own = LinkRow("Why did it come out so?")
        self._own.clicked.connect(self._open_notes)
        self.notes = text_field("Your explanation", height=_WORDS)
        self.notes.textChanged.connect(self._keeper.start)
        self._done = _group(self._outcome, self._doubts)
        self._transfer_asks = rich_label()
        self._transfer_place = QVBoxLayout()
        self.transfer_answer: ChoiceView | None = None
        self._transfer = _group(self._transfer_asks, self._transfer_place)
        self._more_tries = LinkRow("Try more")
        self._more_tries.clicked.connect(self.tries_wanted)

    def _make_ways(self) -> None:
        self.next = push_button("Next", lambda: self._move(1), accent=True)
        self.back = push_button("Back", lambda: self._move(-1))
        self.more = MenuButton(
            "Reset, free play", says="Skip, reset, free play, close", hint="Skip or reset the step, free play, close"
        )
        menu = self.more.menu()
        self.skip = menu.addAction("Skip this step", lambda: self._move(1))
        self.reset = menu.addAction("Reset this step", self._desk.reset_step)
        self._pictures = menu.addMenu("Picture for the report")
        self._pictures.aboutToShow.connect(self._fill_pictures)
        self.picture = self._pictures.menuAction()
        self.roam = menu.addAction("Free play", self._desk.roam)
        self.leave = menu.addAction("Close the lab", self._desk.leave)
        for way, hint in (
            (self.skip, "Nothing is lost: you can come back to it."),
            (self.reset, "Start the step again from its first session. Your prediction stays."),
            (self.picture, "Put a picture of a plot, as it is now, into your report."),
            (self.roam, "Try anything; the lab waits."),
            (self.leave, f"{COMES_BACK} Your work in it is kept."),
        ):
            way.setToolTip(hint)

    def show_play(self, play: Play) -> None:
        """Show the current step in its current phase."""
        new = self._play is None or (self._play.lab, self._play.index) != (play.lab, play.index)
        came = new or self._play is None or self._play.phase != play.phase
        had_keyboard, was_read = holds_keyboard(self), self._scroll.hasFocus()
        self._play = play
        step, done, phase = play.step, play.done, play.phase
        if came:
            self._text.begin()
            self._predicted.begin()
        self._bar.show_play(play)
        self._scroll.setAccessibleName(f"{self._bar.accessibleName()}: {step.title}")
        self._scroll.setAccessibleDescription(_spoken(play))
        if came and had_keyboard:
            self._scroll.setFocus()  # before what has it is hidden: else Qt would take it elsewhere, which is heard
        self._title.setText(step.title)
        asked_too = step.asks if phase == "done" else ""
        self._text.show_words(self._html(f"{step.text}\n\n{asked_too}"), lab_markdown.in_line(step.question))
        self._set(self._asks, step.asks)
        if new:
            self._replace_answer(play)
            self._replace_transfer(play)
            with QSignalBlocker(self.notes):
                self.notes.setPlainText(done.notes)
            self.notes.hide()
        self._prediction.setVisible(phase == "predict")
        self._committing.setVisible(phase == "predict")
        self._looked.setVisible(done.explored)
        self._say_given()
        self._show_predicted(play)
        self._act.setVisible(phase == "act" and bool(step.goal))
        so_far = f" ({len(done.visited)} of {len(step.visit)} so far.)" if done.visited else ""
        if came:
            show_words(self._so_far, "")
        self._set(self._act, f"**Now:** {step.act or 'Try it in the window.'} The lab goes on by itself.{so_far}")
        self._hints.setVisible(bool(done.hints) and phase != "done")
        self._set(self._hints, "\n\n".join(step.hints[: done.hints]))
        self._show_done(play)
        self._show_ways(play)
        if had_keyboard and not holds_keyboard(self):  # what had it is hidden now
            self.take_keyboard()
        if came:
            if new or had_keyboard:  # so that a repeated key press doesn't press a button that has just appeared
                self.take_keyboard()
            if was_read or not self._scroll.hasFocus():  # else it is read where the keyboard has come
                announce(self._scroll, _spoken(play))
            self._follows = True
            self._fold_from_top()
            QTimer.singleShot(0, self, self._show_new)

    def show_session(self, session: Session) -> None:
        """Take the current session, and describe the parts of it whose cards are hidden."""
        self._session = session
        self._say_given()

    def show_tries(self, panels: tuple[str, ...], shown: bool) -> None:
        """Offer the cards of these panels for more tries, or say that they are shown."""
        self._more_tries.setVisible(bool(panels))
        names = ", ".join(_PANEL_NAMES[name] for name in panels)
        self._more_tries.say("hide" if shown else names)

    def show_marks(self, texts: frozenset[str]) -> None:
        """Put the values of these expressions in the explanation on a ground of their own: a plot frames them."""
        self._marked = texts
        if self._play and self._play.phase == "done":
            self._show_transfer(self._play)
            self._fold_from_top()

    def take_keyboard(self) -> None:
        """Focus the field of a number that is asked for, or else the page, from where arrow keys scroll and Tab goes on."""
        if not (self.answer and self.answer.isVisibleTo(self) and self.answer.take_keyboard()):
            self._scroll.setFocus()

    def keep_words(self) -> None:
        """Save the notes of a finished step, or the prediction that isn't committed yet."""
        self._keeper.stop()
        if self._play and self._play.phase == "done":
            self._desk.note(self.notes.toPlainText())
        elif self._play and self._play.phase == "predict" and self.answer:
            reason = self.reason.toPlainText()[:LONGEST_WORDS]
            self._desk.draft(DraftAnswer(answer=self.answer.draft(), reason=reason))

    def _on_entered(self) -> None:
        """Save what is written before another step begins."""
        self.keep_words()
        self._play = None

    def take_pad(self, pad: SketchPad) -> None:
        """Take the sketch from this pad, if the step asks for one."""
        if isinstance(self.answer, SketchView):
            self.answer.take(pad)

    def _restyle(self) -> None:
        """Draw formulas in the current theme."""
        for view in filter(None, (self.answer, self.transfer_answer)):
            view.renew_words()
        if self._play:
            self.show_play(self._play)

    # --- parts of the page

    def _replace_answer(self, play: Play) -> None:
        """Show the widget for the step's prediction, with what the learner has given before; none once it is committed."""
        if self.answer:
            discard(self.answer)
            self.answer = None
        prediction, draft = play.step.prediction, play.done.draft or DraftAnswer()
        self.reason.setPlainText(draft.reason)
        if prediction and play.phase == "predict":
            self.answer = view_for(prediction, self._html, play.options)
            self.answer.setAccessibleName(lab_markdown.in_line(play.step.asks))
            if draft.answer is not None:
                self.answer.restore(draft.answer)
            self.answer.changed.connect(self._on_answered)
            self._answer_place.addWidget(self.answer)
            is_reason = isinstance(prediction, FreeText)  # a free-text answer needs no extra reason
            self.commit.setText("Keep my answer" if is_reason else "Commit my prediction")
            self._why.setHidden(is_reason)
            self.reason.setHidden(is_reason)
        self._say_what_is_missing()

    def _on_answered(self) -> None:
        self._say_what_is_missing()
        self._keeper.start()

    def _say_what_is_missing(self) -> None:
        missing = self.answer.missing() if self.answer else ""
        if not missing and not self.reason.isHidden():
            missing = _missing_of(self.reason.toPlainText().strip())
        self._missing.setText(missing or "A wrong prediction costs nothing. Once committed, it stays as it is.")
        self.commit.setEnabled(not missing)

    def _on_commit(self) -> None:
        if self.answer and (answer := self.answer.answer()) is not None:
            self._keeper.stop()
            self._desk.commit(answer, self.answer.in_words(), self.reason.toPlainText().strip())

    def _on_hint(self) -> None:
        self._desk.hint()
        if self.hint.isHidden() and not self.show_me.isHidden():
            self.show_me.setFocus()  # else the keyboard would be nowhere after the last hint

    def _say_given(self) -> None:
        """Describe in one line the sentence and the encoding, if the step has their panels but hides them now."""
        play, session = self._play, self._session
        if play is None or session is None:
            return
        told = {
            "tokens": f"Sentence: {shorten_sentence(visible(session.text), _LONGEST_GIVEN)}",
            "encoding": f"Encoding: {session.encoding.called}",
        }
        hidden = [words for name, words in told.items() if name in play.step.panels and name not in play.panels]
        show_words(self._given, "" if play.phase == "done" else " · ".join(hidden))

    def _say_so_far(self, seen: Observation) -> None:
        """Say what was done where the step waits for something else, but not to one who is typing a sentence."""
        play = self._play
        if play is None or play.free or play.phase != "act":
            return
        is_typing = isinstance(keyboard_of(self.window()), TextField)
        if play.step.asks_formula:
            show_words(self._so_far, "\n".join(seen.told))
            return
        did = "" if is_typing or seen.reached or seen.visited else play.did_until(seen.session)
        end = "" if did.endswith("…") else "."
        show_words(self._so_far, f"So far: {did}{end} That isn't it yet." if did else "")

    def _show_predicted(self, play: Play) -> None:
        done = play.done
        self._predicted.setVisible(bool(done.committed))
        if done.committed:
            given = _inline(self._html(done.answer_words)) if done.by_lab else lab_markdown.plain(done.answer_words)
            you = f"You {'wrote' if done.kind == 'text' else 'predicted'}:"
            asked = self._html(play.step.asks) if play.phase != "done" else ""
            because = f"<p>Because: {lab_markdown.plain(done.reason)}</p>" if done.reason else ""
            verdict = _verdict(play)
            came_out = f"<p>{verdict}</p>" if verdict else ""
            words = lab_markdown.in_line(done.answer_words) if done.by_lab else done.answer_words
            whole = f"{asked}<p><b>{you}</b> {given}</p>{because}{came_out}"
            self._predicted.show_words(whole, f"{you} {words}", verdict.partition(",")[0])

    def _show_done(self, play: Play) -> None:
        step, done = play.step, play.done
        is_done = play.phase == "done"
        self._done.setVisible(is_done)
        self._tell_outcome(beside=True)
        explain(self._doubts, "Does not hold: " + ", ".join(done.doubts))  # for the lab's author
        self._doubts.setVisible(bool(done.doubts))
        asked = step.prediction is not None and not isinstance(step.prediction, FreeText)
        self._own.setVisible(is_done and asked and step.transfer is None)
        self._own.say(lab_markdown.in_line(done.notes) or "for your report")
        self.notes.setVisible(is_done and asked and self.notes.isVisibleTo(self))
        self._show_transfer(play)

    def _replace_transfer(self, play: Play) -> None:
        if self.transfer_answer:
            discard(self.transfer_answer)
            self.transfer_answer = None
        if play.step.transfer:
            view = self.transfer_answer = ChoiceView(play.step.transfer.choice, self._html, play.transfer_options)
            view.setAccessibleName(lab_markdown.in_line(play.step.transfer.asks))
            view.changed.connect(lambda: self._desk.transfer(view.answer() or ""))
            self._transfer_place.addWidget(view)

    def _show_transfer(self, play: Play) -> None:
        """Ask the transfer question of a result; once it is answered, say what came out."""
        transfer, given = play.step.transfer, play.done.transfer
        self._transfer.setVisible(play.phase == "done" and transfer is not None)
        if transfer is None or self.transfer_answer is None:
            return
        self.transfer_answer.setVisible(given is None)
        told = f"**And now?** {transfer.asks}"
        if given is None or given.outcome is None:
            self._set(self._transfer_asks, told)
            return
        said = given.answer_words.removesuffix(".")
        begun = {True: f"{RIGHT} As you said: ", False: f"{OTHERWISE} You said: {said}. It is: ", None: ""}
        parts = (told, f"{begun[given.outcome.right]}{given.outcome.words}", transfer.answer)
        self._set(self._transfer_asks, "\n\n".join(part for part in parts if part), self._shaded(given.values))

    def _shaded(self, values: Mapping[str, str]) -> dict[str, str]:
        """Shade the values whose places a plot frames."""
        return {text: f"{_SHADE}{value}" if text in self._marked else value for text, value in values.items()}

    def _tell_outcome(self, *, beside: bool) -> None:
        """Write what was done and what is seen, `beside` a column of labels or below each other, as they take less height."""
        assert self._play
        step, done = self._play.step, self._play.done
        parts: list[tuple[str, str]] = []
        if step.asks_formula and done.formula:
            parts.append(("Shown" if done.shown else "Formula", f"<code>{lab_markdown.plain(done.formula)}</code>"))
        elif did := self._play.did:
            met = f'<span style="color: {THEME.roles.met}">✓&nbsp;as&nbsp;asked</span>'
            as_asked = met if step.goal and not done.shown else ""
            parts.append(("Shown" if done.shown else "You did", f"{lab_markdown.plain(did)} {as_asked}"))
        seen = self._html(step.explain, done.values if done.transfer else self._shaded(done.values))
        if (outcome := done.outcome) and outcome.words:
            feedback = self._html(step.feedback.get(outcome.feedback, ""), done.values)
            seen = f"<p><b>{_inline(self._html(outcome.words))}</b></p>{feedback}{seen}"
        parts.append(("You see", seen))
        show_words(self._outcome, _in_columns(parts) if beside else _in_rows(parts))

    def _fold_from_top(self) -> None:
        """Fold as little of what was asked and predicted as leaves room for what is to be done, and on a result for what
        is seen."""
        if self._play is None:
            return
        if self._play.phase == "act":
            for question, prediction in ((False, False), (False, True), (True, True)):
                self._text.fold(folded=question)
                self._predicted.fold(folded=prediction)
                if self._has_room:
                    return
        if self._play.phase != "done":
            return
        self._text.fold(folded=True)
        for folds, beside in ((False, True), (True, True), (True, False)):
            self._predicted.fold(folded=folds)
            self._tell_outcome(beside=beside)
            if self._has_room:
                return

    @property
    def _has_room(self) -> bool:
        """True if the page's content, with what has just been written in it, is in sight as a whole."""
        for part in (self._text, self._predicted, self._done):
            if inner := part.layout():
                inner.activate()  # else the column knows of its old height until the next event
        viewport = self._scroll.viewport()
        return layout_height(self._column, viewport.width()) <= viewport.height()

    def _open_notes(self) -> None:
        self.notes.setVisible(not self.notes.isVisible())
        if self.notes.isVisible():
            self.notes.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fold what has no room in another height."""
        if event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._fold_from_top)
        return super().eventFilter(watched, event)

    def _show_ways(self, play: Play) -> None:
        step, done, phase = play.step, play.done, play.phase
        last = play.index == len(play.lab.steps) - 1
        self.next.setText("Finish" if last else "Next")
        self.next.setVisible(phase == "done")
        self.skip.setVisible(phase != "done")
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

    def _show_new(self) -> None:
        """Scroll to the new part, unless the learner has scrolled."""
        if self._play is None or not self._follows:
            return
        match self._play.phase:
            case "done":
                self._scroll.verticalScrollBar().setValue(self._done.y())
            case "act":
                self._scroll.ensureWidgetVisible(self._help, 0, 0)
                self._scroll.ensureWidgetVisible(self._act, 0, 0)
            case "predict":
                self._scroll.verticalScrollBar().setValue(0)

    def _on_scrolled(self) -> None:
        self._follows = False

    def _set(self, label: QLabel, markdown: str, values: Mapping[str, str] | None = None) -> None:
        label.setText(self._html(markdown, values))

    def _html(self, markdown: str, values: Mapping[str, str] | None = None) -> str:
        theme = THEME.roles
        page = lab_markdown.html(markdown, values or {}, theme.ink, text_metrics_of(self))
        shaded = page.replace(f"<b>{_SHADE}", f'<b style="background-color: {theme.line}">')
        return page if shaded == page else f'{shaded}<p style="color: {theme.muted}">{_FRAMED}</p>'


def _spoken(play: Play) -> str:
    """Return in one line what is read on the page: the question, then what is to be done, then the result."""
    step, done = play.step, play.done
    if play.phase != "done":
        does = f"Now: {step.act or 'Try it in the window.'} The lab goes on by itself."
        return lab_markdown.in_line(f"{step.text}\n\n{step.asks if play.phase == 'predict' else does}")
    outcome = done.outcome
    seen = (_verdict(play), outcome.words, step.feedback.get(outcome.feedback, "")) if outcome else ()
    told = "\n\n".join(filter(None, (*seen, step.explain)))
    return lab_markdown.in_line(lab_markdown.with_values(told, done.values))


def _missing_of(reason: str) -> str:
    """Return a request to lengthen or shorten a reason; empty if its length is fine."""
    if len(reason) > LONGEST_WORDS:
        return f"Shorten your reason to {LONGEST_WORDS:,} characters: it has {len(reason):,}."
    return "" if len(reason) >= _SHORTEST_REASON else "Write in a few words why you think so."


def _verdict(play: Play) -> str:
    """Say whether a prediction came out, and for a number what counts; empty while that isn't known."""
    done, prediction = play.done, play.step.prediction
    if done.outcome is None or not done.outcome.words or done.outcome.right is None:
        return ""
    right = done.outcome.right
    verdict = f"{done.sign} {'as predicted' if right else 'otherwise'}"
    if isinstance(prediction, Number):
        verdict += f", {'at most' if right else 'more than'} {format_answer(prediction.tolerance)} off"
    return verdict


def _in_columns(parts: Sequence[tuple[str, str]]) -> str:
    """Return labels as HTML with their words at their right."""
    below = f'style="padding-bottom: {scaled(SMALL)}px"'
    rows = (
        f"<tr><td width={scaled(_LABELS)} {below}><b>{label}</b></td><td {below}>{words}</td></tr>"
        for label, words in parts
    )
    return f"<table cellspacing=0 cellpadding=0>{''.join(rows)}</table>"


def _in_rows(parts: Sequence[tuple[str, str]]) -> str:
    """Return labels as HTML, each before its words."""
    return "".join(f"<p><b>{label}:</b> {_inline(words)}</p>" for label, words in parts)


def _inline(html: str) -> str:
    """Return the HTML of a single paragraph without its <p> tags, so that it can follow other text."""
    return html.strip().removeprefix("<p>").removesuffix("</p>")


def _group(*parts: QWidget | QVBoxLayout) -> QWidget:
    group = QWidget()
    in_column(*parts, of=group)
    return group
