"""The form for a step's prediction: its kind, answers, measured value and feedback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from string import ascii_lowercase

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QWidget

from posenc_gui.app.labs.answer_widgets import number_in
from posenc_gui.app.widgets.controls import (
    Choices,
    LineField,
    TextField,
    in_column,
    in_row,
    line_field,
    plain_label,
    wrap_tooltip,
)
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.foundation.wording import join_words
from posenc_gui.labs.authoring.measurable import Measurable
from posenc_gui.labs.authoring.write import ASKS
from posenc_gui.labs.definition.expressions import Expression
from posenc_gui.labs.definition.lab import Choice, FreeText, Kind, Number, Order, Prediction, Sketch
from posenc_gui.measures.base import ROUNDING

_KINDS: dict[Kind | None, str] = {
    None: "No prediction",
    "choice": "One of several answers",
    "number": "A number",
    "order": "An order of rows",
    "sketch": "A curve, sketched",
    "text": "Free text",
}
_NO_ROW: dict[Kind | None, str] = {
    "choice": "never",
    "order": "by …",
    "number": "A common mistake gives …",
    "sketch": "A common mistake draws …",
}
_JUDGED: dict[str, tuple[Kind, ...]] = {
    "right": ("number", "order", "sketch"),
    "reversed": ("order",),
    "wrong": ("number", "order", "sketch"),
}
_SAID = "Feedback to those who think so"
_HEADING = None  # the data of a heading in a list
_SHORTEST = 8  # minimum visible characters of a drop-down list
_MOST_ROWS = 8
_EXACT = 0.05  # suggested tolerance of a guess, as a fraction of the value
_LONGEST_NAME = 36  # characters of a misconception's name; lab files allow 40


class Missing(ValueError):
    """Raised for a field that must be filled in or corrected, with a sentence that asks for it."""

    def __init__(self, why: str, field: QWidget) -> None:
        super().__init__(why)
        self.field = field


@dataclass(frozen=True)
class ShownCurves:
    """The curves that a plot shows, with their labels."""

    plot: str
    title: str
    labels: tuple[str, ...]


class Suggestion:
    """A text field with a suggested text, which is updated until the user types another."""

    def __init__(self, field: LineField | TextField) -> None:
        self._field, self._words = field, ""

    @property
    def stands(self) -> bool:
        """True while the field holds the suggested text."""
        return typed(self._field) == self._words

    def show(self, words: str) -> None:
        """Suggest this text; a text that the user typed stays."""
        stands, self._words = self.stands, words
        if stands:
            fill(self._field, words)

    def clear(self) -> None:
        """Remove the suggestion and the text."""
        self._words = ""
        self._field.clear()


class PredictionForm(QWidget):
    """The form for a prediction; its measured value is chosen from the worker's measurements."""

    sketching = Signal()  # the form needs the plot's curves from now on

    def __init__(self) -> None:
        super().__init__()
        self.kind = Choices("Kind of prediction")
        for kind, words in _KINDS.items():
            self.kind.addItem(words, kind)
        self.asks = line_field("Question to predict", "")
        self.value = Choices("Measured value")
        self.tolerance = line_field("Tolerance", "0.5")
        self._suggested_tolerance = Suggestion(self.tolerance)
        self.plot = Choices("Plot whose curve is sketched")
        self.curve = Choices("Curve that is expected")
        self.covers = QCheckBox("Cover plots until the prediction is made")
        self.rows = [AnswerRow(name) for name in ascii_lowercase[:_MOST_ROWS]]
        self.judged = {
            name: line_field(f"What is said where it is {name}", f"What is said where it is {name}") for name in _JUDGED
        }
        self._values: tuple[Measurable, ...] = ()
        self._curves: tuple[ShownCurves, ...] = ()
        self._suggested: object = None  # the conditions for which answers were suggested
        self._form = QFormLayout()
        for title, field in {
            "Predicted": self.kind,
            "Question": self.asks,
            "Measured": self.value,
            "Off by": self.tolerance,
            "Curve of": self.plot,
            "Expected": self.curve,
        }.items():
            self._form.addRow(title, field)
        for row in self.rows:
            row.changed.connect(self._show_rows)
        self._told = plain_label("● holds now.", "muted")
        in_column(self._form, *self.rows, *self.judged.values(), self._told, self.covers, of=self)
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.value.currentIndexChanged.connect(self._show_values)
        for box in (self.plot, self.curve):
            box.currentIndexChanged.connect(self._show_curves)
        self._show_kind()

    @property
    def chosen_kind(self) -> Kind | None:
        """The chosen kind of prediction; None if the step has none."""
        found: Kind | None = self.kind.currentData()
        return found

    @property
    def choices(self) -> tuple[Choices, ...]:
        """The drop-down lists, each after those on which it depends."""
        return self.kind, self.value, self.plot, self.curve, *(row.when for row in self.rows)

    @property
    def fields(self) -> dict[str, LineField]:
        """The fields in which one types, by the names under which a half-written step keeps them."""
        answers = {f"answer {row.name}": row.words for row in self.rows}
        feedback = {f"feedback {row.name}": row.said for row in self.rows}
        return {"asks": self.asks, "tolerance": self.tolerance, **self.judged, **answers, **feedback}

    def prediction(self) -> Prediction | None:
        """Return the prediction as filled in. Raises Missing if a field must still be filled in."""
        rows = {row.name: row for row in self.rows if row.text}
        words = {name: row.text for name, row in rows.items()}
        kind = self.chosen_kind
        if kind in ("choice", "order") and len(rows) < 2:
            raise Missing("Write at least two answers.", next(row.words for row in self.rows if not row.text))
        match kind:
            case "choice":
                self._check_outcome(rows)
                return Choice(words, {name: Expression(row.chosen) for name, row in rows.items() if row.chosen})
            case "number":
                return self._number()
            case "order":
                if open_rows := [row for row in rows.values() if not row.chosen]:
                    raise Missing("Choose for each row the value by which it is put in order.", open_rows[0].when)
                return Order(words, {name: Expression(row.chosen) for name, row in rows.items()})
            case "sketch":
                if not self._curves:
                    raise Missing("None of the open plots shows curves. Open one that does.", self.plot)
                near = {name: int(row.chosen) for name, row in self._near().items()}
                return Sketch(self.plot.currentData(), self.curve.currentData(), near)
            case "text":
                return FreeText()
            case None:
                return None

    def feedback(self) -> dict[str, str]:
        """Return the feedback for each answer, under the keys that the kind of prediction uses in the lab file."""
        kind = self.chosen_kind
        near = self._near() if kind in ("number", "sketch") else {}
        rows = {row.name: row for row in self.rows if row.text} if kind == "choice" else near
        fields = {name: row.said for name, row in rows.items()}
        fields |= {name: line for name, line in self.judged.items() if kind in _JUDGED[name]}
        return {name: words for name, field in fields.items() if (words := field.text().strip())}

    def field_of(self, part: str) -> QWidget:
        """Return the field for a part of the step, as `parse.part_at` names it."""
        if part == "predict":
            return self.asks
        name = part.removeprefix("feedback ")
        rows = {row.name: row for row in self.rows} | self._near()
        if name in self.judged:
            return self.judged[name]
        return rows[name].said if name in rows else self.kind

    def show_measured(self, values: tuple[Measurable, ...], curves: tuple[ShownCurves, ...]) -> None:
        """Offer the measured values and curves for choice."""
        self._values, self._curves = values, curves
        words = {one.question.text: one.words for one in values}
        offer(self.value, words, headings_of((one.question.text, one.heading) for one in values))
        for one in values:
            at = self.value.findData(one.question.text)
            self.value.setItemData(at, wrap_tooltip(one.reason), Qt.ItemDataRole.ToolTipRole)
        offer(self.plot, {one.plot: one.title for one in curves})
        self._show_values()
        self._show_curves()

    def clear(self) -> None:
        """Clear the form but keep the kind of prediction: the next one is often of the same kind."""
        self.asks.clear()
        self._suggested_tolerance.clear()
        for row in self.rows:
            row.clear()
        for line in self.judged.values():
            line.clear()
        self._suggested = None
        self.covers.setChecked(self.chosen_kind == "sketch")
        self._show_values()

    def _check_outcome(self, rows: Mapping[str, AnswerRow]) -> None:
        """Check that exactly one answer's condition is true. Raises Missing otherwise."""
        chosen = [row for row in rows.values() if row.chosen]
        if not chosen:
            raise Missing(
                "For at least one answer, choose the condition under which it happens.", next(iter(rows.values())).when
            )
        holds = {one.question.text: one.holds for value in self._values for one in value.conditions}
        happening = [row for row in chosen if holds.get(row.chosen)]  # not yet measured of a step that is taken up
        if len(happening) != 1:
            found = f"answers {join_words(row.name for row in happening)} are" if happening else "none is"
            told = f"Exactly one answer must be what happens, marked by ●: {found}."
            raise Missing(told, (happening or chosen)[-1].when)

    def _number(self) -> Number:
        found = self._measured
        if found is None or found.number is None:
            raise Missing("Choose what is measured: a number.", self.value)
        off = number_in(self.tolerance.text())
        if off is None or off < 0:
            raise Missing("Write how far off a guess may be: a number, such as 0.5.", self.tolerance)
        return Number(found.question, off, {name: Expression(row.chosen) for name, row in self._near().items()})

    @property
    def _measured(self) -> Measurable | None:
        return next((one for one in self._values if one.question.text == self.value.currentData()), None)

    def _near(self) -> dict[str, AnswerRow]:
        """Return the rows of common mistakes, each under the name of the value or curve to which it leads."""
        found: dict[str, AnswerRow] = {}
        for row in self.rows:
            name = _name(row.when.currentText().partition(":")[0])
            if row.chosen:
                found[f"{name}-{row.name}" if name in found else name] = row
        return found

    def _show_kind(self) -> None:
        kind = self.chosen_kind
        self._form.setRowVisible(self.asks, kind is not None)
        self.asks.setPlaceholderText(ASKS[kind] if kind else "")
        self._form.setRowVisible(self.value, kind in ("choice", "number"))
        self._form.setRowVisible(self.tolerance, kind == "number")
        self._form.setRowVisible(self.plot, kind == "sketch")
        self.covers.setVisible(kind is not None)
        self.covers.setChecked(kind == "sketch" or (self.covers.isChecked() and self.covers.isEnabled()))
        self.covers.setEnabled(kind != "sketch")  # a sketch always covers the plot
        for name, line in self.judged.items():
            line.setVisible(kind in _JUDGED[name])
        self._show_values()
        self._show_curves()
        self._show_rows()
        if kind == "sketch":
            self.sketching.emit()

    def _show_values(self) -> None:
        """List the conditions or values that can be assigned to rows."""
        kind, chosen = self.chosen_kind, self._measured
        numbers = {one.question.text: one.words for one in self._values if one.number is not None}
        self._told.setVisible(kind == "choice" and chosen is not None)
        match kind:
            case "choice":
                conditions = chosen.conditions if chosen else ()
                offered = {one.question.text: f"● {one.words}" if one.holds else one.words for one in conditions}
            case "order":
                offered = numbers
            case "number":
                offered = {text: words for text, words in numbers.items() if text != self.value.currentData()}
            case _:
                return
        for row in self.rows:
            offer(row.when, {"": _NO_ROW[kind]} | offered)
        if kind == "number" and chosen and chosen.number is not None:
            self._suggested_tolerance.show(_rough(max(_EXACT * abs(chosen.number), ROUNDING)))
        if kind == "choice" and chosen and self._suggested != (wanted := tuple(offered)):
            self._suggested = wanted
            own = [row for row in self.rows if row.is_own]
            judged = any(row.chosen for row in own)  # then a row without a condition is meant to be never right
            for row, condition in zip(self.rows, chosen.outcomes, strict=False):
                if not own or (row.is_own and not judged):  # what was written and chosen never changes its meaning
                    row.suggest(f"It {condition.words}.", condition.question.text)
        self._show_rows()

    def _show_curves(self) -> None:
        kind = self.chosen_kind
        found = next((one for one in self._curves if one.plot == self.plot.currentData()), None)
        named = {index: label or f"Curve {index}" for index, label in enumerate(found.labels if found else ())}
        self._form.setRowVisible(self.curve, kind == "sketch" and len(named) > 1)
        if kind == "sketch":
            offer(self.curve, named)
            others = {str(index): label for index, label in named.items() if index != self.curve.currentData()}
            for row in self.rows:
                offer(row.when, {"": _NO_ROW[kind]} | others)
            self._show_rows()

    def _show_rows(self) -> None:
        """Show the filled rows and an empty one: at least two answers, and no more mistakes than there are values."""
        kind = self.chosen_kind
        for row in self.rows:
            row.show_as(kind)
        filled = sum(row.is_filled(kind) for row in self.rows)
        count = max(2, filled + 1) if kind in ("choice", "order") else 0
        if kind in ("number", "sketch"):
            count = min(filled + 1, self.rows[0].when.count() - 1)
        for at, row in enumerate(self.rows):
            row.setVisible(at < count or row.is_filled(kind))


class AnswerRow(QWidget):
    """A row of the form: an answer's text, the condition under which it is the outcome, and the feedback for those who
    chose it.

    For an order, the row holds an item's text and value; for other kinds, the value or curve to which a common mistake
    leads, and the feedback.
    """

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.words = line_field(f"Answer {name}", f"Answer {name}")
        self.when = Choices(f"When answer {name} is what happens")
        self.said = line_field(f"{_SAID}: {name}", _SAID)
        self._suggested_words, self._suggested_when = Suggestion(self.words), ""
        self.words.textChanged.connect(self.changed)
        self.when.currentIndexChanged.connect(self.changed)
        line = in_row(self.words, gap=TIGHT, grows=self.words)
        line.addWidget(self.when, 1)
        in_column(line, self.said, of=self, gap=TIGHT)

    @property
    def text(self) -> str:
        """The typed text, with single spaces."""
        return " ".join(self.words.text().split())

    @property
    def chosen(self) -> str:
        """The chosen condition or value, or the number of the chosen curve, as text; empty if none is chosen."""
        return str(self.when.currentData() or "")

    @property
    def is_own(self) -> bool:
        """True if the answer is in the author's own words."""
        return bool(self.text) and not self._suggested_words.stands

    def show_as(self, kind: Kind | None) -> None:
        """Show the fields that this kind of prediction needs."""
        self.words.setVisible(kind in ("choice", "order"))
        self.said.setVisible(kind != "order" and self.is_filled(kind))

    def is_filled(self, kind: Kind | None) -> bool:
        """Return True if the row holds an answer, or a common mistake, for this kind of prediction."""
        return bool(self.text if kind in ("choice", "order") else self.chosen)

    def suggest(self, words: str, question: str) -> None:
        """Suggest a text and a condition if none has been typed or chosen."""
        self._suggested_words.show(words)
        if self.chosen in ("", self._suggested_when):
            self.when.setCurrentIndex(max(0, self.when.findData(question)))
        self._suggested_when = question

    def clear(self) -> None:
        """Remove the text, the choice, the feedback and the suggestions."""
        self._suggested_words.clear()
        self._suggested_when = ""
        self.when.setCurrentIndex(0)
        self.said.clear()


def typed(field: LineField | TextField) -> str:
    """Return what stands in a field."""
    return field.text() if isinstance(field, LineField) else field.toPlainText()


def fill(field: LineField | TextField, words: str) -> None:
    """Replace what stands in a field."""
    field.setText(words) if isinstance(field, LineField) else field.setPlainText(words)


def headings_of(entries: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headings of entries that stand together, each by the data of the first entry below it."""
    return {next(iter(group))[0]: heading for heading, group in groupby(entries, key=itemgetter(1))}


def offer(
    box: Choices, offered: Mapping[str, str] | Mapping[int, str], headings: Mapping[str, str] | None = None
) -> None:
    """Fill a drop-down list, and keep the earlier choice if it is still offered. Long entries don't widen the list."""
    entries: list[tuple[object, str]] = []
    for key, words in offered.items():
        if headings and key in headings:
            entries.append((_HEADING, headings[str(key)]))
        entries.append((key, words))
    if entries == [(box.itemData(at), box.itemText(at)) for at in range(box.count())]:
        return  # the list may be open at this moment
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_SHORTEST)
    bold = QFont(box.font())
    bold.setBold(True)
    with QSignalBlocker(box):
        chosen = box.currentData()
        box.clear()
        for at, (data, words) in enumerate(entries):
            box.addItem(words, data)
            if data is _HEADING:
                box.setItemData(at, 0, Qt.ItemDataRole.UserRole - 1)  # no flags: it can't be chosen
                box.setItemData(at, bold, Qt.ItemDataRole.FontRole)
        known = [at for at, (data, _) in enumerate(entries) if data is not _HEADING]
        box.setCurrentIndex(next((at for at in known if entries[at][0] == chosen), known[0] if known else -1))


def choose(box: Choices, data: object, words: str) -> None:
    """Choose an entry, which `offer` keeps if it is offered later."""
    if data not in (None, ""):
        if box.findData(data) < 0:
            box.addItem(words, data)
        box.setCurrentIndex(box.findData(data))


def _name(words: str) -> str:
    """Turn a text into a name for a lab file."""
    name = "-".join(re.findall("[a-z0-9]+", words.lower())) or "another"
    return (name if name[0].isalpha() else f"at-{name}")[:_LONGEST_NAME]


def _rough(value: float) -> str:
    """Write a number rounded to one digit, as people do when they estimate."""
    return f"{Decimal(f'{value:.1g}'):f}"
