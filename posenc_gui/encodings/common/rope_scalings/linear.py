"""Scalings that divide frequencies by one factor: position interpolation, and p-RoPE, in which slow pairs don't turn."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Source, code_literal
from posenc_gui.encodings.common.rope_scalings.base import (
    Scaling,
    TrainedLengthIs,
    factor_field,
    trained_length_is_field,
)
from posenc_gui.encodings.common.rotary import plain_frequencies
from posenc_gui.foundation.wording import format_number


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
    typed_theta: ClassVar[str] = "base^(-2i/{r}) / factor"

    rope_type: Literal["linear"] = "linear"
    factor: float = factor_field(4.0)
    trained_length_is: TrainedLengthIs = trained_length_is_field()

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return θ_i / factor."""
        return plain_frequencies(base, rotated) / self.factor

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return the caveat that neighbours move closer together, too; empty at factor 1."""
        if self.factor == 1:
            return ""
        slower = self.factor / strength
        apart = f"{1 / slower:.3g} of a position apart"
        return f"All pairs turn {format_number(slower)} times slower, so neighbours are {apart}."

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the frequencies, divided by the factor."""
        return [
            f"frequencies = {code_literal(base)} ** (-2 * i / {rotated})  # radians a position",
            f"frequencies = frequencies / {code_literal(self.factor)}",
        ]


class Proportional(Scaling, title="Proportional (p-RoPE)"):
    """θ_i / factor for the fastest pairs, a fraction p of all; the others don't turn.

    A rotated fraction spreads the whole range of frequencies, 1 to 1/base, over fewer pairs; this keeps the fast ones and
    drops the slow ones.

    Source: Barbero et al. 2024, "Round and Round We Go! What Makes Rotary Positional Encodings Useful?", section 6;
    transformers' `proportional`.
    """

    summary: ClassVar[str] = "Only the fastest pairs turn."
    source: ClassVar[Source] = Source(
        "Barbero et al.", 2024, "Round and Round We Go! What Makes Rotary Positional Encodings Useful?"
    )
    also: ClassVar[tuple[str, ...]] = ("p-RoPE", "partial")
    models: ClassVar[tuple[str, ...]] = ("Gemma 4",)
    theta: ClassVar[str] = r"\mathrm{base}^{-2i/r} / s"
    typed_theta: ClassVar[str] = "base^(-2i/{r}) / factor if i < floor(partial_rotary_factor * {r} / 2 + 1e-9) else 0"

    rope_type: Literal["proportional"] = "proportional"
    partial_rotary_factor: float = Field(
        0.25,
        ge=0,
        le=1,
        title="Turned pairs",
        description="The fraction of pairs that turn, the fastest ones (partial_rotary_factor).",
        json_schema_extra={"step": 0.05},
    )
    factor: float = factor_field(1.0)
    trained_length_is: TrainedLengthIs = trained_length_is_field()

    @property
    def terms(self) -> str:
        """Definitions of s and of the pairs that don't turn."""
        return rf"{super().terms}, \quad \theta_i = 0 \;\mathrm{{for}}\; i \geq {self.partial_rotary_factor:g}\; r / 2"

    def turned(self, rotated: int) -> int:
        """Return the number of pairs that turn."""
        return int(rotated * self.partial_rotary_factor / 2 + 1e-9)

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return θ_i / factor for the fastest, 0 for the others."""
        frequencies = plain_frequencies(base, rotated) / self.factor
        frequencies[self.turned(rotated) :] = 0
        return frequencies

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return the caveats: with no pair it is no encoding; with some it differs from a rotated fraction."""
        if self.partial_rotary_factor == 0:
            return "No pair turns: it is no encoding."
        if self.partial_rotary_factor == 1:
            return ""
        return "The fastest pairs keep their frequencies; a rotated fraction would take as many from the base's whole range."

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the frequencies, with those of slow pairs set to 0."""
        by = "" if self.factor == 1 else f" / {code_literal(self.factor)}"
        return [
            f"frequencies = {code_literal(base)} ** (-2 * i / {rotated})  # radians a position",
            f"turns = i < {self.turned(rotated)}  # the slow pairs don't",
            f"frequencies = frequencies * turns{by}",
        ]
