"""Counts and lists in sentences."""

from __future__ import annotations

import pytest

from posenc_gui.foundation.wording import format_bytes, format_count, inflect, join_words


@pytest.mark.parametrize(("count", "told"), [(0, "0 pairs"), (1, "1 pair"), (2, "2 pairs"), (12_000, "12,000 pairs")])
def test_a_noun_agrees_with_its_count(count: int, told: str) -> None:
    assert format_count(count, "pair") == told


@pytest.mark.parametrize(("count", "noun", "verb"), [(0, "patches", "are"), (1, "patch", "is"), (2, "patches", "are")])
def test_a_word_with_a_plural_of_its_own_takes_it(count: int, noun: str, verb: str) -> None:
    assert format_count(count, "patch", "patches") == f"{count} {noun}"
    assert inflect(count, "is", "are") == verb


@pytest.mark.parametrize(("words", "told"), [("", ""), ("a", "a"), ("ab", "a or b"), ("abc", "a, b or c")])
def test_the_last_of_several_words_comes_after_the_conjunction(words: str, told: str) -> None:
    assert join_words(list(words), "or") == told


@pytest.mark.parametrize(
    ("size", "told"),
    [(1, "1 byte"), (999, "999 bytes"), (12_000, "12 kB"), (999_600, "1 MB"), (5_000_000, "5 MB"), (3.4e9, "3.4 GB")],
)
def test_a_size_has_the_unit_in_which_it_is_short(size: int, told: str) -> None:
    assert format_bytes(size) == told
