"""The same words in another tokenizer's split: as far into the text, whatever pieces they are in."""

from __future__ import annotations

import pytest

from posenc_gui.scene.same_word import same_word
from posenc_gui.scene.splitting import Split, Splitting


def split(text: str, around: int = 0) -> Split:
    """Return tokens given with spaces between them, the first and the last `around` of which aren't the text's own."""
    tokens = tuple(text.split())
    return Split(Splitting("", "", False, False, "none", 0, None), tokens, range(around, len(tokens) - around))


WORDS = split("a cat sat on antimatter , on it")
PIECES = split("[CLS] a cat sat on ant im atter , on it [SEP]", around=1)


@pytest.mark.parametrize(("word", "piece"), [(0, 1), (2, 3), (3, 4), (4, 5), (6, 9), (7, 10)])
def test_a_word_is_found_at_its_beginning_and_back(word: int, piece: int) -> None:
    assert same_word(WORDS, word, PIECES) == piece
    assert same_word(PIECES, piece, WORDS) == word


def test_every_piece_is_of_its_word_and_what_stands_around_is_the_nearest_of_the_text() -> None:
    assert [same_word(PIECES, at, WORDS) for at in (6, 7)] == [4, 4]
    assert [same_word(PIECES, at, WORDS) for at in (0, 11)] == [0, 7]


def test_a_letter_in_parts_is_where_it_is_whole() -> None:
    whole = split("a🦊b 日 cat")
    parts = Split(whole.of, ("a🦊 1/2", "🦊 2/2", "b", "日 1/2", "日 2/2", "␣cat"), range(6))
    assert [same_word(parts, at, whole) for at in range(6)] == [0, 0, 0, 1, 1, 2]
    assert [same_word(whole, at, parts) for at in range(3)] == [0, 4, 5]


def test_what_a_tokenizer_does_not_know_moves_no_other_word() -> None:
    known, unknown = split("dog 🐶 cat"), split("[CLS] dog [UNK] cat [SEP]", around=1)
    assert [same_word(known, at, unknown) for at in range(3)] == [1, 2, 3]
    assert [same_word(unknown, at, known) for at in (1, 3)] == [0, 2]
