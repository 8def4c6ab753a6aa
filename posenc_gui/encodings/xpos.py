"""xPos: a rotation whose pairs also shrink with distance."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import (
    Context,
    Formula,
    Profile,
    RotationEncoding,
    Side,
    Source,
    as_positions,
    code_literal,
    convert_like,
)
from posenc_gui.encodings.common.rotary import (
    Pairing,
    PairingCode,
    base_field,
    pair_indices,
    pairing_field,
    plain_frequencies,
)


class XPos(RotationEncoding):
    """RoPE, and pair i of queries is multiplied by ζ_i^(m / s), of keys by ζ_i^(−n / s): scores get ζ_i^((m − n) / s).

    ζ_i = (2i / d + g) / (1 + g) is below 1, so keys before the query fade, fast pairs most, and keys after it grow: it is
    meant for a causal mask. Public code counts m and n from the middle of the sequence, which changes no score.

    Source: Sun et al. 2022, "A Length-Extrapolatable Transformer", section 2.2 and algorithm 1.
    """

    name: ClassVar[str] = "xpos"
    title: ClassVar[str] = "xPos"
    summary: ClassVar[str] = (
        "Turns pairs of query and key dimensions, which fade the further a key stands before the query."
    )
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{\zeta^{m/s}\, e^{\mathrm{i}\, m\, \theta}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{\zeta^{-n/s}\, e^{\mathrm{i}\, n\, \theta}}",
        where=(r"\theta_i = \mathrm{base}^{-2i/d}, \quad \zeta_i = \frac{2i/d + g}{1 + g}",),
    )
    untyped: ClassVar[str] = "xPos also makes pairs shorter and longer; a formula's angles only turn them."
    source: ClassVar[Source] = Source("Sun et al.", 2022, "A Length-Extrapolatable Transformer")
    also: ClassVar[tuple[str, ...]] = ("extrapolatable position embedding", "decaying RoPE")
    models: ClassVar[tuple[str, ...]] = ("LEX Transformer",)
    sides: ClassVar[tuple[Side, ...]] = ("query", "key")
    signature: ClassVar[str] = "cosines and sines of all pairs' angles, times a key's factors,"

    base: float = base_field()
    pairing: Pairing = pairing_field("interleaved")
    floor: float = Field(
        0.4, ge=0.01, le=100, title="Floor g", description="Larger values make pairs fade less, and more alike."
    )
    scale_base: int = Field(
        512,
        ge=1,
        le=1_000_000,
        title="Span s",
        description="Number of positions over which pair i fades to ζ_i.",
        json_schema_extra={"unit": "positions", "scale": "log"},
    )

    @property
    def brought_in(self) -> tuple[str, ...]:
        """The angles, and the powers of ζ."""
        return *super().brought_in, "all exponents of ζ"

    def remark(self, context: Context) -> str:
        """Return the caveat that scores of later keys grow without a mask."""
        return "" if context.causal else "Scores of later keys grow with distance: it is meant for a causal mask."

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """Return the two dimensions of each pair, as two index tensors."""
        return pair_indices(d_head, self.pairing)

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return m θ_i: (n, d_head / 2), radians, float64, unreduced."""
        self.require_pairs(d_head)
        positions = as_positions(positions)
        return positions[:, None] * plain_frequencies(self.base, d_head).to(positions.device)

    def zeta(self, d_head: int) -> Tensor:
        """ζ_i: what remains of each pair after `scale_base` positions: (d_head / 2,), float64."""
        return (torch.arange(0, d_head, 2, dtype=torch.float64) / d_head + self.floor) / (1 + self.floor)

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return the factors of a key's pairs: cosine and sine of each angle times ζ^(−n / s)."""
        turned = super().profile(coordinates, d_model, context)
        sizes = self.sizes(as_positions(coordinates), context.d_head, "key")
        return replace(turned, values=turned.values * sizes.repeat_interleave(2, dim=-1), quantity="factor of a key")

    def sizes(self, positions: Tensor, d_head: int, side: Side) -> Tensor:
        """The factor of each pair at each position, (n, d_head / 2): ζ^(m / s) for queries, ζ^(−n / s) for keys."""
        sign = 1 if side == "query" else -1
        return self.zeta(d_head).to(positions.device) ** (sign * self.strength * positions[:, None] / self.scale_base)

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        """x (…, n, d_head) turned, and multiplied by ζ^(m / s) on the query's side, by ζ^(−m / s) on the key's."""
        d_head = x.shape[-1]
        self.require_pairs(d_head)
        sizes = self.sizes(as_positions(positions), d_head, side)
        first, second = self.pairs(d_head)
        spread = sizes.new_empty(len(sizes), d_head)
        spread[:, first], spread[:, second] = sizes, sizes
        return super().rotate(x, positions, side, context) * convert_like(spread, x)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: angles, factors, and the pairs turned and scaled."""
        self.check_shape(d_model, n_heads, d_head)
        half, spelled = d_head // 2, PairingCode.of(d_head, self.pairing)
        return self.snippet(
            "import torch",
            f'''
            def rotate(x, positions, side="query"):
                """x (..., n, {d_head}), positions (n,) -> alike, pairs {spelled.pairs}, i < {half}."""
                i = torch.arange({half}, dtype=torch.float64, device=positions.device)
                positions = {self.share}positions.double()
                frequencies = {code_literal(self.base)} ** (-2 * i / {d_head})  # radians a position
                angles = positions[:, None] * frequencies  # (n, {half}), float64
                zeta = (2 * i / {d_head} + {code_literal(self.floor)}) / {code_literal(1 + self.floor)}  # below 1
                powers = positions[:, None] / {code_literal(self.scale_base)}  # queries shrink, keys grow
                sizes = zeta ** (powers if side == "query" else -powers)  # (n, {half})
                cos, sin = (angles.cos() * sizes).to(x), (angles.sin() * sizes).to(x)
                a, b = {spelled.split}  # (..., n, {half}) each
                return {spelled.turned}
            ''',
        )
