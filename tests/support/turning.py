"""An encoding that exists only in tests: its parameters are of every kind that an encoding may declare."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor

from posenc_gui.encodings.base import Context, Formula, RotationEncoding, Source, as_positions, code_literal
from posenc_gui.foundation.declared_model import Frozen


class Linear(Frozen, title="Linear"):
    """All angles by the same factor."""

    rope_type: Literal["linear"] = "linear"
    factor: float = Field(2.0, ge=1, le=64, title="Factor", description="By what positions are divided.")


class Yarn(Frozen, title="YaRN"):
    """Slow pairs by the factor, fast pairs not at all."""

    rope_type: Literal["yarn"] = "yarn"
    factor: float = Field(4.0, ge=1, le=32, title="Factor", description="By what slow angles are divided.")
    original: int | None = Field(None, ge=1, le=4096, title="Trained length", json_schema_extra={"unit": "positions"})
    betas: tuple[float, float] = Field(
        (32.0, 1.0), title="Turns", description="Of the fast pairs and of the slow ones."
    )
    truncate: bool = Field(True, title="Whole pairs")
    mode: Literal["ramp", "two_steps"] | None = Field(None, title="Passage")

    @model_validator(mode="after")
    def _turns_must_fall(self) -> Self:
        if self.betas[0] < self.betas[1]:
            raise ValueError(f"the fast pairs' turns can't be fewer than the slow ones', {self.betas[1]:g}")
        return self


class Listed(Frozen, title="Listed"):
    """Each pair by a factor of its own."""

    rope_type: Literal["listed"] = "listed"
    factors: tuple[Annotated[float, Field(gt=0, le=64)], ...] = Field((), max_length=8, title="Factors")


class Window(Frozen):
    """Where pairs begin and end."""

    first: int = Field(0, ge=0, le=64, title="First pair")
    share: float | None = Field(None, gt=0, le=1, title="Share", json_schema_extra={"step": 0.1})


class Turning(RotationEncoding):
    """Pair i at position m is turned by m base^(−2i / d_head), divided as `scaling` says.

    Source: none, it serves the tests.
    """

    name: ClassVar[str] = "turning"
    title: ClassVar[str] = "Turning"
    summary: ClassVar[str] = "Turns pairs by angles that a scaling divides."
    equations: ClassVar[Formula] = RotationEncoding.equations.defining(r"\pos{R_m} = \pos{m} / s")
    source: ClassVar[Source] = Source("Nobody", 2024, "An encoding of the tests")

    base: float = Field(10_000.0, ge=1, le=1e9, title="Base", json_schema_extra={"scale": "log"})
    scaling: Linear | Yarn | Listed | None = Field(
        None, discriminator="rope_type", title="Scaling", description="How a longer text is made to fit."
    )
    window: Window = Field(Window(), title="Window", description="The pairs that are turned.")
    spare: Window | None = Field(None, title="Spare window", json_schema_extra={"none": "no other"})

    @model_validator(mode="after")
    def _small_bases_are_not_listed(self) -> Self:
        if isinstance(self.scaling, Listed) and self.base < 100:
            raise ValueError(f"factors can be listed from base 100 on, not for {self.base:g}")
        return self

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """(n, pairs), radians."""
        pairs = torch.arange(d_head // 2, dtype=torch.float64)
        return as_positions(positions)[:, None] * self.base ** (-2 * pairs / d_head) / self._divisor()

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """The divisor in one line."""
        return self.snippet(f"divisor = {code_literal(self._divisor())}")

    def _divisor(self) -> float:
        match self.scaling:
            case Linear(factor=factor) | Yarn(factor=factor):
                return factor
            case Listed(factors=(first, *_)):
                return first
            case _:
                return 1.0
