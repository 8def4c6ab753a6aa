"""Memory held by a result, so that caches stay within bounds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import cast

_OBJECT = 64  # bytes, about
_ARRAY = 512  # bytes of a tensor without its numbers, about: two objects, its shape, and the heap's own
_NUMBERS, _TEXTS = frozenset((int, float)), frozenset((str,))


def size_of(part: object) -> int:
    """Estimate the bytes of the arrays, texts and numbers in dataclasses, tuples and mappings, including object
    overhead.

    An object that occurs several times, such as an axis shared by a figure's panels, counts once.
    """
    return _size(part, set())


def _size(part: object, seen: set[int]) -> int:
    if part is None or isinstance(part, int | float):  # the most frequent case
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
        if kinds == _TEXTS:  # a long text's labels: summed in C, or the window would freeze
            return _OBJECT * (1 + len(part)) + sum(map(len, part))
        inner = part
    elif names := _fields(cast(Hashable, type(part))):
        inner = [getattr(part, name) for name in names]
    elif hasattr(part, "nbytes"):
        return _ARRAY + int(part.nbytes)
    elif isinstance(part, Mapping):
        inner = part.values()
    return _OBJECT + sum(_size(one, seen) for one in inner)


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if isinstance(kind, type) and is_dataclass(kind) else ()
