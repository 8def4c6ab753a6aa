"""Letters: texts are cut between them, and stand in sentences without moving what is beside them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from posenc_gui.foundation.unicode_text import LONGEST, shorten_middle, shorten_sentence, shorten_start, split_graphemes
from posenc_gui.foundation.wording import isolate, quote

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
texts = st.text() | st.text(st.sampled_from(f"ab {FAMILY}e\u0301ك🇩🇪क्षि"), min_size=30, max_size=200)


@given(texts, st.integers(10, 100))
@example("e" + "\u0301" * 200_000, LONGEST)
@example(FAMILY * 1000, LONGEST)
@example("👩\u200d" * 100_000, LONGEST)
def test_a_text_is_cut_to_what_is_allowed_and_keeps_both_ends(text: str, most: int) -> None:
    short = shorten_middle(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    else:
        head, tail = max(
            ((short[:at], short[at + 1 :]) for at, character in enumerate(short) if character == "…"),
            key=lambda ends: text.startswith(ends[0]) and text.endswith(ends[1]),
        )
        assert head
        assert text.startswith(head)
        assert text.endswith(tail)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("cat the sat on the mat", "cat the sat on the mat"),
        ("cat the sat on the mat and the dog sat beside it", "cat the sat on … sat beside it"),
        ("我" * 60, "我" * 15 + "…" + "我" * 15),
        ("antidisestablishmentarianism is long", "antidisestablis…rianism is long"),
    ],
    ids=["short", "words", "no spaces", "a long word"],
)
def test_a_sentence_is_cut_between_its_words_where_it_has_some(text: str, short: str) -> None:
    assert shorten_sentence(text, 32) == short


@given(texts, st.integers(10, 100))
def test_a_shortened_sentence_is_as_short_as_allowed(text: str, most: int) -> None:
    assert len(shorten_sentence(text, most)) <= most


@pytest.mark.parametrize("letter", ["e\u0301", FAMILY, "🇩🇪", "क्षि", "각", "é\u0323"])
def test_no_letter_is_cut_in_two(letter: str) -> None:
    assert set(split_graphemes(shorten_middle(letter * 100))) == {letter, "…"}


@given(texts, st.integers(10, 100))
@example("e" + "\u0301" * 200_000, LONGEST)
@example(FAMILY * 1000, LONGEST)
def test_a_text_without_its_beginning_is_as_long_as_allowed_and_keeps_its_end(text: str, most: int) -> None:
    short = shorten_start(text, most)
    if len(text) <= most:
        assert short == text
    else:
        assert 1 < len(short) <= most
        assert short[0] == "…"
        assert text.endswith(short[1:])


def test_the_first_letter_of_an_end_is_whole() -> None:
    assert set(split_graphemes(shorten_start(FAMILY * 100, LONGEST))) == {FAMILY, "…"}


def test_what_is_read_from_right_to_left_stands_apart_and_all_else_as_it_is() -> None:
    assert isolate("the") == "the"
    assert isolate("猫 12") == "猫 12"
    assert quote("cat") == "“cat”"
    for word in ("سلام", "שלום", "١٢", "cat שלום"):
        assert any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in word)
        assert quote(word) == f"“\u2068{word}\u2069”"
