"""One headline for an earlier figure and the current one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from posenc_gui.figure.panel_pairs import Names
from posenc_gui.figure.runs import Run, quote_runs
from posenc_gui.figure.side_by_side import headline_of_sides

_NUMBER = re.compile(r"([−-]?\d[\d.,]*?%?)([.,;:)]*)")  # and the punctuation after it
_TO = ("to", "and")  # between two numbers that change, an arrow each would be misread


def headline_of_both(first: Sequence[Run], second: Sequence[Run], signs: Names) -> tuple[Run, ...]:
    """Say what was before and what is now, in one sentence where that is possible.

    “Moved by 100 positions: with RoPE no score changes, with Sinusoidal all 36 …” has one topic; “2 → 4 of 8 pairs …” differs
    in nothing but numbers. If the current headline begins with the earlier one, it says both already.
    """
    told, now = tuple(first), tuple(second)
    if not told or not now or quote_runs(now).startswith(quote_runs(told).removesuffix(".")):
        return now
    topic, colon, rest = now[0].text.partition(": ")
    if colon and topic == told[0].text.partition(": ")[0]:
        ended = (*told[:-1], replace(told[-1], text=told[-1].text.removesuffix(".")))
        return (*ended, replace(now[0], text=f", {rest}"), *now[1:])
    return _with_arrows(told, now, signs) or headline_of_sides(told, _without_clause_of(told, now), signs)


def _without_clause_of(first: tuple[Run, ...], second: tuple[Run, ...]) -> tuple[Run, ...]:
    """Return the second headline without the clauses with which both begin, as “Without an encoding, ”."""
    *clauses, last = second[0].text.split(", ")
    known = first[0].text.split(", ")[:-1]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(clauses, known, strict=False)))
    if not same:
        return second
    rest = ", ".join([*clauses, last][same:])
    return (replace(second[0], text=rest[:1].upper() + rest[1:]), *second[1:])


def _with_arrows(first: Sequence[Run], second: Sequence[Run], signs: Names) -> tuple[Run, ...]:
    """Write both values of every number that differs; empty if anything else does."""
    words, others = list(_words(first)), list(_words(second))
    if len(words) != len(others):
        return ()
    merged = [_merged(one, other) for one, other in zip(words, others, strict=True)]
    found = [one for one in merged if one is not None]
    changes = [one != other for one, other in zip(words, others, strict=True)]
    joined = any(
        before and after and between.text.strip() in _TO
        for before, between, after in zip(changes, words[2:], changes[4:], strict=False)
    )
    if len(found) < len(merged) or joined:
        return ()
    begun = Run(f"{signs[0]} → {signs[1].lower()}: ")
    return tuple(
        Run("".join(word.text for word in same), kind)
        for kind, same in itertools.groupby((begun, *found), key=lambda run: run.kind)
    )


def _merged(one: Run, other: Run) -> Run | None:
    """Return a word as it is in both, or both numbers; None if words differ."""
    if one == other:
        return one
    numbers = [_NUMBER.fullmatch(run.text) for run in (one, other)]
    if numbers[0] is None or numbers[1] is None or (one.kind, numbers[0][2]) != (other.kind, numbers[1][2]):
        return None
    return Run(f"{numbers[0][1]} → {numbers[1][1]}{numbers[0][2]}", one.kind)


def _words(runs: Sequence[Run]) -> Iterator[Run]:
    """Yield words and the spaces between them, each with its run's kind."""
    for run in runs:
        yield from (Run(text, run.kind) for text in re.findall(r"\s+|\S+", run.text))
