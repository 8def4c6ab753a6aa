"""What a typed formula is: its values set against the known encodings' by `Search`, then compared with them in the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
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
from posenc_gui.identify.verdict import say_fields
from posenc_gui.identify.views import views

# What a known encoding from a position on must be to have all the formula's values in the model; None if it can't have them.
Same = Callable[[Encoding, int], Encoding | None]
Way = tuple[Kind, Tensor, Same, str]  # values of a kind that are searched, and in words how a known encoding has them

_ROWS = 64  # positions that are searched
_FEWEST = 8  # of them, where they are as many as dimensions, for an encoding that has no more
_HEADS = 8  # that are searched at least: the slope of a single head may be any
_PLACES = torch.tensor([*range(_ROWS), 100, 1000, 4096])  # at which what was found is compared
_LENGTH = int(_PLACES.max()) + 1
_ALIKE = 1e-8  # values that differ by no more are the same


def recognise(encoding: Encoding, model: AttentionModel, check_stop: CheckStop = go_on) -> str:
    """Say in a sentence which known encoding a typed one is in this model, up to its first position, the order of columns or a
    constant in each row of a bias; empty where it is none, or where its values can't tell."""
    ways = {"input": _of_input, "rotation": _of_rotation, "score": _of_score}[encoding.door]
    with suppress(Undefined):  # a formula that is not defined somewhere is none
        encoding.check_shape(model.d_model, model.n_heads, model.head_width)
        for kind, values, same, told in ways(encoding, model):
            taken = views(Numbers(values, "float64"), kind, None)
            view = next(one for one in taken if one.axes[0] in ("positions", "heads"))
            if named := Search([view], check_stop).named:
                start = 0 if kind == "bias" else named.start
                if known := same(named.encoding, start):
                    return f"Your formula is {_say(known, start, same)}{told}."
    return ""


def _say(known: Encoding, start: int, same: Same) -> str:
    """Say the fields that aren't at their defaults, and the base, unless any other does as well, as with a single pair."""
    plain, base, always = type(known)(), getattr(known, "base", None), ["base"]
    if base and same(known.with_fields(base=2 * base), start):
        known, always = known.with_fields(base=dict(plain)["base"]), []
    told = [known.called]
    for name, declared in type(known).model_fields.items():
        if isinstance(value := getattr(known, name), str) and value != getattr(plain, name):
            told.append(inner_case(f"{declared.title} {option_title(declared, value)}"))
    return ", ".join((*told, *say_fields(known, always=always), *([f"from position {start:,}"] if start else [])))


def _of_input(encoding: Encoding, model: AttentionModel) -> Iterator[Way]:
    width, context = model.d_model, context_of(_LENGTH, model)
    rows = width if _FEWEST <= width < _ROWS else _ROWS
    values = encoding.vectors(torch.arange(rows), width, context_of(rows, model))

    def same(known: Encoding, start: int, order: Tensor) -> Encoding | None:
        limit = known.length_limit(width)
        places = _PLACES if limit is None else _PLACES[_PLACES + start < limit]
        found, other = (one.vectors(at, width, context) for one, at in ((encoding, places), (known, places + start)))
        return known if _are_alike(found[:, order], other) else None

    for order, told in _orders(_by_rate(values), "columns"):
        yield "table", values[:, order], partial(same, order=order), told


def _by_rate(values: Tensor) -> Tensor:
    """Return the order of columns (n, c) from the fastest wave to the slowest, each sine before its cosine, if all are waves."""
    rate = rates.wave_rates(values, 2.0**-52)[0]
    if len(rate) % 2 or not bool(rate.isfinite().all()):
        return torch.arange(len(rate))
    first, second = rate.argsort(descending=True).view(-1, 2).T
    is_sine = values[1, first] * values[0, second] > values[0, first] * values[1, second]
    return torch.stack((torch.where(is_sine, first, second), torch.where(is_sine, second, first)), 1).flatten()


def _orders(other: Tensor, of: str) -> Iterator[tuple[Tensor, str]]:
    """Yield the order as it is, and another one, each in words."""
    yield (plain := torch.arange(len(other))), ""
    if not torch.equal(other, plain):
        yield other, f", with its {of} in another order"


def _of_rotation(encoding: Encoding, model: AttentionModel) -> Iterator[Way]:
    assert isinstance(encoding, RotationEncoding)
    width, context = model.head_width, context_of(_LENGTH, model)
    values = encoding.angles(torch.arange(_ROWS), width, context_of(_ROWS, model))
    is_half = torch.equal(encoding.pairs(width)[0], pair_indices(width, "half")[0])
    turning, pairs = int(values.any(0).sum()), values.shape[1]

    def same(known: Encoding, start: int, order: Tensor, fraction: float = 1) -> Encoding | None:
        known = known.with_fields(pairing="half" if is_half else "interleaved", fraction=fraction)
        assert isinstance(known, RotationEncoding)
        found, other = encoding.angles(_PLACES, width, context)[:, order], known.angles(_PLACES + start, width, context)
        is_same = known.attention_factor == 1 and _are_alike((1j * found).exp(), (1j * other).exp())
        return known if is_same else None

    for order, told in _orders((values[1] - values[0]).argsort(descending=True, stable=True), "pairs"):
        if 0 < turning < pairs and not is_half:
            part = partial(same, order=order, fraction=turning / pairs)
            yield "angles", values[:, order[:turning]], part, told
        yield "angles", values[:, order], partial(same, order=order), told


def _of_score(encoding: Encoding, model: AttentionModel) -> Iterator[Way]:
    def beside(one: Encoding, heads: int, places: Tensor) -> tuple[Tensor, Tensor]:
        """The bias less that of each query's own key, (heads, n_q, n_k), and this, (heads, n_q, 1)."""
        found = one.bias(places, places, heads, replace(context_of(_LENGTH, model), n_heads=heads))
        own = found.diagonal(dim1=-2, dim2=-1)[..., None]
        return found - own, own

    def same(known: Encoding, _start: int, seen: Tensor) -> Encoding | None:
        found, other = (beside(one, model.n_heads, _PLACES)[0] * seen for one in (encoding, known))
        return known if _are_alike(found, other) else None

    values, own = beside(encoding, max(model.n_heads, _HEADS), torch.arange(_ROWS))
    told = ", but for a constant in each row, which softmax doesn't see" if bool(own.any()) else ""
    everywhere = torch.ones(len(_PLACES), len(_PLACES))
    if not model.causal:
        yield "bias", values[:, -1], partial(same, seen=everywhere), told
    hidden = "" if model.causal else " where a causal mask hides later keys"
    yield "bias", values[:, -1], partial(same, seen=everywhere.tril()), hidden + told


def _are_alike(found: Tensor, other: Tensor) -> bool:
    return bool(((found - other).abs() <= _ALIKE * (1 + other.abs())).all())
