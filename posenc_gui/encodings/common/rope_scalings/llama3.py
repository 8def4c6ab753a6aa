"""Llama 3's scaling."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Source
from posenc_gui.encodings.common.rope_scalings.base import factor_field, trained_length_field
from posenc_gui.encodings.common.rope_scalings.blend import Blend, kept_by_turns, kept_by_turns_lines


class Llama3(Blend, title="Llama 3"):
    """Like YaRN's paper: pairs are kept by their turns in the trained length, between two small numbers of turns.

    Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models"; transformers' `llama3`.
    """

    summary: ClassVar[str] = "Fast pairs stay, slow ones are interpolated, those between blend by their turns."
    source: ClassVar[Source] = Source("Grattafiori et al.", 2024, "The Llama 3 Herd of Models")
    also: ClassVar[tuple[str, ...]] = ("llama3",)
    models: ClassVar[tuple[str, ...]] = ("Llama 3.1", "Llama 3.2", "Llama 3.3")

    rope_type: Literal["llama3"] = "llama3"
    factor: float = factor_field(8.0)
    low_freq_factor: float = Field(
        1.0,
        ge=0.001,
        le=1000,
        title="Slowed up to",
        description="Pairs with at most this many turns in the trained length are slowed by the whole factor (low_freq_factor).",
        json_schema_extra={"unit": "turns"},
    )
    high_freq_factor: float = Field(
        4.0,
        ge=0.001,
        le=1000,
        title="Kept from",
        description="Pairs with at least this many turns in the trained length stay as they are (high_freq_factor).",
        json_schema_extra={"unit": "turns"},
    )
    original_max_position_embeddings: int = trained_length_field(8192)

    @model_validator(mode="after")
    def _high_is_above_low(self) -> Self:
        if self.high_freq_factor < self.low_freq_factor:
            raise ValueError(
                f"high_freq_factor must be at least low_freq_factor, {self.low_freq_factor:g}, not {self.high_freq_factor:g}"
            )
        return self

    def kept(self, base: float, rotated: int) -> Tensor:
        """Compute the share that each pair keeps from its number of turns in the trained length."""
        return kept_by_turns(
            base, rotated, self.original_max_position_embeddings, self.low_freq_factor, self.high_freq_factor
        )

    def remark(self, length: int) -> str:
        """Return the caveat that short texts change, too; empty for long ones and at factor 1."""
        if length > self.original_max_position_embeddings or self.factor == 1:
            return ""
        return "The scaling changes texts within the trained length, too."

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute the share that each pair keeps from its number of turns in the trained length."""
        return kept_by_turns_lines(self.original_max_position_embeddings, self.low_freq_factor, self.high_freq_factor)
