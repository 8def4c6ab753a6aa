"""LongRoPE."""

from __future__ import annotations

import math
import textwrap
from typing import Annotated, ClassVar, Literal

import torch
from pydantic import Field
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
from posenc_gui.foundation.errors import Remedy, Undefined

_LINE = 74  # characters of a line of numbers in the code, beside a name and quotes

_UNSCALED = Remedy("Choose RoPE without a scaling", {"encoding": "rope"})

_Factor = Annotated[float, Field(ge=0.001, le=1000)]


class LongRope(Scaling, title="LongRoPE"):
    """θ_i / factors_i, with a factor for each pair found by a search: one list for short sequences, one for long ones.

    The lists come from a model's config.json. Crossing the trained length changes the angles of all
    positions at once. The attention factor √(1 + ln factor / ln L) applies with both lists.

    Source: Ding et al. 2024, "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens"; transformers' `longrope`.
    """

    summary: ClassVar[str] = "A factor for each pair, found by a search: one list for short texts, one for long ones."
    source: ClassVar[Source] = Source(
        "Ding et al.", 2024, "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens"
    )
    also: ClassVar[tuple[str, ...]] = ("su",)
    models: ClassVar[tuple[str, ...]] = ("Phi-3",)
    theta: ClassVar[str] = r"\mathrm{base}^{-2i/r} / \lambda_i"

    rope_type: Literal["longrope"] = "longrope"
    factor: float = factor_field(32.0)
    original_max_position_embeddings: int = trained_length_field(4096)
    trained_length_is: TrainedLengthIs = trained_length_is_field()
    short_factor: tuple[_Factor, ...] = Field(
        (),
        max_length=512,
        title="Short factors",
        description="A factor for each pair, from a model's config.json (short_factor).",
    )
    long_factor: tuple[_Factor, ...] = Field(
        (),
        max_length=512,
        title="Long factors",
        description="The same for sequences beyond the trained length (long_factor).",
    )
    attention_factor: float | None = attention_factor_field()

    @property
    def terms(self) -> str:
        """The definition of λ."""
        return r"\lambda_i \;\mathrm{from\ one\ of\ two\ lists}"

    @property
    def attention(self) -> float:
        """The attention factor: the one given, or √(1 + ln factor / ln L)."""
        if self.attention_factor is not None:
            return self.attention_factor
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original_max_position_embeddings))

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Return θ_i / factors_i. Raises Undefined where the lists don't have a number for each pair."""
        if why := self.why_nothing_turns(rotated):
            raise Undefined(why, _UNSCALED)
        factors = self.long_factor if length > self.original_max_position_embeddings else self.short_factor
        return plain_frequencies(base, rotated) / torch.tensor(factors, dtype=torch.float64)

    def why_nothing_turns(self, rotated: int) -> str:
        """Say how long its lists must be unless they are."""
        if len(self.short_factor) == len(self.long_factor) == rotated // 2:
            return ""
        return (
            f"LongRoPE needs short_factor and long_factor of {rotated // 2} numbers each, one for each rotated pair, as a "
            f"model's config.json has them, not {len(self.short_factor)} and {len(self.long_factor)}."
        )

    def remark(self, length: int, strength: float = 1.0) -> str:
        """Return a remark on which list of factors is in use."""
        trained = self.original_max_position_embeddings
        which = "long_factor" if length > trained else "short_factor"
        crossing = f"crossing {trained:,} tokens switches lists, which changes all positions' angles"
        return f"Here {which} is in use: {crossing}."

    def data(self, rotated: int, most: int) -> str:
        """Return both lists as code; placeholders if they don't fit the number of pairs or take more than `most` lines."""
        lists = {"short": self.short_factor, "long": self.long_factor}
        wrapped = [textwrap.wrap(" ".join(f"{factor:.7g}" for factor in factors), _LINE) for factors in lists.values()]
        if self.why_nothing_turns(rotated) or sum(map(len, wrapped)) > most:
            return "\n".join(f'{name} = ""  # {rotated // 2} numbers of {name}_factor in config.json' for name in lists)
        texts = ["\n".join(lines) for lines in wrapped]
        return "\n".join(f'{name} = """{text}"""' for name, text in zip(lists, texts, strict=True))

    def lines(self, base: float, rotated: int) -> list[str]:
        """Return lines of code: the list in use and the frequencies."""
        trained = code_literal(self.original_max_position_embeddings)
        return [
            f"factors = (long if int(positions.max()) >= {trained} else short).split()",
            "factors = i.new_tensor([float(factor) for factor in factors])",
            f"frequencies = {code_literal(base)} ** (-2 * i / {rotated}) / factors  # radians a position",
        ]
