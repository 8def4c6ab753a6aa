"""Inkling's relative logits against transformers and x-transformers."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_over, scores_of, without
from torch.testing import assert_close

import posenc_gui as pe
from tools.later import Later

inkling = Later("transformers.models.inkling.modeling_inkling")
x_transformers = Later("x_transformers.x_transformers")


@settings(max_examples=12)
@given(
    st.integers(1, 25), st.integers(1, 4), st.integers(1, 8), st.integers(1, 30), st.booleans(), st.integers(0, 10_000)
)
def test_it_is_transformers_relative_logits(
    n: int, n_heads: int, profiles: int, extent: int, causal: bool, seed: int
) -> None:
    encoding = pe.encoding("inkling", profiles=profiles, extent=extent)
    layer = layer_over(encoding, n, d_model=4 * n_heads, n_heads=n_heads, seed=seed, causal=causal)
    theirs = inkling.InklingRelativeLogits(profiles, extent).double()
    mix = layer.inputs @ encoding.mixing(4 * n_heads, layer.context).double()
    with torch.no_grad():
        theirs.proj.copy_(encoding.curves(layer.context))
        added = theirs(mix.view(1, n, n_heads, profiles), torch.arange(n), torch.arange(n))[0]
    assert_close(scores_of(layer) - without(layer), added)


@settings(max_examples=8)
@given(st.integers(1, 25), st.integers(1, 4), st.integers(1, 8), st.integers(1, 30), st.integers(0, 10_000))
def test_it_is_x_transformers_relative_projection(n: int, n_heads: int, profiles: int, extent: int, seed: int) -> None:
    encoding = pe.encoding("inkling", profiles=profiles, extent=extent)
    layer = layer_over(encoding, n, d_model=4 * n_heads, n_heads=n_heads, seed=seed)
    theirs = x_transformers.RelativeProjPositionalBias(4 * n_heads, n_heads, profiles, extent).double()
    with torch.no_grad():
        theirs.to_distance_weights[0].weight.copy_(encoding.mixing(4 * n_heads, layer.context).T)
        theirs.to_distance_weights[0].bias.zero_()
        theirs.distance_bank.copy_(encoding.curves(layer.context))
        added = theirs(layer.inputs[None])[0]
    assert_close(scores_of(layer) - without(layer), added)


def test_ahead_and_beyond_its_extent_it_adds_nothing() -> None:
    layer = layer_over(pe.encoding("inkling", extent=3), 8)
    added = scores_of(layer) - without(layer)
    for i in range(8):
        for j in range(8):
            assert bool(added[:, i, j].abs().max() > 1e-9) == (0 <= i - j < 3)
