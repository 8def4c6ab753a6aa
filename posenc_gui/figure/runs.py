"""Sentences as runs of plain text, numbers and tokens, so that renderers can style numbers and tokens differently."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from posenc_gui.foundation.wording import format_brief, format_decimals, format_distinct

Kind = Literal["plain", "number", "former", "focus", "twin"]
LISTED = 3  # up to this many numbers are listed one by one


@dataclass(frozen=True)
class Run:
    """A piece of a sentence: plain text, an emphasized number, a former number, or a token (in focus, or with twins). A
    token's text has no quotation marks, since a renderer may distinguish it by colour; `quote_runs` adds them."""

    text: str
    kind: Kind = "plain"


def quote_runs(runs: Iterable[Run]) -> str:
    """Return the sentence as plain text, with tokens in quotation marks."""
    return "".join(f"“{run.text}”" if run.kind in ("focus", "twin") else run.text for run in runs)


def sentence(*parts: str | float | Run) -> tuple[Run, ...]:
    """Build a sentence: texts become plain runs, numbers emphasized ones in the format of `format_brief`."""
    return tuple(
        part if isinstance(part, Run) else Run(part) if isinstance(part, str) else Run(format_brief(part), "number")
        for part in parts
        if part != ""
    )


def number_run(text: str) -> Run:
    """Return a number run for a text such as “7 of 8” or “43%”."""
    return Run(text, "number")


def told_numbers(values: Sequence[float]) -> list[float]:
    """Return the numbers that a sentence tells: up to three as they are; of more, only the smallest and the largest."""
    return [*values] if len(values) <= LISTED else [min(values), max(values)]


def format_as_told(values: Sequence[float]) -> list[str]:
    """Format numbers as a sentence does that tells some of them: with as many decimals as tell these apart."""
    told = format_distinct(told_numbers(values))
    if len(told) == len(values) or any("e" in text for text in told):
        return format_distinct(values)
    return format_decimals(values, len(told[0].partition(".")[2]))


def number_runs(texts: Sequence[str], count: int) -> list[Run]:
    """Write the `told_numbers` of `count` values: one number if all read the same, a few one by one, or the range of many."""
    if len(set(texts)) == 1:
        return [number_run(texts[0])]
    if count > LISTED:
        return [number_run(texts[0]), Run(" to "), number_run(texts[1])]
    return listed([number_run(text) for text in texts])


def listed(runs: Sequence[Run]) -> list[Run]:
    """Write runs one after the other, as “1.2, 3.4 and 5”."""
    *firsts, last = runs
    return [*joined([[run] for run in firsts], ", "), *([Run(" and ")] if firsts else []), last]


def joined(parts: Iterable[Sequence[Run]], between: str = " ") -> list[Run]:
    """Write parts of a text one after the other."""
    return [run for at, part in enumerate(parts) for run in ([Run(between)] if at else []) + [*part]]
