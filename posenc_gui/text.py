"""Text to tokens. Text is data: whatever was typed comes out as tokens that can be shown, never as markup."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

import regex

MAX_CHARACTERS = 200_000
MAX_TOKENS = 16_384

# Word boundaries of Unicode Standard Annex 29: they keep "don't", "3.14", combining marks and joined emoji whole, and
# set punctuation and ideographs apart.
_BOUNDARY = regex.compile(r"(?wV1)\b")

# Zero-width marks and the controls that reorder a line: invisible, and a label must not reorder its neighbours.
_NAMED = frozenset("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")
_WITHOUT_INK = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{M}\s]+")


def clean(text: str) -> str:
    """The same text with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be saved."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@lru_cache(maxsize=16)
def words(text: str, keep_case: bool = False) -> tuple[str, ...]:
    """Split a text into words and punctuation; lower-cased unless `keep_case`, so that "The" and "the" are one token.

    At most `MAX_TOKENS` tokens are read.
    """
    pieces = _BOUNDARY.split(text if keep_case else text.lower())
    # A mark that stands alone after a space comes with the space.
    return tuple(token for piece in pieces if (token := piece.strip()))[:MAX_TOKENS]


def shown(token: str) -> str:
    """The token as it can be read on a label: what has no picture of its own is named (NUL as ␀, others as U+200B)."""
    alone = _WITHOUT_INK.fullmatch(token) is not None
    return "".join(_name(character) if alone else _visible(character) for character in token)


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # Joiners and variation selectors (Cf, Mn) shape the letters around them.
    if unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs") or character in _NAMED:
        return _name(character)
    return character


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"


@lru_cache(maxsize=16)
def twins(tokens: tuple[str, ...]) -> frozenset[int]:
    """The indices of all tokens that occur more than once."""
    counts = Counter(tokens)
    return frozenset(index for index, token in enumerate(tokens) if counts[token] > 1)
