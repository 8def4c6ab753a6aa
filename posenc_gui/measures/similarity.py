"""Similarity: how similar the signatures of any two positions are, and whether that depends on their distance alone."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import Heads
from posenc_gui.foundation.wording import format_number, format_percent
from posenc_gui.measures.base import (
    Measure,
    Measurement,
    OneHead,
    Place,
    coordinates,
    measured_in,
    n_judged,
    signatures,
    under,
)
from posenc_gui.scene.scene import Scene

MOST_COMPARED = 256  # positions or offsets


@dataclass(frozen=True, eq=False)
class Similarity(Measurement):
    """Dot products p_m · p_n and cosines of signatures, (n, n), over `coordinates` (n,): positions or offsets.

    `projected` (h, n, n) are the corresponding parts of the scores, (W_q p_m) · (W_k p_n) in each head of the first
    layer, or None if the encoding adds nothing to the inputs. `value` is the share of the dot products' variance that m
    − n explains, from 0 to 1; `projected_value` is that of the projected ones, averaged over heads. Where all are the same
    there is no variance, and it is 1.
    """

    coordinates: Tensor
    dots: Tensor
    cosines: Tensor
    projected: Tensor | None
    projected_value: float | None

    def place(self, field: str, at: tuple[int, ...] = ()) -> Place:
        """Return the two positions of one product; the second also as the place on the curve of the first with all."""
        if field not in ("dots", "cosines") or len(at) != 2:
            return ()
        first, second = (int(self.coordinates[index]) for index in at)
        return ("query", first), ("key", second), ("position", second)


def take(scene: Scene, options: OneHead, engine: Engine) -> Similarity:
    """Compare the signatures of all pairs of positions. For sinusoidal vectors p_m · p_n = Σ cos((m − n) ω_i) (Vaswani et al.
    2017, section 3.5); projections break this."""
    at = coordinates(scene, min(n_judged(scene), MOST_COMPARED))
    if scene.encoding.along == "offset":
        middle, half = len(at) // 2, MOST_COMPARED // 2
        at = at[max(0, middle - half) : middle + half] if not scene.model.causal else at
    marks = signatures(scene, at, engine)
    dots = marks @ marks.T
    cosines = torch.nn.functional.normalize(marks, dim=-1)
    value = explained_by_offset(dots)
    between, of = "m − n", "the dot products" if scene.encoding.door == "input" else "the signatures' dot products"
    if scene.encoding.along == "offset":
        between, of = "the difference of two offsets", "their dot products"
    projected, projected_value, after, measured = None, None, "", ""
    if scene.encoding.door == "input":
        heads = options.heads(scene)
        projected = _projected(scene, marks, engine, heads)
        projected_value = sum(explained_by_offset(head) for head in projected) / len(projected)
        mean = ", on average over heads" if len(projected) > 1 else ""
        after = f", and {format_percent(projected_value, 1)} after the projections W_q and W_k{mean}"
        measured = measured_in(heads, scene)
    told = f"{between} alone explains {format_percent(value, 1)} of the variance of {of}{after}"
    if is_constant(dots):
        told = f"all {scene.encoding.along}s have the same signature"
    most = float(dots.diagonal().max())
    itself = "p · p" if scene.encoding.door == "input" else "product of one with itself"
    reason = f"{under(scene.encoding)} {told}; the largest {itself} is {format_number(most)}.{measured}"
    return Similarity(value, reason, at, dots, cosines @ cosines.T, projected, projected_value)


def is_constant(table: Tensor) -> bool:
    """Return True if all numbers of a table are the same but for rounding, so that there is no variance to explain."""
    return float((table - table.mean()).pow(2).sum()) <= 1e-12 * float(table.pow(2).sum())


def explained_by_offset(table: Tensor) -> float:
    """Return the share of a square table's variance that lies between its diagonals rather than within them."""
    n = len(table)
    offsets = torch.arange(n)[:, None] - torch.arange(n) + n - 1
    counts = torch.zeros(2 * n - 1, dtype=table.dtype).index_add_(
        0, offsets.flatten(), torch.ones(n * n, dtype=table.dtype)
    )
    means = torch.zeros(2 * n - 1, dtype=table.dtype).index_add_(0, offsets.flatten(), table.flatten()) / counts
    whole = float((table - table.mean()).pow(2).sum())
    within = float((table - means[offsets]).pow(2).sum())
    return 1.0 if is_constant(table) else max(0.0, 1 - within / whole)


def _projected(scene: Scene, marks: Tensor, engine: Engine, heads: Heads) -> Tensor:
    """Return (W_q p_m) · (W_k p_n) of position vectors alone, (h, n, n); unlike scores, they include no token."""
    query, key = (scene.toy.projected(marks, name, 0, engine.check_stop, heads) for name in ("query", "key"))
    return query @ key.mT


MEASURE = Measure("Similarity", "How alike are two positions, and does their distance alone decide?", OneHead, take)
