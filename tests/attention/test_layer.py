"""Attention: the law it follows, and that windows and chunks change nothing."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import words
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import attend_at_once, outputs
from posenc_gui.attention.layer import Layer, Prompt, context_of
from posenc_gui.foundation.errors import TooLarge
from posenc_gui.foundation.threads import Threads

WORDS = ["the", "cat", "sat", "on", "mat", "dog", "bites", "man"]
NAMES = pe.encodings()
seeds = st.integers(0, 2**31 - 1)
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
models = st.builds(
    lambda n_heads, half, **rest: pe.ToyModel(d_model=2 * half * n_heads, n_heads=n_heads, **rest),
    n_heads=st.integers(1, 5),
    half=st.integers(5, 8),  # wide enough for one-hot vectors of these sentences
    n_layers=st.integers(1, 2),
    causal=st.booleans(),
    seed=seeds,
)
every_encoding = pytest.mark.parametrize("name", NAMES)


def at_the_same_scale_without(session: pe.Session) -> pe.Session:
    """The session without its encoding: T5 multiplies q · k by 1, and so must what it is compared with."""
    model, scale = session.model, session.encoding.scale(session.model.head_width)
    return session.changed(
        encoding="none", model=model if model.scale is not None else model.model_copy(update={"scale": scale})
    )


@every_encoding
@settings(max_examples=6)
@given(text=sentences, model=models)
def test_scores_are_those_without_the_encoding_plus_what_position_adds(
    name: str, text: str, model: pe.ToyModel
) -> None:
    session = pe.Session(text=text, encoding=pe.encoding(name), model=model)
    result, plain = pe.attend(session), pe.attend(at_the_same_scale_without(session))
    assert_close(result.scores - result.position, plain.scores, atol=1e-4, rtol=1e-4)
    if name == "none":
        assert not result.position.any()


@pytest.mark.parametrize("name", ["t5", "alibi"])
@settings(max_examples=6)
@given(text=sentences, seed=seeds, causal=st.booleans(), scale=st.none() | st.floats(0, 2))
def test_what_position_adds_is_the_bias_whatever_the_scale(
    name: str, text: str, seed: int, causal: bool, scale: float | None
) -> None:
    model = pe.ToyModel(causal=causal, seed=seed, scale=scale)
    session = pe.Session(text=text, encoding=pe.encoding(name), model=model)
    positions = torch.arange(session.n_tokens)
    bias = session.encoding.bias(positions, positions, 4, context_of(session.n_tokens, model))
    assert_close(pe.attend(session).position, bias.float(), atol=1e-4, rtol=1e-4)


@pytest.mark.slow
@every_encoding
@settings(max_examples=6)
@given(text=sentences, model=models, data=st.data())
def test_a_window_shows_what_the_whole_map_shows(name: str, text: str, model: pe.ToyModel, data: st.DataObject) -> None:
    session = pe.Session(text=text, encoding=pe.encoding(name), model=model)
    n = len(session.tokens)
    start = data.draw(st.integers(0, n - 1))
    window = range(start, data.draw(st.integers(start + 1, n)))
    tile = Engine().maps(session.scene.prompt, window)
    whole = Engine().maps(session.scene.prompt, range(n))
    part = slice(window.start, window.stop)
    for quantity in ("scores", "weights"):
        assert_close(getattr(tile, quantity), getattr(whole, quantity)[:, part, part], atol=1e-5, rtol=1e-5)
    assert_close(tile.log_denominators, whole.log_denominators[:, part], atol=1e-5, rtol=1e-5)
    assert torch.equal(tile.visible, whole.visible[part, part])
    assert_close(tile.output, whole.output[part], atol=1e-5, rtol=1e-5)


def law(session: pe.Session) -> tuple[Tensor, Tensor]:
    """The last layer's probabilities and output, written out anew in float64 and without chunks."""
    model, encoding, n = session.model, session.encoding, len(session.tokens)
    positions, context = torch.arange(n), context_of(n, model)
    scale = model.scale if model.scale is not None else encoding.scale(model.head_width)
    x = model.embed(session.tokens).double() * model.embedding_scale
    x = x + encoding.vectors(positions, model.d_model, context)
    output = torch.zeros_like(x)
    for layer in range(model.n_layers):
        x = x + output
        queries, keys, values = (
            torch.stack((x @ model.projection(name, layer).double()).chunk(model.n_heads, dim=1))
            for name in ("query", "key", "value")
        )
        turned = encoding.rotate(queries, positions, "query", context), encoding.rotate(keys, positions, "key", context)
        terms = Layer.of_inputs(x, positions.double(), model, encoding, context, layer).terms(positions, positions)
        logits = (turned[0] @ turned[1].mT + encoding.content(terms)) * scale + encoding.extra(terms)
        logits = logits + encoding.bias(positions, positions, model.n_heads, context)
        if model.causal:
            logits = logits.masked_fill(positions > positions[:, None], -torch.inf)
        weights = logits.softmax(-1)
        heads = weights @ values + encoding.values(weights, terms)
        output = torch.cat(tuple(heads), dim=1) @ model.projection("output", layer).double()
    return weights, output


@every_encoding
@settings(max_examples=6)
@given(text=sentences, model=models)
def test_attention_follows_the_law(name: str, text: str, model: pe.ToyModel) -> None:
    session = pe.Session(text=text, encoding=pe.encoding(name), model=model)
    result = pe.attend(session)
    weights, output = law(session)
    assert_close(result.probabilities, weights.float(), atol=1e-4, rtol=1e-3)
    assert_close(result.output, output.float(), atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "scale"), [("none", 0.25), ("sinusoidal", 0.25), ("rope", 0.25), ("alibi", 0.25), ("t5", 1)]
)
def test_dot_products_are_divided_by_the_root_of_d_head_but_not_in_t5(name: str, scale: float) -> None:
    session = pe.Session(encoding=pe.encoding(name), model=pe.ToyModel(d_model=64, n_heads=4))
    divided = session.changed(model=pe.ToyModel(d_model=64, n_heads=4, scale=scale))
    assert_close(pe.attend(session).scores, pe.attend(divided).scores)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "causal"), [("rope", True), ("alibi", False)])
def test_a_sentence_of_several_chunks_follows_the_law_too(name: str, causal: bool) -> None:
    words = " ".join(WORDS[i % 7] + str(i % 11) for i in range(1500))
    model = pe.ToyModel(d_model=16, n_heads=4, n_layers=2, causal=causal)
    session = pe.Session(text=words, encoding=pe.encoding(name), model=model)
    result = pe.attend(session)
    weights, output = law(session)
    assert_close(result.probabilities, weights.float(), atol=2e-5, rtol=1e-3)
    assert_close(result.output, output.float(), atol=1e-4, rtol=1e-3)


def test_a_map_too_large_to_keep_is_refused_with_the_length_that_is_not() -> None:
    engine = Engine(free=lambda _device: 2**29)
    with pytest.raises(
        TooLarge, match=r"^10,000 tokens with d_model 64 and 4 heads of 16 need about 5.* GB"
    ) as refused:
        pe.attend(pe.Session(text="a " * 10_000), engine)
    most = int(str(refused.value).partition("at most ")[2].split()[0].replace(",", ""))
    assert pe.attend(pe.Session(text="a " * most), engine).scores.shape == (4, most, most)
    with pytest.raises(TooLarge):
        pe.attend(pe.Session(text="a " * (most + 1)), engine)


@pytest.mark.parametrize("size", [1.0, 1e3, 1e6])
def test_weights_sum_to_one_however_large_the_scores(size: float) -> None:
    vectors = (("a", (size,) * 4), ("b", (-size,) * 4))
    model = pe.ToyModel(d_model=4, n_heads=1, projections="identity", vectors=vectors)
    result = pe.attend(pe.Session(text="a a b", encoding="none", model=model))
    assert_close(result.probabilities.sum(-1), torch.ones(1, 3))
    if size > 1:
        assert_close(result.probabilities[0, 0], torch.tensor([0.5, 0.5, 0.0]))


def test_the_engine_counts_what_a_layer_holds() -> None:
    """A layer keeps no projections: with seeds changing they would fill the memory beyond its bound, uncounted."""
    layer = Engine().layer(pe.Session(model=pe.ToyModel(d_model=256, n_heads=4)).scene.prompt)
    held = {id(part): part for part in vars(layer).values() if isinstance(part, Tensor)}.values()  # each once
    assert layer.nbytes >= sum(part.nbytes for part in held)
    assert not [part for part in vars(layer).values() if getattr(part, "query", None) is not None]


@every_encoding
@pytest.mark.parametrize("more", [{}, {"scale": 0.3, "causal": True}, {"embedding_scale": 0.5, "n_layers": 2}], ids=str)
def test_layers_of_the_same_tokens_share_what_no_encoding_changes(name: str, more: dict[str, object]) -> None:
    engine, model = Engine(), pe.ToyModel(d_model=64, n_heads=2, **more)
    prompts = [Prompt(("a", "b", "c", "a"), model, pe.encoding(one)) for one in ("none", name)]
    plain, layer = map(engine.first_layer, prompts)
    expected = Layer.over(prompts[1])
    for part in ("positions", "inputs", "queries", "keys", "values", "turned_queries", "turned_keys"):
        assert torch.equal(getattr(layer, part), getattr(expected, part))
        is_shared = part in ("inputs", "queries", "keys", "values") and layer.encoding.door != "input"
        assert not is_shared or getattr(layer, part) is getattr(plain, part)
    assert (layer.model, layer.encoding, layer.context) == (expected.model, expected.encoding, expected.context)
    assert layer.scale == expected.scale


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if pe.encoding(name).door == "rotation"])
def test_queries_of_a_long_text_are_rotated_some_at_a_time_and_alike(name: str) -> None:
    """At once, angles, cosines and sines of a long text take several times the memory of queries and keys."""
    encoding, n_tokens = pe.encoding(name), 4000
    layer = Layer.over(Prompt(("a", "b", "c", "d") * (n_tokens // 4), pe.ToyModel(d_model=512, n_heads=4), encoding))
    for side, vectors, turned in (
        ("query", layer.queries, layer.turned_queries),
        ("key", layer.keys, layer.turned_keys),
    ):
        assert torch.equal(turned, encoding.rotate(vectors, layer.positions, side, layer.context))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rope", "shaw"])
def test_outputs_of_a_long_text_are_alike_to_the_bit_on_any_number_of_threads(name: str) -> None:
    layer = Layer.over(Prompt(words(2400), pe.ToyModel(d_model=8, n_heads=2, causal=True), pe.encoding(name)))
    alone, *others = (outputs(layer, threads=Threads(count)) for count in (1, 2, 5))
    for other in others:
        assert torch.equal(other, alone)
    assert_close(alone[-100:], attend_at_once(layer, range(2300, 2400)).output)
