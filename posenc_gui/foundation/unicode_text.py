"""Letters as a reader takes them, and user text that stands among other words: never too long, never out of its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import regex

LONGEST = 48  # code points of a label: longer than the words of any language, and more than a card has room for
# For a set in a pattern: controls, marks that turn a line around, signs that end one, and halves of signs.
OBEYED = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_PARTS = 16  # code points of one letter, where it has to be cut: a family of emoji has eleven
_FROM_THE_RIGHT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}\p{Bidi_Class=AN}]")


def letters(text: str) -> list[str]:
    """What a reader takes for one letter each: with its accents, or an emoji with all of its parts."""
    found: list[str] = regex.findall(r"\X", text)
    return found


def cut(text: str, most: int = LONGEST) -> str:
    """The text without its middle where it has more code points than `most`; what is long isn't looked through.

    No letter is cut in two, unless one alone, with hundreds of accents, is too long.
    """
    if len(text) <= most:
        return text
    room = (most - 1) // 2
    head, tail = letters(text[:most]), letters(text[-most:])
    kept_head = "".join(head[: _fitting(head, room)]) or text[: min(_PARTS, room)]
    kept_tail = "".join(tail[len(tail) - _fitting(tail[::-1], room) :])
    return f"{kept_head}…{kept_tail}"


def tail(text: str, most: int) -> str:
    """The text without its beginning where it has more code points than `most`: of a path, the end tells most."""
    if len(text) <= most:
        return text
    last = letters(text[-2 * most :])  # the first of these may be half of one
    return "…" + ("".join(last[len(last) - _fitting(last[::-1], most - 1) :]) or text[1 - most :])


def _fitting(parts: Sequence[str], room: int) -> int:
    """How many of the first parts have room, in code points."""
    return bisect_right(list(accumulate(map(len, parts))), room)


def isolated(text: str) -> str:
    """The text as it can stand in a sentence: Arabic or Hebrew carries no number or quotation mark of that to its left."""
    return f"\u2068{text}\u2069" if _FROM_THE_RIGHT.search(text) else text


def quoted(text: str) -> str:
    """The text between quotation marks."""
    return f"“{isolated(text)}”"
