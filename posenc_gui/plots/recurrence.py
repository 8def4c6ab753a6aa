"""Recurrence: a recurrent network's states over two orders, how far apart they are, and how the first token's influence fades."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Panel, Series
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count, format_number
from posenc_gui.measures.recurrence import HIDDEN, Recurrence, share_of_first
from posenc_gui.plots.base import Plot, as_values, describe_first_tokens, measured
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_LEAST = 1e-12  # the smallest influence and distance that are drawn
_TOLD = 1e-4  # the smallest influence that the headline says as a number

Shown = Literal["both", "states", "distance", "influence"]


class RecurrenceOptions(Frozen):
    """The panels to show."""

    show: Shown = Field(
        "both",
        title="Show",
        description="The states over both orders and how the first token's influence fades, one of these, or how far apart "
        "the states of both orders are.",
    )


def draw(scene: Scene, options: RecurrenceOptions, engine: Engine) -> Figure:
    """Draw both orders' states, a row per step, or their distance; and each state's derivative by the first vector, as a
    share."""
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
    series = tuple(_curve(label, share_of_first(influence)) for label, influence in curves if influence is not None)
    influence = _lines("influence of the first token", "share of its first influence", series, "steps since")
    distance = _lines("distance of both states", "lengths of a state", (_curve("", found.apart, 1),), "tokens read")
    shown: dict[Shown, tuple[Panel, ...]] = {
        "both": (*maps, influence),
        "states": maps,
        "distance": (distance,),
        "influence": (influence,),
    }
    told = f"influence: size of the derivative by the first token's vector, drawn down to {_LEAST:g}"
    return Figure(
        panels=shown[options.show],
        headline=_headline(found, options.show),
        caption_parts=compose_caption(
            f"torch.nn.RNN, {HIDDEN} units, seeded weights",
            told if options.show in ("both", "influence") else "",
            f"distance: drawn from {_LEAST:g} on" if options.show == "distance" else "",
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
    apart = ("After ", found.steps, " steps, both last states are ", found.order_difference)
    value = found.value or 0.0
    share = value if value >= _TOLD else number_run(f"less than {_TOLD:g}")
    left = ("Of the first token's influence on its state, ", share, " is left at the end.")
    match shown:
        case "both":
            return sentence(f"{steps} ", *left)
        case "states" | "distance":
            return sentence(*apart, " of a state's length apart.")
        case "influence":
            return sentence(*left)


def _curve(label: str, values: Tensor, first: int = 0) -> Series:
    """Return the curve from the first value that can be drawn to the last before one that can't; `first`: the first step."""
    large = (values >= _LEAST).long()
    begin = int(large.argmax())  # both orders may begin alike
    end = begin + max(1, int(large[begin:].cumprod(0).sum()))
    steps = np.arange(first + begin, first + end, dtype=np.float32)
    return Series(label, steps, np.maximum(as_values(values[begin:end]), _LEAST))


def _lines(title: str, quantity: str, series: tuple[Series, ...], steps: str) -> Lines:
    low, high = min(float(one.y.min()) for one in series), max(float(one.y.max()) for one in series)
    return Lines(title, quantity, series, Axis("step", steps), low * 0.8, high * 1.25, log=True)


PLOT = Plot(
    "Recurrence",
    "How a recurrent network holds the order, and what it pays for that.",
    "How does an RNN keep order?",
    RecurrenceOptions,
    draw,
    "Order lost and found",
)
