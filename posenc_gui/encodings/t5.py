"""T5's relative bias: one learned number for each head and bucket of offsets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import ClassVar, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, ScoreEncoding, Source, as_numbers, as_positions
from posenc_gui.encodings.common.conventions import Seen
from posenc_gui.foundation import random_streams


class T5(ScoreEncoding):
    """table[bucket(n − m), h] is added to q · k, which is not divided by √d_head.

    Near offsets have a bucket each, further ones share buckets that widen logarithmically up to `max_distance`; all beyond
    share the last. Bidirectional buckets keep half for keys that come after the query, causal ones see only those before.
    Here the table is untrained: standard normal from the context's seed.

    Source: Raffel et al. 2019, section 2.1; buckets as transformers' T5Attention._relative_position_bucket, whose
    logarithm is float32.
    """

    name: ClassVar[str] = "t5"
    title: ClassVar[str] = "T5 relative bias"
    summary: ClassVar[str] = "Adds a learned number to each score, one for each head and bucket of offsets."
    equations: ClassVar[Formula] = Formula(
        where=(r"\mathrm{score}_{m,n} = q_m \cdot k_n + \pos{b_{h,\,\mathrm{bucket}(n - m)}}",)
    )
    untyped: ClassVar[str] = "T5's bias is a table of numbers that training finds; no formula gives them."
    source: ClassVar[Source] = Source(
        "Raffel et al.", 2019, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer"
    )
    also: ClassVar[tuple[str, ...]] = ("relative attention bias", "buckets")
    models: ClassVar[tuple[str, ...]] = ("T5", "mT5", "Flan-T5", "LongT5")
    of_offset: ClassVar[bool] = True
    random_table: ClassVar[bool] = True

    buckets: int = Field(32, ge=4, le=512, multiple_of=4, title="Buckets", description="Numbers for each head.")
    max_distance: int = Field(
        128,
        ge=2,
        le=100_000,
        title="Largest distance",
        description="This offset and all further ones share the last bucket, which may begin before it.",
        json_schema_extra={"unit": "positions"},
    )
    bidirectional: bool = Field(
        True, title="Both directions", description="Half of the buckets for keys after the query, as in T5's encoder."
    )

    @model_validator(mode="after")
    def _buckets_must_reach(self) -> Self:
        if self.max_distance <= self._exact:
            raise ValueError(
                f"with {self.buckets} buckets the first {self._exact} offsets have one each, "
                f"so the largest distance must be more than {self._exact}, not {self.max_distance}"
            )
        return self

    def scale(self, d_head: int) -> float:
        """Return 1: T5 doesn't divide by √d_head."""
        return 1.0

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: a number for each bucket and head; T5's layers share them."""
        return self.buckets * n_heads

    def remark(self, context: Context) -> str:
        """Return the caveats: its table is untrained, and its scale is 1."""
        unused = " The causal mask leaves half of its buckets unused." if context.causal and self.bidirectional else ""
        return (
            f"The table is untrained: seeded random numbers (seed {context.seed}). T5 doesn't divide q · k by √d_head: it "
            f"starts from smaller weights instead.{unused}{self._shared(context.length)}"
        )

    def _shared(self, length: int) -> str:
        """Return a sentence with the distance from which keys share the last bucket; empty if the sequence is too short."""
        buckets = self.bucket(-torch.arange(min(length, self.max_distance + 1)))
        in_last = (buckets == self._per_side - 1).nonzero()
        if len(in_last) < 2:
            return ""
        return f" Keys {int(in_last[0]):,} and more positions before a query share the last bucket: they look alike."

    def bucket(self, relative: Tensor) -> Tensor:
        """Return the bucket of each relative position, key minus query: the same shape, whole numbers from 0 to buckets − 1."""
        relative = as_numbers(relative, "relative positions").round().long()
        per_side, first = self._per_side, torch.zeros_like(relative)
        if self.bidirectional:
            first = torch.where(relative > 0, per_side, 0)
            distance = relative.abs()
        else:
            distance = (-relative).clamp(min=0)
        exact = self._exact
        beyond = torch.log(distance.clamp(min=exact).float() / exact) / math.log(self.max_distance / exact)
        shared = exact + (beyond * (per_side - exact)).long()
        return first + torch.where(distance < exact, distance, shared.clamp(max=per_side - 1))

    def rows_of(self, offsets: Tensor) -> Tensor:
        """Return the bucket of each offset m − n."""
        return self.bucket(-offsets)

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Return the table's number for each head, query and key: (n_heads, n_q, n_k), float64."""
        relative = as_positions(k_positions) - as_positions(q_positions)[:, None]
        return self.table(n_heads, context).to(relative)[self.bucket(relative)].movedim(-1, 0)

    def table(self, n_heads: int, context: Context | None) -> Tensor:
        """Return the numbers of each bucket, (buckets, n_heads)."""
        return random_streams.normal(context.seed if context else 0, "t5 table", shape=(self.buckets, n_heads))

    @classmethod
    def bucketed(cls, seen: Seen) -> Iterator[tuple[str, Self]]:
        """Yield both kinds with numbers of buckets that suit the largest one, and usual largest distances."""
        largest = 0 if seen.values is None else int(seen.values.max())
        counts = dict.fromkeys((32, 64, 16, 128, 320, 4 * (largest // 4 + 1)))
        for count, both, distance in product(counts, (True, False), (128, 256, 64, 512, 800, 1024, 2048)):
            if largest < count <= 512 and distance > count // (4 if both else 2):
                found = cls(buckets=count, max_distance=distance, bidirectional=both)
                yield "both directions" if both else "keys before the query", found

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the table and the bucket of each offset."""
        per_side, exact, furthest = self._per_side, self._exact, self.max_distance
        if self.bidirectional:
            distance = "relative.abs()"
            result = f"buckets + {per_side} * (relative > 0)  # the upper half: keys after the query"
        else:
            distance, result = "(-relative).clamp(min=0)  # keys after the query: 0", "buckets"
        return self.snippet(
            f"""
            import math

            import torch
            from torch import nn

            table = nn.Embedding({self.buckets}, {n_heads})  # (buckets, heads): training fills it
            """,
            f'''
            def bucket(relative):
                """Key minus query -> 0 to {self.buckets - 1}: one each for distances below {exact}, then wider."""
                distance = {distance}
                beyond = torch.log(distance.clamp(min={exact}).float() / {exact})
                shared = {exact} + (beyond / math.log({furthest} / {exact}) * {per_side - exact}).long()
                shared = shared.clamp(max={per_side - 1})  # the last has no end
                buckets = torch.where(distance < {exact}, distance, shared)
                return {result}
            ''',
            f'''
            def scores(q, k, q_positions, k_positions):
                """q ({n_heads}, n_q, {d_head}), k ({n_heads}, n_k, {d_head}) -> ({n_heads}, n_q, n_k), before the mask."""
                relative = k_positions - q_positions[:, None]  # (n_q, n_k)
                bias = table(bucket(relative)).movedim(-1, 0)  # ({n_heads}, n_q, n_k)
                return q @ k.mT + {self.share}bias.to(q)  # T5 does not divide by sqrt({d_head})
            ''',
            self.use_of_scores(causal),
        )

    @property
    def _per_side(self) -> int:
        return self.buckets // 2 if self.bidirectional else self.buckets

    @property
    def _exact(self) -> int:
        return self._per_side // 2
