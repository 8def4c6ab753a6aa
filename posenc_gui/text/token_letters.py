"""Tokens by the letters of the text that they stand for, not as a vocabulary spells them: “läste”, not “ĠlÃ¤ste”.

A space is written as ␣ where a token is nothing else, or is told from another one of the text by it alone. Bytes that are no
letter are parts of one: “🦊 1/4”. The tokenizers library decodes, and says of which letters of the text a token is.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from posenc_gui.foundation.unicode_text import shorten_middle, split_graphemes

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

SPACE = "␣"
_NO_LETTER = "\N{REPLACEMENT CHARACTER}"  # as decoders write bytes that are none
_BESIDE = "a"  # a letter, whose neighbour a token is when it is decoded
_WITHOUT_INK = ("Mn", "Mc", "Me", "Cf")  # categories of what shapes the letter that it belongs to
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")  # of a vocabulary without a letter
_PART = re.compile(r"(.+) (\d+)/(\d+)", re.DOTALL)


def letters(encoding: Encoding, text: str, tokenizer: Tokenizer) -> list[str]:
    """Return a text's tokens as readers see them, no two different ones alike."""
    decode, tokens = _Decoder(tokenizer), encoding.tokens
    decoded = {token: decode(token) for token in set(tokens)}
    spaced = [decoded[token] for token in tokens]
    if of_parts := {token for token, alone in decoded.items() if _is_part(alone)}:
        parts = _Parts(text, encoding.offsets)
        spaced = [parts.of(at, spaced[at]) if token in of_parts else spaced[at] for at, token in enumerate(tokens)]
    pairs = [*zip(tokens, spaced, strict=True)]
    shown = _told_apart([*dict.fromkeys(pairs)])
    return [shown[pair] for pair in pairs]


def _told_apart(pairs: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return how each token with its text is shown: without the space around it where no other one is alike then."""
    bare = _unless_alike(pairs, [_bare(text) for _, text in pairs], [_visibly_spaced(text) for _, text in pairs])
    return dict(zip(pairs, _unless_alike(pairs, bare, [token for token, _ in pairs]), strict=True))


def whole(token: str) -> str:
    """Return the letters of a token without spaces; one that is in parts goes with the last of them."""
    letters = token.strip(SPACE)
    if part := _PART.fullmatch(letters):
        letters = part[1] if part[2] == part[3] else "".join(split_graphemes(part[1])[:-1])
    return letters


def _unless_alike(pairs: list[tuple[str, str]], texts: list[str], longer: list[str]) -> list[str]:
    """Return each token's text, in its longer form if another token has the same."""
    alike = defaultdict(set)
    for (token, _), text in zip(pairs, texts, strict=True):
        alike[text].add(token)
    return [long if len(alike[text]) > 1 else text for text, long in zip(texts, longer, strict=True)]


def _bare(spaced: str) -> str:
    """Leave out the space that stands before a word, or behind it."""
    inner = spaced.strip(" ")
    return inner if inner and len(spaced) - len(inner) == 1 else _visibly_spaced(spaced)


def _visibly_spaced(spaced: str) -> str:
    inner = spaced.strip(" ")
    before = spaced.index(inner) if inner else len(spaced)
    return SPACE * before + inner + SPACE * (len(spaced) - before - len(inner))


def _is_part(spaced: str) -> bool:
    """Return True for bytes that are no letter, and for accents and joiners without one."""
    return _NO_LETTER in spaced or (spaced != "" and all(unicodedata.category(one) in _WITHOUT_INK for one in spaced))


class _Decoder:
    """Gives a token's text with the spaces that it has between two others."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        from tokenizers import decoders

        self._names = {added.content for added in tokenizer.get_added_tokens_decoder().values() if added.special}
        self._of_bytes = decoders.ByteFallback()
        self._suffix: str | None = getattr(tokenizer.model, "end_of_word_suffix", None)
        self._decode = (tokenizer.decoder or _missing_decoder(tokenizer)).decode
        self._end: str = self._decode([_BESIDE, _BESIDE]).removeprefix(_BESIDE)

    def __call__(self, token: str) -> str:
        if token in self._names:
            return token
        if _BYTE.fullmatch(token):
            return self._of_bytes.decode([token])
        found: str = self._decode([_BESIDE, token, _BESIDE])
        is_between = found.startswith(_BESIDE) and found.endswith(self._end) and len(found) > len(self._end)
        alone = found[len(_BESIDE) : len(found) - len(self._end)] if is_between else self._decode([token])
        if self._suffix and alone.endswith(self._suffix):
            return f"{alone.removesuffix(self._suffix)} "
        return alone


def _missing_decoder(tokenizer: Tokenizer) -> Any:
    """Return the decoder of a tokenizer that has none, by how it splits."""
    from tokenizers import decoders, models

    split = tokenizer.pre_tokenizer.__getstate__() if tokenizer.pre_tokenizer else b""
    if b'"ByteLevel"' in split:
        return decoders.ByteLevel()
    if b'"Metaspace"' in split:
        return decoders.Metaspace()
    return decoders.WordPiece() if isinstance(tokenizer.model, models.WordPiece) else decoders.Fuse()


class _Parts:
    """Which tokens share a letter of the text; spans: where each token begins and ends in it."""

    def __init__(self, text: str, spans: list[tuple[int, int]]) -> None:
        self._letters, self._spans = split_graphemes(text), spans
        self._letter_at = [at for at, letter in enumerate(self._letters) for _ in letter]  # of each character
        self._sharing: defaultdict[int, list[int]] = defaultdict(list)  # the tokens of each letter
        for at in range(len(spans)):
            for letter in self._touched(at):
                self._sharing[letter].append(at)

    def of(self, at: int, decoded: str) -> str:
        """Return a token's whole letters, and of letters that others have a part of, which part it is."""
        shared = [letter for letter in self._touched(at) if len(self._sharing[letter]) > 1]
        if not shared:
            start, stop = self._spans[at]
            return decoded if start == stop else "".join(self._letters[letter] for letter in self._touched(at))
        parts = " ".join(self._part(letter, at) for letter in shared)
        before, _, after = (decoded if _NO_LETTER in decoded else _NO_LETTER).partition(_NO_LETTER)
        return f"{before}{parts}{after.replace(_NO_LETTER, '')}"

    def _part(self, letter: int, at: int) -> str:
        sharing, shared = self._sharing[letter], self._letters[letter]
        named = f"U+{ord(shared):04X}" if shared.isspace() and len(shared) == 1 else shorten_middle(shared)
        return f"{named} {bisect_right(sharing, at)}/{len(sharing)}"

    def _touched(self, at: int) -> range:
        """Return the letters of which a token has something."""
        start, stop = self._spans[at]
        return range(self._letter_at[start], self._letter_at[stop - 1] + 1) if start < stop else range(0)
