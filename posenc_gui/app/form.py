"""Forms made from declared models: a row a field, and below a group the fields of the member that was chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget
from superqt import QFlowLayout

from posenc_gui import fields
from posenc_gui.app.editors import Editor, Member, edited_fields, editor_for, help_text, without_editor
from posenc_gui.errors import sentence
from posenc_gui.frozen import Frozen

_INDENT = 10  # pixels before a group's rows


class ModelForm(QWidget):
    """Edits a frozen model; each valid change is proposed, each refusal stands below the field that caused it.

    What is refused stays in its field, so nothing typed is lost; it is proposed again with the next change, which takes
    effect without it too. Fields are named as everywhere: "base", and in a group "scaling.factor".

    Raises TypeError, which names them, for fields that can't be edited.
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
        if missing := without_editor(model):
            raise TypeError(f"No form can edit {'; '.join(missing)}.")
        self._model, self._propose = model, propose
        self._shown: Frozen | None = None
        self._arranged: type[_Rows] = _Flow if inline else _Grid
        self._own = self._arranged()
        self._rows = self._filled(self._own, model())
        self._keep_tab_order()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._own)

    def show_value(self, value: Frozen) -> None:
        """Show a model's values without proposing them."""
        if value == self._shown:
            return
        self._shown = value
        for name, row in list(self._rows.items()):
            if self._rows.get(name) is not row:
                continue  # its group has become another member, whose fields are shown already
            self._refuse(name, "")
            with QSignalBlocker(row.editor):
                row.editor.set_value(fields.value_at(value, name))
            self._follow_choice(name)

    def limit(self, name: str, largest: int) -> None:
        """Narrow a whole number's range to what the session allows."""
        self._rows[name].editor.limit(largest)

    def add(self, widget: QWidget) -> None:
        """Put another widget behind the editors of an inline form."""
        self._own.append(widget)

    def names(self) -> list[str]:
        """The names of the fields that can be edited now, from the first to the last."""
        return [name for name, row in self._rows.items() if row.editor.widgets]

    def editor(self, name: str) -> QWidget:
        """The editor of a field."""
        return self._rows[name].editor

    def refusal(self) -> str:
        """The sentences that are shown because values were refused; empty where none was."""
        return "\n".join(filter(None, (row.refusal.text() for row in self._rows.values())))

    def _on_edited(self, name: str) -> None:
        self._follow_choice(name)
        waiting = [name, *(other for other, row in self._rows.items() if row.refusal.text() and other != name)]
        if why := self._try(waiting):  # together first: one change may be what another waits for
            whys = [why] if len(waiting) == 1 else [self._try(self._needed(one, waiting)) for one in waiting]
        else:
            whys = [""] * len(waiting)
        for one, refused in zip(waiting, whys, strict=True):
            self._refuse(one, refused)
        for one, row in self._rows.items():
            if isinstance(row.editor, Member) and self._shown and not self._refused_groups(one):
                row.editor.accept(fields.value_at(self._shown, one))

    def _try(self, names: list[str]) -> str:
        """Propose what stands in these fields beside the other fields' accepted values; says why it was refused."""
        before = self._shown
        try:
            edited = {name: self._rows[name].editor.value() for name in names}
            self._shown = value = fields.changed(before or self._model(), edited)
        except ValueError as error:
            return sentence(error, self._model)
        why = self._propose(value)
        if why:
            self._shown = before
        return why

    def _needed(self, name: str, waiting: list[str]) -> list[str]:
        """A field, with the choices that wait too and without which there is no such field."""
        return [name, *(group for group in self._refused_groups(name) if group in waiting and group != name)]

    def _refused_groups(self, name: str) -> list[str]:
        """The groups of which a field is one, itself included, that wait because their choice was refused."""
        return [
            group
            for group, row in self._rows.items()
            if row.members and row.refusal.text() and f"{name}.".startswith(f"{group}.")
        ]

    def _refuse(self, name: str, why: str) -> None:
        row = self._rows[name]
        row.editor.mark_refused(bool(why))
        row.refusal.setText(why)
        row.refusal.setVisible(bool(why))

    # --- Rows, and those of groups ---------------------------------------------------------------------------------

    def _filled(self, place: _Rows, value: Frozen, prefix: str = "", within: str = "") -> dict[str, _Row]:
        """Rows for the fields of a value, put in a place; a group's own rows come right behind it."""
        rows: dict[str, _Row] = {}
        for field_name, declared in edited_fields(type(value)).items():
            name, own = f"{prefix}{field_name}", getattr(value, field_name)
            spoken = fields.inner_title(within, declared.title or field_name)
            members = self._arranged(within=True) if fields.kind(declared).members else None
            editor, told = editor_for(declared), help_text(declared)
            editor.set_value(own)
            editor.setAccessibleName(spoken)
            editor.setAccessibleDescription(told)
            editor.setToolTip(told)
            editor.edited.connect(lambda name=name: self._on_edited(name))
            rows[name] = row = _Row(declared.title or field_name, told, spoken, editor, members, type(own))
            place.add(row)
            row.refusal.hide()
            if members:
                rows |= self._filled(members, own, f"{name}.", spoken) if own else {}
                members.setVisible(own is not None)
        return rows

    def _follow_choice(self, name: str) -> None:
        """Show the fields of the member that is chosen for a group."""
        row = self._rows[name]
        if row.members is None or type(chosen := row.editor.value()) is row.member:
            return
        if row.members.isAncestorOf(QApplication.focusWidget()):
            row.editor.setFocus()  # what had the keyboard goes
        row.member, old, row.members = type(chosen), row.members, self._arranged(within=True)
        inner = self._filled(row.members, chosen, f"{name}.", row.spoken) if chosen else {}
        old.parentWidget().layout().replaceWidget(old, row.members)
        row.members.setVisible(bool(inner))
        old.hide()
        old.deleteLater()
        others = {other: own for other, own in self._rows.items() if not other.startswith(f"{name}.")}
        behind = list(others).index(name) + 1
        self._rows = dict([*list(others.items())[:behind], *inner.items(), *list(others.items())[behind:]])
        self._keep_tab_order()

    def _keep_tab_order(self) -> None:
        """What is shown later is not reached later: Qt puts new widgets behind all others."""
        for one, following in pairwise(widget for row in self._rows.values() for widget in row.editor.widgets):
            QWidget.setTabOrder(one, following)


@dataclass
class _Row:
    """A field's title, help and editor; of a group also the place of its rows, and the type that they are for."""

    title: str
    told: str
    spoken: str
    editor: Editor
    members: _Rows | None
    member: type[object]
    refusal: QLabel = field(default_factory=lambda: _small_label("refusal"))


class _Rows(QFrame):
    """A place for rows; those of a group stand within those of others."""

    def __init__(self, *, within: bool = False) -> None:
        super().__init__()
        self.setObjectName("group" if within else "")
        self._indent = _INDENT if within else 0

    def add(self, row: _Row) -> None:
        """Put a row below the others."""
        raise NotImplementedError

    def append(self, widget: QWidget) -> None:
        """Put another widget behind the editors."""
        raise NotImplementedError


class _Grid(_Rows):
    """Titles before editors, and the help below them."""

    def __init__(self, *, within: bool = False) -> None:
        super().__init__(within=within)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(self._indent, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)

    def add(self, row: _Row) -> None:
        """Its title and editor, then over the whole width refusal, help, and a group's own rows."""
        at = self._grid.rowCount()
        label, told = QLabel(row.title), _small_label("muted")
        label.setBuddy(row.editor)
        told.setText(row.told)
        self._grid.addWidget(label, at, 0)
        self._grid.addWidget(row.editor, at, 1)
        self._grid.addWidget(row.refusal, at + 1, 0, 1, 2)
        self._grid.addWidget(told, at + 2, 0, 1, 2)
        self._grid.setRowMinimumHeight(at + 2, 24)
        if row.members:
            self._grid.addWidget(row.members, at + 3, 0, 1, 2)

    def append(self, widget: QWidget) -> None:
        """Below the rows."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)


class _Flow(_Rows):
    """Titles and editors beside each other, as many as the width takes: cards can be narrow."""

    def __init__(self, *, within: bool = False) -> None:
        super().__init__(within=within)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(self._indent, 0, 0, 0)
        self._flow = QFlowLayout()
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._flow)

    def add(self, row: _Row) -> None:
        """Its title and editor behind the others; refusal and a group's own rows below them."""
        label = QLabel(row.title)
        label.setObjectName("muted")
        label.setBuddy(row.editor)
        pair = QWidget()
        line = QHBoxLayout(pair)
        line.setContentsMargins(0, 0, 8, 0)
        line.setSpacing(6)
        line.addWidget(label)
        line.addWidget(row.editor)
        self._flow.addWidget(pair)
        self._column.addWidget(row.refusal)
        if row.members:
            self._column.addWidget(row.members)

    def append(self, widget: QWidget) -> None:
        """Behind the editors."""
        self._flow.addWidget(widget)


def _small_label(name: str) -> QLabel:
    label = QLabel(wordWrap=True)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 0.88)
    label.setFont(font)
    return label
