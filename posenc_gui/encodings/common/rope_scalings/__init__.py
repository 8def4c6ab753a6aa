"""How RoPE is made to reach further than it was trained: other frequencies for the same pairs, maybe larger waves.

Each scaling is a group of fields with the names that Hugging Face's configs give them (`rope_parameters`, once
`rope_scaling`), told apart by `rope_type`; titles say it in words, descriptions name them in brackets. They follow
`ROPE_INIT_FUNCTIONS` of transformers 5 in float64.
"""

from __future__ import annotations

import math
import textwrap
from typing import Annotated, ClassVar, Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Source, literal
from posenc_gui.encodings.common.named_parameter import Named
from posenc_gui.encodings.common.rotary import plain
from posenc_gui.foundation.errors import Undefined

_LINE = 80  # characters of a line of code's numbers

_Factor = Annotated[float, Field(ge=0.001, le=1000)]


def _factor(default: float, low: float = 1.0) -> float:
    value: float = Field(
        default,
        ge=low,
        le=1000,
        title="Factor",
        description="How many times further than it was trained the model shall reach.",
        json_schema_extra={"scale": "log"},
    )
    return value


def _trained(default: int) -> int:
    value: int = Field(
        default,
        ge=2,
        le=10_000_000,
        title="Trained length",
        description="How many positions the model was trained on, before it was extended (original_max_position_embeddings).",
        json_schema_extra={"unit": "positions"},
    )
    return value


def _given_attention_factor() -> float | None:
    value: float | None = Field(
        None,
        ge=0.001,
        le=100,
        title="Attention factor",
        description="What cosines and sines are multiplied by; automatic is what the method recommends.",
    )
    return value


class Scaling(Named):
    """What all scalings have in common. A subclass writes `frequencies` and the lines of code that do the same."""

    theta: ClassVar[str]  # in LaTeX what θ_i is instead of base^(−2i / r)

    @property
    def terms(self) -> str:
        """What else stands in `theta`, in LaTeX."""
        return f"s = {dict(self)['factor']:g}"

    @property
    def attention(self) -> float:
        """What cosines and sines are multiplied by."""
        return 1.0

    @property
    def trained(self) -> int | None:
        """How many positions the model was trained on, where the scaling says so."""
        return dict(self).get("original_max_position_embeddings")

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """The frequency of each pair of r rotated dimensions in a sequence of this length: (r / 2,), float64."""
        raise NotImplementedError

    def refuse(self, base: float) -> None:
        """Raise ValueError, naming what is allowed, where the base doesn't go with the scaling."""

    def remark(self, length: int) -> str:
        """What a user must know about it in a sequence of this length, in whole sentences; empty where there is nothing."""
        return ""

    @property
    def growth(self) -> str:
        """A sentence that says what becomes of scores; empty where nothing does."""
        squared = self.attention**2
        return f"Scores are multiplied by the attention factor's square, {squared:.4g}." if squared != 1 else ""

    def data(self, rotated: int, most: int) -> str:
        """At most so many lines of code with numbers that the function needs; empty where it needs none."""
        return ""

    def lines(self, base: float, rotated: int) -> list[str]:
        """Lines of code from i, the pairs' index, and positions to `frequencies`."""
        raise NotImplementedError


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
    factor: float = _factor(4.0)

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """θ_i / factor."""
        return plain(base, rotated) / self.factor

    def remark(self, length: int) -> str:
        """Neighbours come closer, too."""
        if self.factor == 1:
            return ""
        return (
            f"All pairs turn {self.factor:g} times slower, so neighbours are {1 / self.factor:.3g} of a position apart."
        )

    def lines(self, base: float, rotated: int) -> list[str]:
        """One division."""
        return [
            f"frequencies = {literal(base)} ** (-2 * i / {rotated})  # radians a position",
            f"frequencies = frequencies / {literal(self.factor)}",
        ]


def stretched(base: float, rotated: int, times: float) -> float:
    """NTK-aware scaling's base: that with which the slowest pair turns so many times slower and the fastest as before."""
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
    factor: float = _factor(4.0)

    def remark(self, length: int) -> str:
        """It stretches less than it says."""
        if self.factor == 1:
            return ""
        return (
            f"Only the slowest pair turns {self.factor:g} times slower: others may meet angles that training never had in a "
            "text that many times longer."
        )

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Those of the larger base."""
        return plain(stretched(base, rotated, self.factor), rotated)

    def lines(self, base: float, rotated: int) -> list[str]:
        """The base, and its frequencies."""
        larger = f"base = {literal(base)} * {literal(self.factor)} ** ({rotated} / {rotated - 2})"
        return [
            larger if rotated > 2 else f"base = {literal(base)}  # one pair turns as before",
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
    factor: float = _factor(4.0)
    original_max_position_embeddings: int = _trained(4096)

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """Those of a base that is larger the longer the sequence is beyond the trained length."""
        return plain(stretched(base, rotated, self.times(length)), rotated)

    @property
    def terms(self) -> str:
        """t, by the longer of the sequence and the trained length."""
        trained = self.original_max_position_embeddings
        return rf"t = {self.factor:g}\; \ell / {trained} - {self.factor - 1:g}, \quad \ell \geq {trained} \;\mathrm{{tokens}}"

    def times(self, length: int) -> float:
        """How many times slower the slowest pair turns in a sequence of this length."""
        trained = self.original_max_position_embeddings
        return self.factor * max(length, trained) / trained - (self.factor - 1)

    def remark(self, length: int) -> str:
        """It waits for long sequences, and then moves all angles."""
        trained = self.original_max_position_embeddings
        if length <= trained:
            return f"Up to the trained {trained:,} positions nothing is scaled, and here are only {length:,}."
        return (
            "The angles of all positions change as the sequence grows: keys that were turned before no longer fit those "
            "turned now."
        )

    def lines(self, base: float, rotated: int) -> list[str]:
        """The length, the base, and its frequencies."""
        if rotated <= 2:
            return [f"frequencies = {literal(base)} ** (-2 * i / {rotated})  # one pair turns as before"]
        trained = literal(self.original_max_position_embeddings)
        return [
            f"length = max(int(positions.max()) + 1, {trained})",
            f"times = {literal(self.factor)} * length / {trained} - {literal(self.factor - 1)}",
            f"base = {literal(base)} * times ** ({rotated} / {rotated - 2})",
            f"frequencies = base ** (-2 * i / {rotated})  # radians a position",
        ]


class Blend(Scaling):
    """θ_i (kept_i + (1 − kept_i) / factor): some pairs turn as before, some `factor` times slower, those between blend."""

    theta: ClassVar[str] = r"\mathrm{base}^{-2i/r} \left(\kappa_i + (1 - \kappa_i) / s\right)"

    factor: float = _factor(4.0)

    @property
    def terms(self) -> str:
        """s, and what κ is."""
        return rf"{super().terms}, \quad \kappa_i \;\mathrm{{from}}\; 1 \;\mathrm{{(fast)\ to}}\; 0 \;\mathrm{{(slow)}}"

    def kept(self, base: float, rotated: int) -> Tensor:
        """How much of its own frequency each pair keeps: (r / 2,), 1 as before, 0 divided by the factor."""
        raise NotImplementedError

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """The blend."""
        kept = self.kept(base, rotated)
        return plain(base, rotated) * (kept + (1 - kept) / self.factor)

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """Lines of code from i and frequencies to `kept`."""
        raise NotImplementedError

    def lines(self, base: float, rotated: int) -> list[str]:
        """The plain frequencies, how much of them is kept, and the blend."""
        return [
            f"frequencies = {literal(base)} ** (-2 * i / {rotated})  # radians a position",
            *self.kept_lines(base, rotated),
            f"frequencies = frequencies * (kept + (1 - kept) / {literal(self.factor)})",
        ]


def _by_turns(base: float, rotated: int, trained: int, few: float, many: float) -> Tensor:
    """Kept is 0 for pairs that make up to `few` turns in the trained length, 1 from `many` on, linear between."""
    turns = trained * plain(base, rotated) / (2 * math.pi)
    return ((turns - few) / (many - few)).clamp(0, 1)


def _lines_by_turns(trained: int, few: float, many: float) -> list[str]:
    return [
        f"turns = {literal(trained)} * frequencies / (2 * torch.pi)  # in the trained length",
        f"few, many = {literal(few)}, {literal(many)}",
        "kept = ((turns - few) / (many - few)).clamp(0, 1)  # 1: as before",
    ]


class Yarn(Blend, title="YaRN"):
    """Pairs that make many turns in the trained length stay, those that make few turn `factor` times slower.

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
    original_max_position_embeddings: int = _trained(4096)
    beta_fast: float = Field(
        32.0,
        ge=0.001,
        le=10_000,
        title="Kept from",
        description="Pairs with at least so many turns in the trained length stay as they are (beta_fast).",
        json_schema_extra={"unit": "turns"},
    )
    beta_slow: float = Field(
        1.0,
        ge=0.001,
        le=10_000,
        title="Slowed up to",
        description="Pairs with at most so many turns in the trained length are slowed by the whole factor (beta_slow).",
        json_schema_extra={"unit": "turns"},
    )
    attention_factor: float | None = _given_attention_factor()
    mscale: float | None = Field(
        None,
        ge=0,
        le=100,
        title="Growth",
        description="Where both growths are given, the attention factor is the quotient of 0.1 · growth · ln(factor) + 1 "
        "of both; this is the dividend's (mscale).",
    )
    mscale_all_dim: float | None = Field(
        None,
        ge=0,
        le=100,
        title="Growth of all",
        description="The divisor's; DeepSeek multiplies the scale of all scores by the divisor's square (mscale_all_dim).",
    )
    truncate: bool = Field(
        True, title="Whole pairs", description="The blend begins and ends at whole pairs (truncate)."
    )
    ramp: Literal["index", "turns"] = Field(
        "index",
        title="Blend by",
        description="The pair's index, as released code does, or its turns, as the paper has it.",
        json_schema_extra={"names": {"index": "the pair's index (code)", "turns": "its turns (paper)"}},
    )

    @model_validator(mode="after")
    def _fast_pairs_turn_more(self) -> Self:
        if self.beta_fast <= self.beta_slow:
            raise ValueError(f"beta_fast must be more than beta_slow, {self.beta_slow:g}, not {self.beta_fast:g}")
        return self

    @property
    def attention(self) -> float:
        """0.1 ln(factor) + 1, or the quotient of two such numbers where mscale and mscale_all_dim say so."""
        if self.attention_factor is not None:
            return self.attention_factor
        if self.mscale and self.mscale_all_dim:
            return self.recommended(self.mscale) / self.recommended(self.mscale_all_dim)
        return self.recommended(1.0)

    def recommended(self, mscale: float) -> float:
        """0.1 · mscale · ln(factor) + 1."""
        return 0.1 * mscale * math.log(self.factor) + 1

    def bounds(self, base: float, rotated: int) -> tuple[float, float]:
        """Between which pairs the blend lies, by index, not before the first and not beyond r − 1, as released code has it."""

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
        """1 before the blend, 0 after it."""
        if self.ramp == "turns":
            return _by_turns(base, rotated, self.original_max_position_embeddings, self.beta_slow, self.beta_fast)
        low, high = self.bounds(base, rotated)
        pairs = torch.arange(rotated // 2, dtype=torch.float64)
        return 1 - ((pairs - low) / (high - low)).clamp(0, 1)

    def refuse(self, base: float) -> None:
        """Where all pairs turn alike there is no pair that makes so many turns."""
        if base <= 1:
            raise ValueError(f"YaRN needs a base of more than 1, not {base:g}")

    def remark(self, length: int) -> str:
        """Scores grow, short texts too; the paper's blend is no released model's."""
        said = [self.growth]
        if self.ramp == "turns":
            said.append("Released models blend by the pair's index: their frequencies are others.")
        if self.mscale_all_dim:
            times = self.recommended(self.mscale_all_dim) ** 2
            said.append(f"DeepSeek multiplies the scale of its scores by {times:.4g}, too, which is set in the model.")
        if length <= self.original_max_position_embeddings and self.factor > 1:
            said.append("The scaling changes texts within the trained length, too.")
        return " ".join(filter(None, said))

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """By turns, or by the pairs between which the blend lies."""
        if self.ramp == "turns":
            return _lines_by_turns(self.original_max_position_embeddings, self.beta_slow, self.beta_fast)
        low, high = self.bounds(base, rotated)
        return [
            f"low, high = {literal(low)}, {literal(high)}  # the blend's pairs",
            "kept = 1 - ((i - low) / (high - low)).clamp(0, 1)  # 1: as before",
        ]


class LongRope(Scaling, title="LongRoPE"):
    """θ_i / factors_i with a number for each pair, which a search found: one list for short sequences, one for long ones.

    The lists come from a model's config.json; none are shipped here. Crossing the trained length changes every position's
    angles at once. The attention factor √(1 + ln factor / ln L) is applied with both lists.

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
    factor: float = _factor(32.0)
    original_max_position_embeddings: int = _trained(4096)
    short_factor: tuple[_Factor, ...] = Field(
        (),
        max_length=512,
        title="Short factors",
        description="A number for each pair, from a model's config.json (short_factor).",
    )
    long_factor: tuple[_Factor, ...] = Field(
        (),
        max_length=512,
        title="Long factors",
        description="The same for sequences beyond the trained length (long_factor).",
    )
    attention_factor: float | None = _given_attention_factor()

    @property
    def terms(self) -> str:
        """Whence λ is."""
        return r"\lambda_i \;\mathrm{from\ one\ of\ two\ lists}"

    @property
    def attention(self) -> float:
        """√(1 + ln factor / ln L)."""
        if self.attention_factor is not None:
            return self.attention_factor
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original_max_position_embeddings))

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """θ_i / factors_i. Raises Undefined where the lists don't have a number for each pair."""
        if not self._fit(rotated):
            raise Undefined(
                f"LongRoPE needs short_factor and long_factor of {rotated // 2} numbers each, one for each rotated pair, as "
                f"a model's config.json has them, not {len(self.short_factor)} and {len(self.long_factor)}."
            )
        factors = self.long_factor if length > self.original_max_position_embeddings else self.short_factor
        return plain(base, rotated) / torch.tensor(factors, dtype=torch.float64)

    def remark(self, length: int) -> str:
        """Which list it is."""
        if not self.short_factor or not self.long_factor:
            return "Its lists of factors come with a model's config.json: without them nothing can be turned."
        trained = self.original_max_position_embeddings
        which = "long_factor" if length > trained else "short_factor"
        told = f"Here {which} counts: one token past {trained:,} changes the list, and with it the angles of all positions."
        return " ".join(filter(None, (told, self.growth)))

    def data(self, rotated: int, most: int) -> str:
        """Both lists; where there are none for so many pairs, or they would fill the panel, the place for them."""
        lists = {"short": self.short_factor, "long": self.long_factor}
        wrapped = [textwrap.wrap(" ".join(f"{factor:.7g}" for factor in factors), _LINE) for factors in lists.values()]
        if not self._fit(rotated) or sum(map(len, wrapped)) > most:
            return "\n".join(f'{name} = ""  # {rotated // 2} numbers of {name}_factor in config.json' for name in lists)
        texts = ["\n".join(lines) for lines in wrapped]
        return "\n".join(f'{name} = """{text}"""' for name, text in zip(lists, texts, strict=True))

    def lines(self, base: float, rotated: int) -> list[str]:
        """The list, and the frequencies."""
        trained = literal(self.original_max_position_embeddings)
        return [
            f"factors = (long if int(positions.max()) >= {trained} else short).split()",
            "factors = i.new_tensor([float(factor) for factor in factors])",
            f"frequencies = {literal(base)} ** (-2 * i / {rotated}) / factors  # radians a position",
        ]

    def _fit(self, rotated: int) -> bool:
        return len(self.short_factor) == len(self.long_factor) == rotated // 2


class Llama3(Blend, title="Llama 3"):
    """As YaRN's paper: kept by the turns that a pair makes in the trained length, between two small numbers of turns.

    Source: Grattafiori et al. 2024, "The Llama 3 Herd of Models"; transformers' `llama3`.
    """

    summary: ClassVar[str] = "Fast pairs stay, slow ones are interpolated, those between blend by their turns."
    source: ClassVar[Source] = Source("Grattafiori et al.", 2024, "The Llama 3 Herd of Models")
    also: ClassVar[tuple[str, ...]] = ("llama3",)
    models: ClassVar[tuple[str, ...]] = ("Llama 3.1", "Llama 3.2", "Llama 3.3")

    rope_type: Literal["llama3"] = "llama3"
    factor: float = _factor(8.0)
    low_freq_factor: float = Field(
        1.0,
        ge=0.001,
        le=1000,
        title="Slowed up to",
        description="Pairs with at most so many turns in the trained length are slowed by the whole factor (low_freq_factor).",
        json_schema_extra={"unit": "turns"},
    )
    high_freq_factor: float = Field(
        4.0,
        ge=0.001,
        le=1000,
        title="Kept from",
        description="Pairs with at least so many turns in the trained length stay as they are (high_freq_factor).",
        json_schema_extra={"unit": "turns"},
    )
    original_max_position_embeddings: int = _trained(8192)

    @model_validator(mode="after")
    def _high_is_above_low(self) -> Self:
        if self.high_freq_factor <= self.low_freq_factor:
            raise ValueError(
                f"high_freq_factor must be more than low_freq_factor, {self.low_freq_factor:g}, not {self.high_freq_factor:g}"
            )
        return self

    def kept(self, base: float, rotated: int) -> Tensor:
        """By turns."""
        return _by_turns(
            base, rotated, self.original_max_position_embeddings, self.low_freq_factor, self.high_freq_factor
        )

    def remark(self, length: int) -> str:
        """Short texts, too."""
        if length > self.original_max_position_embeddings or self.factor == 1:
            return ""
        return "The scaling changes texts within the trained length, too."

    def kept_lines(self, base: float, rotated: int) -> list[str]:
        """By turns."""
        return _lines_by_turns(self.original_max_position_embeddings, self.low_freq_factor, self.high_freq_factor)


class Proportional(Scaling, title="Proportional (p-RoPE)"):
    """The fastest pairs, a fraction p of all, turn as before; the others not at all.

    A rotated fraction squeezes all frequencies from 1 to 1/base into fewer pairs; this keeps the fast ones and drops the
    slow ones.

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

    rope_type: Literal["proportional"] = "proportional"
    partial_rotary_factor: float = Field(
        0.25,
        ge=0,
        le=1,
        title="Turned pairs",
        description="The fraction of all pairs, the fastest, that turn (partial_rotary_factor).",
        json_schema_extra={"step": 0.05},
    )
    factor: float = _factor(1.0)

    @property
    def terms(self) -> str:
        """s, and which pairs don't turn."""
        return rf"{super().terms}, \quad \theta_i = 0 \;\mathrm{{for}}\; i \geq {self.partial_rotary_factor:g}\; r / 2"

    def turned(self, rotated: int) -> int:
        """How many pairs turn."""
        return int(rotated * self.partial_rotary_factor / 2 + 1e-9)

    def frequencies(self, base: float, rotated: int, length: int) -> Tensor:
        """θ_i / factor for the fastest, 0 for the others."""
        frequencies = plain(base, rotated) / self.factor
        frequencies[self.turned(rotated) :] = 0
        return frequencies

    def remark(self, length: int) -> str:
        """Without a pair that turns it is no encoding; with some it is no rotated fraction."""
        if self.partial_rotary_factor == 0:
            return "No pair turns: it is no encoding."
        if self.partial_rotary_factor == 1:
            return ""
        return "The fastest pairs keep their frequencies; a rotated fraction has as many from all of the base's range."

    def lines(self, base: float, rotated: int) -> list[str]:
        """The frequencies, and those that are dropped."""
        by = "" if self.factor == 1 else f" / {literal(self.factor)}"
        return [
            f"frequencies = {literal(base)} ** (-2 * i / {rotated})  # radians a position",
            f"turns = i < {self.turned(rotated)}  # the slow pairs don't",
            f"frequencies = frequencies * turns{by}",
        ]
