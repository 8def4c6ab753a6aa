"""NTK-aware scalings, by a larger base: a given one, or one that grows with the sequence."""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor

from posenc_gui.encodings.base import Source, code_literal
from posenc_gui.encodings.common.rope_scalings.base import (
    Scaling,
    TrainedLengthIs,
    factor_field,
    trained_length_field,
    trained_length_is_field,
)
from posenc_gui.encodings.common.rotary import plain_frequencies
from posenc_gui.foundation.wording import format_number


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
    typed_theta: ClassVar[str] = "(base * factor^({r} / max({r} - 2, 1)))^(-2i/{r})"

    rope_type: Literal["ntk"] = "ntk"
    factor: float = factor_field(4.0, most=1_000_000)  # HunYuan's is 100,000

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return the caveat that most pairs slow down by less than the factor; empty at factor 1."""
        if self.factor == 1:
            return ""
        slower = format_number(self.factor / strength)
        return (
            f"Only the slowest pair turns {slower} times slower: in a text that many times longer, others may meet angles that "
            "training never showed."
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


class Dynamic(Scaling, title="Dynamic NTK"):
    """NTK-aware with a factor that grows with the sequence: factor · ℓ / L − (factor − 1) for ℓ tokens, more than L trained.

    Source: emozilla 2023, "Dynamically Scaled RoPE"; transformers' `dynamic`, whose L is the config's
    max_position_embeddings.
    """

    summary: ClassVar[str] = "NTK-aware with a base that grows with the sequence."
    source: ClassVar[Source] = Source(
        "emozilla", 2023, "Dynamically Scaled RoPE Further Increases Performance of Long Context LLaMA"
    )
    also: ClassVar[tuple[str, ...]] = ("dynamic NTK scaling",)
    theta: ClassVar[str] = r"\left(\mathrm{base}\; t^{r/(r-2)}\right)^{-2i/r}"

    rope_type: Literal["dynamic"] = "dynamic"
    factor: float = factor_field(4.0)
    original_max_position_embeddings: int = trained_length_field(4096)
    trained_length_is: TrainedLengthIs = trained_length_is_field()

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return the frequencies of a base that grows with the sequence beyond the trained length."""
        return plain_frequencies(ntk_base(base, rotated, self.times(length)), rotated)

    @property
    def terms(self) -> str:
        """The definition of t, for a sequence no shorter than the trained length."""
        trained = self.original_max_position_embeddings
        return rf"t = {self.factor:g}\; \ell / {trained} - {self.factor - 1:g}, \quad \ell \geq {trained} \;\mathrm{{tokens}}"

    def times(self, length: int) -> float:
        """Return the factor by which the slowest pair turns slower in a sequence of this length."""
        trained = self.original_max_position_embeddings
        return self.factor * max(length, trained) / trained - (self.factor - 1)

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return the caveats: within the trained length nothing changes; beyond it all angles do as the sequence grows."""
        trained = self.original_max_position_embeddings
        if length <= trained:
            return f"The scaling changes nothing within {trained:,} positions, and this text has only {length:,}."
        return (
            "The angles of all positions change as the sequence grows: keys that were turned before no longer fit those "
            "turned now."
        )

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the length, the base and its frequencies."""
        if rotated <= 2:
            return [f"frequencies = {code_literal(base)} ** (-2 * i / {rotated})  # one pair turns as before"]
        trained = code_literal(self.original_max_position_embeddings)
        return [
            f"length = max(int(positions.max()) + 1, {trained})",
            f"times = {code_literal(self.factor)} * length / {trained} - {code_literal(self.factor - 1)}",
            f"base = {code_literal(base)} * times ** ({rotated} / {rotated - 2})",
            f"frequencies = base ** (-2 * i / {rotated})  # radians a position",
        ]
