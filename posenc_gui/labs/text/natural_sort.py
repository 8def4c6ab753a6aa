"""Names in the order in which people look for them."""

from __future__ import annotations

import re
import unicodedata

_NUMBERS = re.compile(r"(\d+)")
_LETTER = re.compile(r"LATIN SMALL LETTER (?:DOTLESS )?([A-Z]{1,2})(?: WITH .+)?")

Key = tuple[tuple[str | tuple[int, str], ...], str]


def key(name: str) -> Key:
    """To sort by: Å beside A and ø beside o, large letters beside small ones, 9 before 10."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    pieces = _NUMBERS.split("".join(_plain(sign) for sign in letters if not unicodedata.combining(sign)).strip())
    return tuple(_of_number(piece) if at % 2 else piece for at, piece in enumerate(pieces)), name


def _plain(sign: str) -> str:
    """A letter without its stroke, and æ as two."""
    found = _LETTER.fullmatch(unicodedata.name(sign, ""))
    return found[1].lower() if found else sign


def _of_number(digits: str) -> tuple[int, str]:
    """Longer is larger: a name may hold more digits than Python reads as a number."""
    significant = digits.lstrip("0")
    return len(significant), significant
