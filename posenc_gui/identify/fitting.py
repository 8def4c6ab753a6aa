"""The free fields of an encoding, such as its base, at the values that some numbers are of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from posenc_gui.foundation import declared_fields
from posenc_gui.identify.trials import Trial
from posenc_gui.identify.views import TABLES

_MOST_DIGITS = 9
_NEARLY = 8.0  # times what is explained: a fitted value of fewer digits may come nearer
_STEPS = 4  # by Gauss-Newton, at each number of rows
_SMALL = 1e-6  # a change of a logarithm, for slopes


def fitted(trial: Trial) -> Trial | None:
    """Return a trial with its free fields fitted, on more and more rows, so that no whole turn is missed; None if it can't be."""
    if not trial.free:
        return None
    sample = trial.sample
    by_turns = sample.kind in TABLES and sample.kind != "angles"
    reach, last = 2.0 if by_turns else math.inf, float(sample.steps.max())
    explained = trial.explained(sample.values)
    fit = _Fit(
        trial,
        torch.tensor([*trial.free.values()], dtype=torch.float64).log(),
        explained.clamp(min=explained.median() / 8),
    )
    try:
        while True:
            counted = sample.steps <= reach if by_turns else slice(None)
            for _ in range(_STEPS):
                fit = fit.nearer(counted)
            if reach >= last:
                break
            reach *= 2
        if len(trial.free) == 1:
            fit = fit.in_the_middle().in_the_middle()
        found = fit.at(fit.logs).compared()
    except (ValueError, RuntimeError):
        return None
    return rounded(found) if found and 1 < found.unseen < _NEARLY else found


@dataclass(frozen=True, eq=False)
class _Fit:
    """Logarithms of the free fields' values, and by how much each number may be off."""

    trial: Trial
    logs: Tensor
    explained: Tensor

    def at(self, logs: Tensor) -> Trial:
        """Return the trial with these values. Raises ValueError where they are refused."""
        values = dict(zip(self.trial.free, logs.exp().tolist(), strict=True))
        return replace(self.trial, encoding=declared_fields.with_values(self.trial.encoding, values))

    def off(self, logs: Tensor) -> Tensor:
        """Return the differences that these values leave, in units of what is explained."""
        return (self.at(logs).own() - self.trial.sample.values) / self.explained

    def nearer(self, counted: Tensor | slice) -> _Fit:
        """Return a fit nearer to the numbers of the rows that count, by a step of Gauss-Newton."""
        now = self.off(self.logs)[counted].flatten()
        moved = [self.off(self.logs + small)[counted].flatten() for small in _SMALL * torch.eye(len(self.logs))]
        slopes = torch.stack([(one - now) / _SMALL for one in moved], 1)
        step: Tensor = torch.linalg.lstsq(slopes, -now[:, None]).solution[:, 0]
        return replace(self, logs=self.logs + step.clamp(-1, 1))

    def in_the_middle(self) -> _Fit:
        """Return the middle of what all numbers together leave open of a single field."""
        here = self.at(self.logs)
        fit = replace(self, explained=here.explained(here.own()))
        now = fit.off(self.logs).flatten()
        slope = (fit.off(self.logs + _SMALL).flatten() - now) / _SMALL
        steep = slope.abs() > 1e-3 * slope.abs().max()
        ends = torch.stack([(end - now[steep]) / slope[steep] for end in (-1, 1)]).sort(0)[0]
        return replace(fit, logs=self.logs + ((ends[0].max() + ends[1].min()) / 2).clamp(-1, 1))


def rounded(trial: Trial) -> Trial:
    """Return a trial with its free fields at their defaults, or at as few digits as the numbers allow."""
    for name, value in trial.free.items():
        default = declared_fields.value_at(type(trial.encoding)(), name)
        for rough in (default, *(float(f"{value:.{count}g}") for count in range(1, _MOST_DIGITS + 1))):
            found = trial.changed({name: rough}) if rough else None
            if found and found.unseen <= 1:
                trial = found
                break
    return trial


def interval(trial: Trial, name: str) -> tuple[float, float]:
    """Return the least and the largest value of a field with which the numbers can't be told apart."""

    def fits(log: float) -> bool:
        found = trial.changed({name: trial.free[name] * math.exp(log)})
        return found is not None and found.unseen <= 1

    ends = []
    for sign in (-1, 1):
        inside, outside = 0.0, 1e-8
        while outside < 20 and fits(sign * outside):
            inside, outside = outside, 4 * outside
        for _ in range(8):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if fits(sign * middle) else (inside, middle)
        ends.append(trial.free[name] * math.exp(sign * inside))
    return ends[0], ends[1]
