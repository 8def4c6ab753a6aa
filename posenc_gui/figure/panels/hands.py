"""Two hands on each pair's clock: a query's and a key's, turned by their places, and what each pair adds to their score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import NOWHERE, Pointer, Role
from posenc_gui.figure.ranges import require_finite
from posenc_gui.foundation.wording import format_decimals, format_distinct, format_number, isolate

Tips = npt.NDArray[np.complex128]  # of hands: the first dimension of each turned pair is real, the second imaginary

HIDDEN = "hidden by the mask"


@dataclass(frozen=True, eq=False)
class KeyHands:
    """A key as the query meets it: token index, name, the tips of its hands, (pairs,), and the parts of its score.

    `parts` has one for each of the panel's `columns`; their sum is the score before cap and mask. `weight` is None for a key
    that the mask hides. `is_twin`: one of the equal words that the headline tells of.
    """

    at: int
    label: str
    tips: Tips
    parts: tuple[float, ...]
    weight: float | None
    is_twin: bool = False

    @property
    def score(self) -> float:
        """The sum of all parts."""
        return sum(self.parts)


@dataclass(frozen=True, eq=False)
class Hands:
    """A query and some keys, a row each, with a clock for each pair of dimensions.

    `tips` are those of the query's hands, (pairs,). `keys` may hold more than `rows`, the indices of those that are shown at
    rest: a pointer brings out another. `pairs` are the indices of the pairs with a clock, the first of the `columns`; others
    are parts without one, first that of `more` pairs together, if there are more. `longest` is the length of a hand as long as
    a clock's radius, `high` the amount of the longest bar. `told`: the columns that the headline names; `marked`: those of
    clocks that are framed because a text speaks of them. `start`: the position of the sentence's first token.
    """

    title: str
    query: int
    label: str
    tips: Tips
    keys: tuple[KeyHands, ...]
    rows: tuple[int, ...]
    pairs: tuple[int, ...]
    columns: tuple[str, ...]
    longest: float
    high: float
    more: int = 0
    told: tuple[int, ...] = ()
    marked: tuple[int, ...] = ()
    start: int = 0

    def __post_init__(self) -> None:
        if not (self.rows and self.pairs and len(self.pairs) <= len(self.columns)):
            raise ValueError(f"hands {self.title!r} need a key, and a name for each of their clocks")
        for key in self.keys:
            require_finite(np.abs(np.concatenate((self.tips, key.tips, key.parts))), f"key {key.label!r}")

    @property
    def shown(self) -> tuple[KeyHands, ...]:
        """The keys of the rows."""
        return tuple(self.keys[row] for row in self.rows)

    def name(self, key: KeyHands) -> str:
        """“the (4)”: a key with its position."""
        return f"{isolate(key.label)} ({self.start + key.at:,})"

    def weights(self, keys: Sequence[KeyHands]) -> list[str]:
        """The weights of these keys as text, told apart, or that the mask hides one."""
        texts = iter(format_distinct([key.weight for key in keys if key.weight is not None]))
        return [HIDDEN if key.weight is None else next(texts) for key in keys]

    def fitting(self, most: int) -> Self:
        """Return the same hands with at most so many clocks: those that the headline names, then those that add or take most."""
        count = len(self.pairs)
        if most >= count:
            return self

        def matters(at: int) -> tuple[bool, float]:
            return at in self.told, max(abs(key.parts[at]) for key in self.shown)

        kept = sorted(sorted(range(count), key=matters, reverse=True)[: max(1, most)])
        rest = count + (self.more > 0)  # the first column that stays as it is
        more = self.more + count - len(kept)

        def fewer(key: KeyHands) -> KeyHands:
            parts = [key.parts[at] for at in kept]
            others = sum(key.parts[:rest]) - sum(parts)
            return replace(key, tips=key.tips[kept], parts=(*parts, others, *key.parts[rest:]))

        return replace(
            self,
            tips=self.tips[kept],
            keys=tuple(map(fewer, self.keys)),
            pairs=tuple(self.pairs[at] for at in kept),
            columns=(*(self.columns[at] for at in kept), f"{more:,} more", *self.columns[rest:]),
            more=more,
            told=tuple(kept.index(at) for at in self.told if at in kept),
            marked=tuple(kept.index(at) for at in self.marked if at in kept),
        )

    def on_scale_of(self, panels: Sequence[Self]) -> Self:
        """Return the same hands on one scale with those of these panels."""
        return replace(self, longest=max(one.longest for one in panels), high=max(one.high for one in panels))

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer to the clock in column x of the key with index y."""
        column, row = round(x), round(y)
        if not 0 <= row < len(self.keys):
            return NOWHERE
        met: tuple[tuple[Role, int], ...] = (("query", self.query), ("key", self.keys[row].at))
        return Pointer((*met, ("pair", self.pairs[column])) if 0 <= column < len(self.pairs) else met)

    def read(self, x: float, y: float) -> str:
        """Describe what stands in column x of the key with index y, its score after the last part; empty if nothing does."""
        column, row = round(x), round(y)
        if not 0 <= row < len(self.keys) or not 0 <= column <= len(self.columns):
            return ""
        key = self.keys[row]
        met = f"{isolate(self.label)} ({self.start + self.query:,}) → {self.name(key)}"
        if column == len(self.columns):
            weight = HIDDEN if key.weight is None else f"weight {format_number(key.weight)}"
            return f"{met} · score {format_number(key.score)} · {weight}"
        told = f"{met} · {self.columns[column]} · adds {format_number(key.parts[column])}"
        if column >= len(self.pairs):
            return told
        query, tip = self.tips[column], key.tips[column]
        lengths = " and ".join(format_number(abs(one)) for one in (query, tip))
        return f"{told} · {lengths} long, {abs(np.angle(query * tip.conj(), deg=True)):.0f}° apart"

    def describe(self) -> str:
        """Tell each row in words, for those who can't see it."""
        told = []
        for key, weight in zip(self.shown, self.weights(self.shown), strict=True):
            added = ", ".join(f"{name} {part}" for name, part in zip(self.columns, as_summed(key.parts), strict=True))
            score, seen = format_decimals([key.score], 2)[0], weight if weight == HIDDEN else f"weight {weight}"
            told.append(f"{isolate(self.label)} → {self.name(key)}: {added}; score {score}, {seen}.")
        return " ".join(told)


def as_summed(parts: Sequence[float]) -> list[str]:
    """Write the parts of a sum with two decimals, rounded up or down so that they add up to the sum as it is written."""
    hundredths = np.asarray(parts) * 100
    whole = np.floor(hundredths)
    up = round(float(hundredths.sum())) - int(whole.sum())
    whole[np.argsort(whole - hundredths, kind="stable")[:up]] += 1
    return format_decimals((whole / 100).tolist(), 2)
