"""Length: the same sentence placed further and further out, and what happens to its scores."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_alone
from posenc_gui.figure.figure import number
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import Measure, Measurement, counted, measured_in, measured_tokens, passed, percent, under
from posenc_gui.scene.scene import Scene

STARTS = (0, *(2**power for power in range(18)))  # to 131,072, the longest context in common use
_TOKENS = 128  # of the sentence that are moved
_NOTHING = 1e-30


@dataclass(frozen=True, eq=False)
class Length(Measurement):
    """The first layer's scores of the sentence that begins at each of `starts` (n,), as far as the encoding is defined.

    `largest` (n,) is the largest score's size, `changed` (n,) the change of the scores since start 0 in sizes of the larger
    ones (root mean squares), `moved` (n,) the share of each query's attention that has gone to other keys, on average.
    `limit` is how many positions the encoding has, None where they never end. `value` is the last of `changed`.
    """

    starts: Tensor
    largest: Tensor
    changed: Tensor
    moved: Tensor
    limit: int | None


def take(scene: Scene, _options: Frozen, engine: Engine) -> Length:
    """Being defined far out doesn't mean that a model trained on short sentences works there: that takes training."""
    tokens = measured_tokens(scene)[:_TOKENS]
    limit = scene.encoding.length_limit(scene.model.d_model)
    starts: list[float] = []
    largest, changed, moved = [], [], []
    end = "It is defined at every start that was tried."
    heads = heads_alone(scene.model, scene.encoding)
    first = passed(scene, engine, tokens, n_layers=1, heads=heads)
    for start in STARTS:
        try:
            here = passed(scene, engine, tokens, start=start, n_layers=1, heads=heads)
        except Undefined as why:
            end = _end(limit, len(tokens)) if limit is not None else f"At start {start:,} it ends: {why}"
            break
        starts.append(start)
        largest.append(float(here.scores.abs().max()))
        before, after, change = (_size(scores) for scores in (first.scores, here.scores, here.scores - first.scores))
        changed.append(change / max(before, after, _NOTHING))
        moved.append(float((here.weights - first.weights).abs().sum(-1).mean() / 2))
    told = "the sentence can't begin further out"
    if len(starts) > 1:
        told = (
            f"the scores at start {starts[-1]:,} differ by {percent(changed[-1])} of their size from those at 0 and "
            f"{percent(moved[-1])} of the attention has moved"
        )
    reason = (
        f"{under(scene.encoding)} {told}; the largest score is {number(largest[-1])}. {end}{measured_in(heads, scene)}"
    )
    columns = torch.tensor([starts, largest, changed, moved], dtype=torch.float64)
    return Length(changed[-1], reason, columns[0], columns[1], columns[2], columns[3], limit)


def _end(limit: int, n_tokens: int) -> str:
    return f"It has {counted(limit, 'position')}: from start {max(0, limit - n_tokens) + 1:,} on the sentence's end has none."


def _size(scores: Tensor) -> float:
    return float(scores.double().pow(2).mean().sqrt())


MEASURE = Measure("Length", "What happens to the scores far out, and where does the encoding end?", Frozen, take)
