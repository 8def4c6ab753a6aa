"""What some numbers may be: of each kind, with their axes in each order that the shape allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import get_args

import torch
from torch import Tensor

from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.conventions import Convention, Kind, Seen
from posenc_gui.identify import rates
from posenc_gui.identify.numbers import Numbers

TABLES = ("table", "cosines", "sines", "waves", "angles", "rotated")  # kinds with a position for each row
_FEW, _VALUES = 64, 2**15  # rows by which conventions are compared, and values in them
_WIDEST = 16_384  # columns; longer axes are positions
_RATED = 4096  # rows by which rates are measured
_ANGLE = 8  # roundings of an angle
_HALF_SUBNORMAL = 2.0**-25  # by which float16 rounds numbers near 0
_EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-8, "float16": 2.0**-11}


@dataclass(frozen=True, eq=False)
class View:
    """Numbers taken for one kind. values: (rows, columns), (heads, n_q, n_k) or (n,). steps: each row's position after the
    first one, of a bias each key's. axes: what the numbers' own axes are; arranged: makes a view's array of one of theirs."""

    kind: Kind
    values: Tensor
    steps: Tensor
    axes: tuple[str, ...]
    numbers: Numbers
    arranged: Callable[[Tensor], Tensor]
    rounding: Tensor | float = 0.0
    before: Tensor | None = None

    def rows(self, chosen: Tensor) -> View:
        """Return the same of these rows alone."""
        before = None if self.before is None else self.before[chosen]
        rounding = self.rounding[chosen] if isinstance(self.rounding, Tensor) else self.rounding
        return replace(self, values=self.values[chosen], steps=self.steps[chosen], before=before, rounding=rounding)

    def few(self) -> View:
        """Return the same of rows enough to tell conventions apart: the first ones, the last, and some between."""
        count, few = len(self.steps), max(16, min(_FEW, _VALUES // self.values[:1].numel()))
        if self.kind not in TABLES:
            return self._last()
        if count <= few:
            return self
        spread = torch.logspace(math.log10(few / 2), math.log10(count - 1), few // 2 - 1).long()
        return self.rows(torch.unique(torch.cat((torch.arange(few // 2), spread, torch.tensor([count - 1])))))

    def _last(self) -> View:
        """Return the last keys, and their queries, of a large bias or its buckets."""
        if self.values.ndim < 2 or self.values.numel() <= _VALUES * 8:
            return self
        heads = len(self.values) if self.values.ndim == 3 else 1
        last = max(16, math.isqrt(_VALUES * 8 // heads))
        rounding = self.rounding[..., -last:, -last:] if torch.is_tensor(self.rounding) else self.rounding
        return replace(self, values=self.values[..., -last:, -last:], steps=self.steps[-last:], rounding=rounding)

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
        """Return more than what precision explains in any number."""
        angle = float(self.steps.max()) + start + 1 if self.kind in TABLES else 0
        roundings = 16 * _EPS[self.numbers.precision] + _ANGLE * self._eps_of_angles * angle
        return self.largest * roundings + self.most_rounding

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
        return "dimensions" in self.axes[: self.axes.index("positions")] if "positions" in self.axes else False

    @cached_property
    def largest(self) -> float:
        """More than the size of any number, or vector before."""
        parts = (self.values,) if self.before is None else (self.values, 2 * self.before)
        return 1 + max(float(part.abs().max()) for part in parts)

    @cached_property
    def most_rounding(self) -> float:
        """By how much printing may have changed a number at most."""
        return float(torch.as_tensor(self.rounding).max())

    @property
    def _eps_of_angles(self) -> float:
        return min(
            _EPS[self.numbers.precision], _EPS["float32"]
        )  # in low precision, too, angles are computed in float32

    def rates(self) -> tuple[Tensor, Tensor]:
        """Return each column's, pair's or head's rate, and by how much it may be off; see `Seen`."""
        noise = _EPS[self.numbers.precision] + self.most_rounding
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
        return (
            rates.wave_rates(values, noise) if self.before is None else self._turned(values, self.before[:once], noise)
        )

    def _turned(self, after: Tensor, before: Tensor, noise: float) -> tuple[Tensor, Tensor]:
        """Return the rates of pairs, (2, columns / 2): half-split, interleaved."""
        if after.shape[-1] % 2 or after.shape != before.shape:
            unknown = torch.full((2, after.shape[-1] // 2), math.nan, dtype=torch.float64)
            return unknown, unknown
        found, half = [], after.shape[-1] // 2
        for one, other in ((slice(half), slice(half, None)), (slice(None, None, 2), slice(1, None, 2))):
            turned, had = (torch.complex(x[:, one], x[:, other]) for x in (after, before))
            turns = turned * had.conj()
            found.append(rates.turn_rates(turns, noise * float(turns.abs().max())))
        return torch.stack([one[0] for one in found]), torch.stack([one[1] for one in found])

    def seen(self, measured: Tensor) -> Seen:
        """Return what encodings are told of these numbers."""
        rows = int(self.steps.max()) + 1  # the last of all is among few, too
        return Seen(self.kind, tuple(self.values.shape), measured, self.before, self.values, rows)


def views(numbers: Numbers, kind: Kind | None, before: Tensor | None) -> Iterator[View]:
    """Yield what these numbers may be: of this kind, or of each."""
    paired = not numbers.complex and numbers.values.ndim > 2 and numbers.values.shape[-1] == 2 and before is None
    if paired and kind in (None, "waves"):  # as torch.view_as_real, torchtune and gpt-fast have complex numbers
        yield from views(replace(numbers, complex=True), "waves", None)
    ends = (2,) * numbers.complex
    shape = numbers.values.shape[: numbers.values.ndim - len(ends)]
    core = [axis for axis, size in enumerate(shape) if size > 1] or [len(shape) - 1]
    rounding = 0.5 * 10.0**-numbers.decimals if numbers.decimals and numbers.rounding is None else 0.0
    kinds = ("waves",) if numbers.complex else (kind,) if kind else get_args(Kind) if before is None else ("rotated",)
    for one in kinds:
        for names, axes in _orders(one, len(core)):
            chosen, told = [core[axis] for axis in axes], ["batch"] * len(shape)
            order = [*chosen, *(axis for axis in range(numbers.values.ndim) if axis not in core)]
            for axis, name in zip(chosen, names, strict=True):
                told[axis] = name
            sizes = dict(zip(names, (shape[axis] for axis in chosen), strict=True))
            columns, steps = sizes.get("dimensions", 1), torch.arange(shape[chosen[-1]])
            to: tuple[int, ...] = tuple(sizes.values())
            if one in TABLES:
                rows = sizes.get("positions", 1)
                to, steps = (-1, columns, *ends), torch.arange(rows).repeat(shape.numel() // rows // columns)
            elif one == "bias":
                to = (-1, sizes.get("queries", 1), sizes["keys"])
            arranged = partial(_arranged, order=order, to=to)
            values, held = arranged(numbers.values), before if one == "rotated" else None
            if columns > _WIDEST:
                continue
            values = values[: _period(values)] if one in ("bias", "slopes") else values
            around = rounding if numbers.rounding is None else arranged(numbers.rounding)[: len(values)]
            given = None if held is None else arranged(held)
            yield View(one, values, steps.double(), tuple(told), numbers, arranged, around, given)


def _arranged(array: Tensor, order: Sequence[int], to: tuple[int, ...]) -> Tensor:
    return array.permute(*order).reshape(to)


def _period(heads: Tensor) -> int:
    """Return after how many heads they repeat, as BLOOM's do for each text of a batch."""
    count = len(heads)
    return next((p for p in range(2, count) if count % p == 0 and torch.equal(heads[p:], heads[:-p])), count)


def _orders(kind: str, count: int) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Yield names for so many axes longer than 1, in the order of a view, and which axis each is."""
    front = ("batch", "heads")[-max(count - 2, 0) :] if count > 2 else ()
    if kind in ("frequencies", "slopes"):
        names = "pairs" if kind == "frequencies" else "heads"
        yield from [((names,), (0,))] if count == 1 else ()
    elif kind == "buckets":
        yield from [(("queries", "keys"), (0, 1))] if count == 2 else [(("offsets",), (0,))] if count == 1 else ()
    elif kind == "bias":
        if count == 2:
            yield from [(("heads", "keys"), (0, 1)), (("queries", "keys"), (0, 1)), (("heads", "keys"), (1, 0))]
        elif count > 2:
            yield (*front, "queries", "keys"), tuple(range(count))
    elif count == 1:
        yield from [(("dimensions",), (0,))] + [(("positions",), (0,))] * (kind != "rotated")
    else:
        *rest, rows, columns = range(count)
        yield (*front, "positions", "dimensions"), (*rest, rows, columns)
        if count == 2:
            yield ("positions", "dimensions"), (1, 0)
        else:  # heads may stand between positions and dimensions
            yield (*front, "positions", "dimensions"), (*rest[:-1], rows, rest[-1], columns)
