"""Sentences of the same words: which encodings tell them apart."""

from __future__ import annotations

import pytest
import torch
from drawn import NAMES, sessions
from hypothesis import given, settings
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.measures import equivariance

MIRRORED = [  # the course's mirror images
    ("dog bites man", "man bites dog"),
    ("John loves Mary", "Mary loves John"),
    ("Kick the bucket", "Bucket the kick"),
    ("The cat sat", "Sat cat the"),
]
OF_DISTANCE = ("none", "pope", "alibi", "kerple", "sandwich", "fire", "cope")
TITLES = {name: pe.encoding(name).title for name in NAMES if pe.encoding(name).built_in}


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), MIRRORED)
@given(seed=st.integers(0, 2**31 - 1), n_layers=st.integers(1, 2))
@settings(max_examples=2)
def test_mirror_images_are_the_same_without_an_encoding_and_to_what_knows_distance_alone(
    one: str, other: str, seed: int, n_layers: int
) -> None:
    # What is the same both ways can't tell them apart, a bias of |m − n| or PoPE's cosines; a mask or a signed bias can.
    for text, mirror in ((one, other), (other, one)):
        model = pe.ToyModel(d_model=16, n_heads=4, seed=seed, n_layers=n_layers)
        found = pe.measure("meaning", pe.Session(text=text, model=model))
        (comparison,) = found.comparisons
        assert comparison.tokens == tuple(mirror.lower().split())
        assert comparison.is_mirror_image
        assert set(comparison.same) == {TITLES[name] for name in OF_DISTANCE}
        assert set(comparison.distances) == set(TITLES.values())
        masked = pe.measure("meaning", pe.Session(text=text, model=model.model_copy(update={"causal": True})))
        assert masked.comparisons[0].same == ()


def test_the_courses_sentences_come_with_what_they_mean() -> None:
    found = pe.measure("meaning", pe.Session(text="Only I love you"))
    assert [" ".join(one.tokens) for one in found.comparisons] == ["i only love you", "i love only you"]
    assert not any(one.is_mirror_image for one in found.comparisons)
    assert found.meaning
    assert all(one.meaning for one in found.comparisons)
    assert len({found.meaning, *(one.meaning for one in found.comparisons)}) == 3
    assert [one.same for one in found.comparisons] == [(TITLES["none"],)] * 2  # neither is a mirror image
    bitten = pe.measure("meaning", pe.Session(text="The dog bit the man"))
    assert [one.tokens for one in bitten.comparisons] == [("the", "man", "bit", "the", "dog")]


@pytest.mark.slow
@settings(max_examples=12)
@given(session=sessions(least=2, most=10, unique=True, embedding_scale=1.0, scale=None, d_model=16, n_heads=2))
def test_distances_are_those_of_attentions_outputs(session: pe.Session) -> None:
    found = pe.measure("meaning", session)
    (comparison,) = found.comparisons
    expected = session.scene.sentence.typed if session.order else session.tokens[::-1]
    if expected == session.tokens:  # an order that is the typed one
        expected = session.tokens[::-1]
    assert comparison.tokens == expected
    distance = comparison.distances[session.encoding.title]
    other = session.changed(text=" ".join(comparison.tokens), order=())
    here, there = pe.attend(session).output, pe.attend(other).output
    size = torch.cat([here, there]).norm(dim=-1).mean()
    for index, token in enumerate(session.tokens):
        apart = (here[index] - there[comparison.tokens.index(token)]).norm() / size
        assert float(distance.by_token[index]) == pytest.approx(float(apart), abs=2e-5)
    assert distance.pooled == pytest.approx(float((here.mean(0) - there.mean(0)).norm() / size), abs=2e-5)
    assert found.value == float(distance.by_token.max())
    assert distance.is_none == (found.value <= equivariance.ROUNDING)


@pytest.mark.slow
@settings(max_examples=12)
@given(session=sessions(least=2, most=10, embedding_scale=1.0))
def test_means_are_nearer_than_tokens_and_repeated_tokens_are_matched_one_to_one(session: pe.Session) -> None:
    found = pe.measure("meaning", session)
    if found.value is None:
        return
    for comparison in found.comparisons:
        for distance in comparison.distances.values():
            assert distance.by_token.shape == (session.n_tokens,)
            assert torch.isfinite(distance.by_token).all()
            # The triangle's inequality, which needs every token to be matched once.
            assert distance.pooled <= float(distance.by_token.mean()) + 1e-4


@pytest.mark.slow
@settings(max_examples=12)
@given(session=sessions(["none", "rope", "alibi"], least=2, most=8, words=("a", "b"), d_model=8, n_heads=2, n_layers=1))
def test_repeated_tokens_are_matched_in_order_or_in_the_reverse_one(session: pe.Session) -> None:
    found = pe.measure("meaning", session)
    if found.value is None:
        return
    (comparison,) = found.comparisons
    here = pe.attend(session).output
    there = pe.attend(session.changed(text=" ".join(comparison.tokens), order=())).output
    size = max(float(torch.cat([here, there]).norm(dim=-1).mean()), 1e-30)
    distance = comparison.distances[session.encoding.title]
    for token in set(session.tokens):
        mine = [index for index, one in enumerate(session.tokens) if one == token]
        others = [index for index, one in enumerate(comparison.tokens) if one == token]
        sums = [float((here[mine] - there[match]).norm(dim=-1).sum()) / size for match in (others, others[::-1])]
        assert float(distance.by_token[mine].sum()) == pytest.approx(min(sums), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("encoding", ["t5", "fourier", "sinusoidal"])
def test_two_sentences_are_as_far_apart_from_either_side(encoding: str) -> None:
    one, other = (
        pe.measure("meaning", pe.Session(text=text, encoding=encoding)).comparisons[0].distances
        for text in ("dog bites man", "man bites dog")
    )
    for title, distance in one.items():
        assert sorted(distance.by_token.tolist()) == pytest.approx(sorted(other[title].by_token.tolist()), abs=1e-5)
        assert distance.pooled == pytest.approx(other[title].pooled, abs=1e-5)


def test_the_smallest_distance_to_any_of_several_counts() -> None:
    found = pe.measure("meaning", pe.Session(text="Only I love you", encoding="rope"))
    own = [float(one.distances["RoPE"].by_token.max()) for one in found.comparisons]
    assert found.value == min(own)


def test_an_encoding_that_ends_too_soon_says_so_and_the_others_are_compared() -> None:
    model = pe.ToyModel(d_model=2, n_heads=1)
    found = pe.measure("meaning", pe.Session(text="dog bites man", model=model))
    assert "d_model 2" in found.undefined["One-hot"]
    assert set(found.comparisons[0].distances) == set(TITLES.values()) - {"One-hot"}
    own = pe.measure("meaning", pe.Session(text="dog bites man", model=model, encoding="one_hot"))
    assert own.value is None
    assert own.reason == found.undefined["One-hot"]


@pytest.mark.parametrize("text", ["", "word", "a b a", "a a a"])
def test_what_reads_the_same_in_both_directions_has_no_other(text: str) -> None:
    assert pe.measure("meaning", pe.Session(text=text)).value is None


def test_its_own_parameters_count_for_the_sessions_encoding() -> None:
    still = pe.measure("meaning", pe.Session(text="dog bites man", encoding=pe.encoding("rope", fraction=0.0)))
    assert "RoPE" in still.comparisons[0].same
    assert "RoPE" not in pe.measure("meaning", pe.Session(text="dog bites man")).comparisons[0].same


def test_any_other_order_of_the_words_can_be_asked_for() -> None:
    session = pe.Session(text="The cat chased the mouse")
    (compared,) = pe.measure("meaning", session, other="the mouse chased the cat").comparisons
    assert compared.tokens == ("the", "mouse", "chased", "the", "cat")
    assert not compared.is_mirror_image
    odd = pe.measure("meaning", session, other="the dog chased the cat")
    assert odd.value is None
    assert "“dog” stands in one sentence alone" in odd.reason
