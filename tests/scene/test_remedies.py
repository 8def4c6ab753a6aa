"""The change that a headline offers where position isn't seen yet: it is one under which it is seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.figure.runs import quote_runs

WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat"]), min_size=1, max_size=9).map(" ".join)


def offered(session: pe.Session) -> str:
    remedy = pe.plot("attention", session).remedy
    return remedy.words if remedy else ""


@pytest.mark.parametrize(
    ("encoding", "heads", "words"),
    [
        ("alibi", 1, "First slope of eight"),  # its only slope is 1/256, that of the last
        ("alibi", 4, "Focus on “mat”"),  # “sat” has one “the” two places before it and one two places after it
        ("rope", 1, ""),
        ("none", 1, ""),
    ],
)
def test_it_offers_what_shows_position_and_nothing_where_position_is_seen(encoding, heads, words) -> None:
    assert offered(pe.Session(encoding=encoding, model={"n_heads": heads})) == words


def test_it_offers_the_mask_where_no_query_sees_the_twins_at_different_distances() -> None:
    session = pe.Session(text="the cat the", focus=1, encoding="alibi", model={"n_heads": 8})
    assert offered(session) == "Mask later tokens"
    masked = session.changed(**pe.plot("attention", session).remedy.fields)
    assert pe.attend(masked).probabilities[:, 1, 2].max() == 0


def test_it_offers_nothing_of_a_comparison_of_scores_of_one_head_or_at_less_than_full_strength() -> None:
    session = pe.Session(encoding="alibi", model={"n_heads": 1})
    assert offered(session)
    assert not offered(session.changed(other="rope"))
    assert not offered(session.changed(strength=0.5))
    assert not offered(session.changed(plots={"attention": {"quantity": "scores"}}))
    assert not offered(session.changed(plots={"attention": {"head": 0}}))


def test_more_heads_leave_a_rotation_that_is_compared_its_pairs() -> None:
    session = pe.Session(encoding="kerple", model={"d_model": 16, "n_heads": 1, "scale": 3.0, "seed": 1})
    after = session.changed(**pe.plot("attention", session).remedy.fields)
    assert (after.model.n_heads, after.model.head_width) == (8, session.model.head_width)


def test_a_scaling_that_fits_no_narrower_head_is_drawn_without_a_remedy() -> None:
    lists = {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8}
    scaled = pe.encoding("rope", scaling={"rope_type": "longrope", "factor": 4.0, **lists})
    session = pe.Session(text="on", encoding=scaled, model={"d_model": 16, "n_heads": 1})
    for plot in ("attention", "flow"):
        assert not pe.plot(plot, session).is_note


@given(WORDS, st.sampled_from(["alibi", "kerple", "fire", "sandwich", "t5"]), st.sampled_from([1, 4]), st.data())
def test_taken_it_moves_weights_or_parts_twins(text, encoding, heads, data) -> None:
    focus = data.draw(st.integers(0, len(text.split()) - 1))
    session = pe.Session(text=text, encoding=encoding, focus=focus, model={"n_heads": heads})
    figure = pe.plot("attention", session)
    if figure.remedy is None:
        return
    after = session.changed(**figure.remedy.fields)
    assert quote_runs(pe.plot("attention", after).headline) != quote_runs(figure.headline)
    if figure.remedy.words == "Use 8 heads":
        with_position, without = (
            np.asarray(pe.attend(one).probabilities.mean(0))[focus]
            for one in (after, pe.Session(**dict(after.scene.without_position.setup)))
        )
        assert np.abs(with_position - without).max() >= 0.01


@pytest.mark.parametrize("model", ["qwen2-vl-7b", "qwen2-vl-vision"])
def test_pictures_of_the_sentence_offer_patches_where_an_encoding_has_rows_until_there_are_some(model: str) -> None:
    session = pe.preset(model)
    for plot in ("attention", "waves", "clocks"):
        for one in (session, session.changed(other="none")):
            remedy = pe.plot(plot, one).remedy
            assert remedy is not None
            assert remedy.words == "Add 4 × 6 patches"
            assert pe.plot(plot, one.changed(**remedy.fields)).remedy is None
    assert pe.plot("waves", pe.Session(encoding="rope")).remedy is None
    assert pe.plot("requirements", session).remedy is None  # they judge positions, whatever stands there
