"""Precision: rounding errors of angles by position, and their effect on a score that should depend only on the offset."""

from __future__ import annotations

import math

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Precision, RotationEncoding
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Lines, Series, VerticalMark
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import quote
from posenc_gui.measures.base import is_rounding
from posenc_gui.plots.base import Plot, as_values, logarithmic_range, padded_range
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene

_FEWER: dict[Precision, str] = {"float32": "float32", "bfloat16": "bf16", "float16": "fp16"}
_POINTS = 512


class PrecisionOptions(Frozen):
    """The last position, and the offset between query and key."""

    reach: int = Field(
        131_072,
        ge=2,
        le=1_000_000,
        title="Up to",
        description="The last position shown.",
        json_schema_extra={"unit": "positions", "scale": "log"},
    )
    offset: int = Field(
        16, ge=0, le=100_000, title="Offset", description="Distance of the key before the query whose score is shown."
    )


def draw(scene: Scene, options: PrecisionOptions, _engine: Engine) -> Figure:
    """Draw the largest angle error at each position, and the score of an equal query and key at a fixed offset."""
    encoding, model = scene.encoding, scene.model
    exact = encoding.at_precision("float64") if isinstance(encoding, RotationEncoding) else None
    if exact is None and isinstance(model, TrainedModel):
        raise Undefined(f"{model.name} has no precision to choose: {encoding.called} turns no angles.")
    if exact is None:
        raise Undefined(
            f"{quote(encoding.titled)} has no precision to choose: choose RoPE to see what fewer digits do.", ROPE
        )
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    fewer = {name: one for precision, name in _FEWER.items() if (one := exact.at_precision(precision))}
    last = max(options.reach, options.offset + 1)
    positions = _positions(last)
    errors = {name: _errors(one, exact, scene, positions) for name, one in fewer.items()}
    lines = tuple(
        _curve(name, positions, error, error > 0) for name, error in errors.items() if bool((error > 0).any())
    )
    if not lines:
        raise Undefined("In fewer digits no angle is off here: there is nothing to see.")
    axis, errors_seen = Axis("position", "position"), logarithmic_range(lines, 1.5)
    trained = scene.setup.trained_length
    marks = (VerticalMark(trained, "trained", "end"),) if trained and trained < last else ()
    queries = positions[positions >= options.offset]
    scores = {name: _scores(one, scene, queries, options.offset) for name, one in {"float64": exact, **fewer}.items()}
    curves = tuple(_curve(name, queries, score, score.isfinite()) for name, score in scores.items())
    return Figure(
        panels=(
            Lines("largest error of an angle", "error in rad", lines, axis, *errors_seen, marks, log=True),
            Lines(f"score at offset {options.offset:,}", "score / |q|²", curves, axis, *padded_range(curves), marks),
        ),
        headline=_headline(errors["float32"], scores, positions, options.offset),
        caption_parts=compose_caption(
            f"angles, cosines and sines of {encoding.called} in fewer digits",
            "the score of a vector of ones with itself should be the same at every position",
        ),
        description=f"Errors of angles up to position {last:,} and the score of a query with an equal key {options.offset:,} "
        f"positions before it.",
    )


def _positions(last: int) -> Tensor:
    """Return evenly spaced integer positions from 0 to the last, float64: (n,)."""
    return torch.linspace(0, last, min(last + 1, _POINTS), dtype=torch.float64).round()


def _errors(fewer: RotationEncoding, exact: RotationEncoding, scene: Scene, positions: Tensor) -> Tensor:
    """Return the largest angle error at each position, (n,); not finite where the number format overflows."""
    context = context_of(int(positions[-1]) + 1, scene.model)
    angles, rounded = (one.angles(positions, scene.model.head_width, context) for one in (exact, fewer))
    return (rounded - angles).abs().amax(-1)


def _scores(encoding: RotationEncoding, scene: Scene, queries: Tensor, offset: int) -> Tensor:
    """Score a vector of ones at each position with itself `offset` positions before, divided by its square: (n,)."""
    context = context_of(int(queries[-1]) + 1, scene.model)
    ones = torch.ones(len(queries), scene.model.head_width, dtype=torch.float64)
    query = encoding.rotate(ones, queries, "query", context)
    key = encoding.rotate(ones, queries - offset, "key", context)
    return (query * key).sum(-1) / scene.model.head_width


def _curve(label: str, positions: Tensor, values: Tensor, there: Tensor) -> Series:
    """Return the part of a curve that can be drawn, without values that aren't finite or have no logarithm."""
    there = there & values.isfinite()
    return Series(label, as_values(positions[there]), as_values(values[there]))


def _headline(errors: Tensor, scores: dict[str, Tensor], positions: Tensor, offset: int) -> tuple[Run, ...]:
    """“Up to position 300 bf16 makes of a score of 0.53 anything from 0.49 to 0.65; float32 angles are at most 0.0002° off.”"""
    few = scores["bf16"][scores["bf16"].isfinite()]
    whole, least, most = float(scores["float64"][-1]), float(few.min()), float(few.max())
    blurred = (
        ("leaves the score of ", whole)
        if is_rounding(most - least)
        else ("makes of a score of ", whole, " anything from ", least, " to ", most)
    )
    degrees, last = math.degrees(float(errors.max())), int(positions[-1])
    where = "Up to position" if len(positions) > last else f"At {len(positions):,} positions up to"
    return sentence(
        f"{where} {last:,} bf16 ", *blurred, f" at offset {offset:,}; float32 angles are at most ", degrees, "° off."
    )


PLOT = Plot(
    "Precision",
    "How far off angles are in fewer digits, and what that does to scores.",
    "How exact are angles far out?",
    PrecisionOptions,
    draw,
    "Near and far",
)
