"""Sandwich: the dot product of sinusoidal vectors, added to the scores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, ScoreEncoding, Source, code_literal
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.distances import distances, mirror_remark
from posenc_gui.encodings.common.rotary import base_field


class Sandwich(ScoreEncoding):
    """(Σ cos((m − n) / base^(2k / D)) − D / 2) / (8 h / H), k from 1 to D / 2, is added to each score of head h of H.

    That is the dot product of two sinusoidal vectors, less its value at distance 0: nothing is learned, and it falls about
    as the logarithm of distance does. D is a width of its own, and the sum begins at k = 1, so the fastest wave is a little
    slower than a radian a position.

    Source: Chi et al. 2023, "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis", section
    5; the divisor of each head as in NVIDIA NeMo's SandwichRelativePositionEmbedding.
    """

    name: ClassVar[str] = "sandwich"
    title: ClassVar[str] = "Sandwich"
    summary: ClassVar[str] = "Adds to each score how alike the two positions' sinusoidal vectors are."
    equations: ClassVar[Formula] = Formula(
        where=(
            r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d}} + \frac{H}{8 h}"
            r" \left(\sum_{k=1}^{D/2} \cos\left(\frac{\pos{m - n}}{\mathrm{base}^{2k/D}}\right) - \frac{D}{2}\right)",
        ),
    )
    untyped: ClassVar[str] = "Sandwich adds up many waves; a formula here has no sign for a sum."
    source: ClassVar[Source] = Source(
        "Chi et al.", 2023, "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis"
    )
    also: ClassVar[tuple[str, ...]] = ("sinusoidal bias",)
    of_offset: ClassVar[bool] = True

    width: int = Field(
        128,
        ge=2,
        le=4096,
        multiple_of=2,
        title="Width D",
        description="Dimensions of the sinusoidal vectors, independent of d_model.",
    )
    base: float = base_field(1e9, "waves")

    def remark(self, context: Context) -> str:
        """Return the caveat that it can't tell left from right without a mask."""
        return mirror_remark(context)

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Return the bias of each head, query and key: (n_heads, n_q, n_k), float64."""
        distance = distances(q_positions, k_positions)  # (n_q, n_k)
        alike = torch.full_like(distance, -self.width / 2)
        for k in range(1, self.width // 2 + 1):  # one wave at a time, to save memory
            alike += (distance / self.base ** (2 * k / self.width)).cos()
        heads = torch.arange(1, n_heads + 1, dtype=torch.float64, device=distance.device)
        return alike / (8 * heads / n_heads)[:, None, None]

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield its bias for each query and key."""
        if seen.kind == "bias" and len(seen.shape) == 3:
            heads, rows, _ = seen.shape
            yield Convention(cls(), "", lambda one, m: one.bias(m[-rows:], m, heads), ("base",), "NVIDIA NeMo")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: waves, their sum, and each head's divisor."""
        half = self.width // 2
        return self.snippet(
            f"""
            import math

            import torch

            k = torch.arange(1, {half + 1}, dtype=torch.float64)  # waves, from 1 on
            frequencies = {code_literal(self.base)} ** (-2 * k / {self.width})  # radians a position
            divisors = 8 * torch.arange(1, {n_heads + 1}) / {n_heads}  # heads, from 1 on
            """,
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                offsets = q_positions[:, None] - k_positions  # (n_q, n_k)
                waves = (offsets[:, :, None] * frequencies.to(q.device)).cos()  # (n_q, n_k, {half})
                alike = waves.sum(-1) - {half}  # 0 at the same position
                bias = alike / divisors.to(q.device)[:, None, None]  # ({n_heads}, n_q, n_k)
                return q @ k.mT / math.sqrt({d_head}) + {self.share}bias.to(q)
            ''',
            self.use_of_scores(causal),
        )
