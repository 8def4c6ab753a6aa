"""A probe: one query that stands still and one key that moves, so that distance is all that changes between scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.law import Tile, tile
from posenc_gui.attention.layer import Layer, context_of
from posenc_gui.attention.toy import ToyModel
from posenc_gui.encodings.base import Context, Encoding


@dataclass(frozen=True, eq=False)
class MovingKey:
    """The sentence y y … y x y … y: the query x is a token of its own, and stands where one of the keys y stands, too.

    `tied` where keys are made by W_q. All is float64 on the CPU. `at` is the query's token index and `columns` (n,) the
    keys' ones; `places` (tokens, d_model) is what the input door adds, q_places and k_places (h, tokens, d_head) what the
    projections make of it.
    """

    model: ToyModel
    encoding: Encoding
    context: Context
    tied: bool
    at: int
    columns: Tensor
    positions: Tensor
    places: Tensor
    q_places: Tensor
    k_places: Tensor

    @classmethod
    def over(
        cls, model: ToyModel, encoding: Encoding, query: int, keys: Tensor, length: int, *, tied: bool = False
    ) -> Self:
        """The key at these positions (n,), 0 or more, of a sequence of this length; `tied` where keys are made by W_q.

        Raises Undefined where the encoding isn't defined there.
        """
        encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        context = context_of(length, model)
        # What counts tokens, as a running sum does, needs those between, too.
        others = torch.unique(keys) if encoding.of_pairs else torch.arange(max(int(keys.max()), query) + 1)
        others = others.double()
        at = int((others <= query).sum())
        columns = torch.searchsorted(others, keys.double())
        positions = torch.cat((others[:at], torch.tensor([query]).double(), others[at:]))
        weights = model.weights().like(positions)
        key = weights.query if tied else weights.key
        places = encoding.vectors(positions, model.d_model, context).to(positions)
        q_places, k_places = (model.heads(places @ weight) for weight in (weights.query, key))
        columns = torch.where(columns < at, columns, columns + 1)
        return cls(model, encoding, context, tied, at, columns, positions, places, q_places, k_places)

    def tile(self, x: Tensor, y: Tensor) -> Tile:
        """The law for the query x and the key y, (d_model,): one query, n keys.

        Raises Undefined where the encoding can't take so many tokens.
        """
        inputs = y + self.places
        inputs[self.at] = x + self.places[self.at]
        # (x + p) W = x W + p W: the positions' part is the same for every x and y.
        weights = self.model.weights().like(self.places)
        key = weights.query if self.tied else weights.key
        projected = self.model.heads(torch.stack((x, y)) @ key)  # (h, 2, d_head)
        keys = projected[:, 1:] + self.k_places
        keys[:, self.at] = projected[:, 0] + self.k_places[:, self.at]
        queries = self.model.heads((x @ weights.query)[None]) + self.q_places
        layer = Layer.of_projected(
            inputs,
            (queries, keys, torch.zeros_like(keys)),
            self.positions,
            self.model,
            self.encoding,
            self.context,
            tied=self.tied,
        )
        return tile(layer, torch.tensor([self.at]), self.columns)
