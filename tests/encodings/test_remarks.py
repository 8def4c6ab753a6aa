"""What a user must know shows where parameters, length, mask and shape run into it, and not before."""

from __future__ import annotations

import math
from typing import Any

import pytest

import posenc_gui as pe
from posenc_gui.encodings.base import Context
from posenc_gui.encodings.common.strength import at_strength

LISTS = {"short_factor": (1.0,) * 8, "long_factor": (2.0,) * 8}


@pytest.mark.parametrize(
    ("name", "parameters", "context", "said"),
    [
        ("integer", {}, {"length": 100}, "adds 99 to every dimension"),
        ("normalized", {}, {}, "depends on how many positions there are, here 6"),
        ("one_hot", {}, {}, "Any two positions are equally far apart"),
        ("binary", {}, {"length": 9}, "From 7 to 8 every bit"),
        ("fourier", {"std": 10.0}, {}, "more than half a turn from one position to the next"),
        ("sinusoidal", {"layout": "concatenated"}, {}, "trained with another layout or spacing don't fit"),
        ("sinusoidal", {"spacing": "tensor2tensor"}, {}, "trained with another layout or spacing don't fit"),
        ("learned", {}, {}, "untrained: seeded random rows (seed 7)"),
        ("sinusoidal", {"base": 10.0}, {"length": 64}, "By position 63 even the slowest"),
        ("rope", {"base": 1.0}, {"length": 8}, "By position 7 even the slowest"),
        ("rope", {"fraction": 0.05}, {}, "The fraction 0.05 of 16 dimensions holds no pair"),
        ("rope", {"fraction": 0.5}, {}, "The 4 turned pairs have frequencies from the base's whole range"),
        ("rope", {"pairing": "interleaved"}, {}, "only if the rows of W_q and W_k are reordered"),
        ("rope", {"scaling": {"rope_type": "longrope"}}, {}, "as a model's config.json has them"),
        ("rope", {"scaling": {"rope_type": "longrope", **LISTS}}, {"length": 5000}, "long_factor is in use"),
        ("rope", {"scaling": {"rope_type": "dynamic"}}, {}, "The scaling changes nothing within 4,096"),
        ("rope", {"scaling": {"rope_type": "dynamic"}}, {"length": 5000}, "keys that were turned before no longer fit"),
        ("rope", {"scaling": {"rope_type": "yarn"}}, {}, "the attention factor's square, 1.296"),
        ("rope", {"scaling": {"rope_type": "llama3"}}, {}, "changes texts as short as this one, too"),
        ("rope", {"scaling": {"rope_type": "ntk"}}, {}, "Only the slowest pair turns 4 times slower"),
        ("rope", {"scaling": {"rope_type": "yarn", "ramp": "turns"}}, {}, "Released models blend by the pair's index"),
        ("rope", {"scaling": {"rope_type": "longrope", **LISTS}}, {}, "the attention factor's square, 1.417"),
        ("rope", {"scaling": {"rope_type": "proportional"}}, {}, "The fastest pairs keep their frequencies"),
        ("rope", {"precision": "float32"}, {"length": 100_000}, "off by up to about 0.01 radians"),
        ("rope", {"precision": "bfloat16"}, {"length": 300}, "In bf16 whole numbers are exact only up to 256"),
        ("xpos", {}, {}, "meant for a causal mask"),
        ("alibi", {}, {"n_heads": 12, "causal": True}, "Of 12 heads, which are no power of two, the first 8 have"),
        ("t5", {}, {"length": 200}, "Keys 91 and more positions before a query share the last bucket"),
        ("t5", {"bidirectional": False}, {"length": 200}, "Keys 113 and more positions before a query"),
        ("shaw", {}, {"length": 18}, "Offsets of more than 16 share the row of 16"),
        ("shaw", {}, {}, "no score shows them"),
        ("deberta", {}, {"length": 600}, "From 131 positions apart on, offsets begin to share rows"),
        ("deberta", {"log_buckets": False}, {"length": 600}, "From 255 positions apart on"),
        ("fire", {}, {"length": 513}, "From position 512 on the same distance has another bias"),
        ("cope", {}, {"length": 65, "causal": True}, "Counts from 63 on share the last row"),
        ("inkling", {}, {"length": 1025, "causal": True}, "Keys 1,024 and more positions back get nothing"),
    ],
)
def test_a_trap_is_told_where_it_is_met(
    name: str, parameters: dict[str, Any], context: dict[str, Any], said: str
) -> None:
    told = pe.encoding(name, **parameters).remark(
        Context(**{"length": 6, "n_heads": 4, "d_head": 16, "seed": 7} | context)
    )
    assert said in told
    assert told[0].isupper()
    assert told.endswith(".")


@pytest.mark.parametrize(
    ("name", "parameters", "strength", "length", "said"),
    [
        ("integer", {}, 0.25, 4, "adds 0.75 to every dimension"),
        (
            "rope",
            {"scaling": {"rope_type": "linear", "factor": 3}},
            0.25,
            6,
            "12 times slower, so neighbours are 0.0833",
        ),
        ("rope", {"scaling": {"rope_type": "ntk"}}, 0.5, 6, "Only the slowest pair turns 8 times slower"),
        ("rope", {"scaling": {"rope_type": "yarn"}}, 0.5, 6, "the attention factor's square, 1.143"),
        ("rope", {"base": 1.0}, 0.5, 14, "By position 13 even the slowest"),
        ("rope", {"precision": "float32"}, 0.25, 1_000_000, "off by up to about 0.03 radians"),
        (
            "alibi",
            {},
            0.5,
            6,
            "The steepest slope here is 0.002: even from end to end of this sentence a score loses at most 0.01",
        ),
    ],
)
def test_numbers_are_those_at_the_strength(
    name: str, parameters: dict[str, Any], strength: float, length: int, said: str
) -> None:
    encoding, context = at_strength(pe.encoding(name, **parameters), strength), Context(length, True, 1, 16)
    assert said in encoding.remark(context)
    assert at_strength(encoding, 0.0).remark(context) == ""


@pytest.mark.parametrize("name", ["sinusoidal", "rope", "xpos", "one_hot", "integer"])
def test_where_there_is_nothing_to_tell_nothing_is_told(name: str) -> None:
    assert pe.encoding(name).remark(Context(2, True, 4, 16)) == ""


def test_most_waves_of_random_frequencies_are_too_fast_where_it_is_told() -> None:
    context = Context(64, seed=7)
    for std in (16.0, 40.0, 47.0, 48.0, 100.0):
        encoding = pe.encoding("fourier", std=std)
        turns = encoding.frequencies(20_000, context).abs() / (2 * math.pi)
        assert ("Most waves" in encoding.remark(context)) == (float((turns > 0.5).double().mean()) > 0.5)


@pytest.mark.parametrize(
    ("name", "parameters"), [("t5", {}), ("shaw", {}), ("deberta", {}), ("cope", {}), ("inkling", {})]
)
def test_a_far_end_is_told_only_where_it_is_reached(name: str, parameters: dict[str, Any]) -> None:
    told = pe.encoding(name, **parameters).remark(Context(6, True, 4, 16))
    assert not any(word in told for word in ("share", "nothing", "bucket:"))
