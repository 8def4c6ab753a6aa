"""What a step asks to predict, as its writer fills it in: the kind, the answers, and what is measured for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import ascii_lowercase

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from posenc_gui.app.controls import Choices, LineField, plain
from posenc_gui.labs.lab import Choice, Kind, Number, Order, Prediction, Sketch, Text
from posenc_gui.labs.measurable import Measurable
from posenc_gui.labs.questions import Question
from posenc_gui.look import TIGHT
from posenc_gui.measures.base import ROUNDING

_KINDS: dict[Kind | None, str] = {
    None: "Nothing is predicted",
    "choice": "One of several answers",
    "number": "A number",
    "order": "An order of rows",
    "sketch": "A curve, sketched",
    "text": "Their own words",
}
_SHORTEST = 8  # characters of a list that are seen at least
_MOST_ROWS = 8
_EXACT = 0.05  # of a number: how far off a guess may be


class Missing(ValueError):
    """What has still to be filled in, in a sentence, and the field for it."""

    def __init__(self, why: str, field: QWidget) -> None:
        super().__init__(why)
        self.field = field


class PredictionForm(QWidget):
    """Asks for a prediction; what is measured for it is chosen from what the worker found."""

    def __init__(self) -> None:
        super().__init__()
        self.kind = Choices("Kind of prediction")
        for kind, words in _KINDS.items():
            self.kind.addItem(words, kind)
        self.asks = LineField(placeholderText="With positions, the two rows …")
        self.asks.setAccessibleName("What is to be predicted")
        self.value = Choices("What is measured for it")
        self.plot = Choices("Plot whose curve is sketched")
        self.covers = QCheckBox("Plots are covered until it is there")
        self.rows = [AnswerRow(name) for name in ascii_lowercase[:_MOST_ROWS]]
        self._values: tuple[Measurable, ...] = ()
        self._form = QFormLayout()
        self._form.addRow("Predicted", self.kind)
        self._form.addRow("Question", self.asks)
        self._form.addRow("Measured", self.value)
        self._form.addRow("Curve of", self.plot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._form)
        for row in self.rows:
            row.words.textChanged.connect(self._show_kind)
            column.addWidget(row)
        self._told = plain("", "muted")
        column.addWidget(self._told)
        column.addWidget(self.covers)
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.value.currentIndexChanged.connect(self._show_values)
        self._show_kind()

    def prediction(self) -> Prediction | None:
        """The prediction as it stands here. Raises Missing."""
        rows = {row.name: row for row in self.rows if row.text}
        words = {name: row.text for name, row in rows.items()}
        kind: Kind | None = self.kind.currentData()
        if kind in ("choice", "order") and len(rows) < 2:
            raise Missing("Write two answers at least.", next(row.words for row in self.rows if not row.text))
        match kind:
            case "choice":
                self._check_outcome(rows)
                return Choice(words, {name: Question(row.chosen) for name, row in rows.items() if row.chosen})
            case "number":
                return self._number()
            case "order":
                if open_rows := [row for row in rows.values() if not row.chosen]:
                    raise Missing("Choose for each row the value by which it is put in order.", open_rows[0].when)
                return Order(words, {name: Question(row.chosen) for name, row in rows.items()})
            case "sketch":
                return Sketch(self.plot.currentText(), 0)
            case "text":
                return Text()
            case None:
                return None

    def show_plots(self, names: Iterable[str]) -> None:
        """Offer these plots for a sketch."""
        offer(self.plot, {name: name for name in names})

    def show_measured(self, values: tuple[Measurable, ...]) -> None:
        """Offer what was measured."""
        self._values = values
        offer(self.value, {one.question.text: one.words for one in values})
        for at, one in enumerate(values):
            self.value.setItemData(at, one.reason, Qt.ItemDataRole.ToolTipRole)
        self._show_values()

    def clear(self) -> None:
        """As at first."""
        self.kind.setCurrentIndex(0)
        self.asks.clear()
        for row in self.rows:
            row.words.clear()
        self.covers.setChecked(False)

    def _check_outcome(self, rows: Mapping[str, AnswerRow]) -> None:
        """Raises Missing unless one of the answers, and only one, is what happens."""
        chosen = [row for row in rows.values() if row.chosen]
        if not chosen:
            raise Missing("Choose for one answer when it is what happens.", next(iter(rows.values())).when)
        holds = {one.question.text: one.holds for value in self._values for one in value.conditions}
        happening = [row for row in chosen if holds[row.chosen]]
        if len(happening) != 1:
            found = f"answers {' and '.join(row.name for row in happening)} are" if happening else "none is"
            told = f"Exactly one answer must be what happens, marked by ●: {found}."
            raise Missing(told, (happening or chosen)[-1].when)

    def _number(self) -> Number:
        found = next((one for one in self._values if one.question.text == self.value.currentData()), None)
        if found is None or found.number is None:
            raise Missing("Choose what is measured: a number.", self.value)
        return Number(found.question, max(float(f"{_EXACT * abs(found.number):.1g}"), ROUNDING))

    def _show_kind(self) -> None:
        kind = self.kind.currentData()
        self._form.setRowVisible(self.asks, kind is not None)
        self._form.setRowVisible(self.value, kind in ("choice", "number"))
        self._form.setRowVisible(self.plot, kind == "sketch")
        self.covers.setVisible(kind is not None)
        if kind == "sketch":
            self.covers.setChecked(True)  # a sketch is drawn over axes without curves
        self.covers.setEnabled(kind != "sketch")
        filled = [row for row in self.rows if row.text]
        for at, row in enumerate(self.rows):
            row.setVisible(kind in ("choice", "order") and at <= max(1, len(filled)))
        self._show_values()

    def _show_values(self) -> None:
        """What rows can be joined to: conditions of what is measured, or values that put them in order."""
        kind = self.kind.currentData()
        if kind == "order":
            offered = {one.question.text: one.words for one in self._values if one.number is not None}
        else:
            chosen = next((one for one in self._values if one.question.text == self.value.currentData()), None)
            offered = {
                one.question.text: f"● {one.words}" if one.holds else one.words
                for one in (chosen.conditions if chosen else ())
            }
        for row in self.rows:
            offer(row.when, {"": "never" if kind == "choice" else "by …"} | offered)
        self._told.setText("● so it is now." if kind == "choice" and offered else "")
        self._told.setVisible(bool(self._told.text()))


class AnswerRow(QWidget):
    """An answer's words, and when it is what happens; or a row's, and the value by which it is put in order."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.words = LineField(placeholderText=f"Answer {name}")
        self.words.setAccessibleName(f"Answer {name}")
        self.when = Choices(f"When answer {name} is what happens")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(TIGHT)
        line.addWidget(self.words, 1)
        line.addWidget(self.when, 1)

    @property
    def text(self) -> str:
        """The words."""
        return " ".join(self.words.text().split())

    @property
    def chosen(self) -> str:
        """The question that was chosen; empty where none is."""
        return str(self.when.currentData() or "")


def offer(box: Choices, offered: dict[str, str]) -> None:
    """Fill a list, and leave chosen what was. The list is as wide as its place, however long its words."""
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_SHORTEST)
    with QSignalBlocker(box):
        chosen = box.currentData()
        box.clear()
        for data, words in offered.items():
            box.addItem(words, data)
        box.setCurrentIndex(max(0, box.findData(chosen)))
