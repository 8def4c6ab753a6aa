"""Encodings that need every hook of the law: whole and by tiles they give the same, and each hook gets what it is told.

They exist only here. Each is written twice: through the hooks, and pair by pair as its paper has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import Attended, attend, attend_at_once, tile
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import (
    Context,
    Encoding,
    RotationEncoding,
    ScoreEncoding,
    Side,
    Terms,
    as_positions,
    convert_like,
)
from posenc_gui.foundation.errors import Undefined

BASE = 100.0


def table(context: Context, *shape: int, salt: int = 0) -> Tensor:
    """Seeded numbers in place of trained ones."""
    generator = torch.Generator().manual_seed(context.seed + salt)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def frequencies(d_head: int) -> Tensor:
    return BASE ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)


class Forgetting(ScoreEncoding):
    """As FoX (Lin et al. 2025): the sum of log σ(w x_t + b) over t = n + 1 … m, by running sums made once."""

    title: ClassVar[str] = "Forgetting"

    def gates(self, inputs: Tensor, context: Context) -> Tensor:
        return logsigmoid(inputs @ convert_like(table(context, inputs.shape[-1], context.n_heads), inputs) / 4 + 1)

    def prepare(self, inputs: Tensor, context: Context) -> Tensor:
        return self.gates(inputs, context).cumsum(0)  # (n, heads)

    def extra(self, terms: Terms) -> Tensor:
        assert terms.q_prepared is not None
        assert terms.k_prepared is not None
        return terms.q_prepared.T[:, :, None] - terms.k_prepared.T[:, None]  # (heads, n_q, n_k)


class Counting(ScoreEncoding):
    """As CoPE (Golovneva et al. 2024): the position of a key is how many gates are open from it to the query."""

    title: ClassVar[str] = "Counting"
    tiled: ClassVar[bool] = False
    most_tokens: ClassVar[int] = 40
    N: ClassVar[int] = 4

    def extra(self, terms: Terms) -> Tensor:
        logits = (terms.queries @ terms.keys.mT * terms.scale).masked_fill(~terms.visible, -torch.inf)
        places = logits.sigmoid().flip(-1).cumsum(-1).flip(-1).clamp(max=self.N - 1)
        of_places = terms.queries @ convert_like(table(terms.context, self.N, terms.context.d_head), terms.queries).T
        below, above, part = places.floor().long(), places.ceil().long(), places - places.floor()
        return of_places.gather(-1, above) * part + of_places.gather(-1, below) * (1 - part)


class Extra(ScoreEncoding):
    """As Transformer-XL (Dai et al. 2019): (q + u) · k + (q + v) · (W_k R_(m−n)), inside the scale."""

    title: ClassVar[str] = "Extra"

    def vector(self, offsets: Tensor, d_model: int) -> Tensor:
        angles = offsets[..., None] * BASE ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        return torch.cat((angles.sin(), angles.cos()), dim=-1)[..., :d_model]

    def content(self, terms: Terms) -> Tensor:
        offsets = terms.q_positions[:, None] - terms.k_positions  # (n_q, n_k)
        vectors = self.vector(offsets, terms.q_inputs.shape[-1]).flatten(0, 1)
        relative = terms.project_key(vectors).view(len(terms.queries), *offsets.shape, -1)  # (heads, n_q, n_k, d_head)
        u, v = (
            convert_like(table(terms.context, len(relative), 1, relative.shape[-1], salt=i), relative) for i in (1, 2)
        )
        return (u * terms.keys).sum(-1)[:, None] + ((terms.queries + v)[:, :, None] * relative).sum(-1)


class TwoAxes(RotationEncoding):
    """As axial RoPE: even pairs turn by the first coordinate, odd ones by the second."""

    title: ClassVar[str] = "Two axes"
    axes: ClassVar[int] = 2

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        places = as_positions(positions, self.axes)
        which = torch.arange(d_head // 2) % 2
        return places[:, which] * frequencies(d_head)


class LengthBase(RotationEncoding):
    """As dynamic NTK: the base grows with the sequence's length, read from the context."""

    title: ClassVar[str] = "Length base"

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        assert context is not None
        return as_positions(positions)[:, None] * frequencies(d_head) / context.length


class Sided(RotationEncoding):
    """As xPos (Sun et al. 2022): queries shrink as they turn and keys grow."""

    title: ClassVar[str] = "Sided"

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        return as_positions(positions)[:, None] * frequencies(d_head)

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        d_head = x.shape[-1]
        sign = 1 if side == "query" else -1
        sizes = self.zeta(d_head) ** (sign * as_positions(positions)[:, None] / 8)  # (n, pairs)
        return super().rotate(x, positions, side, context) * convert_like(sizes.repeat(1, 2), x)

    def zeta(self, d_head: int) -> Tensor:
        return (torch.arange(0, d_head, 2, dtype=torch.float64) / d_head + 0.4) / 1.4


class Polar(RotationEncoding):
    """As PoPE (2025): magnitudes softplus(x), d_head frequencies, and so 2 · d_head dimensions after turning."""

    title: ClassVar[str] = "Polar"

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        return as_positions(positions)[:, None] * BASE ** (-torch.arange(d_head, dtype=torch.float64) / d_head)

    def rotate(self, x: Tensor, positions: Tensor, side: Side = "query", context: Context | None = None) -> Tensor:
        angles, sizes = self.angles(positions, x.shape[-1], context), softplus(x)
        return torch.cat((sizes * convert_like(angles.cos(), x), sizes * convert_like(angles.sin(), x)), dim=-1)


class Giving(ScoreEncoding):
    """Adds to the output what depends on the key's own input: `values` gets its rows by token index."""

    title: ClassVar[str] = "Giving"

    def prepare(self, inputs: Tensor, context: Context) -> Tensor:
        return inputs[:, :1] * torch.arange(len(inputs)).to(inputs)[:, None]  # (n, 1)

    def values(self, probabilities: Tensor, terms: Terms) -> Tensor:
        assert terms.k_prepared is not None
        return (probabilities @ terms.k_prepared).expand(-1, -1, terms.context.d_head)


ENCODINGS = [Forgetting, Counting, Extra, TwoAxes, LengthBase, Sided, Polar, Giving]
models = st.builds(
    ToyModel,
    d_model=st.just(8),
    n_heads=st.sampled_from([1, 2]),
    causal=st.booleans(),
    n_layers=st.integers(1, 2),
    seed=st.integers(0, 1000),
)
every_encoding = pytest.mark.parametrize(
    "encoding", [cls() for cls in ENCODINGS], ids=[cls.__name__ for cls in ENCODINGS]
)


def words(n: int) -> tuple[str, ...]:
    return tuple(f"word {index % 7}" for index in range(n))


def layer_of(encoding: Encoding, model: ToyModel, n: int) -> Layer:
    """The last layer over n tokens in float64; where there are two axes they stand in a grid of three columns."""
    places = tuple((index // 3, index % 3) for index in range(n)) if encoding.axes == 2 else None
    layer = Layer.over(Prompt(words(n), model, encoding, places))
    layer = layer.fed(layer.inputs.double())
    while layer.index + 1 < model.n_layers:
        layer = layer.above(attend_at_once(layer, range(n)).output)
    return layer


def whole(layer: Layer) -> tuple[Tensor, Tensor]:
    """Weights and heads by the law as it is written, over all queries and keys at once."""
    every = torch.arange(layer.n_tokens)
    terms = layer.terms(every, every)
    weights = tile(layer, every, every).scores.masked_fill(~terms.visible, -torch.inf).softmax(-1)
    return weights, weights @ layer.values + layer.encoding.values(weights, terms)


@every_encoding
@settings(max_examples=8)
@given(model=models, n=st.integers(1, 17), n_keys=st.integers(1, 20), data=st.data())
def test_tiles_are_parts_of_the_whole(
    encoding: Encoding, model: ToyModel, n: int, n_keys: int, data: st.DataObject
) -> None:
    layer = layer_of(encoding, model, n)
    weights, heads = whole(layer)
    some = st.lists(st.integers(0, n - 1), min_size=1, unique=True).map(torch.tensor)
    rows, columns = data.draw(some), data.draw(some)
    found = list(attend(layer, rows, columns, n_keys=n_keys))
    assert_close(torch.cat([band.weights for band in found], 1), weights[:, rows][..., columns])
    assert_close(torch.cat([band.heads for band in found], 1), heads[:, rows])
    scores = tile(layer, torch.arange(n), torch.arange(n)).scores
    assert_close(torch.cat([band.scores for band in found], 1), scores[:, rows][..., columns])
    seen = scores.masked_fill(~layer.visible(torch.arange(n), torch.arange(n)), -torch.inf)
    assert_close(torch.cat([band.log_denominators for band in found], 1), seen.logsumexp(-1)[:, rows])


@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
@pytest.mark.parametrize("name", pe.encodings())
def test_many_chunks_of_keys_are_one_softmax(name: str, causal: bool) -> None:
    layer = layer_of(pe.encoding(name), ToyModel(d_model=32, n_heads=2, causal=causal, n_layers=1, seed=5), 23)
    weights, heads = whole(layer)
    (found,) = attend(layer, range(23), range(23), n_keys=4)
    assert_close(found.weights, weights)
    assert_close(found.heads, heads)


def pairs(layer: Layer, score: Callable[[int, int, int], float]) -> Tensor:
    """Scores written pair by pair: (h, n, n)."""
    n, heads = layer.n_tokens, layer.model.n_heads
    return torch.tensor([[[score(h, i, j) for j in range(n)] for i in range(n)] for h in range(heads)]).double()


def scores_of(layer: Layer) -> Tensor:
    return found_of(layer).scores


def found_of(layer: Layer) -> Attended:
    return attend_at_once(layer, range(layer.n_tokens), range(layer.n_tokens))


def dot(layer: Layer, h: int, i: int, j: int) -> float:
    return float(layer.queries[h, i] @ layer.keys[h, j])


MODEL = ToyModel(d_model=8, n_heads=2, causal=True, seed=3)
ROOT = math.sqrt(4)


def test_forgetting_sums_the_gates_after_the_key_up_to_the_query() -> None:
    encoding = Forgetting()
    layer = layer_of(encoding, MODEL, 9)
    gates = encoding.gates(layer.inputs, layer.context)

    def score(h: int, i: int, j: int) -> float:
        gated = sum(float(gates[t, h]) for t in range(j + 1, i + 1)) - sum(
            float(gates[t, h]) for t in range(i + 1, j + 1)
        )
        return dot(layer, h, i, j) / ROOT + gated

    assert_close(scores_of(layer), pairs(layer, score))


def test_counting_counts_open_gates_between_key_and_query() -> None:
    layer = layer_of(Counting(), MODEL, 9)
    embeddings = table(layer.context, 4, 4)

    def score(h: int, i: int, j: int) -> float:
        logit = dot(layer, h, i, j) / ROOT
        if j > i:
            return logit + float(layer.queries[h, i] @ embeddings[0])  # masked: its place counts no gate
        place = min(3.0, sum(1 / (1 + math.exp(-dot(layer, h, i, t) / ROOT)) for t in range(j, i + 1)))
        below, above = math.floor(place), math.ceil(place)
        at = [float(layer.queries[h, i] @ embeddings[index]) for index in (below, above)]
        return logit + at[1] * (place - below) + at[0] * (1 - place + below)

    assert_close(scores_of(layer), pairs(layer, score))


def test_extra_adds_a_projected_vector_of_the_offset_inside_the_scale() -> None:
    encoding = Extra()
    layer = layer_of(encoding, MODEL, 7)
    weight = MODEL.projection("key").double()
    u, v = (table(layer.context, 2, 1, 4, salt=salt)[:, 0] for salt in (1, 2))

    def score(h: int, i: int, j: int) -> float:
        relative = (encoding.vector(torch.tensor(float(i - j)), 8) @ weight).view(2, 4)[h]
        q, k = layer.queries[h, i], layer.keys[h, j]
        return float((q + u[h]) @ k + (q + v[h]) @ relative) / ROOT

    assert_close(scores_of(layer), pairs(layer, score))


def turned(x: Tensor, angles: Tensor) -> Tensor:
    """Pairs (i, i + d/2) turned, as complex numbers."""
    a, b = x.chunk(2)
    complex_ = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((complex_.real, complex_.imag))


def test_two_axes_turn_by_both_coordinates_and_one_is_repeated() -> None:
    layer = layer_of(TwoAxes(), MODEL, 8)

    def score(h: int, i: int, j: int) -> float:
        q, k = (
            turned(x, torch.tensor([float(at // 3), float(at % 3)]).double() * frequencies(4))
            for x, at in ((layer.queries[h, i], i), (layer.keys[h, j], j))
        )
        return float(q @ k) / ROOT

    assert_close(scores_of(layer), pairs(layer, score))
    one, both = torch.arange(5.0), torch.arange(5.0)[:, None].expand(-1, 2)
    assert_close(TwoAxes().angles(one, 8), TwoAxes().angles(both, 8))
    in_a_row = Engine().layer(Prompt(words(5), MODEL, TwoAxes(), range(3, 8)))
    diagonal = Engine().layer(Prompt(words(5), MODEL, TwoAxes(), tuple((at, at) for at in range(3, 8))))
    assert_close(scores_of(in_a_row), scores_of(diagonal))


@pytest.mark.parametrize(("positions", "axes"), [([[0, 1, 2]], 2), ([[0, 1]], 1), ([[[0]]], 1), (3, 1)])
def test_positions_of_another_shape_are_refused(positions: object, axes: int) -> None:
    with pytest.raises(ValueError, match="positions must have shape"):
        as_positions(torch.tensor(positions), axes)


def test_a_base_that_grows_with_the_length_is_read_from_the_context() -> None:
    layer = layer_of(LengthBase(), MODEL, 6)
    for n, found in ((6, layer), (12, layer_of(LengthBase(), MODEL, 12))):
        assert_close(
            found.turned_queries[0, 3], turned(found.queries[0, 3], 3 * frequencies(4) / n)
        )  # position 3 in 6 and in 12 tokens
    far = Engine().layer(Prompt(words(6), MODEL, LengthBase(), range(100, 106)))
    assert far.context.length == 106


def test_queries_and_keys_turn_each_in_its_own_way() -> None:
    encoding = Sided()
    layer = layer_of(encoding, MODEL, 7)

    def score(h: int, i: int, j: int) -> float:
        q, k = turned(layer.queries[h, i], i * frequencies(4)), turned(layer.keys[h, j], j * frequencies(4))
        return float((q * k * encoding.zeta(4).repeat(2) ** ((i - j) / 8)).sum()) / ROOT

    assert_close(scores_of(layer), pairs(layer, score))


def test_a_rotation_may_double_the_dimensions() -> None:
    layer = layer_of(Polar(), MODEL, 7)
    assert layer.turned_queries.shape == (2, 7, 8)
    assert layer.scale == 1 / ROOT  # of d_head

    def score(h: int, i: int, j: int) -> float:
        angles = (i - j) * BASE ** (-torch.arange(4, dtype=torch.float64) / 4)
        return float((softplus(layer.queries[h, i]) * softplus(layer.keys[h, j]) * angles.cos()).sum()) / ROOT

    assert_close(scores_of(layer), pairs(layer, score))


def test_what_is_added_to_the_output_follows_the_tokens() -> None:
    layer = layer_of(Giving(), MODEL, 7)
    found = found_of(layer)
    expected = sum(found.weights[:, :, j, None] * layer.inputs[j, 0] * j for j in range(7))
    assert_close(found.added, expected.expand(-1, -1, 4))
    assert_close(found.heads, found.weights @ layer.values + found.added)


def test_an_encoding_that_needs_all_keys_says_how_many_it_takes() -> None:
    Engine().layer(Prompt(words(40), MODEL, Counting()))
    with pytest.raises(Undefined, match="Counting needs all keys at once for each query: at most 40 tokens, not 41"):
        Engine().layer(Prompt(words(41), MODEL, Counting()))


def test_what_is_prepared_is_prepared_once_for_the_sentence() -> None:
    calls = []

    class Once(Forgetting):
        def prepare(self, inputs: Tensor, context: Context) -> Tensor:
            calls.append(len(inputs))
            return super().prepare(inputs, context)

    layer = Engine().layer(Prompt(words(30), MODEL, Once()))
    list(attend(layer, range(30), range(30), n_keys=3))
    assert calls == [30]


def test_one_query_is_computed_without_the_other_queries() -> None:
    """A step of generation: the same code, one row."""
    asked = []

    class Watched(Forgetting):
        def extra(self, terms: Terms) -> Tensor:
            asked.append(tuple(terms.q_indices.tolist()))
            return super().extra(terms)

    layer = Engine().layer(Prompt(words(12), MODEL, Watched()))
    one = attend_at_once(layer, range(11, 12), range(12))
    assert asked == [(11,)]
    assert_close(one.weights[:, 0], attend_at_once(layer, range(12), range(12)).weights[:, 11])


@every_encoding
@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
@pytest.mark.parametrize("name", sorted({*pe.measures()} - {"meaning"}))  # which compares those of the catalogue
def test_every_measure_takes_them_without_knowing_them(encoding: Encoding, name: str, causal: bool) -> None:
    session = pe.Session(text="the cat sat on the mat", model=MODEL.model_copy(update={"causal": causal}))
    found = pe.measure(name, session.with_encoding(encoding))
    assert found.reason.endswith(".")
    assert found.value is None or math.isfinite(found.value)


@pytest.mark.parametrize("encoding", [Forgetting(), Extra()], ids=["Forgetting", "Extra"])
def test_requirements_judge_what_such_an_encoding_does_to_the_scores(encoding: Encoding) -> None:
    session = pe.Session(model=ToyModel(causal=True)).with_encoding(encoding)
    found = pe.measure("requirements", session)
    assert found["unique"].value > 0
    assert found["relative_aware"].verdict == "met"
    grows = isinstance(encoding, Forgetting)  # 16 times as many gates, as ALiBi's bias over 16 times the distance
    assert found["bounded"].verdict == ("not" if grows else "met")
    assert found["bounded"].value == pytest.approx(16, abs=0.5) if grows else found["bounded"].value > 0


def test_a_bias_is_judged_as_it_was_whatever_the_tokens() -> None:
    found = pe.measure("requirements", pe.Session(encoding="alibi", model=ToyModel(causal=True)))
    assert found["unique"].value == pytest.approx(math.sqrt(sum(0.25 ** (2 * h) for h in (1, 2, 3, 4))))
