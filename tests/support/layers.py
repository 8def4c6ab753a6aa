"""Layers with queries and keys of one's own, as tests of encodings that depend on them need."""

from __future__ import annotations

import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.attention.forward import attend_at_once, tile
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.encodings.base import Encoding


def random(seed: int, *shape: int) -> Tensor:
    """Seeded normal numbers, in float64."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def words(n: int) -> tuple[str, ...]:
    """A sentence of n tokens, of which each comes again after six others."""
    return tuple(f"word {index % 7}" for index in range(n))


def layer_of(encoding: Encoding, model: pe.ToyModel, n: int) -> Layer:
    """The last layer over n tokens in float64; where there are two axes they stand in a grid of three columns."""
    places = tuple((index // 3, index % 3) for index in range(n)) if encoding.axes == 2 else None
    layer = Layer.over(Prompt(words(n), model, encoding, places))
    layer = layer.fed(layer.inputs.double())
    while layer.index + 1 < model.n_layers:
        layer = layer.above(attend_at_once(layer, range(n)).output)
    return layer


def layer_over(encoding: Encoding, n: int, **model: object) -> Layer:
    """The layer over n tokens of a model with these fields."""
    return layer_of(encoding, pe.ToyModel(**model), n)


def scores_of(layer: Layer) -> Tensor:
    """All scores before the mask: (h, n, n)."""
    every = torch.arange(layer.n_tokens)
    return tile(layer, every, every).scores


def without(layer: Layer) -> Tensor:
    """q · k, scaled: (h, n, n)."""
    return layer.queries @ layer.keys.mT * layer.scale
