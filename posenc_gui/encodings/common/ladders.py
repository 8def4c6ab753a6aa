"""Bases and scalings that the rates of some pairs suggest: where to begin, for whoever sets numbers against them."""

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
    i = torch.arange(len(rates), dtype=torch.float64)
    logs = -rates.log() * steps / i
    known = logs[torch.isfinite(logs) & (logs >= 0) & (logs < math.log(1e12))]
    estimated = (float(known.median().exp()),) if len(known) else ()
    return *estimated, *USUAL_BASES


def folded(rates: Tensor, pairs: int, layout: str) -> Tensor:
    """Return the rate of each pair from those of columns, two of which may be one pair's: (pairs,)."""
    if len(rates) == pairs:
        return rates
    both = rates.view(-1, 2).T if layout == "interleaved" else rates.view(2, -1)
    return both.nanmean(0)


def mistaken_for(base: float, width: int) -> tuple[str, ...]:
    """Return what would explain an unusual base of a ladder of `width` / 2 pairs, a sentence each."""
    if width <= 4 or _is_near(base, USUAL_BASES):
        return ()
    half, shown = width // 2, format_number(base)
    found = []
    if usual := _is_near(base**2, USUAL_BASES):
        found.append(f"Base {shown} is {usual:,.0f} with the exponent −i / {width} where −2i / {width} is meant.")
    if usual := _is_near(base ** ((half - 1) / half), USUAL_BASES):
        found.append(f"Base {shown} is {usual:,.0f} with the exponent −i / {half - 1} where −i / {half} is meant.")
    if usual := _is_near(base ** (half / (half - 1)), USUAL_BASES):
        found.append(f"Base {shown} is {usual:,.0f} with the exponent −i / {half} where −i / {half - 1} is meant.")
    for usual in USUAL_BASES[:3]:
        times = (base / usual) ** ((width - 2) / width)
        if times > 1 and abs(times - (near := float(f"{times:.2g}"))) < _NEAR * times:
            found.append(f"Base {shown} is {usual:,.0f} with NTK-aware scaling by {near:g}.")
    return tuple(found)


def _is_near(base: float, usual: tuple[float, ...]) -> float | None:
    return next((one for one in usual if abs(base - one) < _NEAR * one), None)
