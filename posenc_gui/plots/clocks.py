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
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_number, subscript
from posenc_gui.plots.base import Plot
from posenc_gui.plots.common.axes import marked_twins
from posenc_gui.plots.common.curves import Item, require_items, spread, which
from posenc_gui.plots.common.speeds import Speeds, phases_of, speeds_of, unturned
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_CLOCKS = 8  # drawn by default
_EVERY_WORD = 32  # of a text up to this long has a hand
_SOME_WORDS = 12  # of a longer one have
_TRAIL_DOTS = 24
_SEEN_APART = 0.35  # radians between neighbours' hands that tell them apart at a glance
_FAR, _SLOWER = 100, 4  # positions, and times the fastest: a turn of a pair that tells far words apart


class ClockOptions(Frozen):
    """The pairs, the position, and the length of the trail."""

    position: float | None = Field(
        None,
        ge=0,
        le=1_000_000,
        title="Position",
        description="Where the focus stands; automatic is its own place. All others keep their distance from it.",
        json_schema_extra={"none": "focus", "step": 0.25, "plays": True, "evident": True},
    )
    trail: float = Field(
        2.0,
        ge=0,
        le=64,
        title="Trail",
        description="Earlier positions that are shown behind the hand in focus, once a position is chosen or played.",
    )
    pairs: tuple[Item, ...] = which("Pairs", "pairs", "up to 8, evenly from the fastest to the slowest")


def draw(scene: Scene, options: ClockOptions, engine: Engine) -> Figure:
    """Draw angles modulo 2π, counter-clockwise from three o'clock; the fastest pair first."""
    speeds = speeds_of(scene)
    pairs = options.pairs or speeds_of(scene.at_full_strength).some(_CLOCKS)
    require_items(pairs, len(speeds), "pair", "pairs")
    hands, earlier = _hands(scene, options.position), _trail(options)
    at = torch.tensor([*(hand.position for hand in hands), *earlier], dtype=torch.float64)
    angles = phases_of(scene, at)[:, list(pairs)].T.cpu().numpy()  # (clocks, hands and dots)
    readings = tuple(speeds.reading(pair) for pair in pairs)
    by_axis = len({*speeds.units}) > 1
    labels = tuple(f"pair {pair}{f' · {speeds.units[pair]}' if by_axis else ''}" for pair in pairs)
    length = scene.encoding.strength if scene.encoding.door == "input" else 1.0
    trail = angles[:, len(hands) :] if earlier else None
    fast, slow = (None, None) if any(speeds.uneven) else _fast_and_slow(speeds, pairs)
    order = "" if options.pairs else ", fastest to slowest"
    return Figure(
        panels=(Clocks("", labels, readings, hands, angles[:, : len(hands)], pairs, length, trail),),
        headline=_told(scene, speeds, fast, slow, length),
        caption_parts=compose_caption(
            "" if options.position is None else f"the focus at position {format_number(options.position)}",
            f"{_which_hands(scene, len(hands))}{_speeds(scene) if hands and length and slow is not None else ''}",
            f"{len(pairs)} of {len(speeds)} pairs{order}" if len(pairs) < len(speeds) else "",
            unturned(scene),
            "hands are as long as the strength" if length != 1 else "",
        ),
        description=f"{scene.encoding.titled}. {'; '.join(map(': '.join, zip(labels, readings, strict=True)))}.",
    )


def _trail(options: ClockOptions) -> list[float]:
    """Return the positions of a trail's dots, oldest first: none where the words stand at their own places."""
    if options.position is None or not options.trail:
        return []
    start = max(0.0, options.position - options.trail)
    return torch.linspace(start, options.position, _TRAIL_DOTS, dtype=torch.float64).tolist()[:-1]


def _hands(scene: Scene, place: float | None) -> tuple[Hand, ...]:
    """Return the hands of the words in sight, in order, the focus at a place or its own, without those before position 0."""
    twins, focus = marked_twins(scene), scene.focused or 0
    place = float(scene.start + focus) if place is None else place
    return tuple(
        Hand(
            format_token(scene.tokens[at]) + (subscript(math.floor(stands)) if at in scene.sentence.twins else ""),
            at,
            stands,
            "focus" if at == focus else "twin" if at in twins else "other",
        )
        for at in _words(scene, twins)
        if (stands := place + (at - focus)) >= 0
    )


def _words(scene: Scene, twins: frozenset[int]) -> Sequence[int]:
    """Return the words that have hands: all of a short text; else the focus, the nearest of its twins, and some between."""
    count, focus = scene.n_tokens, scene.focused or 0
    if count <= _EVERY_WORD:
        return range(count)
    near = sorted(twins, key=lambda at: abs(at - focus))[: _SOME_WORDS // 3]
    wanted = dict.fromkeys((focus, *near, *spread(count, _SOME_WORDS)))
    return sorted([*wanted][:_SOME_WORDS])


def _which_hands(scene: Scene, shown: int) -> str:
    """“every word on each pair’s clock”, or how many of a long text's words."""
    if not scene.n_tokens:
        return "without a sentence no hands"
    if scene.n_tokens <= _EVERY_WORD:
        return f"every {scene.unit} on each pair’s clock"
    return f"{shown} of {scene.n_tokens:,} {scene.unit}s, the focus, its twins nearby and some between"


def _speeds(scene: Scene) -> str:
    return f": fast hands tell neighbours apart, slow hands tell far {scene.unit}s apart"


def _fast_and_slow(speeds: Speeds, pairs: tuple[int, ...]) -> tuple[int | None, int | None]:
    """Return the fastest pair that turns, and the first that takes long for a turn, else the slowest, if it is much slower."""
    turning = sorted((pair for pair in pairs if speeds.radians[pair]), key=speeds.period)
    if not turning:
        return None, None
    slow = next((pair for pair in turning if speeds.period(pair) >= _FAR), turning[-1])
    return turning[0], slow if speeds.period(slow) >= _SLOWER * speeds.period(turning[0]) else None


def _told(scene: Scene, speeds: Speeds, fast: int | None, slow: int | None, length: float) -> tuple[Run, ...]:
    """“Pair 0 tells neighbours apart: a turn every 6.3 words; pair 3, every 200, tells far words apart.”"""
    if any(speeds.uneven):
        return speeds.sentence((), "")
    if fast is None:
        return sentence("No hand turns: all stand at 0, wherever a word is.")
    if not length:
        return sentence("At strength 0 no hand has a length: nothing is added for a position.")
    is_seen = abs(math.remainder(speeds.radians[fast], math.tau)) >= _SEEN_APART
    begun = f"Pair {fast} {'tells neighbours apart' if is_seen else 'is the fastest shown'}: a turn every "
    every, other = speeds.every(fast, fast if slow is None else slow)
    if slow is None:
        return sentence(begun, every, ".")
    return sentence(begun, every, f"; pair {slow}, every ", other, f", tells far {scene.unit}s apart.")


PLOT = Plot(
    "Clocks",
    "Every word on a clock for each pair of dimensions, turned by the word’s position.",
    "How does a position turn into angles?",
    ClockOptions,
    draw,
    "Encoding",
)
