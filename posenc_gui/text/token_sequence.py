"""A sequence of tokens that is cheap to hash and compare."""

from __future__ import annotations

from functools import cached_property


class Tokens(tuple[str, ...]):
    """Tokens as a cache key: the hash is computed once, and comparing a sequence with itself takes no time."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other
