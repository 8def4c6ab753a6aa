"""Layers with queries and keys of one's own, as tests of encodings that depend on them need."""

from __future__ import annotations

import torch
from torch import Tensor

import posenc_gui as pe
from posenc_gui.attention.forward import attend_at_once, tile
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.encodings.base import Encoding


def layer_over(encoding: Encoding, n: int, **model: object) -> Layer:
    """The layer of a seeded sentence of n tokens, in float64."""
    words = tuple(f"word {index % 7}" for index in range(n))
    layer = Layer.over(Prompt(words, pe.ToyModel(**model), encoding))
    return layer.fed(layer.inputs.double())


def scores_of(layer: Layer) -> Tensor:
    """All scores before the mask: (h, n, n)."""
    every = torch.arange(layer.n_tokens)
    return tile(layer, every, every).scores


def without(layer: Layer) -> Tensor:
    """q · k, scaled: (h, n, n)."""
    return layer.queries @ layer.keys.mT * layer.scale


def in_bands(layer: Layer, rows: list[int]) -> Tensor:
    """The scores of these queries, computed without the others: (h, rows, n)."""
    return attend_at_once(layer, torch.tensor(rows), range(layer.n_tokens)).scores
