"""One-hot encoding: a dimension of its own for each position."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions, require_rows


class OneHot(InputEncoding):
    """p_m = e_m: 1 in dimension m, 0 elsewhere. It needs as many dimensions as positions, which are equally far apart.

    Source: the one-hot vectors of words (Turian, Ratinov, Bengio 2010), here of positions. A learned table is these vectors
    times a matrix.
    """

    name: ClassVar[str] = "one_hot"
    title: ClassVar[str] = "One-hot"
    summary: ClassVar[str] = "Each position has a dimension of its own: 1 there, 0 elsewhere."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(
        r"\pos{p_m} = (0, \ldots, 0, 1, 0, \ldots, 0), \quad 1 \;\mathrm{at}\; \pos{m}"
    )
    source: ClassVar[Source] = Source(
        "Turian et al.", 2010, "Word Representations: A Simple and General Method for Semi-Supervised Learning"
    )
    also: ClassVar[tuple[str, ...]] = ("unit vectors", "indicator")
    fractional: ClassVar[bool] = False

    def length_limit(self, d_model: int) -> int:
        """Return the number of dimensions."""
        return d_model

    def remark(self, context: Context) -> str:
        """Return the caveat that all positions are equally far apart; empty for one or two."""
        return "Any two positions are equally far apart: none is nearer than another." if context.length > 2 else ""

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return e_m for each position, (n, d_model), float64. Raises Undefined for a position without a dimension."""
        positions = as_positions(positions)
        why = f"One-hot needs as many dimensions as positions, and d_model {d_model} has none for"
        require_rows(positions, d_model, why)
        vectors = positions.new_zeros(len(positions), d_model)
        return vectors.scatter_(1, positions.long()[:, None], 1.0)

    def typed(self) -> str:
        """1 where the dimension is the position."""
        return "p[m, i] = 1 if i == m else 0"

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: a row of the identity for each position."""
        return self.snippet(
            "from torch import nn",
            f'''
            def position_vectors(positions):
                """Positions (n,), whole, 0 to {d_model - 1} -> (n, {d_model}): 1 there, 0 elsewhere."""
                return {self.share}nn.functional.one_hot(positions, {d_model}).float()
            ''',
        )
