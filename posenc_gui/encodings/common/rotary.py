"""Shared by rotary encodings: frequencies and the pairing of dimensions, as tensors and as code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor

Pairing = Literal["half", "interleaved"]


def plain_frequencies(base: float, rotated: int) -> Tensor:
    """Return θ_i = base^(−2i / r) of r rotated dimensions: (r / 2,), float64, radians per position."""
    return base ** (-torch.arange(0, rotated, 2, dtype=torch.float64) / max(rotated, 1))


def full_turn_remark(wavelength: float, length: int) -> str:
    """Return a caveat if even the slowest wave is shorter than a sequence of this length; empty otherwise."""
    if length <= wavelength:
        return ""
    by = f"By position {math.ceil(wavelength):,} even the slowest pair has turned once"
    return f"{by}: from there on no pair alone tells a position from all earlier ones."


def pair_indices(rotated: int, pairing: Pairing) -> tuple[Tensor, Tensor]:
    """Return the two dimensions of each pair: i and i + r/2, or 2i and 2i + 1."""
    if pairing == "interleaved":
        first = torch.arange(0, rotated, 2)
        return first, first + 1
    first = torch.arange(rotated // 2)
    return first, first + rotated // 2


def divide_pairs(pairs: int, shares: Sequence[int]) -> tuple[int, ...]:
    """Divide a number of pairs in proportion to these shares, halves rounded up for the earlier share."""
    ends = [(2 * pairs * end + sum(shares)) // (2 * sum(shares)) for end in accumulate(shares)]
    return tuple(end - begin for begin, end in pairwise((0, *ends)))


def proportion_remark(numbers: Sequence[int]) -> str:
    """Say how many of the turned pairs belong to time, rows and columns, where shares don't add up to all pairs."""
    t, h, w = numbers
    return f"The turned pairs are divided in proportion: {t} for time, {h} for rows, {w} for columns."


def base_field(largest: float = 1e12, slower: str = "pairs turn") -> Any:
    """Declare the base as a parameter; Falcon-H1's is 1e11."""
    return Field(
        10_000.0,
        ge=1,
        le=largest,
        title="Base",
        description=f"A larger base makes the slow {slower} slower.",
        json_schema_extra={"scale": "log"},
    )


def pairing_field(default: Pairing) -> Any:
    """Declare the pairing as a parameter."""
    return Field(
        default,
        title="Pairing",
        description="Which two dimensions turn together: i with i + r/2, or 2i with 2i + 1.",
        json_schema_extra={"in sight": True},
    )


@dataclass(frozen=True)
class PairingCode:
    """A pairing as code: its pairs, the expression that splits x into a and b, and the one that joins both, turned."""

    pairs: str
    split: str
    turned: str

    @classmethod
    def of(cls, rotated: int, pairing: Pairing) -> PairingCode:
        """Return the code for the first r dimensions of x."""
        half, both = rotated // 2, "(a * cos - b * sin, a * sin + b * cos)"
        if pairing == "half":
            return cls(f"(i, i + {half})", f"x[..., :{half}], x[..., {half}:{rotated}]", f"torch.cat({both}, dim=-1)")
        split = f"x[..., 0:{rotated}:2], x[..., 1:{rotated}:2]"
        return cls("(2i, 2i + 1)", split, f"torch.stack({both}, dim=-1).flatten(-2)")
