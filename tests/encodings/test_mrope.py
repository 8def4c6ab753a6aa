"""M-RoPE against transformers' Qwen2-VL and Qwen3-VL, and the properties it is known for."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from layers import random
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from tools.later import Later

qwen2 = Later("transformers.models.qwen2_vl.modeling_qwen2_vl")
qwen2_vl = Later("transformers.models.qwen2_vl.configuration_qwen2_vl")
qwen3 = Later("transformers.models.qwen3_vl.modeling_qwen3_vl")
qwen3_vl = Later("transformers.models.qwen3_vl.configuration_qwen3_vl")

seeds = st.integers(0, 2**31 - 1)
bases = st.floats(2, 1e7)


def places(seed: int, length: int) -> Tensor:
    """Time, row and column of some tokens: (length, 3)."""
    return torch.randint(0, 300, (length, 3), generator=torch.Generator().manual_seed(seed))


def config_of(kind: type, sections: list[int], base: float, **more: Any) -> Any:
    d_head = 2 * sum(sections)
    rope = {"rope_type": "default", "rope_theta": base, "mrope_section": sections, **more}
    return kind(hidden_size=d_head, num_attention_heads=1, num_key_value_heads=1, head_dim=d_head, rope_parameters=rope)


@given(st.lists(st.integers(1, 20), min_size=3, max_size=3), st.integers(1, 12), bases, seeds)
def test_in_sections_it_is_qwen2_vl(sections: list[int], length: int, base: float, seed: int) -> None:
    x, at = random(seed, 1, 2, length, 2 * sum(sections)).float(), places(seed, length)
    theirs = qwen2.Qwen2VLRotaryEmbedding(config_of(qwen2_vl.Qwen2VLTextConfig, sections, base))
    cos, sin = theirs(x, at.T[:, None])
    expected, _ = qwen2.apply_rotary_pos_emb(x, x, cos, sin)
    ours = pe.encoding("mrope", base=base, mrope_section=sections).rotate(x, at)
    assert_close(ours, expected, atol=1e-4, rtol=0)


@given(st.integers(1, 20), st.integers(0, 20), st.integers(1, 12), bases, seeds)
def test_in_turns_it_is_qwen3_vl(each: int, more: int, length: int, base: float, seed: int) -> None:
    sections = [each + more, each, each]
    x, at = random(seed, 1, 2, length, 2 * sum(sections)).float(), places(seed, length)
    theirs = qwen3.Qwen3VLTextRotaryEmbedding(
        config_of(qwen3_vl.Qwen3VLTextConfig, sections, base, mrope_interleaved=True)
    )
    cos, sin = theirs(x, at.T[:, None])
    expected, _ = qwen3.apply_rotary_pos_emb(x, x, cos, sin)
    ours = pe.encoding("mrope", base=base, mrope_section=sections, mrope_interleaved=True).rotate(x, at)
    assert_close(ours, expected, atol=1e-4, rtol=0)


def test_the_published_sections() -> None:
    assert pe.encoding("mrope").axis(64).tolist() == [0] * 16 + [1] * 24 + [2] * 24
    turns = pe.encoding("mrope", mrope_section=(24, 20, 20), mrope_interleaved=True).axis(64).tolist()
    assert turns == [0, 1, 2] * 20 + [0] * 4


@given(
    st.integers(0, 1_000_000), st.integers(1, 40), st.booleans(),
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)).filter(any),
)  # fmt: skip
def test_where_all_three_are_the_same_it_is_rope(
    position: int, half: int, interleaved: bool, sections: tuple[int, int, int]
) -> None:
    encoding = pe.encoding("mrope", mrope_section=sections, mrope_interleaved=interleaved)
    expected = pe.encoding("rope").angles(torch.tensor([position]), 2 * half)
    assert torch.equal(encoding.angles(torch.tensor([[position] * 3]), 2 * half), expected)
    assert torch.equal(encoding.angles(torch.tensor([position]), 2 * half), expected)
    assert sum(encoding.sections(half)) == half


def test_sections_that_are_not_all_pairs_are_proportions_which_it_says() -> None:
    encoding = pe.encoding("mrope")
    assert encoding.sections(8) == (2, 3, 3)
    assert "in proportion: 2 for time, 3 for rows, 3 for columns" in encoding.remark(Context(6, d_head=16))
    assert "pairs" not in encoding.remark(Context(6, d_head=128))
    with pytest.raises(ValueError, match="at least one section must be more than 0"):
        pe.encoding("mrope", mrope_section=(0, 0, 0))


def test_a_scaling_and_a_fraction_go_with_it() -> None:
    how = {"fraction": 0.5, "scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}}
    at = torch.tensor([7.0])
    assert_close(pe.encoding("mrope", **how).angles(at, 64), pe.encoding("rope", **how).angles(at, 64))
    assert pe.encoding("mrope", **how).attention_factor == pe.encoding("rope", **how).attention_factor


def test_pictures_and_words_in_one_sequence_score_by_offset() -> None:
    encoding = pe.encoding("mrope")
    query, key = random(3, 2, 1, 16)

    def score(shift: int) -> float:
        q, k = torch.tensor([[9, 2, 5]]) + shift, torch.tensor([[4, 1, 0]]) + shift
        return float(encoding.rotate(query, q) @ encoding.rotate(key, k, "key").T)

    assert score(1000) == pytest.approx(score(0), abs=1e-9)
