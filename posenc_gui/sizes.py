"""How much memory a result holds, so that what is remembered stays within bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass

_OBJECT = 64  # bytes, about


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
    if not is_dataclass(part) and hasattr(part, "nbytes"):
        return _OBJECT + int(part.nbytes)
    inner: Iterable[object] = ()
    if is_dataclass(part):
        inner = [getattr(part, one.name) for one in fields(part)]
    elif isinstance(part, Mapping):
        inner = part.values()
    elif isinstance(part, tuple | frozenset):
        inner = part
    return _OBJECT + sum(_size(one, seen) for one in inner)
