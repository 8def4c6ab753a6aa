"""Random numbers that depend only on what they are for: the same names and seed give the same numbers, anywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import torch

PART = 2**24  # numbers drawn between two questions whether to stop; a multiple of the 16 that torch draws together


def normal(
    seed: int, *names: str, shape: tuple[int, ...], std: float = 1.0, check_stop: Callable[[], None] = lambda: None
) -> torch.Tensor:
    """Normal numbers around 0, float32 on the CPU, of `shape`, drawn from a stream of their own for (seed, *names)."""
    generator = stream(seed, *names)
    found = torch.empty(shape)
    row = found.view(-1)
    for some in _parts(found.numel()):
        check_stop()
        row[some].normal_(std=std, generator=generator)
    return found


def _parts(count: int) -> list[slice]:
    """In which parts so many numbers are drawn: torch draws fewer than 16 in another way, so the last is never shorter."""
    starts = range(0, max(1, count - PART + 1), PART)
    return [slice(start, count if start == starts[-1] else start + PART) for start in starts]


def uniform(seed: int, *names: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Numbers from 0 to 1, float32 on the CPU, of `shape`, drawn from a stream of their own for (seed, *names)."""
    return torch.rand(shape, generator=stream(seed, *names))


def stream(seed: int, *names: str) -> torch.Generator:
    """Where the numbers for (seed, *names) come from."""
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "little"))
