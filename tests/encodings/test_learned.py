"""The learned encoding: a table, and an honest refusal where it has no row."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.encodings.base import Context

lengths = st.integers(1, 100)
seeds = st.integers(0, 2**31 - 1)


@given(lengths, st.data())
def test_a_position_without_a_row_is_refused_with_the_positions_that_have_one(
    max_len: int, data: st.DataObject
) -> None:
    encoding = pe.encoding("learned", max_len=max_len)
    inside = data.draw(st.lists(st.integers(0, max_len - 1), max_size=5))
    outside = data.draw(
        st.integers(max_len, 10**6)
        | st.integers(-1000, -1)
        | st.floats(0, max_len - 1).filter(lambda position: position != round(position))
    )
    with pytest.raises(ValueError, match=f"positions go from 0 to {max_len - 1}") as refusal:
        encoding.vectors(torch.tensor([*inside, outside], dtype=torch.float64), 8)
    assert "\n" not in str(refusal.value)


@settings(max_examples=12)
@given(lengths, seeds, st.integers(1, 32), st.data())
def test_a_seed_gives_every_position_the_same_row_again(
    max_len: int, seed: int, d_model: int, data: st.DataObject
) -> None:
    context = Context(length=max_len, seed=seed)
    asked = data.draw(st.lists(st.integers(0, max_len - 1)))
    whole = pe.encoding("learned", max_len=max_len).vectors(torch.arange(max_len), d_model, context)
    rows = pe.encoding("learned", max_len=max_len).vectors(torch.tensor(asked), d_model, context)
    assert whole.shape == (max_len, d_model)
    assert torch.equal(rows, whole[asked])


@given(seeds, seeds)
def test_another_seed_gives_another_table_and_none_means_seed_0(one: int, other: int) -> None:
    def table(context: Context | None) -> torch.Tensor:
        return pe.encoding("learned", max_len=4).vectors(torch.arange(4), 8, context)

    assert torch.equal(table(Context(4, seed=one)), table(Context(4, seed=other))) == (one == other)
    assert torch.equal(table(None), table(Context(4, seed=0)))


@given(st.integers(1, 16_384), st.integers(1, 4096))
def test_the_whole_table_counts_as_parameters(max_len: int, d_model: int) -> None:
    assert pe.encoding("learned", max_len=max_len).n_parameters(d_model, 1, d_model) == max_len * d_model


def test_rows_are_unrelated_and_about_as_long_as_token_vectors() -> None:
    table = pe.encoding("learned").vectors(torch.arange(512), 64)
    directions = table / table.norm(dim=1, keepdim=True)
    cosines = (directions @ directions.T)[~torch.eye(512, dtype=torch.bool)]
    assert abs(float(cosines.mean())) < 0.01
    assert float(cosines.std()) == pytest.approx(64**-0.5, rel=0.05)
    assert float(table.norm(dim=1).mean()) == pytest.approx(8, rel=0.05)
