"""Drafts of edited models: the whole model is validated at each edit, and a refused value has no effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from posenc_gui.app.widgets.forms.editors import Editor, Typed
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen


class Draft:
    """A model being edited: each valid change is proposed to the session; a refused value stays in its field.

    Later changes take effect without the refused value, which is tried again with each of them.
    """

    def __init__(self, shown: Frozen, propose: Callable[[Frozen], str]) -> None:
        self.shown = shown  # what was accepted last, or came from elsewhere
        self._propose = propose

    def edit(self, name: str, editors: Mapping[str, Editor]) -> dict[str, str]:
        """Propose a field's current input.

        Return the reason for refusal by name, for this field and those refused before; empty for an accepted one.
        """
        waiting = [name, *(other for other, editor in editors.items() if editor.is_refused and other != name)]
        whys = dict.fromkeys(waiting, self._try(waiting, editors))  # together first: one may be what another waits for
        if whys[name] and len(waiting) > 1:
            whys = {one: self._try(_needed(one, waiting), editors) for one in waiting}
        for one, refused in whys.items():
            editors[one].mark_refused(bool(refused))
        edited = editors[name]
        if whys[name] and isinstance(edited, Typed) and _needed(name, waiting) == [name]:
            self._go_back(name, edited.settled)
        return whys

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
