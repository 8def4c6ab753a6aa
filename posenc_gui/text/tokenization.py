"""Text to tokens. Text is data: whatever was typed comes out as tokens that can be shown, never as markup."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Literal

import regex

from posenc_gui.foundation.errors import Undefined, sentence
from posenc_gui.foundation.files import atomic as files
from posenc_gui.foundation.unicode_text import OBEYED, cut, letters, tail
from posenc_gui.text.token_sequence import Tokens
from posenc_gui.text.tokenizer_client import Refused, Splitter

Fill = Literal["none", "repeat", "random"]

MAX_CHARACTERS = 1_000_000
MAX_TOKENS = 131_072
AT_ONCE = 50_000  # characters, or tokens to be filled in, that nobody waits for
LONGEST_PATH = 4096  # characters
LARGEST_TOKENIZER = 100_000_000  # bytes
_SYLLABLES = tuple(
    first + second for first in "bdfgklmnprstvz" for second in "aeiou"
)  # of which made-up words have two
_LONGEST_PATH_TOLD = 200  # characters

# Word boundaries of Unicode Standard Annex 29: they keep "don't", "3.14", combining marks and joined emoji whole, and
# set punctuation and ideographs apart.
_BOUNDARY = regex.compile(r"(?wV1)\b")

# \\host\share and //host/share, Windows' names of devices (\\.\pipe\x, \??\UNC\host), and https://host.
_ELSEWHERE = regex.compile(r"[\\/]{2}|[\\/]\?\?[\\/]|[A-Za-z][A-Za-z0-9+.-]+:[\\/]")

_SURROGATE = regex.compile("[\ud800-\udfff]")
_NAMED = regex.compile(f"[{OBEYED}\u200b\u2060\ufeff]")  # the last are spaces without width
_PILED_UP = regex.compile(r"(\P{ccc=0}{4})\P{ccc=0}+…?")  # no script sets more marks over and under a letter
_WITHOUT_INK = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{M}\s]+")


def clean(text: str) -> str:
    """The same text with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be saved."""
    if _SURROGATE.search(text) is None:
        return text  # and no copy of it: every step of undo has it
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokenize(
    text: str, tokenizer: str = "words", keep_case: bool = False, check_stop: Callable[[], None] = lambda: None
) -> tuple[str, ...]:
    """Split a text into words, characters or UTF-8 bytes, or by a local tokenizer.json whose path is given.

    The first three are lower-cased unless `keep_case`, so that "The" and "the" are one token. At most `MAX_TOKENS` tokens
    are read. A file is read in a process of its own; while that is waited for, `check_stop` is called, and what it raises
    goes through. Raises Undefined where a file gives no tokens.
    """
    if tokenizer in _SPLITTERS:
        return _by_splitter(text, tokenizer, keep_case)
    if refusal := why_no_path(tokenizer):
        raise Undefined(f"{refusal}.")
    path = Path(tokenizer)
    try:
        mark = path, files.stamp(path)  # what was read before is used until this changes
        content = partial(files.content, path, LARGEST_TOKENIZER, "tokenizer")
        return _splitter.split(text, mark, content, check_stop)
    except Refused as why:
        raise Undefined(f"{_told(path.name)} {sentence(why)}.") from None
    except files.Oversized as error:
        raise Undefined(f"{_told(path.name)} {error.why}.") from None
    except OSError as error:
        raise Undefined(f"The tokenizer {_told(tokenizer)} can't be read: {error.strerror}.") from None


def read(path: Path) -> str:
    """The text in a UTF-8 file. Raises ValueError, in one sentence, for what is none or too long; OSError as files do."""
    try:
        text = files.content(path, 4 * MAX_CHARACTERS, "text").decode("utf-8-sig")
    except files.Oversized:
        raise ValueError(f"{_told(path.name)} is too long: a text has at most {MAX_CHARACTERS:,} characters.") from None
    except UnicodeDecodeError:
        raise ValueError(
            f"{_told(path.name)} is no text in UTF-8: save it as such in an editor, and try again."
        ) from None
    if "\0" in text:
        raise ValueError(f"{_told(path.name)} holds NUL characters, as binary files do: it is no text.")
    if not text.strip():
        raise ValueError(f"{_told(path.name)} holds no text.")
    text = text.replace("\r\n", "\n")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{_told(path.name)} has {len(text):,} characters: a text has at most {MAX_CHARACTERS:,}.")
    return text


@lru_cache(maxsize=8)
def filled(tokens: tuple[str, ...], fill: Fill, to: int) -> tuple[str, ...]:
    """The tokens, and behind them as many more as make it so many: the same again and again, or made-up words.

    Those are drawn at random, by a seed that is always the same. Tokens that are more stay as they are, and none stay none.
    """
    missing = to - len(tokens)
    if fill == "none" or missing <= 0 or not tokens:
        return tokens
    if fill == "repeat":
        return Tokens((tokens * -(-to // len(tokens)))[:to])
    return Tokens((*tokens, *_made_up(1 << (missing - 1).bit_length())[:missing]))


@lru_cache(maxsize=2)
def _made_up(count: int) -> tuple[str, ...]:
    """So many words of two syllables. Who asks for powers of two has the first of them drawn already, mostly."""
    draw, words = Random(0), ["".join(both) for both in product(_SYLLABLES, repeat=2)]
    ways = len(_SYLLABLES)
    return tuple(words[int(draw.random() * ways) * ways + int(draw.random() * ways)] for _ in range(count))


@lru_cache(maxsize=8)
def standing(tokens: tuple[str, ...], order: tuple[int, ...]) -> tuple[str, ...]:
    """The tokens in this order, by their indices."""
    return Tokens(tokens[index] for index in order)


def why_no_path(tokenizer: str) -> str:
    """Why this is no path at which a tokenizer may be; empty where it is one.

    Who opens another's session must not be made to call at a host, nor at a device, by a name in it.
    """
    if len(tokenizer) > LONGEST_PATH:
        return f"a tokenizer's path has at most {LONGEST_PATH:,} characters, not {len(tokenizer):,}"
    if any(unicodedata.category(character) == "Cc" for character in tokenizer):
        return "a tokenizer's path holds no control characters"
    if _ELSEWHERE.match(tokenizer):
        return f"a tokenizer must be a local file, not {tokenizer[:80]!r}"
    return ""


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
_splitter = Splitter(MAX_TOKENS)


@lru_cache(maxsize=16)
def _by_splitter(text: str, tokenizer: str, keep_case: bool) -> tuple[str, ...]:
    return Tokens(_SPLITTERS[tokenizer](text if keep_case else text.lower())[:MAX_TOKENS])


def _told(path: str) -> str:
    """A path as it can be read in a sentence: its end, where it is long."""
    return tail(_all_visible(path), _LONGEST_PATH_TOLD)


def shown(token: str) -> str:
    """The token as it can be read on a label: what has no picture of its own is named (NUL as ␀, others as U+200B).

    No longer than a label gets, whatever was typed: two tokens that differ in the middle alone may look the same.
    """
    return _shown(cut(token), _WITHOUT_INK.fullmatch(token) is not None)


@lru_cache(maxsize=2**14)
def _shown(token: str, alone: bool) -> str:
    return cut(_PILED_UP.sub(r"\1…", _all_visible(token, alone)))


def _all_visible(text: str, alone: bool = False) -> str:
    if not alone and text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character, alone) for character in text)


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
    if alone or unicodedata.category(character) in ("Cn", "Co") or _NAMED.match(character):
        return f"U+{code:04X}"
    return character


@lru_cache(maxsize=16)
def twin_groups(tokens: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """The indices of each token that occurs more than once, in the order of their first occurrence."""
    places: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        places.setdefault(token, []).append(index)
    return tuple(tuple(group) for group in places.values() if len(group) > 1)


@lru_cache(maxsize=16)
def twins(tokens: tuple[str, ...]) -> frozenset[int]:
    """The indices of all tokens that occur more than once."""
    return frozenset(index for group in twin_groups(tokens) for index in group)


def found_at(tokens: tuple[str, ...], wanted: str, after: int) -> int | None:
    """The index that a number names, or that of the next token with these letters, from the first again after the last.

    None where there is none.
    """
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 and int(wanted) < len(tokens):
        return int(wanted)
    sought, count = wanted.casefold(), len(tokens)
    ways = ((after + step) % count for step in range(1, count + 1))
    return next((index for index in ways if sought in tokens[index].casefold()), None)
