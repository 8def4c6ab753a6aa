"""Angles in fewer digits: as transformers computes them, bit for bit, and as half precision spoils them."""

from __future__ import annotations

import pytest
import torch

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.figure.runs import quote_runs
from tools.later import Later

transformers = Later("transformers")
rope_utils = Later("transformers.modeling_rope_utils")
llama = Later("transformers.models.llama.modeling_llama")

FAR = torch.tensor([0, 1, 7, 255, 257, 2049, 65_504, 99_999, 131_071, 1_000_000])
HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
@pytest.mark.parametrize("d_head", [64, 96, 128])
def test_float32_is_transformers_bit_for_bit(base: float, d_head: int) -> None:
    config = transformers.LlamaConfig(
        hidden_size=d_head, num_attention_heads=1, rope_parameters={"rope_type": "default", "rope_theta": base}
    )
    theirs = llama.LlamaRotaryEmbedding(config)
    cos, sin = theirs(torch.zeros(1, 1, d_head), FAR[None])
    ours = pe.encoding("rope", base=base, precision="float32")
    waves = ours.waves(ours.angles(FAR, d_head))
    for own, other in zip(waves, (cos, sin), strict=True):
        assert torch.equal(own.float(), other[0, :, : d_head // 2])
    q = torch.randn(2, len(FAR), d_head, generator=torch.Generator().manual_seed(0))
    half = torch.cat((-q[..., d_head // 2 :], q[..., : d_head // 2]), dim=-1)  # what rotate_half makes of it
    assert torch.equal(ours.rotate(q, FAR), q * cos[0] + half * sin[0])


@pytest.mark.parametrize(
    "scaling",
    [
        {"rope_type": "linear", "factor": 3.0},
        {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096},
        {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    ],
    ids=lambda scaling: scaling["rope_type"],
)
def test_float32_with_a_scaling_says_by_how_much_it_is_not(scaling: dict) -> None:
    off = 0.0
    for base in (1e4, 5e5, 1e6, 1e11):
        for d_head in (64, 80, 96, 128):
            config = transformers.LlamaConfig(
                hidden_size=d_head,
                num_attention_heads=1,
                max_position_embeddings=2**17,
                rope_parameters={**scaling, "rope_theta": base},
            )
            theirs, _ = rope_utils.ROPE_INIT_FUNCTIONS[scaling["rope_type"]](config, device="cpu")
            ours = pe.encoding("rope", base=base, scaling=scaling, precision="float32").rounded(d_head, 1)
            off = max(off, float((ours / theirs - 1).abs().max()))
    assert 0 < off < 4e-6
    assert "float32 by up to 4e-06 of their size" in pe.encoding("rope", scaling=scaling, precision="float32").remark(
        Context(100)
    )


@pytest.mark.parametrize("precision", HALVES)
def test_half_precision_rounds_positions_frequencies_and_their_product(precision: str) -> None:
    few, where = HALVES[precision], FAR[FAR <= 65_504]
    encoding = pe.encoding("rope", precision=precision)
    frequencies = (1.0 / (10_000.0 ** (torch.arange(0, 64, 2).float() / 64))).to(few)
    angles = torch.outer(where.to(few), frequencies)
    assert torch.equal(encoding.angles(where, 64), angles.double())
    cos, sin = encoding.waves(encoding.angles(where, 64))
    assert torch.equal(cos, angles.cos().double())
    assert torch.equal(sin, angles.sin().double())


def test_float64_is_what_it_was_and_says_nothing() -> None:
    plain = pe.encoding("rope")
    assert plain.precision == "float64"
    assert plain.remark(Context(10**4)) == pe.encoding("rope", precision="float32").remark(Context(10**4)) == ""
    exact = torch.outer(FAR.double(), 10_000.0 ** (-torch.arange(0, 64, 2).double() / 64))
    assert torch.equal(plain.angles(FAR, 64), exact)


def test_half_precision_says_from_where_on_neighbours_are_one() -> None:
    encoding = pe.encoding("rope", precision="bfloat16")
    assert encoding.remark(Context(256)) == ""
    assert (
        encoding.remark(Context(257)) == "In bf16 whole numbers are exact only up to 256: larger positions are rounded."
    )
    assert torch.equal(*encoding.angles(torch.tensor([256, 257]), 64))
    assert not torch.equal(*encoding.angles(torch.tensor([255, 256]), 64))


def test_the_plot_draws_each_error_and_a_score_that_wanders() -> None:
    figure = pe.plot("precision", pe.Session(encoding="rope", plots={"precision": {"reach": 100_000, "offset": 4}}))
    errors, scores = figure.panels
    ends = {series.label: series for series in errors.series}
    assert list(ends) == ["float32", "bf16", "fp16"]
    assert 1e-4 < ends["float32"].y.max() < 0.008 < 10 < ends["bf16"].y.max()
    assert ends["fp16"].x.max() <= 65_520, "no larger numbers"
    spread = {series.label: float(series.y.max() - series.y.min()) for series in scores.series}
    assert spread["float64"] < 1e-6 < spread["float32"] < 0.01 < spread["bf16"]
    assert quote_runs(figure.headline).startswith("At 512 positions up to 100,000 bf16 makes of a score of")


def test_the_headline_speaks_of_all_positions_where_all_are_drawn() -> None:
    figure = pe.plot("precision", pe.Session(encoding="rope", plots={"precision": {"reach": 300}}))
    assert len(figure.panels[0].series[1].x) <= 301
    assert quote_runs(figure.headline).startswith("Up to position 300 bf16 makes of a score of")


def test_what_has_no_precision_says_so() -> None:
    for encoding in (pe.encoding("sinusoidal"), pe.encoding("xpos"), pe.encoding("rope", fraction=0.0)):
        assert pe.plot("precision", pe.Session(encoding=encoding)).is_note
