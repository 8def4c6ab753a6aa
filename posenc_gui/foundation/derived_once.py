"""What follows from a frozen value is derived once: as a property of the value, or by a function that keeps the latest."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Generic, Self, TypeVar, overload

from cachetools import LRUCache

V = TypeVar("V")
R = TypeVar("R")


class derived(Generic[V, R]):  # noqa: N801  # a decorator, as `property` is
    """A property that is derived when it is first read, and then kept; where deriving it raises, nothing is kept.

    Two threads that read it first both derive it, and get the same result. `functools.cached_property` of Python 3.11 lets
    one of them wait for the other.
    """

    def __init__(self, derive: Callable[[V], R]) -> None:
        self._derive, self._name, self.__doc__ = derive, derive.__name__, derive.__doc__

    @overload
    def __get__(self, value: None, _kind: type[V]) -> Self: ...
    @overload
    def __get__(self, value: V, _kind: type[V]) -> R: ...
    def __get__(self, value: V | None, _kind: type[V]) -> Self | R:
        if value is None:
            return self
        found: R = vars(value).setdefault(self._name, self._derive(value))
        return found


def for_latest(
    count: int, also: Callable[[V], Hashable] = lambda _value: None
) -> Callable[[Callable[[V], R]], Callable[[V], R]]:
    """Let a function keep its results for the latest `count` values, told apart by identity, since hashing a session takes
    longer than most of what follows from it. `also` returns what else a result depends on."""

    def keeping(derive: Callable[[V], R]) -> Callable[[V], R]:
        kept: LRUCache[Hashable, tuple[V, R]] = LRUCache(count)  # with the values: no other gets the identity of one
        lock = Lock()

        @wraps(derive)
        def kept_or_derived(value: V) -> R:
            key = id(value), also(value)
            with lock:
                known = kept.get(key)
            if known is None:
                known = value, derive(value)
                with lock:
                    known = kept.setdefault(key, known)
            return known[1]

        return kept_or_derived

    return keeping
