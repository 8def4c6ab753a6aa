"""DeBERTa: disentangled attention in three terms, content–content, content–position and position–content."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar, Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import (
    Context,
    Formula,
    Profile,
    Project,
    ScoreEncoding,
    Side,
    Source,
    Terms,
    as_positions,
)
from posenc_gui.encodings.common.conventions import Seen
from posenc_gui.encodings.common.offsets import Offsets
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.wording import format_count

_TERMS = {"c2p": r"q_m \cdot W_k \pos{P_{\delta}}", "p2c": r"k_n \cdot W_q \pos{P_{\delta}}"}
_PROJECTED: dict[str, tuple[Side, ...]] = {"both": ("key", "query"), "c2p": ("key",), "p2c": ("query",)}
_CLIPPED = r"\pos{\delta} = \pos{m - n}, \;\mathrm{clipped\ to}\; -K \ldots K - 1"


def _score(terms: str, count: int) -> str:
    return rf"\mathrm{{score}}_{{m,n}} = \frac{{{terms}}}{{\sqrt{{{count} d}}}}"


class DeBERTa(ScoreEncoding):
    """(q_m · k_n + q_m · W_k P_δ + k_n · W_q P_δ) / √(3 d): P is a table of vectors for offsets, δ = bucket(m − n) + K.

    The layer's own W_q and W_k project the table (share_att_key in version 3). The number under the root counts the terms:
    2 where one is left out. Offsets up to K / 2 have a row each, further ones share rows that widen logarithmically up to
    `max_position`, and all beyond share the last row; version 1 has a row for each offset up to K, and offsets beyond are
    clipped.

    Both terms take the same row of the table, m − n, as released code does; the paper prints the opposite offset in the
    second. Here the table is untrained: standard normal from the context's seed, as layer normalization leaves its rows.

    Source: He et al. 2020, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention", equation 4; buckets and indices as
    transformers' DeBERTa-v2.
    """

    name: ClassVar[str] = "deberta"
    title: ClassVar[str] = "DeBERTa"
    summary: ClassVar[str] = "Adds how a query fits the offset's key vector, and how a key fits its query vector."
    equations: ClassVar[Formula] = Formula(
        where=(
            _score(" + ".join((r"q_m \cdot k_n", *_TERMS.values())), 3),
            r"\pos{\delta} = \mathrm{bucket}\left(\pos{m - n}\right)",
        ),
    )
    untyped: ClassVar[str] = "DeBERTa's vectors meet each token's query and key; a formula knows positions alone."
    source: ClassVar[Source] = Source("He et al.", 2020, "DeBERTa: Decoding-enhanced BERT with Disentangled Attention")
    also: ClassVar[tuple[str, ...]] = ("disentangled attention", "content to position")
    models: ClassVar[tuple[str, ...]] = ("DeBERTa", "DeBERTa-v3")
    across: ClassVar[Literal["dimension", "pair", "head"]] = "dimension"
    random_table: ClassVar[bool] = True

    span: int = Field(
        256,
        ge=4,
        le=2048,
        multiple_of=2,
        title="Span K",
        description="Half as many rows as the table has: 256 in version 3, 512 in version 1.",
    )
    max_position: int = Field(
        512,
        ge=4,
        le=1_000_000,
        title="Largest distance",
        description="Up to this offset the shared rows widen.",
        json_schema_extra={"unit": "positions"},
    )
    log_buckets: bool = Field(True, title="Shared rows", description="Far offsets share rows, as from version 2 on.")
    terms: Literal["both", "c2p", "p2c"] = Field(
        "both",
        title="Terms",
        description="The terms added: how queries fit the offset's key vector, how keys fit its query vector, or both.",
        json_schema_extra={"names": {"both": "both", "c2p": "content to position", "p2c": "position to content"}},
    )

    @model_validator(mode="after")
    def _buckets_must_reach(self) -> Self:
        least = self.span // 2 + 2
        if self.log_buckets and self.max_position < least:
            raise ValueError(
                f"with a span of {self.span} the first {self.span // 2} offsets have a row each, so the largest distance must be "
                f"at least {least}, not {self.max_position}"
            )
        return self

    def scale(self, d_head: int) -> float:
        """Return 1/√(3 d_head), or 1/√(2 d_head) if a term is left out."""
        return 1 / math.sqrt(self.count * d_head)

    @property
    def own_equations(self) -> Formula:
        """The formula with the terms and the offsets of this version."""
        terms = " + ".join((r"q_m \cdot k_n", *(term for name, term in _TERMS.items() if self.terms in ("both", name))))
        row = self.equations.where[1] if self.log_buckets else _CLIPPED
        return self.equations.defining(_score(terms, self.count), row)

    @property
    def count(self) -> int:
        """The number of terms."""
        return 3 if self.terms == "both" else 2

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: the table; W_q and W_k are the layer's own."""
        return 2 * self.span * d_model

    def remark(self, context: Context) -> str:
        """Return the caveats: its table is untrained, and its scale counts the terms."""
        return (
            f"The table is untrained: seeded random rows (seed {context.seed}). Scores are divided by √({self.count} · d_head), "
            f"as they have {self.count} terms.{self._shared(context.length)}"
        )

    def _shared(self, length: int) -> str:
        """Return a sentence with the distance from which offsets share rows; empty if the sequence is too short."""
        rows = self.rows(torch.arange(min(length, self.max_position + self.span)), torch.zeros(1))[:, 0]
        alike = (rows.diff() == 0).nonzero()
        return (
            f" From {format_count(int(alike[0]), 'position')} apart on, offsets begin to share rows."
            if len(alike)
            else ""
        )

    def bucket(self, offsets: Tensor) -> Tensor:
        """Return the row of each offset m − n, counted from the middle of the table: signed whole numbers."""
        offsets = offsets.round()
        if not self.log_buckets:
            return offsets.long()
        mid, distance = self.span // 2, offsets.abs().float()  # float32 as in transformers
        widest = torch.log(torch.tensor((self.max_position - 1) / mid))
        beyond = torch.ceil(torch.log(distance.clamp(min=1) / mid) / widest * (mid - 1)) + mid
        return torch.where(distance <= mid, offsets, beyond * offsets.sign()).long()

    def rows(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Return the table's row for each query and key, (n_q, n_k), from 0 to 2 K − 1."""
        return self.rows_of(as_positions(q_positions)[:, None] - as_positions(k_positions))

    def rows_of(self, offsets: Tensor) -> Tensor:
        """Return the row of each offset m − n, from 0 to 2 K − 1."""
        return (self.bucket(offsets) + self.span).clamp(0, 2 * self.span - 1)

    def tables(self, d_model: int, context: Context, project: Project) -> tuple[Tensor, ...]:
        """Return W_k P, and W_q P, of which one may not be used: (heads, 2 K, d_head) each."""
        table = self.table(d_model, context)
        return tuple(project(table, side) for side in _PROJECTED[self.terms])

    def content(self, terms: Terms) -> Tensor:
        """Return q_m · W_k P_δ, (heads, n_q, n_k)."""
        if self.terms == "p2c":
            return super().content(terms)
        offsets = Offsets.of(terms.q_positions, terms.k_positions)
        return offsets.products(terms.queries, terms.tables[0], self.rows_of(offsets.values))

    def extra(self, terms: Terms) -> Tensor:
        """Return k_n · W_q P_δ / √(3 d), (heads, n_q, n_k)."""
        if self.terms == "c2p":
            return super().extra(terms)
        offsets = Offsets.of(terms.q_positions, terms.k_positions)
        return offsets.products(terms.keys * terms.scale, terms.tables[-1], self.rows_of(offsets.values), "key")

    def profile(self, coordinates: Tensor, d_model: int, context: Context) -> Profile:
        """Return the table's row of each offset m − n, one column per dimension."""
        rows = self.rows(coordinates, torch.zeros(1))[:, 0]
        labels = tuple(f"dim {dimension}" for dimension in range(d_model))
        return Profile(self.table(d_model, context).double()[rows.cpu()], labels, "value")

    @classmethod
    def bucketed(cls, seen: Seen) -> Iterable[tuple[str, Self]]:
        """Yield version 3's and version 1's table, and others that share rows or don't."""
        for span, far, shared in ((256, 512, True), (512, 512, False), (256, 512, False), (512, 1024, True)):
            found = cls(span=span, max_position=far, log_buckets=shared)
            yield "far offsets share rows" if shared else "a row for each offset", found

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the table, the row of each offset, and the terms."""
        mid, width = self.span // 2, n_heads * d_head
        added = []
        if self.terms != "p2c":
            added.append("(q @ heads(place @ w_k.to(q)).mT).gather(-1, rows)")
        if self.terms != "c2p":
            added.append("(k @ heads(place @ w_q.to(q)).mT).gather(-1, rows.mT).mT")
        bucket = [
            f"widest = torch.tensor({self.max_position - 1} / {mid}).log()",
            "distance = offsets.abs().clamp(min=1).float()",
            f"shared = ((distance / {mid}).log() / widest * {mid - 1}).ceil() + {mid}",
            f"rows = torch.where(distance <= {mid}, offsets, offsets.sign() * shared)",
        ]
        lines = [
            "offsets = q_positions[:, None] - k_positions  # (n_q, n_k)",
            *(bucket if self.log_buckets else ["rows = offsets"]),
            f"rows = (rows.long() + {self.span}).clamp(0, {2 * self.span - 1}).expand({n_heads}, -1, -1)",
            f"place = {self.share}table.weight.to(q)",
            " + ".join(("terms = q @ k.mT", *added[:1])),
            *(f"terms = terms + {term}" for term in added[1:]),
            f"return terms / ({self.count} * {d_head}) ** 0.5",
        ]
        body = "\n                ".join(lines)
        return self.snippet(
            f"""
            import torch
            from torch import nn

            table = nn.Embedding({2 * self.span}, {d_model})  # training fills it
            w_q = nn.Parameter(torch.randn({d_model}, {width}))  # the layer's own
            w_k = nn.Parameter(torch.randn({d_model}, {width}))
            """,
            f"""
            def heads(x):
                return x.view(len(x), {n_heads}, {d_head}).movedim(1, 0)
            """,
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                {body}
            ''',
            self.use_of_scores(causal),
        )

    def table(self, d_model: int, context: Context) -> Tensor:
        """Return P: (2 K, d_model), float32 on the CPU."""
        return random_streams.normal(context.seed, "deberta table", shape=(2 * self.span, d_model))
