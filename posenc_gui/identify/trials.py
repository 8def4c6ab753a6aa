"""An encoding in one convention, set against some numbers: how near it comes, and by how much more than by chance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Convention, Seen
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.identify.views import View

ENOUGH = 22.0  # bits by which numbers must agree beyond chance
_GRIDS = (1.0, *(2.0**-k for k in range(1, 20)), *(10.0**-k for k in range(1, 7)))  # of which numbers may be multiples


@dataclass(frozen=True, eq=False)
class Trial:
    """An encoding's numbers from a position on against those of a view, in `sample`, some of its rows or all.

    off_by, mean: the largest and the mean difference. unseen: the largest divided by what the precision explains; up to 1 they
    can't be told apart. measured: the view's rates, with which its encoding was asked for its conventions; index: which of
    them this is.
    """

    view: View
    sample: View
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
        sample = self.sample
        try:
            own = self.own() if own is None else own
            gap = (own - sample.values).abs()
            off_by, mean = float(gap.max()), float(gap.mean())
            if not math.isfinite(off_by):
                return None
            unseen = off_by / sample.most_explained(self.start)
            if unseen <= 1:
                unseen = float((gap / self.explained(own)).max())
        except (ValueError, RuntimeError):
            return None
        return replace(self, off_by=off_by, mean=mean, unseen=unseen)

    @property
    def places(self) -> Tensor:
        """The position of each row of the sample."""
        return self.sample.steps + self.start

    def own(self) -> Tensor:
        """Return its own numbers in the sample. Raises ValueError where it has none."""
        return self.sample.own(self.convention, self.encoding, self.start)

    def explained(self, own: Tensor) -> Tensor:
        """Return by how much each of the sample's numbers may be off for their precision alone."""
        return self.sample.explained(self.convention, self.encoding, self.start, own)

    def changed(self, values: Mapping[str, object], start: int | None = None) -> Trial | None:
        """Return this with other values of fields, or from another position, compared; None where they are refused."""
        try:
            other = declared_fields.with_values(self.encoding, values)
        except ValueError:
            return None
        return replace(self, encoding=other, start=self.start if start is None else start).compared()

    def whole(self) -> Trial:
        """Return this with its differences in all rows."""
        if self.sample is self.view:
            return self
        whole = replace(self, sample=self.view, convention=self._of_all()).compared()
        return replace(whole or replace(self, unseen=math.inf), sample=self.sample, convention=self.convention)

    def numbers(self) -> Tensor:
        """Return its own numbers, in the shape of the pasted ones."""
        return self.view.placed(self.view.own(self._of_all(), self.encoding, self.start))

    def _of_all(self) -> Convention:
        """Return the convention of all rows."""
        return self.convention if self.sample is self.view else self.same_convention(self.view.seen(self.measured))

    def same_convention(self, seen: Seen) -> Convention:
        """Return its convention of other numbers, such as more rows."""
        return [*type(self.encoding).conventions(seen)][self.index]

    @property
    def free(self) -> dict[str, float]:
        """The fields that may be fitted, with their values."""
        values = {name: declared_fields.value_at(self.encoding, name) for name in self.convention.free}
        return {name: value for name, value in values.items() if isinstance(value, float) and value > 0}

    def share(self) -> float:
        """Return which share of the numbers' variance this explains, at most 1."""
        values, own = self.sample.values, self.own()
        return 1 - float((own - values).square().mean() / (values - values.mean()).square().mean())

    def agreement(self, own: Tensor | None = None) -> float:
        """Return by how many bits the numbers agree beyond what the same values in another order might by chance, or others in
        their range. 0 where they hold too little: constants, two values in the same few rows."""
        values = self.sample.values
        ordered = values.flatten().sort()[0]
        if len(torch.unique(ordered)) < 3 and (values.ndim < 2 or len(torch.unique(values, dim=0)) < 4):
            return 0.0
        own = self.own() if own is None else own
        around, own = self.explained(own).flatten(), own.flatten()
        near = torch.searchsorted(ordered, own + around, side="right") - torch.searchsorted(ordered, own - around)
        another = (near - 1).clamp(min=0) / max(len(ordered) - 1, 1)
        grid = next((step for step in _GRIDS if (ordered / step - (ordered / step).round()).abs().max() < 1e-9), 0.0)
        any_in_range = 2 * around.clamp(min=grid / 2) / (float(ordered[-1] - ordered[0]) + grid)
        return float(-torch.where(another > 0, another, any_in_range).clamp(max=1).log2().sum())


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
