"""The Compare card's parameters: one row each. A shared value is shown once until it is separated into two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from pydantic.fields import FieldInfo
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from posenc_gui.app.panels.compare_grid import SIDES, RowTitle, Side, SideGrid, narrow
from posenc_gui.app.widgets.controls import (
    discard,
    escape_mnemonics,
    in_row,
    plain_label,
    push_button,
    scroll_into_view_soon,
    show_words,
    tool_button,
)
from posenc_gui.app.widgets.forms.change_mark import ChangeMark, value_words
from posenc_gui.app.widgets.forms.editors import Editor, help_text, is_edited, named_editor
from posenc_gui.app.widgets.forms.form import Draft
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.trained import TrainedTable
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_fields import DeclaredField
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import inner_case, join_words

_PARAMETERS = 10  # the first parameter's row; empty rows have no height
_FEW = 2  # parameters that are not worth folding away
_LONGEST_VALUE = 24  # characters of a shared value


def parameters(model: Frozen) -> Iterator[DeclaredField]:
    """Yield the parameters that a form can edit and that do something; the parameters of a chosen group come after the group."""
    unread = model.unread if isinstance(model, TrainedTable) else ()
    return (place for place in declared_fields.walk(model) if is_edited(place.declared) and place.name not in unread)


class RowsShape(NamedTuple):
    """The layout of the rows: each side's parameters, the shared ones, and the shared ones that have two separate
    values."""

    own: dict[Side, dict[str, DeclaredField]]
    both: frozenset[str]
    apart: frozenset[str]


class ParameterRows:
    """One row per parameter: the shared value, or an editor for each side that has it; refusals are shown below."""

    def __init__(
        self,
        grid: SideGrid,
        shape: RowsShape,
        own: dict[Side, Encoding],
        propose: Callable[..., str],
        pressed: Callable[[str], None],
    ) -> None:
        self.shape, self._edits = shape, False
        self.editors: dict[tuple[Side, str], Editor] = {}
        self.signs: dict[str, QToolButton] = {}
        self.once: dict[str, QPushButton] = {}
        self._shared: dict[str, QWidget] = {}  # what holds such a button, and the mark of its change
        self._marks: dict[str, ChangeMark] = {}
        self._titles: dict[str, QWidget] = {}
        self.more = push_button("", self._unfold)
        self.more.setObjectName("value")
        self._refusals: dict[tuple[Side, str], QLabel] = {}
        self._drafts = {side: Draft(one, partial(_propose_side, propose, side)) for side, one in own.items()}
        alone: dict[Side, list[str]] = {}  # the parameters of one side
        for at, name in enumerate(dict.fromkeys(name for names in shape.own.values() for name in names)):
            row = _PARAMETERS + 3 * at
            sides = [side for side, names in shape.own.items() if name in names]
            title = self._titles[name] = self._title_cell(name, sides, pressed)
            if name in shape.both and name not in shape.apart:
                self.once[name] = push_button("", partial(pressed, name))
                self.once[name].setObjectName("value")
                grid.add_once(row, title, self._with_mark(name, propose))
                continue
            for below, side in enumerate(sides, start=row + 1):
                self.editors[side, name] = self._editor(side, shape.own[side][name])
                self._refusals[side, name] = refusal = plain_label(name="refusal")
                refusal.hide()
                grid.add_below(below, refusal)
            if len(sides) == 1:  # across both columns, which would have a hole
                alone.setdefault(sides[0], []).append(name)
                grid.add_once(row, title, self.editors[sides[0], name])
            else:
                grid.add(row, title, *(self.editors.get((side, name)) for side in SIDES))
        self._show(own)
        grid.add_below(_PARAMETERS + 3 * len(self._titles), self.more)
        for widget in (*self._titles.values(), *self._shared.values(), *self.editors.values()):
            widget.show()  # at once, since it may receive the focus next
        self._folded = self._fold(alone)

    def _fold(self, alone: Mapping[Side, list[str]]) -> list[QWidget]:
        """Hide what one side alone has behind a button, but for its first parameter and those that aren't at their defaults."""
        later = [(side, name) for side, names in alone.items() for name in names[1:]]
        kept = [(side, name) for side, name in later if self._is_default(side, name)]
        self.more.setVisible(len(kept) >= _FEW)
        if len(kept) < _FEW:
            return []
        titles = [self.shape.own[side][name].title for side, name in kept]
        self.more.setText(f"{len(kept)} more at their defaults …")
        self.more.setToolTip(f"At their defaults: {join_words(map(inner_case, titles))}.")
        widgets = [part for at in kept for part in (self.editors[at], self._titles[at[1]])]
        for widget in widgets:
            widget.hide()
        return widgets

    def _unfold(self) -> None:
        self.more.hide()
        for widget in self._folded:
            widget.show()
        self._folded[0].setFocus(Qt.FocusReason.TabFocusReason)

    def go_to(self, side: Side, name: str) -> None:
        """Give a parameter of a side the keyboard, as Tab does; unfold it if need be."""
        if self._folded and self.editors.get((side, name)) in self._folded:
            self._unfold()
        (self.editors.get((side, name)) or self.once[name]).setFocus(Qt.FocusReason.TabFocusReason)

    def _is_default(self, side: Side, name: str) -> bool:
        shown = self._drafts[side].shown
        return name not in shown.also_declared and bool(
            declared_fields.value_at(shown, name) == declared_fields.value_at(type(shown)(), name)
        )

    def edits_formula(self, shape: RowsShape) -> bool:
        """True while a number of a formula, whose range may follow it, is edited here: rows then stay for that shape."""
        names = [[(side, *parameters) for side, parameters in one.own.items()] for one in (self.shape, shape)]
        return (
            self._edits and names[0] == names[1] and any(draft.shown.also_declared for draft in self._drafts.values())
        )

    def leave(self) -> None:
        """Remove these rows, so that others can replace them."""
        for editor in self.editors.values():
            editor.blockSignals(True)  # Qt still gives keys to the list of a choice that it closed
        rows = *self._titles.values(), *self._shared.values(), *self.editors.values(), *self._refusals.values()
        for widget in (*rows, self.more):
            discard(widget)

    def show_sides(self, own: dict[Side, Encoding]) -> None:
        """Show the encodings' current values, without proposing them as a change."""
        self._show({side: encoding for side, encoding in own.items() if encoding != self._drafts[side].shown})
        for name, sign in self.signs.items():
            same = len({declared_fields.value_at(encoding, name) for encoding in own.values()}) == 1
            _tell(sign, self._title(name), same, name in self.shape.apart)

    def take_back(self) -> None:
        """Show the last accepted values again."""
        for editor in self.editors.values():
            editor.rest()
        self._show({side: draft.shown for side, draft in self._drafts.items()})

    def refused(self) -> list[str]:
        """Return the titles of the parameters whose fields hold a refused value."""
        return [
            f"{self.shape.own[side][name].title} of {SIDES[side]}"
            for (side, name), refusal in self._refusals.items()
            if refusal.text()
        ]

    def refusals(self) -> Iterator[str]:
        """Yield the refusals shown below the rows."""
        return (refusal.text() for refusal in self._refusals.values())

    def _show(self, own: Mapping[Side, Frozen]) -> None:
        for side, shown in own.items():
            self._drafts[side].shown = shown
            for name, editor in self._editors_of(side).items():
                if editor.show_value(declared_fields.value_at(shown, name)):
                    self._refuse(side, name, "")
            for name, button in self.once.items():
                value = declared_fields.value_at(shown, name)
                _say_value(button, self._declared(name), value, self._title(name))
                self._marks[name].setHidden(value == self._default(name))

    def _editors_of(self, side: Side) -> dict[str, Editor]:
        return {name: editor for (of, name), editor in self.editors.items() if of == side}

    def _on_edited(self, side: Side, name: str) -> None:
        self._edits = True
        try:
            whys = self._drafts[side].edit(name, self._editors_of(side))
        finally:
            self._edits = False
        for one, why in whys.items():
            self._refuse(side, one, why)
        refusal = self._refusals[side, name]
        if refusal.text():
            scroll_into_view_soon(refusal)

    def _refuse(self, side: Side, name: str, why: str) -> None:
        show_words(self._refusals[side, name], why and f"{SIDES[side]}: {why}")

    def _title_cell(self, name: str, sides: list[Side], pressed: Callable[[str], None]) -> QWidget:
        """Build a parameter's title, with the =/≠ button if both sides have the parameter."""
        one, sign = self.shape.own[sides[0]][name], None
        if name in self.shape.both:
            self.signs[name] = sign = tool_button(name="sign", does=partial(pressed, name))
            sign.setFixedWidth(2 * sign.fontMetrics().horizontalAdvance("≠"))
            if name not in self.shape.apart:
                sign.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the value button takes the focus
        words = one.declared.title or name
        words = f"{words} of {SIDES[sides[0]]}" if len(sides) == 1 < len(self.shape.own) else words
        return RowTitle(words, help_text(one.declared), sign)

    def _editor(self, side: Side, parameter: DeclaredField) -> Editor:
        editor = named_editor(parameter.declared, f"{parameter.title} of {SIDES[side]}")
        editor.edited.connect(partial(self._on_edited, side, parameter.name))
        editor.stack()
        narrow(editor)
        return editor

    def _with_mark(self, name: str, propose: Callable[..., str]) -> QWidget:
        """Put the mark of its change before the button of a shared value; a press gives both sides the default."""

        def take_default() -> None:
            self.once[name].setFocus()  # the mark is about to go
            default = {name: self._default(name)}
            sides = self._drafts.items()
            propose(**{side: declared_fields.with_values(draft.shown, default) for side, draft in sides})

        mark = self._marks[name] = ChangeMark(self._title(name), value_words(self._declared(name), self._default(name)))
        mark.clicked.connect(take_default)
        cell = self._shared[name] = QWidget()
        in_row(mark, self.once[name], of=cell, gap=TIGHT, grows=self.once[name])
        return cell

    def _default(self, name: str) -> object:
        declared = self._declared(name)
        if declared.is_required():  # a number of a formula is the text's
            return declared_fields.value_at(self._drafts["encoding"].shown, name)
        return declared.get_default(call_default_factory=True)

    def _declared(self, name: str) -> FieldInfo:
        return self.shape.own["encoding"][name].declared

    def _title(self, name: str) -> str:
        return self.shape.own["encoding"][name].title


def _propose_side(propose: Callable[..., str], side: Side, encoding: Frozen) -> str:
    return propose(**{side: encoding})


def _say_value(button: QPushButton, declared: FieldInfo, value: object, title: str) -> None:
    words = declared_fields.NONE if value is None and declared_fields.kind(declared).members else format_value(value)
    button.setText(escape_mnemonics(shorten_middle(words, _LONGEST_VALUE)))
    button.setAccessibleName(f"{title} is {words} in A and B. Press to give A and B separate values.")
    button.setToolTip(f"{words} in A and B. Press to give A and B separate values.")


def _tell(sign: QToolButton, title: str, same: bool, apart: bool) -> None:
    """Set the =/≠ button's sign, and describe what a press does."""
    sign.setText("=" if same else "≠")
    is_now = "the same in A and B" if same else "different in A and B"
    if not apart:
        does = "Press to give A and B separate values."
    else:
        does = "Press to use one value for both." if same else "Press to copy A's value to B."
    sign.setAccessibleName(f"{title} is {is_now}. {does}")
    sign.setToolTip(f"{is_now[0].upper()}{is_now[1:]}. {does}")
