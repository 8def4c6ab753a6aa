"""RoPE against transformers and rotary-embedding-torch, against exact arithmetic, and the properties it is known for."""

from __future__ import annotations

import mpmath
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from layers import random
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from tools.later import Later

rotary = Later("rotary_embedding_torch")
transformers = Later("transformers")
neox = Later("transformers.models.gpt_neox.modeling_gpt_neox")
gptj = Later("transformers.models.gptj.modeling_gptj")
llama = Later("transformers.models.llama.modeling_llama")

heads = st.integers(1, 4)
lengths = st.integers(1, 40)
halves = st.integers(1, 48)
bases = st.floats(2, 1e6)
seeds = st.integers(0, 2**31 - 1)
pairings = st.sampled_from(["half", "interleaved"])
fractions = st.floats(0, 1)
shifts = st.integers(0, 1_000_000)


@given(heads, lengths, halves, bases, seeds)
def test_half_is_transformers_llama(n_heads: int, length: int, half: int, base: float, seed: int) -> None:
    d_head = 2 * half
    config = transformers.LlamaConfig(
        hidden_size=n_heads * d_head,
        num_attention_heads=n_heads,
        num_key_value_heads=n_heads,
        head_dim=d_head,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    queries, keys = random(seed, 2, 1, n_heads, length, d_head).float()
    cos, sin = llama.LlamaRotaryEmbedding(config)(queries, torch.arange(length)[None])
    expected_queries, expected_keys = llama.apply_rotary_pos_emb(queries, keys, cos, sin)
    rope = pe.encoding("rope", base=base)
    assert_close(rope.rotate(queries[0], torch.arange(length)), expected_queries[0], atol=5e-5, rtol=0)
    assert_close(rope.rotate(keys[0], torch.arange(length), "key"), expected_keys[0], atol=5e-5, rtol=0)


@given(heads, lengths, halves, st.data(), bases, seeds)
def test_a_fraction_is_transformers_gpt_neox(
    n_heads: int, length: int, half: int, data: st.DataObject, base: float, seed: int
) -> None:
    d_head = 2 * half
    rotated = 2 * data.draw(st.integers(1, half))
    fraction = rotated / d_head
    assume(int(d_head * fraction) == rotated)  # GPT-NeoX rounds down where the fraction falls short by a hair
    config = transformers.GPTNeoXConfig(
        hidden_size=n_heads * d_head,
        num_attention_heads=n_heads,
        rope_parameters={"rope_type": "default", "rope_theta": base, "partial_rotary_factor": fraction},
    )
    queries, keys = random(seed, 2, 1, n_heads, length, d_head).float()
    cos, sin = neox.GPTNeoXRotaryEmbedding(config)(queries, torch.arange(length)[None])
    expected, _ = neox.apply_rotary_pos_emb(queries, keys, cos, sin)
    ours = pe.encoding("rope", base=base, fraction=fraction).rotate(queries[0], torch.arange(length))
    assert_close(ours, expected[0], atol=5e-5, rtol=0)


@given(heads, lengths, st.integers(2, 48), bases, st.integers(0, 32), seeds)
def test_interleaved_is_rotary_embedding_torch(
    n_heads: int, length: int, half: int, base: float, unrotated: int, seed: int
) -> None:
    rotated, d_head = 2 * half, 2 * half + 2 * unrotated
    x = random(seed, 1, n_heads, length, d_head).float()
    expected = rotary.RotaryEmbedding(dim=rotated, theta=base).rotate_queries_or_keys(x)
    rope = pe.encoding("rope", base=base, pairing="interleaved", fraction=rotated / d_head)
    assert_close(rope.rotate(x, torch.arange(length)), expected.detach(), atol=5e-5, rtol=0)


@given(heads, lengths, halves, seeds)
def test_interleaved_is_transformers_gpt_j(n_heads: int, length: int, half: int, seed: int) -> None:
    d_head = 2 * half
    x = random(seed, 1, length, n_heads, d_head).float()
    sin, cos = gptj.create_sinusoidal_positions(length, d_head)[None].chunk(2, dim=-1)
    expected = gptj.apply_rotary_pos_emb(x, sin, cos)
    ours = pe.encoding("rope", pairing="interleaved").rotate(x[0].movedim(0, 1), torch.arange(length))
    assert_close(ours.movedim(1, 0), expected[0], atol=5e-5, rtol=0)


@given(shifts, halves, st.floats(1.5, 1e9), pairings)
def test_cosines_and_sines_are_exact_up_to_position_one_million(
    position: int, half: int, base: float, pairing: str
) -> None:
    angles = pe.encoding("rope", base=base, pairing=pairing).angles(torch.tensor([position]), 2 * half)[0]
    with mpmath.workdps(40):
        exact = [position * mpmath.mpf(base) ** (-mpmath.mpf(i) / half) for i in range(half)]
        cosines, sines = [float(mpmath.cos(a)) for a in exact], [float(mpmath.sin(a)) for a in exact]
    assert_close(angles.cos().tolist(), cosines, atol=3e-7, rtol=0)
    assert_close(angles.sin().tolist(), sines, atol=3e-7, rtol=0)
    ones = torch.ones(1, 2 * half)  # in float32, as attention computes: (1, 1) turns to (cos − sin, sin + cos)
    first, second = pe.encoding("rope", base=base, pairing=pairing).pairs(2 * half)
    turned = pe.encoding("rope", base=base, pairing=pairing).rotate(ones, torch.tensor([position]))[0]
    expected = [c - s for c, s in zip(cosines, sines, strict=True)]
    assert_close(turned[first].tolist(), expected, atol=3e-7, rtol=0)
    expected = [c + s for c, s in zip(cosines, sines, strict=True)]
    assert_close(turned[second].tolist(), expected, atol=3e-7, rtol=0)


@given(halves, fractions, pairings, bases, st.integers(0, 1000), st.integers(0, 1000), shifts, seeds)
def test_scores_depend_on_the_offset_alone_and_norms_are_kept(
    half: int, fraction: float, pairing: str, base: float, m: int, n: int, shift: int, seed: int
) -> None:
    rope = pe.encoding("rope", base=base, pairing=pairing, fraction=fraction)
    query, key = random(seed, 2, 1, 2 * half)

    def score(m: int, n: int) -> float:
        turned = rope.rotate(query, torch.tensor([m]), "query"), rope.rotate(key, torch.tensor([n]), "key")
        assert_close(turned[0].norm(), query.norm())
        assert_close(turned[1].norm(), key.norm())
        return float(turned[0] @ turned[1].T)

    assert score(m + shift, n + shift) == pytest.approx(score(m, n), abs=1e-7)


@given(halves, fractions, st.integers(2, 10), seeds)
def test_the_pairings_agree_once_dimensions_are_reordered_and_not_before(
    half: int, fraction: float, length: int, seed: int
) -> None:
    d_head = 2 * half
    layouts = [pe.encoding("rope", pairing=pairing, fraction=fraction) for pairing in ("half", "interleaved")]
    queries, keys = random(seed, 2, length, d_head)
    positions = torch.arange(length)

    def scores(rope: object, order: Tensor) -> Tensor:
        return rope.rotate(queries[:, order], positions) @ rope.rotate(keys[:, order], positions, "key").T

    order = torch.arange(d_head)
    order[torch.cat(layouts[1].pairs(d_head))] = torch.cat(layouts[0].pairs(d_head))
    together = scores(layouts[0], torch.arange(d_head))
    assert_close(scores(layouts[1], order), together)
    if layouts[0].rotated(d_head) >= 4:
        assert not torch.allclose(scores(layouts[1], torch.arange(d_head)), together, atol=1e-3)


@given(halves, fractions, lengths)
def test_unrotated_pairs_come_last_with_angle_0_and_their_dimensions_stay(
    half: int, fraction: float, length: int
) -> None:
    d_head = 2 * half
    rope = pe.encoding("rope", fraction=fraction)
    rotated = rope.rotated(d_head)
    assert rotated % 2 == 0
    assert d_head * fraction - 2 < rotated <= d_head * fraction + 1e-6
    angles = rope.angles(torch.arange(1, length + 1), d_head)
    assert angles.shape == (length, half)
    assert angles[:, : rotated // 2].all()
    assert not angles[:, rotated // 2 :].any()
    x = random(0, length, d_head)
    assert torch.equal(rope.rotate(x, torch.arange(length))[:, rotated:], x[:, rotated:])


@pytest.mark.parametrize(
    ("fraction", "d_head", "rotated"), [(0.3, 20, 6), (0.29, 200, 58), (0.25, 96, 24), (0.4, 80, 32)]
)
def test_a_fraction_that_names_a_whole_number_of_pairs_gets_it(fraction: float, d_head: int, rotated: int) -> None:
    assert pe.encoding("rope", fraction=fraction).rotated(d_head) == rotated


@pytest.mark.parametrize(
    ("d_head", "offset", "mean"),
    [
        *[(128, 0, 32.5), (128, 1, 31.538), (128, 8, 19.817), (128, 64, 10.090)],
        *[(128, 256, 6.543), (128, 1024, 4.024), (128, 4096, 4.883)],
        *[(64, 512, 2.986), (64, 1024, 3.065), (64, 4096, 5.287)],
    ],
)
def test_the_bound_of_roformer_section_3_4_3_decays_but_not_always(d_head: int, offset: int, mean: float) -> None:
    angles = pe.encoding("rope").angles(torch.tensor([offset]), d_head)[0]
    sums = torch.polar(torch.ones_like(angles), angles).cumsum(0).abs()
    assert float(sums.mean()) == pytest.approx(mean, abs=1e-3)


@given(st.integers(0, 40).map(lambda half: 2 * half + 1))
def test_an_odd_head_is_refused_in_words(d_head: int) -> None:
    with pytest.raises(ValueError, match=f"d_head must be even, not {d_head}"):
        pe.encoding("rope").angles(torch.arange(3), d_head)
    with pytest.raises(ValueError, match="d_head must be even"):
        pe.Session(encoding=pe.encoding("rope"), model=pe.ToyModel(d_model=d_head, n_heads=1))
