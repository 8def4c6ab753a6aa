"""Answer widgets: one for each kind of prediction in a lab, each narrow enough for a dock."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QGroupBox, QRadioButton, QToolButton

from posenc_gui.app.labs.rich_rows import OptionButton, OrderRows
from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.widgets.controls import (
    add_to,
    in_column,
    in_row,
    line_field,
    plain_label,
    set_styled,
    text_field,
    tool_button,
)
from posenc_gui.foundation.wording import format_percent, quote
from posenc_gui.labs.definition.lab import Choice, Number, Order, Prediction, Sketch
from posenc_gui.labs.definition.record import LONGEST_WORDS, Answer
from posenc_gui.labs.play.sketch import ENOUGH, describe_curve
from posenc_gui.labs.text.lab_markdown import in_line

Words = Callable[[str], str]  # converts Markdown to safe HTML, formulas as images

_FEWEST_LETTERS = 3  # the shortest text accepted as an answer
_TEXT_LINES = 5
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS_OR_NOT = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_NUMBERS = "Digits, such as 3.5, −2, 7/8 or 1.6e5."


class AnswerView(QGroupBox):
    """A widget in which the learner gives one prediction. Its accessible name is the question: screen readers say it where one
    comes into the group."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.column = in_column(of=self, gap=4)

    def answer(self) -> Answer | None:
        """Return the prediction; None while it is incomplete."""
        raise NotImplementedError

    def in_words(self) -> str:
        """Return the prediction as text, with a lab's answers in its own Markdown; empty while it is incomplete."""
        raise NotImplementedError

    def draft(self) -> Answer | None:
        """Return what the learner has given so far, from which `restore` shows it again; None for nothing."""
        return self.answer()

    def restore(self, draft: Answer) -> None:
        """Show what was given before, where it still fits the question."""
        raise NotImplementedError

    def missing(self) -> str:
        """Return a sentence that asks for what is missing; empty if the answer is complete."""
        raise NotImplementedError

    def renew_words(self) -> None:
        """Render the texts again after a change of theme: formulas are images in the theme's text colour."""

    def take_keyboard(self) -> bool:
        """Focus a field in which the answer is typed; return False if there is none."""
        return False


class ChoiceView(AnswerView):
    """One of several answers, as radio buttons in a given order of their names."""

    def __init__(self, prediction: Choice, words: Words, names: Sequence[str]) -> None:
        super().__init__()
        self._options, self._words = prediction.options, words
        group = QButtonGroup(self)
        group.buttonToggled.connect(self._on_toggled)
        self._buttons: dict[str, OptionButton] = {}
        for name in names:
            button = self._buttons[name] = OptionButton()
            button.setAccessibleName(in_line(self._options[name]))
            group.addButton(button)
            self.column.addWidget(button)
        self.renew_words()

    def answer(self) -> str | None:
        """Return the chosen option's name."""
        return next((name for name, button in self._buttons.items() if button.isChecked()), None)

    def restore(self, draft: Answer) -> None:
        """Choose the option with this name."""
        if isinstance(draft, str) and draft in self._buttons:
            self._buttons[draft].setChecked(True)

    def in_words(self) -> str:
        """Return the chosen option's text."""
        return self._options.get(self.answer() or "", "")

    def missing(self) -> str:
        """Return a request to choose an option; empty once one is chosen."""
        return "" if self.answer() else "Choose one of the answers."

    def renew_words(self) -> None:
        """Render the options' texts again."""
        for name, button in self._buttons.items():
            button.show_words(self._words(self._options[name]))

    def _on_toggled(self, button: QRadioButton, chosen: bool) -> None:
        if chosen:  # the signal also comes for the option that is no longer chosen
            self.changed.emit()


class NumberView(AnswerView):
    """A field for a number, typed in digits."""

    def __init__(self, prediction: Number) -> None:
        super().__init__()
        self._within = prediction.within
        self._line = line_field("Your number", most=40)
        self._line.setAccessibleDescription(_NUMBERS)
        self._line.textEdited.connect(self._on_edited)
        self._line.editingFinished.connect(self._on_finished)
        self._hint = plain_label(name="muted")
        add_to(self.column, self._line, self._hint)
        self._refuse(False)

    def take_keyboard(self) -> bool:
        """Focus the field."""
        self._line.setFocus()
        return True

    def answer(self) -> float | None:
        """Return the typed number; None if the text can't be read as one, or the number is out of bounds."""
        number = number_in(self._line.text())
        low, high = self._within or (-math.inf, math.inf)
        return None if number is None or not low <= number <= high else number

    def draft(self) -> str | None:
        """Return the text as it is typed."""
        return self._line.text() or None

    def restore(self, draft: Answer) -> None:
        """Type this text."""
        if isinstance(draft, str):
            self._line.setText(draft)

    def in_words(self) -> str:
        """Return the number as text, with a real minus sign; empty if there is none."""
        answer = self.answer()
        return "" if answer is None else _written(answer)

    def missing(self) -> str:
        """Return a request for a number, or the reason why the typed one can't be used."""
        text = self._line.text().strip()
        if self.answer() is not None:
            return ""
        if not text:
            return "Write a number, such as 3.5."
        if number_in(text) is not None and self._within:
            low, high = map(_written, self._within)
            return f"Write a number from {low} to {high}."
        if _THOUSANDS_OR_NOT.fullmatch(text.replace("−", "-")):
            whole, rest = text.split(",")
            return f"{quote(text)} can be read in two ways: write {whole}{rest} or {whole}.{rest}."
        return f"{quote(text)} can't be read as a number. {_NUMBERS}"

    def _on_edited(self) -> None:
        self._refuse(False)  # don't report an error while the number is being typed
        self.changed.emit()

    def _on_finished(self) -> None:
        self._refuse(bool(self._line.text().strip()) and self.answer() is None)

    def _refuse(self, refused: bool) -> None:
        self._hint.setText(self.missing() if refused else _NUMBERS)
        set_styled(self._hint, "objectName", "refusal" if refused else "muted")
        set_styled(self._line, "refused", refused)


class OrderView(AnswerView):
    """A column of items that the learner drags, or moves by keys and buttons, into the expected order."""

    def __init__(self, prediction: Order, words: Words) -> None:
        super().__init__()
        self._items, self._words = prediction.items, words
        self._rows = OrderRows(prediction.items)
        self._rows.moved.connect(self._on_moved)
        self._rows.selectionModel().currentChanged.connect(self._enable)
        self._up, self._down = self._button("Up", -1), self._button("Down", 1)
        self._sure = QCheckBox("This order")
        self._sure.toggled.connect(self.changed)
        hint = plain_label("Drag the rows, or move them by Alt and arrow keys.", "muted")
        self.renew_words()
        add_to(self.column, self._rows, in_row(self._up, self._down, None, gap=4), self._sure, hint)
        self._rows.choose(0)

    def answer(self) -> tuple[str, ...] | None:
        """Return the items' names in their order; None until the learner has moved or confirmed them."""
        return self._rows.names if self._sure.isChecked() else None

    def restore(self, draft: Answer) -> None:
        """Put the items in this order, and confirm it."""
        if isinstance(draft, tuple) and self._rows.arrange(tuple(map(str, draft))):
            self._sure.setChecked(True)

    def in_words(self) -> str:
        """Return the items' texts in their order; empty until that is confirmed."""
        return ", ".join(self._items[name] for name in self.answer() or ())

    def missing(self) -> str:
        """Return a request to sort the rows or to confirm their order; empty once that is done."""
        return "" if self.answer() else "Put the rows in order, or tick “This order”."

    def renew_words(self) -> None:
        """Render the items' texts again."""
        self._rows.show_words({name: self._words(markdown) for name, markdown in self._items.items()})

    def _button(self, text: str, step: int) -> QToolButton:
        moves, move = f"Move the chosen row {text.lower()}", lambda: self._rows.move_current(step)
        return tool_button(text, moves, hint=f"{moves} (Alt+{text})", framed=True, does=move)

    def _on_moved(self) -> None:
        with QSignalBlocker(self._sure):
            self._sure.setChecked(True)
        self._enable()
        self.changed.emit()

    def _enable(self) -> None:
        row, last = self._rows.currentIndex().row(), len(self._rows.names) - 1
        self._up.setEnabled(row > 0)
        self._down.setEnabled(0 <= row < last)


class SketchView(AnswerView):
    """Instructions for the sketch pad, which covers the plot."""

    def __init__(self) -> None:
        super().__init__()
        self._pad: SketchPad | None = None
        self._points: tuple[tuple[float, float], ...] = ()
        self._covered = 0.0
        hint = plain_label(
            "Draw the curve over the plot's empty axes: with the mouse, or there with the arrow keys.", "muted"
        )
        self._clear = tool_button("Clear", "Clear the sketch", framed=True)
        self.column.addWidget(hint)
        self.column.addWidget(self._clear, 0, Qt.AlignmentFlag.AlignLeft)
        self._show_state()

    def take(self, pad: SketchPad) -> None:
        """Connect this sketch pad. If it is a new pad (after free play), draw the earlier sketch on it again."""
        self._pad = pad
        pad.show_points(self._points)
        self._covered = pad.covered
        self._show_state()
        pad.changed.connect(self._on_drawn)
        self._clear.clicked.connect(pad.clear)

    def answer(self) -> tuple[tuple[float, float], ...] | None:
        """Return the curve's points; None while too little is drawn."""
        return self._points or None

    def restore(self, draft: Answer) -> None:
        """Draw this curve on the pad that is taken next."""
        if isinstance(draft, tuple):
            self._points = tuple(point for point in draft if isinstance(point, tuple))

    def in_words(self) -> str:
        """Return a description of the curve; empty while too little is drawn."""
        return describe_curve(self._points) if self._points else ""

    def missing(self) -> str:
        """Return a request to draw, with how much of the axis is covered and must be; empty if that is enough."""
        if self._points:
            return ""
        if not self._covered:
            return "Draw the curve in the plot, from its left edge to its right."
        covered = math.floor(100 * self._covered) / 100  # rounded down: too little must not read as enough
        return f"Draw more of the curve: it covers {format_percent(covered)} of the axis and needs {format_percent(ENOUGH)}."

    def _on_drawn(self) -> None:
        assert self._pad is not None
        self._points, self._covered = self._pad.points(), self._pad.covered
        self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        self._clear.setEnabled(self._covered > 0)


class TextView(AnswerView):
    """A field for a free-text answer."""

    def __init__(self) -> None:
        super().__init__()
        height = _TEXT_LINES * self.fontMetrics().lineSpacing() + 12
        self._edit = text_field("Your answer", "In your own words", height=height)
        self._edit.textChanged.connect(self.changed)
        self.column.addWidget(self._edit)

    def answer(self) -> str | None:
        """Return the typed text; None if it is too short or too long."""
        return None if self.missing() else self._text()

    def draft(self) -> str | None:
        """Return the text as it is typed, as much as is kept."""
        return self._edit.toPlainText()[:LONGEST_WORDS] or None

    def restore(self, draft: Answer) -> None:
        """Type this text."""
        if isinstance(draft, str):
            self._edit.setPlainText(draft)

    def in_words(self) -> str:
        """Return the typed text; empty if it is too short or too long."""
        return self.answer() or ""

    def missing(self) -> str:
        """Return a request to write more or less; empty if the length is fine."""
        text = self._text()
        if len(text) > LONGEST_WORDS:
            return f"Shorten your answer to {LONGEST_WORDS:,} characters: it has {len(text):,}."
        return "" if len("".join(text.split())) >= _FEWEST_LETTERS else "Write a few words."

    def _text(self) -> str:
        return self._edit.toPlainText().strip()


def view_for(prediction: Prediction, words: Words, options: Sequence[str]) -> AnswerView:
    """Return the widget for a prediction; `words` converts the options' Markdown to safe HTML, `options` are the names of
    a choice's options in the order in which they are shown."""
    match prediction:
        case Choice():
            return ChoiceView(prediction, words, options)
        case Number():
            return NumberView(prediction)
        case Order():
            return OrderView(prediction, words)
        case Sketch():
            return SketchView()
        case _:
            return TextView()


def number_in(text: str) -> float | None:
    """Parse a number as people write it. Return None if the text is not a number, is ambiguous, or has no
    finite value."""
    if _THOUSANDS_OR_NOT.fullmatch(text.strip().replace("−", "-")):
        return None
    parts = [part.strip() for part in text.replace("−", "-").replace(",", ".").split("/")]
    if len(parts) > 2 or not all(map(_NUMBER.fullmatch, parts)):
        return None
    above, below = float(parts[0]), float(parts[-1]) if len(parts) == 2 else 1.0
    value = above / below if below else math.inf
    return value if math.isfinite(value) else None


def _written(value: float) -> str:
    return f"{value:.12g}".replace("-", "−")
