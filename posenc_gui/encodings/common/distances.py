"""What biases by distance share: how far apart queries and keys are, and that this alone can't tell left from right."""

from __future__ import annotations

from torch import Tensor

from posenc_gui.encodings.base import Context, as_positions


def distances(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """|m − n| of each query and key, (n_q, n_k), float64."""
    return (as_positions(q_positions)[:, None] - as_positions(k_positions)).abs()


def blindness(context: Context) -> str:
    """What distance can't tell, where the mask doesn't tell it."""
    if context.causal:
        return ""
    return "Without a causal mask |m − n| is all it knows: it can't tell a sentence from its mirror image."
