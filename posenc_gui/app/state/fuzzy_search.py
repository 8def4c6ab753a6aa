"""Search by words: in titles, in other words for the same, and in descriptions; also by mistyped words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from rapidfuzz import fuzz

from posenc_gui.foundation.word_match import plain_words

MOST = 10
Kind = Literal[
    "Ask in other ways", "Compare", "Parameters", "Heads", "Actions and settings", "Plots", "Encodings", "Models", "Exports",
    "Sentences", "Labs",
]  # fmt: skip
_KINDS: tuple[Kind, ...] = get_args(Kind)
_TITLE, _OTHER_WORDS, _ABOUT = 1.0, 0.95, 0.6  # what a word counts by where it stands
_BEGUN, _RELATED, _MISTYPED = 0.9, 0.8, 0.75  # and by how like it is to the typed one
_SAME, _SAID = 2.0, 1.5  # scores of what is called exactly as typed, by its title or by other words
_CLEAR, _BEGINS = 0.7, 1.4  # scores of what has the words in its names, and of a title that begins with them
_LEAST, _LEAST_OF_BEST = 0.4, 0.55
_LONGEST = 300  # characters that are searched for
_LEAST_MISTYPED, _LEAST_ALIKE = 5, 80  # letters: of fewer, a wrong one leaves too little; and percent
_SHORT = 4  # letters of a word that is its own stem
_ENDS = re.compile(r"(?:at(?:ions?|es?|ed|ing)|ions?|ings?|ers?|ies|es|ed|al|ly|s|e|y)$")
_FILLERS = frozenset(
    "a an and are at be can do does from how i if in into is it me my of on or the there to what which with".split()  # noqa: SIM905
)
_QUESTION = re.compile(
    r"\s*(?:(?:do|does|did|is|are|was|can|could|should|will|would|how|what|which|who|whom|why|where|when)\b.*\s\S|.*[?？]\s*$)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class SearchEntry:
    """An entry of the search: its words, the kind under which it stands, and what choosing it runs.

    does: what Enter does, or its keys. about: a description, shown and searched. also: other words for it, and `more`: what else
    is told of it; both are searched alone. under: a heading of its own within the kind. icon: its own one. replaces: it takes
    the place of the whole session, so that only its own name proposes it.
    """

    words: str
    kind: Kind
    run: Callable[[], object]
    does: str = ""
    about: str = ""
    also: tuple[str, ...] = ()
    more: str = ""
    under: str = ""
    icon: str = ""
    replaces: bool = False

    def is_proposed(self, typed: str) -> bool:
        """True if Enter may run it at once for what is typed: a lab not for a question, a replacing one by its name alone."""
        if self.kind == "Labs" and is_question(typed):
            return False
        names = map(plain_words, (self.words, *self.also))
        return not self.replaces or any(name.startswith(plain_words(typed)) for name in names)

    @property
    def heading(self) -> str:
        """The heading under which it stands."""
        return self.under or self.kind


def is_question(typed: str) -> bool:
    """Return True if what is typed asks something, so that nobody expects anything to begin."""
    return bool(_QUESTION.match(typed))


def asked_words(typed: str) -> list[str]:
    """Return the words that are searched for, once each, without those that every sentence has."""
    words = list(dict.fromkeys(plain_words(typed[:_LONGEST]).split()))
    return [word for word in words if word not in _FILLERS] or words


def search(typed: str, findables: Sequence[SearchEntry], most: int = MOST) -> list[SearchEntry]:
    """Return the best matches, the best first; none if nothing is typed."""
    return [one for _, one in _ranked(typed, findables)[:most]]


def search_by_heading(typed: str, findables: Sequence[SearchEntry], most: int = MOST) -> list[SearchEntry]:
    """Return the best matches under their headings, in the order of kinds; what is called as typed comes first, then titles
    that have the words, then descriptions. Labs are last, unless one is called as typed; after a question always."""
    groups: dict[tuple[Kind, str], list[tuple[float, SearchEntry]]] = {}
    for rated, one in _ranked(typed, findables)[:most]:
        groups.setdefault((one.kind, one.heading), []).append((rated, one))

    def place(group: tuple[Kind, str]) -> tuple[bool, float, int]:
        kind, best = group[0], groups[group][0][0]
        level = sum(best >= least for least in (_CLEAR, _BEGINS, _SAID, _SAME))
        return kind == "Labs" and (best < _SAID or is_question(typed)), -level, _KINDS.index(kind)

    return [one for group in sorted(groups, key=place) for _, one in groups[group]]


def _ranked(typed: str, findables: Sequence[SearchEntry]) -> list[tuple[float, SearchEntry]]:
    """Return what is likely enough with its score, best first. Of equal ones the order of kinds decides."""
    phrase, asked = plain_words(typed[:_LONGEST]), asked_words(typed)
    if not asked:
        return []
    known = [_words_of(one.words, one.also, f"{one.about} {one.more}") for one in findables]
    rated = list(zip(_scores(phrase, asked, known), findables, strict=True))
    least = max(_LEAST, _LEAST_OF_BEST * min(1.0, max((score for score, _ in rated), default=0.0)))
    rated = [found for found in rated if found[0] >= least]
    return sorted(rated, key=lambda found: (-found[0], _KINDS.index(found[1].kind)))


class _Words(NamedTuple):
    """An entry's title and other names in plain words, and what each word counts by where it stands."""

    title: str
    also: tuple[str, ...]
    counts: Mapping[str, float]


@lru_cache(maxsize=2048)  # the same entries are searched with each key
def _words_of(title: str, also: tuple[str, ...], told: str) -> _Words:
    title, *names = map(plain_words, (title, *also))
    parts = {plain_words(told): _ABOUT, " ".join(names): _OTHER_WORDS, title: _TITLE}
    return _Words(title, tuple(names), {word: counts for part, counts in parts.items() for word in part.split()})


def _scores(phrase: str, asked: Sequence[str], known: Sequence[_Words]) -> list[float]:
    """Score each entry: from 0 to 1 by its words, more if it is called as typed. Words that many entries have count less.
    Entries that have all words hide those that lack one."""
    every = frozenset().union(*(one.counts for one in known))
    scores, whole, has_all = [0.0] * len(known), 0.0, [True] * len(known)
    for word in asked:
        like = _alike(word, every)
        hits = [max((like[has] * one.counts[has] for has in like.keys() & one.counts), default=0.0) for one in known]
        has_all = [has and hit > 0 for has, hit in zip(has_all, hits, strict=True)]
        weight = math.log(1 + len(known) / (1 + sum(map(bool, hits))))
        whole += weight
        scores = [score + weight * hit for score, hit in zip(scores, hits, strict=True)]
    rated = [score / whole + _as_called(phrase, one) for score, one in zip(scores, known, strict=True)]
    return [score if has or not any(has_all) else 0.0 for score, has in zip(rated, has_all, strict=True)]


def _as_called(phrase: str, one: _Words) -> float:
    """Return the bonus of a title or other name that is what is typed, begins so, or has these words together."""
    if phrase == one.title:
        return _SAME
    if phrase in one.also:
        return _SAID
    share = len(phrase) / (len(phrase) + len(one.title))
    begun = 0.4 if f"{one.title} ".startswith(f"{phrase} ") else 0.2 if one.title.startswith(phrase) else 0
    within = any(f" {phrase}" in f" {name}" for name in (one.title, *one.also))
    return begun + 0.1 * within + 0.1 * share


def _alike(word: str, every: Iterable[str]) -> dict[str, float]:
    """Return the words that mean this one, with their likeness: itself, begun so, of its stem, or else mistyped."""
    stem, is_spaced = _stem(word), word.isascii()  # Chinese words have no spaces between
    like = {
        has: _BEGUN if has != word else 1.0 for has in every if has.startswith(word) or (not is_spaced and word in has)
    }
    like = {has: _RELATED for has in every if _stem(has) == stem} | like
    if not like and len(word) >= _LEAST_MISTYPED:
        like = {has: _MISTYPED for has in every if fuzz.ratio(word, has, score_cutoff=_LEAST_ALIKE)}
    return like


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    return _ENDS.sub("", word) if len(word) > _SHORT else word
