"""What rotary encodings share: frequencies, and which two dimensions turn together, in numbers and in code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor

Pairing = Literal["half", "interleaved"]


def plain(base: float, rotated: int) -> Tensor:
    """θ_i = base^(−2i / r) of r rotated dimensions: (r / 2,), float64, radians a position."""
    return base ** (-torch.arange(0, rotated, 2, dtype=torch.float64) / max(rotated, 1))


def turned_once(wavelength: float, length: int) -> str:
    """A sentence where even the slowest wave, so many positions long, is shorter than a sequence of this length."""
    if length <= wavelength:
        return ""
    by = f"By position {math.ceil(wavelength):,} even the slowest pair has turned once"
    return f"{by}: from there on no pair alone tells a position from all earlier ones."


def paired(rotated: int, pairing: Pairing) -> tuple[Tensor, Tensor]:
    """The two dimensions of each pair: i and i + r/2, or 2i and 2i + 1."""
    if pairing == "interleaved":
        first = torch.arange(0, rotated, 2)
        return first, first + 1
    first = torch.arange(rotated // 2)
    return first, first + rotated // 2


def base_field() -> Any:
    """The base as a parameter."""
    return Field(
        10_000.0,
        ge=1,
        le=1e9,
        title="Base",
        description="The larger, the slower the slow pairs turn.",
        json_schema_extra={"scale": "log"},
    )


def pairing_field(default: Pairing) -> Any:
    """The pairing as a parameter."""
    return Field(
        default,
        title="Pairing",
        description="Which two dimensions turn together: i with i + r/2, or 2i with 2i + 1.",
    )


@dataclass(frozen=True)
class Spelled:
    """A pairing in code: its pairs in words, the expression that splits x, and those before and behind what joins it again."""

    pairs: str
    split: str
    join: str
    end: str

    @classmethod
    def of(cls, rotated: int, pairing: Pairing) -> Spelled:
        """How the first r dimensions of x are split and joined."""
        half = rotated // 2
        if pairing == "half":
            return cls(f"(i, i + {half})", f"x[..., :{half}], x[..., {half}:{rotated}]", "cat", "")
        return cls("(2i, 2i + 1)", f"x[..., 0:{rotated}:2], x[..., 1:{rotated}:2]", "stack", ".flatten(-2)")
