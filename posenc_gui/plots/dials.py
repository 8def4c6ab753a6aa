"""Dials: a clock for each pair of dimensions, its hand where the position turns it; where queries are turned, its key's, too."""

from __future__ import annotations

import math

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.figure import Dial, Dials, Figure, number
from posenc_gui.figure.headline import sentence
from posenc_gui.figure.view import View
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.unicode_text import quoted
from posenc_gui.plots.base import Item, Plot, along, require_items, some_of, some_words
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import shown

_DIALS = 8  # drawn where none are chosen
_TRAIL_DOTS = 24


class DialOptions(Frozen):
    """Which pairs, where they stand, and how much of their way is shown."""

    position: float | None = Field(
        None,
        ge=0,
        le=1_000_000,
        title="Position",
        description="Where the hands stand; automatic is the token in focus. A key keeps its distance.",
        json_schema_extra={"none": "focus", "step": 0.25, "plays": True, "evident": True},
    )
    trail: float = Field(
        2.0, ge=0, le=64, title="Trail", description="How many positions of its way a hand leaves behind that is alone."
    )
    pairs: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Pairs",
        description="Which pairs, such as 0, 2, 6-8; automatic is a few of each speed.",
    )


def draw(scene: Scene, options: DialOptions, _view: View, engine: Engine) -> Figure:
    """Angles modulo a turn, counter-clockwise from three o'clock; fast hands first.

    Where a key is looked at and queries and keys are turned, each dial has both hands.
    """
    encoding, model = scene.encoding, scene.model
    focused = float(scene.focused or 0)
    position = focused if options.position is None else options.position
    trail = torch.linspace(max(0.0, position - options.trail), position, _TRAIL_DOTS, dtype=torch.float64)
    phases = encoding.phases(scene.at(trail), model.d_model, scene.context)  # (dots, pairs)
    if phases is None:
        raise Undefined(f"“{encoding.called}” has no hands to turn: it turns no pairs of dimensions and adds no waves.")
    pairs = options.pairs or some_of(phases.shape[1], _DIALS)
    require_items(pairs, phases.shape[1], "pair")
    waves = encoding.door == "input"
    key = position + float(scene.keyed or 0) - focused  # as far behind, or before, as in the sentence
    if scene.key is not None and not waves and key >= 0:
        turned = encoding.phases(scene.at(torch.tensor([key], dtype=torch.float64)), model.d_model, scene.context)
        assert turned is not None  # as for the query
        return _of_two(scene, position, key, phases[-1], turned[0], pairs)
    alone = model.d_model // 2 if waves and 2 * phases.shape[1] > model.d_model else None  # one wave of an odd width
    dials = tuple(
        _dial(pair, phases[:, pair].tolist(), waves and pair != alone, moving=options.trail > 0) for pair in pairs
    )
    what = (
        "the tip's height and width are this pair's sine and cosine" if waves else "how far queries and keys are turned"
    )
    if alone in pairs:
        what += f", but pair {alone} has one of them alone"
    return Figure(
        name="dials",
        title="Dials",
        panels=(
            Dials(
                f"{encoding.called} at {_place(scene, position)}",
                "angle",
                dials,
                ("cos", "sin") if waves else None,
                pairs,
            ),
        ),
        headline=sentence(
            f"At {along(scene)} {number(position)} the pair that turned furthest has turned by ",
            float(phases[-1].abs().max()),
            " rad, the one that turned least by ",
            float(phases[-1].abs().min()),
            " rad.",
        ),
        caption=f"{some_words(len(pairs), phases.shape[1], 'pair')} · {what}",
        description=_described(dials),
    )


def _of_two(scene: Scene, query: float, key: float, of_query: Tensor, of_key: Tensor, pairs: tuple[int, ...]) -> Figure:
    """The query's hands and the key's, with the angles between them; both angles are (pairs,)."""
    between = of_query - of_key
    dials = tuple(
        Dial(
            f"pair {pair}",
            float(of_query[pair]),
            f"{number(float(between[pair]))} rad".replace("-", "−"),
            key=float(of_key[pair]),
        )
        for pair in pairs
    )
    title = f"{scene.encoding.called}: query {_place(scene, query)}; key {_place(scene, key)}"
    hands = (f"query at {number(query)}", f"key at {number(key)}")
    return Figure(
        name="dials",
        title="Dials",
        panels=(Dials(title, "angle", dials, pairs=pairs, hands=hands),),
        headline=sentence(
            f"Between the query at {number(query)} and the key at {number(key)} the largest angle is ",
            float(between[between.abs().argmax()]),
            " rad, the smallest ",
            float(between[between.abs().argmin()]),
            " rad.",
        ),
        caption=f"{some_words(len(pairs), len(between), 'pair')} · the arc: how much further the query is turned than the key",
        description=_described(dials),
    )


def _place(scene: Scene, position: float) -> str:
    at = f"{along(scene)} {number(position)}"
    if position == round(position) and position < scene.n_tokens:
        return f"{quoted(shown(scene.tokens[int(position)]))}, {at}"
    return at


def _described(dials: tuple[Dial, ...]) -> str:
    return "; ".join(f"{dial.label}: {dial.reading}" for dial in dials)


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
