"""Sandwich against NeMo's formula written out, and how it falls."""

from __future__ import annotations

import math

import mpmath
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe


@settings(max_examples=12)
@given(st.integers(1, 9), st.integers(1, 32), st.integers(0, 1_000_000), st.integers(0, 2000))
def test_it_is_nemos_sum_head_by_head_at_any_place(n_heads: int, half: int, n: int, offset: int) -> None:
    """(sum_k cos(offset / 10000^(2k / D)) − D / 2) / (8 h / H), k and h from 1: NeMo 1.23, exact arithmetic."""
    encoding = pe.encoding("sandwich", width=2 * half)
    bias = encoding.bias(torch.tensor([n + offset]), torch.tensor([n]), n_heads)[:, 0, 0].tolist()
    with mpmath.workdps(30):
        alike = sum(
            mpmath.cos(offset / mpmath.mpf(10_000) ** (mpmath.mpf(2 * k) / (2 * half))) for k in range(1, half + 1)
        )
        expected = [float((alike - half) / (mpmath.mpf(8 * h) / n_heads)) for h in range(1, n_heads + 1)]
    assert bias == pytest.approx(expected, abs=1e-9)


def test_it_falls_about_as_the_logarithm_of_distance() -> None:
    found = pe.encoding("sandwich").bias(torch.tensor([1000]), 1000 - 2 ** torch.arange(10), 8)[0, 0]
    assert (found.diff() < 0).all()
    # As many as turn once, on average, from one distance to its double.
    waves_an_octave = 64 * math.log(2) / math.log(10_000)
    assert float(found.diff()[2:].mean()) == pytest.approx(-waves_an_octave, rel=0.05)
