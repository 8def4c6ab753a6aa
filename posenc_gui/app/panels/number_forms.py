"""Forms of a single number of the session: the encodings' strength, and the length of a text that is made longer."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import create_model

from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.scene.setup import Setup
from posenc_gui.session.session import Session

Strength = create_model("Strength", __base__=Frozen, strength=(float, Setup.model_fields["strength"]))
Length = create_model("Length", __base__=Frozen, fill_to=(int, Setup.model_fields["fill_to"]))


class StrengthForm(ModelForm):
    """The slider from nothing to all of it; hidden where nothing can be brought in by degrees."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__(Strength, lambda value: propose(**dict(value)))

    def show_session(self, session: Session) -> None:
        """Show a session's strength."""
        self.show_value(Strength(strength=session.strength))
        self.setVisible(session.has_degrees)


class LengthForm(ModelForm):
    """The number of tokens to which a text is repeated or filled with random words; hidden for a text as typed."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__(Length, lambda value: propose(**dict(value)), inline=True)

    def show_session(self, session: Session) -> None:
        """Show a session's length."""
        self.show_value(Length(fill_to=session.fill_to))
        self.setVisible(session.fill != "none")
