"""Twins: the stage of attention at which equal tokens begin to differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.attention.toy_model import Heads
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_number, join_words
from posenc_gui.measures.base import ROUNDING, Measure, Measurement, measured_in, measured_tokens, of_focus, passed
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import name_token, twin_groups

STAGES = ("token", "input", "query", "scores", "weights", "output")
MOST_PAIRS = 64


@dataclass(frozen=True, eq=False)
class Apart:
    """The distance and the cosine of twins, tokens that are equal, at each stage: (pairs, stages)."""

    distances: Tensor
    cosines: Tensor


@dataclass(frozen=True, eq=False)
class Twins(Measurement):
    """Each pair of equal tokens at each stage of `STAGES`, without an encoding and with the scene's.

    Queries are after rotation and scores before the mask. Queries and rows of scores and weights are from the first
    layer, over all heads, or some heads of a large model; the output is from the last layer. `first` is the index of
    the first stage at which the encoding separates a pair, or None. `pair` is the index of the displayed pair: the
    first one that contains the token in focus, or else the first of all. `value` is the distance between that pair's
    outputs with the encoding, and `apart` are these distances without and with it, set to 0 if they are only rounding.
    """

    tokens: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    without: Apart
    with_encoding: Apart
    first: int | None
    pair: int
    apart: tuple[float, float]


def take(scene: Scene, _options: Frozen, engine: Engine) -> Twins:
    """Compare all pairs of each repeated token, at most the first `MOST_PAIRS`."""
    tokens = measured_tokens(scene)
    every = (pair for group in twin_groups(tokens) for pair in combinations(group, 2))
    pairs = tuple(islice(every, MOST_PAIRS))
    if not pairs:
        raise Undefined("No word occurs twice: type a sentence with a repeated word.", SENTENCE)
    heads = heads_to_compute(scene.model, scene.encoding)
    without, sizes = _apart(scene.without_position, engine, tokens, pairs, heads)
    with_encoding, own_sizes = _apart(scene, engine, tokens, pairs, heads)
    made = (with_encoding.distances - without.distances).abs() > ROUNDING * torch.maximum(sizes, own_sizes).clamp(min=1)
    different = made.any(0).nonzero().flatten().tolist()
    first = different[0] if different else None
    pair = next((index for index, both in enumerate(pairs) if scene.focused in both), 0)
    value, before = (float(apart.distances[pair, -1]) for apart in (with_encoding, without))
    names = join_words(name_token(tokens, index) for index in pairs[pair])
    rounding = ROUNDING * max(1.0, float(sizes[-1]), float(own_sizes[-1]))
    told = "have the same output" if before <= rounding else f"have outputs {format_number(before)} apart"
    reason = f"Without an encoding, {names} {told}"
    if first is not None:
        apart = f"are {format_number(value)} apart" if value > rounding else "are the same to rounding"
        reason += f"; with {scene.encoding.called} their outputs {apart}, and the first difference is in the "
        reason += f"{STAGES[first]}, at the {scene.encoding.door} door."
    elif scene.encoding.door != "none":
        reason += f", and {scene.encoding.called} makes no difference to them."
    else:
        reason += ": the mask alone tells them apart." if before > rounding else "."
    reason += measured_in(heads, scene, len(tokens))
    outputs = (before if before > rounding else 0.0, value if value > rounding else 0.0)
    return Twins(value, reason, tokens, pairs, without, with_encoding, first, pair, outputs)


def _apart(
    scene: Scene, engine: Engine, tokens: tuple[str, ...], pairs: tuple[tuple[int, int], ...], heads: Heads
) -> tuple[Apart, Tensor]:
    """Return the pairs' differences at each stage, and the largest norm of a vector at each stage, (stages,)."""
    below = passed(scene, engine, tokens, n_layers=1, heads=heads)
    output = passed(scene, engine, tokens, heads=heads).output
    embedded = scene.toy.embed(tokens) * scene.toy.embedding_scale
    stages = (
        embedded,
        below.inputs,
        below.queries.movedim(0, 1).flatten(1),
        below.scores.movedim(0, 1).flatten(1),
        below.weights.movedim(0, 1).flatten(1),
        output,
    )
    one, other = (torch.tensor(side) for side in zip(*pairs, strict=True))
    distances = torch.stack([(stage[one] - stage[other]).double().norm(dim=-1).float() for stage in stages], dim=-1)
    cosines = torch.stack([torch.cosine_similarity(stage[one], stage[other], dim=-1) for stage in stages], dim=-1)
    sizes = torch.stack([stage.double().norm(dim=-1).max().float() for stage in stages])
    return Apart(distances, cosines), sizes


MEASURE = Measure(
    "Twins", "Can equal words be told apart, and from which stage on?", Frozen, take, of_focus, are_differences=True
)
