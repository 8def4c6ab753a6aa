"""FIRE: a small network turns distance, relative to the query's position, into a bias."""

from __future__ import annotations

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, ScoreEncoding, Source, as_positions, code_literal
from posenc_gui.encodings.common.distances import mirror_remark
from posenc_gui.encodings.common.offsets import Offsets
from posenc_gui.foundation import random_streams

_NEVER_ZERO = 1e-6


class FIRE(ScoreEncoding):
    """f(ψ(|m − n|) / ψ(max(m, L))) is added to each score, ψ(x) = ln(c x + 1): f is a network with one hidden layer.

    Up to position L the bias depends on distance alone. From there on it stretches with the query's position: whatever the
    length, the input of f stays between 0 and 1, the range seen in training.

    c and L are learned, and so is f, with one input, `width` hidden units and one output a head. Here f is untrained:
    standard normal weights from the context's seed, without the last layer's bias, which the softmax cancels. The
    denominator gets 10^−6 more.

    Source: Li et al. 2023, "Functional Interpolation for Relative Positions Improves Long Context Transformers", equation 4
    and its appendix's code (c starts at 0.1, L at 512).
    """

    name: ClassVar[str] = "fire"
    title: ClassVar[str] = "FIRE"
    summary: ClassVar[str] = (
        "Adds to each score what a small network makes of distance, relative to the query's position."
    )
    equations: ClassVar[Formula] = Formula(
        where=(
            r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d}} + f_h\left(\frac{\psi\left(\pos{\left| m - n \right|}\right)}"
            r"{\psi\left(\max\left(\pos{m}, L\right)\right)}\right)",
            r"\psi(x) = \ln\left(c\, x + 1\right)",
        ),
    )
    untyped: ClassVar[str] = "FIRE's bias comes from a small network that training fills; no formula gives its numbers."
    source: ClassVar[Source] = Source(
        "Li et al.", 2023, "Functional Interpolation for Relative Positions Improves Long Context Transformers"
    )
    also: ClassVar[tuple[str, ...]] = ("functional interpolation",)

    threshold: float = Field(
        512.0,
        ge=1,
        le=1_000_000,
        title="Threshold L",
        description="From this position on distances are measured relative to the query's position.",
        json_schema_extra={"unit": "positions", "scale": "log"},
    )
    c: float = Field(
        0.1,
        ge=1e-4,
        le=1000,
        title="c",
        description="Larger values resolve short distances better.",
        json_schema_extra={"scale": "log"},
    )
    width: int = Field(
        32, ge=1, le=256, title="Hidden width", description="Hidden units of the network that computes the bias."
    )

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: the network's, c and L."""
        return 2 * self.width + (self.width + 1) * n_heads + 2

    def remark(self, context: Context) -> str:
        """Return the caveats: it is untrained; from L on it depends on more than distance; it can't tell left from right."""
        untrained = f"The network is untrained: seeded random weights (seed {context.seed})."
        far = f"From position {self.threshold:g} on the same distance has another bias at each position."
        return " ".join(filter(None, (untrained, far if context.length > self.threshold else mirror_remark(context))))

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Return the bias of each head, query and key: (n_heads, n_q, n_k), float64."""
        offsets = Offsets.of(q_positions, k_positions)
        near = (self.c * offsets.values.abs()).log1p()  # (offsets,)
        reach = (self.c * as_positions(q_positions).clamp(min=self.threshold)).log1p() + _NEVER_ZERO  # (n_q,)
        found = near.new_empty(n_heads, *offsets.which.shape)
        if not found.numel():
            return found
        kinks, slopes, heights = (numbers.to(near) for numbers in self._pieces(n_heads, context))
        ends = torch.stack((near.min() / reach.max(), near.max() / reach.min()))
        first, last = torch.bucketize(ends, kinks).tolist()
        near, reach = offsets.of_pairs(near), reach[:, None]  # (n_q, n_k), (n_q, 1)
        if first == last:  # as in most parts of a long text: all distances are on one piece
            height, slope = heights[:, first, None, None], slopes[:, first, None, None]  # (n_heads, 1, 1)
            return torch.addcmul(height, near, slope / reach, out=found)
        share = torch.div(near, reach, out=near.new_empty(near.shape))
        piece = torch.bucketize(share, kinks, out_int32=True)  # (n_q, n_k)
        return slopes[:, piece].mul_(share).add_(heights[:, piece])  # in place, to save memory

    def _pieces(self, n_heads: int, context: Context | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return the network as a piecewise linear function: breakpoints (w,), slopes and intercepts, (n_heads, w + 1) each."""
        seed = context.seed if context else 0
        weights, shifts = (
            random_streams.normal(seed, "fire hidden", name, shape=(self.width,)).double()
            for name in ("weights", "shifts")
        )
        heads = random_streams.normal(seed, "fire heads", shape=(n_heads, self.width)).double()
        kinks = (-shifts / weights).sort().values
        ends = torch.cat((kinks[:1] - 1, kinks, kinks[-1:] + 1))
        within = (ends[:-1] + ends[1:]) / 2  # (w + 1)
        awake = (within[:, None] * weights + shifts > 0).double()  # (w + 1, w)
        return kinks, heads @ (awake * weights).T, heads @ (awake * shifts).T

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the network and its input."""
        c, threshold = code_literal(self.c), code_literal(self.threshold)
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            hidden_weights = nn.Parameter(torch.randn({self.width}))  # training fills them
            hidden_shifts = nn.Parameter(torch.randn({self.width}))
            fire_heads = nn.Parameter(torch.randn({n_heads}, {self.width}))
            """,
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                distance = (q_positions[:, None] - k_positions).abs()  # (n_q, n_k)
                reach = q_positions.double().clamp(min={threshold})[:, None]  # (n_q, 1)
                near = ({c} * distance.double()).log1p()
                share = near / (({c} * reach).log1p() + 1e-6)  # (n_q, n_k)
                hidden = (share.float()[..., None] * hidden_weights + hidden_shifts).relu()
                bias = torch.einsum("qkw,hw->hqk", hidden, fire_heads)  # ({n_heads}, n_q, n_k)
                return q @ k.mT / math.sqrt({d_head}) + {self.share}bias.to(q)
            ''',
            self.use_of_scores(causal),
        )
