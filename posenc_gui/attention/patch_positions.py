"""Where tokens stand among which there is a grid of image patches: each token has a time, a row and a column."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Places:
    """The places of a sentence that begins at `start`: so many tokens `before` a grid of patches, the grid, and the rest.

    Patches stand in reading order, each at its own row and column; without any, words stand one after the other.

    Source: Wang et al. 2024, "Qwen2-VL", section 2.1, as `get_rope_index` in transformers' Qwen2-VL counts.
    """

    before: int
    rows: int
    columns: int
    start: int = 0

    @property
    def n_patches(self) -> int:
        """How many patches there are."""
        return self.rows * self.columns

    def coordinates(self, count: int, axes: int) -> Tensor:
        """The places of the first so many tokens, (count, axes), float64: time, row and column; of two axes the last two.

        In words all are the same. A patch has the time at which the grid begins, and its row and column are counted from
        there. Words go on one beyond the largest coordinate before them.
        """
        return self._of(torch.arange(count, dtype=torch.float64), axes)

    def at(self, indices: Tensor, axes: int) -> Tensor:
        """The places of tokens by their indices, (n, axes); between two tokens, on the way from one to the next."""
        before = indices.floor()
        return torch.lerp(self._of(before, axes), self._of(before + 1, axes), (indices - before)[:, None])

    def reach(self, count: int) -> int:
        """How many positions the first so many tokens take: one more than the largest coordinate."""
        patches = min(max(0, count - self.before), self.n_patches)
        side = max(-(-patches // self.columns), min(patches, self.columns))
        return self.start + count - patches + side

    def _of(self, indices: Tensor, axes: int) -> Tensor:
        patch = (indices - self.before).clamp(0, self.n_patches - 1)
        row, column = patch.div(self.columns, rounding_mode="floor"), patch.remainder(self.columns)
        within = torch.stack((torch.zeros_like(row), row, column), dim=-1) + self.before  # (n, 3)
        is_behind = indices >= self.before + self.n_patches
        words = torch.where(is_behind, indices - self.n_patches + max(self.rows, self.columns), indices)
        is_patch = (indices >= self.before) & ~is_behind
        return self.start + torch.where(is_patch[:, None], within, words[:, None])[:, -axes:]
