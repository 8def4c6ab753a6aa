"""Rotary position embedding (RoPE): turns queries and keys instead of adding to them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, Precision, RotationEncoding, Source, as_positions, code_literal
from posenc_gui.encodings.common import rotary, turned
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.rope_scalings import NTK, AnyScaling, Dynamic, Linear, Llama3, Scaling, Yarn
from posenc_gui.encodings.common.rope_scalings.suggested import suggested
from posenc_gui.encodings.common.rotary import (
    Pairing,
    PairingCode,
    base_field,
    full_turn_remark,
    pair_indices,
    pairing_field,
    plain_frequencies,
)
from posenc_gui.encodings.common.typed.program import number_line
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.errors import Undefined

_FRACTIONS = (0.25, 0.4, 0.5, 0.75)  # of released models
_ROOM = 9  # lines of code for the function's data and for each pair's position

_THETA = r"\theta_i = \mathrm{base}^{-2i/r}"
_DTYPES = {
    "float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16,
}  # fmt: skip
_WHOLE = {"bfloat16": 256, "float16": 2048}  # largest position up to which all are exact
_SEEN = 0.01  # smallest error, in radians, that a remark mentions
_SCALED_OFF = 4e-6  # measured by tests/encodings/test_precision.py
_ABOVE = 2  # NTK-aware's factor over the extension, where scalings are compared
_SPOKEN = {"bfloat16": "bf16", "float16": "fp16"}


class RoPE(RotationEncoding):
    """Pair i of queries and keys at position m is turned by the angle m θ_i, θ_i = base^(−2i / r).

    A `scaling` changes the frequencies, so that a longer text fits, and may enlarge cosines and sines.

    r is the number of rotated dimensions: all of d_head, or the first `fraction` of them, rounded down to an even number.
    The exponent uses r, as transformers' GPT-NeoX and GPT-J do, not d_head.

    Two layouts exist in public code: "half" pairs dimension i with i + r/2 (transformers' Llama, `rotate_half`),
    "interleaved" pairs 2i with 2i + 1 (Su et al. 2021, GPT-J, rotary-embedding-torch). They give the same scores only if
    the rows of W_q and W_k are reordered to match.

    Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", equations 13 to 15.
    """

    name: ClassVar[str] = "rope"
    title: ClassVar[str] = "RoPE"
    summary: ClassVar[str] = "Turns each pair of query and key dimensions by an angle that grows with position."
    equations: ClassVar[Formula] = Formula(
        query=r"f_q(x_m, m) = \left(W_q x_m\right) \pos{e^{\mathrm{i}\, m\, \theta}}",
        key=r"f_k(x_n, n) = \left(W_k x_n\right) \pos{e^{\mathrm{i}\, n\, \theta}}",
        where=(rf"{_THETA}, \quad r \;\mathrm{{rotated\ dimensions}}",),
    )
    source: ClassVar[Source] = Source(
        "Su et al.", 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding"
    )
    also: ClassVar[tuple[str, ...]] = ("rotary position embedding", "rotary", "RoFormer")
    models: ClassVar[tuple[str, ...]] = ("LLaMA", "Mistral", "Qwen", "Gemma", "GPT-NeoX", "GPT-J")

    base: float = base_field()
    scaling: AnyScaling | None = Field(
        None,
        discriminator="rope_type",
        title="Scaling",
        description="Extends the context beyond the trained length, as a model's config.json says.",
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
        description="Precision of angles, cosines and sines: exact, as in transformers, or low.",
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
        """The title, with the scaling's name: RoPE (YaRN)."""
        return f"{self.title} ({self.extended_by})" if self.scaling else self.title

    @property
    def sources(self) -> tuple[Source, ...]:
        """Its source and the scaling's."""
        return (self.source, self.scaling.source) if self.scaling else (self.source,)

    @property
    def own_equations(self) -> Formula:
        """The formula with the scaling's θ_i and attention factor."""
        if self.scaling is None:
            return self.equations
        scaled = (line.replace(_THETA, rf"\theta_i = {self.scaling.theta}") for line in self.equations.where)
        factor = rf"f_q \;\mathrm{{and}}\; f_k \;\mathrm{{times}}\; {self.attention_factor:.4g}"
        return self.equations.defining(*scaled, self.scaling.terms, *([factor] if self.attention_factor != 1 else []))

    @property
    def attention_factor(self) -> float:
        """The scaling's factor of cosines and sines."""
        return self.scaling.attention if self.scaling else 1.0

    @property
    def unextended(self) -> Self:
        """The same encoding without its scaling."""
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
        """The scaling's trained length, if it has one."""
        return self.scaling.trained if self.scaling else None

    @property
    def trained_length_may_be_after(self) -> bool:
        """True if the trained length may as well be the one that the scaling reaches."""
        return self.scaling is not None and self.scaling.trained_length_may_be_after

    def length_before(self, trained: int) -> int:
        """Return the length before the scaling, of what is called the trained length."""
        return self.scaling.length_before(trained) if self.scaling else trained

    def extensions(self, factor: float, trained: int) -> dict[str, Self]:
        """Return RoPE with its own scaling, and with each that needs only the factor and the trained length, all at the
        settings that are meant for a text longer by this factor.

        NTK-aware is used without further training, with a factor above the extension (Peng et al. 2023, YaRN, section 3.1);
        that of Dynamic NTK is max(1, ℓ / L) by itself.
        """
        ways = (
            Linear(factor=factor),
            NTK(factor=_ABOVE * factor),
            Dynamic(factor=1, original_max_position_embeddings=trained),
            *(model(factor=factor, original_max_position_embeddings=trained) for model in (Yarn, Llama3)),
        )
        found = {_name(way): self.model_copy(update={"scaling": way}) for way in ways}
        return found | {self.extended_by: self}

    def remark(self, context: Context) -> str:
        """Return caveats on the scaling, on too few or too fast pairs, on the layout and on low precision."""
        rotated = self.rotated(context.d_head)
        if not rotated:
            return f"The fraction {self.fraction:g} of {context.d_head} dimensions holds no pair: nothing is turned."
        if self.scaling and (why := self.scaling.why_nothing_turns(rotated)):
            return why
        remarks = []
        if rotated < context.d_head:
            remarks.append(
                f"The {rotated // 2} turned pairs have frequencies from the base's whole range, not just the fastest ones."
            )
        if self.scaling:
            remarks.append(self.scaling.remark(context.length, self.strength))
        else:
            slowest = 2 * math.pi / (self.strength * self.base ** (2 / rotated - 1))
            remarks.append(full_turn_remark(slowest, context.length) if rotated > 2 else "")
        if self.attention_factor != 1:
            squared = self.attention_factor**2
            part = "Scores are" if rotated == context.d_head else "What turned dimensions bring to scores is"
            remarks.append(f"{part} multiplied by the attention factor's square, {squared:.4g}.")
        if self.pairing == "interleaved":
            remarks.append(
                "Where code pairs i with i + r/2, scores are the same only if the rows of W_q and W_k are reordered, too."
            )
        off = self.strength * context.length / 2**23  # two roundings of half a unit in float32's last place
        if self.precision == "float32" and off > _SEEN:
            remarks.append(f"In float32 angles are off by up to about {off:.1g} radians at the end of this text.")
        if self.precision == "float32" and self.scaling:
            remarks.append(
                f"Scaled frequencies differ from transformers' float32 by up to {_SCALED_OFF:g} of their size."
            )
        whole = _WHOLE.get(self.precision, context.length)
        if context.length > whole:
            remarks.append(
                f"In {_SPOKEN[self.precision]} whole numbers are exact only up to {whole:,}: larger positions are rounded."
            )
        return " ".join(filter(None, remarks))

    def at_precision(self, precision: Precision) -> Self:
        """Return the same encoding with angles in another precision."""
        return self.model_copy(update={"precision": precision})

    def rotated(self, d_head: int) -> int:
        """Return the number of rotated dimensions of each head, the first ones; even."""
        return 2 * int(d_head * self.fraction / 2 + 1e-9)  # 0.3 · 20 / 2 must not fall short of 3

    def pairs(self, d_head: int) -> tuple[Tensor, Tensor]:
        """Return the two dimensions of each rotated pair, as two index tensors."""
        return pair_indices(self.rotated(d_head), self.pairing)

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Return m θ_i: (n, d_head / 2), radians, float64, unreduced; unrotated pairs last, at 0."""
        places = self.places(positions, self.rotated(d_head) // 2)
        length = (context or Context.of(places)).length
        frequencies = _rounded(self, d_head, length if self.scaling else 0).to(places.device)
        angles = (places.to(frequencies.dtype) * frequencies).double()  # (n, rotated / 2)
        return torch.nn.functional.pad(angles, (0, d_head // 2 - len(frequencies)))

    def places(self, positions: Tensor, pairs: int) -> Tensor:
        """Return the position by which each pair turns: (n, pairs), or (n, 1) if all pairs share it."""
        return as_positions(positions)[:, None]

    def frequencies(self, rotated: int, length: int) -> Tensor:
        """θ_i for this many rotated dimensions in a sequence of this length: (rotated / 2,), float64, radians a position."""
        if self.scaling:
            return self.scaling.frequencies(self.base, rotated, length)
        return plain_frequencies(self.base, rotated)

    def rounded(self, rotated: int, length: int) -> Tensor:
        """θ_i at the chosen precision: first in float32, without a scaling in transformers' order of operations."""
        if self.precision == "float64":
            return self.frequencies(rotated, length)
        own = self.frequencies(rotated, length).float()
        if self.scaling is None:
            own = 1 / self.base ** (torch.arange(0, rotated, 2).float() / max(rotated, 1))
        return own.to(_DTYPES[self.precision])

    def waves(self, angles: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosine and sine at the chosen precision, as float64."""
        few = angles.to(_DTYPES[self.precision])
        return few.cos().double(), few.sin().double()

    @classmethod
    def proposed(cls, seen: Seen, pairing: Mapping[str, Any], rates: Tensor) -> Iterator[Self]:
        """Yield RoPE with the bases, scalings and, where whole vectors were turned, fractions that may be these."""
        yield from super().proposed(seen, pairing, rates)
        for base, scaling in suggested(rates, relative=seen.kind == "frequencies"):
            yield cls(base=base, scaling=scaling, **pairing)
        for share in _FRACTIONS if seen.kind == "rotated" else ():
            turning = int(share * len(rates))
            for base in rotary.bases_of(rates[:turning], turning)[:4]:
                yield cls(base=base, fraction=share, **pairing)

    @classmethod
    def conventions(cls, seen: Seen) -> Iterable[Convention]:
        """Yield those of every rotation; of M-RoPE nothing, whose numbers of text are RoPE's."""
        also = "M-RoPE has the same numbers for text."
        return turned.conventions(cls, seen, also) if cls is RoPE else ()

    def mistakes(self, seen: Seen) -> Iterable[tuple[str, Callable[[Tensor], Tensor]]]:
        """Yield pairings that are mixed up."""
        return turned.mistakes(self, self.pairing, seen)

    def mistaken_for(self, width: int) -> tuple[str, ...]:
        """Return what would explain an unusual base; `width` is of rotated dimensions."""
        return () if self.scaling else rotary.mistaken_for(self.base, width)

    def typed(self) -> str:
        """The angles with this base, scaling, pairing and fraction."""
        if self.axes > 1:
            return super().typed()
        if self.precision != "float64":
            raise Undefined("With a lower precision RoPE's angles are rounded; a formula's are exact.")
        if self.scaling and not self.scaling.typed_theta:
            raise Undefined(
                f"The frequencies of {self.called} are no short formula: start from RoPE without a scaling."
            )
        if self.pairing == "half" and self.fraction < 1:
            raise Undefined("With half pairing a fraction turns i with i + r/2; a formula turns i with i + d/2.")
        numbers = [number_line("base", self.base, 100, 1e6)]
        for name, value in self.scaling or ():
            if isinstance(value, float):
                numbers.append(number_line(name, value, *((1, 64) if name == "factor" else (0, 1))))
        index, r, turns = "i" if self.pairing == "half" else "2i", "d", ""
        if self.fraction < 1:
            r, turns = "r", " if 2i < r else 0"
            rotated = "r = 2 * floor(fraction * d / 2 + 1e-9)  # dimensions that turn"
            numbers = [rotated, number_line("fraction", self.fraction, 0, 1), *numbers]
        theta = (self.scaling.typed_theta if self.scaling else "base^(-2i/{r})").format(r=r)
        return "\n".join((f"angle[m, {index}] = m * theta[i]{turns}", f"theta[i] = {theta}", *numbers))

    def place_lines(self, pairs: int) -> tuple[str, ...]:
        """Return lines of code that compute angles from positions and frequencies."""
        return (f"angles = positions[:, None] * frequencies  # (n, {pairs}), {self.precision}",)

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: angles and the pairs turned."""
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
        spelled = PairingCode.of(r, self.pairing)
        whole = f"torch.cat((turned, x[..., {r}:]), dim=-1)"
        factor, fewer = self.attention_factor, self._rounding_lines()
        lines = [
            f"i = torch.arange({half}, dtype=torch.float64, device=positions.device)",
            *self._frequency_lines(r),
            *fewer,
            *self.place_lines(half),
            *self.share_lines,
            "cos, sin = angles.cos().to(x), angles.sin().to(x)",
            f"a, b = {spelled.split}  # (..., n, {half}) each",
            f"turned = {spelled.turned}",
            *([f"turned = {code_literal(factor)} * turned  # scores get its square"] if factor != 1 else []),
            f"return {'turned' if r == d_head else whole}  # (..., n, {d_head})",
        ]
        room = _ROOM - len(self.place_lines(half)) - len(fewer) - len(self.share_lines)
        data = self.scaling.data(r, room) if self.scaling else ""
        return self.snippet(
            f"import torch\n\n{data}" if data else "import torch",
            f'def rotate(x, positions, side="query"):\n'
            f'    """x (..., n, {d_head}), positions (n,) -> alike, pairs {spelled.pairs} turned, i < {half}."""\n'
            + textwrap.indent("\n".join(lines), "    "),
        )

    def _frequency_lines(self, rotated: int) -> list[str]:
        """Return lines of code that compute the frequencies, in float64 or, without a scaling, as transformers does."""
        if self.scaling:
            return self.scaling.lines(self.base, rotated)
        if self.precision == "float64":
            return [f"frequencies = {code_literal(self.base)} ** (-2 * i / {rotated})  # radians a position"]
        return [f"frequencies = 1 / {code_literal(self.base)} ** (2 * i.float() / {rotated})  # radians a position"]

    def _rounding_lines(self) -> list[str]:
        """Return lines of code that round frequencies and positions to a lower precision; none for float64."""
        if self.precision == "float64":
            return []
        to = "" if self.precision == "float32" else f".to(torch.{self.precision})"
        return [f"frequencies = frequencies.float(){to}", "positions = positions.to(frequencies)"]


@lru_cache(maxsize=4)  # A and B, each at its strength and whole
def _rounded(encoding: RoPE, d_head: int, length: int) -> Tensor:
    """Return an encoding's `rounded` frequencies in a head. Raises Undefined if d_head can't be split into pairs."""
    encoding.require_pairs(d_head)
    return encoding.rounded(encoding.rotated(d_head), length)


def _name(scaling: Scaling) -> str:
    """Return a scaling's title without its parenthesis."""
    return declared_fields.title(type(scaling)).partition(" (")[0]
