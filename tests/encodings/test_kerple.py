"""KERPLE against its authors' kernels, written out pair by pair, and what is known of it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context

kernels = st.sampled_from(["logarithmic", "power"])


@settings(max_examples=12)
@given(kernels, st.integers(1, 8), st.integers(1, 30), st.integers(0, 10_000), st.booleans())
def test_it_is_the_authors_kernel_pair_by_pair(kernel: str, n_heads: int, length: int, seed: int, causal: bool) -> None:
    """megatron/mpu/layers.py: −p log(1 + a |m − n|) (ParallelKerpleLog) and −a |m − n|^p (ParallelKerplePower)."""
    encoding, context = pe.encoding("kerple", kernel=kernel), Context(length, causal, n_heads, seed=seed)
    a, p = (one.tolist() for one in encoding.numbers(n_heads, context))
    bias = encoding.bias(torch.arange(length), torch.arange(length), n_heads, context)
    for h in range(n_heads):
        for m in range(length):
            for n in range(m + 1):
                expected = -p[h] * math.log(1 + a[h] * (m - n)) if kernel == "logarithmic" else -a[h] * (m - n) ** p[h]
                assert float(bias[h, m, n]) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(kernels, st.integers(1, 64), st.integers(0, 10_000))
def test_its_numbers_lie_where_its_authors_code_begins_and_is_clamped(kernel: str, n_heads: int, seed: int) -> None:
    a, p = pe.encoding("kerple", kernel=kernel).numbers(n_heads, Context(1, seed=seed))
    assert 0.0099 <= float(a.min()) <= float(a.max()) <= 1
    assert 0.0099 <= float(p.min()) <= float(p.max()) <= 2


@given(kernels, st.integers(0, 1_000_000), st.integers(0, 1_000_000))
def test_it_falls_with_distance_alone_up_to_a_million(kernel: str, m: int, shift: int) -> None:
    encoding = pe.encoding("kerple", kernel=kernel)
    queries, keys = torch.tensor([m]), torch.tensor([0, m // 2, m])
    bias = encoding.bias(queries, keys, 4)[:, 0]
    assert torch.isfinite(bias).all()
    assert not bias[:, -1].any()
    assert (bias.diff(dim=-1) >= 0).all()
    assert_close(encoding.bias(queries + shift, keys + shift, 4)[:, 0], bias)
