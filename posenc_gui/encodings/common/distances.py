"""Shared by biases of distance: the distances, and the caveat that they can't tell left from right."""

from __future__ import annotations

from torch import Tensor

from posenc_gui.encodings.base import Context, as_positions


def distances(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """|m − n| for each query and key, (n_q, n_k), float64."""
    return (as_positions(q_positions)[:, None] - as_positions(k_positions)).abs()


def mirror_remark(context: Context) -> str:
    """Return the caveat for biases of distance without a causal mask; empty if there is a mask."""
    if context.causal:
        return ""
    return "Without a causal mask |m − n| is all it knows: it can't tell a sentence from its mirror image."
