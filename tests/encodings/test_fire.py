"""FIRE against its published code written out pair by pair, and what is known of it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.foundation import random_streams


@settings(max_examples=12)
@given(
    n_heads=st.integers(1, 5), width=st.integers(1, 20), c=st.floats(0.01, 10), threshold=st.floats(1, 600),
    m=st.integers(0, 1_000_000), share=st.floats(0, 1), seed=st.integers(0, 10_000),
)  # fmt: skip
def test_it_is_the_papers_network_of_the_papers_argument(
    n_heads: int, width: int, c: float, threshold: float, m: int, share: float, seed: int
) -> None:
    """The appendix's code: log(|c · distance| + 1) / (log(|c · max(i, L)| + 1) + 1e-6), a ReLU network of one hidden layer."""
    n = int(m * share)
    encoding = pe.encoding("fire", c=c, threshold=threshold, width=width)
    bias = encoding.bias(torch.tensor([m]), torch.tensor([n]), n_heads, Context(m + 1, seed=seed))[:, 0, 0].tolist()
    argument = math.log(abs(c * (m - n)) + 1) / (math.log(abs(c * max(m, threshold)) + 1) + 1e-6)
    weights, shifts = (
        random_streams.normal(seed, "fire hidden", name, shape=(width,)) for name in ("weights", "shifts")
    )
    hidden = torch.relu(torch.tensor(argument, dtype=torch.float64) * weights.double() + shifts.double())
    heads = random_streams.normal(seed, "fire heads", shape=(n_heads, width)).double()
    assert bias == pytest.approx((heads @ hidden).tolist(), rel=1e-6, abs=1e-6)


def test_up_to_the_threshold_distance_alone_counts_and_beyond_it_the_place_too() -> None:
    encoding = pe.encoding("fire", threshold=20.0)
    positions = torch.arange(60)
    bias = encoding.bias(positions, positions, 4)
    assert_close(bias[:, 10, 5], bias[:, 20, 15])
    assert float((bias[:, 25, 5] - bias[:, 50, 30]).abs().max()) > 1e-3
    assert_close(bias[:, 30, 0], bias[:, 50, 0], atol=1e-5, rtol=0)  # as far back as there is anything: always 1
    assert "another bias" in encoding.remark(Context(60))
    assert "another bias" not in encoding.remark(Context(20))


def test_past_the_threshold_it_is_not_said_to_know_distance_alone() -> None:
    session = pe.Session(text="dog bites man", encoding=pe.encoding("fire", threshold=1.0))
    assert pe.measure("meaning", session).value > 1e-4
    assert "mirror image" not in session.encoding.remark(session.scene.context)
    assert "mirror image" in pe.encoding("fire").remark(session.scene.context)
