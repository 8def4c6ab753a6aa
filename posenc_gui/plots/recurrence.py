"""Recurrence: a recurrent network's states over two orders, and how the first token's influence fades."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Axis, Figure, Heatmap, Lines, Role, Run, Series, number
from posenc_gui.figure.headline import sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.measures.base import counted
from posenc_gui.measures.recurrence import HIDDEN, Recurrence
from posenc_gui.plots.base import Plot, as_values, cut_words, measured
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import shown

_LEAST = 1e-12  # influence that is still drawn

Shown = Literal["both", "states", "influence"]


class RecurrenceOptions(Frozen):
    """What of the network is shown."""

    show: Shown = Field(
        "both",
        title="Show",
        description="The states over both orders, how the first token's influence fades, or both.",
    )


def draw(scene: Scene, options: RecurrenceOptions, _view: View, engine: Engine) -> Figure:
    """Both orders' states, one row a step; beside them the size of each state's derivative by the first token's vector."""
    found: Recurrence = measured("recurrence", scene, engine)
    units = Axis("dimension", "unit")
    roles: tuple[Role, Role] = ("position", "other position")
    steps = (
        Axis(role, "step", 0, tuple(map(shown, tokens)))
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
    told = f" · influence: size of the derivative by the first token's vector, drawn down to {_LEAST:g}"
    influence = Lines("influence", "influence", series, axis, low * 0.8, high * 1.25, log=True)
    return Figure(
        name="recurrence",
        title="Recurrence",
        panels=(*(maps if options.show != "influence" else ()), *((influence,) if options.show != "states" else ())),
        headline=_headline(found, options.show),
        caption=f"torch.nn.RNN, {HIDDEN} units, seeded weights{'' if options.show == 'states' else told}"
        f"{cut_words(found.steps, scene)}",
        description=f"{found.reason} At the last step: "
        + ", ".join(f"{one.label} {number(float(one.y[-1]))}" for one in series),
    )


def _headline(found: Recurrence, shown: Shown) -> tuple[Run, ...]:
    """“6 steps must follow one another in the network, 1 in attention. Of the first token's influence 0.0123 is left.”"""
    steps = (
        f"{counted(found.steps, 'step')} must follow one another in the network, {found.attention_steps} in attention."
    )
    left = ("Of the first token's influence ", found.value or 0.0, " is left.")
    match shown:
        case "both":
            return sentence(f"{steps} ", *left)
        case "states":
            return sentence(steps)
        case "influence":
            return sentence(*left)


def _curve(label: str, influence: Tensor) -> Series:
    """The curve as far as there is something to be seen."""
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
