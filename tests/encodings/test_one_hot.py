"""One-hot vectors: a dimension for each position, and what follows from that."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context

ONE_HOT = pe.encoding("one_hot")


@settings(max_examples=10)
@given(st.integers(1, 60), st.data())
def test_it_is_the_identitys_rows_and_knows_no_nearness(d_model: int, data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.integers(0, d_model - 1)))
    vectors = ONE_HOT.vectors(torch.tensor(asked), d_model)
    assert torch.equal(vectors, torch.eye(d_model, dtype=torch.float64)[asked])
    assert (vectors @ vectors.T).tolist() == [[float(m == n) for n in asked] for m in asked]


@settings(max_examples=10)
@given(st.integers(1, 60), st.data())
def test_a_position_without_a_dimension_is_refused_with_what_it_needs(d_model: int, data: st.DataObject) -> None:
    position = data.draw(st.integers(d_model, 10**6) | st.integers(-100, -1) | st.just(0.5))
    with pytest.raises(ValueError, match="as many dimensions as positions") as refusal:
        ONE_HOT.vectors(torch.tensor([0, position]), d_model)
    assert f"d_model {d_model}" in str(refusal.value)
    assert f"positions go from 0 to {d_model - 1}" in str(refusal.value)


def test_a_sentence_longer_than_d_model_is_refused_and_one_as_long_is_not() -> None:
    model = pe.ToyModel(d_model=4, n_heads=2)
    assert pe.attend(pe.Session(text="a b c d", encoding=ONE_HOT, model=model)).output.shape == (4, 4)
    with pytest.raises(ValueError, match="positions go from 0 to 3"):
        pe.attend(pe.Session(text="a b c d e", encoding=ONE_HOT, model=model))


@settings(max_examples=10)
@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 2**31 - 1), st.data())
def test_a_learned_table_is_one_hot_times_the_table(max_len: int, d_model: int, seed: int, data: st.DataObject) -> None:
    learned, context = pe.encoding("learned", max_len=max_len), Context(max_len, seed=seed)
    asked = torch.tensor(data.draw(st.lists(st.integers(0, max_len - 1), min_size=1)))
    table = learned.vectors(torch.arange(max_len), d_model, context)
    assert_close(learned.vectors(asked, d_model, context), ONE_HOT.vectors(asked, max_len) @ table)
