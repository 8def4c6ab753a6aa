"""How much memory a result holds, so that what is remembered stays within bounds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import cast

_OBJECT = 64  # bytes, about
_NUMBERS, _TEXTS = frozenset((int, float)), frozenset((str,))


def size_of(part: object) -> int:
    """The bytes of the arrays, texts and numbers in dataclasses, tuples and mappings, and some for each object.

    What stands in several places is held once: an axis in all panels of a figure.
    """
    return _size(part, set())


def _size(part: object, seen: set[int]) -> int:
    if part is None or isinstance(part, int | float):  # most of what there is
        return _OBJECT
    if isinstance(part, str):
        return _OBJECT + len(part)
    if id(part) in seen:
        return 0
    seen.add(id(part))
    inner: Iterable[object] = ()
    if isinstance(part, tuple | frozenset):
        kinds = set(map(type, part))
        if kinds <= _NUMBERS:
            return _OBJECT * (1 + len(part))
        if kinds == _TEXTS:  # the labels of a long text: all in C, or the window would wait for it
            return _OBJECT * (1 + len(part)) + sum(map(len, part))
        inner = part
    elif names := _fields(cast(Hashable, type(part))):
        inner = [getattr(part, name) for name in names]
    elif hasattr(part, "nbytes"):
        return _OBJECT + int(part.nbytes)
    elif isinstance(part, Mapping):
        inner = part.values()
    return _OBJECT + sum(_size(one, seen) for one in inner)


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if isinstance(kind, type) and is_dataclass(kind) else ()
