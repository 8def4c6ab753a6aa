"""Fourier features against the paper's formula written out, and against their kernel."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.foundation import random_streams

seeds = st.integers(0, 2**31 - 1)


@given(st.integers(0, 1_000_000), st.integers(1, 1_000_001), st.integers(1, 40), st.floats(0.01, 1000), seeds)
def test_columns_are_cosines_and_sines_of_two_pi_b_v(
    position: int, span: int, d_model: int, std: float, seed: int
) -> None:
    """As in the paper's notebook: concatenate cos(2π v Bᵀ) and sin(2π v Bᵀ), B normal numbers times the deviation."""
    context = Context(length=7, seed=seed)
    found = pe.encoding("fourier", std=std, span=span).vectors(torch.tensor([position]), d_model, context)[0].tolist()
    drawn = random_streams.normal(seed, "fourier frequencies", shape=(d_model // 2,)).tolist()
    angles = [2 * math.pi * std * b * position / span for b in drawn]
    expected = [math.cos(a) for a in angles] + [math.sin(a) for a in angles] + [0.0] * (d_model % 2)
    assert found == pytest.approx(expected, abs=1e-12 * max(1.0, *map(abs, angles)) if angles else 0)


def test_layouts_are_the_same_columns_in_another_order() -> None:
    positions = torch.arange(9)
    cosine, sine, mixed = (
        pe.encoding("fourier", layout=layout).vectors(positions, 8)
        for layout in ("cosine_first", "sine_first", "interleaved")
    )
    assert_close(sine, torch.cat((cosine[:, 4:], cosine[:, :4]), dim=1))
    assert_close(mixed, torch.stack((cosine[:, :4], cosine[:, 4:]), dim=-1).flatten(1))


def test_with_many_frequencies_the_dot_product_is_gaussian() -> None:
    encoding = pe.encoding("fourier", std=2.0, span=100)
    vectors = encoding.vectors(torch.arange(30), 60_000)
    found = (vectors @ vectors[0] / 30_000).tolist()
    expected = [math.exp(-2 * (math.pi * 2.0 * m / 100) ** 2) for m in range(30)]
    assert found == pytest.approx(expected, abs=0.02)


def test_without_a_span_it_is_the_sentences_length_and_the_seed_is_said() -> None:
    encoding = pe.encoding("fourier")
    one, other = (encoding.vectors(torch.tensor([3]), 8, Context(length)) for length in (6, 12))
    assert_close(one, encoding.vectors(torch.tensor([6]), 8, Context(12)))
    assert not torch.allclose(one, other)
    assert "seed 5" in encoding.remark(Context(6, seed=5))
    for std, is_said in ((4.0, False), (5.0, True)):  # half of all frequencies lie within 0.67 deviations
        assert ("unrelated" in pe.encoding("fourier", std=std).remark(Context(6))) == is_said
