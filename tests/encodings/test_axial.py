"""Axial RoPE against transformers' SAM 2, Qwen2-VL, Pixtral and DINOv3, values of other code, and known properties."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mpmath
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from layers import random
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.patch_positions import PatchPlaces
from posenc_gui.encodings.base import Context
from tools.later import Later

transformers = Later("transformers")
dinov3 = Later("transformers.models.dinov3_vit.modeling_dinov3_vit")
pixtral = Later("transformers.models.pixtral.modeling_pixtral")
qwen2 = Later("transformers.models.qwen2_vl.modeling_qwen2_vl")
sam2 = Later("transformers.models.sam2_video.modeling_sam2_video")

quarters = st.integers(1, 16)
bases = st.floats(2, 1e6)
seeds = st.integers(0, 2**31 - 1)
sides = st.integers(1, 7)


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
    x = random(seed, 1, 2, len(places), d_head).float()
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
    x = random(seed, len(places), 2, d_head).float()
    cos, sin = qwen2.Qwen2VLVisionRotaryEmbedding(config)(x, places)
    expected, _ = qwen2.apply_rotary_pos_emb_vision(x, x, cos, sin)
    ours = pe.encoding("axial", base=base, pairing="half").rotate(x.movedim(1, 0), places)
    assert_close(ours, expected.movedim(0, 1), atol=5e-5, rtol=0)


@given(quarters, sides, sides, bases, seeds)
def test_a_shared_ladder_in_halves_is_pixtral(quarter: int, rows: int, columns: int, base: float, seed: int) -> None:
    d_head, places = 4 * quarter, grid(rows, columns)
    config = transformers.PixtralVisionConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        head_dim=d_head,
        rope_parameters={"rope_type": "axial", "rope_theta": base},
    )
    x = random(seed, 1, 2, len(places), d_head).float()
    cos, sin = pixtral.PixtralVisionRotaryEmbedding(config)(x, places)
    expected, _ = pixtral.apply_rotary_pos_emb(x, x, cos, sin, unsqueeze_dim=0)
    ours = pe.encoding("axial", base=base, pairing="half", ladder="shared").rotate(x, places)
    assert_close(ours, expected.view(x.shape), atol=5e-5, rtol=0)


@given(quarters, sides, sides, bases, seeds)
def test_normalized_in_halves_is_dinov3(quarter: int, rows: int, columns: int, base: float, seed: int) -> None:
    d_head, places = 4 * quarter, grid(rows, columns)
    config = transformers.DINOv3ViTConfig(hidden_size=d_head, num_attention_heads=1, patch_size=16, rope_theta=base)
    picture = torch.zeros(1, 3, 16 * rows, 16 * columns)
    x = random(seed, 1, 2, len(places), d_head).float()
    cos, sin = dinov3.DINOv3ViTRopePositionEmbedding(config).eval()(picture)
    expected, _ = dinov3.apply_rotary_pos_emb(x, x, cos, sin)
    encoding = pe.encoding("axial", base=base, pairing="half", ladder="normalized")
    assert_close(encoding.rotate(x, places), expected, atol=5e-5, rtol=0)
    session = pe.Session(
        text="",
        patches={"rows": rows, "columns": columns, "before": 0},
        encoding=encoding,
        model={"d_model": d_head, "n_heads": 1},
    )
    angles = encoding.angles(session.scene.at(torch.arange(len(places)).double()), d_head, session.scene.context)
    assert_close(angles.sin().float(), sin[:, : d_head // 2], atol=5e-5, rtol=0)


# The sine of each pair at one place, as public code computes it in float32, or in float64 from whole positions.
KNOWN = [
    # baaivision/EVA at 5623d08, EVA-02/asuka/rope.py, VisionRotaryEmbeddingFast(8, pt_seq_len=3), patch (1, 2)
    ({}, (1, 2), (), (0.84147096, 0.09983342, 0.00999983, 0.001, 0.90929741, 0.19866933, 0.01999867, 0.002)),
    # pytorch-image-models at aa4b585, RotaryEmbeddingDinoV3(16, feat_shape=[2, 3], rotate_half=True), patch (1, 2)
    (
        {"ladder": "normalized", "base": 100.0},
        (1, 2),
        (2, 3),
        (0.0, 0.83791882, 0.309017, 0.09918255, -0.86602521, 0.96984929, 0.40673661, 0.13207416),
    ),
    # the same, RotaryEmbeddingCat(16, max_res=10, in_pixels=True, linear_bands=True, feat_shape=[2, 3]): patches (1, 2), (1, 1)
    ({"ladder": "pixel"}, (1, 2), (2, 3), (0.0, 0.86602587, -0.86602563, 0.0) * 2),
    ({"ladder": "pixel"}, (1, 1), (2, 3), (0.0, 0.86602587, -0.86602563, 0.0, 0.0, 0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("parameters", "place", "extents", "sines"), KNOWN)
def test_known_values(
    parameters: dict[str, Any], place: tuple[int, ...], extents: tuple[int, ...], sines: tuple[float, ...]
) -> None:
    context = Context(max(extents, default=3), extents=extents)
    angles = pe.encoding("axial", **parameters).angles(torch.tensor([place]), 16, context)
    assert_close(angles.sin()[0].tolist(), list(sines), atol=2e-6, rtol=0)


def test_three_axes_of_unequal_width_are_flux() -> None:
    """Known values: black-forest-labs/flux at 802fb47, math.py, `rope`, and diffusers at 58eb52c, `FluxPosEmbed`; both agree."""
    known = {
        0: 0.84147096, 1: 0.3109836, 7: 0.00031623, 8: 0.90929741, 9: 0.99137616, 35: 0.0002779, 36: 0.14112, 37: 0.83190709,
        63: 0.00041685,
    }  # fmt: skip
    encoding = pe.encoding("axial", widths=(16, 56, 56))
    sines = encoding.angles(torch.tensor([[1, 2, 3]]), 128).sin()[0]
    assert_close(sines[list(known)].tolist(), list(known.values()), atol=1e-7, rtol=0)
    assert encoding.sections(64) == (8, 28, 28)
    assert encoding.sections(8) == (1, 4, 3)
    assert "in proportion: 1 for time, 4 for rows, 3 for columns" in encoding.remark(Context(6, d_head=16))


@given(st.lists(st.integers(0, 99), min_size=3, max_size=3), st.integers(1, 40))
def test_widths_divide_all_pairs_and_shared_frequencies_take_equal_ones(widths: list[int], half: int) -> None:
    if not any(widths):
        with pytest.raises(ValueError, match="at least one of the widths must be more than 0"):
            pe.encoding("axial", widths=widths)
        return
    encoding = pe.encoding("axial", widths=widths)
    assert sum(encoding.sections(half)) == half
    assert len(encoding.frequencies(2 * half)) == half
    assert encoding.axes == (3 if widths[0] else 2)
    if widths[0] or widths[1] != widths[2]:
        with pytest.raises(ValueError, match="shared frequencies need widths of 0 for time and the same for rows and"):
            pe.encoding("axial", widths=widths, ladder="shared")


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 4), st.integers(0, 30), st.integers(2, 3))
def test_extents_are_one_more_than_the_largest_coordinate_along_each_axis(
    rows: int, columns: int, before: int, count: int, axes: int
) -> None:
    places = PatchPlaces(before, rows, columns)
    largest = places.coordinates(count, axes).amax(0) + 1 if count else torch.zeros(axes)
    assert places.extents(count, axes) == tuple(map(int, largest))


@given(st.integers(1, 40), st.integers(0, 1_000_000), st.integers(0, 1_000_000), st.sampled_from(["one", "shared"]))
def test_waves_are_exact_up_to_a_million_rows_and_columns(half: int, row: int, column: int, ladder: str) -> None:
    angles = pe.encoding("axial", ladder=ladder).angles(torch.tensor([[row, column]]), 2 * half)[0]
    first = (half + 1) // 2
    with mpmath.workdps(40):
        ten = mpmath.mpf(10_000)
        if ladder == "one":
            exact = [row * ten ** (-mpmath.mpf(i) / first) for i in range(first)]
            exact += [column * ten ** (-mpmath.mpf(i) / (half - first)) for i in range(half - first)]
        else:
            exact = [row * ten ** (-mpmath.mpf(i) / half) for i in range(0, half, 2)]
            exact += [column * ten ** (-mpmath.mpf(i) / half) for i in range(1, half, 2)]
        sines = [float(mpmath.sin(a)) for a in exact]
    assert_close(angles.sin().tolist(), sines, atol=3e-7, rtol=0)


@given(quarters, st.integers(0, 1000), st.integers(0, 1000), seeds)
def test_scores_depend_on_the_offsets_of_rows_and_columns_alone(quarter: int, down: int, right: int, seed: int) -> None:
    encoding, d_head = pe.encoding("axial"), 4 * quarter
    query, key = random(seed, 2, 1, d_head)

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


@pytest.mark.parametrize("ladder", ["one", "shared", "normalized", "pixel"])
def test_the_code_turns_a_picture_as_the_explorer_does(ladder: str) -> None:
    encoding, x = pe.encoding("axial", ladder=ladder), random(3, 2, 12, 16).float()
    defined: dict[str, Any] = {}
    exec(encoding.code(64, 4, 16), defined)
    assert_close(defined["rotate"](x, grid(3, 4)), encoding.rotate(x, grid(3, 4)))
