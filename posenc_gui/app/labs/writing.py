"""Make this state a step: what is asked, what the learner shall do, and what is then said, written beside the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from posenc_gui.app.controls import Choices, LineField, TextField, plain, push, scrolling, tool
from posenc_gui.app.labs.asking import Missing, PredictionForm, offer
from posenc_gui.app.store import Store
from posenc_gui.app.theme import scaled
from posenc_gui.app.workbench import Watch
from posenc_gui.attention.engine import Engine
from posenc_gui.changes import between
from posenc_gui.labs.lab import MOST_WORDS
from posenc_gui.labs.measurable import Condition, Measurable, conditions_of, measurables
from posenc_gui.labs.words import n_words
from posenc_gui.labs.write import Draft
from posenc_gui.look import GAP
from posenc_gui.session import Session

_SIZE = 420, 720  # pixels
_FROM_THE_CORNER = QPoint(24, 48)  # pixels from the window's upper right corner
_PARAGRAPHS = re.compile(r"\n\s*\n")
_CAPTURE, _TAKE = "Now do what the learner shall do", "It is done: take it"


@dataclass(frozen=True)
class Measured:
    """What the worker found of the session at hand, beside that with which the step begins."""

    values: tuple[Measurable, ...]


@dataclass(frozen=True)
class Written:
    """What is to be written: the step, the words of a new lab, and whether it is then played."""

    draft: Draft
    title: str = ""
    summary: str = ""
    played: bool = True


class StepWriter(QDialog):
    """Asks for all of a step but its sessions, which are the window's. What was typed stays until it is written."""

    watched = Signal()  # sessions are to be looked at in another way from now on
    wanted = Signal(object)  # Written
    another_wanted = Signal()  # the next step goes to another file

    def __init__(self, store: Store, shown: Callable[[], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Tool)  # the window is used beside it
        self._store, self._shown, self._window = store, shown, parent
        self._begun: Session | None = None
        self._done: Session | None = None
        self.setWindowTitle("Make this state a step of a lab")
        self.resize(_SIZE[0], min(_SIZE[1], parent.height()))
        self.lab = _line("Title of the lab", "A lab of my own")
        self.summary = _line("What the lab asks", "What does it ask? One sentence.")
        self.title = _line("Title of the step", "What becomes of the two “the”?")
        self.text = _text("What leads to the question", "What is to be seen, and what is the question?")
        self.text.textChanged.connect(self._count)
        self._counted = plain("", "muted")
        self.capture = push(_CAPTURE)
        self.capture.setCheckable(True)
        self.capture.toggled.connect(self._on_capture)
        self._did = plain("", "muted")
        self._goals = QVBoxLayout()
        self.goals: list[tuple[QCheckBox, Condition]] = []
        self.more = Choices("Another condition, of what is measured")
        self.more.activated.connect(self._on_more)
        self._offered: dict[str, Condition] = {}
        self.act = _text("What the learner is told to do", "Choose …")
        self.hint = _line("Hint", "It stands at the top of …")
        self.keeps = QCheckBox("The first picture stays beside the new one")
        self.asking = PredictionForm()
        self.explain = _text("What is then said", "Why it is so.")
        self.number = Choices("Insert a number that is measured")
        self.number.activated.connect(self._on_number)
        self._refusal = plain("", "refusal")
        self.play, self.next = push("Write and play", accent=True), push("Write, then the next step")
        self.play.clicked.connect(partial(self._on_wanted, played=True))
        self.next.clicked.connect(partial(self._on_wanted, played=False))
        self._file = plain("", "muted")
        self.another = tool("Another lab", "Write the next step to another lab", framed=True)
        self.another.clicked.connect(self.another_wanted)
        self._new = QWidget()
        self._lay_out()
        self.show_file(None)
        self.clear()

    def bring(self) -> None:
        """Show it in front, with the keyboard on the step's title."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.title.setFocus()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Stand over the window's right side, and look at what can be measured."""
        super().showEvent(event)
        corner = self._window.mapToGlobal(QPoint(self._window.width() - self.width(), 0))
        self.move(corner.x() - _FROM_THE_CORNER.x(), corner.y() + _FROM_THE_CORNER.y())
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Look no more."""
        super().hideEvent(event)
        self.watched.emit()

    def watch(self) -> Watch | None:
        """How sessions are to be looked at for what is written; None while nothing is."""
        begun = self._begun if self._done or self.capture.isChecked() else None
        return partial(_measured, begun, self._done) if self.isVisible() else None

    def show_measured(self, found: Measured) -> None:
        """Offer what was measured."""
        self.asking.show_measured(found.values)
        self._offered = {
            one.question.text: replace(one, words=f"{value.words}: {one.words}")
            for value in found.values
            for one in value.conditions
            if value.changed and one.holds
        }
        offer(self.more, {"": "And only when …"} | {text: one.words for text, one in self._offered.items()})
        offer(self.number, {"": "Insert a number …"} | {one.question.text: one.words for one in found.values})

    def show_file(self, path: Path | None) -> None:
        """Say to which file the next step goes; None for a new one, whose words are asked for."""
        self._new.setVisible(path is None)
        self._file.setText(f"The step goes to the end of {path.name}." if path else "")
        for part in (self._file, self.another):
            part.setVisible(path is not None)

    def say(self, why: str) -> None:
        """Say why nothing was written."""
        self._refusal.setText(why)
        self._refusal.setVisible(bool(why))

    def refusal(self) -> str:
        """Why nothing was written; empty where nothing was refused."""
        return self._refusal.text()

    def clear(self) -> None:
        """Begin the next step."""
        for line in (self.title, self.hint):
            line.clear()
        for text in (self.text, self.act, self.explain):
            text.clear()
        self.asking.clear()
        self.keeps.setChecked(False)
        self._begun = self._done = None
        self.capture.setChecked(False)
        self._show_done()
        self._count()
        self.say("")
        if self.isVisible():
            self._look()

    def draft(self) -> Draft:
        """The step as it stands here. Raises Missing, which says what is missing and where."""
        if self.capture.isChecked():
            raise Missing(f"Press “{_TAKE}” when the learner's part is done.", self.capture)
        prediction = self.asking.prediction()
        if not (self.title.text().strip() or _written(self.text)):
            raise Missing("Write the step's title, or what leads to the question.", self.title)
        return Draft(
            begun=self._begun or self._store.session,
            shown=tuple(self._shown()),
            title=self.title.text().strip(),
            text=_written(self.text),
            asks=self.asking.asks.text().strip(),
            prediction=prediction,
            covers=self.asking.covers.isChecked(),
            done=self._done,
            goal=tuple(condition.question for box, condition in self.goals if box.isChecked()),
            act=_written(self.act),
            hint=self.hint.text().strip(),
            keeps=self.keeps.isChecked(),
            explain=_written(self.explain),
        )

    def _on_wanted(self, *, played: bool) -> None:
        try:
            self.wanted.emit(Written(self.draft(), self.lab.text().strip(), self.summary.text().strip(), played))
        except Missing as missing:
            self.say(str(missing))
            self._scroll.ensureWidgetVisible(missing.field)
            missing.field.setFocus()

    def _on_capture(self, taking: bool) -> None:
        self.capture.setText(_TAKE if taking else _CAPTURE)
        if taking:
            self._begun, self._done = self._store.session, None
        elif self._begun is not None:
            self._done = self._store.session if self._store.session != self._begun else None
        self._show_done()
        self._look()

    def _show_done(self) -> None:
        """What was done, as conditions of which each can be left out."""
        while item := self._goals.takeAt(0):
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        self.goals = []
        if self._begun and self._done:
            for condition in conditions_of(self._begun, self._done):
                self._add_goal(condition)
        self.more.setVisible(self._done is not None)
        done = self._begun and self._done and between(self._begun, self._done).name
        self._did.setText(_said_of(self.capture.isChecked(), self._begun is not None, done or ""))

    def _add_goal(self, condition: Condition) -> None:
        box = QCheckBox(condition.words)
        box.setChecked(True)
        box.setToolTip(condition.question.text)
        self.goals.append((box, condition))
        self._goals.addWidget(box)

    def _on_more(self) -> None:
        if condition := self._offered.get(self.more.currentData()):
            self._add_goal(condition)
            self.more.setCurrentIndex(0)

    def _count(self) -> None:
        count = n_words(self.text.toPlainText())
        self._counted.setText(f"{count} of at most {MOST_WORDS} words")

    def _on_number(self) -> None:
        if asked := self.number.currentData():
            self.explain.insertPlainText(f"{{{{{asked}}}}}")
            self.number.setCurrentIndex(0)

    def _look(self) -> None:
        self.asking.show_plots(self._shown())
        self.watched.emit()

    def _lay_out(self) -> None:
        self._scroll, column = scrolling("The step")
        column.setSpacing(GAP)
        new = QVBoxLayout(self._new)
        new.setContentsMargins(0, 0, 0, 0)
        _fill(new, plain("The lab", "cardTitle"), self.lab, self.summary)
        asked, done, then = (
            plain(words, "cardTitle") for words in ("What is asked", "What the learner does", "What is then said")
        )
        _fill(column, self._new, asked, self.title, self.text, self._counted, done, self.capture, self._did)
        column.addLayout(self._goals)
        _fill(
            column,
            self.more,
            self.act,
            self.hint,
            self.keeps,
            plain("What is predicted before", "cardTitle"),
            self.asking,
        )
        _fill(column, then, self.explain, self.number)
        column.addStretch(1)
        buttons = QHBoxLayout()
        for button in (self.next, self.play):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        outer = QVBoxLayout(self)
        outer.addWidget(self._scroll, 1)
        goes = QHBoxLayout()
        goes.addWidget(self._file, 1)
        goes.addWidget(self.another)
        outer.addLayout(goes)
        outer.addWidget(self._refusal)
        outer.addLayout(buttons)


def _measured(begun: Session | None, done: Session | None, session: Session, engine: Engine) -> Measured:
    """What can be measured once the learner's part is done, or of the session at hand until it is."""
    now = done or session
    return Measured(measurables(now, begun, engine))


def _said_of(taking: bool, begun: bool, done: str) -> str:
    if taking:
        return "Change the window as the learner shall. The step begins as it was before."
    if done:
        return f"{done}. The step is done when this holds:"
    return "Nothing was changed." if begun else "Without it, the step is done as soon as the prediction is there."


def _fill(column: QVBoxLayout, *parts: QWidget) -> None:
    for part in parts:
        column.addWidget(part)


def _line(says: str, such_as: str) -> LineField:
    field = LineField(placeholderText=such_as)
    field.setAccessibleName(says)
    return field


def _written(field: TextField) -> str:
    """The words of a field, paragraphs apart by one empty line, as a lab's file has them."""
    return _PARAGRAPHS.sub("\n\n", field.toPlainText().strip())


def _text(says: str, such_as: str) -> TextField:
    field = TextField()
    field.setAccessibleName(says)
    field.setPlaceholderText(such_as)
    field.setTabChangesFocus(True)
    field.setFixedHeight(4 * field.fontMetrics().lineSpacing() + scaled(GAP))
    return field
