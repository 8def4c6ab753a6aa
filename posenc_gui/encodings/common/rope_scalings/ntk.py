"""NTK-aware scaling."""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor

from posenc_gui.encodings.base import Source, code_literal
from posenc_gui.encodings.common.rope_scalings.base import Scaling, factor_field
from posenc_gui.encodings.common.rotary import plain_frequencies


def ntk_base(base: float, rotated: int, times: float) -> float:
    """Return the base with which the slowest pair turns `times` times slower and the fastest as before."""
    return base * times ** (rotated / (rotated - 2)) if rotated > 2 else base


class NTK(Scaling, title="NTK-aware"):
    """A larger base, base · factor^(r / (r − 2)): the fastest pair stays, the slowest turns `factor` times slower.

    Source: bloc97 2023, "NTK-Aware Scaled RoPE"; rotary-embedding-torch's theta_rescale_factor, HunYuan's `alpha`.
    """

    summary: ClassVar[str] = "Slow pairs turn slower, by a larger base; the fastest stays."
    source: ClassVar[Source] = Source("bloc97", 2023, "NTK-Aware Scaled RoPE")
    also: ClassVar[tuple[str, ...]] = ("NTK alpha", "larger base")
    models: ClassVar[tuple[str, ...]] = ("HunYuan",)
    theta: ClassVar[str] = r"\left(\mathrm{base}\; s^{r/(r-2)}\right)^{-2i/r}"

    rope_type: Literal["ntk"] = "ntk"
    factor: float = factor_field(4.0)

    def remark(self, length: int) -> str:
        """Return the caveat that most pairs slow down by less than the factor; empty at factor 1."""
        if self.factor == 1:
            return ""
        return (
            f"Only the slowest pair turns {self.factor:g} times slower: in a text that many times longer, others may meet angles "
            "that training never showed."
        )

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return the frequencies of the larger base."""
        return plain_frequencies(ntk_base(base, rotated, self.factor), rotated)

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the larger base and its frequencies."""
        larger = f"base = {code_literal(base)} * {code_literal(self.factor)} ** ({rotated} / {rotated - 2})"
        return [
            larger if rotated > 2 else f"base = {code_literal(base)}  # one pair turns as before",
            f"frequencies = base ** (-2 * i / {rotated})  # radians a position",
        ]
