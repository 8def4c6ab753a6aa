"""“Make this state a step”: the dialog for the step's question, the learner's action and the explanation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFontMetrics, QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QWidget

from posenc_gui import plots
from posenc_gui.app.labs.authoring.prediction_form import (
    Missing,
    PredictionForm,
    ShownCurves,
    Suggestion,
    choose,
    fill,
    headings_of,
    offer,
    typed,
)
from posenc_gui.app.labs.authoring.step_parts import PAGES, Beginning, Conditions, StepPages
from posenc_gui.app.panels.jobs import Observer
from posenc_gui.app.state.lab_progress import HalfWritten
from posenc_gui.app.state.store import Store
from posenc_gui.app.widgets.controls import (
    Choices,
    LineField,
    TextField,
    add_to,
    delayed,
    in_column,
    in_row,
    line_field,
    plain_label,
    push_button,
    set_styled,
    show_words,
    text_field,
    tool_button,
)
from posenc_gui.app.widgets.dialogs import HIGHEST, SideDialog
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.files.header import list_names
from posenc_gui.foundation.theme import GAP
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.authoring import write
from posenc_gui.labs.authoring.measurable import (
    Measurable,
    change_conditions,
    instructions_between,
    measurables,
    unchanged_conditions,
)
from posenc_gui.labs.authoring.write import Fault, StepDraft, faults
from posenc_gui.labs.definition.lab import MOST_WORDS, Sketch, Step
from posenc_gui.labs.play.observe import curves_of
from posenc_gui.labs.text.lab_markdown import n_words, with_values
from posenc_gui.session.change_names import between
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import replace_surrogates

_SIZE = 520, HIGHEST  # pixels
_EXPLANATION = 8  # lines of its field
_EMPTY_LINES = re.compile(r"\n\s*\n")
_NOT_YET = "not written yet"
_TRY_AGAIN = " Change what the window shows and try again."
_CAPTURE, _TAKE = "Record the learner's action", "Stop recording"


@dataclass(frozen=True)
class Measured:
    """The worker's measurements of the current session, compared with the session in which the step begins."""

    values: tuple[Measurable, ...]
    curves: tuple[ShownCurves, ...]


@dataclass(frozen=True)
class Written:
    """A request to save a step: the draft, the title and summary of a new lab, and whether to play the lab afterwards. again:
    the step as it was written before, if this one takes the place of that one, where that is still the last."""

    draft: StepDraft
    title: str = ""
    summary: str = ""
    played: bool = True
    again: Step | None = None


@dataclass(frozen=True)
class Tried:
    """A request to save a step, and the faults that the worker found in its draft."""

    written: Written
    faults: tuple[Fault, ...]


class StepWriter(SideDialog):
    """The dialog for all parts of a step except its sessions, which come from the window. Typed text stays until it
    is saved."""

    watched = Signal()  # `watch` or `trial` has changed: observe sessions by the new one
    wanted = Signal(object)  # Written: a step whose draft passed the worker's check
    another_wanted = Signal()  # save the next step in another file
    existing_wanted = Signal()  # save it in a file that is to be chosen
    list_wanted = Signal(object)  # Path of the file whose steps are to be reordered
    edited = Signal()  # something was typed, chosen or recorded, or has been written

    def __init__(
        self, store: Store, shown: Callable[[], Sequence[str]], front: Callable[[], str], parent: QWidget
    ) -> None:
        super().__init__("Make this state a step of a lab", parent)
        self._store, self._shown = store, shown
        self.beginning = Beginning(front)
        store.changed.connect(self._show_beginning)
        self._plots_changed = delayed(self, self._on_plots)  # once for many cards that open or close
        self._plots_measured: tuple[str, ...] = ()
        self._begun: Session | None = None
        self._done: Session | None = None
        self._trying: Written | None = None
        self._path: Path | None = None
        self._again: Step | None = None  # as it was written, while it can still be changed
        self.lab = line_field("Title of the lab", "A lab of my own")
        self.summary = line_field("What the lab asks", "What does the lab ask? One sentence.")
        self.title = line_field("Title of the step", "Title: the first sentence of the text if left empty")
        self.text = _text("What leads to the question", "What can be seen, and what is the question?")
        self.text.textChanged.connect(self._count)
        self._counted = plain_label("", "muted")
        self.capture = push_button(_CAPTURE)
        self.capture.setCheckable(True)
        self.capture.toggled.connect(self._on_capture)
        self._did = plain_label("", "muted")
        self.goals = Conditions("Another measured condition", "And only when …")
        self.act = _text("What the learner is told to do", "Choose …", lines=2)
        self.hint = line_field("Hint", "It stands at the top of …")
        self._told = Suggestion(self.act), Suggestion(self.hint)
        self.keeps = QCheckBox("Keep the first picture in sight while the learner acts")
        self.asking = PredictionForm()
        self.asking.sketching.connect(self._look)
        self.explain = _text("What is then said", "Why it is so.", _EXPLANATION)
        self.explain.textChanged.connect(self._show_reading)
        self._told_numbers: dict[str, str] = {}  # each measured value as the explanation writes it, by its expression
        self._reading = plain_label("", "muted")
        self.number = Choices("Insert a measured number")
        self.number.activated.connect(self._on_number)
        self.claims = Conditions("Measured conditions that the text states", "The text states that …")
        self._refused: QWidget | None = None
        self._refusal = plain_label("", "refusal")
        self._tries = plain_label("Checking the step …", "muted")
        self._missing = plain_label("", "missing")
        self.play = push_button("Write and play", partial(self._on_wanted, played=True))
        self.next = push_button("Write, then the next step", partial(self._on_wanted, played=False))
        self.go_on = push_button("", self._on_go_on, accent=True)
        self._make_file_row()
        self._new, self._pages = QWidget(), StepPages()
        self._edited = delayed(self, self._show_missing)  # once for many edits
        self._pages.turned.connect(self._show_missing)
        self._lay_out()
        self._follow_edits()
        self.show_file(None)
        self.clear()
        self._show_missing()
        self.fit(*_SIZE)

    def bring(self) -> None:
        """Raise the dialog, with the focus on its first field."""
        self.bring_to(self._first)

    def showEvent(self, event: QShowEvent) -> None:
        """Start measuring."""
        super().showEvent(event)
        self._show_beginning()
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop measuring, and cancel a pending write."""
        super().hideEvent(event)
        self._trying = None
        self._tries.hide()
        self.watched.emit()

    def follow_plots(self) -> None:
        """Tell, and measure, what the plots show that are open now."""
        self._plots_changed.start()

    def trial(self) -> Observer | None:
        """Return the watch that checks the draft before it is saved; None if no draft is being checked."""
        return partial(_tried, self._trying) if self._trying else None

    def watch(self) -> Observer | None:
        """Return the watch that measures sessions for the draft; None while the dialog is closed."""
        if not self.isVisible():
            return None
        begun = self._begun if self._done or self.capture.isChecked() else None
        fixed = self._done or (self._begun if self._again and not self.capture.isChecked() else None)
        self._plots_measured = self._plots
        return partial(_measured, begun, fixed, self._plots_measured, self.asking.chosen_kind == "sketch")

    def show_measured(self, found: Measured) -> None:
        """Offer the measured values."""
        self.asking.show_measured(found.values, found.curves)
        holding = [
            (value, replace(one, words=f"{value.words}: {one.words}"))
            for value in found.values
            for one in value.conditions
            if one.holds
        ]
        self.goals.offer((value.heading, one) for value, one in holding if value.changed)
        self.claims.offer((value.heading, one) for value, one in holding)
        told = {one.question.text: one.words for one in found.values}
        headings = headings_of((one.question.text, one.heading) for one in found.values)
        offer(self.number, {"": "Insert a number …"} | told, headings)
        self._told_numbers = {one.question.text: one.question.told(one.now) for one in found.values}
        self._show_reading()
        self._edited.start()

    def show_tried(self, found: Tried) -> None:
        """Save the draft if it has no faults; otherwise report the first at its field. Check again if the draft has changed."""
        if found.written is not self._trying:  # the check was cancelled meanwhile
            self._look()
            return
        self._trying = None
        played = found.written.played
        if not self._still_holds(found.written):
            self._on_wanted(played=played)
        elif found.faults:
            part, said = found.faults[0]
            message, box = self.claims.in_words(said) if part == "claims" else (said, None)
            field = box or self._field_of(part)
            so = " Untick its box, or change the step." if box else "" if field else _TRY_AGAIN
            self._refuse(f"{message[:1].upper()}{message[1:].rstrip('.')}.{so}", field)
        else:
            self.say("")
            self.wanted.emit(found.written)
        if self._trying is None:
            self.watched.emit()

    def end_trial(self, why: str) -> None:
        """If a check was running, report why it ended, so that the draft was not saved."""
        if self._trying:
            self._trying = None
            self.say(f"{why} The step was not written. Try again.")

    @property
    def _plots(self) -> tuple[str, ...]:
        return self._again.show or self._again.reveal if self._again else tuple(self._shown())

    @property
    def _fixed_plots(self) -> tuple[str, ...]:
        """The plots without those that stand in the place of an encoding's own picture and show nothing of the step's."""
        begun = self._begun or self._store.session
        own = {plots.own_picture(one) for one in (begun, self._done or begun)}
        empty = {name for name in ("hands", "offsets", "rulers") if own != {name}}
        if not own <= {"clocks", "hands"}:
            empty.add("clocks")
        return tuple(name for name in self._plots if name not in empty) or self._plots

    @property
    def _first(self) -> QWidget:
        return self.text if self._new.isHidden() else self.lab

    def show_file(self, path: Path | None) -> None:
        """Set the file to which the next step is saved; None for a new file, for which the dialog asks for a title."""
        self._path = path
        self._show_place()

    def _show_place(self) -> None:
        """Say where the step goes, or which one is changed."""
        path, again = self._path, self._again is not None
        again_too = "stands in {}. Written again, it takes its own place, or goes to the end if it was changed there."
        goes = again_too if again else "goes to the end of {}."
        self._new.setVisible(path is None)
        self._file.setText(f"The step {goes.format(quote(path.name))}" if path else "")
        for part, shown in (
            (self._file, True),
            (self.listed, True),
            (self.another, not again),
            (self.following, again),
        ):
            part.setVisible(path is not None and shown)

    def say(self, why: str) -> None:
        """Report why the draft was not saved; an empty text clears the report."""
        self._refuse(why, None)

    def refusal(self) -> str:
        """Return why the draft was not saved; empty if it was not refused."""
        return self._refusal.text()

    def keep(self, written: StepDraft) -> None:
        """Close the dialog on a step that was written: it can be changed and written again until the next one is begun."""
        self._again, self._begun = written.step, written.begun
        self._show_place()
        self._edited.start()
        self.say("")
        self.hide()

    def clear(self) -> None:
        """Clear the fields for the next step, except the lab's title and summary and the kind of prediction."""
        for field in (self.title, self.text, self.explain):
            field.clear()
        for suggestion in self._told:
            suggestion.clear()
        self.asking.clear()
        self.claims.show_all(())
        self.keeps.setChecked(False)
        self._begun = self._done = self._trying = self._again = None
        self._show_place()
        self.capture.setChecked(False)
        self._show_done()
        self._count()
        self.say("")
        if self.isVisible():
            self._pages.bring(self._first)
        self._look()

    @property
    def holds_unwritten(self) -> bool:
        """True if something of a step was typed or recorded that no file has."""
        if self._again:
            with suppress(Missing):
                return self.draft().step != self._again
            return True
        lines = self.title, self.asking.asks, *(() if self._path else (self.lab, self.summary))
        typed = any(one.text().strip() for one in lines) or any(_paragraphs(one) for one in (self.text, self.explain))
        own = any(row.is_own for row in self.asking.rows) or not all(told.stands for told in self._told)
        return typed or own or self._done is not None or self.capture.isChecked()

    @property
    def half_written(self) -> HalfWritten:
        """What was typed, chosen and recorded that no file has, as `take_up` shows it again."""
        if not self.holds_unwritten:
            return HalfWritten()
        return HalfWritten(
            file=str(self._path or ""),
            fields={name: replace_surrogates(typed(field)) for name, field in self._fields.items()},
            choices=tuple((box.currentData(), box.currentText()) for box in self.asking.choices),
            ticks=(self.keeps.isChecked(), self.asking.covers.isChecked()),
            goals=self.goals.ticks,
            claims=self.claims.ticks,
            begun=self._begun.to_json() if self._begun else "",
            done=self._done.to_json() if self._done else "",
            records=self.capture.isChecked(),
            written=write.alone(self._again) if self._again else "",
        )

    def take_up(self, half: HalfWritten) -> None:
        """Show what was half written. Raises ValueError, which says what of that can't be read, once the rest is shown."""
        faults: list[str] = []
        with _noting(faults):
            self._begun, self._done = (Session.read(one).content if one else None for one in (half.begun, half.done))
        with _noting(faults):
            self._again = write.read_alone(half.written) if half.written else None
        self.show_file(Path(half.file) if half.file else None)
        with QSignalBlocker(self.capture):  # it goes on, from where it began
            self.capture.setChecked(half.records and self._begun is not None)
        self.capture.setText(_TAKE if self.capture.isChecked() else _CAPTURE)
        self._show_done()
        for box, (data, words) in zip(self.asking.choices, half.choices, strict=False):
            choose(box, data, words)
        fields = self._fields
        fields |= {field.accessibleName(): field for field in fields.values()}  # as their names once were
        for name in half.fields.keys() & fields.keys():
            fill(fields[name], half.fields[name])
        for tick, ticked in zip((self.keeps, self.asking.covers), half.ticks, strict=False):
            tick.setChecked(ticked)
        for conditions, ticks in ((self.goals, half.goals), (self.claims, half.claims)):
            with _noting(faults):
                conditions.show_ticks(ticks)
        unknown = sorted({*(half.model_extra or ()), *half.fields} - fields.keys())
        if unknown:
            faults.append(f"this explorer doesn't know {list_names(unknown)}")
        if faults:
            raise ValueError("; ".join(faults))

    @property
    def _fields(self) -> dict[str, LineField | TextField]:
        """The fields in which one types, by the names under which they are kept."""
        lines = {"lab": self.lab, "summary": self.summary, "title": self.title, "hint": self.hint}
        texts = {"text": self.text, "act": self.act, "explain": self.explain}
        return {**lines, **texts, **self.asking.fields}

    def draft(self) -> StepDraft:
        """Build the draft. Raises Missing, which says what is missing and holds its field."""
        if self.capture.isChecked():
            raise Missing(f"Press {quote(_TAKE)} when you have done the learner's part.", self.capture)
        prediction = self.asking.prediction()
        if not (self.title.text().strip() or _paragraphs(self.text)):
            raise Missing("Write the step's title, or what leads to the question.", self.text)
        if self._done and not self.hint.text().strip():
            raise Missing("Write a hint: where in the window that is to be found.", self.hint)
        if not _paragraphs(self.explain):
            raise Missing("Write what is then said: why it is so.", self.explain)
        if (count := n_words(self.text.toPlainText())) > MOST_WORDS:
            raise Missing(f"The step's text has {count} words: cut it to {MOST_WORDS}.", self.text)
        return StepDraft(
            begun=self._begun or self._store.session,
            shown=self._fixed_plots,
            title=self.title.text().strip(),
            text=_paragraphs(self.text),
            asks=self.asking.asks.text().strip(),
            prediction=prediction,
            covers=self.asking.covers.isChecked(),
            done=self._done,
            goal=self.goals.chosen,
            act=_paragraphs(self.act),
            hint=self.hint.text().strip(),
            keeps=self.keeps.isChecked(),
            explain=_paragraphs(self.explain),
            claims=self.claims.chosen,
            feedback=self.asking.feedback(),
        )

    def _on_wanted(self, *, played: bool) -> None:
        """Have the worker check the draft, or report what is missing in it."""
        try:
            self._trying = self._written(played=played)
        except Missing as missing:
            self._refuse(str(missing), missing.field)
            return
        self.say("")
        self._tries.setVisible(True)
        self.watched.emit()

    def _written(self, *, played: bool) -> Written:
        return Written(self.draft(), self.lab.text().strip(), self.summary.text().strip(), played, self._again)

    def _still_holds(self, written: Written) -> bool:
        """Return True if the draft has not changed since the check began."""
        try:
            return self._written(played=written.played) == written
        except Missing:
            return False

    def _refuse(self, why: str, field: QWidget | None) -> None:
        """Report a fault and highlight its field, or clear both."""
        self._tries.setVisible(False)
        show_words(self._refusal, why)
        if self._refused is not None:
            set_styled(self._refused, "refused", False)
        self._refused = field
        if field is not None:
            set_styled(field, "refused", True)
            self.body.activate()  # the message takes height from the fields
            self._pages.bring(field)

    def _field_of(self, part: str) -> QWidget | None:
        """Return the field for a part of the step, as `parse.part_at` names it; None if the part comes from the main
        window."""
        own = {"": self.text, "act": self.act, "hint": self.hint, "explain": self.explain, "claims": self.claims.more}
        if part.startswith(("predict", "feedback ")):
            return self.asking.field_of(part)
        return self.capture if part in ("goal", "solve") else own.get(part)

    def _on_capture(self, taking: bool) -> None:
        self.capture.setText(_TAKE if taking else _CAPTURE)
        if taking:
            self._begun, self._done = self._store.session, None
        elif self._begun is not None:
            self._done = self._store.session if self._store.session != self._begun else None
        self._show_done()
        self._show_missing()
        self._look()

    def _show_beginning(self) -> None:
        """Show in which session the step begins."""
        if self.isVisible():
            self.beginning.show_session(self._begun or self._store.session, self._plots, is_now=self._begun is None)

    def _on_plots(self) -> None:
        if self.isVisible() and self._plots != self._plots_measured:
            self._show_beginning()
            self._look()

    def _show_reading(self) -> None:
        """Show the explanation as it reads now, with its numbers, if it has any."""
        written = self.explain.toPlainText()
        read = with_values(written, self._told_numbers)
        show_words(self._reading, f"Here it reads: {read}" if read != written else "")

    def _show_done(self) -> None:
        """Show the recorded action, as conditions and as instructions for the learner."""
        begun, done = self._begun, self._done
        change, told = "", ("", "")
        self.goals.show_all(())
        if begun and done:
            self.goals.show_all((*change_conditions(begun, done), *unchanged_conditions(begun, done)))
            change, told = between(begun, done).name, instructions_between(begun, done)
        self.goals.setVisible(done is not None)
        self._did.setText(_said_of(self.capture.isChecked(), begun is not None, change))
        self._show_beginning()
        for suggestion, words in zip(self._told, told, strict=True):
            suggestion.show(words)

    def _count(self) -> None:
        count = n_words(self.text.toPlainText())
        self._counted.setText(f"{count} of at most {MOST_WORDS} words")

    def _on_number(self) -> None:
        if asked := self.number.currentData():
            self.explain.insertPlainText(f"{{{{{asked}}}}}")
            self.number.setCurrentIndex(0)
            self.explain.setFocus()

    def _look(self) -> None:
        if self.isVisible():
            self.watched.emit()

    def _make_file_row(self) -> None:
        """Make what says in which file the step is written, and the buttons that choose another."""
        self._file = plain_label("", "muted")
        self.another, self.listed, self.following, self.existing = (
            tool_button(text, says, framed=True, does=does)
            for text, says, does in (
                ("Another lab", "Write the next step to another lab", self.another_wanted),
                ("Steps …", "Reorder the lab's steps, or remove some", lambda: self.list_wanted.emit(self._path)),
                ("Next step", "Leave the step as it is written, and begin the next one", self.clear),
                ("Add to a lab …", "Write the step to the end of a lab that is there", self.existing_wanted),
            )
        )

    def _lay_out(self) -> None:
        title = plain_label("The lab", "cardTitle")
        in_column(in_row(title, self.existing, grows=title), self.lab, self.summary, of=self._new)
        asked, before, done, then = (
            plain_label(words, "cardTitle")
            for words in ("What is asked", "What is predicted", "What the learner does", "What is then said")
        )
        self._pages.fill(0, (self._new, asked, self.text, self._counted, self.title, before, self.asking))
        self._pages.fill(1, (done, self.capture, self._did, self.goals, self.act, self.hint, self.keeps))
        self._pages.fill(2, (then, self.explain, self._reading, self.number, self.claims))
        self.body.addWidget(self.beginning)
        goes = in_row(self._file, self.listed, self.following, self.another, grows=self._file)
        add_to(self.body, goes, self._pages, self._missing, self._tries, self._refusal, grows=self._pages)
        self.add_foot((), (self.next, self.play, self.go_on))

    def _follow_edits(self) -> None:
        """Look again at what is missing once a field was changed."""
        changes = (
            *(field.textChanged for field in self._fields.values()),
            *(box.currentIndexChanged for box in self.findChildren(QComboBox)),
            *(tick.toggled for tick in (self.keeps, self.asking.covers)),
            *(conditions.changed for conditions in (self.goals, self.claims)),
        )
        for changed in changes:
            changed.connect(self._edited.start)

    def _show_missing(self) -> None:
        """Say what is missing and where; write only once nothing is, and until then offer the page that comes next."""
        self.edited.emit()
        missing = self._missing_now
        show_words(self._missing, str(missing) if missing else "")
        lacks = self._pages.page_of(missing.field) if missing else len(PAGES)
        done = "recorded" if self._done else "nothing to do"
        told = "ready" if _paragraphs(self.explain) else _NOT_YET
        self._pages.tell((_NOT_YET if lacks == 0 else "ready", _NOT_YET if lacks == 1 else done, told))
        here = self._pages.at
        onward = here + 1 if here + 1 < len(PAGES) else lacks
        self.go_on.setText(f"Go {'on' if onward > here else 'back'} to {PAGES[min(onward, len(PAGES) - 1)]}")
        self.go_on.setVisible(missing is not None and onward != here)
        self.next.setVisible(missing is None)
        for button in (self.next, self.play):
            button.setEnabled(missing is None)
        set_styled(self.play, "accent", self.go_on.isHidden())

    @property
    def _missing_now(self) -> Missing | None:
        try:
            self.draft()
        except Missing as missing:
            return missing
        return None

    def _on_go_on(self) -> None:
        here, missing = self._pages.at, self._missing_now
        if here + 1 < len(PAGES):
            self._pages.go(here + 1)
        elif missing:
            self._pages.bring(missing.field)


def _measured(
    begun: Session | None,
    done: Session | None,
    shown: tuple[str, ...],
    sketched: bool,
    session: Session,
    engine: Engine,
) -> Measured:
    """Measure the session after the learner's action or, until one is recorded, the current session."""
    now = done or session
    return Measured(measurables(now, begun, engine, shown), tuple(_curves(shown, now, engine)) if sketched else ())


def _curves(shown: Iterable[str], session: Session, engine: Engine) -> Iterator[ShownCurves]:
    for name in shown:
        with suppress(Undefined):
            found = curves_of(Sketch(name, 0), session, engine)
            yield ShownCurves(name, plots.plots()[name].title, tuple(series.label for series in found.series))


def _tried(written: Written, _session: Session, engine: Engine) -> Tried:
    return Tried(written, faults(written.draft, engine))


def _said_of(taking: bool, begun: bool, done: str) -> str:
    if taking:
        return "Do in the window what the learner is to do. The step begins as the window was before."
    if done:
        return f"{done}. The step is done when this holds:"
    return "Nothing was changed." if begun else "Without it, the step is done once the prediction is committed."


@contextmanager
def _noting(faults: list[str]) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        faults.append(describe_error(error).rstrip("."))


def _paragraphs(field: TextField) -> str:
    """Return a field's text with one empty line between paragraphs, as in a lab file."""
    return _EMPTY_LINES.sub("\n\n", field.toPlainText().strip())


def _text(says: str, such_as: str, lines: int = 4) -> TextField:
    line = QFontMetrics(QApplication.font()).lineSpacing()
    return text_field(says, such_as, height=lines * line + scaled(GAP))
