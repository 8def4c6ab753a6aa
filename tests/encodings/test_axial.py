"""Axial RoPE against transformers' SAM 3 and Pixtral, and the properties it is known for."""

from __future__ import annotations

from types import SimpleNamespace

import mpmath
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close
from transformers import PixtralVisionConfig
from transformers.models.pixtral import modeling_pixtral as pixtral
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2
from transformers.models.sam2_video import modeling_sam2_video as sam2

import posenc_gui as pe

quarters = st.integers(1, 16)
bases = st.floats(2, 1e6)
seeds = st.integers(0, 2**31 - 1)
sides = st.integers(1, 7)


def random(seed: int, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def grid(rows: int, columns: int) -> Tensor:
    """Row and column of each patch, row by row: (rows · columns, 2)."""
    return torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).view(-1, 2)


@given(quarters, sides, sides, bases, seeds)
def test_one_ladder_interleaved_is_sam_2(quarter: int, rows: int, columns: int, base: float, seed: int) -> None:
    d_head, places = 4 * quarter, grid(rows, columns)
    rope = {"rope_type": "axial", "rope_theta": base}
    config = SimpleNamespace(
        rope_parameters=rope, memory_attention_hidden_size=d_head, memory_attention_num_attention_heads=1,
        memory_attention_downsample_rate=1,
    )  # fmt: skip
    x = random(seed, 1, 2, len(places), d_head)
    cos, sin = sam2.Sam2VideoVisionRotaryEmbedding(config)(x, places)
    expected, _ = sam2.apply_rotary_pos_emb_2d(x, x, cos, sin)
    assert_close(pe.encoding("axial", base=base).rotate(x, places), expected, atol=5e-5, rtol=0)


@given(quarters, sides, sides, bases, seeds)
def test_one_ladder_in_halves_is_qwen2_vls_vision_encoder(
    quarter: int, rows: int, columns: int, base: float, seed: int
) -> None:
    d_head, places = 4 * quarter, grid(rows, columns)
    rope = {"rope_type": "axial", "rope_theta": base}
    config = SimpleNamespace(rope_parameters=rope, head_dim=d_head)
    x = random(seed, len(places), 2, d_head)
    cos, sin = qwen2.Qwen2VLVisionRotaryEmbedding(config)(x, places)
    expected, _ = qwen2.apply_rotary_pos_emb_vision(x, x, cos, sin)
    ours = pe.encoding("axial", base=base, pairing="half").rotate(x.movedim(1, 0), places)
    assert_close(ours, expected.movedim(0, 1), atol=5e-5, rtol=0)


@given(quarters, sides, sides, bases, seeds)
def test_a_shared_ladder_in_halves_is_pixtral(quarter: int, rows: int, columns: int, base: float, seed: int) -> None:
    d_head, places = 4 * quarter, grid(rows, columns)
    config = PixtralVisionConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        head_dim=d_head,
        rope_parameters={"rope_type": "axial", "rope_theta": base},
    )
    x = random(seed, 1, 2, len(places), d_head)
    cos, sin = pixtral.PixtralVisionRotaryEmbedding(config)(x, places)
    expected, _ = pixtral.apply_rotary_pos_emb(x, x, cos, sin, unsqueeze_dim=0)
    ours = pe.encoding("axial", base=base, pairing="half", ladder="shared").rotate(x, places)
    assert_close(ours, expected.view(x.shape), atol=5e-5, rtol=0)


@given(st.integers(1, 40), st.integers(0, 1_000_000), st.integers(0, 1_000_000), st.sampled_from(["one", "shared"]))
def test_waves_are_exact_up_to_a_million_rows_and_columns(half: int, row: int, column: int, ladder: str) -> None:
    angles = pe.encoding("axial", ladder=ladder).angles(torch.tensor([[row, column]]), 2 * half)[0]
    first = (half + 1) // 2
    with mpmath.workdps(40):
        ten = mpmath.mpf(10_000)
        if ladder == "one":
            exact = [row * ten ** (-mpmath.mpf(i) / first) for i in range(first)]
            exact += [column * ten ** (-mpmath.mpf(i) / first) for i in range(half - first)]
        else:
            exact = [row * ten ** (-mpmath.mpf(i) / half) for i in range(0, half, 2)]
            exact += [column * ten ** (-mpmath.mpf(i) / half) for i in range(1, half, 2)]
        sines = [float(mpmath.sin(a)) for a in exact]
    assert_close(angles.sin().tolist(), sines, atol=3e-7, rtol=0)


@given(quarters, st.integers(0, 1000), st.integers(0, 1000), seeds)
def test_scores_depend_on_the_offsets_of_rows_and_columns_alone(quarter: int, down: int, right: int, seed: int) -> None:
    encoding, d_head = pe.encoding("axial"), 4 * quarter
    query, key = random(seed, 2, 1, d_head, dtype=torch.float64)

    def score(q: list[int], k: list[int]) -> float:
        turned = encoding.rotate(query, torch.tensor([q])), encoding.rotate(key, torch.tensor([k]), "key")
        return float(turned[0] @ turned[1].T)

    near = score([3, 9], [5, 2])
    assert score([3 + down, 9 + right], [5 + down, 2 + right]) == pytest.approx(near, abs=1e-7)


def test_the_row_does_not_turn_the_columns_pairs() -> None:
    angles = pe.encoding("axial").angles(torch.tensor([[5, 0], [0, 5]]), 16)
    assert angles[0, :4].all()
    assert not angles[0, 4:].any()
    assert_close(angles[1, 4:], angles[0, :4])
    assert not angles[1, :4].any()
    assert_close(pe.encoding("axial").angles(torch.tensor([5]), 16)[0], angles.sum(0))
