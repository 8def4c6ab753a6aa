"""How a text is split into tokens: by a tokenizer, then made longer, then with patches among them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.wording import format_count
from posenc_gui.scene.image_patches import Patches
from posenc_gui.text import tokenization
from posenc_gui.text.tokenization import Fill


class Splitting(NamedTuple):
    """All that makes tokens of a text, and so tells texts' tokens apart; `special`: the tokenizer puts its own around them."""

    text: str
    tokenizer: str
    keep_case: bool
    special: bool
    fill: Fill
    fill_to: int
    patches: Patches | None

    @property
    def file(self) -> atomic.StrictStamp | None:
        """The stamp of the tokenizer's file, which changes when it is written; None for a tokenizer without a file."""
        has_file = self.tokenizer and self.tokenizer not in tokenization.TOKENIZERS
        return atomic.strict_stamp(Path(self.tokenizer)) if has_file else None

    @property
    def takes_long(self) -> bool:
        """True if splitting may be slow: for a long text or a tokenizer file."""
        is_filled = self.fill != "none" and self.fill_to > tokenization.AT_ONCE
        return len(self.text) > tokenization.AT_ONCE or is_filled or self.tokenizer not in tokenization.TOKENIZERS

    def split(self, check_stop: CheckStop = go_on) -> Split:
        """Return the typed tokens. Blocks; `check_stop` may raise meanwhile. Raises Undefined if a tokenizer fails."""
        words = self._words(self.special, check_stop)
        own = self._own(words, check_stop)
        tokens = self.whole(words, own)
        return Split(self, tokens, range(own.start, own.stop + len(tokens) - len(words)), len(words))

    def whole(self, words: tuple[str, ...], own: range | None = None) -> tuple[str, ...]:
        """Extend a text's tokens by the filling and the patches; only its `own` are repeated, by default all."""
        filled = tokenization.extend_tokens(words, self.fill, self.fill_to, own)
        return self.patches.among(filled) if self.patches else filled

    def _words(self, special: bool, check_stop: CheckStop) -> tuple[str, ...]:
        return tokenization.tokenize(self.text, self.tokenizer, self.keep_case, special, check_stop)

    def _own(self, words: tuple[str, ...], check_stop: CheckStop) -> range:
        """Return where the text's own tokens stand among those that a model's tokenizer puts around them."""
        if not self.special:
            return range(len(words))
        own = self._words(False, check_stop)
        starts = range(len(words) - len(own) + 1)
        start = next((at for at in starts if words[at : at + len(own)] == own), None)
        return range(len(words)) if start is None else range(start, start + len(own))


@dataclass(frozen=True)
class Split:
    """The typed tokens, and of what they were made; if the tokenizer failed there are none, and `why` gives the reason.

    own: where the text's own tokens stand among them; a model's tokenizer puts others around. n_typed: how many there are
    without filling and patches.
    """

    of: Splitting
    tokens: tuple[str, ...] = ()
    own: range = range(0)
    n_typed: int = 0
    why: str = ""

    @property
    def filling(self) -> str:
        """Describe how the text was made longer; empty if it wasn't."""
        patches = self.of.patches.count if self.of.patches else 0
        added = len(self.tokens) - patches - self.n_typed
        if self.of.fill == "none" or added <= 0:
            return ""
        if self.of.fill == "repeat":
            return f"the text repeated to {self.n_typed + added:,} tokens"
        return f"the text, then {format_count(added, 'seeded random word')}"
