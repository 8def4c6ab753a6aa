"""The normalized encoding: values worked out by hand, and its flaw, that they depend on the sentence's length."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context

BY_LENGTH, BY_LAST = pe.encoding("normalized"), pe.encoding("normalized", divisor="last")


def test_five_positions_by_hand() -> None:
    positions = torch.arange(5)
    assert BY_LENGTH.vectors(positions, 1).flatten().tolist() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])
    assert BY_LAST.vectors(positions, 1).flatten().tolist() == [0, 0.25, 0.5, 0.75, 1]


@pytest.mark.parametrize("encoding", [BY_LENGTH, BY_LAST], ids=["length", "last"])
def test_one_token_is_0(encoding: pe.Encoding) -> None:
    assert encoding.vectors(torch.tensor([0]), 3).tolist() == [[0, 0, 0]]
    assert torch.isfinite(pe.attend(pe.Session(text="alone", encoding=encoding)).output).all()


@settings(max_examples=16)
@given(st.integers(2, 500), st.integers(1, 8))
def test_the_last_position_has_1_or_a_step_less_in_every_dimension(length: int, d_model: int) -> None:
    positions = torch.arange(length)
    for encoding, end in ((BY_LENGTH, 1 - 1 / length), (BY_LAST, 1.0)):
        vectors = encoding.vectors(positions, d_model)
        assert_close(vectors[-1].tolist(), [end] * d_model)
        assert_close(vectors, vectors[:, :1].expand(-1, d_model))
        assert_close(vectors.diff(dim=0), torch.full((length - 1, d_model), end / (length - 1), dtype=torch.float64))


@settings(max_examples=16)
@given(st.integers(2, 500), st.integers(2, 500), st.data())
def test_the_same_position_has_another_value_in_another_sentence(one: int, other: int, data: st.DataObject) -> None:
    position = torch.tensor([data.draw(st.integers(1, min(one, other) - 1))])
    for encoding in (BY_LENGTH, BY_LAST):
        here, there = (encoding.vectors(position, 4, Context(length)) for length in (one, other))
        assert torch.equal(here, there) == (one == other)
