"""A small grid of image patches among a sentence's tokens, as read by a model of text and images."""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.text.token_sequence import Tokens
from posenc_gui.text.tokenization import MAX_TOKENS

_SIGN = "▦"  # no built-in tokenizer gives a token of this character and two numbers


class Patches(Frozen, title="Grid"):
    """A grid of patches and the text token before which it stands."""

    rows: int = Field(3, ge=1, le=64, title="Rows", description="Rows of patches.")
    columns: int = Field(4, ge=1, le=64, title="Columns", description="Columns of patches.")
    before: int = Field(
        3,
        ge=0,
        le=MAX_TOKENS,
        title="Before token",
        description="The patches come before this token of the text, or at the end of a shorter text.",
    )

    @property
    def count(self) -> int:
        """The number of patches."""
        return self.rows * self.columns

    @property
    def labels(self) -> tuple[str, ...]:
        """The patches' tokens, in reading order: ▦0,0 is the one in the first row and first column."""
        return tuple(f"{_SIGN}{row},{column}" for row in range(self.rows) for column in range(self.columns))

    def first(self, n_words: int) -> int:
        """Return the token index of the first patch, for a text of `n_words` tokens."""
        return min(self.before, n_words)

    def indices(self, n_tokens: int) -> range:
        """Return the token indices of the patches, for a sentence of `n_tokens` tokens including patches."""
        first = self.first(n_tokens - self.count)
        return range(first, first + self.count)

    def index_of(self, patch: int, n_tokens: int, other: Patches) -> int | None:
        """Return the token index of the patch where patch number `patch` of another grid stands; None if there is none."""
        row, column = divmod(patch, other.columns)
        is_there = row < self.rows and column < self.columns
        return self.indices(n_tokens)[row * self.columns + column] if is_there else None

    def among(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Insert the patches among a text's tokens, and cut the text so that there are at most `MAX_TOKENS` in all."""
        return _among(words, self)

    def order_with(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """Extend an order of the text's tokens to all tokens: the patches stay in place."""
        first = self.first(len(words))
        every = tuple(index if index < first else index + self.count for index in words)
        return (*every[:first], *range(first, first + self.count), *every[first:])

    def order_without(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """Reduce an order of all tokens to the text's tokens."""
        patches = self.indices(len(order))
        return tuple(index if index < patches.start else index - self.count for index in order if index not in patches)

    @property
    def in_words(self) -> str:
        """The grid's size and position as text."""
        return f"{self.rows} × {self.columns} patches before token {self.before:,}"


@lru_cache(maxsize=8)
def _among(words: tuple[str, ...], patches: Patches) -> tuple[str, ...]:
    words = words[: MAX_TOKENS - patches.count]
    first = patches.first(len(words))
    return Tokens((*words[:first], *patches.labels, *words[first:]))
