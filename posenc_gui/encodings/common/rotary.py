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

from posenc_gui.foundation.wording import format_number

Pairing = Literal["half", "interleaved"]

# Of released models, the commonest first.
USUAL_BASES = (1e4, 5e5, 1e6, 1e5, 1.5e5, 1.6e5, 2e6, 5e6, 8e6, 1e7, 1e2, 5e4, 5e7, 1e11)
_NEAR = 1e-4  # of a base that is said to be another one


def plain_frequencies(base: float, rotated: int) -> Tensor:
    """Return θ_i = base^(−2i / r) of r rotated dimensions: (r / 2,), float64, radians per position."""
    return base ** (-torch.arange(0, rotated, 2, dtype=torch.float64) / max(rotated, 1))


def bases_of(rates: Tensor, steps: float) -> tuple[float, ...]:
    """Return the base of a ladder base^(−i / steps), (pairs,), as most of its rates have it, unless unknown, and usual ones."""
    logs = -rates.log() * steps / torch.arange(len(rates), dtype=torch.float64)
    known = logs[(logs >= 0) & (logs < math.log(1e12))]
    return *((float(known.median().exp()),) if len(known) else ()), *USUAL_BASES


def folded(rates: Tensor, pairs: int, layout: str) -> Tensor:
    """Return the rate of each pair from those of columns, two of which may be one pair's: (pairs,)."""
    if len(rates) == pairs:
        return rates
    return (rates.view(-1, 2).T if layout == "interleaved" else rates.view(2, -1)).nanmean(0)


def mistaken_for(base: float, width: int) -> tuple[str, ...]:
    """Return what would explain an unusual base of a ladder of `width` / 2 pairs, a sentence each."""
    half, told = width // 2, f"Base {format_number(base)} is"
    if half <= 2 or _usual(base):
        return ()
    powers = {
        (width, f"2i / {width}"): 2,
        (half - 1, f"i / {half}"): 1 - 1 / half,
        (half, f"i / {half - 1}"): half / (half - 1),
    }
    found = [
        f"{told} {usual:,.0f} with the exponent −i / {divisor} where −{meant} is meant."
        for (divisor, meant), power in powers.items()
        if (usual := _usual(base**power))
    ]
    for usual in USUAL_BASES[:3]:
        factor = (base / usual) ** ((width - 2) / width)  # of NTK-aware scaling
        if factor > 1 and abs(factor - float(f"{factor:.2g}")) < _NEAR * factor:
            found.append(f"{told} {usual:,.0f} with NTK-aware scaling by {factor:.2g}.")
    return tuple(found)


def _usual(base: float) -> float | None:
    return next((one for one in USUAL_BASES if abs(base - one) < _NEAR * one), None)


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
