"""Forms generated from declared models: one row per field; below a group, the fields of its chosen member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QSizePolicy, QWidget
from superqt import QFlowLayout

from posenc_gui.app.widgets.controls import (
    delayed,
    in_column,
    in_row,
    plain_label,
    scroll_into_view_soon,
    show_words,
    tool_button,
)
from posenc_gui.app.widgets.forms.editors import (
    Editor,
    Typed,
    declared,
    edited_fields,
    help_text,
    named_editor,
    without_editor,
)
from posenc_gui.app.widgets.menu_button import Unfolding
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.theme import FIELD, ICON, SCROLL_BAR, SMALL, TIGHT

_LONGEST_FOLD = 28  # characters of the folded fields' titles
_INDENT = 10  # pixels before a group's rows
_SLACK = SCROLL_BAR + ICON + 2 * SMALL  # pixels that may come and go in a row
_SEVERAL = 2  # changed fields that are given back at once


class ModelForm(QWidget):
    """A form that edits a frozen model as a draft; a refused value stays in its field, with the reason below it.

    Fields are named by their path: "base", or "scaling.factor" within a group. inline: titles and editors flow side by
    side. folds: one line stands for the fields at their defaults. defaults: what changed fields go back to, if not to those
    that are declared. A class stands for its defaults; facts have no field.
    Raises TypeError, naming the fields, if some can't be edited.
    """

    def __init__(
        self,
        model: Frozen | type[Frozen],
        propose: Callable[[Frozen], str],
        *,
        inline: bool = False,
        folds: bool = False,
        defaults: Frozen | None = None,
    ) -> None:
        super().__init__()
        first = model if isinstance(model, Frozen) else model()
        if missing := without_editor(first):
            raise TypeError(f"No form can edit {'; '.join(missing)}.")
        self._draft, self._defaults = Draft(first, propose), defaults
        self._left_out: frozenset[str] = frozenset()
        self._folded: frozenset[str] = frozenset()
        self._asked_for: frozenset[str] = frozenset()
        self._arranged: type[_Grid] | type[_Flow] = _Flow if inline else _Grid
        self._own = self._arranged()
        self._rows = self._filled(self._own, first)
        self._show(self._rows, self._draft.shown)
        self._reset = tool_button(
            "Back to defaults", name="unfolding", hint="Give all of these their defaults", does=self._take_defaults
        )
        self._reset.hide()
        column = in_column(self._own, of=self, gap=4)
        self._fold = FoldLine() if folds else None
        if self._fold:
            column.addWidget(self._fold)
            self._fold.button.toggled.connect(self._fold_defaults)
        if inline:
            self.add(self._reset)
        else:
            column.addWidget(self._reset, 0, Qt.AlignmentFlag.AlignLeft)
        self._fold_defaults()

    def show_value(self, value: Frozen) -> None:
        """Show a model's values without proposing them."""
        if value != self._draft.shown:
            self._draft.shown = value
            self._show(self._rows, value)
            self._fold_defaults()

    def take_back(self) -> None:
        """Discard refused input, as undo does."""
        for row in _now(self._rows).values():
            row.editor.rest()
        self._show(self._rows, self._draft.shown)
        self._fold_defaults()

    def limit(self, name: str, largest: int) -> None:
        """Set the largest whole number that the session allows in a field."""
        self._rows[name].editor.limit(largest)

    def leave_out(self, names: frozenset[str]) -> None:
        """Hide the fields that currently have no effect, and show all others."""
        if names != self._left_out:
            self._left_out = names
            self._fold_defaults()
            self._hide_rows()

    def add(self, widget: QWidget) -> None:
        """Append another widget to the editors of an inline form."""
        assert isinstance(self._own, _Flow)
        self._own.append(widget)

    def unfold(self) -> None:
        """Show the fields that are at their defaults, too."""
        if self._fold:
            self._fold.button.setChecked(True)

    def ask_for(self, names: Iterable[str]) -> None:
        """Scroll to the fields of these names, and keep them unfolded until others are asked for."""
        self._asked_for = frozenset(names) & frozenset(self._rows)
        self._fold_defaults()
        self.bring_asked_for()

    def bring_asked_for(self) -> None:
        """Scroll to the requested fields again, for example after a resize."""
        for name in sorted(self._asked_for):
            scroll_into_view_soon(self._rows[name].editor)

    def go_to(self, name: str) -> None:
        """Unfold a field, scroll to it, and give it the keyboard, as Tab does."""
        self.ask_for((name.partition(".")[0],))
        self.editor(name).setFocus(Qt.FocusReason.TabFocusReason)

    def names(self) -> list[str]:
        """Return the names of the fields that can currently be edited, in order."""
        return [name for name, row in _now(self._rows).items() if row.editor.widgets and name not in self._left_out]

    def editor(self, name: str) -> QWidget:
        """The editor of a field."""
        return _now(self._rows)[name].editor

    def refused(self) -> list[str]:
        """Return the titles of the fields with refused input."""
        return [row.title for row in _now(self._rows).values() if row.refusal.text()]

    def refusal(self) -> str:
        """Return the reasons for all refused input; empty if there is none."""
        return "\n".join(filter(None, (row.refusal.text() for row in _now(self._rows).values())))

    def _on_edited(self, name: str, row: _FieldRow) -> None:
        if _now(self._rows).get(name) is not row:
            return  # Qt gives keys to the closed list of a choice that went with its group
        if row.members:
            member, before = row.editor.value(), declared_fields.value_at(self._draft.shown, name)
            self._show_member(row, row.kind.switched(before, member) if member else None)
        rows = _now(self._rows)
        for one, why in self._draft.edit(name, {other: row.editor for other, row in rows.items()}).items():
            rows[one].tell(why)
        self._fold_defaults()
        if row.refusal.text():
            scroll_into_view_soon(row.refusal)

    def _take_defaults(self) -> None:
        """Propose the defaults of all fields that can be edited now."""
        shown, (first, *_) = self._draft.shown, self._rows.values()
        defaults = self._defaults or declared_fields.at_defaults(shown)
        fields = {name: declared_fields.value_at(defaults, name) for name in self._rows if name not in self._left_out}
        first.editor.setFocus()  # the button is about to go
        refused = self._draft.replace(shown.with_fields(**fields))
        self.take_back()
        first.tell(refused)

    def _fold_defaults(self) -> None:
        """Fold the fields that have their defaults into one line, but for the first and those that stay in sight; where
        several haven't, offer to give them back at once."""
        rows = _now(self._rows)
        changed = [name for name in rows if rows[name].editor.is_changed and name not in self._left_out]
        self._reset.setHidden(len(changed) < _SEVERAL)  # one has its own mark
        if self._fold is None:
            return
        _, *others = (name for name in self._rows if name not in self._left_out)
        at_rest = [name for name in others if self._is_at_rest(name)]
        self._folded = frozenset() if self._fold.button.isChecked() else frozenset(at_rest)
        self._hide_rows()
        values = [self._worded(name) for name in at_rest]
        self._fold.tell([self._rows[name].title for name in at_rest], values)

    def _hide_rows(self) -> None:
        for name, row in self._rows.items():
            row.hide(name in self._left_out or name in self._folded)

    def _worded(self, name: str) -> str:
        value = declared_fields.value_at(self._draft.shown, name)
        return declared_fields.NONE if value is None and self._rows[name].members else format_value(value)

    def _is_at_rest(self, name: str) -> bool:
        row, focused = self._rows[name], QApplication.focusWidget()
        kept = row.stays or row.editor.is_changed or name in self._asked_for or row.refusal.text()
        return not kept and not (focused and row.editor.isAncestorOf(focused))  # a row with the focus stays

    # --- Rows, and those of groups ---------------------------------------------------------------------------------

    def _filled(
        self, place: _FieldRows, model: Frozen | type[Frozen], prefix: str = "", within: str = ""
    ) -> dict[str, _FieldRow]:
        """Make rows for a model's fields and add them to `place`; below a group, room for those of each member."""
        rows: dict[str, _FieldRow] = {}
        for field_name, info in edited_fields(model).items():
            name, title = f"{prefix}{field_name}", info.title or field_name
            spoken = declared_fields.inner_title(within, title)
            own = {} if prefix or self._defaults is None else dict(self._defaults)
            editor = named_editor(info, spoken, own.get(field_name, PydanticUndefined))
            kind, stays = declared_fields.kind(info), bool(declared(info).get("in sight"))
            rows[name] = row = _FieldRow(name, title, spoken, help_text(info), kind, editor, stays)
            editor.edited.connect(lambda name=name, row=row: self._on_edited(name, row))
            row.widgets = place.add(row)
            for member in row.kind.members:
                row.members[member] = self._arranged(within=True), {}
                place.add_below(row.members[member][0])
        return rows

    def _show(self, rows: dict[str, _FieldRow], value: BaseModel) -> None:
        for name, row in rows.items():
            own = declared_fields.value_at(value, name.rpartition(".")[2])
            if row.editor.show_value(own):
                row.tell("")
                self._show_member(row, own)

    def _show_member(self, row: _FieldRow, value: BaseModel | None) -> None:
        """Show the rows of the member that a group has, and hide those of the others."""
        row.member, focused = None if value is None else type(value), QApplication.focusWidget()
        for member, (below, rows) in row.members.items():
            if value is not None and member is row.member:
                if not rows:  # of a group with many members, a form shows few
                    rows |= self._filled(below, member, f"{row.name}.", row.spoken)
                self._show(rows, value)
            else:
                for hidden in _now(rows).values():
                    hidden.editor.rest()  # its field is gone
                if focused and below.isAncestorOf(focused):
                    row.editor.setFocus()  # the focused editor is about to be hidden
        row.unfold_member()


@dataclass
class _FieldRow:
    """A field's path, title, help, kind and editor; for a group also the rows of each member that was shown, and which is.
    spoken: the title as said with those of the groups around it."""

    name: str
    title: str
    spoken: str
    told: str
    kind: declared_fields.Kind
    editor: Editor
    stays: bool  # in sight at its default, too
    refusal: QLabel = field(default_factory=lambda: plain_label(name="refusal"))
    members: dict[type[Frozen], tuple[_FieldRows, dict[str, _FieldRow]]] = field(default_factory=dict)
    member: type[BaseModel] | None = None
    widgets: tuple[QWidget, ...] = ()  # the row's widgets, without the refusal message
    hidden: bool = False
    wraps: bool = False  # its editor stands below its title

    def hide(self, hidden: bool) -> None:
        """Hide the row with those of its group member, or show it again."""
        if hidden != self.hidden:
            self.hidden = hidden
            for widget in self.widgets:
                widget.setHidden(hidden)
            self.unfold_member()

    def unfold_member(self) -> None:
        """Show the rows of the group's member, unless the row itself is hidden, and hide those of other members."""
        for member, (below, _) in self.members.items():
            below.setHidden(self.hidden or member is not self.member)

    def tell(self, why: str) -> None:
        """Show why the field's value was refused; an empty text clears the message."""
        show_words(self.refusal, why)


def _title_of(row: _FieldRow) -> QLabel:
    title = QLabel(row.title, textFormat=Qt.TextFormat.PlainText)
    title.setToolTip(row.told)
    title.setBuddy(row.editor)
    return title


def _now(rows: dict[str, _FieldRow]) -> dict[str, _FieldRow]:
    """The rows with those of the members that are shown, each behind its group's."""
    found = {}
    for name, row in rows.items():
        found[name] = row
        for member, (_, inner) in row.members.items():
            if member is row.member:
                found |= _now(inner)
    return found


class _Rows(QWidget):
    """A container of rows; a group's container is nested in that of its parent."""

    def __init__(self, *, within: bool = False) -> None:
        super().__init__()
        self.setObjectName("group" if within else "")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)  # else the group's line is not painted
        self._indent = _INDENT if within else 0


class _Grid(_Rows):
    """Rows as a grid: titles left of the editors, or above one that has no room beside them; refusal messages below."""

    def __init__(self, *, within: bool = False) -> None:
        super().__init__(within=within)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(self._indent, 0, 0, 0)
        self._grid.setHorizontalSpacing(TIGHT)  # and a mark's room
        self._grid.setVerticalSpacing(TIGHT)
        self._grid.setColumnStretch(1, 1)
        self._placed: list[tuple[_FieldRow, QLabel, int]] = []
        self._fitting = delayed(self, self._fit)
        self.setMinimumWidth(1)  # rows that are too wide wrap, and make no card wider

    def add(self, row: _FieldRow) -> tuple[QWidget, ...]:
        """Append the row's title and editor, which are returned, with the refusal below the editor."""
        at = self._grid.rowCount()
        label = _title_of(row)
        self._placed.append((row, label, at))
        self._place(row, label, at)
        self._grid.addWidget(row.refusal, at + 2, 0, 1, 2)
        return label, row.editor

    def add_below(self, rows: QWidget) -> None:
        """Put a group's own rows below its row, over the whole width."""
        self._grid.addWidget(rows, self._grid.rowCount(), 0, 1, 2)

    def event(self, event: QEvent) -> bool:
        """See whether all has room, once what was asked for is laid out."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fitting.start()
        return super().event(event)

    def _fit(self) -> None:
        """Give editors lines of their own where they have no room beside the titles. A scroll bar that comes or goes, or the
        room of a mark that needn't be kept there, takes none of them back."""
        seen = [one for one in self._placed if not one[1].isHidden()]
        titles = max((label.fontMetrics().horizontalAdvance(label.text()) for _, label, _ in seen), default=0)
        titles += self._indent + TIGHT
        for row, label, at in seen:
            if row.wraps != (titles + row.editor.breadth + scaled(_SLACK) * row.wraps > self.width()):
                row.wraps = not row.wraps
                self._place(row, label, at)

    def _place(self, row: _FieldRow, label: QLabel, at: int) -> None:
        row.editor.keep_room_of_mark(beside_others=not row.wraps)
        label.setWordWrap(row.wraps)
        self._grid.addWidget(label, at, 0, 1, 1 + row.wraps)
        self._grid.addWidget(row.editor, at + row.wraps, 1 - row.wraps, 1, 1 + row.wraps)


class _Flow(_Rows):
    """Rows as a flow: titles and editors side by side, as many as fit the width of a narrow card."""

    def __init__(self, *, within: bool = False) -> None:
        super().__init__(within=within)
        self._flow = QFlowLayout()
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._flow.setVerticalSpacing(4)
        self._column = in_column(self._flow, of=self, around=(self._indent, 0, 0, 0))

    def add(self, row: _FieldRow) -> tuple[QWidget, ...]:
        """Append the row's title and editor to the flow, and return what holds them; its refusal message goes below."""
        label, pair = _title_of(row), QWidget()
        label.setObjectName("muted")
        in_row(label, row.editor, of=pair, gap=6, around=(0, 0, 8, 0))
        pair.setMinimumHeight(scaled(FIELD) + 2)  # so that a low check box stands in line with the others
        self._flow.addWidget(pair)
        self._column.addWidget(row.refusal)
        return (pair,)

    def add_below(self, rows: QWidget) -> None:
        """Put a group's own rows below all of the editors."""
        self._column.addWidget(rows)

    def append(self, widget: QWidget) -> None:
        """Put a widget behind the editors."""
        self._flow.addWidget(widget)


_FieldRows = _Grid | _Flow


class FoldLine(QWidget):
    """The line that stands for folded fields: their titles and values, and a button that shows them."""

    def __init__(self) -> None:
        super().__init__()
        self.button = Unfolding(hint="Show or fold the parameters that are at their defaults")
        self.button.setMinimumWidth(1)  # it is elided in a narrow card with large type
        self._told: tuple[bool, list[str], list[str]] | None = None
        self._shown = ""
        self._values = plain_label(name="muted", wraps=False)
        self._values.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._values.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        in_row(self.button, self._values, of=self, grows=self._values)

    def tell(self, titles: list[str], values: list[str]) -> None:
        """Show the titles and values of the folded fields; hide the line if there are none."""
        opened = self.button.isChecked()
        if self._told == (opened, titles, values):  # as in each step of a drag
            return
        words = ", ".join([*titles[:1], *(one.lower() for one in titles[1:])])
        brief = words if len(words) <= _LONGEST_FOLD or len(titles) == 1 else f"{titles[0]} and {len(titles) - 1} more"
        self._told = opened, titles, values
        self._shown = (
            "" if opened else ", ".join(values if brief == words else values[:1])
        )  # of the titles that are read
        self.setHidden(not titles)
        self.button.setText("Fewer" if opened else brief)
        self.button.setAccessibleName(f"Fold {words}" if opened else f"Show {words}: {', '.join(values)}")
        self._show_values()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the values where they have room."""
        super().resizeEvent(event)
        self._show_values()

    def _show_values(self) -> None:
        room = self.width() - self.button.sizeHint().width() - TIGHT
        self._values.setText(self._shown if self._values.fontMetrics().horizontalAdvance(self._shown) <= room else "")


class Draft:
    """A model being edited: each valid change is proposed to the session; a refused value stays in its field. Later changes
    take effect without the refused value, which is tried again with each of them."""

    def __init__(self, shown: Frozen, propose: Callable[[Frozen], str]) -> None:
        self.shown = shown  # what was accepted last, or came from elsewhere
        self._propose = propose

    def edit(self, name: str, editors: Mapping[str, Editor]) -> dict[str, str]:
        """Propose a field's current input. Return the reason for refusal by name, for this field and those refused before;
        empty for an accepted one."""
        waiting = [name, *(other for other, editor in editors.items() if editor.is_refused and other != name)]
        whys = dict.fromkeys(waiting, self._try(waiting, editors))  # together first: one may be what another waits for
        if whys[name] and len(waiting) > 1:
            whys = {one: self._try(_needed(one, waiting), editors) for one in waiting}
        for one, refused in whys.items():
            editors[one].mark_refused(bool(refused))
        for one, editor in editors.items():
            editor.tell_change(declared_fields.value_at(self.shown, one))
        edited = editors[name]
        if whys[name] and isinstance(edited, Typed) and _needed(name, waiting) == [name]:
            self._go_back(name, edited.settled)
        return whys

    def replace(self, value: Frozen) -> str:
        """Propose another value of all fields. Return why it was refused; empty if it wasn't."""
        if not (why := self._propose(value)):
            self.shown = value
        return why

    def _try(self, names: list[str], editors: Mapping[str, Editor]) -> str:
        """Propose the input of these fields with the accepted values of all others; return why it was refused, or ""."""
        before = self.shown
        try:
            self.shown = declared_fields.with_values(before, {name: editors[name].value() for name in names})
        except ValueError as error:
            return str(error)
        why = self._propose(self.shown)
        if why:
            self.shown = before
        return why

    def _go_back(self, name: str, settled: object) -> None:
        """Restore the value with which typing began, since a part of the typed text may have been taken for the whole."""
        if declared_fields.value_at(self.shown, name) != settled:
            self.shown = declared_fields.with_values(self.shown, {name: settled})
            self._propose(self.shown)


def _needed(name: str, waiting: list[str]) -> list[str]:
    """Return a waiting field with the groups around it that wait, too: without their choices it does not exist."""
    return [name, *(group for group in waiting if name.startswith(f"{group}."))]
