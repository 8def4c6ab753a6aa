"""YaRN."""

from __future__ import annotations

import math
from typing import ClassVar, Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Source, code_literal
from posenc_gui.encodings.common.rope_scalings.base import attention_factor_field, trained_length_field
from posenc_gui.encodings.common.rope_scalings.blend import Blend, kept_by_turns, kept_by_turns_lines


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

        def pair(turns: float) -> float:
            return (
                rotated * math.log(self.original_max_position_embeddings / (2 * math.pi * turns)) / (2 * math.log(base))
            )

        low, high = pair(self.beta_fast), pair(self.beta_slow)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, rotated - 1)
        return low, high + 0.001 if low == high else high

    def kept(self, base: float, rotated: int) -> Tensor:
        """Return the share kept: 1 before the blend, 0 after it."""
        if self.ramp == "turns":
            return kept_by_turns(base, rotated, self.original_max_position_embeddings, self.beta_slow, self.beta_fast)
        low, high = self.bounds(base, rotated)
        pairs = torch.arange(rotated // 2, dtype=torch.float64)
        return 1 - ((pairs - low) / (high - low)).clamp(0, 1)

    def refuse(self, base: float) -> None:
        """Raise ValueError for base 1: all pairs would turn alike, and none makes the given number of turns."""
        if base <= 1:
            raise ValueError(f"YaRN needs a base of more than 1, not {base:g}")

    def remark(self, length: int) -> str:
        """Return the caveats: scores grow, even in short texts; no released model uses the paper's blend."""
        remarks = [self.growth]
        if self.ramp == "turns":
            remarks.append("Released models blend by the pair's index, so their frequencies differ.")
        if self.mscale_all_dim:
            times = self.recommended(self.mscale_all_dim) ** 2
            remarks.append(
                f"DeepSeek also multiplies the scale of its scores by {times:.4g}, which belongs to the toy model."
            )
        if length <= self.original_max_position_embeddings and self.factor > 1:
            remarks.append("The scaling changes texts within the trained length, too.")
        return " ".join(filter(None, remarks))

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code that compute the share kept, by turns or by pair index."""
        if self.ramp == "turns":
            return kept_by_turns_lines(self.original_max_position_embeddings, self.beta_slow, self.beta_fast)
        low, high = self.bounds(base, rotated)
        return [
            f"low, high = {code_literal(low)}, {code_literal(high)}  # the blend's pairs",
            "kept = 1 - ((i - low) / (high - low)).clamp(0, 1)  # 1: as before",
        ]
