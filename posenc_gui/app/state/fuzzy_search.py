"""What can be found by its words, and what is nearest to some that are typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, utils

MOST = 10
_LEAST_SCORE = 66  # of 100
_LEAST_MISTYPED = 5  # letters: of fewer, a wrong one leaves too little; “rope” is not “Open”


@dataclass(frozen=True)
class Findable:
    """Something that can be found by its words, and done."""

    words: str
    kind: str  # of thing: Plot, Encoding, …
    run: Callable[[], object]
    keys: str = ""  # that do the same
    about: str = ""  # words by which it is found, too


def found(typed: str, findables: Sequence[Findable], most: int = MOST) -> list[Findable]:
    """What is called most nearly as typed, the nearest first; what it is about counts less than its name, the shorter more."""
    typed = utils.default_process(typed)
    whole = [one for one in findables if _holds(one, typed.split())] if typed else []
    findables = whole or findables  # what holds all that is typed leaves nothing to what is only like it
    scores = [_score(typed, one) for one in findables] if typed else []
    nearest = sorted(range(len(scores)), key=lambda index: (-scores[index], len(findables[index].about)))[:most]
    return [findables[index] for index in nearest if scores[index] >= _LEAST_SCORE]


def _holds(one: Findable, typed: Sequence[str]) -> bool:
    """Whether each word that is typed begins one of its words, or of those of what it is about."""
    words = f" {utils.default_process(f'{one.words} {one.about}')}"
    return all(f" {word}" in words for word in typed)


def _score(typed: str, one: Findable) -> float:
    """How near, up to 100, and more where a word begins so."""
    words, about = utils.default_process(one.words), utils.default_process(one.about)
    if len(typed) < _LEAST_MISTYPED and typed not in words and typed not in about:
        return 0
    begins = 20 if words.startswith(typed) else 10 if f" {typed}" in f" {words}" else 0
    return max(fuzz.WRatio(typed, words) + begins, 0.75 * fuzz.partial_ratio(typed, about))
