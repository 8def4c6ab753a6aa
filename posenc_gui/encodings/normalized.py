"""Normalized encoding: how far along the sentence a token stands, from 0 to 1."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions


class Normalized(InputEncoding):
    """p_m = m / L or m / (L − 1) in every dimension, L the sentence's length.

    m / L ends at (L − 1) / L, m / (L − 1) at 1. Either way the same position has another value in another sentence. With
    one token both are 0.

    Source: the second try in many introductions, as in Kazemnejad 2019.
    """

    name: ClassVar[str] = "normalized"
    title: ClassVar[str] = "Normalized"
    summary: ClassVar[str] = "Adds how far along the sentence the word stands, from 0 to 1, to every dimension."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(
        r"\pos{p_m} = \frac{\pos{m}}{L} \;\;\mathrm{or}\;\; \frac{\pos{m}}{L - 1} \;\;\mathrm{in\ every\ dimension}"
    )
    source: ClassVar[Source] = Source("Kazemnejad", 2019, "Transformer Architecture: The Positional Encoding")
    also: ClassVar[tuple[str, ...]] = ("relative place", "fraction of the length")

    divisor: Literal["length", "last"] = Field(
        "length", title="Divide by", description="The length L, or the last position L − 1, which then has the value 1."
    )

    @property
    def own_equations(self) -> Formula:
        """The formula with this divisor."""
        divisor = "L" if self.divisor == "length" else "L - 1"
        place = rf"\frac{{\pos{{m}}}}{{{divisor}}}"
        return self.equations.defining(rf"\pos{{p_m}} = {place} \;\;\mathrm{{in\ every\ dimension}}")

    def remark(self, context: Context) -> str:
        """Return the caveat that the vectors depend on where the sentence ends."""
        return (
            f"The step from one position to the next depends on how many positions there are, here {context.length:,}."
        )

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return m / L or m / (L − 1) in every dimension, (n, d_model), float64."""
        positions = as_positions(positions)
        length = (context or Context.of(positions)).length
        divisor = length if self.divisor == "length" else length - 1
        return (positions / max(divisor, 1))[:, None].expand(-1, d_model)

    def typed(self) -> str:
        """The position by this divisor."""
        return "p[m, i] = m / L" if self.divisor == "length" else "p[m, i] = m / max(L - 1, 1)"

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the position divided by the length, or by the last position."""
        if self.divisor == "length":
            name, divisor, end = "length", "int(positions.max()) + 1", "below 1"
        else:
            name, divisor, end = "last", "max(int(positions.max()), 1)  # one token alone gets 0", "1"
        return self.snippet(
            "# In a sentence of another length the same position has another value.",
            f'''
            def position_vectors(positions):
                """Positions (n,) of a whole sentence -> (n, {d_model}), from 0 to {end}."""
                {name} = {divisor}
                fractions = {self.share}positions.float() / {name}  # (n,)
                return fractions[:, None].expand(-1, {d_model})
            ''',
        )
