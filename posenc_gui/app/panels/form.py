"""Forms made from declared models: one editor a field, by the field's type, with its range, unit and help."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic.fields import FieldInfo
from PySide6.QtCore import QLocale, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from superqt import QFlowLayout

from posenc_gui.errors import sentence
from posenc_gui.frozen import Frozen

_SLIDER_STEPS = 1000
_LEAST_PIXELS = 64  # of an editor, so that forms fit narrow cards


class ModelForm(QWidget):
    """Edits a frozen model; each valid change is proposed, each refusal stands below the field that caused it.

    What is refused stays in its field, so nothing typed is lost; it is proposed again with the next change, which takes
    effect without it too.
    """

    def __init__(
        self,
        model: type[Frozen],
        propose: Callable[[Frozen], str],
        *,
        inline: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._propose = model, propose
        self._shown: Frozen | None = None
        self._editors = {
            name: _editor_for(field) for name, field in model.model_fields.items() if "editor" not in _extra(field)
        }
        self._refusals = {name: _small_label("refusal") for name in self._editors}
        for label in self._refusals.values():
            label.hide()
        (self._lay_out_inline if inline else self._lay_out)()
        for name, editor in self._editors.items():
            field = model.model_fields[name]
            editor.setAccessibleName(field.title or name)
            editor.setAccessibleDescription(_help(field))
            editor.setToolTip(_help(field))
            editor.edited.connect(lambda name=name: self._on_edited(name))

    def show_value(self, value: Frozen) -> None:
        """Show a model's values without proposing them."""
        if value == self._shown:
            return
        self._shown = value
        for name, editor in self._editors.items():
            self._refuse(name, "")
            with QSignalBlocker(editor):
                editor.set_value(getattr(value, name))

    def limit(self, name: str, largest: int) -> None:
        """Narrow a whole number's range to what the session allows."""
        self._editors[name].limit(largest)

    def add(self, widget: QWidget) -> None:
        """Put another widget behind the editors of an inline form."""
        self._flow.addWidget(widget)

    def editor(self, name: str) -> QWidget:
        """The editor of a field."""
        return self._editors[name]

    def refusal(self) -> str:
        """The sentences that are shown because values were refused; empty where none was."""
        return "\n".join(filter(None, (label.text() for label in self._refusals.values())))

    def _on_edited(self, name: str) -> None:
        waiting = [name, *(other for other, label in self._refusals.items() if label.text() and other != name)]
        if why := self._try(waiting):  # together first: one change may be what another waits for
            whys = [why] if len(waiting) == 1 else [self._try([one]) for one in waiting]
        else:
            whys = [""] * len(waiting)
        for one, refused in zip(waiting, whys, strict=True):
            self._refuse(one, refused)

    def _try(self, names: list[str]) -> str:
        """Propose what stands in these fields beside the other fields' accepted values; says why it was refused."""
        before = self._shown
        try:
            edited = {name: self._editors[name].value() for name in names}
            self._shown = value = self._model(**(dict(before) if before else {}) | edited)
        except ValueError as error:
            return sentence(error)
        why = self._propose(value)
        if why:
            self._shown = before
        return why

    def _refuse(self, name: str, why: str) -> None:
        self._editors[name].mark_refused(bool(why))
        self._refusals[name].setText(why)
        self._refusals[name].setVisible(bool(why))

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (name, editor) in enumerate(self._editors.items()):
            field = self._model.model_fields[name]
            label = QLabel(field.title or name)
            label.setBuddy(editor)
            help_text = _small_label("muted")
            help_text.setText(_help(field))
            grid.addWidget(label, 3 * row, 0)
            grid.addWidget(editor, 3 * row, 1)
            grid.addWidget(self._refusals[name], 3 * row + 1, 0, 1, 2)
            grid.addWidget(help_text, 3 * row + 2, 0, 1, 2)
            grid.setRowMinimumHeight(3 * row + 2, 24)

    def _lay_out_inline(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self._flow = flow = QFlowLayout()  # cards can be narrow
        flow.setContentsMargins(0, 0, 0, 0)
        for name, editor in self._editors.items():
            label = QLabel(self._model.model_fields[name].title or name)
            label.setObjectName("muted")
            label.setBuddy(editor)
            pair = QWidget()
            line = QHBoxLayout(pair)
            line.setContentsMargins(0, 0, 8, 0)
            line.setSpacing(6)
            line.addWidget(label)
            line.addWidget(editor)
            flow.addWidget(pair)
        column.addLayout(flow)
        for refusal in self._refusals.values():
            column.addWidget(refusal)


class _Editor(QWidget):
    """A field's editor: says when it was edited, gives its value and takes one."""

    edited = Signal()

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        for widget in widgets:
            widget.setMinimumWidth(_LEAST_PIXELS)
            line.addWidget(widget)
        self._widgets = widgets
        self.setFocusProxy(widgets[0])

    def value(self) -> Any:
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        raise NotImplementedError

    def limit(self, largest: int) -> None:
        raise NotImplementedError

    def mark_refused(self, refused: bool) -> None:
        for widget in self._widgets:
            widget.setProperty("refused", refused)
            widget.style().unpolish(widget)
            widget.style().polish(widget)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802
        """The name goes to the widgets that take the keyboard."""
        for widget in self._widgets:
            widget.setAccessibleName(name)

    def setAccessibleDescription(self, text: str) -> None:  # noqa: N802
        """Likewise the description."""
        for widget in self._widgets:
            widget.setAccessibleDescription(text)


class _Number(_Editor):
    """A whole number, or none."""

    def __init__(self, field: FieldInfo, optional: bool) -> None:
        self._box = QSpinBox()
        low, high = _bounds(field)
        self._optional, self._low = optional, int(low)
        self._box.setRange(int(low) - optional, min(int(high), 2**31 - 1))
        self._box.setGroupSeparatorShown(True)
        steps = [rule.multiple_of for rule in field.metadata if isinstance(rule, MultipleOf)]
        self._box.setSingleStep(next((step for step in steps if isinstance(step, int)), 1))
        if optional:
            self._box.setSpecialValueText(_extra(field).get("none", "auto"))
        super().__init__(self._box)
        self._box.valueChanged.connect(self.edited)

    def value(self) -> int | None:
        value = self._box.value()
        return None if self._optional and value < self._low else value

    def set_value(self, value: int | None) -> None:
        if value is not None:
            self._box.setMaximum(max(value, self._box.maximum()))  # a session may hold more than `limit` offers
        self._box.setValue(self._low - 1 if value is None else value)

    def limit(self, largest: int) -> None:
        with QSignalBlocker(self._box):
            self._box.setMaximum(max(largest, self._box.value()))


class _Decimal(_Editor):
    """A number, or none; with a slider where the field is declared on a logarithmic scale."""

    def __init__(self, field: FieldInfo, optional: bool) -> None:
        extra = _extra(field)
        low, high = _bounds(field)
        self._optional, self._low, self._high = optional, low, high
        self._box = _PlainDecimals(low)
        step = extra.get("step")
        self._least = low - 1 if optional else low
        self._exact: tuple[float, float | None] | None = None  # what the box made of the value shown, and that value
        self._box.setRange(self._least, high)
        if step:
            self._box.setSingleStep(step)
        else:
            self._box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        if optional:
            self._box.setSpecialValueText(extra.get("none", "auto"))
        self._slider = QSlider(Qt.Orientation.Horizontal) if extra.get("scale") == "log" else None
        super().__init__(self._box, *([self._slider] if self._slider else []))
        self._box.valueChanged.connect(self._on_box)
        if self._slider:
            self._slider.setRange(0, _SLIDER_STEPS)
            self._slider.valueChanged.connect(self._on_slider)

    def value(self) -> float | None:
        value = self._box.value()
        if self._exact and self._exact[0] == value:  # the box rounds; what nobody edited stays as it was
            return self._exact[1]
        return None if self._optional and value < self._low else value

    def set_value(self, value: float | None) -> None:
        with QSignalBlocker(self._box):
            self._box.setValue(self._least if value is None else value)
        self._exact = self._box.value(), value
        self._move_slider()

    def _on_box(self) -> None:
        self._move_slider()
        self.edited.emit()

    def _on_slider(self, at: int) -> None:
        value = self._low * (self._high / self._low) ** (at / _SLIDER_STEPS)
        # Two significant digits, so that a drag stops at numbers that can be said; never below what is allowed.
        rounded = float(f"{value:.2g}")
        with QSignalBlocker(self._box):
            self._box.setValue(max(rounded, self._box.minimum()))
        self.edited.emit()

    def _move_slider(self) -> None:
        if self._slider:
            at = math.log(max(self._box.value(), self._low) / self._low) / math.log(self._high / self._low)
            with QSignalBlocker(self._slider):
                self._slider.setValue(round(at * _SLIDER_STEPS))


class _PlainDecimals(QDoubleSpinBox):
    """A spin box that shows as many decimals as its number has. What is below `low` stands for no number."""

    def __init__(self, low: float) -> None:
        super().__init__()
        self._low = low
        self.setDecimals(6)

    def stepBy(self, steps: int) -> None:  # noqa: N802
        """From no number to the least one in one step, and back."""
        if self.value() < self._low:
            self.setValue(self._low if steps > 0 else self.minimum())
            return
        super().stepBy(steps)
        if self.value() < self._low:
            self.setValue(self.minimum())

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Any way of writing a number, 5e5 too; one that is out of range is not taken, but may be on its way."""
        if text == self.specialValueText():
            return QValidator.State.Acceptable, text, position
        try:
            allowed = self.minimum() <= float(text.replace(",", "")) <= self.maximum()
        except ValueError:
            typing = re.fullmatch(r"[-+]?[\d,]*\.?\d*([eE][-+]?\d*)?", text) is not None
            return (QValidator.State.Intermediate if typing else QValidator.State.Invalid), text, position
        return (QValidator.State.Acceptable if allowed else QValidator.State.Intermediate), text, position

    def valueFromText(self, text: str) -> float:  # noqa: N802
        """The number as it was written."""
        return self.minimum() if text == self.specialValueText() else float(text.replace(",", ""))

    def textFromValue(self, value: float) -> str:  # noqa: N802
        """10000 rather than 10000.000000."""
        return QLocale.c().toString(value, "g", 10)


class _Choice(_Editor):
    """One of some names."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._box = QComboBox()
        for name in names:
            self._box.addItem(name.replace("_", " "), name)
        super().__init__(self._box)
        self._box.currentIndexChanged.connect(self.edited)

    def value(self) -> str:
        name: str = self._box.currentData()
        return name

    def set_value(self, value: str) -> None:
        self._box.setCurrentIndex(self._box.findData(value))


class _Switch(_Editor):
    """Yes or no."""

    def __init__(self) -> None:
        self._box = QCheckBox()
        super().__init__(self._box)
        self._box.toggled.connect(self.edited)

    def value(self) -> bool:
        return self._box.isChecked()

    def set_value(self, value: bool) -> None:
        self._box.setChecked(value)

    def mark_refused(self, refused: bool) -> None:
        """A check box has no border to mark; its sentence says enough."""


class _Words(_Editor):
    """A line of text; empty is automatic."""

    def __init__(self, field: FieldInfo) -> None:
        self._line = QLineEdit()
        self._line.setPlaceholderText(_extra(field).get("none", "auto"))
        super().__init__(self._line)
        self._line.textEdited.connect(self.edited)

    def value(self) -> str:
        return self._line.text()

    def set_value(self, value: str) -> None:
        self._line.setText(value)


class _Numbers(_Editor):
    """A list of whole numbers, typed as "0, 2, 6-8"; empty is automatic."""

    def __init__(self, field: FieldInfo) -> None:
        self._line = QLineEdit()
        self._line.setPlaceholderText(_extra(field).get("none", "auto"))
        super().__init__(self._line)
        self._line.textEdited.connect(self.edited)

    def value(self) -> tuple[int, ...]:
        return parse_numbers(self._line.text())

    def set_value(self, value: tuple[int, ...]) -> None:
        self._line.setText(", ".join(map(str, value)))


def parse_numbers(text: str) -> tuple[int, ...]:
    """The whole numbers in a text such as "0, 2, 6-8". Raises ValueError with a sentence for anything else."""
    numbers: list[int] = []
    for piece in re.split(r"[,;\s]+", text.strip()):
        if not piece:
            continue
        found = re.fullmatch(r"(\d{1,6})(?:[-–](\d{1,6}))?", piece)
        if not found:
            raise ValueError(f"“{piece[:20]}” is no number and no range: type numbers such as 0, 2, 6-8.")
        first, last = int(found[1]), int(found[2] or found[1])
        if last - first > 1000:
            raise ValueError(f"{piece} is too long a range.")
        numbers.extend(number for number in range(first, last + 1) if number not in numbers)
    return tuple(numbers)


def _editor_for(field: FieldInfo) -> _Editor:
    kind, optional = _kind(field)
    if kind is bool:
        return _Switch()
    if get_origin(kind) is Literal:
        return _Choice(get_args(kind))
    if get_origin(kind) is tuple:
        return _Numbers(field)
    if kind is str:
        return _Words(field)
    return _Number(field, optional) if kind is int else _Decimal(field, optional)


def _kind(field: FieldInfo) -> tuple[Any, bool]:
    """A field's type, and whether it may be None."""
    arms = get_args(field.annotation) if get_origin(field.annotation) in (Union, types.UnionType) else ()
    return (next(arm for arm in arms if arm is not type(None)), True) if arms else (field.annotation, False)


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = -1e9, 1e9
    least = 1e-6 if _kind(field)[0] is float else 1
    for rule in field.metadata:
        match rule:
            case Ge(ge=int() | float() as bound):
                low = bound
            case Gt(gt=int() | float() as bound):
                low = bound + least
            case Le(le=int() | float() as bound):
                high = bound
            case Lt(lt=int() | float() as bound):
                high = bound - least
    return low, high


def _help(field: FieldInfo) -> str:
    unit = _extra(field).get("unit", "")
    low, high = _bounds(field)
    has_range = any(isinstance(rule, Ge | Gt | Le | Lt) for rule in field.metadata)
    span = f" {_short(low)} to {_short(high)}{' ' + unit if unit else ''}." if has_range else ""
    return f"{field.description or ''}{span}"


def _short(value: float) -> str:
    value = round(value, 4)
    return f"{value:,.10g}" if abs(value) < 1e7 else f"{value:.0e}".replace("e+0", "e")


def _extra(field: FieldInfo) -> dict[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


def _small_label(name: str) -> QLabel:
    label = QLabel(wordWrap=True)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 0.88)
    label.setFont(font)
    return label
