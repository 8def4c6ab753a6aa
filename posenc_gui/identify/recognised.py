"""What a typed formula is: its values set against the known encodings' by `Search`, then compared with them in the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import torch
from torch import Tensor

from posenc_gui.attention.layer import AttentionModel, context_of
from posenc_gui.encodings.base import Encoding, RotationEncoding
from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.encodings.common.rotary import pair_indices
from posenc_gui.foundation.declared_fields import option_title
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import inner_case
from posenc_gui.identify import rates
from posenc_gui.identify.matching import Search
from posenc_gui.identify.numbers import Numbers
from posenc_gui.identify.trials import digits_of
from posenc_gui.identify.verdict import say_fields
from posenc_gui.identify.views import TABLES, views

_ROWS = 64  # positions that are searched
_FEWEST = 8  # of them, where they are as many as dimensions, for an encoding that has no more
_HEADS = 8  # that are searched at least: the slope of a single head may be any
_PLACES = torch.tensor([*range(_ROWS), 100, 1000, 4096])  # at which what was found is compared
_LENGTH = int(_PLACES.max()) + 1
_PLAIN = 6  # digits of a base
_ALIKE = 1e-8  # values that differ by no more are the same


@dataclass(frozen=True, eq=False)
class _Way:
    """A way in which a formula's values may be a known encoding's: `values`, of this kind, are searched. is_same: whether a known
    encoding from a position on has all the formula's values in the model; told: how, in words; fields: what the search leaves
    open."""

    kind: Kind
    values: Tensor
    is_same: Callable[[Encoding, int], bool]
    told: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)

    def found(self, check_stop: CheckStop) -> tuple[Encoding, int] | None:
        """Return the known encoding and its first position, if there is one."""
        taken = views(Numbers(self.values, "float64"), self.kind, None)
        view = next(one for one in taken if one.axes[0] in ("positions", "heads"))
        if named := Search([view], check_stop).named:
            known = named.encoding.with_fields(**self.fields)
            start = named.start if self.kind in TABLES else 0
            if self.is_same(known, start):
                return known, start
        return None

    def say(self, known: Encoding, start: int) -> str:
        """Say what was found, with its base where another one would make a difference."""
        always: tuple[str, ...] = ("base",)
        base = getattr(known, "base", None)
        if base and self.is_same(known.with_fields(base=2 * base), start):  # of a single pair any base is the same
            always, known = (), known.with_fields(base=dict(type(known)())["base"])
        choices = [name for name, value in known if isinstance(value, str) and value != getattr(type(known)(), name)]
        declared = type(known).model_fields
        told = [
            inner_case(f"{declared[one].title} {option_title(declared[one], getattr(known, one))}") for one in choices
        ]
        parts = [known.called, *told, *say_fields(known, always=always)]
        return ", ".join((*parts, *([f"from position {start:,}"] if start else []))) + self.told


def recognise(encoding: Encoding, model: AttentionModel, check_stop: CheckStop = go_on) -> str:
    """Say in a sentence which known encoding a typed one is in this model, up to its first position, the order of columns or a
    constant in each row of a bias; empty where it is none, or where its values can't tell."""
    ways = {"input": _of_input, "rotation": _of_rotation, "score": _of_score}[encoding.door]
    with suppress(Undefined):  # a formula that is not defined somewhere is none
        for way in ways(encoding, model):
            if found := way.found(check_stop):
                return f"Your formula is {way.say(*found)}."
    return ""


def _of_input(encoding: Encoding, model: AttentionModel) -> Iterator[_Way]:
    width, context = model.d_model, context_of(_LENGTH, model)
    rows = width if _FEWEST <= width < _ROWS else _ROWS
    values = encoding.vectors(torch.arange(rows), width, context_of(rows, model))

    def is_same(known: Encoding, start: int, order: Tensor) -> bool:
        limit = known.length_limit(width)
        places = _PLACES if limit is None else _PLACES[_PLACES + start < limit]
        found = encoding.vectors(places, width, context)[:, order]
        return _are_alike(found, known.vectors(places + start, width, context))

    for order, told in _orders(_by_rate(values), "columns"):
        yield _Way("table", values[:, order], partial(is_same, order=order), told)


def _by_rate(values: Tensor) -> Tensor:
    """Return the order of columns (n, c) from the fastest wave to the slowest, each sine before its cosine; that which they have
    where they aren't all waves."""
    rate = rates.wave_rates(values, 2.0**-52)[0]
    if len(rate) % 2 or not bool(rate.isfinite().all()):
        return torch.arange(len(rate))
    first, second = rate.argsort(descending=True).view(-1, 2).T
    turns = values[1, first] * values[0, second] - values[0, first] * values[1, second]
    is_sine = turns > 0
    return torch.stack((torch.where(is_sine, first, second), torch.where(is_sine, second, first)), 1).flatten()


def _orders(other: Tensor, of: str) -> Iterator[tuple[Tensor, str]]:
    """Yield the order as it is, and another one in words."""
    yield (same := torch.arange(len(other))), ""
    if not torch.equal(other, same):
        yield other, f", with its {of} in another order"


def _of_rotation(encoding: Encoding, model: AttentionModel) -> Iterator[_Way]:
    assert isinstance(encoding, RotationEncoding)
    width, context = model.head_width, context_of(_LENGTH, model)
    values = encoding.angles(torch.arange(_ROWS), width, context_of(_ROWS, model))
    is_half = torch.equal(encoding.pairs(width)[0], pair_indices(width, "half")[0])
    fields: dict[str, object] = {"pairing": "half" if is_half else "interleaved"}

    def is_same(known: Encoding, start: int, order: Tensor) -> bool:
        assert isinstance(known, RotationEncoding)
        found, other = encoding.angles(_PLACES, width, context)[:, order], known.angles(_PLACES + start, width, context)
        return known.attention_factor == 1 and _are_alike((1j * found).exp(), (1j * other).exp())

    turning, pairs = int(values.any(0).sum()), values.shape[1]
    if turning < pairs and not is_half:  # a fraction, if its base is then a plain one
        same = partial(is_same, order=torch.arange(pairs))
        is_plain = lambda known, start: digits_of(known.base) <= _PLAIN and same(known, start)  # noqa: E731
        yield _Way("angles", values[:, : max(turning, 1)], is_plain, fields=fields | {"fraction": turning / pairs})
    for order, told in _orders((values[1] - values[0]).argsort(descending=True, stable=True), "pairs"):
        yield _Way("angles", values[:, order], partial(is_same, order=order), told, fields)


def _of_score(encoding: Encoding, model: AttentionModel) -> Iterator[_Way]:
    places = torch.arange(_ROWS)

    def beside(one: Encoding, heads: int) -> tuple[Tensor, Tensor]:
        """The bias less that of each query's own key, (heads, n_q, n_k), and this, (heads, n_q, 1)."""
        found = one.bias(places, places, heads, replace(context_of(_ROWS, model), n_heads=heads))
        own = found.diagonal(dim1=-2, dim2=-1)[..., None]
        return found - own, own

    values, own = beside(encoding, max(model.n_heads, _HEADS))
    told = ", but for a constant in each row, which softmax doesn't see" if bool(own.any()) else ""
    ways = {} if model.causal else {"": torch.ones(_ROWS, _ROWS)}
    ways["" if model.causal else " where a causal mask hides later keys"] = torch.ones(_ROWS, _ROWS).tril()
    for where, seen in ways.items():

        def is_same(known: Encoding, _start: int, seen: Tensor = seen) -> bool:
            found, other = (beside(one, model.n_heads)[0] * seen for one in (encoding, known))
            return _are_alike(found, other)

        yield _Way("bias", values[:, -1], is_same, where + told)


def _are_alike(found: Tensor, other: Tensor) -> bool:
    return bool(((found - other).abs() <= _ALIKE * (1 + other.abs())).all())
