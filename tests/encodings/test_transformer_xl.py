"""Transformer-XL against transformers' wav2vec2-BERT, which has its shift, and pair by pair as the paper has it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_over, scores_of
from torch.testing import assert_close

import posenc_gui as pe
from tools.later import Later

wav2vec2_bert = Later("transformers.models.wav2vec2_bert.modeling_wav2vec2_bert")


@settings(max_examples=10)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 20), st.integers(0, 10_000), st.booleans())
def test_interleaved_it_is_wav2vec2_berts(n_heads: int, half: int, n: int, seed: int, causal: bool) -> None:
    d_head = 2 * half
    d_model = n_heads * d_head
    encoding = pe.encoding("transformer_xl", layout="interleaved")
    layer = layer_over(encoding, n, d_model=d_model, n_heads=n_heads, seed=seed, causal=causal)
    embedding = wav2vec2_bert.Wav2Vec2BertRelPositionalEmbedding(
        SimpleNamespace(max_source_positions=40, hidden_size=d_model)
    )
    theirs = SimpleNamespace(
        linear_pos=lambda vectors: vectors.double() @ encoding.projection(d_model, layer.context).double(),
        head_size=d_head,
        scaling=d_head**-0.5,
        pos_bias_u=encoding.wish("u", layer.context).double(),
        pos_bias_v=encoding.wish("v", layer.context).double(),
    )
    vectors = embedding(torch.zeros(1, n, d_model))
    queries, added = wav2vec2_bert._apply_relative_position_encoding(
        theirs, layer.queries[None], layer.keys[None], vectors
    )
    expected = queries[0] @ layer.keys.mT * d_head**-0.5 + added[0]
    assert_close(scores_of(layer), expected, atol=2e-5, rtol=2e-5)  # their vectors are float32


@pytest.mark.parametrize("width", [6, 7])
def test_the_papers_four_terms_pair_by_pair(width: int) -> None:
    encoding = pe.encoding("transformer_xl")
    layer = layer_over(encoding, 9, d_model=width, n_heads=1, seed=3)
    u, v = (encoding.wish(name, layer.context)[0].double() for name in ("u", "v"))
    w_r = encoding.projection(width, layer.context).double()
    scores = scores_of(layer)[0]
    for i in range(9):
        for j in range(9):
            waves = [(i - j) / 10_000 ** (2 * k / width) for k in range((width + 1) // 2)]
            r = torch.tensor(([math.sin(a) for a in waves] + [math.cos(a) for a in waves])[:width]).double() @ w_r
            q, k = layer.queries[0, i], layer.keys[0, j]
            assert float(scores[i, j]) == pytest.approx(
                float(q @ k + q @ r + u @ k + v @ r) / math.sqrt(width), abs=1e-5
            )


@given(st.integers(0, 1_000_000), st.integers(-50, 50))
def test_what_a_place_adds_depends_on_the_offset_alone_however_far(position: int, offset: int) -> None:
    encoding = pe.encoding("transformer_xl")
    offsets = torch.tensor([float(position + offset) - position, float(offset)], dtype=torch.float64)
    near, far = encoding.vectors_of(offsets, 16)
    assert_close(near, far)
    exact = [math.sin(offset / 10_000 ** (2 * k / 16)) for k in range(8)]
    assert near[:8].tolist() == pytest.approx(exact, abs=1e-12)


def test_tokens_in_a_row_and_tokens_anywhere_are_computed_alike() -> None:
    layer = layer_over(pe.encoding("transformer_xl"), 6)
    one = replace(layer, positions=torch.tensor([3.0, 4.0, 5.0, 6.0, 7.0, 8.0]).double())
    assert_close(scores_of(one), scores_of(layer))
    near = replace(layer, positions=torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 1e6]).double())
    assert_close(scores_of(near)[:, :5, :5], scores_of(layer)[:, :5, :5])


def test_odd_widths_lose_the_last_wave() -> None:
    assert pe.encoding("transformer_xl").vectors_of(torch.arange(4.0).double(), 5).shape == (4, 5)
    assert pe.encoding("transformer_xl", layout="interleaved").vectors_of(torch.arange(4.0).double(), 1).shape == (4, 1)
