"""The sentence over attention: what the query in focus does, without position and with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from posenc_gui.figure import Run, told_apart
from posenc_gui.letters import isolated, quoted
from posenc_gui.text import shown, twin_groups

Quantity = Literal["probabilities", "scores", "position"]
Row = dict[int, float]  # one query's number for each key that is shown and not masked
Runs = list[Run]

_NOTHING = 1e-6  # what rounding leaves of a score to which nothing is added
_LISTED = 3  # numbers that are told one by one
_COMPARED = 512  # numbers that are told apart one by one: each is compared with all others
_COUNTS = {2: "two", 3: "three"}


def headline(
    under: Sequence[str], rows: Sequence[Row], quantity: Quantity, tokens: tuple[str, ...], query: int
) -> tuple[Run, ...]:
    """What the query does to the first twins that it sees, unless it is one, or to the key of which it has most.

    The rows are its own, each under what is said of it: "without position", "with RoPE".
    """
    words = _Words(tokens, query)
    named = [(f"{one[:1].upper()}{one[1:]}, ", row) for one, row in zip(under, rows, strict=True)]
    if quantity == "position":
        parts = [_added(words, *one) for one in named]
    else:
        parts = (_of_twins if words.twins(rows[0]) else _of_most)(words, named, quantity)
    return tuple(run for at, part in enumerate(parts) for run in ([Run(" ")] if at else []) + part)


def _of_twins(words: _Words, rows: Sequence[tuple[str, Row]], quantity: Quantity) -> list[Runs]:
    """“Without position, sat gives both the 0.23.” “With RoPE, 0.27 and 0.17.”"""
    twins = words.twins(rows[0][1])
    values = [_telling([row[key] for key in twins]) for _, row in rows]
    texts = told_apart([value for row in values for value in row])
    parts: list[Runs] = []
    for at, (under, _) in enumerate(rows):
        start = sum(map(len, values[:at]))
        numbers = _numbers(values[at], texts[start : start + len(values[at])])
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
    """“Without position, dog attends most to “man”: 0.41.” “With RoPE, to “bites”: 0.38.”"""
    most = [max(row, key=row.__getitem__) for _, row in rows]
    texts = told_apart([row[key] for (_, row), key in zip(rows, most, strict=True)])
    verb, then = (" attends most to ", "to ") if quantity == "probabilities" else (" scores highest with ", "with ")
    parts: list[Runs] = []
    for at, (under, row) in enumerate(rows):
        begun = [Run(under), words.focus, Run(verb)] if at == 0 else [Run(f"{under}{then}")]
        parts.append([*begun, *words.key(most[at], row), Run(": "), Run(texts[at], "number"), Run(".")])
    return parts


def _added(words: _Words, under: str, row: Row) -> Runs:
    """“With RoPE, position adds 0.36 and −0.17 to the scores of sat with the two the.”"""
    if max(map(abs, row.values())) <= _NOTHING:
        return [Run(f"{under}nothing is added to the scores of "), words.focus, Run(".")]
    if twins := words.twins(row):
        values = _telling([row[key] for key in twins])
        numbers = _numbers(values, told_apart(values))
        told = [Run(f"{under}position adds "), *numbers, Run(" to the scores of "), words.focus, Run(" with ")]
        return [*told, *words.all_of(twins, equal=len(numbers) == 1), Run(".")]
    most = max(row, key=lambda key: abs(row[key]))
    told = [Run(f"{under}position changes most the score of "), words.focus, Run(" with "), *words.key(most, row)]
    return [*told, Run(": by "), Run(told_apart([row[most]])[0], "number"), Run(".")]


def _telling(values: list[float]) -> list[float]:
    """The numbers; of very many the ends, each twice, since they are more than are told one by one."""
    return values if len(values) <= _COMPARED else [min(values), max(values)] * 2


def _numbers(values: list[float], texts: list[str]) -> Runs:
    """One number where all are the same, a few one by one, of many the smallest and the largest."""
    if len(set(texts)) == 1:
        return [Run(texts[0], "number")]
    if len(texts) > _LISTED:
        ends = (min(range(len(values)), key=values.__getitem__), max(range(len(values)), key=values.__getitem__))
        return [Run(texts[ends[0]], "number"), Run(" to "), Run(texts[ends[1]], "number")]
    found: Runs = []
    for place, text in enumerate(texts):
        found += [Run("" if place == 0 else " and " if place == len(texts) - 1 else ", "), Run(text, "number")]
    return found[1:]


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
        """“both the”, “the three the”; “shown” where a mask or the end of the map hides others."""
        count, whole = len(twins), twins == self._groups[twins[0]]
        named = f"the {_COUNTS.get(count, count)}"
        if equal:
            named = ("both" if count == 2 else "each") if whole else f"each of {named}"
        return [Run(f"{named} "), self._twin(twins[0]), *([] if whole else [Run(" shown")])]

    def key(self, key: int, row: Row) -> Runs:
        """A key by its word; by its place, too, where another of the same word has another number."""
        if key == self._query:
            return [Run("itself")]
        if key not in self._groups:
            return [Run(quoted(shown(self._tokens[key])))]
        told = told_apart(_telling([row[other] for other in self._groups[key] if other in row]))
        return [self._twin(key), *([Run(f" ({key})")] if len(set(told)) > 1 else [])]

    def _twin(self, key: int) -> Run:
        return Run(isolated(shown(self._tokens[key])), "twin")
