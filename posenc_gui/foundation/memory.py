"""Memory: how much a result holds, so that caches stay within bounds, and giving back what is freed.

The C library's heap by itself keeps much of what is freed; only glibc's can be told to give it back.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from typing import cast

_OBJECT = 64  # bytes, about
_ARRAY = 512  # bytes of a tensor without its numbers, about: two objects, its shape, and the heap's own
_NUMBERS, _TEXTS = frozenset((int, float)), frozenset((str,))
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's numbers for them, from glibc's malloc.h
_LARGE = 2**20  # bytes
_KEPT = 2**26  # bytes; of one block at most half as many, which is all that glibc takes


def size_of(part: object) -> int:
    """Estimate the bytes of arrays, texts and numbers in dataclasses, tuples and mappings, with the objects' own; one that
    occurs several times, such as panels' shared axis, counts once."""
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


class Sized:
    """A result that says its size, so that a cache of it stays within bounds."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return size_of(self)


@cache
def _fields(kind: Hashable) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if isinstance(kind, type) and is_dataclass(kind) else ()


def give_back_large_blocks() -> None:
    """Return a large tensor's memory to the system when it is freed, from now on; glibc itself raises the size from which it
    does so, and the heap keeps holes: 300 MiB after 1,400 edits."""
    _tell("mallopt", _MMAP_THRESHOLD, _LARGE)


def keep_large_blocks() -> None:
    """Keep what is freed, up to 64 MiB, for what is allocated next, until `give_back_holes`; glibc itself gives a pass's
    memory back and asks for it again at the next one: of 512 tokens, 4 to 16 ms of 150."""
    _tell("mallopt", _MMAP_THRESHOLD, _KEPT // 2)
    _tell("mallopt", _TRIM_THRESHOLD, _KEPT)


def give_back_holes() -> None:
    """Return the free pages between smaller blocks to the system; takes 0.4 to 7 ms, once 30. Caches drop old results of some
    hundred KiB while newer ones stay: 87 MiB of holes after 600 edits."""
    _tell("malloc_trim", 0)


def _tell(function: str, *arguments: int) -> None:
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # another C library
            getattr(ctypes.CDLL(None), function)(*arguments)
