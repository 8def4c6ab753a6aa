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
from posenc_gui.foundation.wording import format_distinct, join_words, spell_count

Runs = tuple[Run, ...]

_NAME = "\0"  # stands for the encoding's name where two sentences are compared
# What a second sentence need not repeat: whole clauses, or the words that introduce one, such as “In head 0, with RoPE, ”.
_CLAUSES = re.compile(r".*[:;.] |(?:(?:in|on|at|by|with) [^,]*, )*", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"([−-]?\d[\d.,]*?%?)([.,;:)]*)")  # and the punctuation after it
_TOPIC = re.compile(f"(?<![Ww]ith ){_NAME}")
_TO = ("to", "and")  # between two numbers that change, an arrow each would be misread
_MOST_TOLD, _LONGEST = (
    4,
    240,
)  # sentences of several figures, and their letters: of more the first and the last are told


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
    """Say what was before and what is now, in one sentence where that is possible.

    “Moved by 100 positions: with RoPE no score changes, with Sinusoidal all 36 …” has one topic; “2 → 4 of 8 pairs …” differs
    in nothing but numbers. If the current headline begins with the earlier one, it says both already.
    """
    if not before or not now or quote_runs(now).startswith(quote_runs(before).removesuffix(".")):
        return now
    topic, colon, rest = now[0].text.partition(": ")
    if colon and topic == before[0].text.partition(": ")[0]:
        ended = replace(before[-1], text=before[-1].text.removesuffix("."))
        return (*before[:-1], ended, replace(now[0], text=f", {rest}"), *now[1:])
    short = _clauses_of_second(before, now, names)
    return _with_arrows(before, now, names) or each_after_its_name(before, short, names)


def headline_since(former: Figure, now: Figure) -> Runs:
    """Write former numbers before those that differ, as in “0.23 → 0.43 and 0.17”.

    It is the present headline alone if that differs in more than numbers and the encoding's name, since the former numbers
    would then be of something else.
    """
    sides = [_besides_numbers(one.headline, one.subject.partition(",")[0]) for one in (former, now)]
    if sides[0] != sides[1]:
        return now.headline
    found = list[Run]()
    for one, other in zip(former.headline, now.headline, strict=True):
        if one.text != other.text and other.kind == "number":
            found.append(Run(f"{one.text} → ", "former"))
        found.append(other)
    return tuple(found)


def headline_of_values(figures: Sequence[Figure], names: Names, called: str) -> Runs:
    """“base 100 → 1,000,000: With Sinusoidal, sat gives the two the 0.51 → 0.39 and 0.10 → 0.18.”, from the first value to the
    last; where the sentence stays as it is, that it does, and which number of a map changes most.
    """
    (first, *_, last), begun = figures, f"{called} {names[0]}"
    told = headline_since(first, last)
    if told == last.headline != first.headline and first.headline:  # it differs in more than numbers
        return headline_of_sides(first.headline, last.headline, (f"{begun}: ", f"{names[-1]}: "))
    begun = f"{begun} → {names[-1]}"
    if told and first.headline != last.headline:
        return (Run(f"{begun}: "), *told)
    most = _most_changed(first, last)
    if told:
        return (Run(f"{begun} changes none of this: "), *told, *([Run(" But "), *most] if most else []))
    return (Run(f"{begun}: "), *most) if most else ()


def headline_of_several(figures: Sequence[Figure], names: Names) -> Runs:
    """Each figure's sentence, named by the figure's name and without the clauses that the first has said; figures that say the
    same have one. Of many, or of long ones, those of the first and the last.
    """
    alike: dict[tuple[Run, ...], list[str]] = {}
    for figure, name in zip(figures, names, strict=True):
        if figure.headline:
            unnamed = tuple(_unnamed(figure.headline, figure.subject.partition(",")[0]))
            is_topic = any(_TOPIC.search(run.text) for run in unnamed)  # “RoPE is …” isn't said of two together
            alike.setdefault(figure.headline if is_topic else unnamed, []).append(name)
    named = [(join_words(who), _named(runs, join_words(who))) for runs, who in alike.items()]
    told = [runs if at == 0 else _clauses_of_second(named[0][1], runs, ("", "")) for at, (_, runs) in enumerate(named)]
    said = [
        (replace(runs[0], text=f"{runs[0].text[:1].upper()}{runs[0].text[1:]}"), *runs[1:])
        if who in "".join(run.text for run in runs)
        else (Run(f"{who}: "), *runs)
        for (who, _), runs in zip(named, told, strict=True)
    ]
    if len(said) > _MOST_TOLD or sum(len(run.text) for runs in said for run in runs) > _LONGEST:
        (first, begun), (last, ended) = named[0], named[-1]
        count = Run(f"Of {spell_count(len(figures))}, first {first}: ")
        return (count, *begun, *((Run(f" Last {last}: "), *ended) if len(named) > 1 else ()))
    return tuple(joined(said))


def _most_changed(former: Figure, now: Figure) -> Runs:
    """“the weight of query mat (5), key on (3) changes most, 0.12 → 0.35.”; empty where no number of a map is seen to change."""
    maps = (
        (one, other)
        for one, other in zip(former.panels, now.panels, strict=False)
        if isinstance(one, Heatmap) and isinstance(other, Heatmap) and one.values.shape == other.values.shape
    )
    apart = [(np.abs(other.values - one.values), one, other) for one, other in maps if one.quantity == other.quantity]
    if not apart:
        return ()
    changes, one, other = max(apart, key=lambda found: float(found[0].max()))
    row, column = divmod(int(changes.argmax()), changes.shape[1])
    before, after = format_distinct([float(panel.values[row, column]) for panel in (one, other)])
    if before == after:
        return ()
    where = f"{one.rows.name(one.rows.first + row)}, {one.columns.name(one.columns.first + column)}"
    return Run(f"the {one.quantity} of {where} changes most, "), Run(f"{before} → {after}", "number"), Run(".")


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
    return _named(told, _called(names[1]))


def _named(runs: Sequence[Run], called: str) -> Runs:
    """A sentence with a name in place of its mark."""
    return tuple(replace(run, text=run.text.replace(_NAME, called)) for run in runs)


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
