"""RoPE's scalings against transformers' ROPE_INIT_FUNCTIONS and rotary-embedding-torch, and what is known of each."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import mpmath
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.layer import Layer, Prompt
from posenc_gui.encodings.base import Context
from posenc_gui.foundation.errors import Undefined
from tools.later import Later

rotary = Later("rotary_embedding_torch")
transformers = Later("transformers")
rope_utils = Later("transformers.modeling_rope_utils")

halves = st.integers(2, 48)
bases = st.floats(2, 1e7)
factors = st.floats(1, 64)
trained = st.integers(2, 200_000)
shorter = st.integers(1, 300_000)
POSITION = torch.tensor([1.0])


def rope(base: float = 10_000.0, fraction: float = 1.0, **scaling: Any) -> pe.encoding:
    return pe.encoding("rope", base=base, fraction=fraction, scaling=scaling)


def ours(encoding: pe.encoding, d_head: int, length: int = 1) -> Tensor:
    """The frequencies: the angles at position 1."""
    return encoding.angles(POSITION, d_head, Context(length))[0]


def theirs(
    base: float, d_head: int, length: int | None = None, max_position_embeddings: int = 4096, **scaling: Any
) -> tuple[Tensor, float]:
    """transformers' frequencies, float32, and attention factor."""
    config = transformers.LlamaConfig(
        hidden_size=d_head,
        num_attention_heads=1,
        head_dim=d_head,
        max_position_embeddings=max_position_embeddings,
        rope_parameters={"rope_theta": base, **scaling},
    )
    return rope_utils.ROPE_INIT_FUNCTIONS[scaling["rope_type"]](config, device="cpu", seq_len=length)


@pytest.mark.parametrize("rope_type", ["linear", "dynamic", "longrope"])
@given(bases, halves, factors, trained, shorter, st.data())
def test_it_is_transformers_at_any_length(
    rope_type: str, base: float, half: int, factor: float, trained: int, length: int, data: st.DataObject
) -> None:
    scaling: dict[str, Any] = {"rope_type": rope_type, "factor": factor}
    known = {} if rope_type == "linear" else {"original_max_position_embeddings": trained}
    if rope_type == "longrope":
        lists = st.lists(st.floats(0.5, 100), min_size=half, max_size=half)
        scaling |= {"short_factor": data.draw(lists), "long_factor": data.draw(lists), **known}
    encoding = rope(base, **{**scaling, **known})
    expected, attention_factor = theirs(base, 2 * half, length, trained, **scaling)
    assert_close(ours(encoding, 2 * half, length).float(), expected, rtol=3e-5, atol=0)  # theirs are float32 throughout
    assert encoding.attention_factor == pytest.approx(attention_factor, rel=1e-12)


@given(
    base=bases,
    half=halves,
    factor=factors,
    trained=trained,
    slow=st.floats(0.1, 10),
    more=st.floats(0.1, 100),
    truncate=st.booleans(),
    optional=st.fixed_dictionaries(
        {},
        optional={"attention_factor": st.floats(0.1, 10), "mscale": st.floats(0, 2), "mscale_all_dim": st.floats(0, 2)},
    ),
)
def test_yarn_is_transformers(
    base: float,
    half: int,
    factor: float,
    trained: int,
    slow: float,
    more: float,
    truncate: bool,
    optional: dict[str, float],
) -> None:
    scaling = {
        "rope_type": "yarn",
        "factor": factor,
        "original_max_position_embeddings": trained,
        "beta_fast": slow + more,
        "beta_slow": slow,
        "truncate": truncate,
        **optional,
    }
    encoding = rope(base, **scaling)
    low, high = encoding.scaling.bounds(base, 2 * half)
    slack = 0 if truncate else 1e-5 * factor / abs(high - low)  # theirs has the blend in float32, too
    expected, attention_factor = theirs(base, 2 * half, **scaling)
    assert_close(ours(encoding, 2 * half).float(), expected, rtol=3e-5 + slack, atol=0)
    assert encoding.attention_factor == pytest.approx(attention_factor, rel=1e-12)


@given(bases, halves, factors, trained, st.floats(0.1, 10), st.floats(0.1, 100))
def test_llama3_is_transformers(base: float, half: int, factor: float, trained: int, low: float, more: float) -> None:
    scaling = {
        "rope_type": "llama3",
        "factor": factor,
        "original_max_position_embeddings": trained,
        "low_freq_factor": low,
        "high_freq_factor": low + more,
    }
    encoding = rope(base, **scaling)
    expected = theirs(base, 2 * half, **scaling)
    # At a steep blend theirs, in float32, is as far off as the turns' rounding is in the blend's width.
    slack = 3e-5 + 3e-6 * (low + more) / more * factor
    assert_close(ours(encoding, 2 * half).float(), expected[0], rtol=slack, atol=0)
    assert encoding.attention_factor == expected[1] == 1


@given(bases, halves, st.integers(0, 48), st.floats(1, 8))
def test_proportional_is_transformers(base: float, half: int, turned: int, factor: float) -> None:
    share = min(turned, half) / half
    scaling = {"rope_type": "proportional", "partial_rotary_factor": share, "factor": factor}
    encoding = rope(base, **scaling)
    found, (expected, _) = ours(encoding, 2 * half), theirs(base, 2 * half, **scaling)
    if int(share * 2 * half // 2) == min(turned, half):  # transformers rounds down where it falls short by a hair
        assert_close(found.float(), expected, rtol=3e-5, atol=0)
    assert int((found != 0).sum()) == min(turned, half)


@given(st.floats(1.5, 1e6), st.integers(2, 32), factors)
def test_ntk_is_rotary_embedding_torchs_rescale_factor(base: float, half: int, factor: float) -> None:
    expected = rotary.RotaryEmbedding(dim=2 * half, theta=base, theta_rescale_factor=factor).freqs
    assert_close(
        ours(rope(base, rope_type="ntk", factor=factor), 2 * half).float(), expected.detach(), rtol=3e-5, atol=0
    )


@given(bases, halves, factors)
def test_ntk_keeps_the_fastest_pair_and_slows_the_slowest_by_the_factor(base: float, half: int, factor: float) -> None:
    before, after = pe.encoding("rope", base=base), rope(base, rope_type="ntk", factor=factor)
    ratio = ours(before, 2 * half) / ours(after, 2 * half)
    assert float(ratio[0]) == 1
    assert float(ratio[-1]) == pytest.approx(factor, rel=1e-12)


# --- What is known of models


@pytest.mark.parametrize(
    ("base", "d_head", "scaling", "kept", "slowed"),
    [
        (1e4, 128, {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096}, 20, 46),  # LLaMA 2
        (1e6, 128, {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, 23, 40),  # Qwen2.5
        (5e5, 128, {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}, 28, 35),
    ],
)
def test_which_pairs_are_kept_and_which_are_slowed(
    base: float, d_head: int, scaling: dict[str, Any], kept: int, slowed: int
) -> None:
    ratio = ours(pe.encoding("rope", base=base), d_head) / ours(rope(base, **scaling), d_head)
    assert (ratio[: kept + 1] == 1).all()
    assert_close(ratio[slowed:], torch.full_like(ratio[slowed:], scaling["factor"]), rtol=1e-12, atol=0)
    between = ratio[kept : slowed + 1].tolist()
    assert all(a < b for a, b in pairwise(between))


def test_yarn_by_turns_is_the_papers_ramp_and_not_the_codes() -> None:
    scaling = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096}
    paper, code = (ours(rope(**scaling, ramp=ramp), 128) for ramp in ("turns", "index"))
    for i in range(64):
        theta = 10_000 ** (-2 * i / 128)
        turns = 4096 * theta / (2 * math.pi)
        gamma = 0 if turns < 1 else 1 if turns > 32 else (turns - 1) / (32 - 1)
        assert float(paper[i]) == pytest.approx((1 - gamma) * theta / 16 + gamma * theta, rel=1e-12)
    assert float((paper / code - 1).abs().max()) > 0.5


@pytest.mark.parametrize(
    ("scaling", "factor"),
    [
        ({"rope_type": "yarn", "factor": 4.0}, 1.13862944),
        ({"rope_type": "yarn", "factor": 16.0}, 1.27725887),
        ({"rope_type": "yarn", "factor": 1.0}, 1.0),
        ({"rope_type": "yarn", "factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0}, 1.0),  # DeepSeek-V3
        ({"rope_type": "longrope", "factor": 32.0}, 1.19023807),  # Phi-3
        ({"rope_type": "longrope", "factor": 1.0}, 1.0),
        ({"rope_type": "longrope", "attention_factor": 2.5}, 2.5),
        ({"rope_type": "linear"}, 1.0),
        ({"rope_type": "llama3"}, 1.0),
    ],
)
def test_attention_factors_are_the_published_ones(scaling: dict[str, Any], factor: float) -> None:
    assert rope(**scaling).attention_factor == pytest.approx(factor, abs=1e-8)


def test_the_attention_factor_is_in_the_scores_squared_and_not_in_the_angles() -> None:
    plain, scaled = rope(rope_type="linear", factor=1.0), rope(rope_type="yarn", factor=1.0, attention_factor=3.0)
    assert_close(ours(plain, 16), ours(scaled, 16))
    layers = [Layer.over(Prompt(("a", "b", "c"), pe.ToyModel(), one)) for one in (plain, scaled)]
    dots = [layer.turned_queries @ layer.turned_keys.mT for layer in layers]
    assert_close(dots[1], 9 * dots[0])


def test_a_fraction_scales_the_turned_part_alone() -> None:
    scaled = rope(fraction=0.5, rope_type="yarn", factor=4.0)
    assert_close(ours(scaled, 32)[:8], ours(rope(rope_type="yarn", factor=4.0), 16))
    x = torch.ones(1, 32, dtype=torch.float64)
    assert_close(scaled.rotate(x, torch.tensor([5]))[:, 16:], x[:, 16:])


def test_dynamic_waits_for_the_trained_length_and_then_moves_all_pairs() -> None:
    encoding, plain = rope(rope_type="dynamic", factor=4.0), ours(pe.encoding("rope"), 128)
    assert torch.equal(ours(encoding, 128, 4096), plain)
    moved = plain / ours(encoding, 128, 4097) - 1
    assert float(moved[0]) == 0
    assert float(moved[-1]) == pytest.approx(4 / 4096, rel=1e-2)
    session = pe.Session(text="a b c", encoding=encoding)
    assert "changes nothing within" in encoding.remark(Context(3))
    assert_close(pe.attend(session).scores, pe.attend(session.changed(encoding="rope")).scores)


def test_longrope_without_its_lists_says_where_they_come_from() -> None:
    for lists in ({}, {"short_factor": [1.0] * 8}, {"short_factor": [1.0] * 8, "long_factor": [2.0] * 9}):
        encoding = rope(rope_type="longrope", **lists)
        with pytest.raises(Undefined, match=r"short_factor and long_factor of 8 numbers each.*config\.json"):
            encoding.angles(POSITION, 16)
        figure = pe.plot("attention", pe.Session(encoding=encoding))
        assert "LongRoPE needs short_factor" in figure.panels[0].text


def test_longrope_s_code_has_its_lists_where_they_fit() -> None:
    short, long = [1 + i / 100 for i in range(48)], [1 + i for i in range(48)]
    encoding = rope(rope_type="longrope", short_factor=short, long_factor=long, original_max_position_embeddings=100)
    code = encoding.code(96, 1, 96)
    assert len(code.splitlines()) <= 30
    defined: dict[str, Any] = {}
    exec(code, defined)
    x = torch.randn(3, 96, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for positions in (torch.tensor([0, 50, 99]), torch.tensor([0, 50, 100]), torch.tensor([5, 1000, 100_000])):
        assert_close(defined["rotate"](x, positions), encoding.rotate(x, positions), atol=1e-9, rtol=0)
    noisy = [one + 1e-9 for one in short]  # as configs print float32
    assert "1.47" in rope(rope_type="longrope", short_factor=noisy, long_factor=long).code(96, 1, 96)


SCALINGS = [
    {"rope_type": "linear"},
    {"rope_type": "ntk", "factor": 1000.0},
    {"rope_type": "dynamic", "original_max_position_embeddings": 2},
    {"rope_type": "yarn", "factor": 1000.0},
    {"rope_type": "llama3"},
    {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    {"rope_type": "longrope", "short_factor": [1.5] * 8, "long_factor": [2.5] * 8},
]


@pytest.mark.parametrize("scaling", SCALINGS, ids=lambda scaling: scaling["rope_type"])
@settings(max_examples=6)
@given(position=st.integers(0, 1_000_000), base=st.floats(1.5, 1e9))
def test_waves_are_exact_up_to_position_one_million(scaling: dict[str, Any], position: int, base: float) -> None:
    encoding, context = rope(base, **scaling), Context(1_000_001)
    angles = encoding.angles(torch.tensor([position]), 16, context)[0]
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(one)) * position for one in encoding.frequencies(16, context.length)]
        cosines, sines = [float(mpmath.cos(a)) for a in exact], [float(mpmath.sin(a)) for a in exact]
    assert_close(angles.cos().tolist(), cosines, atol=3e-7, rtol=0)
    assert_close(angles.sin().tolist(), sines, atol=3e-7, rtol=0)


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        ({"rope_type": "llama"}, "did you mean 'llama3'"),
        (
            {"factor": 2.0},
            "rope_type must be given: allowed are linear, ntk, dynamic, yarn, longrope, llama3 and proportional",
        ),
        ({"rope_type": "yarn", "facto": 2.0}, "scaling: there is no field 'facto' (did you mean 'factor'?)"),
        ({"rope_type": "linear", "factor": 0.5}, "scaling.factor: should be at least 1"),
        ({"rope_type": "yarn", "beta_fast": 0.5}, "beta_fast must be at least beta_slow, 1, not 0.5"),
        (
            {"rope_type": "llama3", "high_freq_factor": 0.5},
            "high_freq_factor must be at least low_freq_factor, 1, not 0.5",
        ),
        ({"rope_type": "longrope", "long_factor": [0.0]}, "should be at least 0.001"),
    ],
)
def test_what_no_scaling_is_is_refused_in_one_line(scaling: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        pe.encoding("rope", scaling=scaling)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_yarn_needs_pairs_that_turn_at_different_speeds() -> None:
    with pytest.raises(ValueError, match="YaRN needs a base of more than 1, not 1"):
        rope(1.0, rope_type="yarn")


@pytest.mark.parametrize("base", [1.0, 1e9])
@pytest.mark.parametrize("scaling", SCALINGS, ids=lambda scaling: scaling["rope_type"])
def test_the_smallest_and_the_largest_base_and_head_give_numbers(scaling: dict[str, Any], base: float) -> None:
    if scaling["rope_type"] == "yarn" and base == 1:
        return  # refused
    for d_head in (16,) if scaling["rope_type"] == "longrope" else (2, 4, 512):
        frequencies = ours(rope(base, **scaling), d_head, 1_000_000)
        assert torch.isfinite(frequencies).all()
        assert (frequencies >= 0).all()


@pytest.mark.parametrize(
    ("scaling", "theta", "terms"),
    [
        ({"rope_type": "linear", "factor": 4.0}, "/ s", ["s = 4"]),
        ({"rope_type": "dynamic", "factor": 4.0}, r"t^{r/(r-2)}", [r"t = 4\; \ell / 4096 - 3,"]),
        ({"rope_type": "yarn", "factor": 4.0}, r"(1 - \kappa_i) / s", ["s = 4, ", "times}\\; 1.139"]),
        ({"rope_type": "proportional"}, "/ s", [r"i \geq 0.25\; r / 2"]),
    ],
)
def test_the_formula_is_the_scaled_one(scaling: dict[str, Any], theta: str, terms: list[str]) -> None:
    for name in ("rope", "mrope"):
        plain, scaled = (pe.encoding(name, scaling=one).own_equations for one in (None, scaling))
        assert plain == pe.encoding(name).equations
        assert theta in scaled.where[0]
        assert scaled.query == plain.query
        for one, line in zip(terms, scaled.where[1:], strict=True):
            assert one in line


@pytest.mark.parametrize("pairs", [4, 8, 12, 16, 24, 32])
def test_lists_of_factors_are_code_of_88_letters_a_line(pairs: int) -> None:
    factors = [1 + at / 7 for at in range(pairs)]
    scaling = {"rope_type": "longrope", "short_factor": factors, "long_factor": factors}
    code = pe.encoding("rope", scaling=scaling).code(4 * pairs, 2, 2 * pairs)
    assert max(map(len, code.splitlines())) <= 88
