"""Words that begin as typed, for searches."""

from __future__ import annotations

from rapidfuzz import utils


def plain_words(text: str) -> str:
    """Return the text in lower case, with a space in place of each sign that is no letter or digit."""
    return utils.default_process(text)


def holds_every_word(text: str, typed: str) -> bool:
    """Return True if each typed word begins a word of the text, whatever the case and punctuation."""
    words = f" {plain_words(text)}"
    return all(f" {word}" in words for word in plain_words(typed).split())
