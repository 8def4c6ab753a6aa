"""CoPE against x-transformers, and pair by pair as the paper has it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_over, scores_of, without
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.foundation.errors import Undefined
from tools.later import Later

x_transformers = Later("x_transformers.x_transformers")


@settings(max_examples=12)
@given(st.integers(1, 25), st.integers(1, 3), st.integers(1, 6), st.integers(2, 12), st.integers(0, 10_000))
def test_it_is_x_transformers_cope_under_a_causal_mask(n: int, n_heads: int, width: int, npos: int, seed: int) -> None:
    encoding = pe.encoding("cope", npos=npos)
    layer = layer_over(encoding, n, d_model=n_heads * width, n_heads=n_heads, seed=seed, causal=True)
    theirs = x_transformers.CoPE(width, n_heads, npos).double()
    visible = layer.visible(torch.arange(n), torch.arange(n))
    with torch.no_grad():
        theirs.pos_emb.copy_(encoding.table(layer.context))
        logits = without(layer)
        added = theirs(layer.queries[None], logits.masked_fill(~visible, -torch.inf)[None])[0]
    assert_close((scores_of(layer) - logits)[:, visible], added[:, visible])


def test_a_count_adds_the_gates_from_the_key_to_the_query() -> None:
    encoding = pe.encoding("cope", npos=5)
    layer = layer_over(encoding, 9, d_model=8, n_heads=1, causal=True)
    table, logits, found = encoding.table(layer.context).double(), without(layer)[0], scores_of(layer)[0]
    for i in range(9):
        for j in range(i + 1):
            count = min(4.0, sum(1 / (1 + math.exp(-float(logits[i, t]))) for t in range(j, i + 1)))
            at = [float(layer.queries[0, i] @ table[index]) for index in (math.floor(count), math.ceil(count))]
            expected = float(logits[i, j]) + at[1] * (count % 1) + at[0] * (1 - count % 1)
            assert float(found[i, j]) == pytest.approx(expected, abs=1e-9)


def test_it_says_up_to_where_it_goes() -> None:
    with pytest.raises(Undefined, match="CoPE needs all keys at once for each query: at most 4,096 tokens, not 4,097"):
        layer_over(pe.encoding("cope"), 4097, d_model=2, n_heads=1)
