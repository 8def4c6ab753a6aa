"""Linear scaling, or position interpolation."""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor

from posenc_gui.encodings.base import Source, code_literal
from posenc_gui.encodings.common.rope_scalings.base import Scaling, factor_field
from posenc_gui.encodings.common.rotary import plain_frequencies


class Linear(Scaling, title="Linear (position interpolation)"):
    """θ_i / factor: the same as dividing all positions by the factor.

    Source: Chen et al. 2023, "Extending Context Window of Large Language Models via Positional Interpolation", equation 4.
    """

    summary: ClassVar[str] = "Divides all positions by the factor."
    source: ClassVar[Source] = Source(
        "Chen et al.", 2023, "Extending Context Window of Large Language Models via Positional Interpolation"
    )
    also: ClassVar[tuple[str, ...]] = ("position interpolation", "PI", "SuperHOT")
    theta: ClassVar[str] = r"\mathrm{base}^{-2i/r} / s"

    rope_type: Literal["linear"] = "linear"
    factor: float = factor_field(4.0)

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return θ_i / factor."""
        return plain_frequencies(base, rotated) / self.factor

    def remark(self, length: int) -> str:
        """Return the caveat that neighbours move closer together, too; empty at factor 1."""
        if self.factor == 1:
            return ""
        apart = f"{1 / self.factor:.3g} of a position apart"
        return f"All pairs turn {self.factor:g} times slower, so neighbours are {apart}."

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the frequencies, divided by the factor."""
        return [
            f"frequencies = {code_literal(base)} ** (-2 * i / {rotated})  # radians a position",
            f"frequencies = frequencies / {code_literal(self.factor)}",
        ]
