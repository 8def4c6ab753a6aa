"""The toy model: what its weights depend on, and which shapes it refuses."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention import memory_cost, toy_model
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.errors import Invalid

seeds = st.integers(0, 2**31 - 1)
tokens = st.text(min_size=1, max_size=5)
factors = st.just(0.0) | st.floats(0.01, 100)


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


@pytest.mark.parametrize("d_head", [None, 16, 256])
def test_inputs_queries_keys_and_values_are_equally_large(d_head: int | None) -> None:
    words = " ".join(f"word{i}" for i in range(200))
    model = pe.ToyModel(d_model=256, d_head=d_head)
    result = pe.attend(pe.Session(text=words, encoding="none", model=model))
    for numbers in (model.embed(result.tokens), result.queries, result.keys, result.values):
        assert float(numbers.std()) == pytest.approx(1, rel=0.05)
    written = result.values.movedim(0, 1).flatten(1) @ model.projection("output")
    assert float(written.std()) == pytest.approx(1, rel=0.05)


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
    with pytest.raises(Invalid) as refusal:
        pe.ToyModel(d_model=d_model, n_heads=n_heads)
    ((place, told),) = refusal.value.mistakes
    assert place == ("n_heads",)
    allowed = told.split("Heads may be ")[1].removesuffix(" or any number with d_head set").split(", ")
    assert [int(heads) for heads in allowed] == [heads for heads in range(1, 129) if d_model % heads == 0]
    assert "\n" not in str(refusal.value)


@settings(max_examples=12)
@given(st.integers(1, 100), st.integers(1, 8), st.integers(1, 32))
def test_heads_of_a_given_width_need_no_sharing(d_model: int, n_heads: int, d_head: int) -> None:
    model = pe.ToyModel(d_model=d_model, n_heads=n_heads, d_head=d_head)
    result = pe.attend(pe.Session(text="a b", encoding="none", model=model))
    assert result.queries.shape == (n_heads, 2, d_head)
    assert result.output.shape == (2, d_model)


@settings(max_examples=12)
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
    with pytest.raises(Invalid, match="the identity needs") as refusal:
        identity()
    assert refusal.value.mistakes[0][0] == ("projections",)


@given(st.lists(tokens, min_size=1, max_size=6), st.data())
def test_a_typed_vector_takes_the_place_of_the_seeded_one(sentence: list[str], data: st.DataObject) -> None:
    typed = data.draw(st.sampled_from(sentence))
    vector = data.draw(st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3))
    model = pe.ToyModel(d_model=3, n_heads=1, vectors=((typed, vector),))
    seeded = pe.ToyModel(d_model=3, n_heads=1).embed(tuple(sentence))
    for token, ours, before in zip(sentence, model.embed(tuple(sentence)), seeded, strict=True):
        assert ours.tolist() == (vector if token == typed else before.tolist())


@pytest.mark.slow
@pytest.mark.parametrize(("d_model", "count"), [(1, 2_100), (4096, 150)])
def test_vectors_of_any_width_are_kept_within_their_memory_by_several_threads(d_model: int, count: int) -> None:
    model, kept = pe.ToyModel(d_model=d_model, n_heads=1), toy_model._token_vector.cache
    many = [tuple(f"{thread} {number}" for number in range(count)) for thread in range(4)]
    with ThreadPoolExecutor(len(many)) as pool:
        vectors = list(pool.map(model.embed, many))
    assert kept
    assert sum(1000 + vector.nbytes for vector in kept.values()) <= toy_model.MEMORY
    for words, found in zip(many, vectors, strict=True):
        assert torch.equal(model.embed(words[:1])[0], found[0])


def test_projections_of_the_latest_models_alone_are_kept_however_small() -> None:
    for seed in range(130):
        pe.ToyModel(d_model=2, n_heads=1, seed=seed).projection("query")
    assert len(toy_model._projection.cache) <= 128


def test_a_typed_vector_of_another_width_is_refused_at_its_field() -> None:
    with pytest.raises(Invalid, match="“cat” has 2 numbers, but d_model is 3") as refusal:
        pe.ToyModel(d_model=3, n_heads=1, vectors=(("cat", (1, 2)),))
    assert refusal.value.mistakes[0][0] == ("vectors",)


def test_a_second_layer_has_weights_of_its_own_and_the_first_ones_outputs_added_to_its_inputs() -> None:
    session = pe.Session(encoding="rope")
    one, two = (pe.attend(session.changed(model=pe.ToyModel(n_layers=layers))) for layers in (1, 2))
    model = session.model
    assert not torch.equal(model.projection("query", 0), model.projection("query", 1))
    inputs = model.embed(session.tokens) + one.output
    queries = (inputs @ model.projection("query", 1)).view(6, 4, 16).movedim(1, 0)
    assert_close(two.queries, queries, atol=1e-5, rtol=1e-4)


@settings(max_examples=12)
@given(factors, factors)
def test_scale_and_token_weight_multiply_what_they_name(scale: float, weight: float) -> None:
    plain = pe.attend(pe.Session(encoding="none", model=pe.ToyModel(scale=1)))
    scaled = pe.attend(pe.Session(encoding="none", model=pe.ToyModel(scale=scale, embedding_scale=weight)))
    factor = scale * weight**2
    assert_close(scaled.values, plain.values * weight, atol=1e-4 * weight, rtol=1e-4)
    assert_close(scaled.scores, plain.scores * factor, atol=1e-4 * factor, rtol=1e-4)


LARGE = pe.ToyModel(d_model=16_384, n_heads=11, d_head=128)


def test_a_large_model_never_has_a_projection_as_a_whole() -> None:
    for name in ("gpt-3", "bloom-176b", "deepseek-v3"):
        model = pe.preset(name).model
        assert model.is_large
        assert memory_cost.attention_bytes(6, model, 6, 6) < 1e9
    assert not pe.preset("llama-7b").model.is_large


def test_of_large_projections_heads_alone_are_those_of_the_whole() -> None:
    """Numbers of variance 1 / (numbers summed), as in every model, head by head from a stream of its own."""
    assert LARGE.is_large
    some = torch.zeros(2, 16_384, dtype=torch.float64)
    some[0, 5] = some[1, 16_000] = 1
    query = LARGE.projected(some, "query")  # (heads, 2, d_head)
    assert query.std() == pytest.approx(1 / 128, rel=0.05)
    assert torch.equal(LARGE.projected(some, "query", heads=range(3, 11, 4)), query[3::4])
    taken = torch.zeros(1, 11 * 128)
    taken[:, 3 * 128 : 4 * 128] = torch.arange(128.0)
    alone = LARGE.times(taken[:, 3 * 128 : 4 * 128], "output", heads=range(3, 4))
    assert_close(LARGE.times(taken, "output"), alone)
    assert alone.std() == pytest.approx(float(taken.norm()) / math.sqrt(11 * 128), rel=0.05)


def test_of_a_small_model_heads_alone_are_those_of_the_whole() -> None:
    for model in (pe.ToyModel(), pe.ToyModel(projections="identity")):
        vectors = torch.randn(3, 64, generator=torch.Generator().manual_seed(0))
        assert_close(model.projected(vectors, "key", heads=range(1, 4, 2)), model.projected(vectors, "key")[1::2])
        assert model.times(vectors[:, :32], "output", heads=range(1, 4, 2)).shape == (3, 64)


@pytest.mark.slow
@pytest.mark.most(1)
@pytest.mark.parametrize("name", ["rope", "alibi"])
def test_what_heads_of_a_large_model_do_alone_is_what_they_do_among_all(name: str) -> None:
    session, engine = pe.Session(encoding=name, model=LARGE.model_copy(update={"causal": True})), Engine()
    every, some = range(session.n_tokens), range(0, 8, 2)
    assert session.scene.heads_of(None) == some
    assert session.scene.heads_of(3) == range(3, 4)
    whole = engine.attended(session.scene.prompt, every, every)
    for heads in (some, range(3, 4)):
        alone = engine.attended(session.scene.prompt_of(heads), every, every)
        for one, all_heads in (
            (alone.scores, whole.scores),
            (alone.weights, whole.weights),
            (alone.heads, whole.heads),
        ):
            assert_close(one, all_heads[heads.start : heads.stop : heads.step])
    panel = pe.plot("attention", session).panels[-1]
    assert isinstance(panel, Heatmap)
    assert_close(torch.from_numpy(panel.values), whole.weights[0:8:2].mean(0))


@pytest.mark.slow
def test_pictures_and_measures_of_a_large_model_say_of_which_heads_they_are() -> None:
    session = pe.Session(encoding="rope", model=LARGE)
    which = "heads 0, 2, 4 and 6 of 11, since the model is large"
    assert f"mean of {which}" in pe.plot("attention", session).caption
    assert "head 7 of 11" in pe.plot("attention", session.changed(plots={"attention": {"head": 7}})).caption
    assert f"Measured in {which}." in pe.measure("shift", session).reason
    assert "Measured in head 7 of 11, since the model is large." in pe.measure("kernel", session, head=7).reason
    small = pe.Session(encoding="rope")
    assert "is large" not in pe.plot("attention", small).caption + pe.measure("shift", small).reason
    assert pe.Session(encoding="shaw", model=LARGE).scene.heads_of(None) is None
    assert session.changed(other="shaw").scene.heads_of(None) is None
