"""Text to tokens. Text is data: whatever was typed comes out as tokens that can be shown, never as markup."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from posenc_gui import files
from posenc_gui.errors import Undefined, sentence
from posenc_gui.letters import cut, letters

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_CHARACTERS = 200_000
MAX_TOKENS = 16_384
LARGEST_TOKENIZER = 100_000_000  # bytes

# Word boundaries of Unicode Standard Annex 29: they keep "don't", "3.14", combining marks and joined emoji whole, and
# set punctuation and ideographs apart.
_BOUNDARY = regex.compile(r"(?wV1)\b")

# Zero-width marks and the controls that reorder a line: invisible, and a label must not reorder its neighbours.
_NAMED = frozenset("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")
_PILED_UP = regex.compile(r"(\P{ccc=0}{4})\P{ccc=0}+…?")  # no script sets more marks over and under a letter
_WITHOUT_INK = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{M}\s]+")


def clean(text: str) -> str:
    """The same text with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be saved."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokenize(text: str, tokenizer: str = "words", keep_case: bool = False) -> tuple[str, ...]:
    """Split a text into words, characters or UTF-8 bytes, or by a local tokenizer.json whose path is given.

    The first three are lower-cased unless `keep_case`, so that "The" and "the" are one token. At most `MAX_TOKENS` tokens
    are read. Raises Undefined where the file is no tokenizer.
    """
    if tokenizer in _SPLITTERS:
        return _by_splitter(text if keep_case else text.lower(), tokenizer)
    path = Path(tokenizer)
    return _by_file(text, path, _version_of(path))


def words(text: str) -> list[str]:
    """Words, with punctuation and ideographs apart, as Unicode sees them."""
    # A mark that stands alone after a space comes with the space.
    return [token for piece in _BOUNDARY.split(text) if (token := piece.strip())]


def characters(text: str) -> list[str]:
    """What a reader would call characters, spaces among them."""
    return letters(text)


def utf8_bytes(text: str) -> list[str]:
    """UTF-8 bytes, as two hexadecimal digits each."""
    return [f"{byte:02X}" for byte in text.encode("utf-8")]


_SPLITTERS = {"words": words, "characters": characters, "bytes": utf8_bytes}
TOKENIZERS = tuple(_SPLITTERS)


@lru_cache(maxsize=16)
def _by_splitter(text: str, tokenizer: str) -> tuple[str, ...]:
    return tuple(_SPLITTERS[tokenizer](text)[:MAX_TOKENS])


@lru_cache(maxsize=16)
def _by_file(text: str, path: Path, version: tuple[int, int]) -> tuple[str, ...]:
    tokenizer = _tokenizer_of(path, version)
    try:
        tokens: list[str] = tokenizer.encode(text, add_special_tokens=False).tokens
    except Exception as error:  # the library raises plain Exception, as for a word that is not in a vocabulary
        raise Undefined(f"{path.name} can't split this text: {sentence(error)}.") from None
    return tuple(tokens[:MAX_TOKENS])


def _version_of(path: Path) -> tuple[int, int]:
    """When the file was changed and how large it is: what was read before is used until these change."""
    try:
        state = path.stat()
    except OSError as error:
        raise Undefined(f"The tokenizer {path} can't be read: {error.strerror}.") from None
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=4)
def _tokenizer_of(path: Path, version: tuple[int, int]) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_str(files.content(path, LARGEST_TOKENIZER, "tokenizer").decode("utf-8"))
    except OSError as error:
        raise Undefined(f"The tokenizer {path} can't be read: {error.strerror}.") from None
    except files.TooLarge as error:
        raise Undefined(str(error)) from None
    except Exception:  # the library raises plain Exception, and UnicodeDecodeError is one
        raise Undefined(f"{path.name} is no tokenizer.json that the tokenizers library can read.") from None


def shown(token: str) -> str:
    """The token as it can be read on a label: what has no picture of its own is named (NUL as ␀, others as U+200B).

    No longer than a label gets, whatever was typed: two tokens that differ in the middle alone may look the same.
    """
    alone = _WITHOUT_INK.fullmatch(token) is not None
    label = "".join(_visible(character, alone) for character in cut(token))
    return cut(_PILED_UP.sub(r"\1…", label))


def beginning(tokens: tuple[str, ...], most: int) -> str:
    """The tokens in a row, as they can be read; the first ones of very many."""
    return " ".join(map(shown, tokens[:most])) + (" …" if len(tokens) > most else "")


def _visible(character: str, alone: bool) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if alone and character == " ":
        return "␣"
    # Joiners and variation selectors (Cf, Mn) shape the letters around them; alone they are invisible.
    if alone or unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs") or character in _NAMED:
        return f"U+{code:04X}"
    return character


@lru_cache(maxsize=16)
def twin_groups(tokens: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """The indices of each token that occurs more than once, in the order of their first occurrence."""
    places: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        places.setdefault(token, []).append(index)
    return tuple(tuple(group) for group in places.values() if len(group) > 1)


def twins(tokens: tuple[str, ...]) -> frozenset[int]:
    """The indices of all tokens that occur more than once."""
    return frozenset(index for group in twin_groups(tokens) for index in group)
