"""A probe: one fixed query and one moving key, so that only the distance changes between scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.forward import Tile, tile
from posenc_gui.attention.layer import Layer, context_of, tables_of
from posenc_gui.attention.toy_model import Heads, Projection, ToyModel
from posenc_gui.encodings.base import Context, Encoding
from posenc_gui.foundation.memory import Sized
from posenc_gui.foundation.stopped import CheckStop, go_on


@dataclass(frozen=True, eq=False)
class Contents(Sized):
    """What pairs of a query x and a key y are, wherever they stand: float64 on the CPU.

    xs and ys (pairs, d_model) are their vectors; queries, own_keys (of x) and keys (of y), (h, pairs, d_head), are these
    projected, keys by W_q if `tied`; `tables` are the encoding's.
    """

    model: ToyModel
    encoding: Encoding
    tied: bool
    heads: Heads
    xs: Tensor
    ys: Tensor
    queries: Tensor
    own_keys: Tensor
    keys: Tensor
    tables: tuple[Tensor, ...]

    @classmethod
    def of(
        cls,
        model: ToyModel,
        encoding: Encoding,
        xs: Tensor,
        ys: Tensor,
        *,
        tied: bool = False,
        heads: Heads = None,
        check_stop: CheckStop = go_on,
    ) -> Self:
        """Project queries and their keys, (pairs, d_model) each, by all heads or some. Raises Undefined if the shape doesn't
        suit."""
        encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        queries = model.projected(xs, "query", 0, check_stop, heads)
        own_keys, keys = (model.projected(of, _key(tied), 0, check_stop, heads) for of in (xs, ys))
        tables = tables_of(model, encoding, context_of(0, model), xs, tied=tied, check_stop=check_stop)
        return cls(model, encoding, tied, heads, xs, ys, queries, own_keys, keys, tables)


@dataclass(frozen=True, eq=False)
class MovingKey:
    """A probe sentence y y … y x y … y, in which only the offset of the key changes from score to score.

    The query x is an extra token at the position of one of the keys y. All tensors are float64 on the CPU. `at` is the
    query's token index and `columns` (n,) are the keys' indices. `places` (tokens, d_model) are the input door's vectors,
    q_place (h, 1, d_head) their projection at the query, and k_places (h, tokens, d_head) their projections at the keys.
    """

    contents: Contents
    context: Context
    at: int
    columns: Tensor
    positions: Tensor
    places: Tensor
    q_place: Tensor
    k_places: Tensor

    @classmethod
    def over(cls, contents: Contents, query: int, keys: Tensor, length: int, *, check_stop: CheckStop = go_on) -> Self:
        """Create the probe for keys at these positions (n,), at least 0, in a sequence of this length. Raises Undefined."""
        check_stop()
        model, encoding, heads = contents.model, contents.encoding, contents.heads
        context = context_of(length, model)
        # An encoding that sums over tokens also needs those in between.
        others = torch.unique(keys) if encoding.of_pairs else torch.arange(max(int(keys.max()), query) + 1)
        others = others.double()
        at = int((others <= query).sum())
        columns = torch.searchsorted(others, keys.double())
        positions = torch.cat((others[:at], torch.tensor([query]).double(), others[at:]))
        places = encoding.vectors(positions, model.d_model, context).to(positions)
        if encoding.door == "input":
            q_place = model.projected(places[at : at + 1], "query", 0, check_stop, heads)
            k_places = model.projected(places, _key(contents.tied), 0, check_stop, heads)
        else:  # without position vectors there is nothing to project
            count = model.n_heads if heads is None else len(heads)
            k_places = places.new_zeros(()).expand(count, len(places), model.head_width)
            q_place = k_places[:, at : at + 1]
        columns = torch.where(columns < at, columns, columns + 1)
        return cls(contents, context, at, columns, positions, places, q_place, k_places)

    def tiles(self, check_stop: CheckStop = go_on) -> Iterator[Tile]:
        """Yield the terms of each query x and its key y: one query, n keys. Raises Undefined for too many tokens."""
        of = self.contents
        for index, (x, y) in enumerate(zip(of.xs, of.ys, strict=True)):
            check_stop()
            some = slice(index, index + 1)
            layer = self._layer(x, y, of.queries[:, some], of.own_keys[:, some], of.keys[:, some])
            check_stop()
            found = tile(layer, torch.tensor([self.at]), self.columns)
            check_stop()
            yield found

    def _layer(self, x: Tensor, y: Tensor, query: Tensor, own_key: Tensor, key: Tensor) -> Layer:
        # (x + p) W = x W + p W: the positions' part is the same for every x and y.
        of = self.contents
        inputs = y + self.places
        inputs[self.at] = x + self.places[self.at]
        keys = key + self.k_places
        keys[:, self.at] = (own_key + self.k_places[:, self.at : self.at + 1])[:, 0]
        everywhere = (query + self.q_place).expand_as(keys)  # the queries of the other tokens don't matter
        return Layer.of_projected(
            inputs,
            (everywhere, keys, keys.new_zeros(()).expand_as(keys)),
            self.positions,
            of.model,
            of.encoding,
            self.context,
            tied=of.tied,
            heads=of.heads,
            tables=of.tables,
        )


def _key(tied: bool) -> Projection:
    return "query" if tied else "key"
