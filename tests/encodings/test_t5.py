"""T5's bias against transformers: buckets entry for entry, and a whole layer's bias."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.foundation import random_streams
from tools.later import Later

transformers = Later("transformers")
t5 = Later("transformers.models.t5.modeling_t5")

NEAR = torch.arange(-3000, 3001)
FAR = torch.tensor([-(10**6), -100_000, -99_999, 99_999, 100_000, 10**6])
directions = pytest.mark.parametrize("bidirectional", [True, False])


@settings(max_examples=16)
@given(st.integers(1, 128), st.integers(2, 100_000), st.booleans())
@example(8, 128, True)
@example(8, 128, False)
@example(8, 17, False)
@example(128, 100_000, True)
def test_buckets_are_transformers_entry_for_entry(quarter: int, max_distance: int, bidirectional: bool) -> None:
    assume(max_distance > (quarter if bidirectional else 2 * quarter))
    encoding = pe.encoding("t5", buckets=4 * quarter, max_distance=max_distance, bidirectional=bidirectional)
    relative = torch.cat((NEAR, FAR))
    theirs = t5.T5Attention._relative_position_bucket(relative, bidirectional, 4 * quarter, max_distance)
    assert torch.equal(encoding.bucket(relative), theirs)


@pytest.mark.parametrize(
    ("bidirectional", "first", "starts"),
    [
        (True, 8, [8, 12, 16, 23, 32, 46, 64, 91]),
        (False, 16, [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]),
    ],
)
def test_buckets_start_where_they_do_in_t5(bidirectional: bool, first: int, starts: list[int]) -> None:
    encoding = pe.encoding("t5", bidirectional=bidirectional)
    before = encoding.bucket(-torch.arange(5000)).tolist()
    assert before[:first] == list(range(first))
    for bucket, (start, end) in enumerate(pairwise([*starts, 5000]), start=first):
        assert set(before[start:end]) == {bucket}
    after = encoding.bucket(torch.arange(1, 5000)).tolist()
    assert after == ([bucket + 16 for bucket in before[1:]] if bidirectional else [0] * 4999)


@directions
def test_the_bias_is_a_t5_layers(bidirectional: bool) -> None:
    config = transformers.T5Config(d_model=12, d_kv=4, num_heads=3, is_decoder=not bidirectional)
    theirs = t5.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    with torch.no_grad():
        theirs.relative_attention_bias.weight.copy_(random_streams.normal(5, "t5 table", shape=(32, 3)))
    positions = torch.arange(200)
    bias = pe.encoding("t5", bidirectional=bidirectional).bias(positions, positions, 3, Context(200, seed=5))
    assert_close(bias.float(), theirs.compute_bias(200, 200)[0].detach(), atol=0, rtol=0)


@directions
@settings(max_examples=10)
@given(st.integers(1, 128), st.data())
def test_a_furthest_that_no_shared_bucket_reaches_is_refused(
    bidirectional: bool, quarter: int, data: st.DataObject
) -> None:
    exact = quarter if bidirectional else 2 * quarter
    max_distance = data.draw(st.integers(2, max(2, exact)))
    assume(max_distance <= exact)
    with pytest.raises(ValueError, match=f"more than {exact}, not {max_distance}"):
        pe.encoding("t5", buckets=4 * quarter, max_distance=max_distance, bidirectional=bidirectional)
