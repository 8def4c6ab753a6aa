"""Dials: a clock for each pair of dimensions, its hand where the position turns it."""

from __future__ import annotations

import math

import torch
from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.errors import Undefined
from posenc_gui.figure import Dial, Dials, Figure, number
from posenc_gui.frozen import Frozen
from posenc_gui.headline import sentence
from posenc_gui.letters import quoted
from posenc_gui.plots.base import Item, Plot, along, require_items, some_of, some_words
from posenc_gui.scene import Scene
from posenc_gui.text import shown
from posenc_gui.view import View

_DIALS = 8  # drawn where none are chosen
_TRAIL_DOTS = 24


class DialOptions(Frozen):
    """Which pairs, where they stand, and how much of their way is shown."""

    position: float | None = Field(
        None,
        ge=0,
        le=1_000_000,
        title="Position",
        description="Where the hands stand; automatic is the token in focus.",
        json_schema_extra={"none": "focus", "step": 0.25, "plays": True},
    )
    trail: float = Field(
        2.0, ge=0, le=64, title="Trail", description="How many positions of its way each hand leaves behind."
    )
    pairs: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Pairs",
        description="Which pairs, such as 0, 2, 6-8; automatic is a few of each speed.",
    )


def draw(scene: Scene, options: DialOptions, _view: View, engine: Engine) -> Figure:
    """Angles modulo a turn, counter-clockwise from three o'clock; fast hands first."""
    encoding, model = scene.encoding, scene.model
    position = float(scene.focused or 0) if options.position is None else options.position
    trail = torch.linspace(max(0.0, position - options.trail), position, _TRAIL_DOTS, dtype=torch.float64)
    phases = encoding.phases(scene.at(trail), model.d_model, scene.context)  # (dots, pairs)
    if phases is None:
        raise Undefined(f"“{encoding.called}” has no hands to turn: it turns no pairs of dimensions and adds no waves.")
    pairs = options.pairs or some_of(phases.shape[1], _DIALS)
    require_items(pairs, phases.shape[1], "pair")
    waves = encoding.door == "input"
    alone = model.d_model // 2 if waves and 2 * phases.shape[1] > model.d_model else None  # one wave of an odd width
    dials = tuple(
        _dial(pair, phases[:, pair].tolist(), waves and pair != alone, moving=options.trail > 0) for pair in pairs
    )
    at = f"{along(scene)} {position:g}"
    if position == round(position) and position < scene.n_tokens:
        at = f"{quoted(shown(scene.tokens[int(position)]))}, {at}"
    what = (
        "the tip's height and width are this pair's sine and cosine" if waves else "how far queries and keys are turned"
    )
    if alone in pairs:
        what += f", but pair {alone} has one of them alone"
    return Figure(
        name="dials",
        title="Dials",
        panels=(Dials(f"{encoding.called} at {at}", "angle", dials, ("cos", "sin") if waves else None, pairs),),
        headline=sentence(
            f"At {along(scene)} {position:g} the fastest pair has turned by ",
            float(phases[-1].max()),
            " rad, the slowest by ",
            float(phases[-1].min()),
            " rad.",
        ),
        caption=f"{some_words(len(pairs), phases.shape[1], 'pair')} · {what}",
        description="; ".join(f"{dial.label}: {dial.reading}" for dial in dials),
    )


def _dial(pair: int, way: list[float], waves: bool, moving: bool) -> Dial:
    angle = way[-1]
    reading = f"sin {math.sin(angle):.2f}, cos {math.cos(angle):.2f}" if waves else f"{number(angle)} rad"
    return Dial(f"pair {pair}", angle, reading.replace("-", "−"), tuple(way[:-1]) if moving else ())


PLOT = Plot(
    "Dials",
    "A clock for each pair of dimensions, turned by the position.",
    "How far has each pair turned?",
    DialOptions,
    draw,
    "Encoding",
)
