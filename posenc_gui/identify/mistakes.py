"""Mistakes in code, and what they make of an encoding's numbers: met where numbers are no convention's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, product
from typing import get_args

from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Convention, Kind
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.wording import format_difference
from posenc_gui.identify.trials import ENOUGH, Trial, digits
from posenc_gui.identify.verdict import say_value
from posenc_gui.identify.views import TABLES

_SIMPLEST, _NEAREST = 24, 24  # conventions in which mistakes are sought, so many of each kind, and of all
_LEAST_FACTOR = 1e-9
_BITS_OF_A_FACTOR = 30.0  # what it is free to fit

_SWAPPED: dict[Kind, Kind] = {"cosines": "sines", "sines": "cosines"}
_PLACES: dict[str, Callable[[Tensor], Tensor]] = {
    "degrees for radians explain": lambda positions: positions * (math.pi / 180),
    "radians for degrees explain": lambda positions: positions * (180 / math.pi),
    "angles turned the other way explain": lambda positions: -positions,
    "rows counted from the last one explain": lambda positions: positions.flip(0),
    "positions rounded to bf16 explain": lambda positions: positions.bfloat16().double(),
}
Mistake = tuple[str, Tensor]  # in words, and the numbers that it makes of a convention


def explaining(trials: Sequence[Trial], with_factor: bool) -> tuple[Trial, str] | None:
    """Return the convention of which a mistake in code makes the numbers, and what is said of that; None if none does.
    with_factor: whether the mistake may be a factor, which explains much."""
    for trial in _usual(trials):
        plain = trial.compared() or trial
        for words, mistaken, own, free in _mistakes(trial, with_factor) if plain.unseen > 1 else ():
            compared = mistaken.compared(own)
            if compared and compared.unseen <= 1 and mistaken.agreement(own) - free >= ENOUGH:
                off = f"all but {format_difference(compared.off_by)}" if compared.off_by else "them exactly"
                return plain, f"{words} {off}"
    return None


def _usual(trials: Sequence[Trial]) -> list[Trial]:
    """Return the simplest of each kind that was tried, also with plain values and from the first position, and the nearest."""
    usual = dict[object, Trial]()
    for trial in trials:
        plain = {name: declared_fields.value_at(type(trial.encoding)(), name) for name in trial.convention.free}
        known = declared_fields.with_values(trial.encoding, {name: value for name, value in plain.items() if value})
        for encoding, start in product((known, trial.encoding), (0, trial.start)):
            key = (trial.view.kind, trial.view.axes, trial.convention.words, encoding, start)
            usual.setdefault(key, replace(trial, encoding=encoding, start=start))
    ordered = sorted(usual.values(), key=lambda one: (digits(one.encoding), one.start))
    simplest = chain.from_iterable(
        [one for one in ordered if one.view.kind == kind][:_SIMPLEST] for kind in get_args(Kind)
    )
    return [*simplest, *sorted(trials, key=lambda one: one.mean)[:_NEAREST]]


def _changed(
    convention: Convention, change: Callable[[Tensor], Tensor], encoding: Encoding, positions: Tensor
) -> Tensor:
    return convention.numbers(encoding, change(positions))


def _mistakes(trial: Trial, with_factor: bool) -> Iterator[tuple[str, Trial, Tensor, float]]:
    """Yield mistakes with the trial whose precision counts, its numbers, and the bits that are free to fit."""
    for words, change in _PLACES.items() if trial.view.kind in TABLES and trial.encoding.fractional else ():
        numbers = partial(_changed, trial.convention, change)
        changed = replace(trial, convention=replace(trial.convention, numbers=numbers))
        with suppress(ValueError):
            yield words, changed, changed.own(), 0.0
    for words, own in chain(_of_waves(trial), _of_slopes(trial), _its_own(trial)):
        yield words, trial, own, 0.0
    for words, own, free in _of_size(trial) if with_factor else ():
        yield words, trial, own, free


def _of_waves(trial: Trial) -> Iterator[Mistake]:
    own, width = trial.own(), trial.sample.values.shape[-1]
    if other := _SWAPPED.get(trial.view.kind):
        swapped = trial.same_convention(replace(trial.sample.seen(trial.measured), kind=other))
        yield "sines and cosines swapped explain", swapped.numbers(trial.encoding, trial.places).reshape(own.shape)
    if trial.view.kind == "table" and width % 2 == 0:
        yield "sines and cosines swapped explain", own.reshape(-1, width // 2, 2).flip(2).flatten(1)
        yield "sines and cosines swapped explain", own.roll(width // 2, 1)
        with suppress(ValueError):  # without a base, or where its square is beyond what a base may be
            twice = trial.encoding.with_fields(base=trial.free.get("base", 0) ** 2).vectors(trial.places, 2 * width)
            words = "an exponent of its own for each column, where sine and cosine share one, explains"
            yield words, twice.reshape(-1, width // 2, 4)[..., [0, 3]].flatten(1)


def _of_slopes(trial: Trial) -> Iterator[Mistake]:
    own = trial.own()
    if trial.view.kind not in ("slopes", "bias"):
        return
    if len(own) > 1 and float(own[1].abs().max()):
        yield "heads counted from 0 explain", own * (own[0].abs().max() / own[1].abs().max())
    if own.shape[-1] > 1:
        slopes = own.abs() if own.ndim == 1 else own.diff(dim=-1).abs().amax((-1, -2), keepdim=True)
        yield "slopes rounded to bf16 explain", own * (slopes.bfloat16().double() / slopes.clamp(min=1e-30))


def _its_own(trial: Trial) -> Iterator[Mistake]:
    for words, numbers in trial.encoding.mistakes(trial.sample.seen(trial.measured)):
        yield f"{words} explain", numbers(trial.places).reshape(trial.sample.values.shape)


def _of_size(trial: Trial) -> Iterator[tuple[str, Tensor, float]]:
    own = trial.own()
    power = float(own.square().sum())
    factor = float((own * trial.sample.values).sum()) / power if power else 0.0
    if abs(factor) > _LEAST_FACTOR:
        yield f"a factor of {say_value(float(f'{factor:.6g}'))} explains", own * factor, _BITS_OF_A_FACTOR
