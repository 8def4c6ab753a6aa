"""The numbers of a scene that can be swept: base, other.base, model.d_model; and the values that are worth a look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic.fields import FieldInfo

from posenc_gui.foundation import declared_fields as fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.scene.scene import Scene

FEWEST, MOST = 3, 9  # small multiples that are seen at once
_PROPOSED = 5
_NARROW = 10  # from the least to the largest number of a range that is walked in even steps
_POWERS = range(-9, 10)  # of two or ten, by which the number at hand is multiplied elsewhere

S = TypeVar("S", bound=Scene)
Part = Literal["encoding", "other", "model"]
_PARTS: dict[Part, str] = {
    "encoding": "",
    "other": "other.",
    "model": "model.",
}  # what stands before their numbers' names


@dataclass(frozen=True)
class Number:
    """A number that a part of a scene holds: how it is named as everywhere, what it is called, and how it is declared."""

    part: Part
    name: str
    title: str
    declared: FieldInfo
    value: float


def numbers(scene: Scene) -> dict[str, Number]:
    """Those of the encoding, of the other one where there is one, and of the toy model, by their names."""
    models = {part: dict(scene)[part] for part in _PARTS}
    found = (_numbers(part, model, "", "") for part, model in models.items() if model is not None)
    return {one.name: one for group in found for one in group}


def changed(scene: S, number: Number, value: float) -> S:
    """The scene with another value of one of its numbers. Raises ValueError where it is refused."""
    inner = number.name.removeprefix(_PARTS[number.part])
    return scene.changed(**{number.part: fields.changed(dict(scene)[number.part], {inner: value})})


def proposed(scene: Scene, number: Number) -> tuple[float, ...]:
    """Five values around the one at hand, or fewer where the scene takes fewer.

    Tenfold steps where the number is declared on a logarithmic scale, even ones through a narrow range, else doublings.
    """
    low, high = fields.bounds(number.declared)
    allowed = sorted({value for value in _candidates(number, low, high) if low <= value <= high})
    taken = [value for value in allowed if _takes(scene, number, value)]
    at = min(range(len(taken)), key=lambda index: abs(taken[index] - number.value), default=0)
    start = max(0, min(at - _PROPOSED // 2, len(taken) - _PROPOSED))
    return tuple(taken[start : start + _PROPOSED])


def _numbers(part: Part, model: Frozen, prefix: str, within: str) -> Iterator[Number]:
    for name, declared in type(model).model_fields.items():
        value, title = dict(model)[name], fields.inner_title(within, declared.title or name)
        if isinstance(value, Frozen):
            yield from _numbers(part, value, f"{prefix}{name}.", title)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield Number(part, f"{_PARTS[part]}{prefix}{name}", title, declared, value)


def _candidates(number: Number, low: float, high: float) -> Iterator[float]:
    is_whole = fields.kind(number.declared).type is int
    by_ten = (
        isinstance(number.declared.json_schema_extra, dict) and number.declared.json_schema_extra.get("scale") == "log"
    )
    if not is_whole and not by_ten and high - low <= _NARROW:
        yield from (float(f"{low + (high - low) * step / _PROPOSED:.4g}") for step in range(_PROPOSED + 1))
    elif number.value > 0:
        multiples = (number.value * (10.0 if by_ten else 2.0) ** power for power in _POWERS)
        yield from (float(f"{one:.6g}") for one in multiples if not is_whole or one.is_integer())
    else:
        yield from (number.value + step for step in range(_PROPOSED))


def _takes(scene: Scene, number: Number, value: float) -> bool:
    try:
        changed(scene, number, value)
    except ValueError:
        return False
    return True
