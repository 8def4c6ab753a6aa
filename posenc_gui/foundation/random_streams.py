"""Named random streams: the same seed and names give the same numbers on every machine."""

from __future__ import annotations

import hashlib
import math

import torch

from posenc_gui.foundation.stopped import CheckStop, go_on

_TOGETHER = 16  # torch draws numbers in groups of this many, and fewer by another method
PART = 2**24  # numbers drawn between two calls of check_stop; a multiple of _TOGETHER


def normal(
    seed: int, *names: str, shape: tuple[int, ...], std: float = 1.0, check_stop: CheckStop = go_on
) -> torch.Tensor:
    """Draw normal numbers with mean 0 in this shape, float32 on the CPU, from the stream named (seed, *names)."""
    return _drawn(stream(seed, *names), math.prod(shape), std, check_stop).view(shape)


def first_rows(seed: int, *names: str, rows: int, shape: tuple[int, int]) -> torch.Tensor:
    """Return the first rows of the matrix that `normal` draws, (rows, width), without drawing the others."""
    width, count = shape[1], math.prod(shape)
    asked = -(-rows * width // _TOGETHER) * _TOGETHER
    asked = asked if asked <= count - _TOGETHER else count  # torch draws the last few anew
    return _drawn(stream(seed, *names), asked)[: rows * width].view(rows, width)


def _drawn(generator: torch.Generator, count: int, std: float = 1.0, check_stop: CheckStop = go_on) -> torch.Tensor:
    found = torch.empty(count)
    for some in _parts(count):
        check_stop()
        found[some].normal_(std=std, generator=generator)
    return found


def _parts(count: int) -> list[slice]:
    """Split `count` numbers into the parts in which they are drawn; the last is never shorter than _TOGETHER."""
    starts = range(0, max(1, count - PART + 1), PART)
    return [slice(start, count if start == starts[-1] else start + PART) for start in starts]


def uniform(seed: int, *names: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Draw uniform numbers from 0 to below 1 in this shape, float32 on the CPU, from the stream named (seed, *names)."""
    return torch.rand(shape, generator=stream(seed, *names))


def stream(seed: int, *names: str) -> torch.Generator:
    """Return a generator whose seed depends on (seed, *names) alone."""
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "little"))
