"""Text: whatever was typed becomes tokens that can be shown, and nothing of it is lost."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.text import MAX_CHARACTERS, MAX_TOKENS, clean, shown, twins, words

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
texts = st.text() | st.text(st.characters(), max_size=50)  # the second with lone surrogates
bidi = [*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]


def without_space(text: str) -> str:
    return "".join(character for character in text if not character.isspace())


@given(texts, st.booleans())
@example("\x00", False)
@example("\u200d", False)
@example("\u202ecba", True)
@example("a \u0301b", False)
def test_any_text_becomes_tokens_that_can_be_seen(text: str, keep_case: bool) -> None:
    session = pe.Session(text=text, keep_case=keep_case)
    for token in session.tokens:
        label = shown(token)
        assert without_space(label)
        for character in label:
            assert unicodedata.category(character) not in ("Cc", "Cs", "Co", "Cn")
            assert character not in bidi


@given(texts, st.booleans())
def test_nothing_but_white_space_is_lost_between_tokens(text: str, keep_case: bool) -> None:
    tokens = words(text, keep_case)
    assert without_space("".join(tokens)) == without_space(text if keep_case else text.lower())
    assert all(token == token.strip() != "" for token in tokens)


@given(st.text(st.characters(codec=None), max_size=50) | st.text(st.sampled_from("\ud83d\ude00\udc00a")))
def test_surrogates_are_joined_where_paired_and_replaced_where_alone(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert cleaned == text
    assert clean(cleaned) == cleaned


def test_a_pair_of_surrogates_is_one_emoji_and_half_a_pair_a_question_mark() -> None:
    assert pe.Session(text="a \ud83d\ude00 b").tokens == ("a", "😀", "b")
    assert clean("a\ud83d") == "a\ufffd"
    assert clean("\ude00\ud83d") == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("character", "label"),
    [
        *[("\x00", "␀"), ("\x1b", "␛"), ("\x7f", "␡"), ("\u200b", "U+200B"), ("\u202e", "U+202E")],
        *[("\u200d", "U+200D"), ("\ufe0f", "U+FE0F"), ("\u0301", "U+0301"), ("\xad", "U+00AD"), ("\ue000", "U+E000")],
    ],
)
def test_what_has_no_picture_is_named(character: str, label: str) -> None:
    assert shown(character) == label
    assert words(f"a {character} b")[1:2] == (character,)


@pytest.mark.parametrize(
    "token",
    [
        *[FAMILY, "👋🏽", "🇩🇪", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "❤️", "1️⃣"],
        *["e\u0301", "क्षि", "العربية", "مُحَمَّد", "می\u200cخواهم", "don't", "3.14", "naïve", "привет"],
    ],
)
def test_what_belongs_together_stays_whole_and_is_shown_as_it_was_typed(token: str) -> None:
    assert words(f"a {token} b") == ("a", token, "b")
    assert shown(token) == token


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("<b>x</b>", ["<", "b", ">", "x", "<", "/", "b", ">"]),
        ("&amp; x", ["&", "amp", ";", "x"]),
        ("dog, cat.", ["dog", ",", "cat", "."]),
        ("the\n\tcat\u00a0sat", ["the", "cat", "sat"]),
        ("狗咬人", ["狗", "咬", "人"]),
        ("السلام عليكم", ["السلام", "عليكم"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("", []),
        (" \n\t\u2028", []),
    ],
)
def test_words_and_signs_are_tokens_and_markup_is_text(text: str, tokens: list[str]) -> None:
    assert list(words(text)) == tokens
    assert [shown(token) for token in words(text)] == tokens


def test_the_and_the_are_twins_unless_case_is_kept() -> None:
    session = pe.Session(text="The cat sat on the mat")
    assert session.tokens == ("the", "cat", "sat", "on", "the", "mat")
    assert session.twins == {0, 4}
    kept = session.changed(keep_case=True)
    assert kept.tokens[0] == "The"
    assert kept.twins == frozenset()


@given(st.lists(st.sampled_from("abcd")).map(tuple))
def test_twins_are_all_tokens_that_occur_again(tokens: tuple[str, ...]) -> None:
    assert twins(tokens) == {index for index, token in enumerate(tokens) if tokens.count(token) > 1}


def test_ten_thousand_tokens_are_read() -> None:
    assert len(pe.Session(text="a, " * 5_000).tokens) == 10_000


def test_no_more_tokens_than_the_limit_are_read() -> None:
    assert len(words("a " * (MAX_TOKENS + 5))) == MAX_TOKENS


def test_a_text_past_the_limit_is_refused_at_its_field() -> None:
    with pytest.raises(ValueError, match=f"at most {MAX_CHARACTERS} characters"):
        pe.Session(text="a" * (MAX_CHARACTERS + 1))
