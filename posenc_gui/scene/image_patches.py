"""A small grid of image patches among the tokens of a sentence, as a model of text and pictures reads them."""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.text.token_sequence import Tokens
from posenc_gui.text.tokenization import MAX_TOKENS

_SIGN = "▦"  # which no text's words, characters or bytes have before two numbers


class Patches(Frozen, title="Grid"):
    """Rows and columns of patches, and before which of the text's tokens they stand."""

    rows: int = Field(3, ge=1, le=64, title="Rows", description="Rows of patches.")
    columns: int = Field(4, ge=1, le=64, title="Columns", description="Columns of patches.")
    before: int = Field(
        3,
        ge=0,
        le=MAX_TOKENS,
        title="Before token",
        description="Before which of the text's tokens the patches stand; behind them all where there are fewer.",
    )

    @property
    def count(self) -> int:
        """How many patches there are."""
        return self.rows * self.columns

    @property
    def labels(self) -> tuple[str, ...]:
        """Each patch as a token, in reading order: ▦0,0 is that in the first row and the first column."""
        return tuple(f"{_SIGN}{row},{column}" for row in range(self.rows) for column in range(self.columns))

    def first(self, n_words: int) -> int:
        """The index of the first patch among so many tokens of a text."""
        return min(self.before, n_words)

    def indices(self, n_tokens: int) -> range:
        """The indices of the patches among so many tokens, patches included."""
        first = self.first(n_tokens - self.count)
        return range(first, first + self.count)

    def index_of(self, patch: int, n_tokens: int, other: Patches) -> int | None:
        """The index, among so many tokens, of the patch that has the number `patch` in another grid; None where there is none."""
        row, column = divmod(patch, other.columns)
        is_there = row < self.rows and column < self.columns
        return self.indices(n_tokens)[row * self.columns + column] if is_there else None

    def among(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """A text's tokens with the patches in their place: `MAX_TOKENS` in all, so that of a very long text less is read."""
        return _among(words, self)

    def order_with(self, words: tuple[int, ...]) -> tuple[int, ...]:
        """An order of the text's tokens as one of all tokens: the patches stay where they are."""
        first = self.first(len(words))
        every = tuple(index if index < first else index + self.count for index in words)
        return (*every[:first], *range(first, first + self.count), *every[first:])

    def order_without(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """An order of all tokens as one of the text's alone."""
        patches = self.indices(len(order))
        return tuple(index if index < patches.start else index - self.count for index in order if index not in patches)

    @property
    def in_words(self) -> str:
        """How many there are, and where."""
        return f"{self.rows} × {self.columns} patches before token {self.before:,}"


@lru_cache(maxsize=8)
def _among(words: tuple[str, ...], patches: Patches) -> tuple[str, ...]:
    words = words[: MAX_TOKENS - patches.count]
    first = patches.first(len(words))
    return Tokens((*words[:first], *patches.labels, *words[first:]))
