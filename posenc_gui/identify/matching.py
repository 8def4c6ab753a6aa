"""Whose numbers are these: every encoding's conventions set against them, in each way in which they may be taken."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, get_args

import torch
from torch import Tensor

from posenc_gui import encodings
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Convention, Kind, Seen
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import unknown_name
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.identify import fitting, rates, telling
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.trials import ENOUGH, Trial, digits, digits_of
from posenc_gui.identify.verdict import Identified
from posenc_gui.identify.views import TABLES, View, views

_STARTS = (0, 1, 2)
# Positions from which rows may begin, too, though their rates are too rough to say so: after a prompt, in a cache.
_FARTHER = sorted({*range(3, 65), *range(100, 1000, 100), *range(1000, 10_001, 1000), *(2**k for k in range(7, 18))})
_NARROW = 512  # columns of tables for which these are tried
_MOST_FITTED = 12
_SINGLE = 7  # decimals in which float32 may be seen
_DIGITS_OF_ONE = 2  # of what is fitted to a single slope
_BITS_OF_A_DIGIT = math.log2(10)
_SIMPLEST = ("table", "frequencies", "slopes", "cosines", "sines", "rotated", "bias", "buckets", "angles", "waves")
_UNUSUAL = ("angles", "waves")  # kinds that are worth a few digits


def identify(
    array: Any, kind: Kind | None = None, before: Any = None, check_stop: CheckStop = go_on, rows: str | None = None
) -> Identified:
    """Say whose numbers these are: which encoding's, with which parameters, in which convention of public code.

    array: numbers, such as a table of position vectors, cosines, inv_freq, a bias or its slopes, as an array, a tensor, lists
    or `Numbers`. kind: what they are; None: found. before: of rotated queries, the queries before, of the same shape.
    rows: what its rows are, such as "positions", if they can be that. Raises ValueError for what isn't numbers.
    """
    if kind is not None and kind not in get_args(Kind):
        raise ValueError(unknown_name("kind", kind, get_args(Kind)))
    numbers, given = _read(array), None if before is None else _read(before).values
    if given is None and kind == "rotated":
        raise ValueError("Rotated queries tell nothing without those before: give them as `before`, in the same shape.")
    if given is not None and given.shape != numbers.values.shape:
        raise ValueError(f"before has shape {tuple(given.shape)}, the rotated queries {tuple(numbers.values.shape)}")

    def searched(numbers: Numbers) -> Search:
        every = [*views(numbers, kind, given)]
        return Search([view for view in every if rows in view.axes[-2:-1]] or every, check_stop)

    search = searched(numbers)
    exact = numbers.precision == "float64" and (numbers.decimals is None or numbers.decimals >= _SINGLE)
    if not search.named and exact and bool(numbers.values.frac().any()):
        # Written as float64, or printed as exactly, but perhaps computed in part in float32.
        again = searched(replace(numbers, precision="float32"))
        search = again if again.named else search
    return telling.tell(numbers, search.trials, search.named, search.tried)


def _read(array: Any) -> Numbers:
    if isinstance(array, Numbers):
        return array
    from posenc_gui.identify.reading import LONG, of_array, read_text

    if isinstance(array, list | tuple):  # the digits that were typed say how exact they are
        with suppress(TypeError, ValueError, RecursionError):  # other than Python's own numbers
            if len(text := json.dumps(array)) <= LONG:
                return read_text(text)[0]
    return read_text(array)[0] if isinstance(array, str) else of_array(array)


class Search:
    """All that is tried on some numbers, taken in several ways: `trials`, those within the precision first, the simplest of
    them at the front, then the nearest. named: the simplest that agrees in all rows, and by enough of them, if there is one.
    tried: how many conventions were compared."""

    def __init__(self, taken: Sequence[View], check_stop: CheckStop = go_on) -> None:
        self.tried, self.trials, self.check_stop = 0, list[Trial](), check_stop
        self.measured = dict(zip(taken, _rates(taken), strict=True))
        for stage in (self._try_first_starts, self._try_likely_starts, self._try_farther_starts, self._fit):
            if not self._within():
                stage()
        self.trials = self._within() + sorted(
            (trial for trial in self.trials if trial.unseen > 1), key=lambda trial: trial.off_by
        )
        self.named = next(filter(None, map(self._confirmed, self._within())), None)

    def _within(self) -> list[Trial]:
        return sorted((trial for trial in self.trials if trial.unseen <= 1), key=_simplicity)

    def _try_first_starts(self) -> None:
        for view in sorted(self.measured, key=lambda view: view.is_turned):
            if not (view.is_turned and self._within()) or view.values.shape[0] == view.values.shape[-1]:
                self._try(view, _STARTS if view.kind in (*TABLES, "bias") else (0,))

    def _try_likely_starts(self) -> None:
        likely = dict[tuple[str, ...], list[int]]()
        for view, (rate, error) in self.measured.items():
            if view.kind in rates.WAVES:
                if view.axes not in likely:
                    likely[view.axes] = rates.likely_starts(view.values.flatten(1), rate, error)
                if starts := [start for start in likely[view.axes] if start not in _STARTS]:
                    self._try(view, starts)

    def _try_farther_starts(self) -> None:
        """Set each convention against the numbers from that farther position where it comes nearest to their first row."""
        starts = torch.tensor(_FARTHER, dtype=torch.float64)
        for view in self.measured:
            if view.kind in TABLES and view.values.ndim == 2 and view.values.shape[1] <= _NARROW:
                first = view.rows(torch.zeros(len(_FARTHER), dtype=torch.long))
                for trial, of_first in zip(self._begun(view), self._begun(view, first), strict=False):
                    with suppress(ValueError, RuntimeError):
                        own = of_first.convention.numbers(of_first.encoding, starts).reshape(first.values.shape)
                        nearest = int((own - first.values).abs().mean(1).argmin())
                        self._keep_nearest([replace(trial, start=_FARTHER[nearest]).compared()])

    def _begun(self, view: View, sample: View | None = None) -> Iterator[Trial]:
        """Yield a trial, not yet compared, of each convention of each encoding."""
        sample, measured = sample or view.sample(), self.measured[view][0]
        for cls in encodings.classes().values():
            self.check_stop()
            for index, convention in enumerate(_conventions(cls, sample.seen(measured))):
                yield Trial(view, sample, convention, convention.encoding, 0, measured, index)

    def _try(self, view: View, starts: Sequence[int]) -> None:
        for trial in self._begun(view):
            own: Sequence[Tensor | None] = [None] * len(starts)
            with suppress(ValueError, RuntimeError):  # there may be no such position: then each by itself
                own = trial.sample.from_each(trial.convention, trial.encoding, starts)
            self._keep_nearest(
                replace(trial, start=start).compared(one) for start, one in zip(starts, own, strict=True)
            )

    def _keep_nearest(self, compared: Iterable[Trial | None]) -> None:
        if found := [trial for trial in compared if trial]:
            self.tried += len(found)
            self.trials.append(min(found, key=lambda trial: (trial.unseen > 1, trial.mean)))

    def _fit(self) -> None:
        """Fit the free fields of the nearest, each in its own words, to the numbers."""
        nearest = dict[object, Trial]()
        for trial in sorted(self.trials, key=lambda one: one.mean):
            fixed = [
                type(value) if isinstance(value, Frozen) else value
                for name, value in trial.encoding
                if name not in trial.convention.free
            ]
            nearest.setdefault((trial.view.kind, trial.view.axes, trial.convention.words, *fixed), trial)
        for trial in [*nearest.values()][:_MOST_FITTED]:
            self.check_stop()
            if better := fitting.fitted(trial):
                self.trials.append(better)

    def _confirmed(self, trial: Trial) -> Trial | None:
        self.check_stop()
        whole = fitting.rounded(trial).whole()
        of_one_head = whole.view.kind in ("bias", "slopes") and len(whole.view.values) == 1
        if of_one_head and any(digits_of(value) > _DIGITS_OF_ONE for value in whole.free.values()):
            return None  # one slope may be any: nothing tells that it is of a series
        is_beyond_chance = trial.agreement() - _BITS_OF_A_DIGIT * digits(whole.encoding) >= ENOUGH
        return whole if whole.unseen <= 1 and is_beyond_chance else None


def _conventions(cls: type[Encoding], seen: Seen) -> Iterator[Convention]:
    with suppress(ValueError):  # what is measured of arbitrary numbers may be beyond what a parameter allows
        yield from cls.conventions(seen)


def _rates(taken: Sequence[View]) -> list[tuple[Tensor, Tensor]]:
    """Return each view's rates, and their errors; those of the same columns are measured once."""
    measured = dict[object, tuple[Tensor, Tensor]]()
    keys = [view.axes if view.kind in rates.WAVES else (view.kind, view.axes) for view in taken]
    return [measured.setdefault(key, measured.get(key) or view.rates()) for key, view in zip(keys, taken, strict=True)]


def _simplicity(trial: Trial) -> tuple[float, ...]:
    kind = trial.view.kind
    start = 1 + digits_of(trial.start) if trial.start else 0
    return digits(trial.encoding) + start + 3 * (kind in _UNUSUAL), _SIMPLEST.index(kind), trial.unseen
