"""Scalings that slow some pairs down and leave others as they are: YaRN and Llama 3's."""

from __future__ import annotations

import math
from typing import ClassVar, Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Source, code_literal
from posenc_gui.encodings.common.rope_scalings.base import (
    Scaling,
    TrainedLengthIs,
    attention_factor_field,
    factor_field,
    trained_length_field,
    trained_length_is_field,
)
from posenc_gui.encodings.common.rotary import plain_frequencies


class Blend(Scaling):
    """θ_i (kept_i + (1 − kept_i) / factor): some pairs turn as before, some `factor` times slower, others in between."""

    theta: ClassVar[str] = r"\mathrm{base}^{-2i/r} \left(\kappa_i + (1 - \kappa_i) / s\right)"

    factor: float = factor_field(4.0)

    @property
    def terms(self) -> str:
        """Definitions of s and κ."""
        return rf"{super().terms}, \quad \kappa_i \;\mathrm{{from}}\; 1 \;\mathrm{{(fast)\ to}}\; 0 \;\mathrm{{(slow)}}"

    def kept(self, base: float, rotated: int) -> Tensor:
        """The share of its own frequency that each pair keeps: (r / 2,), 1 unchanged, 0 divided by the factor."""
        raise NotImplementedError

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return the blended frequencies."""
        kept = self.kept(base, rotated)
        return plain_frequencies(base, rotated) * (kept + (1 - kept) / self.factor)

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute `kept` from i and frequencies."""
        raise NotImplementedError

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the plain frequencies, the share kept, and the blend."""
        return [
            f"frequencies = {code_literal(base)} ** (-2 * i / {rotated})  # radians a position",
            *self.kept_lines(base, rotated),
            f"frequencies = frequencies * (kept + (1 - kept) / {code_literal(self.factor)})",
        ]


class Yarn(Blend, title="YaRN"):
    """Pairs with many turns in the trained length stay as they are, pairs with few turn `factor` times slower.

    Released code (transformers, vLLM, the authors' own) blends linearly in the pair's index between the pairs that make
    `beta_fast` and `beta_slow` turns, rounded outwards if `truncate`; the paper blends linearly in the number of turns.

    Source: Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large Language Models", section 3; mscale as in
    transformers' DeepSeek-V3.
    """

    summary: ClassVar[str] = "Fast pairs stay, slow ones are interpolated, and scores grow a little."
    source: ClassVar[Source] = Source(
        "Peng et al.", 2023, "YaRN: Efficient Context Window Extension of Large Language Models"
    )
    also: ClassVar[tuple[str, ...]] = ("NTK by parts", "mscale")
    models: ClassVar[tuple[str, ...]] = ("Qwen2.5", "DeepSeek-V3", "gpt-oss")

    rope_type: Literal["yarn"] = "yarn"
    original_max_position_embeddings: int = trained_length_field(4096)
    trained_length_is: TrainedLengthIs = trained_length_is_field()
    beta_fast: float = Field(
        32.0,
        ge=0.001,
        le=10_000,
        title="Kept from",
        description="Pairs with at least this many turns in the trained length stay as they are (beta_fast).",
        json_schema_extra={"unit": "turns"},
    )
    beta_slow: float = Field(
        1.0,
        ge=0.001,
        le=10_000,
        title="Slowed up to",
        description="Pairs with at most this many turns in the trained length are slowed by the whole factor (beta_slow).",
        json_schema_extra={"unit": "turns"},
    )
    attention_factor: float | None = attention_factor_field()
    mscale: float | None = Field(
        None,
        ge=0,
        le=100,
        title="Growth",
        description="Where both growths are given, the attention factor is the quotient of 0.1 · growth · ln(factor) + 1 "
        "for both; this is the numerator's (mscale).",
    )
    mscale_all_dim: float | None = Field(
        None,
        ge=0,
        le=100,
        title="Growth of all",
        description="The denominator's; DeepSeek multiplies the scale of all scores by its square, too (mscale_all_dim).",
    )
    truncate: bool = Field(
        True, title="Whole pairs", description="The blend begins and ends at whole pair indices (truncate)."
    )
    ramp: Literal["index", "turns"] = Field(
        "index",
        title="Blend by",
        description="The pair's index, as in released code, or its turns, as in the paper.",
        json_schema_extra={"names": {"index": "the pair's index (code)", "turns": "its turns (paper)"}},
    )

    @model_validator(mode="after")
    def _fast_pairs_turn_more(self) -> Self:
        if self.beta_fast < self.beta_slow:
            raise ValueError(f"beta_fast must be at least beta_slow, {self.beta_slow:g}, not {self.beta_fast:g}")
        return self

    @property
    def attention(self) -> float:
        """The attention factor: the one given; with mscale and mscale_all_dim a quotient; else 0.1 ln(factor) + 1."""
        if self.attention_factor is not None:
            return self.attention_factor
        if self.mscale and self.mscale_all_dim:
            return self.recommended(self.mscale) / self.recommended(self.mscale_all_dim)
        return self.recommended(1.0)

    def recommended(self, mscale: float) -> float:
        """Return 0.1 · mscale · ln(factor) + 1."""
        return 0.1 * mscale * math.log(self.factor) + 1

    def bounds(self, base: float, rotated: int) -> tuple[float, float]:
        """Return the pair indices between which the blend lies, clipped to 0 and r − 1 as in released code."""

        trained = self.original_max_position_embeddings

        def pair(turns: float) -> float:
            return rotated * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(base))

        low, high = pair(self.beta_fast), pair(self.beta_slow)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, rotated - 1)
        return low, high + 0.001 if low == high else high

    def kept(self, base: float, rotated: int) -> Tensor:
        """Return the share kept: 1 before the blend, 0 after it."""
        if self.ramp == "turns":
            return _kept_by_turns(base, rotated, self.original_max_position_embeddings, self.beta_slow, self.beta_fast)
        low, high = self.bounds(base, rotated)
        pairs = torch.arange(rotated // 2, dtype=torch.float64)
        return 1 - ((pairs - low) / (high - low)).clamp(0, 1)

    def refuse(self, base: float) -> None:
        """Raise ValueError for base 1: all pairs would turn alike, and none makes the given number of turns."""
        if base <= 1:
            raise ValueError(f"YaRN needs a base of more than 1, not {base:g}")

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return the caveats: no released model uses the paper's blend; DeepSeek's scale; short texts change, too."""
        remarks = []
        if self.ramp == "turns":
            remarks.append("Released models blend by the pair's index, so their frequencies differ.")
        if self.mscale_all_dim:
            times = self.recommended(self.mscale_all_dim) ** 2
            remarks.append(
                f"DeepSeek also multiplies the scale of its scores by {times:.4g}, which belongs to the toy model."
            )
        if length <= self.original_max_position_embeddings and self.factor > 1:
            remarks.append("The scaling changes texts as short as this one, too.")
        return " ".join(filter(None, remarks))

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute the share kept, by turns or by pair index."""
        if self.ramp == "turns":
            return _kept_by_turns_lines(self.original_max_position_embeddings, self.beta_slow, self.beta_fast)
        low, high = self.bounds(base, rotated)
        return [
            f"low, high = {code_literal(low)}, {code_literal(high)}  # the blend's pairs",
            "kept = 1 - ((i - low) / (high - low)).clamp(0, 1)  # 1: as before",
        ]


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
    trained_length_is: TrainedLengthIs = trained_length_is_field()

    @model_validator(mode="after")
    def _high_is_above_low(self) -> Self:
        if self.high_freq_factor < self.low_freq_factor:
            raise ValueError(
                f"high_freq_factor must be at least low_freq_factor, {self.low_freq_factor:g}, not {self.high_freq_factor:g}"
            )
        return self

    def kept(self, base: float, rotated: int) -> Tensor:
        """Compute the share that each pair keeps from its number of turns in the trained length."""
        trained = self.original_max_position_embeddings
        return _kept_by_turns(base, rotated, trained, self.low_freq_factor, self.high_freq_factor)

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return the caveat that short texts change, too; empty for long ones and at factor 1."""
        if length > self.original_max_position_embeddings or self.factor == 1:
            return ""
        return "The scaling changes texts as short as this one, too."

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute the share that each pair keeps from its number of turns in the trained length."""
        return _kept_by_turns_lines(self.original_max_position_embeddings, self.low_freq_factor, self.high_freq_factor)


def _kept_by_turns(base: float, rotated: int, trained: int, few: float, many: float) -> Tensor:
    """The share kept: 0 up to `few` turns in the trained length, 1 from `many` on (above them if equal), linear in between."""
    turns = trained * plain_frequencies(base, rotated) / (2 * math.pi)
    if few == many:
        return (turns > few).double()
    return ((turns - few) / (many - few)).clamp(0, 1)


def _kept_by_turns_lines(trained: int, few: float, many: float) -> list[str]:
    """Return lines of code that compute the same as `_kept_by_turns`."""
    turns = f"turns = {code_literal(trained)} * frequencies / (2 * torch.pi)  # in the trained length"
    if few == many:
        return [turns, f"kept = (turns > {code_literal(few)}).double()  # 1: as before"]
    return [
        turns,
        f"few, many = {code_literal(few)}, {code_literal(many)}",
        "kept = ((turns - few) / (many - few)).clamp(0, 1)  # 1: as before",
    ]
