"""Forms of a single field of the session: the encodings' strength, the length of a text that is made longer, and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import create_model

from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.scene.setup import Setup
from posenc_gui.session.session import Session


class FieldForm(ModelForm):
    """A form of one field of the session, hidden where the field does nothing."""

    def __init__(
        self, name: str, propose: Callable[..., str], acts: Callable[[Session], bool], *, inline: bool = False
    ) -> None:
        field = Setup.model_fields[name]
        fields: dict[str, Any] = {name: (field.annotation, field)}
        self._name, self._acts, self._model = name, acts, create_model(name, __base__=Frozen, **fields)
        super().__init__(self._model, lambda value: propose(**dict(value)), inline=inline)

    def show_session(self, session: Session) -> None:
        """Show a session's value of the field."""
        self.show_value(self._model(**{self._name: getattr(session, self._name)}))
        self.setVisible(self._acts(session))


def strength_form(propose: Callable[..., str]) -> FieldForm:
    """The slider from nothing to all of an encoding; hidden where nothing can be brought in by degrees."""
    return FieldForm("strength", propose, lambda session: session.has_degrees)
