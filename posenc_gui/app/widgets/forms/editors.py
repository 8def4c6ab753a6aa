"""Editors of declared fields: one class per kind of value. They take ranges and steps from the declaration."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QHBoxLayout, QLineEdit, QSlider, QWidget

from posenc_gui.app.widgets.controls import Choices, LineField, delayed, in_row, redoes, set_styled
from posenc_gui.app.widgets.forms.change_mark import ChangeMark, value_words
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.foundation.wording import format_bound, quote

_SLIDER_STEPS = 1000
MARK_GAP = 6  # pixels between a mark, a field and what stands beside it
_LEAST_PIXELS = 64  # minimum width of an editor, so that forms fit narrow cards
_SHORT_SLIDER = 40  # minimum width of a slider beside its number
_ROOM = "00,000,000"  # what is seen of a number, or of several, where room is scarce
_LARGEST = 1e7  # from here on a number may be written with a power of ten
_AROUND = 24  # pixels of a field beside its text
_PAUSE = 600  # milliseconds without a key press after which typed input is committed
_LONGEST, _LISTED = 24, 44  # characters of a number, and those seen of a list
_EXACT = 1e15  # from here on a float does not hold all the digits that it would show
# Separators stand only before three digits or more, so that 1,5 for one and a half is refused.
_APART = r"[,_ \u00a0\u2009\u202f]"
_NUMBER = re.compile(rf"([-+]?(?:\d+(?:{_APART}\d{{3,}})*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) ?([kKM]?)")
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6}
_APART_AMONG_OTHERS = re.compile(r"[-+−]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_FEW_DIGITS = re.compile(r"\d{1,6}")
_RANGE = re.compile(r"(\d{1,6})[-–](\d{1,6})")
_MOST_IN_RANGE = 1000


def editor_for(field: FieldInfo) -> Editor:
    """Return an editor for a field. Raises TypeError if no editor fits the field's type: see `without_editor`."""
    made = _maker(field)
    if made is None:
        raise TypeError(f"there is no editor for {field.annotation}")
    return made()


def named_editor(field: FieldInfo, name: str, default: Any = PydanticUndefined) -> Editor:
    """Return an editor that says what it edits, explains it, and marks what isn't this default, or else the declared one."""
    editor, told = editor_for(field), help_text(field)
    if default is PydanticUndefined:
        default = field.get_default(call_default_factory=True)
    if default is not PydanticUndefined:
        words = value_words(field, default)
        told = f"{told} {words[:1].upper()}{words[1:]} unless changed.".strip()
        editor.mark_changes(default, ChangeMark(name, words))
    editor.setAccessibleName(name)
    editor.setAccessibleDescription(told)
    editor.setToolTip(told)
    return editor


def edited_fields(model: Frozen | type[Frozen]) -> dict[str, FieldInfo]:
    """Return the fields of a model that a form shows, by name."""
    return {name: field for name, field in declared_fields.fields_of(model).items() if is_edited(field)}


def is_edited(field: FieldInfo) -> bool:
    """Return whether a form shows the field: it has more than one possible value, no editor elsewhere, and is no fact."""
    return "editor" not in declared(field) and declared_fields.is_choice(field) and not declared_fields.is_fact(field)


def without_editor(model: Frozen | type[Frozen]) -> list[str]:
    """Return the fields that no form can edit, as "Yarn.factors: dict[str, float]", including those of group members."""
    found, of = [], (model if isinstance(model, type) else type(model)).__name__
    for name, field in edited_fields(model).items():
        group = declared_fields.kind(field)
        if _maker(field) is None:
            found.append(f"{of}.{name}: {field.annotation}")
        for member in group.members:
            try:
                group.begun(member)
            except ValueError:
                found.append(f"{of}.{name}: {member.__name__} has fields without a default")
            found.extend(without_editor(member))
    return found


def _maker(field: FieldInfo) -> Callable[[], Editor] | None:
    """Return the constructor of a field's editor, or None if no editor fits."""
    kind = declared_fields.kind(field)
    if kind.members:
        none = [(declared(field).get("none", declared_fields.NONE), None)] if kind.optional else []
        return partial(ChoiceEditor, [*none, *((declared_fields.title(member), member) for member in kind.members)])
    if get_origin(kind.type) is Literal:
        none = [(_none(field), None)] if kind.optional else []
        named = ((declared_fields.option_title(field, name), name) for name in get_args(kind.type))
        return partial(ChoiceEditor, [*none, *named])
    if kind.type in (int, float):
        return partial(NumberEditor, field, kind.optional)
    if kind.optional:
        return None
    if kind.type is bool:
        return Switch
    if kind.type is str:
        return partial(Words, field)
    match declared_fields.value_types(kind):
        case [one] if one is int and declared_fields.count(kind) is None:
            return partial(ListEditor, field, read_whole, format_exact)  # each once, and ranges of them
        case [one] if one in (int, float):
            return partial(ListEditor, field, read_all, format_exact)
        case [one] if one.__name__ == "Encoding":
            from posenc_gui.encodings.common import any_encoding  # needs torch, which is there with such a field

            return partial(ListEditor, field, any_encoding.read_encodings, any_encoding.write_encoding)
    return None


class Editor(QWidget):
    """A field's editor: signals edits, and reads and shows the field's value."""

    edited = Signal()

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        self.is_refused = False  # True while the session does not have its input
        self.mark: ChangeMark | None = None
        self._default: Any = None
        self._beside = line = in_row(of=self, gap=MARK_GAP)
        for widget in widgets:
            widget.setMinimumWidth(_LEAST_PIXELS)
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # by Tab and click, not by the wheel
            widget.installEventFilter(self)
            line.addWidget(widget)
        self.widgets = widgets
        if widgets:
            self.setFocusProxy(widgets[0])
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # Qt moves no widget without a policy in the tab order

    def stack(self) -> None:
        """Stack its widgets vertically, for a narrow column."""
        self._beside.setDirection(QHBoxLayout.Direction.TopToBottom)
        for widget in self.widgets:
            widget.setMinimumWidth(_LEAST_PIXELS)
        if self.mark:
            self._beside.addWidget(self.mark)  # below, where it costs no breadth
            self.mark.say_default()

    @property
    def breadth(self) -> int:
        """The breadth in pixels in which nothing of the value is cut."""
        return self.sizeHint().width()

    def mark_changes(self, default: Any, mark: ChangeMark) -> None:
        """Show a mark in front of the field while its value isn't the default, which a press on it takes."""
        self._default, self.mark = default, mark
        self._beside.insertWidget(0, mark)
        mark.clicked.connect(self.take_default)

    def keep_room_of_mark(self, *, beside_others: bool) -> None:
        """Keep the mark's room while it isn't seen, so that fields are in line, and no slider moves under the pointer."""
        if self.mark:
            self.mark.keep_room(beside_others or len(self.widgets) > 1)

    def tell_change(self, accepted: Any) -> None:
        """Show whether the accepted value is changed."""
        if self.mark:
            self.mark.setHidden(accepted == self._default)

    @property
    def is_changed(self) -> bool:
        """True if the accepted value isn't the default."""
        return self.mark is not None and not self.mark.isHidden()

    def take_default(self) -> None:
        """Give the field its default, as an edit; a number of a formula has none."""
        if self.mark is None:
            return
        self.setFocus()  # the mark is about to go
        self.rest()
        with QSignalBlocker(self):
            self.set_value(self._default)
        self.edited.emit()

    def value(self) -> Any:
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        raise NotImplementedError

    def show_value(self, value: Any) -> bool:
        """Show an accepted value without signalling an edit. Return False if text being typed is kept instead."""
        self.tell_change(value)
        if self.keeps(value):
            return False
        with QSignalBlocker(self):
            self.set_value(value)
        self.mark_refused(False)
        return True

    def limit(self, largest: int) -> None:
        raise NotImplementedError

    def rest(self) -> None:
        """End typing, so that the next value replaces the text."""

    def keeps(self, _value: Any) -> bool:
        """True if showing this value would disturb an edit under way."""
        return False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the wheel to the surrounding scroll area, which may move a field under the pointer."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def mark_refused(self, refused: bool) -> None:
        if refused == self.is_refused:
            return
        self.is_refused = refused
        for widget in self.widgets:
            set_styled(widget, "refused", refused)

    def setAccessibleName(self, name: str) -> None:
        """Set the name of the widgets that take the focus."""
        for widget in self.widgets:
            widget.setAccessibleName(name)

    def setAccessibleDescription(self, text: str) -> None:
        """Set the description of the widgets that take the focus."""
        for widget in self.widgets:
            widget.setAccessibleDescription(text)


class Typed(Editor):
    """An editor with typed input; an edit is signalled after a pause, on Enter, or when the focus leaves. `settled` is the
    last value shown while nothing was being typed; Escape and a refusal return to it."""

    def __init__(self, line: QLineEdit, *widgets: QWidget) -> None:
        super().__init__(*widgets)
        self.settled: Any = None
        self._line = line
        self._is_typing = False
        self._pause = delayed(self, self.edited, _PAUSE)
        line.textEdited.connect(self._on_typed)

    def put(self, value: Any) -> None:
        """Write a value into the field."""
        raise NotImplementedError

    def set_value(self, value: Any) -> None:
        self.rest()
        self.settled = value
        self.put(value)

    def keeps(self, value: Any) -> bool:
        """Return True if text being typed may stay: the value is still `settled`, or the text has this value."""
        if not self._is_typing or value == self.settled:
            return self._is_typing
        with suppress(ValueError):
            return bool(self.value() == value)
        return False

    def rest(self) -> None:
        self._pause.stop()
        self._is_typing = False

    def mark_refused(self, refused: bool) -> None:
        if not refused and not self._is_typing:
            self.settled = self.value()
        super().mark_refused(refused)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Commit on Enter, when the focus leaves, and before a shortcut; Escape reverts."""
        if event.type() == QEvent.Type.FocusOut:
            self.finish()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.finish()
            elif event.key() == Qt.Key.Key_Escape and (self._is_typing or self.is_refused):
                self.set_value(self.settled)
                self.edited.emit()
                return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            return self._leave_to_window(watched, event)
        return super().eventFilter(watched, event)

    def _leave_to_window(self, watched: QObject, event: QKeyEvent) -> bool:
        """Commit, then leave the window's shortcuts to it; undo and redo only once the field has none of its own."""
        undoes = event.matches(QKeySequence.StandardKey.Undo) and not self._line.isUndoAvailable()
        if undoes or (redoes(event) and not self._line.isRedoAvailable()):
            event.ignore()
        else:
            watched.event(event)
        is_shortcut = event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() != Qt.Key.Key_Control
        if is_shortcut and not event.isAccepted():
            self.finish()
        return True

    def _on_typed(self) -> None:
        self._is_typing = True
        self._pause.start()

    def finish(self) -> None:
        """Commit what is being typed, without a pause."""
        if not self._is_typing:
            return
        was_waiting = self._pause.isActive()
        self.rest()
        if was_waiting:
            self.edited.emit()
        if not self.is_refused:
            self.set_value(self.value())


class NumberEditor(Typed):
    """A number, possibly empty; with a slider if the field declares a scale, linear or logarithmic."""

    def __init__(self, field: FieldInfo, optional: bool) -> None:
        self._box = NumberBox(field, optional)
        self._low, self._high = declared_fields.bounds(field)
        scale = declared(field).get("scale")
        self._is_log, self._span = scale == "log", self._high - self._low
        self._slider = _Slider() if scale else None
        super().__init__(self._box.lineEdit(), self._box, *([self._slider] if self._slider else []))
        self._box.stepped.connect(self._on_stepped)
        self._pause.timeout.connect(self._move_slider)
        if self._slider:
            self._box.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
            self._box.setMinimumWidth(0)  # all of a large number is seen beside a short slider
            self._slider.setMinimumWidth(_SHORT_SLIDER)
            self._slider.setRange(0, _SLIDER_STEPS)
            self._slider.valueChanged.connect(self._on_slider)
            self._slider.double_clicked.connect(self.take_default)
            self._box.lineEdit().textChanged.connect(self._slider.setAccessibleDescription)
            # The number beside it is what is heard and has the keyboard: Qt would say how far along the slider is, such as 444
            # for 10,000. It leaves out what has this name.
            self._slider.setObjectName("qt_spinbox_lineedit")
            self._slider.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def breadth(self) -> int:
        """The breadth in pixels in which nothing of the value is cut, beside a short slider."""
        spare = self._slider.sizeHint().width() - _SHORT_SLIDER if self._slider else 0
        return super().breadth - spare

    def value(self) -> float | None:
        return self._box.value()

    def put(self, value: float | None) -> None:
        self._box.set_value(value)
        self._move_slider()

    def limit(self, largest: int) -> None:
        self._box.limit(largest)

    def _on_stepped(self) -> None:
        self.rest()
        self._move_slider()
        self.edited.emit()

    def _on_slider(self, at: int) -> None:
        # Two significant digits, so that a drag stops at numbers that can be said; never below what is allowed.
        share = at / _SLIDER_STEPS
        value = self._low * (self._high / self._low) ** share if self._is_log else self._low + share * self._span
        self.rest()
        self._box.set_value(max(self._low, float(f"{value:.2g}")))  # the slider stays where it was put
        self.edited.emit()

    def _move_slider(self) -> None:
        with suppress(ValueError):
            value = self._box.value()
            if self._slider and value is not None:
                share = (value - self._low) / self._span
                if self._is_log:
                    share = math.log(value / self._low, self._high / self._low)
                with QSignalBlocker(self._slider):
                    self._slider.setValue(round(share * _SLIDER_STEPS))


class _Slider(QSlider):
    """A horizontal slider that tells of a double click."""

    double_clicked = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Tell of a double click, whose second press moves nothing."""
        self.double_clicked.emit()


class NumberBox(QAbstractSpinBox):
    """A number that is typed or stepped by the arrow keys; empty means None, if the field allows it. Typed text is never
    corrected: `value` raises an error if it is not a number or not allowed."""

    stepped = Signal()

    def __init__(self, field: FieldInfo, optional: bool) -> None:
        super().__init__()
        self._rules, self._optional, self._whole = field.metadata, optional, declared_fields.kind(field).type is int
        self._allowed = describe_range(field)
        self._low, self._high = declared_fields.bounds(field)
        steps = [cast(float, rule.multiple_of) for rule in self._rules if isinstance(rule, MultipleOf)]
        usual = [*steps, 1] if self._whole else [*steps, None]
        self._step: float | None = declared(field).get("step", usual[0])
        self._shown: tuple[str, float | None] = "", None  # the text of a value, and that value to its last digit
        self.lineEdit().setPlaceholderText(_none(field) if optional else "")
        self.lineEdit().setTextMargins(TIGHT, 0, 0, 0)  # padding of a spin box doesn't reach its line

    def value(self) -> float | None:
        """Return the number, None if empty. Raises ValueError with a sentence that says what is allowed."""
        text, value = self._shown
        if self.text() != text:
            value = self._read()
        if not self._may_be(value):
            raise ValueError(self._allowed)
        return value

    def set_value(self, value: float | None) -> None:
        """Show a number, even one above `limit`: a session may contain it."""
        if value is not None:
            self._high = max(self._high, value)
        self._shown = self._fitted(value), value
        self.lineEdit().setText(self._shown[0])
        self.lineEdit().setCursorPosition(0)
        for name, number in (("value", value), ("minimum", self._low), ("maximum", self._high)):
            self.setProperty(name, None if number is None else float(number))  # where Qt's screen reader support looks

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the number as it fits now, unless another is being typed."""
        super().resizeEvent(event)
        if self.text() == self._shown[0] != self._fitted(self._shown[1]):
            self.set_value(self._shown[1])

    def _fitted(self, value: float | None) -> str:
        """Return a number as text: where its digits have no room with a power of ten, 1.8e8."""
        text = "" if value is None else format_entry(value)
        if value is None or self.fontMetrics().horizontalAdvance(text) + _AROUND <= self.width():
            return text
        digits, power = f"{value:.9e}".split("e")
        return min(text, f"{digits.rstrip('0').rstrip('.')}e{int(power)}", key=len)

    def limit(self, largest: int) -> None:
        """Offer no number above `largest`; a larger one already shown stays."""
        _, shown = self._shown
        self._high = max(largest, shown or largest)
        self._allowed = f"from {format_bound(self._low)} to {format_bound(self._high)}"

    def stepBy(self, steps: int) -> None:
        """Step to the next or previous allowed number; from an empty field, to the smallest one, and back."""
        try:
            value = self._read()
        except ValueError:
            return
        if value is None:
            stepped = self._first() if steps > 0 else None
        else:
            stepped = value + steps * (self._step or _tenth(value, steps))
            stepped = round(stepped) if self._whole else float(f"{stepped:.10g}")
            if not self._may_be(stepped):
                end = self._high if steps > 0 else self._low
                stepped = None if self._optional and steps < 0 and value <= self._first() else end
        if stepped != value and self._may_be(stepped):
            self.set_value(stepped)
            self.selectAll()
            self.stepped.emit()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        """Enable both step directions always; a step past the end does nothing."""
        return QAbstractSpinBox.StepEnabledFlag.StepUpEnabled | QAbstractSpinBox.StepEnabledFlag.StepDownEnabled

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any text while typing; `value` validates it later."""
        return QValidator.State.Acceptable, text, position

    def sizeHint(self) -> QSize:
        """Return a size that fits the largest number, up to eight digits."""
        longest = f"{self._high:,.0f}" if self._high < _LARGEST else _ROOM
        return QSize(_width(self, longest), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return a small width, so that forms fit narrow cards."""
        return QSize(_LEAST_PIXELS, super().minimumSizeHint().height())

    def _read(self) -> float | None:
        text, kind = self.text().strip(), "whole number" if self._whole else "number"
        if not text and self._optional:
            return None
        if not text:
            raise ValueError(f"a {kind} {self._allowed}".strip())
        with suppress(ValueError):
            value = read(text)
            if not self._whole or value.is_integer():
                return int(value) if self._whole else value
        raise ValueError(f"{quote(text[:20])} is not a {kind}: type one{self._allowed and ' '}{self._allowed}")

    def _may_be(self, value: float | None) -> bool:
        if value is None:
            return self._optional
        above = not any(isinstance(rule, Gt) and value <= cast(float, rule.gt) for rule in self._rules)
        below = not any(isinstance(rule, Lt) and value >= cast(float, rule.lt) for rule in self._rules)
        return self._low <= value <= self._high and above and below

    def _first(self) -> float:
        """Return the lower end of the range if it is allowed, else 1."""
        return self._low if self._may_be(self._low) else 1


class ChoiceEditor(Editor):
    """One of several values, by name; for a group, one of its member classes."""

    def __init__(self, options: Sequence[tuple[str, Any]]) -> None:
        self._box = Choices("")  # the form names it
        self._values = [value for _, value in options]
        for name, value in options:
            self._box.addItem(name, value if isinstance(value, str) else name)
        super().__init__(*([self._box] if len(options) > 1 else []))  # nothing to choose, nothing to see
        self._box.currentIndexChanged.connect(self.edited)

    @property
    def breadth(self) -> int:
        """The breadth in pixels in which the chosen name isn't cut; others may be longer."""
        wide = self._box.fontMetrics().horizontalAdvance
        names = [wide(self._box.itemText(at)) for at in range(self._box.count())]
        return self.sizeHint().width() - max(names) + wide(self._box.currentText()) + TIGHT

    def value(self) -> Any:
        return self._values[self._box.currentIndex()]

    def set_value(self, value: Any) -> None:
        self._box.setCurrentIndex(self._values.index(type(value) if isinstance(value, Frozen) else value))


class Switch(Editor):
    """A check box."""

    def __init__(self) -> None:
        self._box = QCheckBox()
        super().__init__(self._box)
        self._box.toggled.connect(self.edited)

    def value(self) -> bool:
        return self._box.isChecked()

    def set_value(self, value: bool) -> None:
        self._box.setChecked(value)

    def mark_refused(self, refused: bool) -> None:
        """Draw nothing: a check box has no border to mark, and the sentence below it is enough."""
        self.is_refused = refused


class Words(Typed):
    """A single line of text; empty means automatic."""

    def __init__(self, field: FieldInfo) -> None:
        line = LineField(placeholderText=_none(field))
        super().__init__(line, line)

    def value(self) -> str:
        return self._line.text()

    def put(self, value: str) -> None:
        self._line.setText(value)


class ListEditor(Typed):
    """Several values on one line, typed as "0, 2, 6-8", "32, 1.5" or "rope(base=500), alibi"; empty means automatic."""

    def __init__(self, field: FieldInfo, read: Callable[[str], tuple[Any, ...]], write: Callable[[Any], str]) -> None:
        self._read, self._write = read, write
        line = _Short(placeholderText=_none(field))
        super().__init__(line, line)

    def value(self) -> tuple[Any, ...]:
        return self._read(self._line.text())

    def put(self, value: tuple[Any, ...]) -> None:
        self._line.setText(", ".join(map(self._write, value)))
        self._line.setCursorPosition(0)  # what has no room is cut at the end
        self._line.updateGeometry()


class _Short(LineField):
    def sizeHint(self) -> QSize:
        """Return a width for a few values; longer lists scroll."""
        words = max(_ROOM, self.text()[:_LISTED], key=len)
        return QSize(_width(self, words), super().sizeHint().height())


def _width(field: QWidget, words: str) -> int:
    """Return the width in pixels of a field that fits this text."""
    return max(_LEAST_PIXELS, field.fontMetrics().horizontalAdvance(words) + _AROUND)


def describe_range(field: FieldInfo) -> str:
    """Return a phrase for the range of a number, as “from 1 to 8”; empty if it has none."""
    low, high = map(format_bound, declared_fields.bounds(field))
    kinds = {type(rule) for rule in field.metadata}
    if {Ge, Le} <= kinds:
        return f"from {low} to {high}"
    ends = {Ge: f"from {low} on", Gt: f"above {low}", Le: f"at most {high}", Lt: f"below {high}"}
    return ", ".join(words for kind, words in ends.items() if kind in kinds)


def help_text(field: FieldInfo) -> str:
    span, unit = describe_range(field), declared(field).get("unit", "")
    told = f"{span[:1].upper()}{span[1:]}{f' {unit}' if unit else ''}." if span else ""
    return f"{field.description or ''} {told}".strip()


def _tenth(value: float, steps: int) -> float:
    """Return the step from a number: a tenth of its power of ten, or of the next lower one if the step leaves that power."""
    size = math.floor(math.log10(abs(value) or 1))
    falls = abs(value) == 10.0**size and (steps < 0) == (value > 0)
    return float(10.0 ** (size - 1 - falls))


def declared(field: FieldInfo) -> dict[str, Any]:
    """Return a field's extra declarations, besides type, title and range."""
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


def _none(field: FieldInfo) -> str:
    """Return the placeholder of an empty editor."""
    return str(declared(field).get("none", "auto"))


# --- Numbers as they are typed, singly or in lists: 10,000 · 8k · 1e-4 · −0.5 ------------------------------------


def read(text: str) -> float:
    """Parse a number. Raises ValueError if the text is not one."""
    found = _NUMBER.fullmatch(text.replace("−", "-")) if len(text) <= _LONGEST else None
    if not found:
        raise ValueError(f"{quote(text[:20])} is not a number")
    value = float(re.sub(_APART, "", found[1])) * _TIMES.get(found[2], 1)
    if not math.isfinite(value):
        raise ValueError(f"{quote(text)} is too large a number")
    return float(f"{value:.15g}") if found[2] else value


def read_all(text: str) -> tuple[float, ...]:
    """Parse numbers, as in "10,000, 50,000" or "32 1.5 1e-3". Raises ValueError with a sentence for anything else."""
    found = []
    for piece in _pieces(text):
        try:
            found.append(read(piece))
        except ValueError as error:
            raise ValueError(f"{error}: type numbers such as 32, 1.5.") from None
    return tuple(found)


def read_whole(text: str) -> tuple[int, ...]:
    """Parse whole numbers and ranges, each number once, as in "0, 2, 6-8". Raises ValueError with a sentence otherwise."""
    found: list[int] = []
    for piece in _pieces(text):
        ends = _RANGE.fullmatch(piece)
        try:
            first, last = (int(ends[1]), int(ends[2])) if ends else (_whole(piece),) * 2
        except ValueError:
            raise ValueError(
                f"{quote(piece[:20])} is neither a number nor a range: type numbers such as 0, 2, 6-8."
            ) from None
        if last - first > _MOST_IN_RANGE:
            raise ValueError(f"{quote(piece)} is too long a range: its ends may differ by at most {_MOST_IN_RANGE:,}.")
        found.extend(one for one in range(first, last + 1) if one not in found)
    return tuple(found)


def _pieces(text: str) -> Iterator[str]:
    """Split at spaces and semicolons, and at commas unless all of them separate thousands."""
    for part in re.split(r"[;\s]+", text):
        inside = part.strip(",")
        yield from filter(None, [inside] if _APART_AMONG_OTHERS.fullmatch(inside) else inside.split(","))


def _whole(text: str) -> int:
    digits = text.replace(",", "")
    if not _FEW_DIGITS.fullmatch(digits):
        raise ValueError(text)
    return int(digits)


def format_entry(value: float) -> str:
    """Format a number for its field: 10,000 rather than 10000.0."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def format_exact(value: float) -> str:
    """Format a number for a list with all its digits, so that parsing returns the same number."""
    return f"{value:,}".removesuffix(".0") if abs(value) < _EXACT else repr(value)
