"""What goes into one pass through a model that has learned, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from posenc_gui.foundation.memory import Sized, size_of

Waves = tuple[Tensor, Tensor]  # cosine and sine of each pair's angle, (n, pairs) each
Door = Literal["input", "rotation", "score"]  # where positions come in
Predicts = Literal["next", "hidden"]  # the token after those that are read, or one that a mask hides


@dataclass(frozen=True, eq=False)
class Traits(Sized):
    """What is found in a model: of each of its attention layers the number of heads and their width, its number among all
    layers, and what its rotation gives to the first positions, None where nothing is turned.

    table: the rows that it learned for its positions, (positions, width), and bias those of a bias, (buckets, heads); None
    where it has none. is_open: True if more than its weights is known. separable: True if no order was found in them once its
    positions were taken away. turns_by_layer: True if some layers turn otherwise than others. predicts: None where the folder
    holds no head that predicts tokens. n_tokens: of its vocabulary.
    """

    table: Tensor | None
    bias: Tensor | None
    has_bias: bool
    waves: tuple[Waves | None, ...]
    turns_by_layer: bool
    numbers: tuple[int, ...]
    n_heads: tuple[int, ...]
    d_heads: tuple[int, ...]
    d_model: int
    n_tokens: int
    is_open: bool
    causal: bool
    separable: bool
    predicts: Predicts | None

    @property
    def doors(self) -> tuple[Door, ...]:
        """Where positions were seen to come in."""
        seen = {"input": self.table is not None, "rotation": any(self.waves), "score": self.has_bias}
        return tuple(door for door in get_args(Door) if seen[door])

    @property
    def without_positions(self) -> Replacement:
        """What takes the model's positions away in every layer: rows of 0, no turn, no bias."""
        return Replacement(vectors=None if self.table is None else torch.zeros_like(self.table[:1]), still=True)


@dataclass(frozen=True, eq=False)
class Replacement:
    """What takes the place of a model's own positions in every layer; None leaves its own.

    vectors (n, width) take the place of the table's rows, `waves` that of the rotation's cosines and sines, and bias (h,
    n, n) that of the bias on the scores. `still`: True if every token is turned as the first one, and no bias is added.

    Where layers turn differently, as Gemma 3's do, `waves` are for those that begin as `beginning`, (n, pairs) each: others
    keep their own rotation, at `strength`.
    """

    vectors: Tensor | None = None
    waves: Waves | None = None
    beginning: Waves | None = None
    strength: float = 1.0
    bias: Tensor | None = None
    still: bool = False


AS_TRAINED = Replacement()


@dataclass(frozen=True, eq=False)
class VisibleKeys:
    """Which keys each query sees: those from `first` to `last`, (n,) each, by token index."""

    first: Tensor
    last: Tensor


@dataclass(frozen=True, eq=False)
class Projection:
    """W_o as the model applies it to the joined heads: matrix (h · d, d_model), and what is added, (d_model,), or None."""

    matrix: Tensor
    added: Tensor | None


@dataclass(frozen=True, eq=False)
class Recorded:
    """One layer of one pass over n tokens, float32 on the CPU, with h heads; keys and values once for each of them.

    inputs (n, d_model) is what the layer's attention reads. queries and keys (h, n, d) are before rotation, turned ones
    after it. bias (h or 1, n, n) is added to the scaled scores, which `cap` bounds by its tanh before that; sinks (h,) are
    scores of a key without a value, one a head. `output` is None where the model doesn't apply W_o to the heads alone.
    """

    inputs: Tensor
    queries: Tensor
    keys: Tensor
    turned_queries: Tensor
    turned_keys: Tensor
    values: Tensor
    scale: float
    sight: VisibleKeys
    bias: Tensor | None
    cap: float | None
    sinks: Tensor | None
    output: Projection | None


@dataclass(frozen=True, eq=False)
class LayerWeights:
    """One layer of a model whose code gives its weights alone: inputs (n, d_model), weights (h, n, n)."""

    inputs: Tensor
    weights: Tensor


@dataclass(frozen=True, eq=False)
class Passed(Sized):
    """One pass: the recorded layers by index, and the last hidden states, (n, d_model)."""

    layers: Mapping[int, Recorded | LayerWeights]
    hidden: Tensor


@dataclass(frozen=True, eq=False)
class Losses:
    """−ln of the probability that a model gives each of these tokens, (n,) in nats: the tokens from `first` on."""

    first: int
    values: Tensor

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return size_of(self.values)
