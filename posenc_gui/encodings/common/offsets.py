"""The offsets between queries and keys: what depends on them alone is computed once for each, and then looked up.

Tokens in a row have few offsets. What belongs to these is seen for all pairs as a view, one offset further with each key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from posenc_gui.encodings.base import Side, as_positions


@dataclass(frozen=True, eq=False)
class Offsets:
    """The offsets m − n of some queries and keys.

    `values` (offsets,), float64, are these offsets, and `which` (n_q, n_k) is the place of each pair's among them. Where queries
    and keys are evenly spaced, as in a row, each is there once, the largest first, and `step` is 1, or −1 with queries in
    reverse order; otherwise it is 0, and each pair has a place of its own.
    """

    values: Tensor
    which: Tensor
    step: int

    @classmethod
    def of(cls, q_positions: Tensor, k_positions: Tensor) -> Self:
        """Find the offsets of queries and keys at these positions, (n_q,) and (n_k,)."""
        queries, keys = as_positions(q_positions), as_positions(k_positions)
        spacing, step = _spacing(keys), 0
        if spacing > 0 and abs(along := _spacing(queries)) == spacing:
            step = 1 if along > 0 else -1
            places = torch.arange(len(queries) + len(keys) - 1, device=queries.device)
            return cls(queries.max() - keys[0] - spacing * places.to(queries), _windows(places, len(keys), step), step)
        offsets = queries[:, None] - keys
        return cls(offsets.flatten(), torch.arange(offsets.numel(), device=offsets.device).view_as(offsets), step)

    @property
    def merged(self) -> Self:
        """The same, with each offset once."""
        if self.step:
            return self
        values, where = torch.unique(self.values, return_inverse=True)
        return type(self)(values, where[self.which], 0)

    def of_pairs(self, values: Tensor) -> Tensor:
        """Look up for each query and key what belongs to their offset, (offsets,): (n_q, n_k)."""
        return _windows(values, self.which.shape[1], self.step) if self.step else values[self.which]

    def of_queries(self, values: Tensor) -> Tensor:
        """Look up for each query and key what the query has at their offset, (…, n_q, offsets): (…, n_q, n_k)."""
        if not self.step:
            return values.gather(-1, self.which.to(values.device).expand(*values.shape[:-1], -1))
        values, (n_queries, n_keys) = values.contiguous(), self.which.shape
        *outer, along, _one = values.stride()
        first = 0 if self.step < 0 else n_queries - 1  # the place of the first query and the first key
        strides = *outer, along - self.step, 1
        return values.as_strided((*values.shape[:-1], n_keys), strides, values.storage_offset() + first)

    def products(self, vectors: Tensor, table: Tensor, rows: Tensor, side: Side = "query") -> Tensor:
        """Multiply queries or keys, (…, n, d), by a table's rows, (…, rows, d), one per offset, (offsets,): (…, n_q, n_k)."""
        low, high = map(int, rows.aminmax()) if rows.numel() else (0, 0)
        by_row = vectors @ table[..., low : high + 1, :].mT  # (…, n, used rows)
        which = self.which if low == high else self.of_pairs(rows - low).to(vectors.device)
        which = which if side == "query" else which.mT
        shape = *by_row.shape[:-1], which.shape[-1]
        found = by_row.expand(shape) if low == high else by_row.gather(-1, which.expand(shape))
        return found if side == "query" else found.mT


def _windows(values: Tensor, n_keys: int, step: int) -> Tensor:
    windows = values.unfold(0, n_keys, 1)
    return windows if step < 0 else windows.flip(0)


def _spacing(positions: Tensor) -> float:
    """Return by how much whole positions rise from each to the next, the same for all; otherwise 0."""
    if len(positions) < 2:
        return 0
    spaces = positions.diff()
    return float(spaces[0]) if bool((spaces == spaces[0].round()).all()) else 0
