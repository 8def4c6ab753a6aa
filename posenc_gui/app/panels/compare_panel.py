"""Compare: A beside B, a row a parameter; what both have alike stands once, until it is set apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal, NamedTuple

from pydantic.fields import FieldInfo
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui import encodings
from posenc_gui.app.docks.card import Card
from posenc_gui.app.widgets.controls import Choices, as_hint, bring_into_sight, on_button, plain, push, tool
from posenc_gui.app.widgets.forms.draft import Draft
from posenc_gui.app.widgets.forms.editors import Editor, edited_fields, editor_for, help_text
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields as fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.theme import QUIET, TIGHT
from posenc_gui.foundation.unicode_text import cut
from posenc_gui.measures.base import Measurement, counted
from posenc_gui.measures.requirements import Requirements, definitions
from posenc_gui.scene.diff import worded
from posenc_gui.session.session import Session

Side = Literal["encoding", "other"]

_SIDES: dict[Side, str] = {"encoding": "A", "other": "B"}
_TITLE, _FIRST = 0, 1  # columns; the second side's is the last
_PARAMETERS, _HELD = 10, 500  # rows from which on they stand; empty rows take no room
_LEAST = 72  # pixels of a side
_LONGEST_VALUE = 24  # letters of a value that stands once
_OLD = "From before the last change."


class Parameter(NamedTuple):
    """A parameter that a form can edit: its name, its declaration, and what it is called outside of its group."""

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

    def __init__(self, card: Card, propose: Callable[..., str], replace: Callable[[Session], None]) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._propose, self._replace = propose, replace
        self._session: Session | None = None
        self._apart: set[str] = set()  # parameters that have a field on each side
        self._rows: _ParameterRows | None = None
        self._choices: dict[Side, Choices] = {side: self._choice(side) for side in _SIDES}
        self._refusal = plain(name="refusal")
        self._refusal.hide()
        self._order_title, self._order = _Title("Order"), plain("another than typed", name="muted")
        self._model = plain(name="muted")
        self._swap = tool("Swap", "Swap A and B", hint="A and B in each other's place")
        self._copy = tool("Copy A", "Copy A to B", hint="B becomes what A is")
        self._swap.clicked.connect(self._on_swap)
        self._copy.clicked.connect(lambda: self._set("other", self._session.encoding) if self._session else None)
        self._grid = _Grid()
        self._grid.add_badges(0)
        self._grid.add(1, _Title("Encoding"), *self._choices.values())
        self._grid.add_below(2, self._refusal)
        self._grid.add_once(_HELD, self._order_title, self._order)
        self._grid.add_once(_HELD + 1, _Title("Toy model"), self._model)
        for button in (self._swap, self._copy):
            card.add_button(button)  # where no number of parameters puts it out of sight
        self.verdicts = TwoVerdicts()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._grid)
        column.addWidget(self.verdicts)

    def show_session(self, session: Session) -> None:
        """Show a session's encodings; without a second one, B can be chosen."""
        before, self._session = self._session, session
        for side, choice in self._choices.items():
            encoding = _sides(session).get(side)
            with QSignalBlocker(choice):
                choice.setCurrentIndex(-1 if encoding is None else choice.findData(encoding.name))
        compared = session.other is not None
        self._swap.setEnabled(compared)
        self._copy.setEnabled(compared and session.encoding != session.other)
        if before is None or _sides(before) != _sides(session):
            self._refuse("")
            self._show_parameters(session)
        model = session.model
        for part in (self._order_title, self._order):  # the usual one is not worth a row
            part.setVisible(bool(session.order))
        self._model.setText(f"{counted(model.d_model, 'dimension')}, {counted(model.n_heads, 'head')}")

    def take_back(self) -> None:
        """Let go of what stands in fields and is in no session, as undo does."""
        self._refuse("")
        if self._rows:
            self._rows.take_back()

    def choice(self, side: Side) -> Choices:
        """Where the encoding of a side is chosen."""
        return self._choices[side]

    def editor(self, side: Side, name: str) -> Editor:
        """The editor of a parameter on a side, where it stands apart."""
        return self._made.editors[side, name]

    def sign(self, name: str) -> QToolButton:
        """The button that sets a parameter of both apart or joins it again."""
        return self._made.signs[name]

    def once(self, name: str) -> QPushButton:
        """The value of a parameter that stands once, for both: pressed, it is set apart."""
        return self._made.once[name]

    def refusal(self) -> str:
        """The sentences that are shown because something was refused; empty where nothing was."""
        return "\n".join(filter(None, (self._refusal.text(), *(self._rows.refusals() if self._rows else ()))))

    def refused(self) -> list[str]:
        """The titles of the parameters in whose fields something stands that was refused."""
        return self._rows.refused() if self._rows else []

    @property
    def _made(self) -> _ParameterRows:
        if self._rows is None:
            raise KeyError("no session is shown yet")
        return self._rows

    def _choice(self, side: Side) -> Choices:
        choice = Choices(f"Encoding of {_SIDES[side]}")
        choice.setPlaceholderText("Choose …")
        _narrow(choice)
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
        self._set(side, beside if beside is not None and beside.name == name else encodings.encoding(name))

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
        own = _sides(session)
        known = {side: {one.name: one for one in parameters(encoding)} for side, encoding in own.items()}
        both = known["encoding"].keys() & known.get("other", {}).keys() if _alike(session) else set()
        self._apart |= {name for name in both if len({fields.value_at(one, name) for one in own.values()}) > 1}
        self._apart &= set().union(*known.values())
        shape = _Shape(known, frozenset(both), frozenset(self._apart))
        if self._rows is None or self._rows.shape != shape:
            if self._rows is not None:
                self._rows.leave()
            self._rows = _ParameterRows(self._grid, shape, own, self._propose, self._on_sign)
        self._rows.show_sides(own)

    def _on_sign(self, name: str) -> None:
        """Set a parameter apart, or join it again: B takes what A has."""
        session = self._session
        if session is None or session.other is None:
            return
        if name not in self._apart:
            self._apart.add(name)
            self._show_parameters(session)
            # As by Tab, so that what is typed replaces the value.
            self._made.editors["other", name].setFocus(Qt.FocusReason.TabFocusReason)
            return
        self._apart.discard(name)
        value = fields.value_at(session.encoding, name)
        if value == fields.value_at(session.other, name):
            self._show_parameters(session)
        else:
            self._set("other", fields.changed(session.other, {name: value}))
        (self._made.once.get(name) or self._made.signs[name]).setFocus()  # apart still where that was refused


class _Shape(NamedTuple):
    """Which parameters each side has, which of them both have alike, and which of these stand apart."""

    own: dict[Side, dict[str, Parameter]]
    both: frozenset[str]
    apart: frozenset[str]


class _Grid(QGridLayout):
    """Rows of a title and a column for each side."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(TIGHT)
        self.setVerticalSpacing(3)  # so that what most pairs need is seen at once
        for column in (_FIRST, _FIRST + 1):
            self.setColumnStretch(column, 1)
            self.setColumnMinimumWidth(column, _LEAST)

    def add_badges(self, row: int) -> None:
        """A's and B's letters over their columns."""
        for column, side in enumerate(_SIDES.values(), start=_FIRST):
            self.addWidget(badge(side), row, column, Qt.AlignmentFlag.AlignLeft)  # else columns were as narrow as that

    def add(self, row: int, title: QWidget, *sides: QWidget | None) -> None:
        """A row with a widget in each side's column, or none."""
        self.addWidget(title, row, _TITLE)
        for column, widget in enumerate(sides, start=_FIRST):
            if widget is not None:
                self._put(widget, row, column)

    def add_once(self, row: int, title: QWidget, both: QWidget) -> None:
        """A row with one widget for both sides."""
        self.add(row, title)
        self._put(both, row, _FIRST, 2)

    def add_below(self, row: int, words: QWidget) -> None:
        """A row of words alone."""
        self._put(words, row, _TITLE, 3)

    def _put(self, widget: QWidget, row: int, column: int, columns: int = 1) -> None:
        """Both sides are equally wide, whatever stands in them."""
        policy = widget.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
        widget.setSizePolicy(policy)
        self.addWidget(widget, row, column, 1, columns)


class _Title(QWidget):
    """What a row holds, and the sign between its values if there is one: no wider than its longest word."""

    def __init__(self, words: str, told: str = "", sign: QToolButton | None = None) -> None:
        super().__init__()
        title = QLabel(words, wordWrap=True)
        title.setToolTip(told)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(title)
        if sign:
            line.addWidget(sign)

    def sizeHint(self) -> QSize:  # noqa: N802
        """What is left is the sides'."""
        return self.minimumSizeHint()


class _ParameterRows:
    """A row a parameter: what both have in words, or an editor on each side that has it; below it why that was refused."""

    def __init__(
        self,
        grid: _Grid,
        shape: _Shape,
        own: dict[Side, Encoding],
        propose: Callable[..., str],
        pressed: Callable[[str], None],
    ) -> None:
        self.shape = shape
        self.editors: dict[tuple[Side, str], Editor] = {}
        self.signs: dict[str, QToolButton] = {}
        self.once: dict[str, QPushButton] = {}
        self._titles: list[QWidget] = []
        self._refusals: dict[tuple[Side, str], QLabel] = {}
        self._drafts = {side: Draft(one, partial(_propose_side, propose, side)) for side, one in own.items()}
        for at, name in enumerate(dict.fromkeys(name for names in shape.own.values() for name in names)):
            row = _PARAMETERS + 3 * at
            title = self._title_cell(name, pressed)
            if name in shape.both and name not in shape.apart:
                self.once[name] = _value_button(partial(pressed, name))
                grid.add_once(row, title, self.once[name])
                continue
            sides = [side for side, names in shape.own.items() if name in names]
            for below, side in enumerate(sides, start=row + 1):
                self.editors[side, name] = self._editor(side, shape.own[side][name])
                self._refusals[side, name] = refusal = plain(name="refusal")
                refusal.hide()
                grid.add_below(below, refusal)
            grid.add(row, title, *(self.editors.get((side, name)) for side in _SIDES))
        self._show(own)
        for widget in (*self._titles, *self.once.values(), *self.editors.values()):
            widget.show()  # now: the keyboard may go there at once

    def leave(self) -> None:
        """Make room for other rows."""
        for widget in (*self._titles, *self.once.values(), *self.editors.values(), *self._refusals.values()):
            widget.hide()
            widget.deleteLater()

    def show_sides(self, own: dict[Side, Encoding]) -> None:
        """Show what the encodings are now, without proposing it."""
        self._show({side: encoding for side, encoding in own.items() if encoding != self._drafts[side].shown})
        for name, sign in self.signs.items():
            same = len({fields.value_at(encoding, name) for encoding in own.values()}) == 1
            _tell(sign, self._title(name), same, name in self.shape.apart)

    def take_back(self) -> None:
        """Show again what was accepted."""
        for editor in self.editors.values():
            editor.rest()
        self._show({side: draft.shown for side, draft in self._drafts.items()})

    def refused(self) -> list[str]:
        """The titles of the parameters in whose fields something stands that was refused."""
        return [
            f"{self.shape.own[side][name].title} of {_SIDES[side]}"
            for (side, name), refusal in self._refusals.items()
            if refusal.text()
        ]

    def refusals(self) -> Iterator[str]:
        """The sentences below the rows."""
        return (refusal.text() for refusal in self._refusals.values())

    def _show(self, own: Mapping[Side, Frozen]) -> None:
        for side, shown in own.items():
            self._drafts[side].shown = shown
            for name, editor in self._editors_of(side).items():
                if editor.show_value(fields.value_at(shown, name)):
                    self._refuse(side, name, "")
            for name, button in self.once.items():
                _say_value(button, self._declared(name), fields.value_at(shown, name), self._title(name))

    def _editors_of(self, side: Side) -> dict[str, Editor]:
        return {name: editor for (of, name), editor in self.editors.items() if of == side}

    def _on_edited(self, side: Side, name: str) -> None:
        for one, why in self._drafts[side].edit(name, self._editors_of(side)).items():
            self._refuse(side, one, why)
        refusal = self._refusals[side, name]
        if refusal.text():
            QTimer.singleShot(0, refusal, partial(bring_into_sight, refusal))  # once it has its place

    def _refuse(self, side: Side, name: str, why: str) -> None:
        refusal = self._refusals[side, name]
        refusal.setText(why and f"{_SIDES[side]}: {why}")
        refusal.setVisible(bool(why))

    def _title_cell(self, name: str, pressed: Callable[[str], None]) -> QWidget:
        """What a parameter is called, and where both have it the sign between its values."""
        one = next(names[name] for names in self.shape.own.values() if name in names)
        sign = None
        if name in self.shape.both:
            self.signs[name] = sign = tool(name="sign")
            sign.setFixedWidth(2 * sign.fontMetrics().horizontalAdvance("≠"))
            sign.clicked.connect(partial(pressed, name))
            if name not in self.shape.apart:
                sign.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the value beside it does the same, and takes the keyboard
        self._titles.append(title := _Title(one.declared.title or name, help_text(one.declared), sign))
        return title

    def _editor(self, side: Side, parameter: Parameter) -> Editor:
        editor = editor_for(parameter.declared)
        editor.setAccessibleName(f"{parameter.title} of {_SIDES[side]}")
        editor.setAccessibleDescription(help_text(parameter.declared))
        editor.setToolTip(help_text(parameter.declared))
        editor.edited.connect(partial(self._on_edited, side, parameter.name))
        editor.stack()
        _narrow(editor)
        return editor

    def _declared(self, name: str) -> FieldInfo:
        return self.shape.own["encoding"][name].declared

    def _title(self, name: str) -> str:
        return self.shape.own["encoding"][name].title


def _sides(session: Session) -> dict[Side, Encoding]:
    """The encodings that a session has."""
    one: dict[Side, Encoding] = {"encoding": session.encoding}
    return one if session.other is None else {**one, "other": session.other}


def _propose_side(propose: Callable[..., str], side: Side, encoding: Frozen) -> str:
    return propose(**{side: encoding})


def _value_button(pressed: Callable[[], None]) -> QPushButton:
    """The value of a parameter that both have, for the whole width: a press on it sets it apart."""
    button = push("")
    button.setObjectName("value")
    button.clicked.connect(pressed)
    return button


def _say_value(button: QPushButton, declared: FieldInfo, value: object, title: str) -> None:
    words = fields.NONE if value is None and fields.kind(declared).members else worded(value)
    button.setText(on_button(cut(words, _LONGEST_VALUE)))
    button.setAccessibleName(f"{title} is {words} in A and B. Press to set it apart.")
    button.setToolTip(f"{words} in A and B. Press to set it apart.")


def _tell(sign: QToolButton, title: str, same: bool, apart: bool) -> None:
    """What stands between both values, and what a press on it does."""
    sign.setText("=" if same else "≠")
    is_now = "the same in A and B" if same else "not the same in A and B"
    does = "Press to set it apart." if not apart else "Press to join it." if same else "Press to give B what A has."
    sign.setAccessibleName(f"{title} is {is_now}. {does}")
    sign.setToolTip(f"{is_now[0].upper()}{is_now[1:]}. {does}")


def _alike(session: Session) -> bool:
    return type(session.encoding) is type(session.other)


class TwoVerdicts(QWidget):
    """The six requirements of A and of B, each with its sign and its word; what was found stands in the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        grid = _Grid()
        self.setLayout(grid)
        grid.setRowMinimumHeight(0, QUIET)
        grid.addWidget(_semibold("Requirements"), 0, _TITLE)
        grid.add_badges(0)
        self._labels: dict[tuple[Side, str], QLabel] = {}
        for row, (name, one) in enumerate(definitions().items(), start=1):
            labels = {side: plain() for side in _SIDES}
            self._labels |= {(side, name): label for side, label in labels.items()}
            title = QLabel(one.title)
            title.setToolTip(one.definition)
            grid.add(row, title, *labels.values())
        self._words = plain(name="muted")
        grid.add_below(len(definitions()) + 1, self._words)

    def show_requirements(self, found: Measurement, other: Measurement | None) -> None:
        """Show what was measured of A and of B; of what could not be, why."""
        self._words.setText("")
        sides: dict[Side, Measurement | None] = {"encoding": found, "other": other}
        for (side, name), label in self._labels.items():
            rows = sides[side]
            row = rows[name] if isinstance(rows, Requirements) else None
            label.setText(row.told if row else "")
            label.setProperty("verdict", row.verdict if row else "")
            label.setToolTip(as_hint(row.reason) if row else "")
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


def _narrow(widget: QWidget) -> None:
    """Leave a list as much room for its names as can be."""
    for choice in (widget, *widget.findChildren(QComboBox)):
        choice.setProperty("narrow", isinstance(choice, QComboBox))


def _semibold(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("cardTitle")
    return label
