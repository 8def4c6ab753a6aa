"""Sinusoidal encoding: sines and cosines, like a clock with many hands, added to the token."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions, code_literal
from posenc_gui.encodings.common import rotary
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.encodings.common.rotary import base_field, full_turn_remark, plain_frequencies
from posenc_gui.encodings.common.typed.program import number_line

# Each layout in words, and public code with the paper's spacing and with tensor2tensor's.
_MET = {
    "interleaved": ("sine and cosine by turns", "transformers' XLM", ""),
    "concatenated": ("sines, then cosines", "transformers' Marian", "transformers' Whisper"),
    "cosine_first": ("cosines, then sines", "guided-diffusion's timestep_embedding", "transformers' MusicGen"),
}


class Sinusoidal(InputEncoding):
    r"""p_{m,2i} = sin(m ω_i), p_{m,2i+1} = cos(m ω_i), ω_i = base^(−2i / d_model).

    Source: Vaswani et al. 2017, section 3.5. Public code orders the columns in several ways, all here: interleaved as in
    the paper (transformers' XLM, DistilBERT), all sines then all cosines (Marian; Whisper and Speech2Text with
    tensor2tensor's spacing), all cosines first (MusicGen). tensor2tensor's spacing ω_i = base^(−i / (d_model/2 − 1)) makes
    the slowest wavelength exactly 2π · base positions; the paper's stops one step short.

    With an odd d_model the paper's spacing drops the last wave of the second kind, as XLM and Marian do; tensor2tensor's
    leaves the last column 0, as Speech2Text does.
    """

    name: ClassVar[str] = "sinusoidal"
    title: ClassVar[str] = "Sinusoidal"
    summary: ClassVar[str] = "Each position gets a fixed vector of sines and cosines."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(
        r"\pos{p_{m,2i}} = \sin\left(\pos{m}\, \omega_i\right), \quad"
        r" \pos{p_{m,2i+1}} = \cos\left(\pos{m}\, \omega_i\right)",
        r"\omega_i = \mathrm{base}^{-2i/d_\mathrm{model}}",
    )
    source: ClassVar[Source] = Source("Vaswani et al.", 2017, "Attention Is All You Need")
    also: ClassVar[tuple[str, ...]] = ("sine and cosine", "Vaswani", "Attention Is All You Need")
    models: ClassVar[tuple[str, ...]] = ("Original Transformer", "Marian", "Whisper's encoder")

    base: float = base_field(1e9, "waves")
    layout: Literal["interleaved", "concatenated", "cosine_first"] = Field(
        "interleaved", title="Layout", description="The order of sines and cosines among the dimensions."
    )
    spacing: Literal["paper", "tensor2tensor"] = Field(
        "paper",
        title="Spacing",
        description="Wavelengths start at 2π positions and end one step short of 2π · base, as in the paper, or exactly there.",
    )

    @property
    def own_equations(self) -> Formula:
        """The formula with this layout and spacing."""
        sines, cosines = (rf"\{wave}\left(\pos{{m}}\, \omega_0\right), \ldots" for wave in ("sin", "cos"))
        columns = {
            "interleaved": self.equations.where[0],
            "concatenated": rf"\pos{{p_m}} = \left({sines}, \, {cosines}\right)",
            "cosine_first": rf"\pos{{p_m}} = \left({cosines}, \, {sines}\right)",
        }
        steps = {
            "paper": self.equations.where[1],
            "tensor2tensor": r"\omega_i = \mathrm{base}^{-i / \left(\lfloor d_\mathrm{model} / 2 \rfloor - 1\right)}",
        }
        return self.equations.defining(columns[self.layout], steps[self.spacing])

    def frequencies(self, d_model: int) -> Tensor:
        """Return ω_i in radians per position, float64, fastest first."""
        if self.spacing == "paper":
            return plain_frequencies(self.base, d_model)
        half = d_model // 2
        i = torch.arange(half, dtype=torch.float64)
        return self.base ** (-i / max(half - 1, 1))

    def remark(self, context: Context) -> str:
        """Return the caveats: the base may be too small for the length; weights fit one layout only."""
        remarks = [full_turn_remark(2 * math.pi * self.base, context.length)]
        if (self.layout, self.spacing) != ("interleaved", "paper"):
            remarks.append("Weights that were trained with another layout or spacing don't fit this one.")
        return " ".join(filter(None, remarks))

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return p_m for each position, (n, d_model), float64."""
        phases = self._phases(positions, d_model)  # (n, frequencies)
        sines, cosines = phases.sin(), phases.cos()
        if self.layout == "interleaved":
            columns = torch.stack((sines, cosines), dim=-1).flatten(-2)
        else:
            columns = torch.cat((sines, cosines) if self.layout == "concatenated" else (cosines, sines), dim=-1)
        # 1 more where tensor2tensor's spacing meets an odd width, 1 fewer where the paper's does.
        return torch.nn.functional.pad(columns, (0, d_model - columns.shape[-1]))

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor | None:
        """Return m ω_i: the angle whose sine and cosine are a pair of dimensions; None for a single dimension."""
        phases = self._phases(positions, d_model)
        return phases if phases.shape[1] else None

    @classmethod
    def conventions(cls, seen: Seen) -> Iterator[Convention]:
        """Yield every layout with both spacings, at the base of these columns and at usual ones."""
        if seen.kind != "table" or len(seen.shape) != 2:
            return
        width, half = seen.shape[1], seen.shape[1] // 2
        for layout, (words, *sources) in _MET.items():
            rates = rotary.folded(seen.rates[: 2 * half], half, layout)
            ways = ("paper", "2i/d", width / 2), ("tensor2tensor", "i/(d/2 − 1)", half - 1)
            for (spacing, exponent, steps), source in zip(ways, sources, strict=True):
                told = f"{words}, exponent {exponent}"
                for base in (base for base in rotary.bases_of(rates, steps) if base <= 1e9):
                    found = cls.model_validate({"base": base, "layout": layout, "spacing": spacing})
                    yield Convention(found, told, lambda one, m: one.vectors(m, width), ("base",), source)

    def mistaken_for(self, width: int) -> tuple[str, ...]:
        """Return what would explain an unusual base."""
        return rotary.mistaken_for(self.base, width)

    def typed(self) -> str:
        """The waves with this layout and spacing."""
        waves = ("cos", "sin") if self.layout == "cosine_first" else ("sin", "cos")
        columns = ("2i]  ", "2i+1]") if self.layout == "interleaved" else ("i]      ", "i + d/2]")
        exponent = "2i/d" if self.spacing == "paper" else "i/steps"
        lines = [f"p[m, {column} = {wave}(m / base^({exponent}))" for column, wave in zip(columns, waves, strict=True)]
        if self.spacing == "tensor2tensor":
            lines.append("steps = max(d/2 - 1, 1)  # from the first wave to the last, where d is even")
        return "\n".join((*lines, number_line("base", self.base, 100, 1e6)))

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: angles, their sines and cosines, and the order of the columns."""
        count, odd = len(self.frequencies(d_model)), d_model % 2
        exponent = f"-2 * i / {d_model}" if self.spacing == "paper" else f"-i / {max(count - 1, 1)}"
        waves = "angles.cos(), angles.sin()" if self.layout == "cosine_first" else "angles.sin(), angles.cos()"
        if self.layout == "interleaved":
            columns = f"torch.stack(({waves}), dim=-1).flatten(-2)"
        else:
            columns = f"torch.cat(({waves}), dim=-1)"
        if not odd:
            result = f"columns.float()  # (n, {d_model})"
        elif self.spacing == "paper":
            result = f"columns[:, :{d_model}].float()  # (n, {d_model}), without the last wave"
        else:
            result = "torch.nn.functional.pad(columns, (0, 1)).float()  # the last is 0"
        return self.snippet(
            "import torch",
            f'''
            def position_vectors(positions):
                """Positions (n,) -> (n, {d_model}): sines and cosines of {count} angles."""
                i = torch.arange({count}, dtype=torch.float64, device=positions.device)
                frequencies = {code_literal(self.base)} ** ({exponent})  # radians a position
                angles = positions[:, None] * frequencies  # (n, {count}), float64
                columns = {columns}  # (n, {2 * count})
                return {self.share}{result}
            ''',
        )

    def _phases(self, positions: Tensor, d_model: int) -> Tensor:
        positions = as_positions(positions)
        return positions[:, None] * self.frequencies(d_model).to(positions.device)
