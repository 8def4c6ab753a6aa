"""Forms of a single field of the session: the encodings' strength, the sentence's first position, and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import create_model

from posenc_gui.app.widgets.controls import plain_label, show_words
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.scene.setup import Setup
from posenc_gui.session.session import Session


class FieldForm(ModelForm):
    """A form of one field of the session, hidden where it does nothing; disabled where a line below says why not."""

    def __init__(
        self,
        name: str,
        propose: Callable[..., str],
        acts: Callable[[Session], bool],
        why_not: Callable[[Session], str] = lambda _session: "",
        *,
        inline: bool = False,
    ) -> None:
        field = Setup.model_fields[name]
        fields: dict[str, Any] = {name: (field.annotation, field)}
        self._name, self._acts, self._model = name, acts, create_model(name, __base__=Frozen, **fields)
        super().__init__(self._model, lambda value: propose(**dict(value)), inline=inline)
        self._why_not, self._why = why_not, plain_label("", "muted")
        column = self.layout()
        assert column is not None
        column.addWidget(self._why)

    def show_session(self, session: Session) -> None:
        """Show a session's value of the field, and why it can't be changed, if so."""
        self.show_value(self._model(**{self._name: getattr(session, self._name)}))
        self.setVisible(self._acts(session))
        why = self._why_not(session)
        self.editor(self._name).setDisabled(bool(why))
        show_words(self._why, f"{why}." if why else "")


class StrengthForm(FieldForm):
    """The slider from nothing to all of an encoding: hidden without one, disabled where no share of it is brought in."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__(
            "strength",
            propose,
            lambda session: {session.encoding.door, _door(session.other)} != {"none"},
            lambda session: session.why_no_degrees and f"The strength does nothing: {session.why_no_degrees}",
        )


def _door(encoding: Encoding | None) -> str:
    return "none" if encoding is None else encoding.door
