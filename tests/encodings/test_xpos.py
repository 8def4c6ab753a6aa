"""xPos against rotary-embedding-torch, and pair by pair as the paper has it."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from layers import random
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.foundation.errors import Undefined
from tools.later import Later

rotary = Later("rotary_embedding_torch")

halves = st.integers(2, 32)
seeds = st.integers(0, 2**31 - 1)


@given(st.integers(1, 60), halves, st.floats(2, 1e6), st.integers(8, 2000), seeds)
def test_scores_are_rotary_embedding_torchs(length: int, half: int, base: float, scale_base: int, seed: int) -> None:
    """Its positions begin in the middle of the sequence, which both sides share."""
    queries, keys = random(seed, 2, 1, 1, length, 2 * half)
    theirs = rotary.RotaryEmbedding(dim=2 * half, theta=base, use_xpos=True, xpos_scale_base=scale_base)
    with torch.no_grad():
        turned_queries, turned_keys = theirs.rotate_queries_and_keys(queries, keys)
    expected = (turned_queries @ turned_keys.mT)[0, 0]
    encoding, positions = pe.encoding("xpos", base=base, scale_base=scale_base), torch.arange(length)
    ours = encoding.rotate(queries[0, 0], positions) @ encoding.rotate(keys[0, 0], positions, "key").T
    assert_close(ours, expected, rtol=2e-4, atol=2e-4 * float(expected.abs().max()))


@given(
    m=st.integers(0, 300), n=st.integers(0, 300), half=st.integers(1, 16), floor=st.floats(0.1, 5), seed=seeds,
    pairing=st.sampled_from(["half", "interleaved"]),
)  # fmt: skip
def test_a_score_is_the_sum_of_faded_turned_pairs(
    m: int, n: int, half: int, floor: float, seed: int, pairing: str
) -> None:
    encoding = pe.encoding("xpos", floor=floor, pairing=pairing)
    query, key = random(seed, 2, 2 * half)
    expected = 0.0
    for i in range(half):
        a, b = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + half)
        theta = 10_000 ** (-2 * i / (2 * half))
        zeta = (2 * i / (2 * half) + floor) / (1 + floor)
        q, k = complex(query[a], query[b]), complex(key[a], key[b])
        turned = q * k.conjugate() * complex(math.cos((m - n) * theta), math.sin((m - n) * theta))
        expected += turned.real * zeta ** ((m - n) / 512)
    turned_query = encoding.rotate(query[None], torch.tensor([m]))[0]
    turned_key = encoding.rotate(key[None], torch.tensor([n]), "key")[0]
    assert float(turned_query @ turned_key) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_over_its_span_the_fastest_pair_fades_to_two_sevenths_and_the_slowest_hardly() -> None:
    encoding = pe.encoding("xpos", base=1.0)  # all pairs turn alike
    zeta = encoding.zeta(64)
    assert float(zeta[0]) == pytest.approx(0.4 / 1.4)
    assert 0.97 < float(zeta[-1]) < 1
    one = torch.zeros(1, 64, dtype=torch.float64)
    one[0, 0] = 1
    score = encoding.rotate(one, torch.tensor([600])) @ encoding.rotate(one, torch.tensor([600 - 512]), "key").T
    assert float(score) == pytest.approx(math.cos(512) * 0.4 / 1.4, rel=1e-9)


def test_too_far_out_is_said_and_near_enough_is_exact() -> None:
    encoding = pe.encoding("xpos")
    angles = encoding.angles(torch.tensor([1_000_000]), 8)[0]
    assert_close(angles, 1_000_000 * pe.encoding("rope").angles(torch.tensor([1.0]), 8)[0])
    figure = pe.plot("waves", pe.Session(encoding=encoding, plots={"waves": {"first": 1_000_000}}))
    assert figure.panels
    with pytest.raises(Undefined, match="d_head must be even"):
        encoding.check_shape(6, 2, 3)
