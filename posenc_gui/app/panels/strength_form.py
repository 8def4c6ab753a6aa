"""The strength of the encodings: one number with a slider, for one encoding and for two compared ones."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import create_model

from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.scene.setup import Setup
from posenc_gui.session.session import Session

Strength = create_model("Strength", __base__=Frozen, strength=(float, Setup.model_fields["strength"]))


class StrengthForm(ModelForm):
    """The slider from nothing to all of it; hidden where nothing can be brought in by degrees."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__(Strength, lambda value: propose(**dict(value)))

    def show_session(self, session: Session) -> None:
        """Show a session's strength."""
        self.show_value(Strength(strength=session.strength))
        self.setVisible(session.has_degrees)
