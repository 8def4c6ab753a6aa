"""Clocks: every word's hand on the clock of each pair of dimensions, turned by the word's position."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from pydantic import Field

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Clocks
from posenc_gui.figure.panels.clocks import Hand
from posenc_gui.figure.runs import Run, number_run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_number, quote, subscript
from posenc_gui.plots.base import Plot
from posenc_gui.plots.common.axes import marked_twins
from posenc_gui.plots.common.curves import Item, require_items
from posenc_gui.plots.common.speeds import Speeds, evenly, phases_of, speeds_of
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_CLOCKS = 8  # drawn by default
_EVERY_WORD = 32  # of a text up to this long has a hand
_SOME_WORDS = 12  # of a longer one have
_TRAIL_DOTS = 24
_SEEN_APART = 0.35  # radians between neighbours' hands that tell them apart at a glance
_FAR = 100  # positions: words this far apart are told apart by a pair that takes longer for a turn


class ClockOptions(Frozen):
    """The pairs, the position, and the length of the trail."""

    position: float | None = Field(
        None,
        ge=0,
        le=1_000_000,
        title="Position",
        description="Where the token in focus stands; automatic is where it is in the text. The others keep their distance from it.",
        json_schema_extra={"none": "focus", "step": 0.25, "plays": True, "evident": True},
    )
    trail: float = Field(
        2.0,
        ge=0,
        le=64,
        title="Trail",
        description="Earlier positions that are shown behind the hand in focus, once a position is chosen or played.",
    )
    pairs: tuple[Item, ...] = Field(
        (),
        max_length=64,
        title="Pairs",
        description="Which pairs, such as 0, 2, 6-8; automatic is up to 8, fastest to slowest, spread evenly by wavelength.",
    )


def draw(scene: Scene, options: ClockOptions, engine: Engine) -> Figure:
    """Draw angles modulo 2π, counter-clockwise from three o'clock; the fastest pair first."""
    speeds = speeds_of(scene)
    pairs = options.pairs or speeds.some(_CLOCKS)
    require_items(pairs, len(speeds), "pair", "pairs")
    focus = scene.focused or 0
    slid = 0.0 if options.position is None else options.position - focus
    hands = _hands(scene, slid)
    at = torch.tensor([hand.position for hand in hands], dtype=torch.float64)
    angles = phases_of(scene, at)[:, list(pairs)].T  # (clocks, hands)
    trail = None
    if options.position is not None and options.trail:
        earlier = torch.linspace(max(0.0, options.position - options.trail), options.position, _TRAIL_DOTS)
        trail = phases_of(scene, earlier.double())[:, list(pairs)].T.numpy()  # (clocks, dots)
    length = scene.encoding.strength if scene.encoding.door == "input" else 1.0
    by_axis = len({*speeds.units}) > 1
    labels = tuple(f"pair {pair}{f' · {speeds.units[pair]}' if by_axis else ''}" for pair in pairs)
    readings = tuple(speeds.reading(pair) for pair in pairs)
    called = "" if options.position is None else f"{_focus_named(scene)} at position {format_number(options.position)}"
    return Figure(
        panels=(Clocks("", labels, readings, hands, angles.numpy(), length, trail, pairs),),
        headline=_told(speeds, pairs, length),
        caption_parts=compose_caption(
            called,
            _which_pairs(len(pairs), len(speeds), is_chosen=bool(options.pairs)),
            _which_words(scene, hands),
            "a hand’s length is the strength" if length != 1 else "",
        ),
        description=f"Clocks of {scene.encoding.called}: {'; '.join(map(': '.join, zip(labels, readings, strict=True)))}.",
    )


def _hands(scene: Scene, slid: float) -> tuple[Hand, ...]:
    """Return the hands of the words in sight, in the text's order, without those that would stand before the first position."""
    twins, focus = marked_twins(scene), scene.focused
    return tuple(
        Hand(
            format_token(scene.tokens[at]) + (subscript(at + slid) if at in scene.sentence.twins else ""),
            at,
            at + slid,
            "focus" if at == focus else "twin" if at in twins else "other",
        )
        for at in _words(scene, twins)
        if at + slid >= 0
    )


def _words(scene: Scene, twins: frozenset[int]) -> Sequence[int]:
    """Return the words that have hands: all of a short text; else the focus, the nearest of its twins, and some between."""
    count, focus = scene.n_tokens, scene.focused or 0
    if count <= _EVERY_WORD:
        return range(count)
    near = sorted(twins, key=lambda at: abs(at - focus))[: _SOME_WORDS // 3]
    spread = evenly(range(count), range(count), _SOME_WORDS)
    return sorted(dict.fromkeys((focus, *near, *spread)))[: count]


def _focus_named(scene: Scene) -> str:
    return quote(format_token(scene.tokens[scene.focused])) if scene.focused is not None else "the first token"


def _which_pairs(shown: int, count: int, *, is_chosen: bool) -> str:
    if shown == count:
        return "" if count > 1 else "the only pair"
    return f"{shown} of {count} pairs{'' if is_chosen else ', fastest to slowest'}"


def _which_words(scene: Scene, hands: tuple[Hand, ...]) -> str:
    if len(hands) == scene.n_tokens:
        return "every word on each pair’s clock"
    return ""


def _told(speeds: Speeds, pairs: tuple[int, ...], length: float) -> tuple[Run, ...]:
    return ()


PLOT = Plot(
    "Clocks",
    "Every word on a clock for each pair of dimensions, turned by the word’s position.",
    "How does a position turn into angles?",
    ClockOptions,
    draw,
    "Encoding",
)
