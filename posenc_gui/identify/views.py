"""What some numbers may be: of each kind, with their axes in each order that the shape allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import get_args

import torch
from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Convention, Kind, Seen
from posenc_gui.identify import rates
from posenc_gui.identify.numbers import Numbers

TABLES = ("table", "cosines", "sines", "waves", "angles", "rotated")  # kinds with a position for each row
_ROWS = (
    "positions dimensions", "dimensions positions", "heads positions dimensions", "positions heads dimensions",
    "batch heads positions dimensions", "batch positions heads dimensions",
)  # fmt: skip
# What axes longer than 1 may be, in their order; all kinds that aren't here are tables.
_AXES = {
    "rotated": ("dimensions", *_ROWS),
    "frequencies": ("pairs",),
    "slopes": ("heads",),
    "bias": ("heads keys", "queries keys", "keys heads", "heads queries keys", "batch heads queries keys"),
    "buckets": ("offsets", "queries keys"),
}
_IN_A_VIEW = ("batch", "heads", "positions", "queries", "keys", "offsets", "pairs", "dimensions")

_ROWS_COMPARED, _VALUES_COMPARED, _VALUES_OF_A_BIAS = 64, 2**15, 2**18
_WIDEST = 16_384  # columns; longer axes are positions
_RATED = 4096  # rows by which rates are measured
_ANGLE = 8  # roundings of an angle
_HALF_SUBNORMAL = 2.0**-25  # by which float16 rounds numbers near 0
_EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-8, "float16": 2.0**-11}


@dataclass(frozen=True, eq=False)
class View:
    """Numbers taken for one kind. values: (rows, columns), (heads, n_q, n_k) or (n,). rounding: half a unit of each one's last
    printed digit, of their shape. steps: each row's position after the first one, of a bias each key's. axes: what the numbers'
    own axes are; arranged: makes a view's array of one of theirs."""

    kind: Kind
    values: Tensor
    rounding: Tensor
    steps: Tensor
    axes: tuple[str, ...]
    numbers: Numbers
    arranged: Callable[[Tensor], Tensor]
    before: Tensor | None = None

    def rows(self, chosen: Tensor) -> View:
        """Return the same of these rows alone."""
        before = None if self.before is None else self.before[chosen]
        parts = self.values[chosen], self.rounding[chosen], self.steps[chosen]
        return replace(self, values=parts[0], rounding=parts[1], steps=parts[2], before=before)

    def sample(self) -> View:
        """Return the same of rows enough to tell conventions apart: the first ones, the last, and some between; of a large bias
        or its buckets the last keys with their queries."""
        if self.kind in TABLES:
            count, most = len(self.steps), max(16, min(_ROWS_COMPARED, _VALUES_COMPARED // self.values[:1].numel()))
            if count <= most:
                return self
            spread = torch.logspace(math.log10(most / 2), math.log10(count - 1), most // 2 - 1).long()
            return self.rows(torch.unique(torch.cat((torch.arange(most // 2), spread, torch.tensor([count - 1])))))
        if self.values.ndim < 2 or self.values.numel() <= _VALUES_OF_A_BIAS:
            return self
        heads = len(self.values) if self.values.ndim == 3 else 1
        last = max(16, math.isqrt(_VALUES_OF_A_BIAS // heads))
        corner = [x[..., -last:, -last:] for x in (self.values, self.rounding)]
        return replace(self, values=corner[0], rounding=corner[1], steps=self.steps[-last:])

    def placed(self, own: Tensor) -> Tensor:
        """Return numbers of this view in the shape of the pasted ones."""
        shape = self.numbers.values.shape
        places = self.arranged(torch.arange(shape.numel()).reshape(shape))
        repeats = places.numel() // own.numel()  # of heads
        placed = torch.empty(shape.numel(), dtype=own.dtype)
        placed[places.flatten()] = own.repeat(repeats, *[1] * (own.ndim - 1)).flatten()
        return placed.reshape(shape)

    def from_each(self, convention: Convention, encoding: Encoding, starts: Sequence[int]) -> list[Tensor]:
        """Return an encoding's numbers from each of these positions on, at once where it can. Raises ValueError as `own` does."""
        if self.kind not in TABLES or self.before is not None:
            return [self.own(convention, encoding, start) for start in starts]
        positions = torch.cat([self.steps + start for start in starts])
        return [*convention.numbers(encoding, positions).reshape(len(starts), *self.values.shape)]

    def own(self, convention: Convention, encoding: Encoding, start: float) -> Tensor:
        """Return an encoding's numbers in this view. Raises ValueError where it has none of this shape."""
        return convention.numbers(encoding, self.steps + start).reshape(self.values.shape)

    def most_explained(self, start: float) -> float:
        """Return more than what precision explains in any number, also where code takes its angles for degrees."""
        angle = 180 / math.pi * (float(self.steps.max()) + start + 1) if self.kind in TABLES else 0
        roundings = 16 * _EPS[self.numbers.precision] + _ANGLE * self._eps_of_angles * angle
        return self._largest * roundings + self._most_rounding

    def explained(self, convention: Convention, encoding: Encoding, start: float, own: Tensor) -> Tensor:
        """Return by how much each number may be off for its precision alone: rounded itself, computed from a rounded angle."""
        eps, size = _EPS[self.numbers.precision], own.abs()
        if self.before is not None:
            size = self.before.abs().amax(-1, keepdim=True).clamp(min=size)
        turning = self.kind in TABLES and self.kind != "angles"
        roundings = (2 if turning else 8) if eps < 1e-6 else 4 if self.before is not None else 1 if turning else 1.5
        explained = eps * size * roundings + (_HALF_SUBNORMAL if self.numbers.precision == "float16" else 1e-15)
        if turning and encoding.fractional:
            places, off = self.steps + start, _ANGLE * self._eps_of_angles
            nearby = [convention.numbers(encoding, places * (1 + sign * off)).reshape(own.shape) for sign in (-1, 1)]
            explained = explained + torch.maximum((nearby[0] - own).abs(), (nearby[1] - own).abs())
        return explained + self.rounding

    @property
    def is_turned(self) -> bool:
        """True if columns stand before rows."""
        return "positions" in self.axes and "dimensions" in self.axes[: self.axes.index("positions")]

    @cached_property
    def _largest(self) -> float:
        """More than the size of any number, or vector before."""
        parts = (self.values,) if self.before is None else (self.values, 2 * self.before)
        return 1 + max(float(part.abs().max()) for part in parts)

    @cached_property
    def _most_rounding(self) -> float:
        return float(self.rounding.max())

    @property
    def _eps_of_angles(self) -> float:  # in low precision, too, angles are computed in float32
        return min(_EPS[self.numbers.precision], _EPS["float32"])

    def rates(self) -> tuple[Tensor, Tensor]:
        """Return each column's, pair's or head's rate, and by how much it may be off; see `Seen`."""
        noise = _EPS[self.numbers.precision] + self._most_rounding
        once = 1 + int(self.steps[:_RATED].diff().eq(1).cumprod(0).sum())  # rows of the first of several heads
        values = self.values[:once] if self.kind in TABLES else self.values
        if self.kind in ("frequencies", "slopes"):
            return values, values.abs() * noise
        if self.kind == "angles":
            slopes = values.diff(dim=0).mean(0)  # NaN of a single row
            return slopes, torch.full_like(slopes, noise)
        if self.kind in ("bias", "buckets"):
            last = values[:, -1] if values.ndim == 3 else values[:0]
            slopes = last.diff(dim=-1).abs().median(-1)[0] if len(last) else torch.full((1,), math.nan)
            return slopes, slopes * noise
        if self.kind == "waves" and values.ndim == 3:
            return rates.turn_rates(torch.view_as_complex(values.contiguous()), noise)
        if self.before is None:
            return rates.wave_rates(values, noise)
        return _rates_of_turned(values, self.before[:once], noise)

    def seen(self, measured: Tensor) -> Seen:
        """Return what encodings are told of these numbers."""
        rows = int(self.steps.max()) + 1  # the last of all is in a sample, too
        return Seen(self.kind, tuple(self.values.shape), measured, self.before, self.values, rows)


def _rates_of_turned(after: Tensor, before: Tensor, noise: float) -> tuple[Tensor, Tensor]:
    """Return the rates of pairs, (2, columns / 2): half-split, interleaved."""
    half = after.shape[-1] // 2
    if after.shape[-1] % 2 or after.shape != before.shape:
        unknown = torch.full((2, half), math.nan, dtype=torch.float64)
        return unknown, unknown
    measured = []
    for one, other in ((slice(half), slice(half, None)), (slice(None, None, 2), slice(1, None, 2))):
        turned, had = (torch.complex(x[:, one], x[:, other]) for x in (after, before))
        turns = turned * had.conj()
        measured.append(rates.turn_rates(turns, noise * float(turns.abs().max())))
    return torch.stack([rate for rate, _ in measured]), torch.stack([error for _, error in measured])


def views(numbers: Numbers, kind: Kind | None, before: Tensor | None) -> Iterator[View]:
    """Yield what these numbers may be: of this kind, or of each."""
    in_pairs = not numbers.complex and numbers.values.ndim > 2 and numbers.values.shape[-1] == 2 and before is None
    if in_pairs and kind in (None, "waves"):  # as torch.view_as_real, torchtune and gpt-fast have complex numbers
        yield from views(replace(numbers, complex=True), "waves", None)
    kinds = ("waves",) if numbers.complex else (kind,) if kind else get_args(Kind) if before is None else ("rotated",)
    shape = numbers.values.shape[:-1] if numbers.complex else numbers.values.shape
    long = [axis for axis, size in enumerate(shape) if size > 1] or [len(shape) - 1]
    for one in kinds:
        for names in map(str.split, _AXES.get(one, ("dimensions", "positions", *_ROWS))):
            if len(names) == len(long):
                sizes = dict(zip(names, (shape[axis] for axis in long), strict=True))
                named = dict(zip(long, names, strict=True))
                if sizes.get("dimensions", 1) <= _WIDEST:
                    axes = tuple(named.get(axis, "batch") for axis in range(len(shape)))
                    yield _view(one, numbers, axes, sizes, before if one == "rotated" else None)


def _view(kind: Kind, numbers: Numbers, axes: tuple[str, ...], sizes: dict[str, int], before: Tensor | None) -> View:
    order = sorted(range(len(axes)), key=lambda axis: _IN_A_VIEW.index(axes[axis]))
    to: tuple[int, ...] = tuple(sizes[name] for name in _IN_A_VIEW if name in sizes)
    steps = torch.arange(to[-1])
    if kind in TABLES:
        rows, columns = sizes.get("positions", 1), sizes.get("dimensions", 1)
        to, steps = (-1, columns), torch.arange(rows).repeat(math.prod(to) // rows // columns)
    elif kind == "bias":
        to = (-1, sizes.get("queries", 1), sizes["keys"])
    if numbers.complex:  # real and imaginary parts
        order, to = [*order, len(axes)], (*to, 2)

    def arranged(array: Tensor) -> Tensor:
        return array.permute(*order).reshape(to)

    values = arranged(numbers.values)
    if kind in ("bias", "slopes"):
        values = values[: _period(values)]
    rounding = torch.zeros(()).expand(values.shape) if numbers.rounding is None else arranged(numbers.rounding)
    given = None if before is None else arranged(before)
    return View(kind, values, rounding[: len(values)], steps.double(), axes, numbers, arranged, given)


def _period(heads: Tensor) -> int:
    """Return after how many heads they repeat, as BLOOM's do for each text of a batch."""
    count = len(heads)
    return next((p for p in range(2, count) if count % p == 0 and torch.equal(heads[p:], heads[:-p])), count)
