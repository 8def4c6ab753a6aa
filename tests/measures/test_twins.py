"""Repeated tokens differ from the encoding's door on."""

from __future__ import annotations

from math import comb

import pytest
import torch
from drawn import NAMES, WORDS, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.measures.twins import MOST_PAIRS, STAGES

AT_DOOR = {"input": "input", "rotation": "query", "score": "scores"}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8)
@given(
    seed=st.integers(0, 2**31 - 1),
    words=st.lists(st.sampled_from(WORDS), max_size=8),
    between=st.integers(0, 8),
    causal=st.booleans(),
)
def test_twins_first_differ_at_the_encodings_door(
    name: str, seed: int, words: list[str], between: int, causal: bool
) -> None:
    words.insert(min(between, len(words)), "twin")
    model = pe.ToyModel(d_model=16, n_heads=2, seed=seed, causal=causal)
    session = pe.Session(text=" ".join([*words, "twin"]), encoding=name, model=model)
    found = pe.measure("twins", session)
    door = pe.encoding(name).door
    if door == "none":
        assert found.first is None
        assert torch.equal(found.with_encoding.distances, found.without.distances)
    else:
        assert STAGES[found.first] == AT_DOOR[door]
        assert f"the first difference is in the {AT_DOOR[door]}, at the {door} door" in found.reason
        before = found.with_encoding.distances[:, : found.first]
        assert float(before.max()) < 1e-4
        assert (found.with_encoding.distances[:, found.first] > 1e-4).any()


@settings(max_examples=16)
@given(session=sessions(["none"], least=2, most=30, causal=False, scale=None, embedding_scale=1.0))
def test_without_encoding_and_mask_they_are_the_same_at_every_stage(session: pe.Session) -> None:
    found = pe.measure("twins", session)
    if found.value is None:
        assert not session.scene.sentence.twins
        return
    assert found.value < 1e-5
    assert float(found.without.distances.max()) < 1e-5
    torch.testing.assert_close(found.without.cosines, torch.ones_like(found.without.cosines), rtol=0, atol=1e-4)


@settings(max_examples=16)
@given(session=sessions(least=0, most=20))
def test_every_pair_of_equal_tokens_is_there_once_with_its_numbers(session: pe.Session) -> None:
    found = pe.measure("twins", session)
    if found.value is None:
        return
    tokens = session.tokens
    counts = [tokens.count(token) for token in set(tokens)]
    assert len(found.pairs) == min(MOST_PAIRS, sum(comb(count, 2) for count in counts))
    assert len(set(found.pairs)) == len(found.pairs)
    assert all(one < other and tokens[one] == tokens[other] for one, other in found.pairs)
    for apart in (found.without, found.with_encoding):
        assert apart.distances.shape == apart.cosines.shape == (len(found.pairs), len(STAGES))
        assert (apart.distances >= 0).all()
        assert (apart.cosines.abs() <= 1 + 1e-5).all()
        assert not apart.distances[:, 0].any()  # the same token has the same vector
    looked_at = [index for index, both in enumerate(found.pairs) if session.focused in both] or [0]
    assert found.pair == looked_at[0]
    assert found.value == float(found.with_encoding.distances[found.pair, -1])
    one, other = (torch.tensor(side) for side in zip(*found.pairs, strict=True))
    attended = pe.attend(session)
    output = (attended.output[one] - attended.output[other]).norm(dim=-1)
    torch.testing.assert_close(found.with_encoding.distances[:, -1], output, rtol=1e-4, atol=1e-4)
    if session.model.n_layers == 1:
        places = torch.arange(session.n_tokens, dtype=torch.float64)
        turned = session.encoding.rotate(attended.queries, places).movedim(0, 1).flatten(1)
        queries = (turned[one] - turned[other]).norm(dim=-1)
        torch.testing.assert_close(found.with_encoding.distances[:, 2], queries, rtol=1e-4, atol=1e-4)
        scores = attended.scores.movedim(0, 1).flatten(1)
        between = (scores[one] - scores[other]).norm(dim=-1)
        torch.testing.assert_close(found.with_encoding.distances[:, 3], between, rtol=1e-4, atol=1e-3)
        rows = attended.probabilities.movedim(0, 1).flatten(1)
        weights = (rows[one] - rows[other]).norm(dim=-1)
        torch.testing.assert_close(found.with_encoding.distances[:, 4], weights, rtol=1e-4, atol=1e-4)


def test_the_two_the_of_the_course_are_0_apart_and_more_than_0() -> None:
    # the two "the" in "The cat sat on the mat"
    found = pe.measure("twins", pe.Session(text="The cat sat on the mat"))
    assert found.pairs == ((0, 4),)
    assert float(found.without.distances.max()) < 1e-5
    assert found.value > 0.1
    # p_0 = (0, 1, 0, 1, …): |p_4 − p_0|² = Σ 2 − 2 cos(4 ω_i)
    angles = 4 * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    assert float(found.with_encoding.distances[0, 1]) == pytest.approx(
        float((2 - 2 * angles.cos()).sum().sqrt()), rel=1e-4
    )


def test_the_and_the_are_no_twins_where_case_is_kept() -> None:
    # they are identical only if the text is lower-cased
    assert pe.measure("twins", pe.Session(keep_case=True)).value is None
    assert "repeated word" in pe.measure("twins", pe.Session(text="no word here again")).reason


def test_a_mask_alone_sets_them_apart_in_the_attention_row() -> None:
    found = pe.measure("twins", pe.Session(encoding="none", model=pe.ToyModel(causal=True)))
    assert float(found.without.distances[0, STAGES.index("scores")]) < 1e-5
    assert float(found.without.distances[0, STAGES.index("weights")]) > 0.01
