"""Fuzzy search over titles and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from posenc_gui.foundation.word_match import holds_every_word, plain_words

MOST = 10
Kind = Literal["Compare", "Plots", "Encodings", "Models", "Heads", "Labs", "Sentences", "Actions"]
_LEAST_SCORE = 66  # of 100
_LEAST_MISTYPED = 5  # letters: of fewer, a wrong one leaves too little; “rope” is not “Open”


@dataclass(frozen=True)
class SearchEntry:
    """An entry of the search: its words, the heading under which it stands, and what choosing it runs."""

    words: str
    kind: Kind
    run: Callable[[], object]
    beside: str = ""  # at the right: the shortcut, the menu, the lab of a step
    about: str = ""  # description, searched as well


def search(typed: str, findables: Sequence[SearchEntry], most: int = MOST) -> list[SearchEntry]:
    """Return the best matches, at most `most`; none if nothing is typed.

    A plot whose title is typed comes first. Titles count more than descriptions. Of equal matches published models come
    last, since “T5” is the encoding, and shorter descriptions first.
    """
    typed = plain_words(typed)
    whole = [one for one in findables if holds_every_word(f"{one.words} {one.about}", typed)] if typed else []
    # full matches hide approximate ones
    scored = [(_score(typed, one), one) for one in whole or findables] if typed else []
    scored.sort(
        key=lambda found: (not _is_plot(typed, found[1]), -found[0], found[1].kind == "Models", len(found[1].about))
    )
    return [one for score, one in scored[:most] if score >= _LEAST_SCORE]


def by_kind(found: Sequence[SearchEntry]) -> list[SearchEntry]:
    """Return the entries in groups of one kind; groups stand as their best entries do."""
    kinds = list(dict.fromkeys(one.kind for one in found))
    return sorted(found, key=lambda one: kinds.index(one.kind))


def _is_plot(typed: str, one: SearchEntry) -> bool:
    return one.kind == "Plots" and plain_words(one.words) == typed


def _score(typed: str, one: SearchEntry) -> float:
    """Return the likeness, up to 100, of the title, with a bonus if a word of it begins as typed, or of the description."""
    words, about = plain_words(one.words), plain_words(one.about)
    if len(typed) < _LEAST_MISTYPED and typed not in words and typed not in about:
        return 0
    begins = 20 if words.startswith(typed) else 10 if f" {typed}" in f" {words}" else 0
    return max(fuzz.WRatio(typed, words) + begins, 0.75 * fuzz.partial_ratio(typed, about))
