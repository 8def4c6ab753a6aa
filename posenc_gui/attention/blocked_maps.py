"""Attention maps of any length: all scores are computed, tile by tile, but only one summary per block is kept.

A map of n tokens has n · n cells, far more than a picture of it has pixels. Each cell of the picture therefore
represents a block of the map, summarized by its mean and maximum over the visible keys. If a block is one query and one
key, it is a cell of the map itself. Weights need the softmax's denominators, one number per query and head: they are
computed exactly on the way and cached.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.forward import EVERY_HEAD, tile
from posenc_gui.attention.layer import Indices, Layer, as_indices
from posenc_gui.foundation.memory import Sized
from posenc_gui.foundation.stopped import CheckStop, go_on

CELLS = 2**18  # scores computed at a time: few enough for the processor's cache
KEYS = 2048  # keys of a tile, approximately
STEPS = 32  # number of steps in which an overview is filled
SAMPLES = 512  # keys from which denominators are estimated


@dataclass(frozen=True)
class BlockGrid:
    """A division of a window of a map into blocks of `height` queries and `width` keys.

    Blocks in the last row and column may be smaller.
    """

    queries: range
    keys: range
    height: int = 1
    width: int = 1

    @classmethod
    def within(cls, queries: range, keys: range, pixels: tuple[int, int]) -> Self:
        """Return the finest grid that has at most `pixels` blocks across and down."""
        across, down = (max(1, side) for side in pixels)
        return cls(queries, keys, -(-len(queries) // down), -(-len(keys) // across))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and columns of blocks."""
        return -(-len(self.queries) // self.height), -(-len(self.keys) // self.width)

    @property
    def exact(self) -> bool:
        """True if each block is one query and one key."""
        return self.height == self.width == 1

    def bands(self, most: int) -> Iterator[range]:
        """Yield ranges of at most `most` queries from the top; each covers whole rows of blocks, or part of one row."""
        step = most // self.height * self.height or self.height
        for start in range(0, len(self.queries), step):
            block = self.queries[start : start + step]
            for part in range(0, len(block), most):
                yield block[part : part + most]


@dataclass(frozen=True, eq=False)
class Overview:
    """A map reduced to the blocks of a grid, (rows, columns) each, on the CPU.

    `mean` and `maximum` are taken over the visible keys and over the heads. `seen` is True for blocks with at least one
    visible key; elsewhere both are 0. Only the first `done` rows of blocks have been computed; of a sample, none.
    """

    mean: Tensor
    maximum: Tensor
    seen: Tensor
    done: int


@dataclass(frozen=True, eq=False)
class Denominators(Sized):
    """The softmax's denominators: for each query, the sum of exp(score) over its visible keys, as exp(highest) · total.

    `highest` and `total` are (h, n). They are stored separately, since in the logarithm of the sum, rounding would lose
    small differences between large scores. The total is 0 until a query's keys have been computed.
    """

    highest: Tensor
    total: Tensor

    @classmethod
    def of(cls, layer: Layer) -> Self:
        """Create empty denominators for a layer's queries."""
        unknown = layer.queries.new_zeros(layer.n_heads, layer.n_tokens)
        return cls(unknown, unknown.clone())

    def known(self, queries: range, heads: slice = EVERY_HEAD) -> bool:
        """Return True if the denominators of all these queries and heads have been computed."""
        return bool((self.total[heads, queries.start : queries.stop] > 0).all())


@dataclass(frozen=True, eq=False)
class ScorePass:
    """One pass over a layer's scores, of one head or all; with `without`, over their differences from that layer's."""

    layer: Layer
    without: Layer | None = None
    head: int | None = None
    check_stop: CheckStop = go_on

    def scores(self, grid: BlockGrid) -> Iterator[Overview]:
        """Yield the blocked map of scores before mask and softmax: first partly filled maps, finally the whole map."""

        def of(queries: range) -> _Blocks:
            stretches = _stretches(grid.keys, grid.width)
            return _side_by_side([self._reduced(queries, keys, width, _sums) for keys, width in stretches])

        return self._filled(grid, of)

    def weights(self, grid: BlockGrid, denominators: Denominators) -> Iterator[Overview]:
        """Yield the blocked map of weights in the same steps.

        Denominators that are missing are computed over all keys on the way, and stored.
        """
        before, after = range(grid.keys.start), range(grid.keys.stop, self.layer.n_tokens)

        def summed(queries: range, stretches: Iterable[tuple[range, int]]) -> list[_Blocks]:
            return [self._reduced(queries, keys, width, _sums_of_exp) for keys, width in stretches]

        def of(queries: range) -> _Blocks:
            inside = summed(queries, _stretches(grid.keys, grid.width))
            if not denominators.known(queries, self.heads):
                outside = summed(queries, (*_stretches(before), *_stretches(after)))
                self._learn(denominators, queries, _side_by_side([*outside, *inside]))
            return self._divided(denominators, queries, _side_by_side(inside))

        return self._filled(grid, of)

    def sampled_scores(self, grid: BlockGrid) -> Overview:
        """Return a quick, coarse map: the score in the middle of each block."""
        queries, keys = self._middles(grid)
        return self._sample(grid, self._scores(queries, keys))

    def sampled_weights(self, grid: BlockGrid, denominators: Denominators) -> Overview:
        """Return a quick, coarse map of weights; if any denominator is missing, all are estimated from a sample of keys."""
        queries, keys = self._middles(grid)
        highest, total = (part[self.heads, queries, None] for part in (denominators.highest, denominators.total))
        if not bool((total > 0).all()):
            highest, total = self._estimated(queries)
        weights = self._scores(queries, keys).sub_(highest).exp_().div_(total)
        return self._sample(grid, weights.clamp_(max=1))  # a key outside the sample may have a far higher score

    @property
    def heads(self) -> slice:
        """The heads whose scores are computed."""
        return EVERY_HEAD if self.head is None else slice(self.head, self.head + 1)

    def _at_once(self, grid: BlockGrid) -> int:
        n_heads = self.layer.n_heads if self.head is None else 1
        return max(1, CELLS // (n_heads * min(len(grid.keys), max(KEYS, grid.width))))

    def _filled(self, grid: BlockGrid, blocks_of: Callable[[range], _Blocks]) -> Iterator[Overview]:
        picture, n_rows, shown = _OverviewSoFar(grid, self.layer), grid.shape[0], 0
        for queries in grid.bands(self._at_once(grid)):
            picture.add(queries, blocks_of(queries))
            done = n_rows if queries.stop == grid.queries.stop else (queries.stop - grid.queries.start) // grid.height
            if done == n_rows or done - shown >= n_rows / STEPS:
                shown = done
                yield picture.overview(done)

    def _scores(self, queries: Indices, keys: Indices) -> Tensor:
        """Return scores, (h, n_q, n_k)."""
        scores = tile(self.layer, queries, keys, self.heads).scores
        return scores if self.without is None else scores - tile(self.without, queries, keys, self.heads).scores

    def _reduced(self, queries: range, keys: range, width: int, sums: Sums) -> _Blocks:
        """Reduce each query's keys to blocks of `width`."""
        self.check_stop()
        sight, n_blocks = self.layer.sight(queries, keys), len(keys) // width
        if sight == "none":
            n_heads = self.layer.n_heads if self.head is None else 1
            nothing = self.layer.queries.new_zeros(n_heads, len(queries), n_blocks)
            return _Blocks(nothing, nothing + _hidden(nothing))
        upwards = queries[::-1]  # reversed, so that a bias that depends on offsets is a strided view and not a copy
        scores = self._scores(upwards, keys)
        if sight == "some":
            asking, asked = (as_indices(side, scores.device) for side in (upwards, keys))
            scores.masked_fill_(~self.layer.visible(asking, asked), _hidden(scores))
        blocks = scores.view(*scores.shape[:2], n_blocks, width)  # (h, n_q, n_blocks, width)
        peaks = blocks.amax(-1) if width > 1 else blocks[..., 0].clone()
        return _Blocks(sums(blocks, peaks).flip(1), peaks.flip(1))

    def _learn(self, denominators: Denominators, queries: range, every: _Blocks) -> None:
        highest, sinks = every.peaks.amax(-1), self.layer.sinks
        if sinks is not None:
            highest = torch.maximum(highest, sinks[self.heads, None])
        of = self.heads, slice(queries.start, queries.stop)
        denominators.highest[of] = highest
        denominators.total[of] = (every.sums * _exp(every.peaks - highest[..., None])).sum(-1)
        if sinks is not None:
            denominators.total[of] += (sinks[self.heads, None] - highest).exp()

    def _divided(self, denominators: Denominators, queries: range, blocks: _Blocks) -> _Blocks:
        of = self.heads, slice(queries.start, queries.stop), None
        peaks = _exp(blocks.peaks - denominators.highest[of]) / denominators.total[of]
        return _Blocks(blocks.sums * peaks, peaks)

    def _estimated(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        """Estimate denominators from a sample of keys of which every query sees one: (h, n_q, 1) each."""
        step = -(-self.layer.n_tokens // SAMPLES)
        keys = torch.arange(0, self.layer.n_tokens, step, device=queries.device)
        if not bool(self.layer.visible(queries, keys).any(-1).all()):  # a window may lie between two of them
            keys = torch.unique(torch.cat((keys, queries)))
        visible = self.layer.visible(queries, keys)
        scores = self._scores(queries, keys).masked_fill(~visible, -torch.inf)
        highest = scores.amax(-1, keepdim=True)
        first, last = self.layer.seen_keys(queries)
        share = visible.sum(-1) / (last - first + 1)
        return highest, (scores - highest).exp().sum(-1, keepdim=True) / share[:, None]

    def _middles(self, grid: BlockGrid) -> tuple[Tensor, Tensor]:
        device = self.layer.inputs.device
        return _middles(grid.queries, grid.height).to(device), _middles(grid.keys, grid.width).to(device)

    def _sample(self, grid: BlockGrid, values: Tensor) -> Overview:
        visible = self.layer.visible(*self._middles(grid))
        mean, maximum = (part.masked_fill(~visible, 0).cpu() for part in (values.mean(0), values.amax(0)))
        return Overview(mean, maximum, visible.cpu(), 0)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The sum and the maximum for each query and block of keys, (h, n_q, blocks)."""

    sums: Tensor
    peaks: Tensor


Sums = Callable[[Tensor, Tensor], Tensor]  # (h, n_q, blocks) of (h, n_q, blocks, width) and its highest scores


def _sums(blocks: Tensor, _peaks: Tensor) -> Tensor:
    return blocks.masked_fill(blocks == _hidden(blocks), 0).sum(-1)


def _sums_of_exp(blocks: Tensor, peaks: Tensor) -> Tensor:
    """Sum exp(score) in each block relative to the block's highest score: no overflow, and no row underflows to 0."""
    return blocks.sub_(peaks[..., None]).exp_().sum(-1)


def _exp(differences: Tensor) -> Tensor:
    """Exponentials of numbers ≤ 0; 0 in place of subnormal results, which are slow to compute."""
    vanishing = differences < math.log(torch.finfo(differences.dtype).tiny)
    return differences.masked_fill(vanishing, 0).exp_().masked_fill_(vanishing, 0)


def _hidden(scores: Tensor) -> float:
    """Return the score of masked keys: lower than all others, but finite, so that it gives 0 subtracted from itself."""
    return torch.finfo(scores.dtype).min


def _side_by_side(parts: list[_Blocks]) -> _Blocks:
    return _Blocks(torch.cat([part.sums for part in parts], dim=-1), torch.cat([part.peaks for part in parts], dim=-1))


def _stretches(keys: range, width: int = KEYS) -> Iterator[tuple[range, int]]:
    """Yield ranges of about `KEYS` keys from the left, each with a block width that divides it."""
    step = max(1, KEYS // width) * width
    for start in range(0, len(keys), step):
        stretch = keys[start : start + step]
        whole = len(stretch) // width * width
        if whole:
            yield stretch[:whole], width
        if whole < len(stretch):
            yield stretch[whole:], len(stretch) - whole


def _middles(of: range, size: int) -> Tensor:
    starts = torch.arange(of.start, of.stop, size)
    return (starts + (starts + size).clamp(max=of.stop) - 1) // 2


class _OverviewSoFar:
    """An overview while it is being filled."""

    def __init__(self, grid: BlockGrid, layer: Layer) -> None:
        self._grid, self._layer = grid, layer
        self._sums = layer.queries.new_zeros(grid.shape)
        self._peaks = layer.queries.new_full(grid.shape, -torch.inf)
        self._counts = layer.queries.new_zeros(grid.shape)
        starts = torch.arange(grid.keys.start, grid.keys.stop, grid.width, device=layer.inputs.device)
        self._starts, self._sizes = starts, (starts + grid.width).clamp(max=grid.keys.stop) - starts

    def add(self, queries: range, blocks: _Blocks) -> None:
        """Add some queries: whole rows of blocks, or part of one row."""
        rows = torch.arange(queries.start, queries.stop, device=self._starts.device)
        first, last = (end[:, None] for end in self._layer.seen_keys(rows))  # (n_q, 1) each
        seen = torch.minimum(last, self._starts + self._sizes - 1) - torch.maximum(first, self._starts) + 1
        seen = seen.clamp(min=0)  # (n_q, blocks)
        into = (rows - self._grid.queries.start) // self._grid.height
        self._sums.index_add_(0, into, blocks.sums.mean(0))
        self._counts.index_add_(0, into, seen.to(self._counts))
        peaks = blocks.peaks.amax(0)
        self._peaks.scatter_reduce_(0, into[:, None].expand_as(peaks), peaks, "amax")

    def overview(self, done: int) -> Overview:
        """Return the overview after its first `done` rows of blocks."""
        seen = self._counts > 0
        mean, maximum = (self._sums / self._counts).masked_fill(~seen, 0), self._peaks.masked_fill(~seen, 0)
        return Overview(mean.cpu(), maximum.cpu(), seen.cpu(), done)
