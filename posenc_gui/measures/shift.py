"""Absolute or relative: how the scores change when the whole sentence is shifted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of, heads_to_compute
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number, format_percent
from posenc_gui.measures.base import (
    ROUNDING,
    Measure,
    Measurement,
    OneHead,
    Place,
    measured_in,
    measured_tokens,
    passed,
    under,
)
from posenc_gui.scene.scene import Scene

_FAR = 100  # default distance, in positions, by which a sentence is shifted
_PROBES = 16
# Beside a far one: a move of 2,048 positions changes nothing that repeats after 2, 4, 8, …
_NEAR = (1, 37)


class ShiftOptions(Frozen):
    """The distance by which the sentence is moved."""

    offset: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Move by",
        description="How many positions the sentence is moved; automatic is 100, or as far as there are positions.",
        json_schema_extra={"unit": "positions"},
    )


class ShiftOfHeads(ShiftOptions, OneHead):
    """The distance by which the sentence is moved, and the head of a large model."""


@dataclass(frozen=True, eq=False)
class Shift(Measurement):
    """The scores of the sentence at position 0 and at `offset`, (h, n, n) each, before the mask.

    `value` is the largest change of a score, `relative` is that change divided by the largest score's size, and `changed` is
    the share of scores that change by more than rounding. products: as in `LastLayer`.
    """

    offset: int
    before: Tensor
    after: Tensor
    relative: float
    changed: float
    products: float

    def place(self, field: str, _at: tuple[int, ...] = ()) -> Place:
        """Return the head, the query and the key whose score changes most; none if nothing but rounding changes."""
        if field != "value" or not self.changed:
            return ()
        change = (self.after - self.before).abs()
        head, query, key = (int(at) for at in torch.unravel_index(change.argmax(), change.shape))
        return ("head", head), ("query", query), ("key", key)


def take(scene: Scene, options: ShiftOfHeads, engine: Engine) -> Shift:
    """Compare the scores at both positions, equal if only m − n counts (Su et al. 2021, equation 16)."""
    tokens = measured_tokens(scene)
    offset = options.offset or _offset(scene, len(tokens))
    heads = options.heads(scene)
    first = passed(scene, engine, tokens, heads=heads)
    before, after = first.scores, passed(scene, engine, tokens, start=offset, heads=heads).scores
    value, relative, changed = changes(before, after, first.products)
    moved = f"{under(scene.encoding)} moving the sentence by {format_count(offset, 'position')}"
    if changed:
        reason = (
            f"{moved} changes {format_percent(changed)} of the scores, by up to {format_number(value)}: place or length "
            "counts, not offsets alone."
        )
    else:
        reason = f"{moved} changes no score, but for rounding."
    reason += measured_in(heads, scene, len(tokens))
    return Shift(value, reason, offset, before, after, relative, changed, first.products)


def changes(before: Tensor, after: Tensor, products: float) -> tuple[float, float, float]:
    """Return the largest change of a score, the same in parts of the largest score's size, and the share of scores that
    change by more than rounding, which is relative to the products that a score is the sum of: they may cancel."""
    change = (after - before).abs()
    size = max(float(before.abs().max()), float(after.abs().max()), 1e-30)
    largest = float(change.max())
    return largest, largest / size, float((change > ROUNDING * max(size, products)).double().mean())


def probed(scene: Scene, engine: Engine, far: int) -> tuple[float, int]:
    """Return the largest change of seeded tokens' scores when moved by 1, by 37 or by `far`, relative to the encoding's own
    contribution (root mean squares), and the move.

    Seeded tokens have vectors of full size; a sentence's may be small. If there are too few positions, a move is as
    large as possible. A model that has learned reads no seeded tokens: what its bias adds to any scores is measured alone.
    Raises Undefined if that isn't possible, and if the encoding adds nothing.
    """
    if isinstance(scene.model, TrainedModel) and scene.encoding.door == "score" and scene.encoding.content_free:
        at, context = torch.arange(_PROBES, dtype=torch.float64), context_of(far + _PROBES, scene.model)
        moved = (scene.encoding.bias(at + start, at + start, scene.model.n_heads, context) for start in _starts(far))
        return _largest_change(moved, 0.0, far)
    seeded = scene.toy.model_copy(update={"embedding_scale": 1.0, "scale": None})
    scene = Scene(scene.setup.model_copy(update={"model": seeded, "patches": None}))
    limit = scene.encoding.length_limit(scene.model.d_model)
    tokens = tuple(f"probe {index}" for index in range(_PROBES if limit is None else min(_PROBES, limit // 2)))
    heads = heads_to_compute(scene.model, scene.encoding)
    plain = passed(scene.without_position, engine, tokens, n_layers=1, heads=heads).scores
    far = _offset(scene, len(tokens), far)
    scores = (passed(scene, engine, tokens, start=at, n_layers=1, heads=heads).scores.double() for at in _starts(far))
    return _largest_change(scores, plain, far)


def _starts(far: int) -> tuple[int, ...]:
    return 0, far, *(near for near in _NEAR if near < far)


def _largest_change(scores: Iterable[Tensor], plain: Tensor | float, far: int) -> tuple[float, int]:
    before, *others = scores
    added = _size(before - plain) or max(_size(after - plain) for after in others)
    if not added:
        raise Undefined("Position adds nothing to the scores.")
    changes = {move: _size(after - before) / added for move, after in zip(_starts(far)[1:], others, strict=True)}
    move = max(changes, key=changes.__getitem__)
    return changes[move], move


def _size(scores: Tensor) -> float:
    return float(scores.pow(2).mean().sqrt())


def _offset(scene: Scene, count: int, far: int = _FAR) -> int:
    limit = scene.encoding.length_limit(scene.model.d_model)
    if limit is None:
        return far
    offset = min(far, limit - count)
    if offset < 1 or not count:
        raise Undefined(
            f"The sentence can't be moved: the encoding has {format_count(limit, 'position')}, which it fills."
        )
    return offset


MEASURE = Measure(
    "Absolute or relative",
    "What changes when the whole sentence is moved?",
    ShiftOfHeads,
    take,
    are_differences=True,
    over_heads={"value": "largest over heads"},
)
