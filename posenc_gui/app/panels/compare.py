"""Compare: A beside B, a row a parameter; what both have alike stands once, until it is set apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Literal, NamedTuple

from pydantic.fields import FieldInfo
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui import encodings, fields
from posenc_gui.app.controls import Choices, plain, push, scrolling, tool
from posenc_gui.app.panels.editors import Editor, edited_fields, editor_for, help_text
from posenc_gui.differences import worded
from posenc_gui.encodings.base import Encoding
from posenc_gui.errors import sentence
from posenc_gui.frozen import Frozen
from posenc_gui.look import QUIET, TIGHT
from posenc_gui.measures.base import Measurement, counted
from posenc_gui.measures.requirements import Requirements, definitions
from posenc_gui.session import Session

Side = Literal["encoding", "other"]

_SIDES: dict[Side, str] = {"encoding": "A", "other": "B"}
_TITLE, _SIGN, _FIRST = 0, 1, 2  # columns; the second side's is the last
_PARAMETERS, _HELD, _BUTTONS, _VERDICTS = 10, 500, 510, 520  # rows from which on they stand; empty rows take no room
_LEAST = 72  # pixels of a side
_OLD = "From before the last change."


class Parameter(NamedTuple):
    """A parameter that a form can edit: its name, its declaration, and what it is called."""

    name: str
    declared: FieldInfo
    title: str


def parameters(model: Frozen, prefix: str = "", within: str = "") -> Iterator[Parameter]:
    """The parameters of a model, those of a group that is chosen behind it."""
    for name, declared in edited_fields(type(model)).items():
        title = fields.inner_title(within, declared.title or name)
        yield Parameter(f"{prefix}{name}", declared, title)
        value = fields.value_at(model, name)
        if isinstance(value, Frozen):
            yield from parameters(value, f"{prefix}{name}.", title)


class ComparePanel(QWidget):
    """Chooses A and B and edits their parameters; swaps them and copies the one to the other; shows both verdicts."""

    def __init__(self, propose: Callable[..., str], replace: Callable[[Session], None]) -> None:
        super().__init__()
        self._propose, self._replace = propose, replace
        self._session: Session | None = None
        self._apart: set[str] = set()  # parameters that have a field on each side
        self._rows: _ParameterRows | None = None
        self._choices: dict[Side, Choices] = {side: self._choice(side) for side in _SIDES}
        self._refusal = plain(name="refusal")
        self._refusal.hide()
        self._order_title, self._order = QLabel("Order"), plain("another than typed", name="muted")
        self._model = plain(name="muted")
        self._swap, self._copy = push("Swap"), push("Copy A to B")
        self._swap.setToolTip("A and B in each other's place")
        self._copy.setToolTip("B becomes what A is")
        self._swap.clicked.connect(self._on_swap)
        self._copy.clicked.connect(lambda: self._set("other", self._session.encoding) if self._session else None)
        self._grid = _Grid()
        for at, side in enumerate(_SIDES.values(), start=_FIRST):
            self._grid.addWidget(badge(side), 0, at)
        self._grid.add(1, QLabel("Encoding"), None, *self._choices.values())
        self._grid.addWidget(self._refusal, 2, 0, 1, 4)
        self._grid.add_once(_HELD, self._order_title, None, self._order)
        self._grid.add_once(_HELD + 1, QLabel("Toy model"), None, self._model)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._swap)
        buttons.addWidget(self._copy)
        self._grid.addLayout(buttons, _BUTTONS, 0, 1, 4)
        self.verdicts = TwoVerdicts(self._grid, _VERDICTS)
        scroll, column = scrolling("A beside B")
        column.addLayout(self._grid)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def show_session(self, session: Session) -> None:
        """Show a session's encodings; without a second one, B can be chosen."""
        before, self._session = self._session, session
        for side, choice in self._choices.items():
            encoding: Encoding | None = getattr(session, side)
            with QSignalBlocker(choice):
                choice.setCurrentIndex(-1 if encoding is None else choice.findData(encoding.name))
        compared = session.other is not None
        self._swap.setEnabled(compared)
        self._copy.setEnabled(compared and session.encoding != session.other)
        if before is None or (before.encoding, before.other) != (session.encoding, session.other):
            self._refuse("")
            self._show_parameters(session)
        model = session.model
        for part in (self._order_title, self._order):  # the usual one is not worth a row
            part.setVisible(bool(session.order))
        self._model.setText(f"{counted(model.d_model, 'dimension')}, {counted(model.n_heads, 'head')}")

    def choice(self, side: Side) -> Choices:
        """Where the encoding of a side is chosen."""
        return self._choices[side]

    def editor(self, side: Side, name: str) -> Editor:
        """The editor of a parameter on a side, where it stands apart."""
        return self._made.editors[side, name]

    def sign(self, name: str) -> QToolButton:
        """The button that sets a parameter of both apart or joins it again."""
        return self._made.signs[name]

    def refusal(self) -> str:
        """Why the last change was refused; empty where it was not."""
        return self._refusal.text()

    def refused(self) -> list[str]:
        """The titles of the parameters in whose fields something stands that was refused."""
        rows = self._rows
        if rows is None:
            return []
        refused = [place for place, editor in rows.editors.items() if editor.is_refused]
        return [f"{rows.shape.own[side, name].title} of {_SIDES[side]}" for side, name in refused]

    @property
    def _made(self) -> _ParameterRows:
        if self._rows is None:
            raise KeyError("no session is shown yet")
        return self._rows

    def _choice(self, side: Side) -> Choices:
        choice = Choices(f"Encoding of {_SIDES[side]}")
        choice.setPlaceholderText("Choose …")
        _take_any_width(choice)
        for name, cls in encodings.classes().items():
            choice.addItem(cls.title, name)
            choice.setItemData(choice.count() - 1, cls.summary, Qt.ItemDataRole.ToolTipRole)
        choice.currentIndexChanged.connect(lambda: self._on_chosen(side))
        return choice

    def _on_chosen(self, side: Side) -> None:
        if self._session is None:
            return
        name = self._choices[side].currentData()
        beside = self._session.other if side == "encoding" else self._session.encoding
        # The same encoding begins as it stands beside: it is its parameters that will be set apart.
        alike = beside is not None and beside.name == name
        self._set(side, beside if beside is not None and alike else encodings.encoding(name))

    def _set(self, side: Side, encoding: Encoding) -> None:
        why = self._propose(**{side: encoding})
        if why and self._session:
            self.show_session(self._session)
        self._refuse(why)

    def _on_swap(self) -> None:
        if self._session and self._session.other is not None:
            self._replace(self._session.swapped())

    def _refuse(self, why: str) -> None:
        self._refusal.setText(why)
        self._refusal.setVisible(bool(why))

    # --- Parameters ------------------------------------------------------------------------------------------------

    def _show_parameters(self, session: Session) -> None:
        own: dict[Side, Encoding] = {"encoding": session.encoding}
        if session.other is not None:
            own["other"] = session.other
        known = {side: {one.name: one for one in parameters(encoding)} for side, encoding in own.items()}
        both = known["encoding"].keys() & known.get("other", {}).keys() if _alike(session) else set()
        values = {(side, name): fields.value_at(own[side], name) for side, names in known.items() for name in names}
        self._apart |= {name for name in both if values["encoding", name] != values["other", name]}
        self._apart &= set().union(*known.values())
        shape = _Shape(
            {(side, name): one for side, names in known.items() for name, one in names.items()},
            frozenset(both),
            frozenset(self._apart),
        )
        if self._rows is None or self._rows.shape != shape:
            if self._rows is not None:
                self._rows.leave()
            self._rows = _ParameterRows(self._grid, shape, self._on_edited, self._on_sign)
            self._rows.come_after(self._choices["other"])
        self._rows.show_values(values)

    def _on_edited(self, side: Side, name: str) -> None:
        encoding: Encoding | None = getattr(self._session, side) if self._session else None
        if encoding is None:
            return
        try:
            value = self._made.editors[side, name].value()
            changed = fields.changed(encoding, {name: value})
            self._made.known[side, name] = fields.value_at(changed, name)  # what is being typed stays as it is typed
            why = self._propose(**{side: changed})
        except ValueError as error:
            why = sentence(error, type(encoding))
        self._refuse(f"{_SIDES[side]}: {why}" if why else "")
        if (editor := self._made.editors.get((side, name))) is not None:
            editor.mark_refused(bool(why))

    def _on_sign(self, name: str) -> None:
        """Set a parameter apart, or join it again: B takes what A has."""
        session = self._session
        if session is None or session.other is None:
            return
        if name not in self._apart:
            self._apart.add(name)
            self._show_parameters(session)
            self._made.editors["other", name].setFocus(
                Qt.FocusReason.TabFocusReason
            )  # what is typed replaces the value
            return
        self._apart.discard(name)
        value = fields.value_at(session.encoding, name)
        if value == fields.value_at(session.other, name):
            self._show_parameters(session)
        else:
            self._set("other", fields.changed(session.other, {name: value}))
        self._made.signs[name].setFocus()


class _Shape(NamedTuple):
    """Which parameters each side has, which of them both have alike, and which of these stand apart."""

    own: dict[tuple[Side, str], Parameter]
    both: frozenset[str]
    apart: frozenset[str]


class _Grid(QGridLayout):
    """Rows of a title, a sign and a column for each side."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(TIGHT)
        self.setVerticalSpacing(3)  # so that what most pairs need is seen at once
        for column in (_FIRST, _FIRST + 1):
            self.setColumnStretch(column, 1)
            self.setColumnMinimumWidth(column, _LEAST)

    def add(self, row: int, title: QWidget, sign: QWidget | None, *sides: QWidget | None) -> None:
        """A row with a widget in each side's column, or none; without a sign the title has its room, too."""
        self.addWidget(title, row, _TITLE, 1, 1 if sign else 2)
        for column, widget in enumerate((sign, *sides), start=_SIGN):
            if widget is not None:
                self.addWidget(widget, row, column)

    def add_once(self, row: int, title: QWidget, sign: QWidget | None, both: QWidget) -> None:
        """A row with one widget for both sides."""
        self.add(row, title, sign)
        self.addWidget(both, row, _FIRST, 1, 2)


class _ParameterRows:
    """A row a parameter: what both have in words, or an editor on each side that has it."""

    def __init__(
        self, grid: _Grid, shape: _Shape, edited: Callable[[Side, str], None], pressed: Callable[[str], None]
    ) -> None:
        self.shape = shape
        self.editors: dict[tuple[Side, str], Editor] = {}
        self.signs: dict[str, QToolButton] = {}
        self.known: dict[tuple[Side, str], object] = {}  # what the editors show
        self._once: dict[str, QLabel] = {}
        self._titles: list[QLabel] = []
        for row, name in enumerate(dict.fromkeys(name for _, name in shape.own), start=_PARAMETERS):
            own = {side: one for side in _SIDES if (one := shape.own.get((side, name)))}
            one = next(iter(own.values()))
            title = QLabel(one.title, wordWrap=True)
            title.setToolTip(help_text(one.declared))
            self._titles.append(title)
            sign = self._sign(name, pressed) if name in shape.both else None
            if name in shape.both and name not in shape.apart:
                self._once[name] = plain(name="muted")
                grid.add_once(row, title, sign, self._once[name])
            else:
                editors = {side: self._editor(side, parameter, edited) for side, parameter in own.items()}
                grid.add(row, title, sign, *(editors.get(side) for side in _SIDES))

        for widget in self._widgets:
            widget.show()  # now: the keyboard may go there at once

    def come_after(self, widget: QWidget) -> None:
        """Let Tab lead from a widget through the rows: Qt puts new widgets behind all others."""
        names = dict.fromkeys(name for _, name in self.shape.own)
        places = [(self.signs.get(name), *(self.editors.get((side, name)) for side in _SIDES)) for name in names]
        for one in filter(None, chain.from_iterable(places)):
            QWidget.setTabOrder(widget, one)
            widget = one

    def leave(self) -> None:
        """Make room for other rows."""
        for widget in self._widgets:
            widget.hide()
            widget.deleteLater()

    @property
    def _widgets(self) -> tuple[QWidget, ...]:
        return *self._titles, *self._once.values(), *self.signs.values(), *self.editors.values()

    def show_values(self, values: dict[tuple[Side, str], object]) -> None:
        """Show what the parameters are, without proposing it."""
        for place, editor in self.editors.items():
            if place not in self.known or self.known[place] != values[place]:
                self.known[place] = values[place]
                with QSignalBlocker(editor):
                    value = values[place]
                    editor.set_value(type(value) if isinstance(value, Frozen) else value)
                    editor.mark_refused(False)
        for name, label in self._once.items():
            value = values["encoding", name]
            label.setText(fields.NONE if value is None and fields.kind(self._declared(name)).members else worded(value))
        for name, sign in self.signs.items():
            _tell(sign, self._title(name), values["encoding", name] == values["other", name], name in self.shape.apart)

    def _sign(self, name: str, pressed: Callable[[str], None]) -> QToolButton:
        sign = self.signs[name] = tool(name="sign")
        sign.setFixedWidth(2 * sign.fontMetrics().horizontalAdvance("≠"))
        sign.clicked.connect(lambda: pressed(name))
        return sign

    def _editor(self, side: Side, parameter: Parameter, edited: Callable[[Side, str], None]) -> Editor:
        editor = self.editors[side, parameter.name] = editor_for(parameter.declared)
        editor.setAccessibleName(f"{parameter.title} of {_SIDES[side]}")
        editor.setAccessibleDescription(help_text(parameter.declared))
        editor.setToolTip(help_text(parameter.declared))
        editor.edited.connect(partial(edited, side, parameter.name))
        editor.stack()
        _take_any_width(editor)
        return editor

    def _declared(self, name: str) -> FieldInfo:
        return self.shape.own["encoding", name].declared

    def _title(self, name: str) -> str:
        return self.shape.own["encoding", name].title


def _tell(sign: QToolButton, title: str, same: bool, apart: bool) -> None:
    """What stands between both values, and what a press on it does."""
    sign.setText("=" if same else "≠")
    is_now = "the same in A and B" if same else "not the same in A and B"
    does = "Press to set it apart." if not apart else "Press to join it." if same else "Press to give B what A has."
    sign.setAccessibleName(f"{title} is {is_now}. {does}")
    sign.setToolTip(f"{is_now[0].upper()}{is_now[1:]}. {does}")


def _alike(session: Session) -> bool:
    return type(session.encoding) is type(session.other)


class TwoVerdicts:
    """The six requirements of A and of B, each with its sign and its word; what was found stands in the tooltip."""

    def __init__(self, grid: _Grid, first: int) -> None:
        grid.setRowMinimumHeight(first, QUIET)
        grid.add(first, _semibold("Requirements"), None, *map(badge, _SIDES.values()))
        self._labels: dict[tuple[Side, str], QLabel] = {}
        for row, (name, one) in enumerate(definitions().items(), start=first + 1):
            labels = {side: plain() for side in _SIDES}
            self._labels |= {(side, name): label for side, label in labels.items()}
            title = QLabel(one.title)
            title.setToolTip(one.definition)
            grid.add(row, title, None, *labels.values())
        self._words = plain(name="muted")
        grid.addWidget(self._words, first + len(definitions()) + 1, 0, 1, 4)

    def show_requirements(self, found: Measurement, other: Measurement | None) -> None:
        """Show what was measured of A and of B; of what could not be, why."""
        self._words.setText("")
        sides: dict[Side, Measurement | None] = {"encoding": found, "other": other}
        for (side, name), label in self._labels.items():
            rows = sides[side]
            row = rows[name] if isinstance(rows, Requirements) else None
            label.setText(row.told if row else "")
            label.setProperty("verdict", row.verdict if row else "")
            label.setToolTip(row.reason if row else "")
            label.style().unpolish(label)
            label.style().polish(label)
            label.setEnabled(True)
        whys = [f"{_SIDES[side]}: {one.reason}" for side, one in sides.items()
                if one is not None and not isinstance(one, Requirements)]  # fmt: skip
        self._words.setText(" ".join(whys))

    def mark_old(self, old: bool) -> None:
        """Mark the verdicts as those of something else than what is there now, or take the mark away."""
        for label in self._labels.values():
            label.setEnabled(not old)
        if old:
            self._words.setText(_OLD)
        elif self._words.text() == _OLD:
            self._words.setText("")

    def label(self, side: Side, name: str) -> QLabel:
        """Where a requirement's verdict on a side stands."""
        return self._labels[side, name]


def badge(side: str) -> QLabel:
    """A's or B's letter as it stands over its column."""
    label = QLabel(side)
    label.setObjectName(f"badge{side}")
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setFixedSize(20, 20)
    return label


def _take_any_width(widget: QWidget) -> None:
    """Both sides are equally wide, whatever stands in them; of a list's words as many are seen as can be."""
    for choice in (widget, *widget.findChildren(QComboBox)):
        choice.setProperty("narrow", isinstance(choice, QComboBox))
    widget.setMinimumWidth(_LEAST)
    widget.setSizePolicy(QSizePolicy.Policy.Ignored, widget.sizePolicy().verticalPolicy())


def _semibold(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("cardTitle")
    return label
