"""Tiles of several maps' scores: dot products that maps have in common are computed once, tiles without weight not at all.

Scores are written into memory that each thread keeps from tile to tile: to ask the system for it anew would take as long
as some of the arithmetic.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.forward import EVERY_HEAD, TileRow, tile
from posenc_gui.attention.layer import Layer, as_indices
from posenc_gui.foundation.memory import Sized

_NO_WEIGHT = 90.0  # below its query's highest score by this much, a weight is 0: exp(−87.3) is the least normal number
_OFFSETS = 512  # of which only the largest bias is known
_WORK = (-1, -2)  # places in memory for a layer's scores and those to subtract; those of dot products count from 0


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

    def learn(self, queries: range, heads: slice, highest: Tensor, total: Tensor) -> None:
        """Store the denominators of these queries and heads, (h, n_q) each."""
        of = heads, slice(queries.start, queries.stop)
        self.highest[of], self.total[of] = highest, total


@dataclass(frozen=True, eq=False)
class ScoreMap:
    """What a map shows: scores of one head or all, their differences from the layer `without`, or, with `denominators`,
    weights."""

    layer: Layer
    without: Layer | None = None
    head: int | None = None
    denominators: Denominators | None = None

    @property
    def heads(self) -> slice:
        """The heads whose scores are computed."""
        return EVERY_HEAD if self.head is None else slice(self.head, self.head + 1)

    @property
    def n_heads(self) -> int:
        """The number of these heads."""
        return self.layer.n_heads if self.head is None else 1

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layer, and the one whose scores are subtracted."""
        return (self.layer,) if self.without is None else (self.layer, self.without)

    def known(self, queries: range) -> bool:
        """Return True if these queries' values need no keys but their own."""
        return self.denominators is None or self.denominators.known(queries, self.heads)

    def scores(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Return the scores of these queries and keys, or their differences, (h, n_q, n_k)."""
        scores, *subtracted = (tile(layer, queries, keys, self.heads).scores for layer in self.layers)
        return scores - subtracted[0] if subtracted else scores


class ScoreTiles:
    """Computes tiles of several maps, on any number of threads at a time."""

    def __init__(self, maps: Sequence[ScoreMap]) -> None:
        self.maps, self.memory = maps, _Memory()
        self.weightless = [_Weightless(one) if _has_weightless(one) else None for one in maps]
        # Maps are taken from the last: the first often has no encoding, and takes the dot products without copying them.
        sides = [(one.head, layer) for one in reversed(maps) for layer in one.layers]
        places = [next(place for place, other in enumerate(sides) if _same_dots(side, other)) for side in sides]
        self.needed, left = Counter(places), iter(places)  # the number of layers whose dot products have a place
        self.places = [[next(left) for _ in one.layers] for one in reversed(maps)][::-1]


class ScoreRow:
    """A row of tiles of several maps: the scores of the same queries, some keys after the other."""

    def __init__(self, tiles: ScoreTiles, queries: range) -> None:
        self._tiles, self._queries = tiles, queries
        self._upwards = queries[::-1]  # so that a bias that depends on offsets is a strided view, not a copy
        self._rows = [[TileRow(layer, self._upwards, one.heads) for layer in one.layers] for one in tiles.maps]
        self._weightless = [one and one.among(queries) for one in tiles.weightless]

    def scores(self, keys: range, wanted: Container[int]) -> Iterator[tuple[int, Tensor | None]]:
        """Yield the index of each wanted map and its scores, (h, n_q, n_k), queries in reverse order, masked keys `hidden`;
        None: no key is visible, or no weight differs from 0. Scores are valid until the next ones are asked for."""
        dots: dict[int, Tensor] = {}
        needed = self._tiles.needed.copy()
        for at in reversed(range(len(self._rows))):
            if at in wanted:
                layer, is_weightless = self._tiles.maps[at].layer, self._weightless[at]
                sight = layer.sight(self._queries, keys)
                if sight == "none" or (is_weightless and is_weightless(keys)):
                    yield at, None
                    continue
                scores = self._of_map(at, keys, dots, needed)
                if sight == "some":
                    asking, asked = (as_indices(side, scores.device) for side in (self._upwards, keys))
                    scores.masked_fill_(~layer.visible(asking, asked), hidden(scores))
                yield at, scores

    def _of_map(self, at: int, keys: range, dots: dict[int, Tensor], needed: Counter[int]) -> Tensor:
        one, memory, found = self._tiles.maps[at], self._tiles.memory, list[Tensor]()
        shape, like = (one.n_heads, len(self._queries), len(keys)), one.layer.queries
        for row, place, work in zip(self._rows[at], self._tiles.places[at], _WORK, strict=False):
            if place not in dots:
                dots[place] = row.dots(keys, memory.of(place, shape, like))
            needed[place] -= 1
            found.append(row.scores(keys, dots[place], memory.of(work, shape, like) if needed[place] else dots[place]))
        return found[0].sub_(found[1]) if one.without else found[0]


class _Memory(threading.local):
    """Memory for scores, of each thread its own."""

    def __init__(self) -> None:
        self._held: dict[int, Tensor] = {}

    def of(self, place: int, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """Return a tensor of this shape in a place, with whatever was written there."""
        held, size = self._held.get(place), math.prod(shape)
        if held is not None and held.shape == shape:
            return held
        if held is None or held.numel() < size:
            self._held[place] = like.new_empty(shape)
            return self._held[place]
        return held.view(-1)[:size].view(shape)


class _Weightless:
    """Tells tiles whose weights are all exactly 0: a bias puts their scores far below each query's score with itself."""

    def __init__(self, one: ScoreMap) -> None:
        self._layer, self._heads = one.layer, one.heads
        self._longest = one.layer.turned_keys[one.heads].norm(dim=-1).amax(-1)  # (h,)
        biases = one.layer.biases_by_offset
        assert biases is not None
        self._own = biases[one.heads, one.layer.n_tokens - 1]
        self._largest = [part.amax(-1).tolist() for part in torch.split(biases[one.heads], _OFFSETS, dim=-1)]

    def among(self, queries: range) -> Callable[[range], bool]:
        """Return a function that returns True for keys that certainly have no weight for any of these queries."""
        return partial(self._holds, queries, self._limits(queries))

    def _limits(self, queries: range) -> list[float]:
        """Return the bias of each head below which no key has a weight for any of these queries."""
        some = self._heads, slice(queries.start, queries.stop)
        asking, asked = self._layer.turned_queries[some], self._layer.turned_keys[some]
        farthest = asking.norm(dim=-1) * self._longest[:, None] * abs(self._layer.scale)  # (h, n_q)
        rounding = 4 * asking.shape[-1] * torch.finfo(asking.dtype).eps
        below = (asking * asked).sum(-1) * self._layer.scale - (1 + rounding) * farthest
        found: list[float] = (below.amin(-1) + self._own - rounding * self._own.abs() - _NO_WEIGHT).tolist()
        return found

    def _holds(self, queries: range, limits: list[float], keys: range) -> bool:
        first, last = (offset + self._layer.n_tokens - 1 for offset in (keys[0] - queries[-1], keys[-1] - queries[0]))
        parts = self._largest[first // _OFFSETS : last // _OFFSETS + 1]
        return all(bias < limit for part in parts for bias, limit in zip(part, limits, strict=True))


def hidden(scores: Tensor) -> float:
    """Return the score of masked keys: lower than all others, but finite, so that it gives 0 subtracted from itself."""
    return torch.finfo(scores.dtype).min


def _has_weightless(one: ScoreMap) -> bool:
    is_here = one.layer.inputs.device.type == "cpu"  # each tile would make another device wait
    return one.denominators is not None and is_here and one.layer.biases_by_offset is not None


def _same_dots(one: tuple[int | None, Layer], other: tuple[int | None, Layer]) -> bool:
    return one[0] == other[0] and one[1].has_dots_of(other[1])
