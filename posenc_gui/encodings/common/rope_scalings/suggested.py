"""The scalings of RoPE that the rates of some pairs suggest, with the settings of released models."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from posenc_gui.encodings.common.conventions import Seen
from posenc_gui.encodings.common.ladders import USUAL_BASES, bases_of
from posenc_gui.encodings.common.rope_scalings import AnyScaling, Linear, Llama3, Proportional, Yarn
from posenc_gui.encodings.common.rotary import plain_frequencies

_LENGTHS = (2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
_FACTORS = (4.0, 8.0, 32.0, 16.0, 2.0, 40.0, 64.0)
_MOST = 8  # yielded of those with the nearest frequencies
_APART = 0.02  # by which rates may be off that suggest a base or a factor

# Llama 3.1, Llama 3.2, Qwen2.5, DeepSeek-V3, gpt-oss.
_RELEASED: tuple[tuple[float, AnyScaling], ...] = (
    (5e5, Llama3()),
    (5e5, Llama3(factor=32)),
    (1e6, Yarn(factor=4, original_max_position_embeddings=32768)),
    (1e4, Yarn(factor=40, original_max_position_embeddings=4096, mscale=1.0, mscale_all_dim=1.0)),
    (1.5e5, Yarn(factor=32, original_max_position_embeddings=4096, truncate=False)),
    (1e4, Linear(factor=4)),
)


def suggested(rates: Tensor, seen: Seen) -> list[tuple[float, AnyScaling]]:
    """Return bases with scalings whose frequencies are nearest to these rates, (pairs,), then those of released models."""
    width = 2 * len(rates)
    if width < 4 or not bool(torch.isfinite(rates[:2]).all()) or not float(rates[0]) > 0:
        return list(_RELEASED)
    tried = list(_candidates(rates))
    # What a difference of rates makes of the numbers: themselves for inv_freq, else the angle at the last position.
    weight = 1 / rates.abs().clamp(min=1e-12) if seen.kind == "frequencies" else torch.ones_like(rates)
    off = [((scaling.frequencies(base, width, 0) - rates) * weight).abs().nansum() for base, scaling in tried]
    nearest = sorted(range(len(tried)), key=lambda index: float(off[index]))[:_MOST]
    return [pair for index in nearest for pair in _with_factors(*tried[index], seen)] + list(_RELEASED)


def _candidates(rates: Tensor) -> Iterator[tuple[float, AnyScaling]]:
    pairs, slowed = len(rates), 1 / float(rates[0])
    own = bases_of(rates * slowed, pairs)[0]
    turning = rates.abs() > 1e-12
    if slowed > 1 + _APART:
        factor = plainly(slowed)
        yield from ((base, Linear(factor=factor)) for base in (own, *USUAL_BASES[:8]))
    if not bool(turning.all()) and bool(turning[: (count := int(turning.sum()))].all()):
        bases = (bases_of(rates[:count] * slowed, pairs)[0], *USUAL_BASES[:8])
        share, factor = plainly(count / pairs), plainly(max(slowed, 1))
        yield from ((base, Proportional(partial_rotary_factor=share, factor=factor)) for base in bases)
    for base in USUAL_BASES:
        ratios = plain_frequencies(base, 2 * pairs) / rates
        if not abs(float(ratios[1]) - 1) < _APART:
            continue
        largest = float(ratios[torch.isfinite(ratios)].max())
        if largest < 1 + _APART:
            continue
        for factor in dict.fromkeys((plainly(largest), *_FACTORS)):
            for length in _LENGTHS:
                yield base, Llama3(factor=factor, original_max_position_embeddings=length)
                for whole in (True, False):
                    yield base, Yarn(factor=factor, original_max_position_embeddings=length, truncate=whole)


def _with_factors(base: float, scaling: AnyScaling, seen: Seen) -> Iterator[tuple[float, AnyScaling]]:
    """Yield a scaling, and where cosines show it also without an attention factor, as DeepSeek has it."""
    yield base, scaling
    if isinstance(scaling, Yarn) and seen.kind not in ("frequencies", "angles"):
        yield base, scaling.model_copy(update={"attention_factor": 1.0})


def plainly(number: float) -> float:
    """Round to a number of few digits if it is near."""
    near = float(f"{number:.2g}")
    return near if abs(near - number) < 5e-3 * number else number
