"""Playing a plot: which of its options can be played, and their values while one plays and when it stops."""

from __future__ import annotations

from posenc_gui import plots
from posenc_gui.app.widgets.forms.editors import declared
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.session.session import Session


def playable_fields(plot: str) -> list[str]:
    """Return the options of a plot that can be played."""
    return [name for name, field in plots.plots()[plot].options.model_fields.items() if "plays" in declared(field)]


def advance(session: Session, plot: str, name: str, n_tokens: int, step: float) -> Frozen:
    """Return the plot's options with a position advanced; past twice the sentence length it starts again."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    position = (session.focus_of(n_tokens) or 0 if now is None else now) + step
    return options.model_copy(update={name: round(position % max(32, 2 * n_tokens), 4)})


def settle(session: Session, plot: str, name: str) -> Frozen:
    """Return the plot's options with the played position rounded to the nearest integer."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    return options if now is None else options.model_copy(update={name: float(round(now))})
