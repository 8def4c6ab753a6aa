"""Learned absolute encoding: a table with one row a position."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions, require_rows
from posenc_gui.foundation import random_streams


class Learned(InputEncoding):
    """p_m = table[m], a table (max_len, d_model) that training would fill.

    Here it is untrained: standard normal numbers from the context's seed, as large as the toy model's token vectors (GPT-2
    and BERT initialize both with a standard deviation of 0.02). There is no row past max_len − 1, nor for fractional positions.

    Source: Gehring et al. 2017, section 3.1; used as in Devlin et al. 2018 (BERT, 512 rows) and GPT-2 (1,024 rows).
    """

    name: ClassVar[str] = "learned"
    title: ClassVar[str] = "Learned"
    summary: ClassVar[str] = "A table with one vector for each position up to a fixed length, filled by training."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(
        r"\pos{p_m} = \mathrm{table}[\pos{m}], \quad 0 \le m < \mathrm{table\ length}"
    )
    untyped: ClassVar[str] = "Learned is a table of numbers that training finds; no formula gives them."
    source: ClassVar[Source] = Source("Gehring et al.", 2017, "Convolutional Sequence to Sequence Learning")
    also: ClassVar[tuple[str, ...]] = ("absolute position embeddings", "position embedding table", "APE")
    models: ClassVar[tuple[str, ...]] = ("BERT", "GPT-2", "GPT-3", "RoBERTa", "OPT")
    fractional: ClassVar[bool] = False
    random_table: ClassVar[bool] = True

    max_len: int = Field(
        512,
        ge=1,
        le=16_384,
        title="Table length",
        description="Positions from this one on have no row.",
        json_schema_extra={"unit": "positions"},
    )

    def length_limit(self, d_model: int) -> int:
        """Return the number of rows."""
        return self.max_len

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the learned parameters: the whole table."""
        return self.max_len * d_model

    def remark(self, context: Context) -> str:
        """Return the caveat that its parameters are untrained."""
        return f"The table is untrained: seeded random rows (seed {context.seed}), so it shows no structure."

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return the rows of these positions, (n, d_model), float64. Raises Undefined for a position that has no row."""
        positions = as_positions(positions)
        require_rows(positions, self.max_len, f"The learned table of length {self.max_len} has no row for")
        seed = context.seed if context else 0
        rows = positions.long().cpu()
        reached = int(rows.max()) + 1 if rows.numel() else 0
        table = random_streams.first_rows(seed, "learned table", rows=reached, shape=(self.max_len, d_model))
        return table[rows].to(positions)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: a table and a look-up."""
        return self.snippet(
            f"""
            from torch import nn

            table = nn.Embedding({self.max_len}, {d_model})  # (positions, d_model): training fills it
            nn.init.normal_(table.weight, std=0.02)  # where GPT-2 and BERT start
            """,
            f'''
            def position_vectors(positions):
                """Positions (n,), whole numbers from 0 to {self.max_len - 1} -> (n, {d_model})."""
                return {self.share}table(positions)  # an IndexError past the last row
            ''',
        )
