"""FoX: each token decides how much of what came before it is forgotten."""

from __future__ import annotations

import math
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import logsigmoid

from posenc_gui.encodings.base import Context, Formula, ScoreEncoding, Source, Terms, code_literal
from posenc_gui.foundation import random_streams


class FoX(ScoreEncoding):
    """Σ log σ(w_h · x_t + b), over the tokens t after the key up to the query, is added to each score of head h.

    It is ALiBi with steps that depend on the tokens: a gate near 1 forgets nothing, one near 0 everything before. Sums are
    differences of running sums. Without a mask keys after the query lose as much as those before it; the paper has a causal
    mask. w and b are learned, b for each head; here w is untrained, normal numbers from the context's seed, and b is given.

    Source: Lin et al. 2025, "Forgetting Transformer: Softmax Attention with a Forget Gate", equation 6; x-transformers'
    DataDependentAlibi, where b starts at 5.
    """

    name: ClassVar[str] = "fox"
    title: ClassVar[str] = "FoX"
    summary: ClassVar[str] = "Lets each word decide how much of what came before it is forgotten."
    equations: ClassVar[Formula] = Formula(
        where=(
            r"\mathrm{score}_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d}} + \sum_{\pos{t = n + 1}}^{\pos{m}}"
            r" \log \sigma\left(w_h \cdot x_t + b\right)",
        ),
    )
    untyped: ClassVar[str] = "FoX forgets as each token says; a formula knows positions alone."
    source: ClassVar[Source] = Source(
        "Lin et al.", 2025, "Forgetting Transformer: Softmax Attention with a Forget Gate"
    )
    also: ClassVar[tuple[str, ...]] = ("forgetting transformer", "forget gate", "data-dependent ALiBi")

    gate_bias: float = Field(
        1.0,
        ge=-10,
        le=10,
        title="Gate bias b",
        description="Larger values forget less; at 5, where x-transformers starts, hardly anything is forgotten.",
    )

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: a vector and a number for each head."""
        return (d_model + 1) * n_heads

    def remark(self, context: Context) -> str:
        """Return the caveats: its parameters are untrained, and it is meant for a causal mask."""
        untrained = f"The gates' vectors are untrained: seeded random numbers (seed {context.seed})."
        if context.causal:
            return untrained
        return f"{untrained} It is meant for a causal mask: without one, keys after the query lose as much as those before it."

    def prepare(self, inputs: Tensor, context: Context) -> Tensor:
        """Return the running sums of the gates' logarithms, (n, heads), float64 if the device supports it."""
        vectors = self.vectors_of_gates(inputs.shape[-1], context).to(inputs)
        gates = logsigmoid(inputs @ vectors + self.gate_bias)  # (n, heads)
        return (gates if gates.device.type == "mps" else gates.double()).cumsum(0)

    def extra(self, terms: Terms) -> Tensor:
        """Return the sum of the gates' logarithms between each key and query, (heads, n_q, n_k)."""
        assert terms.q_prepared is not None
        assert terms.k_prepared is not None
        queries, keys = terms.q_prepared.T[:, :, None], terms.k_prepared.T[:, None]  # (heads, n_q, 1), (heads, 1, n_k)
        sums = terms.queries.new_empty(len(queries), queries.shape[1], keys.shape[2])
        return torch.sub(queries, keys, out=sums).abs_().neg_()  # exact differences, of which no whole array is held

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: gates, their running sums, and the differences of these."""
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            gates = nn.Parameter(torch.randn({d_model}, {n_heads}))  # training fills it, and the bias
            """,
            f'''
            def prepare(x):
                """x (n, {d_model}), the whole sentence -> (n, {n_heads}): running sums."""
                kept = x @ gates.to(x) + {code_literal(self.gate_bias)}
                return nn.functional.logsigmoid(kept).double().cumsum(0)
            ''',
            f'''
            def scores(q, k, q_positions, k_positions, q_sums, k_sums):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                sums = -(q_sums.T[:, :, None] - k_sums.T[:, None]).abs()  # ({n_heads}, n_q, n_k)
                return q @ k.mT / math.sqrt({d_head}) + {self.share}sums.to(q)
            ''',
            self.use_of_scores(causal, prepared=True),
        )

    def vectors_of_gates(self, d_model: int, context: Context) -> Tensor:
        """Return w: (d_model, heads), float32 on the CPU."""
        shape = (d_model, context.n_heads)
        return random_streams.normal(context.seed, "fox gates", shape=shape, std=1 / math.sqrt(d_model))
