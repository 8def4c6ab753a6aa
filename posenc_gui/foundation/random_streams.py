"""Random numbers that depend only on what they are for: the same names and seed give the same numbers, anywhere."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import torch

_TOGETHER = 16  # numbers that torch draws together: fewer are drawn in another way
PART = 2**24  # numbers drawn between two questions whether to stop; a multiple of those


def normal(
    seed: int, *names: str, shape: tuple[int, ...], std: float = 1.0, check_stop: Callable[[], None] = lambda: None
) -> torch.Tensor:
    """Normal numbers around 0, float32 on the CPU, of `shape`, drawn from a stream of their own for (seed, *names)."""
    return _drawn(stream(seed, *names), math.prod(shape), std, check_stop).view(shape)


def first_rows(seed: int, *names: str, rows: int, shape: tuple[int, int]) -> torch.Tensor:
    """The first rows of what `normal` gives, (rows, width), without drawing all of the others."""
    width, count = shape[1], math.prod(shape)
    asked = -(-rows * width // _TOGETHER) * _TOGETHER
    drawn = _drawn(stream(seed, *names), asked if asked <= count - _TOGETHER else count)  # the last few are drawn anew
    return drawn[: rows * width].view(rows, width)


def _drawn(
    generator: torch.Generator, count: int, std: float = 1.0, check_stop: Callable[[], None] = lambda: None
) -> torch.Tensor:
    found = torch.empty(count)
    for some in _parts(count):
        check_stop()
        found[some].normal_(std=std, generator=generator)
    return found


def _parts(count: int) -> list[slice]:
    """In which parts so many numbers are drawn: the last is never shorter than what is drawn together."""
    starts = range(0, max(1, count - PART + 1), PART)
    return [slice(start, count if start == starts[-1] else start + PART) for start in starts]


def uniform(seed: int, *names: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Numbers from 0 to 1, float32 on the CPU, of `shape`, drawn from a stream of their own for (seed, *names)."""
    return torch.rand(shape, generator=stream(seed, *names))


def stream(seed: int, *names: str) -> torch.Generator:
    """Where the numbers for (seed, *names) come from."""
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "little"))
