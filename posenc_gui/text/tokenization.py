"""Split text into tokens. Text is data: any input gives tokens that can be displayed, never markup."""

from __future__ import annotations

import unicodedata
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Literal, cast

import regex

from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.stopped import CheckStop, go_on
from posenc_gui.foundation.unicode_text import CONTROL_CHARACTERS, shorten_middle, shorten_start, split_graphemes
from posenc_gui.foundation.wording import quote
from posenc_gui.text.token_letters import SPACE
from posenc_gui.text.token_sequence import Tokens, entry_of
from posenc_gui.text.tokenizer_client import Found, NoTokens, Question, TokenizerClient
from posenc_gui.text.tokenizer_process import TEXT, TEXT_WITH_SPECIAL, TOKENS

Fill = Literal["none", "repeat", "random"]

MAX_CHARACTERS = 1_000_000
MAX_TOKENS = 131_072
AT_ONCE = 50_000  # characters, or tokens to be filled in, that are processed without a noticeable delay
LONGEST_PATH = 4096  # characters
LARGEST_TOKENIZER = 100_000_000  # bytes
_SYLLABLES = tuple(first + second for first in "bdfgklmnprstvz" for second in "aeiou")  # made-up words have two
_LONGEST_PATH_SHOWN = 200  # characters

# Word boundaries of Unicode Standard Annex 29: they keep "don't", "3.14", combining marks and joined emoji whole, and
# separate punctuation and ideographs.
_BOUNDARY = regex.compile(r"(?wV1)\b")

# \\host\share and //host/share, Windows' names of devices (\\.\pipe\x, \??\UNC\host), and https://host.
_ELSEWHERE = regex.compile(r"[\\/]{2}|[\\/]\?\?[\\/]|[A-Za-z][A-Za-z0-9+.-]+:[\\/]")

_SURROGATE = regex.compile("[\ud800-\udfff]")
_NAMED = regex.compile(f"[{CONTROL_CHARACTERS}\u200b\u2060\ufeff]")  # the last three have zero width
_PILED_UP = regex.compile(r"(\P{ccc=0}{4})\P{ccc=0}+…?")  # no script stacks more marks on a letter
_WITHOUT_INK = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{M}\s]+")


def replace_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD, so that the text can be saved."""
    if _SURROGATE.search(text) is None:
        return text  # the same object: every undo step shares it
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokenize(
    text: str, tokenizer: str = "words", keep_case: bool = False, special: bool = False, check_stop: CheckStop = go_on
) -> tuple[str, ...]:
    """Split a text into words, characters or UTF-8 bytes, or with a local tokenizer.json given by its path. Blocks.

    The first three convert the text to lower case unless `keep_case`, so that "The" and "the" are one token. Returns at
    most `MAX_TOKENS` tokens, those of a file by their letters in the text. A tokenizer file runs in a separate process;
    while waiting, `check_stop` is called and may raise. special: adds the tokens that a tokenizer file puts around a text.
    Raises Undefined, with a sentence, if a tokenizer file is refused, can't be read or gives no tokens.
    """
    if tokenizer in _SPLITTERS:
        return _by_splitter(text, tokenizer, keep_case)
    question = TEXT_WITH_SPECIAL if special else TEXT, text
    return cast(tuple[str, ...], _asked(tokenizer, question, check_stop))


def token_numbers(tokens: tuple[str, ...], tokenizer: str, check_stop: CheckStop = go_on) -> tuple[int, ...]:
    """Return the tokens' numbers in the vocabulary of a tokenizer.json, given by its path. Raises as `tokenize` does."""
    return cast(tuple[int, ...], _asked(tokenizer, (TOKENS, tuple(map(entry_of, tokens))), check_stop))


def _asked(tokenizer: str, question: Question, check_stop: CheckStop) -> Found:
    """Return what a tokenizer file answers. Raises Undefined."""
    if not tokenizer:
        raise Undefined("The model isn't open on this computer: open its folder to see it.")
    if refusal := path_refusal(tokenizer):
        raise Undefined(f"{refusal}.")
    path = Path(tokenizer)
    try:
        mark = path, atomic.strict_stamp(path)  # the cached tokenizer is used until the stamp changes
        content = partial(atomic.read_bytes, path, LARGEST_TOKENIZER, "tokenizer")
        return _splitter.ask(question, mark, content, check_stop)
    except NoTokens as why:
        raise Undefined(f"{format_path(path.name)} {describe_error(why)}.") from None
    except atomic.Oversized as error:
        raise Undefined(f"{format_path(path.name)} {error.why}.") from None
    except OSError as error:
        raise Undefined(f"The tokenizer {format_path(path.name)} can't be read: {error.strerror}.") from None


def read_text_file(path: Path) -> str:
    """Read a UTF-8 text file. Raises ValueError, a sentence, if it is no text or too long; OSError if unreadable."""
    name = format_path(path.name)
    try:
        text = atomic.read_bytes(path, 4 * MAX_CHARACTERS, "text").decode("utf-8-sig")
    except atomic.Oversized:
        raise ValueError(f"{name} is too long: a text has at most {MAX_CHARACTERS:,} characters.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8 text: save it as UTF-8 in an editor and try again.") from None
    if "\0" in text:
        raise ValueError(f"{name} holds NUL characters, so it is a binary file, not text.")
    if not text.strip():
        raise ValueError(f"{name} holds no text.")
    text = text.replace("\r\n", "\n")
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{name} has {len(text):,} characters: a text has at most {MAX_CHARACTERS:,}.")
    return text


@lru_cache(maxsize=8)
def extend_tokens(tokens: tuple[str, ...], fill: Fill, to: int, own: range | None = None) -> tuple[str, ...]:
    """Extend a sequence to `to` tokens, by repeating it or with made-up words drawn with a fixed seed. own: where the text's
    own tokens stand, by default everywhere; they alone are repeated. A sequence that is already that long, or has none, is
    returned unchanged."""
    missing = to - len(tokens)
    first, last = (own.start, own.stop) if own is not None else (0, len(tokens))
    text = tokens[first:last]
    if fill == "none" or missing <= 0 or not text:
        return tokens
    if fill == "repeat":
        repeated = (text * -(-(len(text) + missing) // len(text)))[: len(text) + missing]
        return Tokens((*tokens[:first], *repeated, *tokens[last:]))
    return Tokens((*tokens, *_made_up(1 << (missing - 1).bit_length())[:missing]))


@lru_cache(maxsize=2)
def _made_up(count: int) -> tuple[str, ...]:
    """Draw words of two syllables. Callers round `count` up to a power of two, so that the result is often cached."""
    draw, words = Random(0), ["".join(both) for both in product(_SYLLABLES, repeat=2)]
    ways = len(_SYLLABLES)
    return tuple(words[int(draw.random() * ways) * ways + int(draw.random() * ways)] for _ in range(count))


@lru_cache(maxsize=8)
def reorder_tokens(tokens: tuple[str, ...], order: tuple[int, ...]) -> tuple[str, ...]:
    """Reorder tokens by their indices."""
    return Tokens(tokens[index] for index in order)


def path_refusal(path: str, whose: str = "a tokenizer", should: str = "file") -> str:
    """Return the reason why a path is refused; empty if it is accepted. `whose` and `should` say what it is the path of.
    Opening another person's session must not contact a host or open a device that the session names."""
    if len(path) > LONGEST_PATH:
        return f"{whose}'s path has at most {LONGEST_PATH:,} characters, not {len(path):,}"
    if any(unicodedata.category(character) == "Cc" for character in path):
        return f"{whose}'s path can't contain control characters"
    if _ELSEWHERE.match(path):
        return f"{whose} must be a local {should}, not {path[:80]!r}"
    return ""


def words(text: str) -> list[str]:
    """Split at Unicode's word boundaries: words, punctuation marks, single ideographs."""
    # A combining mark after a space comes with the space.
    return [token for piece in _BOUNDARY.split(text) if (token := piece.strip())]


def utf8_bytes(text: str) -> list[str]:
    """Split into UTF-8 bytes, as two hexadecimal digits each."""
    return [f"{byte:02X}" for byte in text.encode("utf-8")]


_SPLITTERS = {"words": words, "characters": split_graphemes, "bytes": utf8_bytes}
TOKENIZERS = tuple(_SPLITTERS)
_splitter = TokenizerClient(MAX_TOKENS)


@lru_cache(maxsize=16)
def _by_splitter(text: str, tokenizer: str, keep_case: bool) -> tuple[str, ...]:
    return Tokens(_SPLITTERS[tokenizer](text if keep_case else text.lower())[:MAX_TOKENS])


def format_path(path: str) -> str:
    """Format a path for a sentence: only its end where it is long."""
    return shorten_start(_all_visible(path[-LONGEST_PATH:]), _LONGEST_PATH_SHOWN)


def format_token(token: str) -> str:
    """Format a token for a label: invisible characters are named (NUL as ␀, others as U+200B). Long tokens are shortened in
    the middle, so two that differ only there look the same."""
    return _shown(shorten_middle(str(token)), _WITHOUT_INK.fullmatch(token) is not None)


@lru_cache(maxsize=2**14)
def _shown(token: str, alone: bool) -> str:
    return shorten_middle(_PILED_UP.sub(r"\1…", _all_visible(token, alone)))


def _all_visible(text: str, alone: bool = False) -> str:
    if not alone and text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character, alone) for character in text)


def format_first_tokens(tokens: tuple[str, ...], most: int) -> str:
    """Format the first tokens of a text as one line."""
    return " ".join(map(format_token, tokens[:most])) + (" …" if len(tokens) > most else "")


def _visible(character: str, alone: bool) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if alone and character == " ":
        return SPACE
    # Joiners and variation selectors (Cf, Mn) shape their neighbours; alone they are invisible.
    if alone or unicodedata.category(character) in ("Cn", "Co") or _NAMED.match(character):
        return f"U+{code:04X}"
    return character


def is_word(token: str) -> bool:
    """True for a word or a piece of one, with a space before it or not; False for signs, and for parts of a letter."""
    return token.strip(SPACE).isalnum()


@lru_cache(maxsize=16)
def twin_groups(tokens: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the indices of each token that occurs more than once, in the order of first occurrence."""
    places: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        places.setdefault(token, []).append(index)
    return tuple(tuple(group) for group in places.values() if len(group) > 1)


@lru_cache(maxsize=16)
def twins(tokens: tuple[str, ...]) -> frozenset[int]:
    """Return the indices of all tokens that occur more than once."""
    return frozenset(index for group in twin_groups(tokens) for index in group)


def find_token(tokens: tuple[str, ...], wanted: str, after: int, start: int = 0) -> int | None:
    """Return the index of a token, found by its position (they count from `start`) or by part of its text in any case. None
    if there is no match. The search begins behind `after`, wraps around, and comes to `after` last."""
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 and 0 <= int(wanted) - start < len(tokens):
        return int(wanted) - start
    sought, count = wanted.casefold(), len(tokens)
    ways = ((after + step) % count for step in range(1, count + 1))
    return next((index for index in ways if sought in tokens[index].casefold()), None)


def name_token(tokens: tuple[str, ...], index: int, start: int = 0) -> str:
    """Format a token with its position, which counts from `start`: “cat” (1)."""
    return f"{quote(format_token(tokens[index]))} ({start + index})"
