"""Shaw's relative vectors against the paper's equations, written as loops, and against wav2vec2-BERT."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.layer import Layer
from posenc_gui.encodings.base import Context
from tools.later import Later

wav2vec2_bert = Later("transformers.models.wav2vec2_bert.modeling_wav2vec2_bert")

WORDS = ["to", "be", "or", "not", "that", "is"]


@settings(max_examples=10)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=7),
    k=st.integers(1, 8),
    n_heads=st.integers(1, 3),
    d_head=st.integers(1, 4),
    value_term=st.booleans(),
    causal=st.booleans(),
    seed=st.integers(0, 2**31 - 1),
)
def test_scores_and_outputs_are_equations_4_and_3(
    words: list[str], k: int, n_heads: int, d_head: int, value_term: bool, causal: bool, seed: int
) -> None:
    encoding = pe.encoding("shaw", max_distance=k, value_term=value_term)
    # W_o is the identity, so the output is the heads side by side.
    model = pe.ToyModel(d_model=n_heads * d_head, n_heads=n_heads, causal=causal, seed=seed, projections="identity")
    result = pe.attend(pe.Session(text=" ".join(words), encoding=encoding, model=model))
    context, n = Context(len(words), causal, n_heads, d_head, seed), len(words)
    a_keys, a_values = encoding.table("key", context).double(), encoding.table("value", context).double()
    assert a_keys.shape == a_values.shape == (2 * k + 1, d_head)
    for head in range(n_heads):
        q, keys, v = (x[head].double() for x in (result.queries, result.keys, result.values))
        for i in range(n):
            scores, seen = [], range(i + 1 if causal else n)
            for j in range(n):
                a = a_keys[max(-k, min(k, j - i)) + k]
                scores.append(float(q[i] @ (keys[j] + a)) / math.sqrt(d_head))  # equation 4
            assert_close(result.scores[head, i].tolist(), scores, atol=1e-4, rtol=1e-4)
            total = sum(math.exp(scores[j]) for j in seen)
            z = torch.zeros(d_head, dtype=torch.float64)
            for j in seen:
                b = a_values[max(-k, min(k, j - i)) + k] if value_term else 0
                z += math.exp(scores[j]) / total * (v[j] + b)  # equation 3
            here = result.output[i, head * d_head : (head + 1) * d_head]
            assert_close(here, z.float(), atol=1e-4, rtol=1e-4)


@settings(max_examples=10)
@given(st.integers(1, 9), st.integers(1, 4), st.integers(1, 12), st.integers(0, 1000))
def test_the_key_term_is_wav2vec2_berts_with_equal_sides(k: int, n_heads: int, length: int, seed: int) -> None:
    encoding, context = pe.encoding("shaw", max_distance=k), Context(length, n_heads=n_heads, d_head=6, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    queries, keys = torch.randn(2, n_heads, length, 6, generator=generator)
    table = nn.Embedding.from_pretrained(encoding.table("key", context))
    theirs = SimpleNamespace(
        left_max_position_embeddings=k, right_max_position_embeddings=k, distance_embedding=table, scaling=6**-0.5
    )
    _, expected = wav2vec2_bert._apply_relative_key_position_encoding(theirs, queries[None], keys[None])
    positions = torch.arange(length)
    model = pe.ToyModel(d_model=6 * n_heads, n_heads=n_heads)
    inputs, projected = torch.zeros(length, 6 * n_heads), (queries, keys, keys)
    layer = Layer.of_projected(inputs, projected, positions, model, encoding, context)
    content = encoding.content(layer.terms(positions, positions))
    assert_close(content * encoding.scale(6), expected[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("k", [1, 3, 16])
def test_offsets_beyond_k_share_the_last_row(k: int) -> None:
    rows = pe.encoding("shaw", max_distance=k).rows(torch.arange(100), torch.arange(100))
    assert rows[50, 50] == k
    assert rows[50, 51] == k + 1  # the key after the query
    assert rows[50, 49] == k - 1
    assert set(rows[50, 50 + k :].tolist()) == {2 * k}
    assert set(rows[50, : 51 - k].tolist()) == {0}
    assert rows[50, 50 + k - 1] == 2 * k - 1
