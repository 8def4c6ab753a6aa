"""Seeded numbers: a part of a table is drawn as the whole table has it."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_gui.foundation import random_streams


@settings(max_examples=24)
@given(count=st.integers(1, 70), width=st.integers(1, 70), data=st.data())
def test_the_first_rows_are_those_of_the_whole(count: int, width: int, data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, count))
    whole = random_streams.normal(3, "a table", shape=(count, width))
    assert torch.equal(random_streams.first_rows(3, "a table", rows=rows, shape=(count, width)), whole[:rows])


def test_the_first_rows_of_a_table_drawn_in_parts_are_those_of_the_whole() -> None:
    shape = (2 * random_streams.PART // 1_000 + 7, 1_000)
    whole = random_streams.normal(3, "a table", shape=shape)
    for rows in (1, random_streams.PART // 1_000, random_streams.PART // 1_000 + 1, shape[0] - 1):
        assert torch.equal(random_streams.first_rows(3, "a table", rows=rows, shape=shape), whole[:rows])
