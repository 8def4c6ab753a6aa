"""The sentence over a plot: its words and numbers; over attention what the query in focus does, without position and with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from posenc_gui.figure.figure import Run, number, told_apart
from posenc_gui.foundation.unicode_text import isolated, quoted
from posenc_gui.text.tokenization import shown, twin_groups

Quantity = Literal["probabilities", "scores", "position"]
Row = dict[int, float]  # one query's number for each key that is shown and not masked
Runs = list[Run]

_NOTHING = 1e-6  # what rounding leaves of a score to which nothing is added
_EQUAL = 1e-6  # by which numbers may differ that are told as one
_ROUNDING = 1e-5  # of the largest number: what float32 leaves between equal ones
_LISTED = 3  # numbers that are told one by one
_COUNTS = {2: "two", 3: "three"}


def headline(
    under: Sequence[str], rows: Sequence[Row], quantity: Quantity, tokens: tuple[str, ...], query: int, where: str = ""
) -> tuple[Run, ...]:
    """What the query does to the first twins that it sees, unless it is one, or to the key of which it has most.

    The rows are its own, each under what is said of it: "without position", "with RoPE". `where` is of which head, if not of
    all: "In head 0, ".
    """
    words = _Words(tokens, query)
    named = [(f"{one[:1].upper()}{one[1:]}, ", row) for one, row in zip(under, rows, strict=True)]
    if where:
        named[0] = f"{under[0]}, ", rows[0]
    if quantity == "position":
        parts = [_added(words, *one) for one in named]
    elif len(rows[0]) == 1:
        parts = [_of_itself(words, under, [row[query] for row in rows], quantity)]
    else:
        parts = (_of_twins if words.twins(rows[0]) else _of_most)(words, named, quantity)
    told = (run for at, part in enumerate(parts) for run in ([Run(" ")] if at else []) + part)
    return (*([Run(where)] if where else []), *told)


def _of_twins(words: _Words, rows: Sequence[tuple[str, Row]], quantity: Quantity) -> list[Runs]:
    """“Without position, sat gives both the 0.23.” “With RoPE, 0.27 and 0.17.”"""
    twins = words.twins(rows[0][1])
    kept = [_kept([row[key] for key in twins]) for _, row in rows]
    texts = iter(told_apart([value for values in kept for value in values]))
    parts: list[Runs] = []
    for at, ((under, _), values) in enumerate(zip(rows, kept, strict=True)):
        numbers = _numbers([next(texts) for _ in values], len(twins))
        equal = len(numbers) == 1
        if at == 0:
            verb = " gives " if quantity == "probabilities" else " scores "
            parts.append(
                [Run(under), words.focus, Run(verb), *words.all_of(twins, equal), Run(" "), *numbers, Run(".")]
            )
        else:
            parts.append([Run(under), *numbers, Run(" each." if equal else ".")])
    return parts


def _of_most(words: _Words, rows: Sequence[tuple[str, Row]], quantity: Quantity) -> list[Runs]:
    """“Without position, dog attends most to “man”: 0.41.” “With RoPE, to all 3 keys alike: 0.33 each.”"""
    most = [_largest(row, row.__getitem__) for _, row in rows]
    texts = told_apart([row[keys[0]] for (_, row), keys in zip(rows, most, strict=True)])
    verb, best, alike = (
        ("attends ", "most to ", "to {} alike")
        if quantity == "probabilities"
        else ("scores ", "highest with ", "alike with {}")
    )
    parts: list[Runs] = []
    for at, ((under, row), keys) in enumerate(zip(rows, most, strict=True)):
        begun = [Run(under), words.focus, Run(f" {verb}")] if at == 0 else [Run(under)]
        told = [Run(best), *words.keys(keys, row)]
        if len(keys) == len(row) > 1:
            told = [Run(alike.format(words.every(row)))]
        parts.append([*begun, *told, Run(": "), Run(texts[at], "number"), Run(" each." if len(keys) > 1 else ".")])
    return parts


def _of_itself(words: _Words, under: Sequence[str], values: list[float], quantity: Quantity) -> Runs:
    """“hello sees itself alone: its weight is 1, without position and with RoPE.”"""
    begun = [words.focus, Run(" sees itself alone: ")]
    if quantity == "probabilities":
        return [*begun, Run("its weight is "), Run("1", "number"), Run(f", {' and '.join(under)}.")]
    told: Runs = [Run("it scores ")]
    for at, (text, one) in enumerate(zip(told_apart(values), under, strict=True)):
        told += [*([Run(", ")] if at else []), Run(text, "number"), Run(f" {one}")]
    return [*begun, *told, Run(".")]


def _added(words: _Words, under: str, row: Row) -> Runs:
    """“With RoPE, position adds 0.36 and −0.17 to the scores of sat with the two the.”"""
    if max(map(abs, row.values())) <= _NOTHING:
        return [Run(f"{under}nothing is added to the scores of "), words.focus, Run(".")]
    if twins := words.twins(row):
        values = _kept([row[key] for key in twins])
        numbers = _numbers(told_apart(values), len(twins))
        told = [Run(f"{under}position adds "), *numbers, Run(" to the scores of "), words.focus, Run(" with ")]
        return [*told, *words.all_of(twins, equal=len(numbers) == 1), Run(".")]
    most = _largest(row, lambda key: abs(row[key]))
    values = _kept([row[key] for key in most])
    numbers = _numbers(told_apart(values), len(most))
    if len(most) == len(row):
        scores = "every score" if len(row) > 1 else "the only score"
        return [Run(f"{under}position adds "), *numbers, Run(f" to {scores} of "), words.focus, Run(".")]
    told = [Run(f"{under}position changes most the score of "), words.focus, Run(" with "), *words.keys(most, row)]
    return [*told, Run(": by "), *numbers, Run(".")]


def _largest(row: Row, size: Callable[[int], float]) -> list[int]:
    """The keys whose number is the largest, to rounding."""
    largest = max(map(size, row))
    return [key for key in row if size(key) >= largest - _ROUNDING * abs(largest)]


def _kept(values: list[float]) -> list[float]:
    """A few numbers as they are, of many the smallest and the largest."""
    return values if len(values) <= _LISTED else [min(values), max(values)]


def _numbers(texts: list[str], count: int) -> Runs:
    """One number where all are the same, a few one by one, the ends of many."""
    if len(set(texts)) == 1:
        return [Run(texts[0], "number")]
    if count > _LISTED:
        return [Run(texts[0], "number"), Run(" to "), Run(texts[1], "number")]
    found: Runs = []
    for place, text in enumerate(texts):
        found += [Run("" if place == 0 else " and " if place == len(texts) - 1 else ", "), Run(text, "number")]
    return found[1:]


def sentence(*parts: str | float | Run) -> tuple[Run, ...]:
    """Words as they are, numbers set apart, as `brief` writes them."""
    return tuple(
        part if isinstance(part, Run) else Run(part) if isinstance(part, str) else Run(brief(part), "number")
        for part in parts
        if part != ""
    )


def brief(value: float) -> str:
    """A number as it is taken in at a glance: three significant digits."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 999.5 <= abs(rounded) < 999_999.5 else number(rounded)


def figures(text: str) -> Run:
    """Numbers that stand in words of their own: “7 of 8”, “43%”."""
    return Run(text, "number")


class _Words:
    """A sentence's tokens as runs, seen from one query."""

    def __init__(self, tokens: tuple[str, ...], query: int) -> None:
        self._tokens, self._query = tokens, query
        self._words = twin_groups(tokens)
        self._groups = {key: group for group in self._words for key in group}

    @property
    def focus(self) -> Run:
        return Run(isolated(shown(self._tokens[self._query])), "focus")

    def twins(self, row: Row) -> tuple[int, ...]:
        """The first word that stands more than once in the row, without the query itself; empty where there is none."""
        for group in self._words:
            seen = tuple(key for key in group if key in row)
            if self._tokens[group[0]].isalnum() and len(seen) > 1 and self._query not in group:
                return seen
        return ()

    def all_of(self, twins: tuple[int, ...], equal: bool) -> Runs:
        """“both the”, “the three the”; “in sight” where a mask hides others."""
        count, whole = len(twins), twins == self._groups[twins[0]]
        named = f"the {_COUNTS.get(count, count)}"
        if equal:
            named = ("both" if count == 2 else "each") if whole else f"each of {named}"
        return [Run(f"{named} "), self._twin(twins[0]), *([] if whole else [Run(" in sight")])]

    def every(self, row: Row) -> str:
        """All keys of a row; “in sight” where a mask hides others."""
        return f"all {len(row):,} keys{' in sight' if len(row) < len(self._tokens) else ''}"

    def keys(self, keys: Sequence[int], row: Row) -> Runs:
        """One key, and how many others there are of which the same is told."""
        others = len(keys) - 1
        first = self._key(self._query if self._query in keys else keys[0], row)
        return first if not others else [*first, Run(f" and {others:,} other{'s' if others > 1 else ''}")]

    def _key(self, key: int, row: Row) -> Runs:
        """A key by its word; by its place, too, where another of the same word has another number."""
        if key == self._query:
            return [Run("itself")]
        if key not in self._groups:
            return [Run(quoted(shown(self._tokens[key])))]
        told = _kept([row[other] for other in self._groups[key] if other in row])
        return [self._twin(key), *([Run(f" ({key:,})")] if max(told) - min(told) > _EQUAL else [])]

    def _twin(self, key: int) -> Run:
        return Run(isolated(shown(self._tokens[key])), "twin")
