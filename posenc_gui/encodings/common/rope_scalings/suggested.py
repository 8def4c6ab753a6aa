"""The scalings of RoPE that the rates of some pairs suggest, with the settings of released models."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import torch
from torch import Tensor

from posenc_gui.encodings.common.rope_scalings import AnyScaling, Linear, Llama3, LongRope, Proportional, Yarn
from posenc_gui.encodings.common.rotary import USUAL_BASES, bases_of, plain_frequencies

Scaled = tuple[float, AnyScaling]  # a base with a scaling

_LENGTHS = (2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
_FACTORS = (4.0, 8.0, 32.0, 16.0, 2.0, 40.0, 64.0)
_MOST = 8  # of those with the nearest frequencies
_APART = 1.02  # by what rates differ at least that suggest a factor
_FARTHEST = 10_000.0  # the largest factor
# Llama 3.1 and 3.2, Qwen2.5, DeepSeek-V3, gpt-oss, the authors' own, Gemma 3 and 4, and position interpolation.
_RELEASED: list[Scaled] = [
    (5e5, Llama3()),
    (5e5, Llama3(factor=32)),
    (1e6, Yarn(factor=4, original_max_position_embeddings=32768)),
    (1e4, Yarn(factor=40, original_max_position_embeddings=4096, mscale=1.0, mscale_all_dim=1.0)),
    (1.5e5, Yarn(factor=32, original_max_position_embeddings=4096, truncate=False)),
    (1e4, Yarn(factor=16, original_max_position_embeddings=4096)),
    (1e6, Linear(factor=8)),
    (1e6, Proportional()),
    (1e4, Linear(factor=4)),
]


def suggested(rates: Tensor, relative: bool) -> list[Scaled]:
    """Return scalings whose frequencies are nearest to these rates, (pairs,), by their size or `relative` to it, YaRN also
    without an attention factor, as in DeepSeek; then those of released models."""
    if len(rates) < 2 or not bool(torch.isfinite(rates[:2]).all()) or not float(rates[0]) > 0:
        return _RELEASED
    size = rates.abs().clamp(min=1e-12) if relative else 1

    def off_by(tried: Scaled) -> float:
        return float(((tried[1].frequencies(tried[0], 2 * len(rates), 0) - rates) / size).abs().nansum())

    nearest = sorted(_candidates(rates), key=off_by)[:_MOST]
    plain = [(base, way.model_copy(update={"attention_factor": 1.0})) for base, way in nearest if isinstance(way, Yarn)]
    return nearest + plain + _RELEASED


def _candidates(rates: Tensor) -> Iterator[Scaled]:
    pairs, slowed = len(rates), 1 / float(rates[0])
    turning = int((rates.abs() > 1e-12).sum())
    bases = (bases_of(rates[:turning] * slowed, pairs)[0], *USUAL_BASES[:8])
    if _APART < slowed < _FARTHEST:
        yield from ((base, Linear(factor=_plain(slowed))) for base in bases)
    if turning < pairs and bool(rates[:turning].all()):
        share, factor = turning / pairs, min(_plain(max(slowed, 1)), _FARTHEST)
        yield from ((base, Proportional(partial_rotary_factor=share, factor=factor)) for base in bases)
    for base in USUAL_BASES:
        ratios = plain_frequencies(base, 2 * pairs) / rates
        listed = ratios.mul(100).round().div(100)  # as published lists of LongRoPE have them, by chance hardly ever
        if pairs >= 8 and bool(((ratios - listed).abs() < 2e-4).all()) and 1 <= listed.min() < listed.max() <= 1000:
            yield base, LongRope(short_factor=tuple(listed.tolist()), long_factor=tuple(listed.tolist()))
        largest = float(ratios[torch.isfinite(ratios)].max())
        if _APART < largest < _FARTHEST and 1 / _APART < float(ratios[1]) < _APART:
            for factor, length in product(dict.fromkeys((_plain(largest), *_FACTORS)), _LENGTHS):
                yield base, Llama3(factor=factor, original_max_position_embeddings=length)
                for whole in (True, False):
                    yield base, Yarn(factor=factor, original_max_position_embeddings=length, truncate=whole)


def _plain(number: float) -> float:
    """Round to a number of two digits if one is near."""
    near = float(f"{number:.2g}")
    return near if abs(near - number) < 5e-3 * number else number
