"""Parse and format numbers in forms, singly or in lists: 10,000 · 8k · 1e-4 · −0.5."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from posenc_gui.foundation.wording import quote

_LONGEST = 24  # characters of a number
_EXACT = 1e15  # from here on a float does not hold all the digits that it would show
# Separators stand only before three digits or more, so that 1,5 for one and a half is refused.
_APART = r"[,_ \u00a0\u2009\u202f]"
_NUMBER = re.compile(rf"([-+]?(?:\d+(?:{_APART}\d{{3,}})*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?) ?([kKM]?)")
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6}
_APART_AMONG_OTHERS = re.compile(r"[-+−]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_FEW_DIGITS = re.compile(r"\d{1,6}")
_RANGE = re.compile(r"(\d{1,6})[-–](\d{1,6})")
_MOST_IN_RANGE = 1000


def read(text: str) -> float:
    """Parse a number. Raises ValueError if the text is not one."""
    found = _NUMBER.fullmatch(text.replace("−", "-")) if len(text) <= _LONGEST else None
    if not found:
        raise ValueError(f"{quote(text[:20])} is not a number")
    value = float(re.sub(_APART, "", found[1])) * _TIMES.get(found[2], 1)
    if not math.isfinite(value):
        raise ValueError(f"{quote(text)} is too large a number")
    return float(f"{value:.15g}") if found[2] else value


def read_all(text: str) -> tuple[float, ...]:
    """Parse numbers, as in "10,000, 50,000" or "32 1.5 1e-3". Raises ValueError with a sentence for anything else."""
    found = []
    for piece in _pieces(text):
        try:
            found.append(read(piece))
        except ValueError as error:
            raise ValueError(f"{error}: type numbers such as 32, 1.5.") from None
    return tuple(found)


def read_whole(text: str) -> tuple[int, ...]:
    """Parse whole numbers and ranges, each number once, as in "0, 2, 6-8". Raises ValueError with a sentence otherwise."""
    found: list[int] = []
    for piece in _pieces(text):
        ends = _RANGE.fullmatch(piece)
        try:
            first, last = (int(ends[1]), int(ends[2])) if ends else (_whole(piece),) * 2
        except ValueError:
            raise ValueError(
                f"{quote(piece[:20])} is neither a number nor a range: type numbers such as 0, 2, 6-8."
            ) from None
        if last - first > _MOST_IN_RANGE:
            raise ValueError(f"{quote(piece)} is too long a range: its ends may differ by at most {_MOST_IN_RANGE:,}.")
        found.extend(one for one in range(first, last + 1) if one not in found)
    return tuple(found)


def _pieces(text: str) -> Iterator[str]:
    """Split at spaces and semicolons, and at commas unless all of them separate thousands."""
    for part in re.split(r"[;\s]+", text):
        inside = part.strip(",")
        yield from filter(None, [inside] if _APART_AMONG_OTHERS.fullmatch(inside) else inside.split(","))


def _whole(text: str) -> int:
    digits = text.replace(",", "")
    if not _FEW_DIGITS.fullmatch(digits):
        raise ValueError(text)
    return int(digits)


def format_entry(value: float) -> str:
    """Format a number for its field: 10,000 rather than 10000.0."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def format_exact(value: float) -> str:
    """Format a number for a list with all its digits, so that parsing returns the same number."""
    return f"{value:,}".removesuffix(".0") if abs(value) < _EXACT else repr(value)
