"""Fourier features: sines and cosines of random frequencies, drawn once."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, InputEncoding, Source, as_positions, code_literal
from posenc_gui.foundation import random_streams

_WAVE = {wave: rf"\{wave} 2\pi b_i \pos{{v}}" for wave in ("cos", "sin")}
_PLACE = r"\pos{v = m / L}"
_HALF_OF_ALL = 0.6745  # deviations within which half of all normal numbers lie


class Fourier(InputEncoding):
    """p_m = (cos 2π b_i v, sin 2π b_i v), v = m / L, with frequencies b_i drawn once from N(0, std²).

    L is the sentence's length or a given number of positions. The frequencies are drawn from the context's seed and not
    trained; the larger std, the sooner two positions become unrelated: on average the dot product of two vectors v apart
    is exp(−2 (π std v)²) of their squared length. With an odd d_model the last column is 0.

    Source: Tancik et al. 2020, "Fourier Features Let Networks Learn High Frequency Functions in Low Dimensional Domains",
    section 6.1, cosines first (std 10 there, for pictures); much public code has sines first.
    """

    name: ClassVar[str] = "fourier"
    title: ClassVar[str] = "Fourier feature encoding"
    summary: ClassVar[str] = "Each position gets sines and cosines of random frequencies, drawn once."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(
        rf"\pos{{p_m}} = \left({_WAVE['cos']}, \; {_WAVE['sin']}\right), \quad {_PLACE}",
        r"b_i \sim \mathcal{N}\left(0, \mathrm{std}^2\right)",
    )
    untyped: ClassVar[str] = "Fourier features have random frequencies, drawn once; no formula gives them."
    source: ClassVar[Source] = Source(
        "Tancik et al.", 2020, "Fourier Features Let Networks Learn High Frequency Functions in Low Dimensional Domains"
    )
    also: ClassVar[tuple[str, ...]] = (
        "Fourier features",
        "random Fourier features",
        "Gaussian features",
        "RFF",
        "NeRF",
    )

    drawn: ClassVar[bool] = True

    std: float = Field(
        1.0,
        ge=0.001,
        le=1000,
        title="Deviation",
        description="Standard deviation of the waves' frequencies, in turns over the span: larger is faster.",
        json_schema_extra={"scale": "log"},
    )
    span: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        title="Span L",
        description="Positions over which turns are counted; automatic is the sentence's length.",
        json_schema_extra={"unit": "positions"},
    )
    layout: Literal["cosine_first", "sine_first", "interleaved"] = Field(
        "cosine_first", title="Layout", description="The order of cosines and sines among the dimensions."
    )

    @property
    def own_equations(self) -> Formula:
        """The formula with this layout."""
        columns = {
            "cosine_first": self.equations.where[0],
            "sine_first": rf"\pos{{p_m}} = \left({_WAVE['sin']}, \; {_WAVE['cos']}\right), \quad {_PLACE}",
            "interleaved": rf"\pos{{p_{{m,2i}}}} = {_WAVE['cos']}, \quad \pos{{p_{{m,2i+1}}}} = {_WAVE['sin']}, \quad {_PLACE}",
        }
        return self.equations.defining(columns[self.layout], *self.equations.where[1:])

    def remark(self, context: Context) -> str:
        """Return the seed of the random frequencies, and a warning if they are too high."""
        drawn = f"Its frequencies are seeded random numbers (seed {context.seed}), drawn once and not trained."
        span = self.span or context.length
        if _HALF_OF_ALL * self.std > span / 2:
            return f"{drawn} Most waves turn more than half a turn from one position to the next, so neighbours are unrelated."
        return drawn

    def frequencies(self, d_model: int, context: Context) -> Tensor:
        """Return 2π b_i / L in radians per position, (d_model // 2,), float64."""
        drawn = random_streams.normal(context.seed, "fourier frequencies", shape=(d_model // 2,))
        return 2 * math.pi * self.std * drawn.double() / (self.span or max(context.length, 1))

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return p_m for each position, (n, d_model), float64."""
        phases = self._phases(positions, d_model, context)
        first, second = phases.cos(), phases.sin()
        if self.layout == "sine_first":
            first, second = second, first
        if self.layout == "interleaved":
            columns = torch.stack((first, second), dim=-1).flatten(-2)
        else:
            columns = torch.cat((first, second), dim=-1)
        return torch.nn.functional.pad(columns, (0, d_model % 2))

    def phases(self, positions: Tensor, d_model: int, context: Context) -> Tensor | None:
        """Return 2π b_i v: the angle whose cosine and sine are a pair of dimensions; None for a single dimension."""
        return self._phases(positions, d_model, context) if d_model > 1 else None

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: random frequencies and their waves."""
        count, odd = d_model // 2, d_model % 2
        waves = "angles.sin(), angles.cos()" if self.layout == "sine_first" else "angles.cos(), angles.sin()"
        columns = f"torch.cat(({waves}), dim=-1)"
        if self.layout == "interleaved":
            columns = f"torch.stack(({waves}), dim=-1).flatten(-2)"
        result = "torch.nn.functional.pad(columns, (0, 1)).float()  # the last is 0"
        return self.snippet(
            f"""
            import torch
            from torch import nn

            # Drawn once and never trained.
            frequencies = nn.Parameter(torch.randn({count}), requires_grad=False)
            """,
            f'''
            def position_vectors(positions):
                """Positions (n,) of a whole sentence -> (n, {d_model}): waves of {count} frequencies."""
                span = {self.span or "int(positions.max()) + 1"}
                turns = {code_literal(self.std)} * frequencies.double() / span  # a position
                angles = 2 * torch.pi * positions[:, None] * turns  # (n, {count}), float64
                columns = {columns}  # (n, {2 * count})
                return {self.share}{result if odd else f"columns.float()  # (n, {d_model})"}
            ''',
        )

    def _phases(self, positions: Tensor, d_model: int, context: Context | None) -> Tensor:
        positions = as_positions(positions)
        return positions[:, None] * self.frequencies(d_model, context or Context.of(positions)).to(positions.device)
