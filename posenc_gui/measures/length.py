"""Length: how the scores change as the same sentence is moved to larger and larger positions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_to_compute
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number, format_percent
from posenc_gui.measures.base import Measure, Measurement, measured_in, measured_tokens, passed, under
from posenc_gui.scene.scene import Scene

STARTS = (0, *(2**power for power in range(18)))  # to 131,072, the longest context in common use
_TOKENS = 128  # number of the sentence's tokens that are moved
_NOTHING = 1e-30


@dataclass(frozen=True, eq=False)
class Length(Measurement):
    """The first layer's scores of the sentence when it begins at each position in `starts` (n,), as far as the encoding
    is defined.

    `largest` (n,) is the largest absolute score. `changed` (n,) is the change of the scores from start 0, relative to
    the larger of the two (root mean squares). `moved` (n,) is the share of a query's attention that has moved to other
    keys, averaged over queries. `limit` is the number of positions that the encoding has, or None if it is unlimited.
    `value` is the last entry of `changed`.
    """

    starts: Tensor
    largest: Tensor
    changed: Tensor
    moved: Tensor
    limit: int | None


def take(scene: Scene, _options: Frozen, engine: Engine) -> Length:
    """Compare the scores at each start with those at 0. Defined there doesn't mean that a trained model works there."""
    tokens = measured_tokens(scene)[:_TOKENS]
    limit = scene.encoding.length_limit(scene.model.d_model)
    starts: list[float] = []
    largest, changed, moved = [], [], []
    end = "It is defined at every start that was tried."
    heads = heads_to_compute(scene.model, scene.encoding)
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
            f"the scores at start {starts[-1]:,} differ by {format_percent(changed[-1])} of their size from those at 0 and "
            f"{format_percent(moved[-1])} of the attention has moved"
        )
    least, most = (format_number(float(end)) for end in here.scores.aminmax())
    reason = f"{under(scene.encoding)} {told}; the scores there lie between {least} and {most}. {end}{measured_in(heads, scene)}"
    columns = torch.tensor([starts, largest, changed, moved], dtype=torch.float64)
    return Length(changed[-1], reason, columns[0], columns[1], columns[2], columns[3], limit)


def _end(limit: int, n_tokens: int) -> str:
    return (
        f"It has {format_count(limit, 'position')}: from start {max(0, limit - n_tokens) + 1:,} on the sentence's "
        "end has none."
    )


def _size(scores: Tensor) -> float:
    return float(scores.double().pow(2).mean().sqrt())


MEASURE = Measure(
    "Length", "What happens to the scores far out, and where does the encoding end?", Frozen, take, are_differences=True
)
