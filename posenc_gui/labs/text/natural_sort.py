"""Sorting names as people expect."""

from __future__ import annotations

import re
import unicodedata

_NUMBERS = re.compile(r"(\d+)")
_LETTER = re.compile(r"LATIN SMALL LETTER (?:DOTLESS )?([A-Z]{1,2})(?: WITH .+)?")

Key = tuple[tuple[str | tuple[int, str], ...], str]


def key(name: str) -> Key:
    """Return a sort key: Å sorts beside A and ø beside o, capitals beside small letters, 9 before 10."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    pieces = _NUMBERS.split("".join(_plain(sign) for sign in letters if not unicodedata.combining(sign)).strip())
    return tuple(_of_number(piece) if at % 2 else piece for at, piece in enumerate(pieces)), name


def _plain(sign: str) -> str:
    """Return a letter without its stroke, and æ as two letters."""
    found = _LETTER.fullmatch(unicodedata.name(sign, ""))
    return found[1].lower() if found else sign


def _of_number(digits: str) -> tuple[int, str]:
    """Return a sort key for digits by their count first, since a name may hold more digits than Python can convert."""
    significant = digits.lstrip("0")
    return len(significant), significant
