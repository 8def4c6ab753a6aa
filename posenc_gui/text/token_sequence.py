"""A text's tokens, as many as they may be."""

from __future__ import annotations

from functools import cached_property


class Tokens(tuple[str, ...]):
    """Tokens by which much is remembered: they count their hash once, and are equal to themselves without a look at each."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other
