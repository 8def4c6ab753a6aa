"""The headline of a plot; for attention, it compares the query in focus without position and with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from posenc_gui.figure.runs import LISTED, Run, joined, number_runs, told_numbers
from posenc_gui.foundation.wording import format_count, format_distinct, isolate, join_words, quote, spell_count
from posenc_gui.text.tokenization import format_token, is_word, twin_groups

Quantity = Literal["probabilities", "scores", "position"]
Tokens = tuple[str, ...]
Row = dict[int, float]  # one query's score or weight for each displayed, unmasked key
Runs = list[Run]

_NOTHING = 1e-6  # rounding error of a score to which nothing is added
_EQUAL = 1e-6  # numbers that differ by no more are written as one
_ROUNDING = 1e-5  # relative to the largest number: float32 error between equal ones
_SEEN = 0.01  # numbers that lie so far apart differ in their second decimal
_MANY_TOKENS = 32


def headline(
    under: Sequence[str],
    rows: Sequence[Row],
    quantity: Quantity,
    tokens: Tokens,
    query: int,
    where: str = "",
    start: int = 0,
    most: bool = False,
) -> tuple[Run, ...]:
    """Say how much the query attends to each token of a repeated word, or to its top keys where it sees no such word, or if
    `most`.

    `twins_to_tell` chooses the word among those that the query isn't itself. Of the quantity "position", say what is added to
    the scores. `rows` holds the query's row in each setting that
    `under` names: "without position", "with RoPE". `where` names the head, if there are several: "In head 0, ". `start` is the
    first token's position.
    """
    words = _TokenRuns(tokens, query, start)
    named = [(f"{one[:1].upper()}{one[1:]}, ", row) for one, row in zip(under, rows, strict=True)]
    if where:
        named[0] = f"{under[0]}, " if under[0] else "", rows[0]
    if quantity == "position":
        parts = [_added(words, *one) for one in named]
    elif len(rows[0]) == 1:
        parts = [_of_itself(words, under, [row[query] for row in rows], quantity)]
    else:
        parts = (_of_twins if words.twins(rows) and not most else _of_most)(words, named, quantity)
    return (*([Run(where)] if where else []), *joined(parts))


def headline_from(
    begun: str,
    change: tuple[str, bool],
    rows: tuple[Row, Row],
    quantity: Quantity,
    tokens: Tokens,
    query: int,
    start: int,
) -> tuple[Run, ...]:
    """Say what becomes of a row where the sentence starts later: `rows` are those from `start` on and from 0 on. `change`
    says why: “Counted from 100, other vectors are added: sat gives the two the 0.31 and 0.22 instead of 0.43 and 0.17.” and
    whether no score changes: “Counted from 100, no distance between words changes. Just as from 0, sat gives both the 0.23.”"""
    changed, is_held = change
    words = _TokenRuns(tokens, query, start)
    twins = () if quantity == "position" else words.twins(rows)
    told = quantity, tokens, query
    if len(rows[0]) == 1:
        return headline((f"{begun[:1].lower()}{begun[1:]}", "from 0"), rows, *told, start=start)
    if is_held:
        return headline(("Just as from 0",), rows[:1], *told, f"{begun}, {changed}. ", start)
    if not twins:
        return headline(("", "from 0"), rows, *told, f"{begun}, {changed}: ", start)
    kept = [told_numbers([row[key] for key in twins]) for row in rows]
    now, before = (number_runs(texts, len(twins)) for texts in _side_by_side(kept, quantity)[0])
    end = Run(" each." if len(before) == 1 else ".")
    if now == before:
        return headline(("just as from 0",), rows[:1], *told, f"{begun}, {changed}: ", start)
    verb = " gives " if quantity == "probabilities" else " scores "
    gives = Run(f"{begun}, {changed}: "), words.focus, Run(verb), *words.all_of(twins, len(now) == 1)
    return *gives, Run(" "), *now, Run(" instead of "), *before, end


def headline_of_head(head: str, place: str, weights: Sequence[float], under: Sequence[str]) -> tuple[Run, ...]:
    """“On average head 2 of layer 0 gives the token before 0.19 with the table zeroed. As trained, 1.00.”"""
    rounded = [f"{weight:.2f}" for weight in weights]
    first, second = (Run(text, "number") for text in (rounded if len(set(rounded)) > 1 else format_distinct(weights)))
    changed, own = under
    said = f". {own[:1].upper()}{own[1:]}, "
    return Run(f"On average {head} gives {place} "), first, Run(f" {changed}{said}"), second, Run(".")


def twins_told(rows: Sequence[Row], tokens: tuple[str, ...], query: int) -> tuple[int, ...]:
    """Return the positions of the twins that the headline of these rows tells of; empty if it tells of none."""
    return _TokenRuns(tokens, query).twins(rows)


def twins_to_tell(
    groups: Iterable[Sequence[int]], apart: Callable[[Sequence[int]], float], n_tokens: int
) -> tuple[int, ...]:
    """Choose the equal tokens that a sentence tells of: the first that are seen to part, so that it keeps to them while a
    number is dragged; in a long text, or if none are, those that part most. Empty if there are none."""
    found = [tuple(group) for group in groups]
    if n_tokens < _MANY_TOKENS and (first := next((group for group in found if apart(group) >= _SEEN), None)):
        return first
    return max(found, key=apart, default=())


def _of_twins(words: _TokenRuns, rows: Sequence[tuple[str, Row]], quantity: Quantity) -> list[Runs]:
    """“Without position, sat gives both the 0.23.” “With RoPE, 0.27 and 0.17.”"""
    twins = words.twins([row for _, row in rows])
    kept = [told_numbers([row[key] for key in twins]) for _, row in rows]
    texts, still = _side_by_side(kept, quantity)
    verb = " gives " if quantity == "probabilities" else " scores "
    parts: list[Runs] = []
    for (under, _), written in zip(rows, texts, strict=True):
        numbers = number_runs(written, len(twins))
        equal = len(numbers) == 1
        begun = [] if parts else [words.focus, Run(verb), *words.all_of(twins, equal), Run(" ")]
        parts.append(
            [Run(f"{under}{still * bool(parts)}"), *begun, *numbers, Run(" each." if parts and equal else ".")]
        )
    return parts


def _of_most(words: _TokenRuns, rows: Sequence[tuple[str, Row]], quantity: Quantity) -> list[Runs]:
    """“Without position, dog attends most to “man”: 0.41.” “With RoPE, to all 3 keys alike: 0.33 each.”"""
    most = [_largest(row, row.__getitem__) for _, row in rows]
    texts, still = _formatted([row[keys[0]] for (_, row), keys in zip(rows, most, strict=True)], quantity)
    verb, best, alike = (
        ("attends ", "most to ", "to {} alike")
        if quantity == "probabilities"
        else ("scores ", "highest with ", "alike with {}")
    )
    parts: list[Runs] = []
    for at, ((under, row), keys) in enumerate(zip(rows, most, strict=True)):
        begun = [Run(under), words.focus, Run(f" {verb}")] if at == 0 else [Run(f"{under}{still}")]
        told = [Run(best), *words.keys(keys, row)]
        if len(keys) == len(row) > 1:
            told = [Run(alike.format(words.every(row)))]
        parts.append([*begun, *told, Run(": "), Run(texts[at], "number"), Run(" each." if len(keys) > 1 else ".")])
    return parts


def _formatted(values: Sequence[float], quantity: Quantity) -> tuple[list[str], str]:
    """Format numbers as one reads them apart; weights that differ by less than a second decimal shows alike, and say “still ”."""
    rounded = [f"{value:.2f}" for value in values]
    is_still = len(set(rounded)) == 1 and max(values) - min(values) > _EQUAL and quantity == "probabilities"
    return (rounded, "still ") if is_still and rounded[0] not in ("0.00", "1.00") else (format_distinct(values), "")


def _side_by_side(rows: Sequence[Sequence[float]], quantity: Quantity) -> tuple[list[list[str]], str]:
    """Format rows of numbers, each with as few decimals as tell its own apart, or all with as many as tell rows apart."""
    texts = [format_distinct(row) for row in rows]
    if len({tuple(one) for one in texts}) == len(texts):
        return texts, ""
    formatted, still = _formatted([value for row in rows for value in row], quantity)
    found = iter(formatted)
    return [[next(found) for _ in row] for row in rows], still


def _of_itself(words: _TokenRuns, under: Sequence[str], values: list[float], quantity: Quantity) -> Runs:
    """“hello sees itself alone: its weight is 1, without position and with RoPE.”"""
    begun = [words.focus, Run(" sees itself alone: ")]
    if quantity == "probabilities":
        return [*begun, Run("its weight is "), Run("1", "number"), Run(f", {join_words(under)}.")]
    told = zip(format_distinct(values), under, strict=True)
    scores = joined(([Run(text, "number"), Run(f" {one}")] for text, one in told), ", ")
    return [*begun, Run("it scores "), *scores, Run(".")]


def _added(words: _TokenRuns, under: str, row: Row) -> Runs:
    """“With RoPE, position adds 0.36 and −0.17 to the scores of sat with the two the.”"""
    if max(map(abs, row.values())) <= _NOTHING:
        return [Run(f"{under}nothing is added to the scores of "), words.focus, Run(".")]
    twins = words.twins([row])
    most = twins or _largest(row, lambda key: abs(row[key]))
    numbers = number_runs(format_distinct(told_numbers([row[key] for key in most])), len(most))
    if twins:
        told = [Run(f"{under}position adds "), *numbers, Run(" to the scores of "), words.focus, Run(" with ")]
        return [*told, *words.all_of(twins, equal=len(numbers) == 1), Run(".")]
    if len(most) == len(row):
        scores = "every score" if len(row) > 1 else "the only score"
        return [Run(f"{under}position adds "), *numbers, Run(f" to {scores} of "), words.focus, Run(".")]
    told = [Run(f"{under}position changes most the score of "), words.focus, Run(" with "), *words.keys(most, row)]
    return [*told, Run(": by "), *numbers, Run(".")]


def _largest(row: Row, size: Callable[[int], float]) -> list[int]:
    """Return the keys with the largest number, up to rounding error."""
    largest = max(map(size, row))
    return [key for key in row if size(key) >= largest - _ROUNDING * abs(largest)]


def _spread(row: Row, keys: Sequence[int]) -> float:
    """Return how far the numbers of these keys lie apart; 0 for no more than rounding."""
    values = [row[key] for key in keys]
    apart = max(values) - min(values)
    return apart if apart > _EQUAL else 0.0


class _TokenRuns:
    """The tokens of a sentence as runs, for a headline about one query."""

    def __init__(self, tokens: tuple[str, ...], query: int, start: int = 0) -> None:
        self._tokens, self._query, self._start = tokens, query, start
        self._words = twin_groups(tokens)
        self._groups = {key: group for group in self._words for key in group}

    @property
    def focus(self) -> Run:
        return Run(isolate(format_token(self._tokens[self._query])), "focus")

    def twins(self, rows: Sequence[Row]) -> tuple[int, ...]:
        """The positions in sight of the repeated word that the headline tells of, not the query's; empty if none is."""
        seen = (
            tuple(key for key in group if key in rows[0])
            for group in self._words
            if is_word(self._tokens[group[0]]) and self._query not in group
        )
        twins = (keys for keys in seen if len(keys) > 1)
        return twins_to_tell(twins, lambda keys: max(_spread(row, keys) for row in rows), len(self._tokens))

    def all_of(self, twins: tuple[int, ...], equal: bool) -> Runs:
        """Write “both the”, “the three the”, or “each the” of so many that a range is told; “in sight” under a mask."""
        count, whole = len(twins), twins == self._groups[twins[0]]
        named = f"the {spell_count(count)}"
        if equal or count > LISTED:  # their least and their largest number are told
            named = ("both" if count == 2 else "each") if whole else f"each of {named}"
        return [Run(f"{named} "), self._twin(twins[0]), *([] if whole else [Run(" in sight")])]

    def every(self, row: Row) -> str:
        """Write “all keys” of a row, with “in sight” if the mask hides others."""
        return f"all {len(row):,} keys{' in sight' if len(row) < len(self._tokens) else ''}"

    def keys(self, keys: Sequence[int], row: Row) -> Runs:
        """Name one of these keys, the query itself if it is among them, else the first, and count the others."""
        others = len(keys) - 1
        first = self._key(self._query if self._query in keys else keys[0], row)
        return first if not others else [*first, Run(f" and {format_count(others, 'other')}")]

    def _key(self, key: int, row: Row) -> Runs:
        """Name a key by its token, and also by its position if the same token elsewhere has a different number."""
        if key == self._query:
            return [Run("itself")]
        if key not in self._groups:
            return [Run(quote(format_token(self._tokens[key])))]
        told = told_numbers([row[other] for other in self._groups[key] if other in row])
        return [self._twin(key), *([Run(f" ({self._start + key:,})")] if max(told) - min(told) > _EQUAL else [])]

    def _twin(self, key: int) -> Run:
        return Run(isolate(format_token(self._tokens[key])), "twin")
