"""The toy model: what its weights depend on, and which shapes it refuses."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.errors import sentence

seeds = st.integers(0, 2**31 - 1)
tokens = st.text(min_size=1, max_size=5)


@given(st.lists(tokens, max_size=8), st.integers(1, 64), seeds)
def test_a_tokens_vector_depends_only_on_the_token_and_the_seed(sentence: list[str], d_model: int, seed: int) -> None:
    vectors = pe.ToyModel(d_model=d_model, n_heads=1, seed=seed).embed(tuple(sentence))
    assert vectors.shape == (len(sentence), d_model)
    other_shape = pe.ToyModel(d_model=d_model, n_heads=1, d_head=7, seed=seed, causal=True, scale=2, embedding_scale=3)
    for token, vector in zip(sentence, vectors, strict=True):
        assert torch.equal(other_shape.embed((token,))[0], vector)


@given(tokens, tokens, seeds, seeds)
def test_other_tokens_and_other_seeds_have_other_vectors(one: str, other: str, seed: int, other_seed: int) -> None:
    def vector(token: str, seed: int) -> torch.Tensor:
        return pe.ToyModel(seed=seed).embed((token,))

    assert torch.equal(vector(one, seed), vector(other, seed)) == (one == other)
    assert torch.equal(vector(one, seed), vector(one, other_seed)) == (seed == other_seed)


def test_inputs_queries_keys_and_values_are_equally_large() -> None:
    words = " ".join(f"word{i}" for i in range(200))
    result = pe.attend(pe.Session(text=words, encoding="none", model=pe.ToyModel(d_model=256)))
    for numbers in (result.queries, result.keys, result.values):
        assert float(numbers.std()) == pytest.approx(1, rel=0.1)


@given(seeds)
def test_each_projection_is_its_own_and_the_same_again(seed: int) -> None:
    names = ("query", "key", "value", "output")
    first = [pe.ToyModel(seed=seed).projection(name) for name in names]
    again = [pe.ToyModel(seed=seed).projection(name) for name in names]
    for i, weights in enumerate(first):
        assert torch.equal(weights, again[i])
        assert all(not torch.equal(weights, other) for other in first[i + 1 :])


@given(st.integers(1, 512), st.integers(1, 128))
def test_heads_that_cant_share_d_model_are_refused_at_a_field_with_those_that_can(d_model: int, n_heads: int) -> None:
    if d_model % n_heads == 0:
        assert pe.ToyModel(d_model=d_model, n_heads=n_heads).head_width == d_model // n_heads
        return
    with pytest.raises(ValidationError) as refusal:
        pe.ToyModel(d_model=d_model, n_heads=n_heads)
    (error,) = refusal.value.errors()
    assert error["loc"] == ("d_head",)
    allowed = error["msg"].split("n_heads may be ")[1].split(", ")
    assert [int(heads) for heads in allowed] == [heads for heads in range(1, 129) if d_model % heads == 0]
    assert "\n" not in sentence(refusal.value)


@given(st.integers(1, 100), st.integers(1, 8), st.integers(1, 32))
def test_heads_of_a_given_width_need_no_sharing(d_model: int, n_heads: int, d_head: int) -> None:
    model = pe.ToyModel(d_model=d_model, n_heads=n_heads, d_head=d_head)
    result = pe.attend(pe.Session(text="a b", encoding="none", model=model))
    assert result.queries.shape == (n_heads, 2, d_head)
    assert result.output.shape == (2, d_model)


@given(st.integers(1, 5), st.integers(1, 8), seeds)
def test_identity_projections_leave_the_token_vectors_as_they_are(n_heads: int, width: int, seed: int) -> None:
    model = pe.ToyModel(d_model=n_heads * width, n_heads=n_heads, projections="identity", seed=seed)
    result = pe.attend(pe.Session(text="to be or not to be", encoding="none", model=model))
    vectors = model.embed(result.tokens)
    heads = vectors.view(6, n_heads, width).movedim(1, 0)
    for projected in (result.queries, result.keys, result.values):
        assert torch.equal(projected, heads)
    assert_close(result.scores, heads @ heads.mT / width**0.5)
    assert_close(result.output, (result.probabilities @ heads).movedim(0, 1).flatten(1))


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 16))
def test_the_identity_is_refused_where_heads_have_another_width(d_model: int, n_heads: int, d_head: int) -> None:
    def identity() -> pe.ToyModel:
        return pe.ToyModel(d_model=d_model, n_heads=n_heads, d_head=d_head, projections="identity")

    if n_heads * d_head == d_model:
        assert torch.equal(identity().projection("query"), torch.eye(d_model))
        return
    with pytest.raises(ValidationError, match="the identity needs") as refusal:
        identity()
    assert refusal.value.errors()[0]["loc"] == ("projections",)


@given(st.floats(0, 100), st.floats(0, 100))
def test_scale_and_token_weight_multiply_what_they_name(scale: float, weight: float) -> None:
    plain = pe.attend(pe.Session(encoding="none", model=pe.ToyModel(scale=1)))
    scaled = pe.attend(pe.Session(encoding="none", model=pe.ToyModel(scale=scale, embedding_scale=weight)))
    factor = scale * weight**2
    assert_close(scaled.values, plain.values * weight, atol=1e-4 * weight, rtol=1e-4)
    assert_close(scaled.scores, plain.scores * factor, atol=1e-4 * factor, rtol=1e-4)
