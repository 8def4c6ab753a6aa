"""The forward pass of attention, door by door: any queries over all keys, in chunks.

    logits = (rotate(q, m) · rotate(k, n) + content) · scale + extra + bias
    probabilities = softmax(mask(logits))
    output = probabilities · v + values(probabilities)

scale is 1/√d_head unless the encoding or the model says otherwise; the mask goes by token index, never by position.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.layer import Indices, Layer, as_indices, as_slice
from posenc_gui.encodings.base import Terms, convert_like
from posenc_gui.foundation.memory import Sized
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.threads import AS_TORCH, Threads

CHUNK = 2**22  # scores computed at a time, by all threads: 16 MiB of float32 for each of the few arrays in use
KEYS = 4096  # keys of a chunk: more would leave too few queries for fast matrix products
_THREADS = 8  # which take a chunk's memory together, at most
EVERY_HEAD = slice(None)
_NOWHERE = slice(0, 0)

# The axis of the queries in each part of `Attended` that has one.
_ALONG_QUERIES = {
    "rows": 0, "scores": 1, "visible": 0, "log_denominators": 1, "weights": 1, "heads": 1, "added": 1, "output": 0,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Tile:
    """The terms of the scores of some queries and some keys, before the mask: (h, n_q, n_k).

    queries (h, n_q, d) and keys (h, n_k, d) are after rotation. `content` is multiplied by `scale`; `extra` and `bias`
    are not. Each of these three may be a single zero. A `cap` bounds the scaled dot products, before anything is added.
    """

    queries: Tensor
    keys: Tensor
    content: Tensor
    extra: Tensor
    bias: Tensor
    scale: float
    cap: float | None = None

    @property
    def dots(self) -> Tensor:
        """The dot product of each query and each key, (h, n_q, n_k)."""
        return self.queries @ self.keys.mT

    @property
    def scores(self) -> Tensor:
        """(dots + content) · scale + extra + bias."""
        scores = _capped((self.queries * self.scale) @ self.keys.mT, self.cap)
        for part, factor in self.beside_dots:  # in place, to save an array
            scores.add_(part, alpha=factor)
        return scores

    @property
    def added(self) -> Tensor:
        """The part of the scores that the score door adds: content · scale + extra + bias."""
        added = self.queries.new_zeros(len(self.queries), self.queries.shape[1], self.keys.shape[1])
        for part, factor in self.beside_dots:
            added.add_(part, alpha=factor)
        return added

    @property
    def beside_dots(self) -> list[tuple[Tensor, float]]:
        """The terms that are added to the scaled dot products, (h, n_q, n_k) each, with their factors."""
        parts = (self.content, self.scale), (self.extra, 1.0), (self.bias, 1.0)
        return [(part, factor) for part, factor in parts if part.ndim]

    def of_keys(self, columns: slice | Tensor) -> Self:
        """Return the part of this tile for some of its keys, given by their indices within the tile."""
        parts = (self.content, self.extra, self.bias)
        content, extra, bias = (part[..., columns] if part.ndim else part for part in parts)
        return replace(self, keys=self.keys[:, columns], content=content, extra=extra, bias=bias)


class TileRow:
    """Tiles of the same queries, one after the other: what doesn't depend on the keys is computed once."""

    def __init__(self, layer: Layer, rows: range, heads: slice = EVERY_HEAD) -> None:
        self._layer, self._rows, self._heads = layer, rows, heads
        self._queries = layer.turned_queries[heads, as_slice(rows)] * layer.scale  # (h, n_q, d)
        self._keys = layer.turned_keys[heads].mT  # (h, d, n)

    def dots(self, columns: range, out: Tensor) -> Tensor:
        """Return the scaled dot products, within the cap, written into `out`, (h, n_q, n_k)."""
        torch.bmm(self._queries, self._keys[..., columns.start : columns.stop], out=out)
        return _capped(out, self._layer.cap)

    def scores(self, columns: range, dots: Tensor, out: Tensor) -> Tensor:
        """Return the scores, from the scaled dot products, written into `out`, which may be these."""
        found = dots
        for part, factor in self._beside_dots(columns):
            found = torch.add(found, part, alpha=factor, out=out)
        return found if found is out else out.copy_(found)

    def _beside_dots(self, columns: range) -> list[tuple[Tensor, float]]:
        layer = self._layer
        if not layer.has_bias:
            return []
        if layer.encoding.content_free:
            return [(layer.bias(self._rows, columns)[self._heads], 1.0)]
        return tile(layer, self._rows, columns, self._heads).beside_dots


@dataclass(frozen=True, eq=False)
class Attended(Sized):
    """The outputs of n_q queries over all keys of the sentence, with their scores and weights for n_k selected keys.

    rows (n_q,) and columns (n_k,) are token indices. scores (h, n_q, n_k) are before the mask; visible (n_q, n_k) is
    the mask. log_denominators (h, n_q) are the logarithms of the softmax's denominators over all visible keys; weights
    (h, n_q, n_k) are exp(scores) / denominators, 0 where masked. heads (h, n_q, d_head) are the heads' outputs before
    W_o, of which `added` (h, n_q, d_head) is the encoding's part. output (n_q, d_model) is W_o applied to the layer's
    heads.
    """

    rows: Tensor
    columns: Tensor
    scores: Tensor
    visible: Tensor
    log_denominators: Tensor
    weights: Tensor
    heads: Tensor
    added: Tensor
    output: Tensor


def tile(layer: Layer, rows: Indices, columns: Indices, heads: slice = EVERY_HEAD) -> Tile:
    """Return the terms of the scores of these queries and keys, by token indices, for all heads or some of them."""
    if layer.encoding.tiled:
        return _tile(layer, rows, columns, heads)
    return _tile(layer, rows, range(layer.n_tokens), heads).of_keys(as_slice(columns))


def added_at(layer: Layer, query: int, steps: Tensor) -> Tensor:
    """Return what the score door adds for a query at these steps after it, (n,), whatever the keys there hold: (h, n)."""
    alone, count = layer.terms(range(query, query + 1), range(query, query + 1)), len(steps)
    nothing = replace(
        alone,
        keys=torch.zeros_like(alone.keys).expand(-1, count, -1),
        k_inputs=torch.zeros_like(alone.k_inputs).expand(count, -1),
        k_positions=alone.k_positions + steps.to(alone.k_positions),
        k_indices=alone.k_indices.expand(count),
        visible=alone.visible.expand(-1, count),
    )
    encoding = layer.encoding
    found = encoding.content(nothing) * layer.scale + encoding.extra(nothing)
    return found.expand(len(layer.queries), 1, count)[:, 0]


def _tile(layer: Layer, rows: Indices, columns: Indices, heads: slice = EVERY_HEAD, terms: Terms | None = None) -> Tile:
    """Compute the terms; hooks that the encoding doesn't define are skipped, since most encodings define few."""
    encoding = layer.encoding
    queries, keys = layer.turned_queries[heads, as_slice(rows)], layer.turned_keys[heads, as_slice(columns)]
    nothing = queries.new_zeros(())
    if not layer.has_bias:
        return Tile(queries, keys, nothing, nothing, nothing, layer.scale, layer.cap)
    bias = layer.bias(rows, columns)
    if encoding.content_free:
        return Tile(queries, keys, nothing, nothing, bias[heads], layer.scale, layer.cap)
    terms = terms or layer.terms(rows, columns)
    content, extra, bias = (
        convert_like(part[heads] if part.ndim else part, queries)
        for part in (encoding.content(terms), encoding.extra(terms), bias)
    )
    return Tile(queries, keys, content, extra, bias, layer.scale, layer.cap)


def attend(
    layer: Layer,
    rows: Indices,
    columns: Indices = range(0),
    check_stop: CheckStop = go_on,
    threads: Threads = AS_TORCH,
    *,
    n_keys: int = KEYS,
) -> Generator[Attended]:
    """Yield the attention of these queries over all keys in bands of queries, with scores and weights for `columns` only.
    What doesn't fit into one chunk is shared out among threads. `check_stop` is called between chunks and may raise. A chunk
    has at most `n_keys` keys if the encoding can be tiled."""
    n_keys = min(layer.n_tokens, n_keys) if layer.encoding.tiled else layer.n_tokens
    n_queries = max(1, CHUNK // max(1, layer.n_heads * n_keys))
    if len(rows) <= n_queries:  # also if there are no queries
        yield _band(layer, rows, columns, n_keys, layer.joined(False, check_stop), check_stop)
        return
    device, project = layer.inputs.device.type, layer.joined(True, check_stop)
    if device == "cpu":
        n_queries, threads = max(1, n_queries // _THREADS), threads.at_most(_THREADS)

    def band(some: Indices, check_stop: CheckStop) -> Attended:
        return _band(layer, some, columns, n_keys, project, check_stop)

    bands = [rows[start : start + n_queries] for start in range(0, len(rows), n_queries)]
    yield from threads.in_order(band, bands, check_stop, device)


def attend_at_once(
    layer: Layer, rows: Indices, columns: Indices = range(0), check_stop: CheckStop = go_on, threads: Threads = AS_TORCH
) -> Attended:
    """Return everything that `attend` yields as one result on the CPU; bands are copied into it one by one."""
    whole: dict[str, Tensor] = {}
    start = 0
    with closing(attend(layer, rows, columns, check_stop, threads)) as bands:
        for band in bands:
            if len(band.rows) == len(rows):
                return _on_cpu(band)
            for name, part in vars(_on_cpu(band)).items():
                axis = _ALONG_QUERIES.get(name)
                if axis is None:
                    whole[name] = part
                    continue
                if name not in whole:
                    whole[name] = part.new_empty(*part.shape[:axis], len(rows), *part.shape[axis + 1 :])
                whole[name].narrow(axis, start, len(band.rows)).copy_(part)
            start += len(band.rows)
    return Attended(**whole)


def outputs(layer: Layer, check_stop: CheckStop = go_on, threads: Threads = AS_TORCH) -> Tensor:
    """Return the outputs of all queries, (n, d_model), on the layer's device. Raises Undefined if it has none to show."""
    layer.require_outputs()
    every = range(layer.n_tokens)
    with closing(attend(layer, every, check_stop=check_stop, threads=threads)) as bands:
        return torch.cat([band.output for band in bands])


def _band(
    layer: Layer, rows: Indices, kept: Indices, n_keys: int, project: Callable[[Tensor], Tensor], check_stop: CheckStop
) -> Attended:
    """Compute the online softmax of some queries over chunks of keys; a larger score rescales the running sums. The softmax
    is that of Milakov and Gimelshein 2018, the order of work that of FlashAttention (Dao et al. 2022). All ranges are known
    in advance, so nothing waits for the device."""
    n_heads, d_head = layer.n_heads, layer.values.shape[-1]
    scores = layer.queries.new_empty(n_heads, len(rows), len(kept))
    highest = layer.queries.new_full((n_heads, len(rows), 1), -torch.inf)
    total = layer.queries.new_zeros(n_heads, len(rows), 1)
    if layer.sinks is not None:  # a key without a value: it takes part in the denominators alone
        highest, total = layer.sinks[:, None, None].expand_as(highest), torch.ones_like(total)
    taken = layer.queries.new_zeros(n_heads, len(rows), d_head)
    added = torch.zeros_like(taken)
    for first in range(0, layer.n_tokens, max(1, n_keys)):
        columns = range(first, min(first + n_keys, layer.n_tokens))
        place, chosen = _common(kept, columns)
        if place == _NOWHERE and isinstance(rows, range) and (not rows or layer.sight(rows, columns) == "none"):
            continue  # none of these queries sees these keys, and no score of theirs is kept
        check_stop()
        terms = layer.terms(rows, columns)
        logits = _tile(layer, rows, columns, terms=terms).scores
        scores[..., place] = logits[..., chosen]
        logits = logits.masked_fill(~terms.visible, -torch.inf)
        peak = torch.maximum(highest, logits.amax(-1, keepdim=True))
        level = peak.masked_fill(peak == -torch.inf, 0)  # -inf: the query has seen no key yet
        fade, weights = (highest - level).exp(), (logits - level).exp()
        total = total * fade + weights.sum(-1, keepdim=True)
        taken = taken * fade + weights @ layer.values[:, first : columns.stop]
        added = added * fade + layer.encoding.values(weights, terms)
        highest = peak
    taken, added = taken / total, added / total
    queries, keys = (as_indices(one, scores.device) for one in (rows, kept))
    visible = layer.visible(queries, keys)
    # Not exp(scores − log): for large scores, rounding would swallow the logarithm.
    weights = (scores - highest).masked_fill(~visible, -torch.inf).exp() / total
    heads = taken + added
    output = project(heads.movedim(0, -2).flatten(-2))
    log_denominators = (highest + total.log())[..., 0]
    return Attended(queries, keys, scores, visible, log_denominators, weights, heads, added, output)


def _capped(scores: Tensor, cap: float | None) -> Tensor:
    return scores if cap is None else scores.div_(cap).tanh_().mul_(cap)


def _common(kept: Indices, columns: range) -> tuple[slice | Tensor, slice | Tensor]:
    """Return the indices of the keys that `kept` and `columns` have in common, within each of the two."""
    if isinstance(kept, Tensor):
        place = ((kept >= columns.start) & (kept < columns.stop)).nonzero()[:, 0]
        return place, kept[place] - columns.start
    start, stop = max(kept.start, columns.start), min(kept.stop, columns.stop)
    if start >= stop:
        return _NOWHERE, _NOWHERE
    return slice(start - kept.start, stop - kept.start), slice(start - columns.start, stop - columns.start)


def _on_cpu(band: Attended) -> Attended:
    return replace(band, **{name: tensor.cpu() for name, tensor in vars(band).items()})
