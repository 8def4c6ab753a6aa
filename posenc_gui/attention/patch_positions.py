"""Positions of tokens around a grid of image patches: each token has a time, a row and a column."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class PatchPlaces:
    """The positions of a sentence that begins at `start`: `before` tokens, then a grid of patches, then the other
    tokens.

    Patches are in reading order, each at its own row and column. Without patches, positions are consecutive.

    Source: Wang et al. 2024, "Qwen2-VL", section 2.1, counted as `get_rope_index` does in transformers' Qwen2-VL.
    """

    before: int
    rows: int
    columns: int
    start: float = 0

    @property
    def n_patches(self) -> int:
        """The number of patches."""
        return self.rows * self.columns

    def coordinates(self, count: int, axes: int) -> Tensor:
        """Return the positions of the first `count` tokens, (count, axes), float64: time, row and column; for two axes, row
        and column. A text token has the same number on each axis. All patches have the time at which the grid begins; rows
        and columns are counted from that number. The text continues one past the largest coordinate before it."""
        return self._of(torch.arange(count, dtype=torch.float64), axes)

    def at(self, indices: Tensor, axes: int) -> Tensor:
        """Return the positions of tokens by their indices, (n, axes), interpolated for fractional indices."""
        before = indices.floor()
        return torch.lerp(self._of(before, axes), self._of(before + 1, axes), (indices - before)[:, None])

    def reach(self, count: int) -> int:
        """Return the number of positions that the first `count` tokens take: one more than their largest coordinate."""
        return max(self.extents(count, axes=2))

    def extents(self, count: int, axes: int) -> tuple[int, ...]:
        """Return one more than the largest coordinate of the first `count` tokens, along each axis as in `coordinates`."""
        patches = min(max(0, count - self.before), self.n_patches)
        sides = (min(patches, 1), -(-patches // self.columns), min(patches, self.columns))  # time, rows, columns
        is_text_last = count > self.before + self.n_patches
        return tuple(
            int(self.start) + count - patches + (max(sides) if is_text_last else side) for side in sides[-axes:]
        )

    def _of(self, indices: Tensor, axes: int) -> Tensor:
        patch = (indices - self.before).clamp(0, self.n_patches - 1)
        row, column = patch.div(self.columns, rounding_mode="floor"), patch.remainder(self.columns)
        within = torch.stack((torch.zeros_like(row), row, column), dim=-1) + self.before  # (n, 3)
        is_behind = indices >= self.before + self.n_patches
        words = torch.where(is_behind, indices - self.n_patches + max(self.rows, self.columns), indices)
        is_patch = (indices >= self.before) & ~is_behind
        return self.start + torch.where(is_patch[:, None], within, words[:, None])[:, -axes:]
