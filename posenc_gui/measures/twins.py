"""Twins: where on their way through attention repeated tokens begin to differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_alone
from posenc_gui.attention.toy_model import Heads
from posenc_gui.figure.figure import number
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import (
    ROUNDING,
    Measure,
    Measurement,
    measured_in,
    measured_tokens,
    named,
    of_focus,
    passed,
)
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import twin_groups

STAGES = ("token", "input", "query", "scores", "weights", "output")
MOST_PAIRS = 64


@dataclass(frozen=True, eq=False)
class Apart:
    """How far apart twins are at each stage: the length of their difference and their cosine, (pairs, stages)."""

    distances: Tensor
    cosines: Tensor


@dataclass(frozen=True, eq=False)
class Twins(Measurement):
    """Each pair of equal tokens at each stage of `STAGES`, without an encoding and with the scene's.

    The query is as it meets the keys, after rotation; scores are before the mask. Queries, and a token's rows of scores and
    weights, are of the first layer and of all heads, in a large model of some; the output is the last layer's. `first` is the
    index of the first stage at which the encoding makes a difference to a pair, None where it makes none. `pair` is the
    index of the pair that is looked at, the first one with the token in focus or else the first; `value` is the distance
    of its outputs with the encoding, and `apart` are these distances without it and with it, 0 where only rounding is left.
    """

    tokens: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    without: Apart
    with_encoding: Apart
    first: int | None
    pair: int
    apart: tuple[float, float]


def take(scene: Scene, _options: Frozen, engine: Engine) -> Twins:
    """All pairs of each repeated token; of very many the first `MOST_PAIRS`."""
    tokens = measured_tokens(scene)
    every = (pair for group in twin_groups(tokens) for pair in combinations(group, 2))
    pairs = tuple(islice(every, MOST_PAIRS))
    if not pairs:
        raise Undefined("No token occurs twice: type a sentence with a repeated word.")
    heads = heads_alone(scene.model, scene.encoding)
    without, sizes = _apart(scene.without_position, engine, tokens, pairs, heads)
    with_encoding, own_sizes = _apart(scene, engine, tokens, pairs, heads)
    made = (with_encoding.distances - without.distances).abs() > ROUNDING * torch.maximum(sizes, own_sizes).clamp(min=1)
    different = made.any(0).nonzero().flatten().tolist()
    first = different[0] if different else None
    pair = next((index for index, both in enumerate(pairs) if scene.focused in both), 0)
    value, before = (float(apart.distances[pair, -1]) for apart in (with_encoding, without))
    names = " and ".join(named(tokens, index) for index in pairs[pair])
    rounding = ROUNDING * max(1.0, float(sizes[-1]), float(own_sizes[-1]))
    told = "have the same output" if before <= rounding else f"have outputs {number(before)} apart"
    reason = f"Without an encoding, {names} {told}"
    if first is not None:
        apart = f"are {number(value)} apart" if value > rounding else "are the same to rounding"
        reason += f"; with {scene.encoding.called} their outputs {apart}, and the first difference is in the "
        reason += f"{STAGES[first]}, at the {scene.encoding.door} door."
    elif scene.encoding.door != "none":
        reason += f", and {scene.encoding.called} makes no difference to them."
    else:
        reason += ": the mask alone tells them apart." if before > rounding else "."
    outputs = (before if before > rounding else 0.0, value if value > rounding else 0.0)
    return Twins(
        value,
        reason + measured_in(heads, scene, len(tokens)),
        tokens,
        pairs,
        without,
        with_encoding,
        first,
        pair,
        outputs,
    )


def _apart(
    scene: Scene, engine: Engine, tokens: tuple[str, ...], pairs: tuple[tuple[int, int], ...], heads: Heads
) -> tuple[Apart, Tensor]:
    """The pairs at each stage, and how large the stage's numbers are, (stages,)."""
    below = passed(scene, engine, tokens, n_layers=1, heads=heads)
    output = passed(scene, engine, tokens, heads=heads).output
    embedded = scene.model.embed(tokens) * scene.model.embedding_scale
    stages = (
        embedded,
        below.inputs,
        below.queries.movedim(0, 1).flatten(1),
        below.scores.movedim(0, 1).flatten(1),
        below.weights.movedim(0, 1).flatten(1),
        output,
    )
    one, other = (torch.tensor(side) for side in zip(*pairs, strict=True))
    distances = torch.stack([(stage[one] - stage[other]).norm(dim=-1) for stage in stages], dim=-1)
    cosines = torch.stack([torch.cosine_similarity(stage[one], stage[other], dim=-1) for stage in stages], dim=-1)
    sizes = torch.stack([stage.norm(dim=-1).max() for stage in stages])
    return Apart(distances, cosines), sizes


MEASURE = Measure("Twins", "Can repeated tokens be told apart, and from which stage on?", Frozen, take, of_focus)
