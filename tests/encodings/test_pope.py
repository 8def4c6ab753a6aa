"""PoPE against x-transformers, and number by number as the paper has it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from layers import random
from torch.testing import assert_close

import posenc_gui as pe
from tools.later import Later

x_transformers = Later("x_transformers.x_transformers")

widths = st.integers(1, 48)
seeds = st.integers(0, 2**31 - 1)


@given(st.integers(1, 40), widths, st.floats(2, 1e6), seeds)
def test_it_is_x_transformers_polar_embedding(length: int, d_head: int, base: float, seed: int) -> None:
    x = random(seed, 1, 1, length, d_head).float()
    frequencies, bias = x_transformers.PolarEmbedding(d_head, 1, base=base)(torch.arange(length))
    assert not bias.any()
    expected = x_transformers.apply_polar_pos_emb(x[0], frequencies)
    ours = pe.encoding("pope", base=base).rotate(x[0], torch.arange(length))
    assert_close(ours, expected, atol=5e-5, rtol=1e-5)


@given(st.integers(0, 1_000_000), st.integers(0, 1000), widths, seeds)
def test_a_score_multiplies_lengths_and_turns_by_the_offset_alone(m: int, offset: int, d_head: int, seed: int) -> None:
    encoding, (query, key) = pe.encoding("pope"), random(seed, 2, d_head)
    expected = sum(
        math.log1p(math.exp(q)) * math.log1p(math.exp(k)) * math.cos(offset * 10_000 ** (-i / d_head))
        for i, (q, k) in enumerate(zip(query.tolist(), key.tolist(), strict=True))
    )
    turned_query = encoding.rotate(query[None], torch.tensor([m + offset]))[0]
    turned_key = encoding.rotate(key[None], torch.tensor([m]), "key")[0]
    assert float(turned_query @ turned_key) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("d_head", [1, 3, 16])
def test_any_head_has_as_many_angles_as_dimensions_and_twice_the_numbers(d_head: int) -> None:
    encoding = pe.encoding("pope")
    assert encoding.angles(torch.arange(5), d_head).shape == (5, d_head)
    assert encoding.rotate(torch.ones(2, 5, d_head), torch.arange(5)).shape == (2, 5, 2 * d_head)
    session = pe.Session(encoding=encoding, model=pe.ToyModel(d_model=2 * d_head, n_heads=2))
    assert pe.attend(session).scores.shape == (2, 6, 6)
