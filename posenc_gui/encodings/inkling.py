"""Inkling's relative logits: each query mixes its own curve over how far back a key is."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Profile, Project, ScoreEncoding, Source, Terms, as_positions
from posenc_gui.encodings.common.offsets import Offsets
from posenc_gui.foundation import random_streams


class Inkling(ScoreEncoding):
    """(W_r x_m)_h · P_(m−n) is added to each score for keys up to `extent` positions back, 0 to all others.

    P holds `profiles` curves over distance, shared by the heads; each token mixes one curve for each head from them. Keys
    after the query get 0 as well. W_r and P are learned; here they are untrained: normal numbers from the context's seed, so
    that the added term has a standard deviation of about 1.

    Its layers also normalize queries and keys, scale by 1/d_head and mix neighbouring keys, which isn't modelled here.

    Source: Thinking Machines 2026, Inkling; transformers' InklingRelativeLogits, x-transformers' RelativeProjPositionalBias.
    """

    name: ClassVar[str] = "inkling"
    title: ClassVar[str] = "Inkling's relative bias"
    summary: ClassVar[str] = "Each word mixes a curve of its own over how far back a key is, and adds it to its scores."
    equations: ClassVar[Formula] = Formula(
        where=(
            r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d}} + \left(W_r x_m\right)_h \cdot \pos{P_{m-n}}",
            r"\mathrm{where}\ \pos{0 \le m - n} < \mathrm{extent}",
        ),
    )
    untyped: ClassVar[str] = "Inkling's curves are mixed by each token; a formula knows positions alone."
    source: ClassVar[Source] = Source("Thinking Machines", 2026, "Inkling")
    also: ClassVar[tuple[str, ...]] = ("relative logits", "relative projection bias", "Thinking Machines")
    models: ClassVar[tuple[str, ...]] = ("Inkling",)
    across: ClassVar[Literal["dimension", "pair", "head"]] = "dimension"
    random_table: ClassVar[bool] = True

    profiles: int = Field(16, ge=1, le=256, title="Curves", description="Number of curves over distance to mix.")
    extent: int = Field(
        1024,
        ge=1,
        le=16_384,
        title="Extent",
        description="Keys from this far back on get nothing.",
        json_schema_extra={"unit": "positions"},
    )

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: W_r and P."""
        return self.profiles * (d_model * n_heads + self.extent)

    def remark(self, context: Context) -> str:
        """Return the caveats: it is untrained, looks only back, and ends at its extent."""
        untrained = f"W_r and P are untrained: seeded random numbers (seed {context.seed})."
        ahead = "" if context.causal else " It looks only back: it can't tell keys after the query apart."
        far = f" Keys {self.extent:,} and more positions back get nothing." if context.length > self.extent else ""
        return f"{untrained}{ahead}{far}"

    def tables(self, d_model: int, context: Context, project: Project) -> tuple[Tensor, ...]:
        """Return W_r, (d_model, heads · profiles), and P, (profiles, extent)."""
        return self.mixing(d_model, context), self.curves(context)

    def extra(self, terms: Terms) -> Tensor:
        """Return the value of each query's curve at each key, (heads, n_q, n_k)."""
        mixing, curves = terms.tables
        offsets = Offsets.of(terms.q_positions, terms.k_positions)
        distance = offsets.values.round().long()
        beyond = (distance < 0) | (distance >= self.extent)
        if bool(beyond.all()):
            return super().extra(terms)
        mix = terms.q_inputs @ mixing  # (n_q, heads · profiles)
        mix = mix.view(len(mix), -1, self.profiles).movedim(1, 0)  # (heads, n_q, profiles)
        added = offsets.products(mix, curves.T, distance.clamp(0, self.extent - 1))  # (heads, n_q, n_k)
        return added.masked_fill(offsets.of_pairs(beyond).to(added.device), 0) if bool(beyond.any()) else added

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return P at each distance, one column per curve; 0 beyond its extent."""
        distance = as_positions(coordinates).round().long()
        rows = self.curves(context).double().T.to(distance.device)[distance.clamp(0, self.extent - 1)]
        rows = rows.masked_fill(((distance < 0) | (distance >= self.extent))[:, None], 0)
        return Profile(rows, tuple(f"dim {curve}" for curve in range(self.profiles)), "value")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the mixing, the curves and their extent."""
        width = n_heads * self.profiles
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            mixing = nn.Parameter(torch.randn({d_model}, {width}))  # training fills both
            curves = nn.Parameter(torch.randn({self.profiles}, {self.extent}))
            """,
            f'''
            def prepare(x):
                """x (n, {d_model}) -> (n, {n_heads}, {self.profiles}): each token's mix for each head."""
                return (x @ mixing.to(x)).unflatten(-1, ({n_heads}, {self.profiles}))
            ''',
            f'''
            def scores(q, k, q_positions, k_positions, q_mix, k_mix):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                distance = q_positions[:, None] - k_positions  # (n_q, n_k)
                near = (distance >= 0) & (distance < {self.extent})
                rows = distance.clamp(0, {self.extent - 1}).expand({n_heads}, -1, -1)
                added = (q_mix.movedim(1, 0) @ curves.to(q_mix)).gather(-1, rows) * near
                return q @ k.mT / math.sqrt({d_head}) + {self.share}added.to(q)
            ''',
            self.use_of_scores(causal, prepared=True),
        )

    def mixing(self, d_model: int, context: Context) -> Tensor:
        """Return W_r: (d_model, heads · profiles), float32 on the CPU."""
        shape = (d_model, context.n_heads * self.profiles)
        return random_streams.normal(context.seed, "inkling mixing", shape=shape, std=1 / math.sqrt(d_model))

    def curves(self, context: Context) -> Tensor:
        """Return P: (profiles, extent), float32 on the CPU."""
        shape = (self.profiles, self.extent)
        return random_streams.normal(context.seed, "inkling curves", shape=shape, std=1 / math.sqrt(self.profiles))
