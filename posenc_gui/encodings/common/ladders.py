"""The bases of ladders of frequencies: which one some rates suggest, and what would explain an unusual one."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from posenc_gui.foundation.wording import format_number

# Of released models, the commonest first.
USUAL_BASES = (1e4, 5e5, 1e6, 1e5, 1.5e5, 1.6e5, 2e6, 5e6, 8e6, 1e7, 1e2, 5e4, 5e7, 1e11)
_NEAR = 1e-4  # of a base that is said to be another one


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
