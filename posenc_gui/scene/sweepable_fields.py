"""The numbers of a scene that can be swept, such as base, other.base and model.d_model, and proposed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from pydantic.fields import FieldInfo

from posenc_gui import encodings
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.scene.setup import Setup

FEWEST, MOST = 3, 9  # small multiples on one screen
FEWEST_ENCODINGS = 2
_USUAL = "none", "sinusoidal", "rope", "alibi"  # one for each door
_PROPOSED = 6
_NARROW = 10  # width up to which a range is divided into even steps
_POWERS = range(-9, 10)  # powers of two or ten by which the current number is multiplied in any other range

S = TypeVar("S", bound=Setup)
Part = Literal["encoding", "other", "model", "scene"]
_PARTS: dict[Part, str] = {"encoding": "", "other": "other.", "model": "model."}  # prefixes of their numbers' names


@dataclass(frozen=True)
class SweepableNumber:
    """A number in a part of a setup, with its dotted name, title, declaration and value."""

    part: Part
    name: str
    title: str
    declared: FieldInfo
    value: float


def sweepable_numbers(setup: Setup) -> dict[str, SweepableNumber]:
    """The numbers of the encoding, of B in a comparison, and of the model, the strength and the start, by name."""
    found = (
        SweepableNumber(part, f"{prefix}{place.name}", place.title, place.declared, place.value)
        for part, prefix in _PARTS.items()
        if (model := dict(setup)[part]) is not None
        for place in declared_fields.walk(model, lambda place: not declared_fields.is_fact(place.declared))
        if not declared_fields.is_fact(place.declared)
        and isinstance(place.value, int | float)
        and not isinstance(place.value, bool)
    )
    numbers = {number.name: number for number in found}
    own = {"strength": not setup.why_no_degrees, "start": not setup.why_no_start}
    for name in (name for name, is_taken in own.items() if is_taken):
        declared = Setup.model_fields[name]
        numbers[name] = SweepableNumber("scene", name, name.title(), declared, getattr(setup, name))
    return numbers


def with_number(setup: S, number: SweepableNumber, value: float) -> S:
    """Return the scene with a new value of one number. Raises ValueError if the value is refused."""
    if number.part == "scene":
        return setup.changed(**{number.name: value})
    inner = number.name.removeprefix(_PARTS[number.part])
    return setup.changed(**{number.part: declared_fields.with_values(dict(setup)[number.part], {inner: value})})


def propose_values(setup: Setup, number: SweepableNumber) -> tuple[float, ...]:
    """Propose six values around the current one, or as many as the scene accepts. A number declared on a logarithmic scale
    changes tenfold from value to value, a fractional one in a narrow range by even steps over the range, any other twofold,
    and 0 by ones."""
    low, high = declared_fields.bounds(number.declared)
    allowed = sorted({value for value in _candidates(number, low, high) if low <= value <= high})
    taken = [value for value in allowed if _takes(partial(with_number, setup, number, value))]
    at = min(range(len(taken)), key=lambda index: abs(taken[index] - number.value), default=0)
    start = max(0, min(at - _PROPOSED // 2, len(taken) - _PROPOSED))
    return tuple(taken[start : start + _PROPOSED])


def propose_encodings(setup: Setup) -> tuple[Encoding, ...]:
    """Propose the encodings at hand with a usual one of each other door, as far as the model takes them, in the order of
    doors. They are on one model: where a single head's number would move no weight, it is the first of those published for
    eight."""
    own = [one for one in (setup.encoding, setup.other) if one is not None]
    held = {one.door for one in own}
    usual = [one for name in _USUAL if (one := encodings.encoding(name)).door not in held]
    if setup.model.n_heads == 1:
        own, usual = ([one.with_first_published() or one for one in some] for some in (own, usual))
    found = [one for one in dict.fromkeys((*own, *usual)) if _takes(partial(setup.changed, encoding=one, other=None))]
    doors = [encodings.encoding(name).door for name in _USUAL]
    return tuple(sorted(found, key=lambda one: doors.index(one.door)))


def _candidates(number: SweepableNumber, low: float, high: float) -> Iterator[float]:
    is_whole = declared_fields.kind(number.declared).type is int
    extra = number.declared.json_schema_extra
    by_ten = isinstance(extra, dict) and extra.get("scale") == "log"
    if not is_whole and not by_ten and high - low <= _NARROW:
        even = [float(f"{low + (high - low) * step / (_PROPOSED - 1):.4g}") for step in range(_PROPOSED)]
        nearest = min(even, key=lambda one: abs(one - number.value))
        yield from (number.value if one == nearest else one for one in even)
    elif number.value > 0:
        multiples = (number.value * (10.0 if by_ten else 2.0) ** power for power in _POWERS)
        yield from (float(f"{one:.6g}") for one in multiples if not is_whole or one.is_integer())
    else:
        yield from (number.value + step for step in range(_PROPOSED))


def _takes(change: Callable[[], object]) -> bool:
    try:
        change()
    except ValueError:
        return False
    return True
