"""Offsets are looked up alike, however queries and keys stand."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from posenc_gui.encodings.common.offsets import Offsets

UP, DOWN = torch.arange(7), torch.arange(9, 2, -1)
PLACES = {
    "in a row": (UP, torch.arange(3, 14)),
    "queries in reverse": (DOWN, torch.arange(11)),
    "evenly spaced": (4 * DOWN, 4 * torch.arange(11)),
    "spaced otherwise": (3 * UP, 4 * torch.arange(11)),
    "keys in reverse": (UP, DOWN),
    "anywhere": (torch.tensor([5, 1, 30]), torch.tensor([0, 9, 2, 9])),
    "between places": (UP / 3, UP / 3),
    "one query": (UP[3:4], UP),
    "no query": (UP[:0], UP),
}


@pytest.mark.parametrize(("queries", "keys"), PLACES.values(), ids=PLACES)
@given(seed=st.integers(0, 1000), clipped=st.integers(0, 9))
def test_each_pair_gets_what_belongs_to_its_offset(
    queries: torch.Tensor, keys: torch.Tensor, seed: int, clipped: int
) -> None:
    expected, generator = queries[:, None].double() - keys, torch.Generator().manual_seed(seed)
    for offsets in (Offsets.of(queries, keys), Offsets.of(queries, keys).merged):
        assert_close(offsets.of_pairs(offsets.values), expected, rtol=0, atol=0)  # of this type, too
        assert torch.equal(offsets.of_queries(offsets.values.expand(2, len(queries), -1)), expected.expand(2, -1, -1))
    table = torch.randn(2, 10, 3, generator=generator)
    rows = (offsets.values.round().long() + 5).clamp(0, clipped)
    row = (expected.round().long() + 5).clamp(0, clipped)
    for side, some in (("query", queries), ("key", keys)):
        vectors = torch.randn(2, len(some), 3, generator=generator)
        axis = 2 if side == "query" else 1
        assert_close(offsets.products(vectors, table, rows, side), (vectors.unsqueeze(axis) * table[:, row]).sum(-1))
