"""One attention layer over one sentence, up to where queries and keys meet: what `law` walks through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from posenc_gui.attention.toy import Projection, ToyModel
from posenc_gui.encodings.base import Context, Encoding, Terms, like
from posenc_gui.errors import Undefined
from posenc_gui.sizes import size_of

_OF_INPUTS: tuple[Projection, ...] = ("query", "key", "value")
_AT_ONCE = 2**24  # numbers that the input door adds between two questions whether to stop

# Where tokens stand: whole numbers in a row, or a row of coordinates for each token, one for each axis.
Positions = range | tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Prompt:
    """Tokens that go through a toy model under an encoding; they stand at 0, 1, 2, … unless it is said where."""

    tokens: tuple[str, ...]
    model: ToyModel
    encoding: Encoding
    positions: Positions | None = None


@dataclass(frozen=True, eq=False)
class Layer:
    """A sentence's inputs, queries, keys and values under one encoding, h heads and n tokens.

    inputs (n, d_model) are token vectors with what the input door adds; queries, keys, values (h, n, d_head) are before
    rotation, turned_queries and turned_keys (h, n, as wide as the encoding's rotation makes them) after it. `prepared` is
    what the encoding computed once for the sentence, a row a token, or None. All have the inputs' dtype and device;
    `positions` (n,) or (n, axes) are float64, beside them or on the CPU where the device has no float64. Where it is
    `tied`, keys are made by W_q.
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
    prepared: Tensor | None
    index: int = 0  # which layer this is, from below
    tied: bool = False

    @classmethod
    def over(cls, prompt: Prompt, device: str = "cpu", check_stop: Callable[[], None] = lambda: None) -> Self:
        """The first layer, through the input and the rotation door. Raises Undefined where the encoding is not defined."""
        tokens, model, encoding = prompt.tokens, prompt.model, prompt.encoding
        precise = "cpu" if device == "mps" else device  # Apple's GPUs have no float64
        positions = range(len(tokens)) if prompt.positions is None else prompt.positions
        where = torch.tensor(positions, dtype=torch.float64, device=precise)
        encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        last = int(where.max()) + 1 if where.numel() else 0
        context = context_of(max(len(tokens), last), model)
        inputs = model.embed(tokens, check_stop).mul_(model.embedding_scale).to(device)
        for some in torch.split(torch.arange(len(tokens), device=precise), max(1, _AT_ONCE // model.d_model)):
            check_stop()
            inputs[some.to(device)] += like(encoding.vectors(where[some], model.d_model, context), inputs)
        return cls.of_inputs(inputs, where, model, encoding, context, check_stop=check_stop)

    @classmethod
    def of_inputs(
        cls,
        inputs: Tensor,
        positions: Tensor,
        model: ToyModel,
        encoding: Encoding,
        context: Context,
        index: int = 0,
        check_stop: Callable[[], None] = lambda: None,
    ) -> Self:
        """The layer of these inputs, (n, d_model), which have been through the input door."""
        query, key, value = (model.projected(inputs, name, index, check_stop) for name in _OF_INPUTS)
        return cls.of_projected(inputs, (query, key, value), positions, model, encoding, context, index)

    @classmethod
    def of_projected(
        cls,
        inputs: Tensor,
        projected: tuple[Tensor, Tensor, Tensor],
        positions: Tensor,
        model: ToyModel,
        encoding: Encoding,
        context: Context,
        index: int = 0,
        tied: bool = False,
    ) -> Self:
        """The layer of these queries, keys and values, (h, n, d_head) each, which the projections made of the inputs.

        Raises Undefined where the sentence is too long for an encoding that needs all keys at once, and where turning
        makes numbers that are too large.
        """
        if not encoding.tiled and len(inputs) > encoding.most_tokens:
            raise Undefined(
                f"{encoding.title} needs all keys at once for each query: at most {encoding.most_tokens:,} tokens, not "
                f"{len(inputs):,}."
            )
        queries, keys, values = projected
        turned = (
            encoding.rotate(queries, positions, "query", context),
            encoding.rotate(keys, positions, "key", context),
        )
        if not all(bool(torch.isfinite(one).all()) for one in turned):
            raise Undefined(f"At these positions {encoding.title} gives numbers too large to compute with.")
        prepared = encoding.prepare(inputs, context)
        return cls(model, encoding, context, positions, inputs, queries, keys, values, *turned, prepared, index, tied)

    def above(self, output: Tensor, check_stop: Callable[[], None] = lambda: None) -> Self:
        """The next layer: its inputs are this one's plus `output`, (n, d_model), what this one's queries took away."""
        inputs = self.inputs + output.to(self.inputs)
        return self.of_inputs(
            inputs, self.positions, self.model, self.encoding, self.context, self.index + 1, check_stop
        )

    def fed(self, inputs: Tensor, check_stop: Callable[[], None] = lambda: None) -> Self:
        """The same layer with other inputs, (n, d_model), at the same positions."""
        return self.of_inputs(inputs, self.positions, self.model, self.encoding, self.context, self.index, check_stop)

    @property
    def n_tokens(self) -> int:
        """How many tokens the layer is over."""
        return len(self.inputs)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return size_of(tuple(held for held in vars(self).values() if isinstance(held, Tensor)))

    @property
    def scale(self) -> float:
        """What q · k is multiplied by."""
        return scale_of(self.model, self.encoding)

    def visible(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Which of these keys each of these queries may see, by token indices (n_q,) and (n_k,): (n_q, n_k)."""
        if self.model.causal:
            return columns <= rows[:, None]
        return torch.ones(len(rows), len(columns), dtype=torch.bool, device=rows.device)

    def terms(self, rows: Tensor, columns: Tensor) -> Terms:
        """What hooks are told of these queries and these keys, by token indices (n_q,) and (n_k,)."""
        at_rows, at_columns = rows.to(self.positions.device), columns.to(self.positions.device)
        return Terms(
            queries=self.queries[:, rows],
            keys=self.keys[:, columns],
            q_inputs=self.inputs[rows],
            k_inputs=self.inputs[columns],
            q_positions=self.positions[at_rows],
            k_positions=self.positions[at_columns],
            q_indices=rows,
            k_indices=columns,
            q_prepared=None if self.prepared is None else self.prepared[rows],
            k_prepared=None if self.prepared is None else self.prepared[columns],
            visible=self.visible(rows, columns),
            scale=self.scale,
            project_query=lambda vectors: self.model.projected(vectors.to(self.inputs), "query", self.index),
            project_key=lambda vectors: self.model.projected(
                vectors.to(self.inputs), "query" if self.tied else "key", self.index
            ),
            context=self.context,
        )


def scale_of(model: ToyModel, encoding: Encoding) -> float:
    """What q · k is multiplied by: the model's own number, or the encoding's."""
    return encoding.scale(model.head_width) if model.scale is None else model.scale


def context_of(length: int, model: ToyModel) -> Context:
    """What an encoding may know about a sentence of this length in this model."""
    return Context(length, model.causal, model.n_heads, model.head_width, model.seed)
