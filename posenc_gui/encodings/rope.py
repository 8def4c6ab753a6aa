"""Rotary position embedding (RoPE): queries and keys are turned, not added to."""

from __future__ import annotations

import math
import textwrap
from typing import ClassVar, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Precision, RotationEncoding, Source, as_positions, literal
from posenc_gui.encodings.common.rope_scalings import (
    NTK,
    Dynamic,
    Linear,
    Llama3,
    LongRope,
    Proportional,
    Scaling,
    Yarn,
)
from posenc_gui.encodings.common.rotary import Pairing, Spelled, base_field, paired, pairing_field, plain, turned_once
from posenc_gui.foundation import declared_fields as fields

_ROOM = 9  # lines of code for numbers that the function needs and for what a pair's position is

_THETA = r"\theta_i = \mathrm{base}^{-2i/r}"
_DTYPES = {
    "float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16,
}  # fmt: skip
_WHOLE = {"bfloat16": 256, "float16": 2048}  # positions up to which each has a number of its own
_SEEN = 0.01  # radians off that are told
_SPOKEN = {"bfloat16": "bf16", "float16": "fp16"}


class RoPE(RotationEncoding):
    """Pair i of queries and keys at position m is turned by the angle m θ_i, θ_i = base^(−2i / r).

    A `scaling` gives other frequencies, so that a longer text fits, and maybe larger cosines and sines.

    r is the number of rotated dimensions: all of d_head, or the first `fraction` of them, rounded down to an even number.
    The exponent uses r, as transformers' GPT-NeoX and GPT-J do, not d_head.

    Two layouts exist in public code: "half" pairs dimension i with i + r/2 (transformers' Llama, `rotate_half`),
    "interleaved" pairs 2i with 2i + 1 (Su et al. 2021, GPT-J, rotary-embedding-torch). They give the same scores only if
    the rows of W_q and W_k are reordered alike.

    Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", equations 13 to 15.
    """

    name: ClassVar[str] = "rope"
    title: ClassVar[str] = "RoPE"
    summary: ClassVar[str] = "Turns each pair of query and key dimensions by an angle that grows with position."
    formula: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, m\, \theta}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, n\, \theta}}",
        value=r"f_v(x_n, n) = W_v x_n",
        where=(rf"{_THETA}, \quad r \;\mathrm{{rotated\ dimensions}}",),
    )
    source: ClassVar[Source] = Source(
        "Su et al.", 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding"
    )
    also: ClassVar[tuple[str, ...]] = ("rotary position embedding", "rotary", "RoFormer")
    models: ClassVar[tuple[str, ...]] = ("LLaMA", "Mistral", "Qwen", "Gemma", "GPT-NeoX", "GPT-J")

    base: float = base_field()
    scaling: Linear | NTK | Dynamic | Yarn | LongRope | Llama3 | Proportional | None = Field(
        None,
        discriminator="rope_type",
        title="Scaling",
        description="How a text longer than those of the training is made to fit, in the words of a model's config.json.",
    )
    pairing: Pairing = pairing_field("half")
    fraction: float = Field(
        1.0,
        ge=0,
        le=1,
        title="Rotated fraction",
        description="The part of each head that is turned; the rest carries no position.",
        json_schema_extra={"unit": "of d_head", "step": 0.05},
    )

    precision: Precision = Field(
        "float64",
        title="Precision",
        description="In which numbers angles, cosines and sines are computed: exactly, as transformers does, or in few digits.",
        json_schema_extra={
            "names": {
                "float64": "exact (float64)",
                "float32": "as transformers (float32)",
                "bfloat16": "bf16",
                "float16": "fp16",
            }
        },
    )

    @model_validator(mode="after")
    def _base_goes_with_the_scaling(self) -> Self:
        if self.scaling:
            self.scaling.refuse(self.base)
        return self

    @property
    def called(self) -> str:
        """With its scaling's name: RoPE (YaRN)."""
        return f"{self.title} ({self.extended_by})" if self.scaling else self.title

    @property
    def sources(self) -> tuple[Source, ...]:
        """With its scaling's."""
        return (self.source, self.scaling.source) if self.scaling else (self.source,)

    @property
    def own_formula(self) -> Formula:
        """With the scaling's θ_i, and its attention factor."""
        if self.scaling is None:
            return self.formula
        scaled = (line.replace(_THETA, rf"\theta_i = {self.scaling.theta}") for line in self.formula.where)
        factor = rf"f_q \;\mathrm{{and}}\; f_k \;\mathrm{{times}}\; {self.attention_factor:.4g}"
        return self.formula.defining(*scaled, self.scaling.terms, *([factor] if self.attention_factor != 1 else []))

    @property
    def attention_factor(self) -> float:
        """What the scaling multiplies cosines and sines by."""
        return self.scaling.attention if self.scaling else 1.0

    @property
    def unextended(self) -> Self:
        """The same without its scaling."""
        return self if self.scaling is None else self.model_copy(update={"scaling": None})

    @property
    def extension(self) -> float:
        """The scaling's factor."""
        return self.scaling.factor if self.scaling else 1.0

    @property
    def extended_by(self) -> str:
        """The scaling's name."""
        return _name(self.scaling) if self.scaling else self.title

    @property
    def trained_length(self) -> int | None:
        """The trained length that the scaling knows."""
        return self.scaling.trained if self.scaling else None

    def extensions(self, factor: float, trained: int) -> dict[str, Self]:
        """The same with each scaling that needs no more than the factor and the trained length, and with its own."""
        ways = (Linear(factor=factor), NTK(factor=factor), *(
            model(factor=factor, original_max_position_embeddings=trained) for model in (Dynamic, Yarn, Llama3)
        ))  # fmt: skip
        found = {_name(way): self.model_copy(update={"scaling": way}) for way in ways}
        return found | {self.extended_by: self}

    def remark(self, context: Context) -> str:
        """What the scaling does here; where pairs are too few or too fast, in which layout they are; what few digits do."""
        rotated = self.rotated(context.d_head)
        if not rotated:
            return f"The fraction {self.fraction:g} of {context.d_head} dimensions holds no pair: nothing is turned."
        said = []
        if rotated < context.d_head:
            said.append(
                f"The {rotated // 2} turned pairs have frequencies from all of the base's range, not the fastest of it alone."
            )
        if self.scaling:
            said.append(self.scaling.remark(context.length))
        else:
            slowest = 2 * math.pi / self.base ** (2 / rotated - 1)
            said.append(turned_once(slowest, context.length) if rotated > 2 else "")
        if self.pairing == "interleaved":
            said.append(
                "Where code pairs i with i + r/2, scores are the same only if the rows of W_q and W_k are reordered, too."
            )
        off = context.length / 2**23  # two roundings of half a unit in float32's last place
        if self.precision == "float32" and off > _SEEN:
            said.append(f"In float32 angles are off by up to about {off:.1g} radians at the end of this text.")
        whole = _WHOLE.get(self.precision, context.length)
        if context.length > whole:
            said.append(
                f"Of whole numbers {_SPOKEN[self.precision]} holds those up to {whole:,}: positions beyond are rounded."
            )
        return " ".join(filter(None, said))

    def at_precision(self, precision: Precision) -> Self:
        """The same with angles in other numbers."""
        return self.model_copy(update={"precision": precision})

    def rotated(self, d_head: int) -> int:
        """The first dimensions of each head that are turned: an even number."""
        return 2 * int(d_head * self.fraction / 2 + 1e-9)  # 0.3 · 20 / 2 must not fall short of 3

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """The two dimensions of each rotated pair, as two index tensors."""
        return paired(self.rotated(d_head), self.pairing)

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """m θ_i: (n, d_head / 2), radians, float64, not reduced; unrotated pairs last, at 0."""
        self.require_pairs(d_head)
        rotated = self.rotated(d_head)
        places = self.places(positions, rotated // 2)
        length = (context or Context.of(places)).length
        frequencies = self.rounded(rotated, length).to(places.device)
        angles = (places.to(frequencies.dtype) * frequencies).double()  # (n, rotated / 2)
        return torch.nn.functional.pad(angles, (0, (d_head - rotated) // 2))

    def places(self, positions: Tensor, pairs: int) -> Tensor:
        """The position by which each pair turns: (n, pairs), or (n, 1) where it is the same."""
        return as_positions(positions)[:, None]

    def frequencies(self, rotated: int, length: int) -> Tensor:
        """θ_i of this many rotated dimensions in a sequence of this length: (rotated / 2,), float64, radians a position."""
        return self.scaling.frequencies(self.base, rotated, length) if self.scaling else plain(self.base, rotated)

    def rounded(self, rotated: int, length: int) -> Tensor:
        """θ_i in the numbers of its precision: in float32 first, in transformers' own order where nothing is scaled."""
        if self.precision == "float64":
            return self.frequencies(rotated, length)
        own = self.frequencies(rotated, length).float()
        if self.scaling is None:
            own = 1 / self.base ** (torch.arange(0, rotated, 2).float() / max(rotated, 1))
        return own.to(_DTYPES[self.precision])

    def waves(self, angles: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine in the numbers of its precision, as float64."""
        few = angles.to(_DTYPES[self.precision])
        return few.cos().double(), few.sin().double()

    def place_lines(self, pairs: int) -> tuple[str, ...]:
        """Lines of code from positions and frequencies to angles."""
        return (f"angles = positions[:, None] * frequencies  # (n, {pairs}), {self.precision}",)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Angles, and the pairs that they turn."""
        self.check_shape(d_model, n_heads, d_head)
        r = self.rotated(d_head)
        half = r // 2
        if not r:
            return self.snippet(
                "# So small a fraction of a head holds no pair of dimensions: nothing is turned.",
                f'''
                def rotate(x, positions, side="query"):
                    """x (..., n, {d_head}), positions (n,) -> x as it is, queries and keys."""
                    return x
                ''',
            )
        spelled = Spelled.of(r, self.pairing)
        whole = f"torch.cat((turned, x[..., {r}:]), dim=-1)"
        scaling, factor = self.scaling, self.attention_factor
        precise = self.precision == "float64"
        frequencies = scaling.lines(self.base, r) if scaling else [
            f"frequencies = {literal(self.base)} ** (-2 * i / {r})  # radians a position" if precise else
            f"frequencies = 1 / {literal(self.base)} ** (2 * i.float() / {r})  # radians a position"
        ]  # fmt: skip
        fewer = [] if precise else [
            f"frequencies = frequencies.float(){'' if self.precision == 'float32' else f'.to(torch.{self.precision})'}",
            "positions = positions.to(frequencies)",
        ]  # fmt: skip
        lines = [
            f"i = torch.arange({half}, dtype=torch.float64, device=positions.device)",
            *frequencies,
            *fewer,
            *self.place_lines(half),
            "cos, sin = angles.cos().to(x), angles.sin().to(x)",
            f"a, b = {spelled.split}  # (..., n, {half}) each",
            f"turned = torch.{spelled.join}((a * cos - b * sin, a * sin + b * cos), dim=-1){spelled.end}",
            *([f"turned = {literal(factor)} * turned  # scores get its square"] if factor != 1 else []),
            f"return {'turned' if r == d_head else whole}  # (..., n, {d_head})",
        ]
        data = scaling.data(r, _ROOM - len(self.place_lines(half)) - len(fewer)) if scaling else ""
        return self.snippet(
            f"import torch\n\n{data}" if data else "import torch",
            f'def rotate(x, positions, side="query"):\n'
            f'    """x (..., n, {d_head}), positions (n,) -> alike, pairs {spelled.pairs} turned, i < {half}."""\n'
            + textwrap.indent("\n".join(lines), "    "),
        )


def _name(scaling: Scaling) -> str:
    """A scaling's title without what stands in brackets."""
    return fields.title(type(scaling)).partition(" (")[0]
