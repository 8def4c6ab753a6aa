"""Transformer-XL: queries match a key's content and, separately, its offset."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import (
    Context,
    Formula,
    Profile,
    Project,
    ScoreEncoding,
    Source,
    Terms,
    as_positions,
    code_literal,
    convert_like,
)
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.offsets import Offsets
from posenc_gui.encodings.common.rotary import base_field, plain_frequencies
from posenc_gui.foundation import random_streams


class TransformerXL(ScoreEncoding):
    """((q_m + u) · k_n + (q_m + v) · W_r R_(m−n)) / √d: R are sinusoidal vectors of offsets, W_r projects them like keys.

    u and v are biases that all queries share, one of each for each head. u, v and W_r are learned; here they are
    untrained: normal numbers from the context's seed, W_r as large as the toy model's own projections.

    Source: Dai et al. 2019, "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context", section 3.3; all
    sines of R first as in its authors' code, or interleaved as in Conformer and transformers' wav2vec2-BERT.
    """

    name: ClassVar[str] = "transformer_xl"
    title: ClassVar[str] = "Transformer-XL"
    summary: ClassVar[str] = (
        "Adds how well a query fits a sinusoidal vector of the offset, and what all queries ask for."
    )
    equations: ClassVar[Formula] = Formula(
        where=(
            r"\mathrm{score}_{m,n} = "
            r"\frac{\left(q_m + u\right) \cdot k_n + \left(q_m + v\right) \cdot W_r \pos{R_{m-n}}}{\sqrt{d}}",
            r"\pos{R_{m-n}} \;\mathrm{sinusoidal}",
        ),
    )
    untyped: ClassVar[str] = "Transformer-XL's vectors meet each token's query; a formula knows positions alone."
    source: ClassVar[Source] = Source(
        "Dai et al.", 2019, "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context"
    )
    also: ClassVar[tuple[str, ...]] = ("XLNet", "relative sinusoids")
    models: ClassVar[tuple[str, ...]] = ("Transformer-XL", "Conformer")
    across: ClassVar[Literal["dimension", "pair", "head"]] = "dimension"

    base: float = base_field(1e9, "waves")
    layout: Literal["concatenated", "interleaved"] = Field(
        "concatenated", title="Layout", description="The order of sines and cosines among R's dimensions."
    )

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: W_r, u and v."""
        return (d_model + 2) * n_heads * d_head

    def remark(self, context: Context) -> str:
        """Return the caveat that u, v and W_r are untrained."""
        return f"Its u, v and W_r are untrained: seeded random numbers (seed {context.seed})."

    def vectors_of(self, offsets: Tensor, d_model: int) -> Tensor:
        """R of each offset m − n, (n,): (n, d_model), float64, without its last wave where the width is odd."""
        phases = offsets[:, None] * plain_frequencies(self.base, d_model).to(offsets.device)  # (n, waves)
        waves = phases.sin(), phases.cos()
        if self.layout == "interleaved":
            return torch.stack(waves, dim=-1).flatten(-2)[:, :d_model]
        return torch.cat(waves, dim=-1)[:, :d_model]

    def tables(self, d_model: int, context: Context, project: Project) -> tuple[Tensor, ...]:
        """Return u and v, (heads, 1, d_head) each, and W_r, (d_model, heads · d_head)."""
        u, v = (self.wish(name, context)[:, None] for name in ("u", "v"))
        return u, v, self.projection(d_model, context)

    def content(self, terms: Terms) -> Tensor:
        """Return (q_m + v) · W_r R_(m−n), (heads, n_q, n_k): a view, to save an array."""
        u, v, w_r = terms.tables
        offsets = Offsets.of(terms.q_positions, terms.k_positions).merged
        vectors = convert_like(self.vectors_of(offsets.values, len(w_r)), terms.queries)
        w_r = w_r.view(len(w_r), len(u), -1).movedim(1, 0)  # (heads, d_model, d_head)
        asking = terms.queries + v  # (heads, n_q, d_head)
        is_one = asking.shape[1] == 1  # then projecting it back takes far less than projecting every offset
        by_offset = asking @ w_r.mT @ vectors.T if is_one else asking @ (vectors @ w_r).mT  # (heads, n_q, offsets)
        return offsets.of_queries(by_offset)

    def extra(self, terms: Terms) -> Tensor:
        """Return u · k_n / √d, (heads, n_q, n_k), the same for all queries."""
        u, _v, _w_r = terms.tables
        return (u @ terms.keys.mT * terms.scale).expand(-1, terms.queries.shape[1], -1)

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return R at each offset m − n, one column per dimension."""
        labels = tuple(f"dim {dimension}" for dimension in range(d_model))
        return Profile(self.vectors_of(as_positions(coordinates), d_model), labels, "value")

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield the table of R, from the farthest offset to 0 or to the farthest one on the other side."""
        shape = (seen.shape if seen.kind == "table" else ()) + (0,)
        for layout, sides in product(("concatenated", "interleaved") if len(shape) == 3 else (), (1, 2)):
            last = ((seen.rows or shape[0]) - 1) // sides
            words = f"offsets {last} down to {'0' if sides == 1 else f'−{last}'}, {layout}"
            read = lambda one, m, last=last: one.vectors_of(last - m, seen.shape[1])  # noqa: E731
            yield Convention(cls.model_validate({"layout": layout}), words, read, ("base",))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the sinusoidal vectors, their projection, and the two biases u and v."""
        waves, half = "angles.sin(), angles.cos()", (d_model + 1) // 2
        joined = f"torch.cat(({waves}), dim=-1)"
        if self.layout == "interleaved":
            joined = f"torch.stack(({waves}), dim=-1).flatten(-2)"
        cut = f"[..., :{d_model}]" if d_model % 2 else ""
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            xl_u = nn.Parameter(torch.randn({n_heads}, {d_head}))  # training fills all three
            xl_v = nn.Parameter(torch.randn({n_heads}, {d_head}))
            relative_projection = nn.Parameter(torch.randn({d_model}, {n_heads * d_head}))
            """,
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                i = torch.arange({half}, dtype=torch.float64, device=q.device)
                offsets = (q_positions[:, None] - k_positions)[..., None]  # (n_q, n_k, 1)
                angles = offsets * {code_literal(self.base)} ** (-2 * i / {d_model})
                vectors = {joined}
                r = (vectors{cut}.to(q) @ relative_projection.to(q)).unflatten(-1, (-1, {d_head}))
                u, v = xl_u.to(q)[:, None], xl_v.to(q)[:, None]
                place = torch.einsum("hqd,qkhd->hqk", q + v, r)
                return ((q + {self.share}u) @ k.mT + {self.share}place) / math.sqrt({d_head})
            ''',
            self.use_of_scores(causal),
        )

    def wish(self, name: Literal["u", "v"], context: Context) -> Tensor:
        """Return u or v: (heads, d_head), float32 on the CPU."""
        shape = (context.n_heads, context.d_head)
        return random_streams.normal(context.seed, "transformer_xl", f"xl {name}", shape=shape)

    def projection(self, d_model: int, context: Context) -> Tensor:
        """Return W_r: (d_model, heads · d_head), float32 on the CPU."""
        shape, std = (d_model, context.n_heads * context.d_head), 1 / math.sqrt(d_model)
        return random_streams.normal(context.seed, "transformer_xl", "relative projection", shape=shape, std=std)
