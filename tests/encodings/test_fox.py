"""FoX against x-transformers, and gate by gate as the paper has it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_over, scores_of, without
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from tools.later import Later

x_transformers = Later("x_transformers.x_transformers")


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(1, 25), st.integers(1, 4), st.floats(-10, 10), st.integers(0, 10_000))
def test_it_is_x_transformers_data_dependent_alibi(n: int, n_heads: int, gate_bias: float, seed: int) -> None:
    encoding = pe.encoding("fox", gate_bias=gate_bias)
    layer = layer_over(encoding, n, d_model=6 * n_heads, n_heads=n_heads, seed=seed, causal=True)
    theirs = x_transformers.DataDependentAlibi(6 * n_heads, n_heads, bias_init=gate_bias).double()
    visible = layer.visible(torch.arange(n), torch.arange(n))
    with torch.no_grad():
        theirs.to_forget_gates[0].weight.copy_(encoding.vectors_of_gates(6 * n_heads, layer.context).T)
        theirs.to_forget_gates[0].bias.fill_(gate_bias)
        added = theirs(layer.inputs[None])[0]
    assert_close((scores_of(layer) - without(layer))[:, visible], added[:, visible], atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("causal", [False, True])
def test_what_is_forgotten_are_the_gates_after_the_key_up_to_the_query(causal: bool) -> None:
    encoding = pe.encoding("fox")
    layer = layer_over(encoding, 8, d_model=8, n_heads=2, causal=causal)
    vectors = encoding.vectors_of_gates(8, layer.context).double()
    added = scores_of(layer) - without(layer)
    for h in range(2):
        gates = [1 / (1 + math.exp(-float(x @ vectors[:, h]) - 1)) for x in layer.inputs]
        for i in range(8):
            for j in range(8):
                expected = sum(math.log(gates[t]) for t in range(min(i, j) + 1, max(i, j) + 1))
                assert float(added[h, i, j]) == pytest.approx(expected, abs=1e-9)


def test_running_sums_are_exact_far_into_a_text() -> None:
    """A hundred thousand gates sum to −30,000 or so: differences of these are still exact to nine digits."""
    encoding, context = pe.encoding("fox"), Context(100_000, True, 1, 4)
    inputs = torch.randn(100_000, 4, generator=torch.Generator().manual_seed(0))
    sums = encoding.prepare(inputs, context)
    gates = torch.nn.functional.logsigmoid(inputs @ encoding.vectors_of_gates(4, context) + 1)
    assert_close(sums[99_999] - sums[99_989], gates[99_990:].double().sum(0), atol=1e-9, rtol=0)


def test_at_5_hardly_anything_is_forgotten_and_at_minus_5_nearly_all() -> None:
    least, most = (
        (scores_of(layer) - without(layer))[:, 5, 0].max()
        for layer in (layer_over(pe.encoding("fox", gate_bias=bias), 6, causal=True) for bias in (5.0, -5.0))
    )
    assert -0.5 < float(least) < 0
    assert float(most) < -15
