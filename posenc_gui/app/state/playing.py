"""Playing a plot: which of its options can be played, and their values while one plays, when it stops and when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from posenc_gui import plots
from posenc_gui.app.widgets.forms.editors import declared
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation.declared_fields import bounds
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.session.session import Session

Unit = Literal["position", "step"]  # moved on continuously; or one by one, from the first to the last


def playable_fields(plot: str) -> dict[str, Unit]:
    """Return the options of a plot that can be played, each with its unit."""
    extras = ((name, declared(field).get("plays")) for name, field in plots.plots()[plot].options.model_fields.items())
    return {name: "step" if plays == "steps" else "position" for name, plays in extras if plays}


def advance(session: Session, plot: str, name: str, n_tokens: int, by: float) -> Frozen:
    """Return the plot's options with a position advanced, or its walk a step further.

    Past twice the sentence length a position starts again, and so does a walk after its last step.
    """
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    if playable_fields(plot)[name] == "step":
        return walk(session, plot, name, round(by)) or _at(options, name, 1)
    position = (session.focus_of(n_tokens) or 0 if now is None else now) + by
    return _at(options, name, round(position % max(32, 2 * n_tokens), 4))


def is_ahead(session: Session, plot: str, name: str, shown: Figure | None) -> bool:
    """Return True if a walk must wait for the figure of its last step, which decides whether it pauses there."""
    is_walk = playable_fields(plot)[name] == "step"
    return is_walk and (shown is None or shown.session != session.for_others.to_json())


def settle(session: Session, plot: str, name: str) -> Frozen:
    """Return the plot's options with the played position rounded to the nearest integer."""
    options: Frozen = session.options_of(plot)
    now = getattr(options, name)
    whole = now is None or playable_fields(plot)[name] == "step"
    return options if whole else _at(options, name, float(round(now)))


def walk(session: Session, plot: str, name: str, by: int) -> Frozen | None:
    """Return the plot's options so many steps further, or back; None before the first and after the last step.

    After the last step all is shown, as when nothing is walked through.
    """
    options: Frozen = session.options_of(plot)
    last = round(bounds(type(options).model_fields[name])[1])
    now = getattr(options, name) or last
    if not 1 <= now + by <= last:
        return None
    return _at(options, name, None if now + by == last else now + by)


def follow_focus(session: Session, plot: str, name: str) -> Frozen:
    """Return the plot's options with the played position given up for the focus."""
    options: Frozen = session.options_of(plot)
    return _at(options, name, None)


def at_token(session: Session, chosen: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the fields that a press on a token sets: those chosen, and with a focus the plots that follow it again."""
    if "focus" not in chosen:
        return dict(chosen)
    stopped = [
        (plot, name) for plot in plots.plots() for name, unit in playable_fields(plot).items() if unit == "position"
    ]
    following = {plot: follow_focus(session, plot, name) for plot, name in stopped}
    return {**chosen, "plots": session.plots.model_copy(update=following)}


def _at(options: Frozen, name: str, value: float | None) -> Frozen:
    return options.model_copy(update={name: value})
