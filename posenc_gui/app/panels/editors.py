"""Editors of declared fields: one a kind of value, with the field's range, steps and help."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from PySide6.QtCore import QEvent, QLocale, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QSlider,
    QSpinBox,
    QWidget,
)

from posenc_gui import fields
from posenc_gui.app.controls import LineField
from posenc_gui.frozen import Frozen

_SLIDER_STEPS = 1000
_LEAST_PIXELS = 64  # of an editor, so that forms fit narrow cards


def editor_for(field: FieldInfo) -> Editor:
    """An editor for a field. Raises TypeError where none fits the field's type: see `without_editor`."""
    made = _maker(field)
    if made is None:
        raise TypeError(f"there is no editor for {field.annotation}")
    return made()


def edited_fields(model: type[Frozen]) -> dict[str, FieldInfo]:
    """The fields that a form shows: those that can be more than one thing and have no editor elsewhere."""
    return {
        name: field
        for name, field in model.model_fields.items()
        if "editor" not in declared(field) and fields.is_choice(field)
    }


def without_editor(model: type[Frozen]) -> list[str]:
    """The fields that no form can edit, as "Yarn.factors: dict[str, float]"; those of groups' members too."""
    found = []
    for name, field in edited_fields(model).items():
        group = fields.kind(field)
        if _maker(field) is None:
            found.append(f"{model.__name__}.{name}: {field.annotation}")
        for member in group.members:
            try:
                group.begun(member)
            except ValidationError:
                found.append(f"{model.__name__}.{name}: {member.__name__} has fields without a default")
            found.extend(without_editor(member))
    return found


def _maker(field: FieldInfo) -> Callable[[], Editor] | None:
    """What makes the editor of a field; None where none fits."""
    kind = fields.kind(field)
    if kind.members:
        none = [(declared(field).get("none", fields.NONE), None)] if kind.optional else []
        return partial(Choice, [*none, *((fields.title(member), member) for member in kind.members)])
    if get_origin(kind.type) is Literal:
        none = [(_none(field), None)] if kind.optional else []
        return partial(Choice, [*none, *((str(name).replace("_", " "), name) for name in get_args(kind.type))])
    if kind.type is int:
        return partial(Number, field, kind.optional)
    if kind.type is float:
        return partial(Decimal, field, kind.optional)
    if kind.optional:
        return None
    if kind.type is bool:
        return Switch
    if kind.type is str:
        return partial(Words, field)
    match fields.values_of(kind):
        case [one] if one is int:
            return partial(Numbers, field, parse_numbers, str)
        case [one] if one is float:
            return partial(Numbers, field, parse_decimals, _plain)
    return None


class Editor(QWidget):
    """A field's editor: says when it was edited, gives its value and takes one."""

    edited = Signal()

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self._beside = line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        for widget in widgets:
            widget.setMinimumWidth(_LEAST_PIXELS)
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # by Tab and by a click, not by the wheel
            widget.installEventFilter(self)
            line.addWidget(widget)
        self.widgets = widgets
        if widgets:
            self.setFocusProxy(widgets[0])
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # what takes none, Qt does not move in the order of Tab

    def stack(self) -> None:
        """Let its widgets stand below each other, as in a narrow column."""
        self._beside.setDirection(QHBoxLayout.Direction.TopToBottom)

    def value(self) -> Any:
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        raise NotImplementedError

    def limit(self, largest: int) -> None:
        raise NotImplementedError

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The wheel scrolls what the editor stands in, unless the keyboard is in it."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def mark_refused(self, refused: bool) -> None:
        for widget in self.widgets:
            widget.setProperty("refused", refused)
            widget.style().unpolish(widget)
            widget.style().polish(widget)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802
        """The name goes to the widgets that take the keyboard."""
        for widget in self.widgets:
            widget.setAccessibleName(name)

    def setAccessibleDescription(self, text: str) -> None:  # noqa: N802
        """Likewise the description."""
        for widget in self.widgets:
            widget.setAccessibleDescription(text)


class Number(Editor):
    """A whole number, or none."""

    def __init__(self, field: FieldInfo, optional: bool) -> None:
        self._box = QSpinBox()
        low, high = _bounds(field)
        self._optional, self._low = optional, int(low)
        self._box.setRange(int(low) - optional, min(int(high), 2**31 - 1))
        self._box.setGroupSeparatorShown(True)
        steps = [cast(int, rule.multiple_of) for rule in field.metadata if isinstance(rule, MultipleOf)]
        self._box.setSingleStep(next(iter(steps), 1))
        if optional:
            self._box.setSpecialValueText(_none(field))
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


class Decimal(Editor):
    """A number, or none; with a slider where the field is declared on a logarithmic scale."""

    def __init__(self, field: FieldInfo, optional: bool) -> None:
        extra = declared(field)
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
            self._box.setSpecialValueText(_none(field))
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


class Choice(Editor):
    """One of some values by their names; a group's are the members' classes."""

    def __init__(self, options: Sequence[tuple[str, Any]]) -> None:
        self._box = QComboBox()
        self._values = [value for _, value in options]
        for name, value in options:
            self._box.addItem(name, value if isinstance(value, str) else name)
        super().__init__(*([self._box] if len(options) > 1 else []))  # nothing to choose, nothing to see
        self._box.currentIndexChanged.connect(self.edited)

    def value(self) -> Any:
        return self._values[self._box.currentIndex()]

    def set_value(self, value: Any) -> None:
        self._box.setCurrentIndex(self._values.index(value))


class Switch(Editor):
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


class Words(Editor):
    """A line of text; empty is automatic."""

    def __init__(self, field: FieldInfo) -> None:
        self._line = LineField()
        self._line.setPlaceholderText(_none(field))
        super().__init__(self._line)
        self._line.textEdited.connect(self.edited)

    def value(self) -> str:
        return self._line.text()

    def set_value(self, value: str) -> None:
        self._line.setText(value)


class Numbers(Editor):
    """Several numbers in a line, typed as "0, 2, 6-8" or "32, 1.5"; empty is automatic."""

    def __init__(
        self, field: FieldInfo, read: Callable[[str], tuple[float, ...]], write: Callable[[float], str]
    ) -> None:
        self._read, self._write = read, write
        self._line = LineField()
        self._line.setPlaceholderText(_none(field))
        super().__init__(self._line)
        self._line.textEdited.connect(self.edited)

    def value(self) -> tuple[float, ...]:
        return self._read(self._line.text())

    def set_value(self, value: tuple[float, ...]) -> None:
        self._line.setText(", ".join(map(self._write, value)))


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


def parse_decimals(text: str) -> tuple[float, ...]:
    """The numbers in a text such as "32, 1.5 1e-3". Raises ValueError with a sentence for anything else."""
    numbers = []
    for piece in filter(None, re.split(r"[,;\s]+", text.strip())):
        try:
            numbers.append(float(piece))
        except ValueError:
            raise ValueError(f"“{piece[:20]}” is no number: type numbers such as 32, 1.5.") from None
    return tuple(numbers)


def _plain(number: float) -> str:
    """As short as it comes back the same: 32 rather than 32.0."""
    return repr(number).removesuffix(".0")


def _bounds(field: FieldInfo) -> tuple[float, float]:
    low, high = -1e9, 1e9
    least = 1e-6 if fields.kind(field).type is float else 1
    for rule in field.metadata:
        match rule:
            case Ge():
                low = cast(float, rule.ge)
            case Gt():
                low = cast(float, rule.gt) + least
            case Le():
                high = cast(float, rule.le)
            case Lt():
                high = cast(float, rule.lt) - least
    return low, high


def help_text(field: FieldInfo) -> str:
    unit = declared(field).get("unit", "")
    low, high = _bounds(field)
    has_range = any(isinstance(rule, Ge | Gt | Le | Lt) for rule in field.metadata)
    span = f" {_short(low)} to {_short(high)}{' ' + unit if unit else ''}." if has_range else ""
    return f"{field.description or ''}{span}".lstrip()


def _short(value: float) -> str:
    value = round(value, 4)
    return f"{value:,.10g}" if abs(value) < 1e7 else f"{value:.0e}".replace("e+0", "e")


def declared(field: FieldInfo) -> dict[str, Any]:
    """What a field is declared with beside its type, title and range."""
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


def _none(field: FieldInfo) -> str:
    """What an editor shows where nothing was entered."""
    return str(declared(field).get("none", "auto"))
