"""Absolute against relative: what changes in the scores when the whole sentence is moved."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import heads_alone
from posenc_gui.figure.figure import number
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.measures.base import (
    ROUNDING,
    Measure,
    Measurement,
    OneHead,
    counted,
    measured_in,
    measured_tokens,
    passed,
    percent,
    tiny,
    under,
)
from posenc_gui.scene.scene import Scene

_FAR = 100  # positions that a sentence is moved where nothing else is asked for
_PROBES = 16


class ShiftOptions(Frozen):
    """How far the sentence is moved."""

    offset: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Move by",
        description="How many positions the sentence is moved; automatic is 100, or as far as there are positions.",
        json_schema_extra={"unit": "positions"},
    )


class ShiftOfHeads(ShiftOptions, OneHead):
    """How far the sentence is moved, and in which head of a large model."""


@dataclass(frozen=True, eq=False)
class Shift(Measurement):
    """The scores of the sentence at 0 and at `offset`, (h, n, n), before the mask.

    `value` is the largest change of a score, `relative` the same in sizes of the largest score, and `changed` the share of
    scores that change by more than rounding.
    """

    offset: int
    before: Tensor
    after: Tensor
    relative: float
    changed: float


def take(scene: Scene, options: ShiftOfHeads, engine: Engine) -> Shift:
    """Scores of an encoding that knows m − n alone stay as they are: for RoPE see Su et al. 2021, equation 16."""
    tokens = measured_tokens(scene)
    offset = options.offset or _offset(scene, len(tokens))
    heads = options.heads(scene)
    before = passed(scene, engine, tokens, heads=heads).scores
    after = passed(scene, engine, tokens, start=offset, heads=heads).scores
    change = (after - before).abs()
    size = max(float(before.abs().max()), float(after.abs().max()), 1e-30)
    value, relative = float(change.max()), float(change.max()) / size
    changed = float((change > ROUNDING * size).double().mean())
    moved = f"{under(scene.encoding)} moving the sentence by {counted(offset, 'position')}"
    if changed:
        reason = (
            f"{moved} changes {percent(changed)} of the scores, by up to {number(value)}: place or length counts, not offsets "
            "alone."
        )
    else:
        reason = f"{moved} changes no score; the largest difference is {tiny(value)}."
    return Shift(value, reason + measured_in(heads, scene, len(tokens)), offset, before, after, relative, changed)


def probed(scene: Scene, engine: Engine, far: int) -> float:
    """What moving them so far changes in the scores of seeded tokens, in sizes of what position adds (root mean squares).

    Seeded tokens of full weight, because a sentence may have none. Where there aren't so many positions they are moved
    as far as there are. Raises Undefined where there are too few positions, and
    where position adds nothing.
    """
    seeded = scene.model.model_copy(update={"embedding_scale": 1.0, "scale": None})
    scene = scene.model_copy(update={"model": seeded, "patches": None})
    limit = scene.encoding.length_limit(scene.model.d_model)
    tokens = tuple(f"probe {index}" for index in range(_PROBES if limit is None else min(_PROBES, limit // 2)))
    offset = _offset(scene, len(tokens), far)
    heads = heads_alone(scene.model, scene.encoding)
    before, after = (
        passed(scene, engine, tokens, start=start, n_layers=1, heads=heads).scores for start in (0, offset)
    )
    plain = passed(scene.without_position, engine, tokens, n_layers=1, heads=heads).scores
    added = float((before - plain).pow(2).mean().sqrt())
    if not added:
        raise Undefined("Position adds nothing to the scores.")
    return float((after - before).pow(2).mean().sqrt()) / added


def _offset(scene: Scene, count: int, far: int = _FAR) -> int:
    limit = scene.encoding.length_limit(scene.model.d_model)
    if limit is None:
        return far
    offset = min(far, limit - count)
    if offset < 1 or not count:
        raise Undefined(f"The sentence can't be moved: the encoding has {counted(limit, 'position')}, which it fills.")
    return offset


MEASURE = Measure("Absolute or relative", "What changes when the whole sentence is moved?", ShiftOfHeads, take)
