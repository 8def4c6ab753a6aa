"""Dials: one clock per pair of dimensions, its hand rotated by the position; for rotations, also a hand for the key."""

from __future__ import annotations

import math

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Dial, Dials
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number, quote
from posenc_gui.plots.base import Plot, describe_selection
from posenc_gui.plots.common.axes import along, turned_at
from posenc_gui.plots.common.curves import Item, require_items, some_of
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_DIALS = 8  # dials drawn by default
_TRAIL_DOTS = 24


class DialOptions(Frozen):
    """The pairs, the position, and the length of the trail."""

    position: float | None = Field(
        None,
        ge=0,
        le=1_000_000,
        title="Position",
        description="The position that turns the hands; automatic is the token in focus. A key keeps its distance.",
        json_schema_extra={"none": "focus", "step": 0.25, "plays": True, "evident": True},
    )
    trail: float = Field(2.0, ge=0, le=64, title="Trail", description="Earlier positions shown behind a single hand.")
    pairs: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Pairs",
        description="Which pairs, such as 0, 2, 6-8; automatic is a few of each speed.",
    )


def draw(scene: Scene, options: DialOptions, engine: Engine) -> Figure:
    """Draw angles modulo 2π, counter-clockwise from three o'clock; high frequencies first.

    If a key is selected and the encoding rotates queries and keys, each dial has a hand for both.
    """
    encoding, model = scene.encoding, scene.model
    focused = float(scene.start + (scene.focused or 0))
    position = focused if options.position is None else options.position
    trail = torch.linspace(max(0.0, position - options.trail), position, _TRAIL_DOTS, dtype=torch.float64)
    phases = encoding.phases(scene.at(trail), model.d_model, scene.context)  # (dots, pairs)
    if phases is None:
        raise Undefined(
            f"{quote(encoding.called)} has no hands to turn: it turns no pairs of dimensions and adds no waves.", ROPE
        )
    pairs = options.pairs or some_of(phases.shape[1], _DIALS)
    require_items(pairs, phases.shape[1], "pair", "pairs")
    key = position + scene.start + float(scene.keyed or 0) - focused  # at the same offset as in the sentence
    if scene.key is not None and encoding.door != "input" and key >= 0:
        turned = encoding.phases(scene.at(torch.tensor([key], dtype=torch.float64)), model.d_model, scene.context)
        assert turned is not None  # checked for the query already
        return _of_two(scene, position, key, phases[-1], turned[0], pairs)
    return _of_one(scene, position, phases, pairs, moving=options.trail > 0)


def _of_one(scene: Scene, position: float, phases: Tensor, pairs: tuple[int, ...], *, moving: bool) -> Figure:
    """Return dials with one hand each, at the angles in the last row of phases, (dots, pairs).

    If `moving`, the rows before it are the hands' trails.
    """
    encoding, model, waves = scene.encoding, scene.model, scene.encoding.door == "input"
    alone = model.d_model // 2 if waves and 2 * phases.shape[1] > model.d_model else None  # odd width: a lone wave
    dials = tuple(_dial(pair, phases[:, pair].tolist(), waves and pair != alone, moving=moving) for pair in pairs)
    what = (
        "the tip's height and width are this pair's sine and cosine" if waves else "how far queries and keys are turned"
    )
    if alone in pairs:
        what += f", but pair {alone} has one of them alone"
    title = f"{encoding.called} at {_place(scene, position)}"
    return Figure(
        panels=(Dials(title, "angle", dials, ("cos", "sin") if waves else None, pairs),),
        headline=turned_at(scene, position, pairs, phases[-1, list(pairs)].abs(), " rad"),
        caption_parts=compose_caption(describe_selection(len(pairs), phases.shape[1], "pair"), what),
        description=_described(dials),
    )


def _of_two(scene: Scene, query: float, key: float, of_query: Tensor, of_key: Tensor, pairs: tuple[int, ...]) -> Figure:
    """Return dials with the query's and the key's hand, and the angle between them; both phases are (pairs,)."""
    between = of_query - of_key
    readings = [f"{format_number(float(angle))} rad".replace("-", "−") for angle in between]
    dials = tuple(
        Dial(f"pair {pair}", float(of_query[pair]), readings[pair], key=float(of_key[pair])) for pair in pairs
    )
    title = f"{scene.encoding.called}: query {_place(scene, query)}; key {_place(scene, key)}"
    hands = (f"query at {format_number(query)}", f"key at {format_number(key)}")
    return Figure(
        panels=(Dials(title, "angle", dials, pairs=pairs, hands=hands),),
        headline=_between(f"query at {format_number(query)} and the key at {format_number(key)}", pairs, between),
        caption_parts=compose_caption(
            describe_selection(len(pairs), len(between), "pair"),
            "the arc: how much further the query is turned than the key",
        ),
        description=_described(dials),
    )


def _between(both: str, pairs: tuple[int, ...], between: Tensor) -> tuple[Run, ...]:
    """“Between the query at 2 and the key at 5 the angle furthest from 0 is −3 rad, in pair 0, the nearest −0.003 rad, in 4.”"""
    shown = between[list(pairs)]
    most, least = int(shown.abs().argmax()), int(shown.abs().argmin())
    if most == least:
        return sentence(f"Between the {both} the angle is ", float(shown[most]), f" rad in pair {pairs[most]}.")
    told = f"Between the {both} the angle furthest from 0 is "
    nearest = f" rad, in pair {pairs[most]}, the nearest "
    return sentence(told, float(shown[most]), nearest, float(shown[least]), f" rad, in pair {pairs[least]}.")


def _place(scene: Scene, position: float) -> str:
    at = f"{along(scene)} {format_number(position)}"
    if position in scene.positions:
        return f"{quote(format_token(scene.tokens[int(position) - scene.start]))}, {at}"
    return at


def _described(dials: tuple[Dial, ...]) -> str:
    return "; ".join(f"{dial.label}: {dial.reading}" for dial in dials)


def _dial(pair: int, way: list[float], waves: bool, moving: bool) -> Dial:
    angle = way[-1]
    reading = f"sin {math.sin(angle):.2f}, cos {math.cos(angle):.2f}" if waves else f"{format_number(angle)} rad"
    return Dial(f"pair {pair}", angle, reading.replace("-", "−"), tuple(way[:-1]) if moving else ())


PLOT = Plot(
    "Dials",
    "A clock for each pair of dimensions, turned by the position.",
    "How far has each pair turned?",
    DialOptions,
    draw,
    "Encoding",
)
