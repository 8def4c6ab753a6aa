"""Conditions for a step's goal or claims: recorded ones can be left out, measured ones can be added."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QCheckBox, QSizePolicy, QVBoxLayout, QWidget

from posenc_gui.app.labs.authoring.prediction_form import headings_of, offer
from posenc_gui.app.widgets.controls import Choices, escape_mnemonics, wrap_tooltip
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.authoring.measurable import Condition
from posenc_gui.labs.definition.expressions import Expression


class Conditions(QWidget):
    """A check box for each condition, and below them a drop-down list from which more are added."""

    def __init__(self, says: str, invites: str) -> None:
        super().__init__()
        self.more, self._invites = Choices(says), invites
        self.more.activated.connect(self._on_more)
        self._boxes: list[tuple[QCheckBox, Condition]] = []
        self._offered: dict[str, Condition] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.more)
        self.offer(())

    @property
    def chosen(self) -> tuple[Expression, ...]:
        """The ticked conditions."""
        return tuple(condition.question for box, condition in self._boxes if box.isChecked())

    def in_words(self, message: str) -> tuple[str, QCheckBox | None]:
        """Return a message about a ticked condition with the words of its box in place of the expression, and the box;
        the message as it is, and None, if it is about none."""
        for box, condition in self._boxes:
            if box.isChecked() and (asked := quote(condition.question.text)) in message:
                return message.replace(asked, quote(condition.words)), box
        return message, None

    def offer(self, conditions: Iterable[tuple[str, Condition]]) -> None:
        """Set the conditions that the drop-down list offers, each with the heading below which it stands."""
        headed = list(conditions)
        self._offered = {one.question.text: one for _, one in headed}
        told = {text: one.words for text, one in self._offered.items()}
        headings = headings_of((one.question.text, heading) for heading, one in headed)
        offer(self.more, {"": self._invites} | told, headings)

    def show_all(self, conditions: Iterable[Condition]) -> None:
        """Replace all conditions by these, all ticked."""
        for box, _ in self._boxes:
            box.hide()
            box.deleteLater()
        self._boxes = []
        for condition in conditions:
            self._add(condition)

    def _add(self, condition: Condition) -> None:
        box = QCheckBox(escape_mnemonics(condition.words))
        box.setChecked(True)
        box.setToolTip(wrap_tooltip(f"{condition.words}\n{condition.question.text}"))
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # no wider than the layout allows
        self._boxes.append((box, condition))
        self._column.insertWidget(self._column.count() - 1, box)

    def _on_more(self) -> None:
        if condition := self._offered.get(self.more.currentData()):
            there = next((box for box, one in self._boxes if one.question == condition.question), None)
            if there:
                there.setChecked(True)
            else:
                self._add(condition)
            self.more.setCurrentIndex(0)
