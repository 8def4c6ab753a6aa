"""How much memory a result holds, so that what is remembered stays within bounds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import cast


def size_of(part: object) -> int:
    """The bytes of the arrays, texts and numbers in dataclasses, tuples and mappings; 64 for each object, about."""
    if part is None or isinstance(part, int | float):  # most of what there is
        return 64
    if isinstance(part, str):
        return 64 + len(part)
    inner: Iterable[object] = ()
    if isinstance(part, tuple | frozenset):
        inner = part
    elif names := _fields(cast(Hashable, type(part))):
        inner = (getattr(part, name) for name in names)
    elif hasattr(part, "nbytes"):
        return 64 + int(part.nbytes)
    elif isinstance(part, Mapping):
        inner = part.values()
    return 64 + sum(map(size_of, inner))


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if isinstance(kind, type) and is_dataclass(kind) else ()
