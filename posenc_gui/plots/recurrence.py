"""Recurrence: a recurrent network's states over two orders, and how the first token's influence fades."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Series
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.recurrence import HIDDEN, Recurrence
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_LEAST = 1e-12  # the smallest influence that is drawn

Shown = Literal["both", "states", "influence"]


class RecurrenceOptions(Frozen):
    """The panels to show."""

    show: Shown = Field(
        "both",
        title="Show",
        description="The states over both orders, how the first token's influence fades, or both.",
    )


def draw(scene: Scene, options: RecurrenceOptions, _view: View, engine: Engine) -> Figure:
    """Draw the states of both orders, one row per step, and the norm of each state's derivative by the first token's vector."""
    found: Recurrence = measured("recurrence", scene, engine)
    units = Axis("dimension", "unit")
    roles: tuple[Role, Role] = ("position", "other position")
    steps = (
        Axis(role, "step", 0, tuple(map(format_token, tokens)))
        for role, tokens in zip(
            reversed(roles) if found.orders.reordered else roles, (found.orders.first, found.orders.second), strict=True
        )
    )
    maps = tuple(
        Heatmap(f"states, {title}", "state", as_values(states), rows, units, -1.0, 1.0, "diverging")
        for title, states, rows in zip(found.orders.titles, (found.hidden, found.other_hidden), steps, strict=True)
    )
    curves = [("recurrent", found.fading), ("attention alone", found.attention_without)]
    if scene.encoding.door != "none":
        curves.append((f"with {scene.encoding.called}", found.attention))
    series = tuple(_curve(label, influence) for label, influence in curves if influence is not None)
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    axis = Axis("step", "steps on")
    told = f"influence: size of the derivative by the first token's vector, drawn down to {_LEAST:g}"
    influence = Lines("influence", "influence", series, axis, low * 0.8, high * 1.25, log=True)
    return Figure(
        name="recurrence",
        title="Recurrence",
        panels=(*(maps if options.show != "influence" else ()), *((influence,) if options.show != "states" else ())),
        headline=_headline(found, options.show),
        caption_parts=compose_caption(
            f"torch.nn.RNN, {HIDDEN} units, seeded weights",
            "" if options.show == "states" else told,
            describe_first_tokens(found.steps, scene),
        ),
        description=f"{found.reason} At the last step: "
        + ", ".join(f"{one.label} {format_number(float(one.y[-1]))}" for one in series),
    )


def _headline(found: Recurrence, shown: Shown) -> tuple[Run, ...]:
    """“The network takes 6 steps one after another, attention 1. Of the first token's influence …, 0.0123 is left at the end.”"""
    steps = (
        f"The network takes {format_count(found.steps, 'step')} one after another, attention {found.attention_steps}."
    )
    apart = ("After ", found.steps, " steps, the last states of both orders are ", found.order_difference)
    left = ("Of the first token's influence on its state, ", found.value or 0.0, " is left at the end.")
    match shown:
        case "both":
            return sentence(f"{steps} ", *left)
        case "states":
            return sentence(*apart, " of a state's length apart.")
        case "influence":
            return sentence(*left)


def _curve(label: str, influence: Tensor) -> Series:
    """Return the curve up to the first influence that is too small to be drawn."""
    drawn = max(1, int((influence >= _LEAST).long().cumprod(0).sum()))
    return Series(label, np.arange(drawn, dtype=np.float32), np.maximum(as_values(influence[:drawn]), _LEAST))


PLOT = Plot(
    "Recurrence",
    "How a recurrent network holds the order, and what it pays for that.",
    "How does an RNN keep order?",
    RecurrenceOptions,
    draw,
    "Order lost and found",
)
