"""Frequencies: how fast each pair turns, and how many turns fit into the context."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.layer import context_of
from posenc_gui.encodings.base import Context, Encoding
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, format_number, inflect, quote
from posenc_gui.measures.base import Measure, Measurement
from posenc_gui.scene.remedies import ROPE
from posenc_gui.scene.scene import Scene

TRIED = 65  # positions over which a formula's angles are seen to grow evenly
_EVEN = 1e-6  # radians by which their steps may differ from rounding alone


class FrequencyOptions(Frozen):
    """The length of the context."""

    context: int | None = Field(
        None,
        ge=1,
        le=20_000_000,
        title="Context",
        description="Over how many positions the turns are counted, from the first to the last; automatic is the sentence's.",
        json_schema_extra={"unit": "positions"},
    )


@dataclass(frozen=True, eq=False)
class Frequencies(Measurement):
    """The frequency (radians per position), wavelength (positions; infinite for a constant) and number of turns of each
    pair.

    Each is (pairs,). `value` is the number of pairs that don't complete one turn within the context of `context`
    positions, which has `context` − 1 steps from the first to the last.
    """

    context: int
    frequencies: Tensor
    wavelengths: Tensor
    turns: Tensor


def take(scene: Scene, options: FrequencyOptions, engine: Engine) -> Frequencies:
    """Compute the frequencies from the angles at positions 0 and 1. For sinusoidal vectors ω_i = base^(−2i/d), with
    wavelengths from 2π to nearly 10000 · 2π (Vaswani et al. 2017)."""
    encoding, model = scene.encoding, scene.model
    context = options.context or max(scene.n_tokens, 1)
    encoding.check_shape(model.d_model, model.n_heads, model.head_width)
    at = torch.arange(2, dtype=torch.float64)
    phases = encoding.phases(at, model.d_model, context_of(context, model))
    if phases is None:
        raise Undefined(f"{quote(encoding.titled)} has no frequencies: {why_no_pairs(encoding)}.", ROPE)
    if any(turn_unevenly(encoding, model.d_model, context_of(context, model))):
        raise Undefined(f"{quote(encoding.titled)} has no frequencies: a pair turns by other angles from step to step.")
    frequencies = (phases[1] - phases[0]).abs()
    wavelengths = 2 * math.pi / frequencies
    turns = (context - 1) * frequencies / (2 * math.pi)
    slow = int((turns < 1).sum())
    finite = wavelengths[wavelengths.isfinite()]
    span = "No pair turns"
    if len(finite):
        span = f"Wavelengths go from {format_number(float(finite.min()))} to {format_number(float(finite.max()))} positions"
    never = f"{slow} of {format_count(len(turns), 'pair')} never {inflect(slow, 'finishes', 'finish')} one turn"
    reason = f"{span}; in a context of {format_count(context, 'position')} {never}."
    return Frequencies(float(slow), reason, context, frequencies, wavelengths, turns)


def why_no_pairs(encoding: Encoding) -> str:
    """Return why an encoding without angles has none: a formula's waves are no pairs unless they have one angle."""
    if encoding.door == "input" and not encoding.built_in:
        return (
            "it doesn't fill the dimensions 2i and 2i + 1, or i and i + d/2, with the sine and the cosine of one angle"
        )
    return "it turns no pairs of dimensions and adds no waves"


def turn_unevenly(encoding: Encoding, d_model: int, context: Context) -> tuple[bool, ...]:
    """Return for each pair if its angle, which a formula gives, grows by other amounts from position to position; empty of a
    built-in encoding, whose pairs turn evenly."""
    phases = None if encoding.built_in else encoding.phases(torch.arange(TRIED).double(), d_model, context)
    steps = torch.zeros(1, 0) if phases is None else phases.diff(dim=0)
    return tuple(((steps - steps[:1]).abs().amax(0) > _EVEN).tolist())


MEASURE = Measure(
    "Frequencies", "How fast does each pair turn, and which never finish one turn?", FrequencyOptions, take
)
