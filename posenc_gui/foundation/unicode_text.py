"""Grapheme clusters, and shortening of user text between them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import regex

LONGEST = 48  # code points of a label: longer than most words of any language, and more than a card has room for
# For a character class: controls, bidirectional marks, line separators and surrogates.
CONTROL_CHARACTERS = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_PARTS = 16  # code points kept of one cluster that must be cut: a family emoji has eleven


def split_graphemes(text: str) -> list[str]:
    """Split a text into grapheme clusters: a letter with its accents, or an emoji with all its parts."""
    found: list[str] = regex.findall(r"\X", text)
    return found


def shorten_middle(text: str, most: int = LONGEST) -> str:
    """Shorten a text in the middle to `most` code points, unread there, between clusters unless one alone is too long."""
    return text if len(text) <= most else "…".join(_ends(text, (most - 1) // 2))


def shorten_sentence(text: str, most: int = LONGEST) -> str:
    """Shorten a text as `shorten_middle` does, but between words where the ends that are kept have several."""
    if len(text) <= most:
        return text
    head, tail = _ends(text, (most - 3) // 2)
    first = head if text[len(head)].isspace() else head.rpartition(" ")[0]
    last = tail if text[-len(tail) - 1].isspace() else tail.partition(" ")[2]
    return f"{first.strip()} … {last.strip()}" if first.strip() and last.strip() else shorten_middle(text, most)


def _ends(text: str, room: int) -> tuple[str, str]:
    """Return the first and the last grapheme clusters of a long text, at most `room` code points of each."""
    head, tail = split_graphemes(text[: 2 * room]), split_graphemes(text[-2 * room :])
    kept_head = "".join(head[: _fitting(head, room)]) or text[: min(_PARTS, room)]
    return kept_head, "".join(tail[len(tail) - _fitting(tail[::-1], room) :])


def shorten_start(text: str, most: int) -> str:
    """Shorten a text at its start to at most `most` code points, since the end of a path is its most informative part."""
    if len(text) <= most:
        return text
    last = split_graphemes(text[-2 * most :])  # cutting may split the first cluster
    return "…" + ("".join(last[len(last) - _fitting(last[::-1], most - 1) :]) or text[1 - most :])


def _fitting(parts: Sequence[str], room: int) -> int:
    """Return how many leading parts fit into `room` code points."""
    return bisect_right(list(accumulate(map(len, parts))), room)
