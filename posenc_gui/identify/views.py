"""What some numbers may be: of each kind, with their axes in each order that the shape allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
_FEW, _VALUES = 64, 2**15  # rows by which conventions are compared, and values in them
_WIDEST = 16_384  # columns; longer axes are positions
_RATED = 4096  # rows by which rates are measured
_ANGLE = 8  # roundings of an angle
_HALF_SUBNORMAL = 2.0**-25  # by which float16 rounds numbers near 0
_EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-8, "float16": 2.0**-11}


@dataclass(frozen=True, eq=False)
class View:
    """Numbers taken for one kind. values: (rows, columns), (heads, n_q, n_k) or (n,). steps: each row's position after the
    first one, of a bias each key's. axes: what the numbers' own axes are; order: where each value stood among them."""

    kind: Kind
    values: Tensor
    steps: Tensor
    axes: tuple[str, ...]
    order: Tensor
    precision: str
    rounding: Tensor | float = 0.0
    before: Tensor | None = None
    shape: tuple[int, ...] = ()

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
        own = own.reshape(self.values.shape)
        repeats = self.order.numel() // own.numel()
        placed = torch.empty(self.order.numel(), dtype=own.dtype)
        placed[self.order.flatten()] = own.repeat(repeats, *[1] * (own.ndim - 1)).flatten()
        return placed.reshape(self.shape)

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
        return (
            float(self.largest) * (16 * _EPS[self.precision] + _ANGLE * self._eps_of_angles * angle)
            + self.most_rounding
        )

    def explained(self, convention: Convention, encoding: Encoding, start: float, own: Tensor) -> Tensor:
        """Return by how much each number may be off for its precision alone: rounded itself, computed from a rounded angle."""
        eps, size = _EPS[self.precision], own.abs()
        if self.before is not None:
            size = self.before.abs().amax(-1, keepdim=True).clamp(min=size)
        turning = self.kind in TABLES and self.kind != "angles"
        roundings = (2 if turning else 8) if eps < 1e-6 else 4 if self.before is not None else 1 if turning else 1.5
        explained = eps * size * roundings + (_HALF_SUBNORMAL if self.precision == "float16" else 1e-15)
        if turning and encoding.fractional:
            places, off = self.steps + start, _ANGLE * self._eps_of_angles
            nearby = [convention.numbers(encoding, places * (1 + sign * off)).reshape(own.shape) for sign in (-1, 1)]
            explained = explained + torch.maximum((nearby[0] - own).abs(), (nearby[1] - own).abs())
        return explained + self.rounding

    @property
    def is_turned(self) -> bool:
        """True if the axes stand in another order than usual."""
        return (
            self.axes.index("positions") > self.axes.index("dimensions")
            if {"positions", "dimensions"} <= {*self.axes}
            else False
        )

    @property
    def is_square(self) -> bool:
        """True if there are as many rows as columns."""
        return self.values.ndim > 1 and self.values.shape[0] == self.values.shape[1]

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
        return min(_EPS[self.precision], _EPS["float32"])  # in low precision, too, angles are computed in float32

    def rates(self) -> tuple[Tensor, Tensor]:
        """Return each column's, pair's or head's rate, and by how much it may be off; see `Seen`."""
        values, noise = self.values[:_RATED], _EPS[self.precision] + self.most_rounding
        one = self.steps[:_RATED].diff().eq(1).cumprod(0).sum() + 1 if len(self.steps) > 1 else 1
        values = values[: int(one)] if self.kind in TABLES else values
        unknown = torch.full((2, values.shape[-1]), math.nan, dtype=torch.float64)
        if self.kind in ("frequencies", "slopes"):
            return values, values.abs() * noise
        if self.kind == "angles":
            return (
                (values.diff(dim=0).mean(0), noise + unknown[0].nan_to_num())
                if len(values) > 1
                else (unknown[0], unknown[1])
            )
        if self.kind == "bias" and values.shape[-1] > 1:
            slopes = values[:, -1].diff(dim=-1).abs().median(-1)[0]
            return slopes, slopes * noise
        if self.kind in ("bias", "buckets"):
            return unknown[0, :1], unknown[1, :1]
        if self.kind == "waves" and values.ndim == 3:
            return rates.turn_rates(torch.view_as_complex(values.contiguous()), noise)
        if self.before is None:
            return rates.wave_rates(values, noise)
        return self._turned(values, self.before[: len(values)], noise)

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
    shape = tuple(numbers.values.shape)
    core = [axis for axis, size in enumerate(shape[: len(shape) - numbers.complex]) if size > 1] or [
        len(shape) - 1 - numbers.complex
    ]
    rounding = (
        numbers.rounding if numbers.rounding is not None else 0.5 * 10.0**-numbers.decimals if numbers.decimals else 0.0
    )
    whole = torch.arange(numbers.values.numel()).reshape(shape)
    for one in (
        (kind,) if kind else ("rotated",) if before is not None else ("waves",) if numbers.complex else get_args(Kind)
    ):
        for names, axes in _orders(one, len(core)):
            order = whole.permute(*[core[axis] for axis in axes], *[a for a in range(len(shape)) if a not in core])
            sizes = [shape[core[axis]] for axis in axes]
            told = ["batch"] * (len(shape) - numbers.complex)
            for axis, name in zip(axes, names, strict=True):
                told[core[axis]] = name
            if view := _view(one, numbers, order, sizes, names, rounding, before):
                yield replace(view, axes=tuple(told), shape=shape)


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


def _view(
    kind: Kind,
    numbers: Numbers,
    order: Tensor,
    sizes: list[int],
    names: tuple[str, ...],
    rounding: Tensor | float,
    before: Tensor | None,
) -> View | None:
    ends = [2] if numbers.complex else []
    if kind in TABLES:
        if (columns := sizes[-1] if "dimensions" in names else 1) > _WIDEST:
            return None
        rows = sizes[names.index("positions")] if "positions" in names else 1
        order = order.reshape([-1, columns, *ends])
        steps = torch.arange(rows).repeat(len(order) // rows)
    elif kind == "bias":
        heads = math.prod(size for size, name in zip(sizes, names, strict=True) if name in ("batch", "heads"))
        queries = sizes[names.index("queries")] if "queries" in names else 1
        order, steps = order.reshape(heads, queries, -1), torch.arange(sizes[-1])
    else:
        order, steps = order.reshape(sizes), torch.arange(sizes[-1])
    values = numbers.values.flatten()[order]
    if kind in ("bias", "slopes"):  # BLOOM repeats its heads for each text of a batch
        heads = len(values)
        period = next((p for p in range(1, heads) if heads % p == 0 and torch.equal(values[p:], values[:-p])), heads)
        values = values[: period if period > 1 or kind == "bias" else heads]
    given = None
    if kind == "rotated":
        if before is None or before.shape != numbers.values.shape:
            return None
        given = before.flatten()[order].double()
    around = rounding.flatten()[order][: len(values)] if torch.is_tensor(rounding) else rounding
    return View(kind, values, steps.double(), (), order, numbers.precision, around, given)
