"""How much memory a result holds, so that what is remembered stays within bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass


def size_of(part: object) -> int:
    """The bytes of the arrays, texts and numbers in dataclasses, tuples and mappings; 64 for each object, about."""
    if part is None or isinstance(part, int | float):  # most of what there is
        return 64
    if not is_dataclass(part) and hasattr(part, "nbytes"):
        return 64 + int(part.nbytes)
    if isinstance(part, str):
        return 64 + len(part)
    inner: Iterable[object] = ()
    if is_dataclass(part):
        inner = (getattr(part, one.name) for one in fields(part))
    elif isinstance(part, Mapping):
        inner = part.values()
    elif isinstance(part, tuple | frozenset):
        inner = part
    return 64 + sum(map(size_of, inner))
