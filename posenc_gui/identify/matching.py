"""Whose numbers are these: every encoding's conventions set against them, in each way in which they may be taken."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
from posenc_gui.identify import rates, telling
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.trials import Trial, digits, digits_of
from posenc_gui.identify.verdict import Identified
from posenc_gui.identify.views import TABLES, View, views

_STARTS = (0, 1, 2)
# Positions from which rows may begin, too, though their rates are too rough to say so: after a prompt, in a cache.
_FARTHER = sorted({*range(3, 65), *range(100, 1000, 100), *range(1000, 10_001, 1000), *(2**k for k in range(7, 18))})
_NARROW = 512  # columns of tables for which these are tried
_WAVES = ("table", "cosines", "sines", "waves")
_MOST_FITTED = 12
_SINGLE = 7  # decimals in which float32 may be seen
_ENOUGH = 22.0  # bits by which numbers must agree beyond chance
_DIGITS_OF_ONE = 2
_DIGIT = math.log2(10)
_SIMPLEST = ("table", "frequencies", "slopes", "cosines", "sines", "rotated", "bias", "buckets", "angles", "waves")
_UNUSUAL = _SIMPLEST.index("angles")


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
    search = Search(_taken(numbers, kind, given, rows), check_stop)
    named = search.named()
    exact = numbers.precision == "float64" and (numbers.decimals is None or numbers.decimals >= _SINGLE)
    if not named and exact and bool(numbers.values.frac().any()):
        # Written as float64, or printed as exactly, but computed in part in float32.
        again = Search(_taken(replace(numbers, precision="float32"), kind, given, rows), check_stop)
        if named := again.named():
            search = again
    return telling.tell(numbers, search.trials, named, search.few, search.tried, _ENOUGH)


def _taken(numbers: Numbers, kind: Kind | None, before: Tensor | None, rows: str | None) -> list[View]:
    every = [*views(numbers, kind, before)]
    return [one for one in every if rows in one.axes[-2:-1]] or every


def _read(array: Any) -> Numbers:
    if isinstance(array, Numbers):
        return array
    from posenc_gui.identify.reading import of_array, read_text

    return read_text(array)[0] if isinstance(array, str) else of_array(array)


class Search:
    """All that is tried on some numbers, taken in several ways; the nearest trials first."""

    def __init__(self, taken: Sequence[View], check_stop: CheckStop = go_on) -> None:
        self.tried, self.trials, self.check_stop = 0, list[Trial](), check_stop
        self.few: Trial | None = None
        told = [(view, *found) for view, found in zip(taken, _rates(taken), strict=True)]
        for view, measured, _ in sorted(told, key=lambda one: one[0].is_turned):
            if not (view.is_turned and self._within()) or view.values.shape[0] == view.values.shape[-1]:
                self._try(view, measured, _STARTS if view.kind in (*TABLES, "bias") else (0,))
        if not self._within():
            farther = dict[tuple[str, ...], list[int]]()
            for view, measured, errors in told:
                if view.kind in _WAVES:
                    if view.axes not in farther:
                        farther[view.axes] = _likely_starts(view, measured, errors)
                    if starts := [start for start in farther[view.axes] if start not in _STARTS]:
                        self._try(view, measured, starts)
        if not self._within():
            for view, measured, _ in told:
                if view.kind in TABLES and view.values.ndim == 2 and view.values.shape[1] <= _NARROW:
                    self._try_farther(view, measured)
        if not self._within():
            self._fit()
        self.trials.sort(
            key=lambda trial: (trial.unseen > 1, _simplicity(trial) if trial.unseen <= 1 else (trial.off_by,))
        )

    def named(self) -> Trial | None:
        """Return the simplest trial that agrees in all rows, and by enough of them."""
        for trial in self._within():
            self.check_stop()
            self.few = trial.rounded()
            whole = self.few.whole()
            of_one_head = whole.view.kind in ("bias", "slopes") and len(whole.view.values) == 1
            if of_one_head and any(digits_of(value) > _DIGITS_OF_ONE for value in whole.free.values()):
                continue  # one slope may be any: nothing tells that it is of a series
            if whole.unseen <= 1 and trial.agreement() - _DIGIT * digits(whole.encoding) >= _ENOUGH:
                return whole
        return None

    def _within(self) -> list[Trial]:
        return sorted((trial for trial in self.trials if trial.unseen <= 1), key=_simplicity)

    def _try(self, view: View, measured: Tensor, starts: Sequence[int]) -> None:
        few = view.few()
        seen = few.seen(measured)
        for cls in encodings.classes().values():
            self.check_stop()
            for index, convention in enumerate(_conventions(cls, seen)):
                begun = [Trial(view, few, convention, convention.encoding, start, measured, index) for start in starts]
                own: Sequence[Tensor | None] = [None] * len(starts)
                with suppress(ValueError, RuntimeError):  # there may be no such position: then each by itself
                    own = few.from_each(convention, convention.encoding, starts)
                if found := [trial for one, of in zip(begun, own, strict=True) if (trial := one.compared(of))]:
                    self.tried += len(found)
                    self.trials.append(min(found, key=lambda trial: (trial.unseen > 1, trial.mean)))

    def _try_farther(self, view: View, measured: Tensor) -> None:
        """Set each convention against the numbers from that farther position where it comes nearest to their first row."""
        few, first = view.few(), view.rows(torch.zeros(len(_FARTHER), dtype=torch.long))
        starts = torch.tensor(_FARTHER, dtype=torch.float64)
        for cls in encodings.classes().values():
            self.check_stop()
            of_first = cls.conventions(first.seen(measured))
            for index, (convention, alone) in enumerate(
                zip(cls.conventions(few.seen(measured)), of_first, strict=False)
            ):
                try:
                    own = alone.numbers(alone.encoding, starts).reshape(first.values.shape)
                except (ValueError, RuntimeError):
                    continue
                start = _FARTHER[int((own - first.values).abs().mean(1).argmin())]
                if found := Trial(view, few, convention, convention.encoding, start, measured, index).compared():
                    self.tried += 1
                    self.trials.append(found)

    def _fit(self) -> None:
        """Fit the free fields of the nearest, each in its own words, to the numbers."""
        begun = dict[object, Trial]()
        for trial in sorted(self.trials, key=lambda one: one.mean):
            groups = [
                type(value) if isinstance(value, Frozen) else value
                for name, value in trial.encoding
                if name not in trial.convention.free
            ]
            begun.setdefault((trial.few.kind, trial.few.axes, trial.convention.words, *groups), trial)
        for trial in [*begun.values()][:_MOST_FITTED]:
            self.check_stop()
            if better := trial.fitted():
                self.trials.append(better)


def _conventions(cls: type[Encoding], seen: Seen) -> Iterator[Convention]:
    with suppress(ValueError):  # what is measured of arbitrary numbers may be beyond what a parameter allows
        yield from cls.conventions(seen)


def _likely_starts(view: View, measured: Tensor, errors: Tensor) -> list[int]:
    columns = view.values.flatten(1)  # of complex numbers real and imaginary parts
    each = columns.shape[1] // len(measured)
    return rates.likely_starts(columns, measured.repeat_interleave(each), errors.repeat_interleave(each))


def _rates(taken: Sequence[View]) -> list[tuple[Tensor, Tensor]]:
    """Return each view's rates; those of the same columns are measured once."""
    measured = dict[object, tuple[Tensor, Tensor]]()
    keys = [view.axes if view.kind in _WAVES else (view.kind, view.axes) for view in taken]
    return [measured.setdefault(key, measured.get(key) or view.rates()) for key, view in zip(keys, taken, strict=True)]


def _simplicity(trial: Trial) -> tuple[float, ...]:
    kind = _SIMPLEST.index(trial.few.kind)
    start = 1 + digits_of(trial.start) if trial.start else 0
    return digits(trial.encoding) + start + 3 * (kind >= _UNUSUAL), kind, trial.unseen
