"""Tokens as readers see them, and a sequence of them that is cheap to hash and compare."""

from __future__ import annotations

from functools import cached_property


class Token(str):
    """A token of a tokenizer file by its letters; `entry` is how its vocabulary spells it. Two that look alike are equal only
    if their entries are: in one text “cat” has a space before it, in another it hasn't."""

    entry: str

    def __new__(cls, shown: str, entry: str = "") -> Token:
        """Return a token with these letters, spelled in the vocabulary as this entry."""
        made = super().__new__(cls, shown)
        made.entry = entry
        return made

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) and getattr(other, "entry", self.entry) == self.entry

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def entry_of(token: str) -> str:
    """Return how a vocabulary spells a token."""
    return token.entry if isinstance(token, Token) else token


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
