"""Text: whatever was typed becomes tokens that can be shown, and nothing of it is lost."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from odd_files import odd_files

import posenc_gui as pe
from posenc_gui.foundation.unicode_text import LONGEST
from posenc_gui.text.tokenization import (
    MAX_CHARACTERS,
    MAX_TOKENS,
    TOKENIZERS,
    format_token,
    read_text_file,
    replace_surrogates,
    tokenize,
    twin_groups,
    twins,
)

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
texts = st.text() | st.text(st.characters(), max_size=50)  # the second with lone surrogates
bidi = [*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]


def words(text: str, keep_case: bool = False) -> tuple[str, ...]:
    return tokenize(text, "words", keep_case)


def without_space(text: str) -> str:
    return "".join(character for character in text if not character.isspace())


@given(texts, st.sampled_from(TOKENIZERS), st.booleans())
@example("\x00", "words", False)
@example("\u200d", "words", False)
@example("\u202ecba", "words", True)
@example("a \u0301b", "words", False)
@example(" \n\u00a0\u2028", "characters", False)
def test_any_text_becomes_tokens_that_can_be_seen(text: str, tokenizer: str, keep_case: bool) -> None:
    session = pe.Session(text=text, tokenizer=tokenizer, keep_case=keep_case)
    for token in session.tokens:
        label = format_token(token)
        assert without_space(label)
        for character in label:
            assert unicodedata.category(character) not in ("Cc", "Cs", "Co", "Cn")
            assert character not in bidi


@given(texts, st.booleans())
def test_nothing_but_white_space_is_lost_between_words(text: str, keep_case: bool) -> None:
    tokens = words(text, keep_case)
    assert without_space("".join(tokens)) == without_space(text if keep_case else text.lower())
    assert all(token == token.strip() != "" for token in tokens)


@given(st.text(), st.booleans())
def test_characters_and_bytes_lose_nothing(text: str, keep_case: bool) -> None:
    expected = text if keep_case else text.lower()
    assert "".join(tokenize(text, "characters", keep_case)) == expected
    assert bytes.fromhex("".join(tokenize(text, "bytes", keep_case))) == expected.encode()


def test_characters_are_what_a_reader_calls_characters() -> None:
    assert tokenize(f"e\u0301 {FAMILY}🇩🇪", "characters") == ("e\u0301", " ", FAMILY, "🇩🇪")
    assert [format_token(token) for token in tokenize("a b\n", "characters")] == ["a", "␣", "b", "␊"]
    assert tokenize("aé", "bytes") == ("61", "C3", "A9")


@given(st.text(st.characters(codec=None), max_size=50) | st.text(st.sampled_from("\ud83d\ude00\udc00a")))
def test_surrogates_are_joined_where_paired_and_replaced_where_alone(text: str) -> None:
    cleaned = replace_surrogates(text)
    cleaned.encode("utf-8")
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert cleaned == text
    assert replace_surrogates(cleaned) == cleaned


def test_a_pair_of_surrogates_is_one_emoji_and_half_a_pair_a_question_mark() -> None:
    assert pe.Session(text="a \ud83d\ude00 b").tokens == ("a", "😀", "b")
    assert replace_surrogates("a\ud83d") == "a\ufffd"
    assert replace_surrogates("\ude00\ud83d") == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("character", "label"),
    [
        *[("\x00", "␀"), ("\x7f", "␡"), ("\u200b", "U+200B"), ("\u202e", "U+202E"), ("\ufe0f", "U+FE0F")],
        *[("\u0301", "U+0301"), ("\xad", "U+00AD"), ("\ue000", "U+E000")],
    ],
)
def test_what_has_no_picture_is_named(character: str, label: str) -> None:
    assert format_token(character) == label
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
    assert format_token(token) == token


@pytest.mark.parametrize("most", [200_000, 300])
@pytest.mark.parametrize("token", ["a", "e\u0301", "\u0301", "\u202e", "👩\u200d", "\x00", "ك", "\u200b"])
def test_a_label_is_as_long_as_can_be_read_whatever_its_token(token: str, most: int) -> None:
    label = format_token(token * (most // len(token)))
    assert 0 < len(label) <= LONGEST
    assert "…" in label


def test_marks_that_pile_up_are_cut_and_those_of_any_script_are_not() -> None:
    assert format_token("e" + "\u0301" * 30) == "e" + "\u0301" * 4 + "…"
    for letter in ("שּׁ֫", "ệ", "ཧཱུྃ", "ཀྟྲྱྭ", "لّٰ", "น้ำ"):
        assert format_token(letter) == letter


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("<b>x</b>", ["<", "b", ">", "x", "<", "/", "b", ">"]),
        ("&amp; x", ["&", "amp", ";", "x"]),
        ("the\n\tcat\u00a0sat", ["the", "cat", "sat"]),
        ("狗咬人", ["狗", "咬", "人"]),
        ("السلام عليكم", ["السلام", "عليكم"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        (" \n\t\u2028", []),
    ],
)
def test_words_and_signs_are_tokens_and_markup_is_text(text: str, tokens: list[str]) -> None:
    assert list(words(text)) == tokens
    assert [format_token(token) for token in words(text)] == tokens


def test_the_and_the_are_twins_unless_case_is_kept() -> None:
    session = pe.Session(text="The cat sat on the mat")
    assert session.tokens == ("the", "cat", "sat", "on", "the", "mat")
    assert session.scene.sentence.twins == {0, 4}
    kept = session.changed(keep_case=True)
    assert kept.tokens[0] == "The"
    assert kept.scene.sentence.twins == frozenset()


@given(st.lists(st.sampled_from("abcd")).map(tuple))
def test_twins_are_all_tokens_that_occur_again(tokens: tuple[str, ...]) -> None:
    assert twins(tokens) == {index for index, token in enumerate(tokens) if tokens.count(token) > 1}
    groups = twin_groups(tokens)
    assert sorted(index for group in groups for index in group) == sorted(twins(tokens))
    assert all(len({tokens[index] for index in group}) == 1 for group in groups)
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)


def test_no_more_tokens_than_the_limit_are_read() -> None:
    assert len(words("a " * (MAX_TOKENS + 5))) == MAX_TOKENS


def test_a_text_past_the_limit_is_refused_at_its_field() -> None:
    with pytest.raises(ValueError, match=f"at most {MAX_CHARACTERS:,} characters"):
        pe.Session(text="a" * (MAX_CHARACTERS + 1))


@pytest.mark.parametrize("name", ["word", "", "tokenizer.txt", "gpt2"])
def test_a_tokenizer_that_does_not_exist_is_refused_with_those_that_do(name: str) -> None:
    with pytest.raises(ValueError, match="there is no tokenizer") as refusal:
        pe.Session(tokenizer=name)
    assert all(allowed in str(refusal.value) for allowed in (*TOKENIZERS, "tokenizer.json"))


def test_a_path_that_cant_be_written_down_can_be_saved_all_the_same() -> None:
    session = pe.Session(tokenizer="/home/\udcff/tokenizer.json")
    assert pe.Session.from_json(session.to_json()) == session


# --- From a file ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a\x00b", "book.txt holds NUL characters, so it is a binary file, not text."),
        ("Löwe".encode("latin-1"), "book.txt is not UTF-8 text: save it as UTF-8 in an editor and try again."),
        (b"a" * (MAX_CHARACTERS + 1), f"book.txt has {MAX_CHARACTERS + 1:,} characters: a text has at most"),
        (b"a" * (4 * MAX_CHARACTERS + 1), f"book.txt is too long: a text has at most {MAX_CHARACTERS:,} characters."),
    ],
    ids=["binary", "latin-1", "long", "huge"],
)
def test_what_is_no_text_is_refused_in_a_sentence(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "book.txt").write_bytes(content)
    with pytest.raises(ValueError, match=f"^{why}"):
        read_text_file(tmp_path / "book.txt")


def test_what_is_no_ordinary_file_is_never_waited_for(tmp_path: Path) -> None:
    with odd_files(tmp_path, ".txt") as paths:
        for path in (*paths.values(), tmp_path / "gone.txt"):
            with pytest.raises(OSError, match=path.name):
                read_text_file(path)


def test_a_text_of_any_length_is_one_string_in_every_session_of_it() -> None:
    session = pe.Session(text="many words " * 90_000)
    assert session.changed(focus=3, encoding="rope").text is session.text
    assert session.n_tokens == MAX_TOKENS
    assert session.tokens is session.changed(focus=4).tokens
