"""Relative encoding of Shaw et al.: a vector for each offset, added to the key and to the value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Literal, Self

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Profile, Project, ScoreEncoding, Source, Terms, as_positions
from posenc_gui.encodings.common.conventions import Seen
from posenc_gui.encodings.common.offsets import Offsets
from posenc_gui.foundation import random_streams


class Shaw(ScoreEncoding):
    """Scores are q_m · (k_n + a_(n−m)) · scale; outputs add the weighted sum of b_(n−m) to the values'.

    a and b are tables with a row for each offset from −k to k, shared by the heads; offsets further away take the last
    row. Here both are untrained: standard normal from the context's seed, as large as keys and values.

    Source: Shaw, Uszkoreit, Vaswani 2018, equations 3 and 4 (their offset is key minus query, like x-transformers').
    """

    name: ClassVar[str] = "shaw"
    title: ClassVar[str] = "Relative (Shaw)"
    summary: ClassVar[str] = "Adds to each key, and to each value, a vector that depends on the offset."
    equations: ClassVar[Formula] = Formula(
        key=r"f_k(x_n, n) = W_k x_n + \pos{a_{n-m}}",
        value=r"f_v(x_n, n) = W_v x_n + \pos{b_{n-m}}",
        where=(r"\pos{n - m} \;\mathrm{clipped\ to}\; -k \ldots k",),
    )
    untyped: ClassVar[str] = "Shaw's vectors meet each token's query; a formula knows positions alone."
    source: ClassVar[Source] = Source(
        "Shaw, Uszkoreit, Vaswani", 2018, "Self-Attention with Relative Position Representations"
    )
    also: ClassVar[tuple[str, ...]] = ("relative position representations", "relative key")
    models: ClassVar[tuple[str, ...]] = ("Music Transformer (keys only)", "wav2vec2-BERT (keys only)")
    across: ClassVar[Literal["dimension", "pair", "head"]] = "dimension"
    random_table: ClassVar[bool] = True

    max_distance: int = Field(
        16,
        ge=1,
        le=1024,
        title="Clip at k",
        description="Offsets further away share the vector of this one.",
        json_schema_extra={"unit": "positions"},
    )
    value_term: bool = Field(
        True, title="Value term", description="Add a vector to the values too, not only to the keys."
    )

    @property
    def own_equations(self) -> Formula:
        """The formula, without the values' term if there is none."""
        return self.equations if self.value_term else replace(self.equations, value=Formula.value)

    @property
    def brought_in(self) -> tuple[str, ...]:
        """The terms of the scores, and the vectors added to the values, if there are any."""
        return *super().brought_in, *(("what is added to the values",) if self.value_term else ())

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: one table, or both."""
        return (2 * self.max_distance + 1) * d_head * (1 + self.value_term)

    def remark(self, context: Context) -> str:
        """Return the caveats: its parameters are untrained; far offsets share a row; scores don't show the value term."""
        tables, furthest = "tables are" if self.value_term else "table is", self.max_distance
        remarks = [f"The {tables} untrained: seeded random rows (seed {context.seed})."]
        if context.length > furthest + 1:
            remarks.append(f"Offsets of more than {furthest:,} share the row of {furthest:,}.")
        if self.value_term:
            remarks.append("The vectors added to the values change the outputs, but no score shows them.")
        return " ".join(remarks)

    def tables(self, d_model: int, context: Context, project: Project) -> tuple[Tensor, ...]:
        """Return a, and b if it is used, (2 k + 1, d_head) each."""
        return self.table("key", context), *((self.table("value", context),) if self.value_term else ())

    def content(self, terms: Terms) -> Tensor:
        """Return q_m · a_(n−m), (heads, n_q, n_k)."""
        offsets = Offsets.of(terms.q_positions, terms.k_positions)
        return offsets.products(terms.queries, terms.tables[0], self._rows(-offsets.values))

    def values(self, probabilities: Tensor, terms: Terms) -> Tensor:
        """Return the sum over keys of probability · b_(n−m), (heads, n_q, d_head)."""
        if not self.value_term:
            return super().values(probabilities, terms)
        table = terms.tables[1]
        rows = self.rows(terms.q_positions, terms.k_positions).to(probabilities.device)
        weights = probabilities.new_zeros(*probabilities.shape[:2], len(table))
        return weights.scatter_add_(-1, rows.expand(len(probabilities), -1, -1), probabilities) @ table

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return the vector added to the key at each offset m − n, one column per dimension of a head."""
        rows = self.rows(torch.zeros(1), -coordinates)[0]
        labels = tuple(f"dim {dimension}" for dimension in range(context.d_head))
        return Profile(self.table("key", context).double()[rows.cpu()], labels, "added to a key")

    @classmethod
    def bucketed(cls, seen: Seen) -> Iterable[tuple[str, Self]]:
        """Yield the clip that the largest row suggests, and usual ones."""
        largest = 0 if seen.values is None else int(seen.values.max())
        clips = (16, largest // 2, largest, 8, 32, 64, 128)
        return (("", cls(max_distance=clip)) for clip in dict.fromkeys(clips) if 1 <= clip <= 1024)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the tables and the terms that use them."""
        k = self.max_distance
        tables = [f"key_table = nn.Embedding({2 * k + 1}, {d_head})  # offsets -{k} to {k}: training fills it"]
        values, output = [], "weights @ v"
        if self.value_term:
            tables += [f"value_table = nn.Embedding({2 * k + 1}, {d_head})  # the same for values"]
            values = [
                f'''
                def values(probabilities, q_positions, k_positions):
                    """Probabilities ({n_heads}, n_q, n_k) -> ({n_heads}, n_q, {d_head})."""
                    vectors = {self.share}value_table(rows(q_positions, k_positions))  # (n_q, n_k, {d_head})
                    return torch.einsum("hqk,qkd->hqd", probabilities, vectors.to(probabilities))
                '''
            ]
            output += " + values(weights, positions, positions)"
        return self.snippet(
            "\n".join(("import math", "", "import torch", "from torch import nn", "", *tables)),
            f'''
            def rows(q_positions, k_positions):
                """Rows of the table: key minus query, clipped, (n_q, n_k)."""
                return (k_positions - q_positions[:, None]).clamp(-{k}, {k}) + {k}
            ''',
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                vectors = {self.share}key_table(rows(q_positions, k_positions)).to(q)  # (n_q, n_k, {d_head})
                return (q @ k.mT + torch.einsum("hqd,qkd->hqk", q, vectors)) / math.sqrt({d_head})
            ''',
            *values,
            self.use_of_scores(causal, output),
        )

    def rows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Return the table's row for each query and key, (n_q, n_k): key minus query, clipped, from 0 on."""
        return self._rows(as_positions(k_positions) - as_positions(q_positions)[:, None])

    def rows_of(self, offsets: Tensor) -> Tensor:
        """Return the row of each offset m − n; the table counts them from the key."""
        return self._rows(-offsets)

    def _rows(self, offsets: Tensor) -> Tensor:
        return (offsets.round().clamp(-self.max_distance, self.max_distance) + self.max_distance).long()

    def table(self, name: Literal["key", "value"], context: Context) -> Tensor:
        """Return a ("key") or b ("value"): (2k + 1, d_head), float32 on the CPU."""
        shape = (2 * self.max_distance + 1, context.d_head)
        return random_streams.normal(context.seed, "shaw table", name, shape=shape)
