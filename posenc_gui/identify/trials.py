"""An encoding in one convention, set against some numbers: how near it comes, fitted, rounded, and by how much it is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

import torch
from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Convention
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.identify.views import TABLES, View

_GRIDS = (1.0, *(2.0**-k for k in range(1, 20)), *(10.0**-k for k in range(1, 7)))  # of which numbers may be multiples
_MOST_DIGITS = 9
_NEARLY = 8.0  # times what is explained: a fitted value of fewer digits may come nearer


@dataclass(frozen=True, eq=False)
class Trial:
    """An encoding's numbers from a position on against those of a view, `few` rows of it.

    off_by, mean: the largest and the mean difference. unseen: the largest divided by what the precision explains. measured:
    the view's rates, with which its encoding was asked for its conventions; index: which of them this is.
    """

    view: View
    few: View
    convention: Convention
    encoding: Encoding
    start: int
    measured: Tensor
    index: int
    off_by: float = math.inf
    mean: float = math.inf
    unseen: float = math.inf

    def compared(self, own: Tensor | None = None) -> Trial | None:
        """Return this with its differences; None where the encoding has no such numbers."""
        few = self.few
        try:
            own = few.own(self.convention, self.encoding, self.start) if own is None else own
            gap = (own - few.values).abs()
            off_by, mean = float(gap.max()), float(gap.mean())
            if not math.isfinite(off_by):
                return None
            if off_by > (most := few.most_explained(self.start)):
                return replace(self, off_by=off_by, mean=mean, unseen=off_by / most)
            explained = few.explained(self.convention, self.encoding, self.start, own)
        except (ValueError, RuntimeError):
            return None
        return replace(self, off_by=off_by, mean=mean, unseen=float((gap / explained).max()))

    def changed(self, values: Mapping[str, object], start: int | None = None) -> Trial | None:
        """Return this with other values of fields, or from another position, compared; None where they are refused."""
        try:
            other = declared_fields.with_values(self.encoding, values)
        except ValueError:
            return None
        return replace(self, encoding=other, start=self.start if start is None else start).compared()

    def whole(self) -> Trial:
        """Return this, compared in all rows."""
        whole = self if self.few is self.view else replace(self, few=self.view, convention=self._of_all()).compared()
        return whole or replace(self, unseen=math.inf)

    def numbers(self) -> Tensor:
        """Return its own numbers, in the shape of the pasted ones."""
        return self.view.placed(self.view.own(self._of_all(), self.encoding, self.start))

    def _of_all(self) -> Convention:
        """Return the convention of all rows."""
        if self.few is self.view:
            return self.convention
        return next(islice(type(self.encoding).conventions(self.view.seen(self.measured)), self.index, None))

    def fitted(self) -> Trial | None:
        """Return this with its free fields fitted, by Gauss-Newton on more and more rows, so that no whole turn is missed."""
        names = self.free
        if not names:
            return None
        few, logs = self.few, torch.tensor([math.log(value) for value in names.values()], dtype=torch.float64)
        by_turns = few.kind in TABLES and few.kind != "angles"
        size = few.explained(self.convention, self.encoding, self.start, few.values)
        weight = 1 / size.clamp(min=size.median() / 8)
        reach, last = 2.0 if by_turns else math.inf, float(few.steps.max())

        def at(logs: Tensor) -> Encoding:
            return declared_fields.with_values(self.encoding, dict(zip(names, logs.exp().tolist(), strict=True)))

        def gap(logs: Tensor) -> Tensor:
            off = (few.own(self.convention, at(logs), self.start) - few.values) * weight
            return (off[few.steps <= reach] if by_turns else off).flatten()

        def step() -> Tensor:
            now = gap(logs)
            slopes = torch.stack([(gap(logs + small) - now) / 1e-6 for small in 1e-6 * torch.eye(len(names))], 1)
            change: Tensor = torch.linalg.lstsq(slopes, -now[:, None]).solution[:, 0].clamp(-1, 1)
            return change

        def to_the_middle() -> Tensor:
            """The step to the middle of what all numbers together leave open of a single field."""
            now, slope = gap(logs), (gap(logs + 1e-6) - gap(logs)) / 1e-6
            told = slope.abs() > 1e-3 * slope.abs().max()
            ends = torch.stack(((-1 - now[told]) / slope[told], (1 - now[told]) / slope[told])).sort(0)[0]
            return ((ends[0].max() + ends[1].min()) / 2).clamp(-1, 1)

        try:
            while True:
                for _ in range(4):
                    logs = logs + step()
                if reach >= last:
                    break
                reach *= 2
            for _ in range(2 * (len(names) == 1)):
                own = few.own(self.convention, at(logs), self.start)
                weight = 1 / few.explained(self.convention, at(logs), self.start, own)
                logs = logs + to_the_middle()
        except (ValueError, RuntimeError):
            return None
        found = self.changed(dict(zip(names, logs.exp().tolist(), strict=True)))
        return found.rounded() if found and 1 < found.unseen < _NEARLY else found

    @property
    def free(self) -> dict[str, float]:
        """The fields that may be fitted, with their values."""
        values = {name: declared_fields.value_at(self.encoding, name) for name in self.convention.free}
        return {name: value for name, value in values.items() if isinstance(value, float) and value > 0}

    def rounded(self) -> Trial:
        """Return this with its free fields at their defaults, or at as few digits as the numbers allow."""
        trial = self
        for name, value in self.free.items():
            default = declared_fields.value_at(type(self.encoding)(), name)
            for rough in (default, *(float(f"{value:.{count}g}") for count in range(1, _MOST_DIGITS + 1))):
                found = trial.changed({name: rough}) if rough else None
                if found and found.unseen <= 1:
                    trial = found
                    break
        return trial

    def interval(self, name: str) -> tuple[float, float]:
        """Return the least and the largest value of a field with which the numbers can't be told apart."""

        def fits(log: float) -> bool:
            found = self.changed({name: self.free[name] * math.exp(log)})
            return found is not None and found.unseen <= 1

        ends = []
        for sign in (-1, 1):
            inside, outside = 0.0, 1e-8
            while outside < 20 and fits(sign * outside):
                inside, outside = outside, 4 * outside
            for _ in range(8):
                middle = (inside + outside) / 2
                inside, outside = (middle, outside) if fits(sign * middle) else (inside, middle)
            ends.append(self.free[name] * math.exp(sign * inside))
        return ends[0], ends[1]

    def agreement(self, own: Tensor | None = None) -> float:
        """Return by how many bits the numbers agree beyond what the same values in another order might by chance, or others in
        their range. 0 where they hold too little: constants, two values in the same few rows."""
        values = self.few.values
        flat = values.flatten().sort()[0]
        if len(torch.unique(flat)) < 3 and (values.ndim < 2 or len(torch.unique(values, dim=0)) < 4):
            return 0.0
        own = self.few.own(self.convention, self.encoding, self.start) if own is None else own
        around = self.few.explained(self.convention, self.encoding, self.start, own).flatten()
        own, grid = (
            own.flatten(),
            next((s for s in _GRIDS if ((flat / s) - (flat / s).round()).abs().max() < 1e-9), 0.0),
        )
        near = torch.searchsorted(flat, own + around, side="right") - torch.searchsorted(flat, own - around)
        others = (near - 1).clamp(min=0) / max(len(flat) - 1, 1)
        even = 2 * around.clamp(min=grid / 2) / (float(flat[-1] - flat[0]) + grid)
        return float(-torch.where(others > 0, others, even).clamp(max=1).log2().sum())


def digits(whole: Frozen) -> int:
    """Return how many digits and choices tell a model from its defaults."""
    count = 0
    for name, declared in type(whole).model_fields.items():
        value = getattr(whole, name)
        if value != declared.get_default(call_default_factory=True):
            several = value if isinstance(value, tuple) else (value,)
            numbers = [one for one in several if isinstance(one, int | float) and not isinstance(one, bool)]
            count += 1 + sum(map(digits_of, numbers)) + (digits(value) if isinstance(value, Frozen) else 0)
    return count


def digits_of(value: float) -> int:
    """Return how many digits a number has, without zeros at its ends; one for a power of two."""
    if value >= 1 and math.log2(value).is_integer():
        return 1
    return len(f"{value:.9e}".partition("e")[0].replace(".", "").strip("-0")) or 1
