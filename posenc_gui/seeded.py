"""Random numbers that depend only on what they are for: the same names and seed give the same numbers, anywhere."""

from __future__ import annotations

import hashlib

import torch


def normal(seed: int, *names: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Standard normal numbers, float32 on the CPU, of `shape`, drawn from a stream of their own for (seed, *names)."""
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "little"))
    return torch.randn(shape, generator=generator)
