"""What every hook of an encoding is told and gives: whole and by tiles, once for the sentence or for one query alone.

The catalogue needs all hooks; what its terms are is tried in `tests/encodings`, pair by pair. Two more encodings exist only here.
"""

from __future__ import annotations

import math
from typing import ClassVar

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from layers import layer_of, scores_of, words
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.forward import attend, attend_at_once, tile
from posenc_gui.attention.layer import Prompt
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Context, Encoding, RotationEncoding, ScoreEncoding, Terms, as_positions
from posenc_gui.encodings.fox import FoX


class LengthBase(RotationEncoding):
    """As dynamic NTK: the base grows with the sequence's length, read from the context."""

    title: ClassVar[str] = "Length base"

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        assert context is not None
        speeds = 100 ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
        return as_positions(positions)[:, None] * speeds / context.length


class Giving(ScoreEncoding):
    """Adds to the output what depends on the key's own input: `values` gets its rows by token index."""

    title: ClassVar[str] = "Giving"

    def prepare(self, inputs: Tensor, context: Context) -> Tensor:
        return inputs[:, :1] * torch.arange(len(inputs)).to(inputs)[:, None]  # (n, 1)

    def values(self, probabilities: Tensor, terms: Terms) -> Tensor:
        assert terms.k_prepared is not None
        return (probabilities @ terms.k_prepared).expand(-1, -1, terms.context.d_head)


OWN = [LengthBase(), Giving()]
EVERY = [*map(pe.encoding, pe.encodings()), *OWN]
every_encoding = pytest.mark.parametrize("encoding", EVERY, ids=[type(one).__name__ for one in EVERY])
models = st.builds(
    ToyModel,
    d_model=st.just(8),
    n_heads=st.sampled_from([1, 2]),
    causal=st.booleans(),
    n_layers=st.integers(1, 2),
    seed=st.integers(0, 1000),
)
MODEL = ToyModel(d_model=8, n_heads=2, causal=True, seed=3)


@every_encoding
@settings(max_examples=8)
@given(model=models, n=st.integers(1, 17), n_keys=st.integers(1, 20), data=st.data())
def test_tiles_are_parts_of_the_whole(
    encoding: Encoding, model: ToyModel, n: int, n_keys: int, data: st.DataObject
) -> None:
    """The law as it is written, over all queries and keys at once, and as it is computed, some keys at a time."""
    n = min(n, encoding.length_limit(model.d_model) or n)
    layer, every = layer_of(encoding, model, n), torch.arange(n)
    terms, scores = layer.terms(every, every), tile(layer, every, every).scores
    seen = scores.masked_fill(~terms.visible, -torch.inf)
    weights = seen.softmax(-1)
    heads = weights @ layer.values + encoding.values(weights, terms)
    some = st.lists(st.integers(0, n - 1), min_size=1, unique=True).map(torch.tensor)
    rows, columns = data.draw(some), data.draw(some)
    found = list(attend(layer, rows, columns, n_keys=n_keys))
    assert_close(torch.cat([band.weights for band in found], 1), weights[:, rows][..., columns])
    assert_close(torch.cat([band.heads for band in found], 1), heads[:, rows])
    assert_close(torch.cat([band.scores for band in found], 1), scores[:, rows][..., columns])
    assert_close(torch.cat([band.log_denominators for band in found], 1), seen.logsumexp(-1)[:, rows])


@pytest.mark.parametrize(("positions", "axes"), [([[0, 1, 2]], 2), ([[0, 1]], 1), ([[[0]]], 1), (3, 1)])
def test_positions_of_another_shape_are_refused(positions: object, axes: int) -> None:
    with pytest.raises(ValueError, match="positions must have shape"):
        as_positions(torch.tensor(positions), axes)


def test_in_a_text_a_place_is_the_same_along_both_axes() -> None:
    in_a_row, diagonal = (
        Engine().layer(Prompt(words(5), MODEL, pe.encoding("axial"), places))
        for places in (range(3, 8), tuple((at, at) for at in range(3, 8)))
    )
    assert_close(scores_of(in_a_row), scores_of(diagonal))


def test_what_grows_with_the_length_is_told_it_from_the_first_position_on() -> None:
    assert Engine().layer(Prompt(words(6), MODEL, LengthBase(), range(100, 106))).context.length == 106


def test_what_is_added_to_the_output_follows_the_tokens() -> None:
    layer = layer_of(Giving(), MODEL, 7)
    found = attend_at_once(layer, range(7), range(7))
    expected = sum(found.weights[:, :, j, None] * layer.inputs[j, 0] * j for j in range(7))
    assert_close(found.added, expected.expand(-1, -1, 4))
    assert_close(found.heads, found.weights @ layer.values + found.added)


def test_the_sentence_is_prepared_once_and_one_query_is_computed_without_the_others() -> None:
    """As in a step of generation: the same code, one row."""
    prepared, asked = [], []

    class Watched(FoX):
        def prepare(self, inputs: Tensor, context: Context) -> Tensor:
            prepared.append(len(inputs))
            return super().prepare(inputs, context)

        def extra(self, terms: Terms) -> Tensor:
            asked.append(tuple(terms.q_indices.tolist()))
            return super().extra(terms)

    layer = Engine().layer(Prompt(words(12), MODEL, Watched()))
    attend_at_once(layer, range(11, 12), range(12))
    assert asked == [(11,)]
    list(attend(layer, range(12), range(12), n_keys=3))
    assert prepared == [12]


@pytest.mark.parametrize("encoding", OWN, ids=["LengthBase", "Giving"])
@pytest.mark.parametrize("causal", [False, True], ids=["open", "causal"])
@pytest.mark.parametrize("name", sorted({*pe.measures()} - {"meaning"}))  # which compares those of the catalogue
def test_every_measure_takes_them_without_knowing_them(encoding: Encoding, name: str, causal: bool) -> None:
    session = pe.Session(text="the cat sat on the mat", model=MODEL.model_copy(update={"causal": causal}))
    found = pe.measure(name, session.with_encoding(encoding))
    assert found.reason.endswith(".")
    assert found.value is None or math.isfinite(found.value)
