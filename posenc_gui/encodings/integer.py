"""Integer encoding: the position itself, added to every dimension."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions
from posenc_gui.foundation.wording import format_number


class Integer(InputEncoding):
    """p_m = m in every dimension: it grows without bound and soon drowns the token.

    Source: the first try in many introductions, as in Kazemnejad 2019.
    """

    name: ClassVar[str] = "integer"
    title: ClassVar[str] = "Integer"
    summary: ClassVar[str] = "Adds the position's number to every dimension."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(r"\pos{p_m} = (\pos{m}, \pos{m}, \ldots, \pos{m})")
    source: ClassVar[Source] = Source("Kazemnejad", 2019, "Transformer Architecture: The Positional Encoding")
    also: ClassVar[tuple[str, ...]] = ("index", "count")

    def remark(self, context: Context) -> str:
        """Its size at the last position."""
        if context.length < 3:
            return ""
        last = format_number(float(self.vectors(torch.tensor([context.length - 1]), 1)))
        return f"The last position adds {last} to every dimension, where a seeded token's numbers are around 1."

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """m in every dimension, (n, d_model), float64."""
        return as_positions(positions)[:, None].expand(-1, d_model)

    def typed(self) -> str:
        """The position in every dimension."""
        return "p[m, i] = m"

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """The position in every dimension."""
        return self.snippet(
            "# It grows without bound: far into a text it drowns the token.",
            f'''
            def position_vectors(positions):
                """Positions (n,) -> (n, {d_model}): the position itself in every dimension."""
                return {self.share}positions.float()[:, None].expand(-1, {d_model})
            ''',
        )
