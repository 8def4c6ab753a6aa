"""CoPE: distance counted by content, such as in sentences or in verbs."""

from __future__ import annotations

from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Project, ScoreEncoding, Source, Terms
from posenc_gui.foundation import random_streams


class CoPE(ScoreEncoding):
    """Key n stands p = Σ σ(score_t) away, over all keys t from n to the query; q_m · e_p is added to the score.

    Each query counts only tokens that it finds worth counting, possibly itself. p is fractional, so q · e is interpolated
    between the adjacent rows of the table; counts from npos − 1 on share the last row. The table is shared by the heads
    and untrained here: standard normal from the context's seed. Without a mask keys after the query are counted likewise;
    the paper has a causal one.

    Source: Golovneva et al. 2024, "Contextual Position Encoding: Learning to Count What's Important", equations 3 to 6 and
    appendix B.
    """

    name: ClassVar[str] = "cope"
    title: ClassVar[str] = "CoPE"
    summary: ClassVar[str] = (
        "Counts only the words that a query finds worth counting, and adds how well the query fits the count's vector."
    )
    equations: ClassVar[Formula] = Formula(
        where=(
            r"\mathrm{score}_{m,n} = s_{m,n} + q_m \cdot \pos{e_{p}}, \quad s_{m,n} = \frac{q_m \cdot k_n}{\sqrt{d}}",
            r"\pos{p} = \sum_{t=\pos{n}}^{\pos{m}} \sigma\left(s_{m,t}\right)",
        ),
    )
    untyped: ClassVar[str] = "CoPE counts by what the tokens are; a formula knows positions alone."
    source: ClassVar[Source] = Source(
        "Golovneva et al.", 2024, "Contextual Position Encoding: Learning to Count What's Important"
    )
    also: ClassVar[tuple[str, ...]] = ("contextual position encoding", "counting")
    tiled: ClassVar[bool] = False  # a count needs all keys in between
    random_table: ClassVar[bool] = True

    npos: int = Field(
        64, ge=2, le=4096, title="Counts", description="Rows of the table: counts beyond the last one share it."
    )

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: the table, one for all heads."""
        return self.npos * d_head

    def remark(self, context: Context) -> str:
        """Return the caveats: its parameters are untrained, and it is meant for a causal mask."""
        untrained = f"The table is untrained: seeded random rows (seed {context.seed})."
        if context.length > self.npos:
            untrained += f" Counts from {self.npos - 1:,} on share the last row."
        mask = " It is meant for a causal mask: without one it counts both ways and can't tell a sentence from its mirror image."
        return untrained if context.causal else f"{untrained}{mask}"

    def tables(self, d_model: int, context: Context, project: Project) -> tuple[Tensor, ...]:
        """Return e, (npos, d_head)."""
        return (self.table(context),)

    def extra(self, terms: Terms) -> Tensor:
        """Return q_m · e_p, interpolated between whole counts, (heads, n_q, n_k)."""
        logits = (terms.queries @ terms.keys.mT * terms.scale).masked_fill(~terms.visible, -torch.inf)
        gates = logits.sigmoid()  # (heads, n_q, n_k)
        queries, keys = terms.q_indices[:, None], terms.k_indices
        first, last = (ends.expand_as(gates) for ends in (torch.minimum(queries, keys), torch.maximum(queries, keys)))
        sums = gates.cumsum(-1)
        counts = sums.gather(-1, last) - (sums - gates).gather(-1, first)
        counts = counts.clamp(0, self.npos - 1)  # (heads, n_q, n_k)
        by_count = terms.queries @ terms.tables[0].T  # (heads, n_q, npos)
        below = counts.floor()
        part = counts - below
        whole = by_count.gather(-1, below.long())
        return whole + part * (by_count.gather(-1, counts.ceil().long()) - whole)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: gates, their sum from each key to the query, and the table."""
        gates = "gates = logits.sigmoid()  # what is worth counting"
        if causal:
            gates = "gates = logits.sigmoid().tril(n_k - n_q)  # keys after the query don't count"
        lines = [
            f"logits = q @ k.mT / math.sqrt({d_head})",
            "n_q, n_k = logits.shape[-2:]  # queries are the last tokens",
            gates,
            "m, n = torch.arange(n_k - n_q, n_k)[:, None], torch.arange(n_k)",
            f"last = torch.maximum(m, n).expand({n_heads}, -1, -1)",
            f"first = torch.minimum(m, n).expand({n_heads}, -1, -1)",
            "sums = gates.cumsum(-1, dtype=torch.float32)  # the count: first to last",
            "counts = sums.gather(-1, last) - (sums - gates).gather(-1, first)",
            f"counts = counts.clamp(0, {self.npos - 1})",
            f"by_count = {self.share}q @ table.weight.to(q).T  # ({n_heads}, n_q, {self.npos})",
            "below = by_count.gather(-1, counts.floor().long())",
            "above = by_count.gather(-1, counts.ceil().long())",
            "return logits + (below + counts.frac() * (above - below)).to(q)",
        ]
        body = "\n                ".join(lines)
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            table = nn.Embedding({self.npos}, {d_head})  # counts from 0 on: training fills it
            """,
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k of all keys -> ({n_heads}, n_q, n_k), before the mask."""
                {body}
            ''',
            self.use_of_scores(causal),
        )

    def table(self, context: Context) -> Tensor:
        """Return e: (npos, d_head), float32 on the CPU."""
        return random_streams.normal(context.seed, "cope table", shape=(self.npos, context.d_head))
