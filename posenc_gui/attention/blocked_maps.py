"""Attention maps of any length: all scores are computed, tile by tile, but only one summary per block is kept.

A map of n tokens has n · n cells, far more than a picture of it has pixels. Each cell of the picture therefore
represents a block of the map, summarized by its mean and maximum over the visible keys. If a block is one query and one
key, it is a cell of the map itself. Weights need the softmax's denominators, one number per query and head: they are
computed exactly on the way and cached.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple, Self

import torch
from torch import Tensor

from posenc_gui.attention.layer import Layer
from posenc_gui.attention.score_tiles import ScoreMap, ScoreRow, ScoreTiles, hidden
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.threads import AS_TORCH, Threads, alone

CELLS = 2**20  # scores computed at a time by a thread: few enough for the processor's cache
CELLS_OF_TERMS = (
    2**18
)  # where an encoding computes terms of each query and key, which take several arrays of as many numbers
KEYS = 2048  # keys of a tile, approximately
BANDS = 8  # bands into which queries are split at least, so that threads can share them out
QUERIES = 128  # queries of such a band at least: fewer would make matrix products slow
STEPS = 32  # number of steps in which an overview is filled, at most
SAMPLES = 512  # keys from which denominators are estimated


@dataclass(frozen=True)
class BlockGrid:
    """A window of a map in blocks of `height` queries and `width` keys, smaller ones in the last row and column."""

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

    def rows(self, queries: range) -> range:
        """Return the rows of blocks to which these queries belong."""
        first, last = ((query - self.queries.start) // self.height for query in (queries[0], queries[-1]))
        return range(first, last + 1)

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
class ScorePass:
    """One pass over several maps' scores, in bands of queries on several threads; `pause`: seconds between two partly filled
    maps."""

    maps: Sequence[ScoreMap]
    check_stop: CheckStop = go_on
    threads: Threads = AS_TORCH
    pause: float = 0.0

    def overviews(self, grid: BlockGrid) -> Generator[tuple[Overview, ...]]:
        """Yield all blocked maps, first partly filled, then whole; denominators that are missing are computed and stored on
        the way."""
        work = _Bands(self.maps, ScoreTiles(self.maps), grid).parts
        so_far = [_OverviewSoFar(grid, one.layer) for one in self.maps]
        bands, n_rows, shown, last = list(grid.bands(self._at_once(grid))), grid.shape[0], 0, monotonic()
        device = self.maps[0].layer.inputs.device.type
        with closing(self.threads.in_order(work, bands, self.check_stop, device)) as found:
            for queries, every in zip(bands, found, strict=True):
                with alone():
                    for overview, one, part in zip(so_far, self.maps, every, strict=True):
                        overview.add(queries, part)
                        if one.denominators and part.learned:
                            one.denominators.learn(queries, one.heads, *part.learned)
                n_done = queries.stop - grid.queries.start
                done = n_rows if n_done == len(grid.queries) else n_done // grid.height
                if done == n_rows or (done - shown >= n_rows / STEPS and monotonic() - last >= self.pause):
                    shown, last = done, monotonic()
                    with alone():
                        overviews = tuple(overview.overview(done) for overview in so_far)
                    yield overviews

    def _at_once(self, grid: BlockGrid) -> int:
        layers = [layer for one in self.maps for layer in one.layers]
        has_terms = any(layer.has_bias and layer.biases_by_offset is None for layer in layers)
        n_heads = max(one.n_heads for one in self.maps)
        at_a_time = CELLS_OF_TERMS if has_terms else CELLS
        fitting = at_a_time // (n_heads * min(len(grid.keys), max(KEYS, grid.width)))
        return max(1, min(fitting, max(QUERIES, len(grid.queries) // BANDS)))


def sampled(one: ScoreMap, grid: BlockGrid) -> Overview:
    """Return a quick, coarse map: each block's middle value; denominators that are missing are estimated from some keys."""
    device = one.layer.inputs.device
    queries, keys = _middles(grid.queries, grid.height).to(device), _middles(grid.keys, grid.width).to(device)
    values = one.scores(queries, keys)
    if known := one.denominators:
        highest, total = (part[one.heads, queries, None] for part in (known.highest, known.total))
        if not bool((total > 0).all()):
            highest, total = _estimated(one, queries)
        values.sub_(highest).exp_().div_(total).clamp_(max=1)  # a key outside the sample may have a far higher score
    visible = one.layer.visible(queries, keys)
    mean, maximum = (part.masked_fill(~visible, 0).cpu() for part in (values.mean(0), values.amax(0)))
    return Overview(mean, maximum, visible.cpu(), 0)


def _middles(of: range, size: int) -> Tensor:
    starts = torch.arange(of.start, of.stop, size)
    return (starts + (starts + size).clamp(max=of.stop) - 1) // 2


def _estimated(one: ScoreMap, queries: Tensor) -> tuple[Tensor, Tensor]:
    """Estimate denominators from a sample of keys of which every query sees one: (h, n_q, 1) each."""
    layer = one.layer
    keys = torch.arange(0, layer.n_tokens, -(-layer.n_tokens // SAMPLES), device=queries.device)
    if not bool(layer.visible(queries, keys).any(-1).all()):  # a window may lie between two of them
        keys = torch.unique(torch.cat((keys, queries)))
    visible = layer.visible(queries, keys)
    scores = one.scores(queries, keys).masked_fill(~visible, -torch.inf)
    highest = scores.amax(-1, keepdim=True)
    first, last = layer.seen_keys(queries)
    share = visible.sum(-1) / (last - first + 1)
    return highest, (scores - highest).exp().sum(-1, keepdim=True) / share[:, None]


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The sum and the maximum for each query and block of keys, (h, n_q, blocks)."""

    sums: Tensor
    peaks: Tensor


class _Part(NamedTuple):
    """A map's rows of blocks, (rows, blocks), that some queries give, whole or in part; `learned`: their new denominators."""

    sums: Tensor
    counts: Tensor
    peaks: Tensor
    learned: tuple[Tensor, Tensor] | None


@dataclass(frozen=True, eq=False)
class _Bands:
    """The work on a band of queries, safe on several threads."""

    maps: Sequence[ScoreMap]
    tiles: ScoreTiles
    grid: BlockGrid

    def parts(self, queries: range, check_stop: CheckStop) -> list[_Part]:
        """Return each map's part."""
        every, grid = range(len(self.maps)), self.grid
        unknown = [at for at in every if not self.maps[at].known(queries)]
        before, after = range(grid.keys.start), range(grid.keys.stop, self.maps[0].layer.n_tokens)
        outside = [*_stretches(before), *_stretches(after)] if unknown else []
        row, found = ScoreRow(self.tiles, queries), [list[_Blocks]() for _ in every]
        for wanted, stretches in ((unknown, outside), (every, _stretches(grid.keys, grid.width))):
            for keys, width in stretches:
                check_stop()
                for at, scores in row.scores(keys, wanted):
                    found[at].append(self._blocks(at, scores, (len(queries), len(keys) // width)))
        parts = []
        for at, one in enumerate(self.maps):
            blocks, learned = _side_by_side(found[at]), None
            if at in unknown:
                blocks, learned = _learned(one, blocks, len(outside))
            elif one.denominators:
                of = one.heads, slice(queries.start, queries.stop), None
                blocks = _divided(blocks, one.denominators.highest[of], one.denominators.total[of])
            parts.append(self._part(one.layer, queries, blocks, learned))
        return parts

    def _blocks(self, at: int, scores: Tensor | None, shape: tuple[int, int]) -> _Blocks:
        """Reduce a map's scores to blocks, (n_q, blocks) for each head."""
        one = self.maps[at]
        if scores is None:
            nothing = one.layer.queries.new_zeros(one.n_heads, *shape)
            return _Blocks(nothing, nothing + hidden(nothing))
        blocks = scores.view(one.n_heads, *shape, -1)  # (h, n_q, n_blocks, width)
        peaks = blocks.amax(-1, keepdim=True) if blocks.shape[-1] > 1 else blocks.clone()
        return _Blocks(_sums(blocks) if one.denominators is None else _sums_of_exp(blocks, peaks), peaks[..., 0])

    def _part(self, layer: Layer, queries: range, blocks: _Blocks, learned: tuple[Tensor, Tensor] | None) -> _Part:
        """Summarize queries by rows of blocks, and the heads."""
        grid, device = self.grid, layer.inputs.device
        starts = torch.arange(grid.keys.start, grid.keys.stop, grid.width, device=device)
        ends = (starts + grid.width).clamp(max=grid.keys.stop) - 1
        indices = torch.arange(queries.start, queries.stop, device=device)
        first, last = (end[:, None] for end in layer.seen_keys(indices))  # (n_q, 1) each
        seen = (torch.minimum(last, ends) - torch.maximum(first, starts) + 1).clamp(min=0)  # (n_q, blocks)
        sums, peaks, counts = blocks.sums.mean(0), blocks.peaks.amax(0), seen.to(blocks.sums)
        if grid.height == 1:
            return _Part(sums, counts, peaks, learned)
        rows = grid.rows(queries)
        into = (indices - grid.queries.start) // grid.height - rows.start
        nothing = sums.new_zeros(len(rows), len(starts))
        return _Part(
            nothing.index_add(0, into, sums),
            nothing.index_add(0, into, counts),
            (nothing - torch.inf).scatter_reduce(0, into[:, None].expand_as(peaks), peaks, "amax"),
            learned,
        )


def _learned(one: ScoreMap, blocks: _Blocks, n_outside: int) -> tuple[_Blocks, tuple[Tensor, Tensor]]:
    """Return the weights of all blocks of keys but the first ones, and the denominators, (h, n_q) each, over all of them."""
    highest, sinks = blocks.peaks.amax(-1), one.layer.sinks
    if sinks is not None:
        highest = torch.maximum(highest, sinks[one.heads, None])
    peaks = _exp(blocks.peaks - highest[..., None])
    total = (blocks.sums * peaks).sum(-1)
    if sinks is not None:
        total += (sinks[one.heads, None] - highest).exp()
    peaks = peaks[..., n_outside:] / total[..., None]
    return _Blocks(blocks.sums[..., n_outside:] * peaks, peaks), (highest, total)


def _divided(blocks: _Blocks, highest: Tensor, total: Tensor) -> _Blocks:
    peaks = _exp(blocks.peaks - highest) / total
    return _Blocks(blocks.sums * peaks, peaks)


def _sums(blocks: Tensor) -> Tensor:
    return blocks.masked_fill(blocks == hidden(blocks), 0).sum(-1)


def _sums_of_exp(blocks: Tensor, peaks: Tensor) -> Tensor:
    """Sum exp(score) in each block relative to the block's highest score: no overflow, and no row underflows to 0."""
    return blocks.sub_(peaks).exp_().sum(-1)


def _exp(differences: Tensor) -> Tensor:
    """Exponentials of numbers ≤ 0; 0 in place of subnormal results, which are slow to compute."""
    vanishing = differences < math.log(torch.finfo(differences.dtype).tiny)
    return differences.masked_fill(vanishing, 0).exp_().masked_fill_(vanishing, 0)


def _side_by_side(parts: list[_Blocks]) -> _Blocks:
    """Return all blocks of queries in their order; they come in reverse order."""
    sums, peaks = [part.sums for part in parts], [part.peaks for part in parts]
    return _Blocks(torch.cat(sums, dim=-1).flip(1), torch.cat(peaks, dim=-1).flip(1))


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


class _OverviewSoFar:
    """An overview while it is being filled."""

    def __init__(self, grid: BlockGrid, layer: Layer) -> None:
        self._grid = grid
        self._sums, self._counts = layer.queries.new_zeros(grid.shape), layer.queries.new_zeros(grid.shape)
        self._peaks = layer.queries.new_full(grid.shape, -torch.inf)

    def add(self, queries: range, part: _Part) -> None:
        """Add some queries."""
        rows = self._grid.rows(queries)
        some = slice(rows.start, rows.stop)
        self._sums[some] += part.sums
        self._counts[some] += part.counts
        self._peaks[some] = torch.maximum(self._peaks[some], part.peaks)

    def overview(self, done: int) -> Overview:
        """Return the overview after its first `done` rows of blocks."""
        seen = self._counts > 0
        mean, maximum = (self._sums / self._counts).masked_fill(~seen, 0), self._peaks.masked_fill(~seen, 0)
        return Overview(mean.cpu(), maximum.cpu(), seen.cpu(), done)
