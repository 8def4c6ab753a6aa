"""ALiBi against transformers' BLOOM and MPT, and what a penalty on distance can and can't tell apart."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from tools.later import Later

bloom = Later("transformers.models.bloom.modeling_bloom")
mpt = Later("transformers.models.mpt.modeling_mpt")

head_counts = st.integers(1, 40)
seeds = st.integers(0, 2**31 - 1)
ALIBI = pe.encoding("alibi")
DISTINCT = ["dog", "bites", "man", "near", "the", "old", "house"]


@pytest.mark.parametrize("n_heads", range(1, 41))
def test_slopes_are_blooms_and_mpts(n_heads: int) -> None:
    ours = ALIBI.slopes(n_heads).float()
    assert_close(ours, bloom._get_alibi_slopes(n_heads, torch.device("cpu")), rtol=1e-5, atol=0)
    per_position = mpt.build_mpt_alibi_tensor(n_heads, 2)[:, 0]  # −slope at distance 1, 0 at distance 0
    assert_close(ours, -per_position[:, 0], rtol=1e-6, atol=0)


@given(head_counts, st.integers(1, 64))
def test_a_causal_row_is_blooms_up_to_a_constant(n_heads: int, length: int) -> None:
    theirs = bloom.build_alibi_tensor(torch.ones(1, length, dtype=torch.long), n_heads, torch.float32).double()
    positions = torch.arange(length)
    bias = ALIBI.bias(positions, positions, n_heads, Context(length, causal=True))
    difference = (bias - theirs).tril()
    constant = difference[:, :, :1].expand_as(difference).tril()
    assert_close(difference, constant, atol=1e-5, rtol=1e-5)


@given(head_counts, st.integers(1, 64))
def test_the_last_causal_row_is_mpts(n_heads: int, length: int) -> None:
    bias = ALIBI.bias(torch.tensor([length - 1]), torch.arange(length), n_heads, Context(length, causal=True))
    assert_close(bias.float(), mpt.build_mpt_alibi_tensor(n_heads, length), atol=0, rtol=1e-6)


def test_another_largest_exponent_is_mpts_alibi_bias_max() -> None:
    bias = pe.encoding("alibi", bias_max=4).bias(torch.tensor([9]), torch.arange(10), 12)
    assert_close(bias.float(), mpt.build_mpt_alibi_tensor(12, 10, alibi_bias_max=4), atol=0, rtol=1e-6)


@settings(max_examples=12)
@given(st.integers(1, 8), st.integers(1, 20))
def test_without_content_a_masked_row_is_geometric(n_heads: int, length: int) -> None:
    model = pe.ToyModel(d_model=8 * n_heads, n_heads=n_heads, causal=True, embedding_scale=0)
    result = pe.attend(pe.Session(text="a " * length, encoding=ALIBI, model=model))
    for head, slope in enumerate(ALIBI.slopes(n_heads).tolist()):
        ratio = math.exp(-slope)
        for row in (0, length - 1):
            nearest = (1 - ratio) / (1 - ratio ** (row + 1))
            expected = [nearest * ratio ** (row - key) for key in range(row + 1)]
            assert_close(result.probabilities[head, row, : row + 1].tolist(), expected, atol=1e-6, rtol=1e-5)


def mirror_image_differs(session: pe.Session) -> float:
    """How far the outputs of a sentence are from those of its mirror image, relative to the largest."""
    mirrored = session.changed(text=" ".join(reversed(session.tokens)))
    here, there = pe.attend(session).output, pe.attend(mirrored).output.flip(0)
    return float((here - there).abs().max() / here.abs().max())


@settings(max_examples=12)
@given(st.lists(st.sampled_from(DISTINCT), min_size=1), seeds, st.integers(1, 5))
def test_without_a_mask_a_sentence_and_its_mirror_image_are_one(words: list[str], seed: int, n_heads: int) -> None:
    model = pe.ToyModel(d_model=8 * n_heads, n_heads=n_heads, seed=seed)
    assert mirror_image_differs(pe.Session(text=" ".join(words), encoding=ALIBI, model=model)) < 1e-5
    assert "mirror" in ALIBI.remark(Context(len(words)))
    assert "mirror" not in ALIBI.remark(Context(len(words), causal=True))


@settings(max_examples=12)
@given(st.permutations(DISTINCT), st.integers(2, 7), seeds)
def test_a_causal_mask_tells_a_sentence_from_its_mirror_image(words: list[str], length: int, seed: int) -> None:
    model = pe.ToyModel(seed=seed, causal=True)
    assert mirror_image_differs(pe.Session(text=" ".join(words[:length]), encoding=ALIBI, model=model)) > 1e-3
