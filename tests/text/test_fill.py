"""A text that is made longer: the same again and again, or random words, of which a session holds two fields alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.text.tokenization import MAX_TOKENS

fills = st.sampled_from(["none", "repeat", "random"])
texts = st.lists(st.sampled_from(["the", "dog", "bites", "man"]), max_size=9).map(" ".join)


@given(text=texts, fill=fills, to=st.integers(1, 60))
def test_a_filled_text_begins_with_what_was_typed_and_has_so_many_tokens(text: str, fill: str, to: int) -> None:
    typed, session = pe.Session(text=text).tokens, pe.Session(text=text, fill=fill, fill_to=to)
    assert session.tokens[: len(typed)] == typed
    grows = fill != "none" and 0 < len(typed) < to
    assert session.n_tokens == (to if grows else len(typed))
    assert bool(session.scene.sentence.split().filling) == grows
    if grows and fill == "repeat":
        assert session.tokens == (typed * to)[:to]
    assert pe.Session.from_json(session.to_json()) == session
    assert pe.Session.from_share(session.share()) == session


@given(to=st.integers(7, 3000), more=st.integers(1, 500))
def test_random_words_are_the_same_each_time_however_many_follow(to: int, more: int) -> None:
    shorter, longer = (pe.Session(fill="random", fill_to=count) for count in (to, to + more))
    assert longer.tokens[:to] == shorter.tokens


@given(text=texts, fill=fills, to=st.integers(1, 60))
def test_how_long_it_gets_counts_only_where_it_is_made_longer(text: str, fill: str, to: int) -> None:
    one, other = (pe.Session(text=text, fill=fill, fill_to=count) for count in (to, to + 1))
    assert (one.splitting == other.splitting) == (fill == "none")


@pytest.mark.parametrize("fill", ["repeat", "random"])
def test_the_longest_takes_no_more_room_in_a_file_than_a_short_one(fill: str) -> None:
    session = pe.Session(fill=fill, fill_to=MAX_TOKENS)
    assert session.n_tokens == MAX_TOKENS
    assert len(session.to_json()) < len(pe.Session().to_json()) + 60


@pytest.mark.parametrize(
    ("fill", "words"),
    [("repeat", "the text repeated to 900 tokens"), ("random", "the text, then 894 seeded random words")],
)
@pytest.mark.parametrize("plot", ["attention", "waves", "similarity"])
def test_each_picture_says_so_once(fill: str, words: str, plot: str) -> None:
    model = pe.ToyModel(d_model=8, n_heads=1)
    session = pe.Session(fill=fill, fill_to=900, model=model, encoding="rope")
    assert pe.plot(plot, session).caption.count(words) == 1
    assert pe.plot(plot, session.changed(other="alibi")).caption.count(words) == 1


@pytest.mark.parametrize("fields", [{"fill_to": 0}, {"fill_to": MAX_TOKENS + 1}, {"fill": "more"}])
def test_what_is_no_length_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="fill"):
        pe.Session(**fields)
