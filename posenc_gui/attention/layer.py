"""One attention layer over one sentence: the whole law, in the order of the doors.

    logits = (rotate(q, m) · rotate(k, n) + content) · scale + bias
    probabilities = softmax(mask(logits))
    output = probabilities · v + values(probabilities)

scale is 1/√d_head unless the encoding or the model says otherwise; the mask goes by token index, never by position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.toy import ToyModel
from posenc_gui.encodings.base import Context, Encoding, Terms, like


@dataclass(frozen=True, eq=False)
class Layer:
    """A sentence's inputs, queries, keys and values under one encoding; scores for any rows follow from it.

    inputs (n, d_model) are token vectors with what the input door adds; queries, keys, values (h, n, d_head) are before
    rotation, turned_queries and turned_keys after it. All are float32 on `device`; `positions` (n,) are float64, beside
    them or on the CPU where the device has no float64.
    """

    model: ToyModel
    encoding: Encoding
    context: Context
    positions: Tensor
    inputs: Tensor
    queries: Tensor
    keys: Tensor
    values: Tensor
    turned_queries: Tensor
    turned_keys: Tensor
    index: int = 0  # which layer this is, from below

    @classmethod
    def over(
        cls, tokens: tuple[str, ...], model: ToyModel, encoding: Encoding, device: str = "cpu", start: int = 0
    ) -> Self:
        """The first layer, through the input and the rotation door, of tokens that stand at `start` and after it.

        Raises Undefined where the encoding is not defined there.
        """
        context = context_of(start + len(tokens), model)
        encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        precise = "cpu" if device == "mps" else device  # Apple's GPUs have no float64
        positions = start + torch.arange(len(tokens), dtype=torch.float64, device=precise)
        inputs = model.embed(tokens).to(device) * model.embedding_scale
        inputs = inputs + like(encoding.vectors(positions, model.d_model, context), inputs)
        return cls._of_inputs(inputs, positions, model, encoding, context, 0)

    def above(self, output: Tensor) -> Self:
        """The next layer: its inputs are this one's plus `output`, (n, d_model), what this one's queries took away."""
        inputs = self.inputs + output.to(self.inputs)
        return self._of_inputs(inputs, self.positions, self.model, self.encoding, self.context, self.index + 1)

    def fed(self, inputs: Tensor) -> Self:
        """The same layer with other inputs, (n, d_model), at the same positions."""
        return self._of_inputs(inputs, self.positions, self.model, self.encoding, self.context, self.index)

    @classmethod
    def _of_inputs(
        cls, inputs: Tensor, positions: Tensor, model: ToyModel, encoding: Encoding, context: Context, index: int
    ) -> Self:
        queries, keys, values = (
            (inputs @ model.projection(name, index).to(inputs))
            .view(len(inputs), model.n_heads, model.head_width)
            .movedim(1, 0)
            for name in ("query", "key", "value")
        )
        turned_queries = encoding.rotate(queries, positions, "query", context)
        turned_keys = encoding.rotate(keys, positions, "key", context)
        return cls(
            model, encoding, context, positions, inputs, queries, keys, values, turned_queries, turned_keys, index
        )

    @property
    def nbytes(self) -> int:
        """Memory held."""
        held = (self.inputs, self.queries, self.keys, self.values, self.turned_queries, self.turned_keys)
        return sum(tensor.nbytes for tensor in held)

    @property
    def scale(self) -> float:
        """What q · k is multiplied by."""
        return scale_of(self.model, self.encoding)

    def scores(self, rows: slice) -> Tensor:
        """The logits of these queries against all keys, before the mask: (h, rows, n)."""
        return logits(self.model, self.encoding, self._terms(rows), self.turned_queries[:, rows], self.turned_keys)

    def content(self, rows: slice) -> Tensor:
        """What the encoding adds to q · k of these queries before scaling: (h, rows, n), or one zero for all."""
        return self.encoding.content(self._terms(rows))

    def bias(self, rows: slice) -> Tensor:
        """What the encoding adds to the scaled scores of these queries: (h, rows, n), float64."""
        return self.encoding.bias(self.positions[rows], self.positions, self.model.n_heads, self.context)

    def visible(self, rows: slice) -> Tensor:
        """Which keys each of these queries may see: (rows, n), by token index."""
        index = torch.arange(len(self.positions), device=self.inputs.device)
        if not self.model.causal:
            return torch.ones(len(index[rows]), len(index), dtype=torch.bool, device=index.device)
        return index <= index[rows, None]

    def probabilities(self, scores: Tensor, rows: slice) -> Tensor:
        """Scores to attention weights: (h, rows, n), each row summing to 1."""
        return scores.masked_fill(~self.visible(rows), -torch.inf).softmax(-1)

    def head_outputs(self, probabilities: Tensor, rows: slice) -> Tensor:
        """What each head of these queries takes away, before W_o: (h, rows, d_head)."""
        return probabilities @ self.values + self.added_values(probabilities, rows)

    def added_values(self, probabilities: Tensor, rows: slice) -> Tensor:
        """What the encoding adds to each head's output: (h, rows, d_head), or one zero for all."""
        return self.encoding.values(probabilities, self._terms(rows))

    def output(self, probabilities: Tensor, rows: slice) -> Tensor:
        """What these queries take away: (rows, d_model)."""
        heads = self.head_outputs(probabilities, rows)
        return heads.movedim(0, -2).flatten(-2) @ self.model.projection("output", self.index).to(heads)

    def _terms(self, rows: slice) -> Terms:
        return Terms(self.queries[:, rows], self.keys, self.positions[rows], self.positions, self.context)


def logits(model: ToyModel, encoding: Encoding, terms: Terms, turned_queries: Tensor, turned_keys: Tensor) -> Tensor:
    """Scores before the mask, (h, n_q, n_k): (turned q · turned k + content) · scale + bias."""
    dots = turned_queries @ turned_keys.mT + encoding.content(terms)
    bias = encoding.bias(terms.q_positions, terms.k_positions, model.n_heads, terms.context)
    return dots * scale_of(model, encoding) + like(bias, dots)


def scale_of(model: ToyModel, encoding: Encoding) -> float:
    """What q · k is multiplied by: the model's own number, or the encoding's."""
    return encoding.scale(model.head_width) if model.scale is None else model.scale


def context_of(length: int, model: ToyModel) -> Context:
    """What an encoding may know about a sentence of this length in this model."""
    return Context(length, model.causal, model.n_heads, model.head_width, model.seed)
