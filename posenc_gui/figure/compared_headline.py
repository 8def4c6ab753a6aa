"""Headlines of compared figures: of A and B, of Before and Now, of a sweep, and one with the numbers that it had before."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panel_pairs import Names, signs_of
from posenc_gui.figure.panels import Heatmap
from posenc_gui.figure.runs import Run, joined, listed, quote_runs
from posenc_gui.foundation.wording import format_distinct, join_words

Runs = tuple[Run, ...]

_NAME = "\0"  # stands for the encoding's name where two sentences are compared
# What a second sentence need not repeat: whole clauses, or the words that introduce one, such as “In head 0, with RoPE, ”.
_CLAUSES = re.compile(r".*[:;.] |(?:(?:in|on|at|by|with) [^,]*, )*", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"([−-]?\d[\d.,]*?%?)([.,;:)]*)")  # and the punctuation after it
_TO = ("to", "and")  # between two numbers that change, an arrow each would be misread


def each_after_its_name(first: Runs, second: Runs, names: Names) -> Runs:
    """Return both headlines, each after the short form of its figure's name; only one if they are equal."""
    if first == second:
        return first
    told = [(Run(f"{sign}: "), *runs) for sign, runs in zip(signs_of(names), (first, second), strict=True) if runs]
    return tuple(joined(told))


def headline_of_sides(first: Runs, second: Runs, names: Names) -> Runs:
    """Say what is shown of A, and of B what differs: its numbers, or its sentence without the clauses that A's has said."""
    short = _numbers_of_second(first, second, names) or _clauses_of_second(first, second, names)
    return each_after_its_name(first, second if second == first else short, names)


def headline_over_time(before: Runs, now: Runs, names: Names) -> Runs:
    """Say what was before and what is now, in one sentence where that is possible. “Moved by 100 positions: with RoPE no
    score changes, with Sinusoidal all 36 …” has one topic; “2 → 4 of 8 pairs …” differs in nothing but numbers. If the
    current headline begins with the earlier one, it says both already."""
    if not before or not now or quote_runs(now).startswith(quote_runs(before).removesuffix(".")):
        return now
    topic, colon, rest = now[0].text.partition(": ")
    if colon and topic == before[0].text.partition(": ")[0]:
        ended = replace(before[-1], text=before[-1].text.removesuffix("."))
        return (*before[:-1], ended, replace(now[0], text=f", {rest}"), *now[1:])
    short = _clauses_of_second(before, now, names)
    return _with_arrows(before, now, names) or each_after_its_name(before, short, names)


def headline_since(former: Figure, now: Figure) -> Runs:
    """Write former numbers before those that differ, as in “0.23 → 0.43 and 0.17”; the present headline alone if more differs
    than numbers and the encoding's name: former numbers would be of something else."""
    sides = [_besides_numbers(one.headline, one.subject.partition(",")[0]) for one in (former, now)]
    if sides[0] != sides[1]:
        return now.headline
    found = list[Run]()
    for one, other in zip(former.headline, now.headline, strict=True):
        if one.text != other.text and other.kind == "number":
            found.append(Run(f"{one.text} → ", "former"))
        found.append(other)
    return tuple(found)


def headline_of_multiples(figures: Sequence[Figure], names: Names, called: str) -> Runs:
    """“base 100 → 1,000,000: With Sinusoidal, sat gives the two the 0.51 → 0.39 and 0.10 → 0.18.”, from the first value of
    what is `called` to the last; where the sentence stays, that it does, and which number of a map changes most. Of names
    that are values of nothing, the sentences of the first and the last that have one."""
    told = [(name, one) for name, one in zip(names, figures, strict=True) if called or one.headline]
    if not told:
        return ()
    (name, first), (other_name, last) = told[0], told[-1]
    if not called and first.headline == last.headline:
        return (Run(f"{join_words(dict.fromkeys((name, other_name)))}: "), *first.headline)
    since = headline_since(first, last)
    if not called or (since == last.headline != first.headline and first.headline):  # it differs in more than numbers
        whose = [one.subject.partition(",")[0] for one in (first, last)]
        sides = f"{called} {name}: {whose[0]}".strip(), f"{other_name}: {whose[1]}"
        return headline_of_sides(first.headline, last.headline, sides)
    begun, most = f"{called} {name} → {other_name}", _most_changed(first, last)
    if since and first.headline == last.headline:
        return (Run(f"{begun} changes none of this: "), *since, *([Run(" But "), *most] if most else []))
    return (Run(f"{begun}: "), *(since or most)) if since or most else ()


def _most_changed(former: Figure, now: Figure) -> Runs:
    """“the weight of query mat, key on changes most, 0.12 → 0.35.”; empty where no number of a map is seen to change."""
    maps = [
        (one, other)
        for one, other in zip(former.panels, now.panels, strict=False)
        if isinstance(one, Heatmap) and isinstance(other, Heatmap) and one.values.shape == other.values.shape
    ]
    if not maps:
        return ()
    one, other = max(maps, key=lambda pair: float(np.abs(pair[1].values - pair[0].values).max()))
    row, column = divmod(int(np.abs(other.values - one.values).argmax()), one.values.shape[1])
    before, after = format_distinct([float(panel.values[row, column]) for panel in (one, other)])
    where = f"{one.rows.name(one.rows.first + row)}, {one.columns.name(one.columns.first + column)}"
    told = Run(f"the {one.quantity} of {where} changes most, "), Run(f"{before} → {after}", "number"), Run(".")
    return told if before != after else ()


def _numbers_of_second(first: Runs, second: Runs, names: Names) -> Runs:
    """The numbers of a sentence, “1.56 and 0.49.”, that says the same as the first but for these; empty for another sentence."""
    numbers = [run for run in second if run.kind == "number"]
    sides = [_besides_numbers(runs, _called(name)) for runs, name in zip((first, second), names, strict=True)]
    if not any(letter.isdigit() for run in numbers for letter in run.text) or sides[0] != sides[1]:
        return ()
    return (*listed(numbers), Run("."))


def _clauses_of_second(first: Runs, second: Runs, names: Names) -> Runs:
    """A sentence from the first clause on that isn't the first sentence's: “with RoPE 1.84.” after “…; with ALiBi 0.24.”"""
    sides = [_unnamed(runs, _called(name)) for runs, name in zip((first, second), names, strict=True)]
    signs = ([(sign, run.kind) for run in runs for sign in run.text] for runs in sides)
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*signs, strict=False))
    said = _CLAUSES.match("".join(sign for (sign, _), _ in alike))
    left, told = said.end() if said else 0, list[Run]()
    for run in sides[1]:
        told += [replace(run, text=run.text[left:])] if left < len(run.text) else []
        left = max(0, left - len(run.text))
    return tuple(replace(run, text=run.text.replace(_NAME, _called(names[1]))) for run in told)


def _called(name: str) -> str:
    return name.partition(": ")[2]


def _unnamed(runs: Runs, called: str) -> list[Run]:
    """A sentence with a mark in place of the encoding's name."""
    return [
        replace(run, text=run.text.replace(called, _NAME)) if called and run.kind == "plain" else run for run in runs
    ]


def _besides_numbers(runs: Runs, called: str) -> list[Run]:
    """A sentence without its numbers and its encoding's name."""
    return [replace(run, text="") if run.kind == "number" else run for run in _unnamed(runs, called)]


def _with_arrows(first: Runs, second: Runs, names: Names) -> Runs:
    """Write both values of every number that differs; empty if anything else does."""
    words = (
        [Run(text, run.kind) for run in runs for text in re.findall(r"\s+|\S+", run.text)] for runs in (first, second)
    )
    pairs = list(itertools.zip_longest(*words))
    merged = [_merged(*pair) for pair in pairs]
    found = [one for one in merged if one]
    changes = [one != other for one, other in pairs]
    if len(found) < len(merged) or any(
        before and after and between.text.strip() in _TO
        for before, (between, _), after in zip(changes, pairs[2:], changes[4:], strict=False)
    ):
        return ()
    before, now = signs_of(names)
    begun = Run(f"{before} → {now.lower()}: ")
    return tuple(
        Run("".join(word.text for word in same), kind)
        for kind, same in itertools.groupby((begun, *found), key=lambda run: run.kind)
    )


def _merged(one: Run | None, other: Run | None) -> Run | None:
    """Return a word as it is in both, or both numbers; None if words differ."""
    if one is None or other is None or one == other:
        return one and other
    numbers = [_NUMBER.fullmatch(run.text) for run in (one, other)]
    if numbers[0] is None or numbers[1] is None or (one.kind, numbers[0][2]) != (other.kind, numbers[1][2]):
        return None
    return Run(f"{numbers[0][1]} → {numbers[1][1]}{numbers[0][2]}", one.kind)
