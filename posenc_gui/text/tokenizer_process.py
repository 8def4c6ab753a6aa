"""The tokenizer's process: runs the tokenizers library on untrusted files.

The library may panic, hang or run out of memory over such a file. The process imports only that library, `regex` and the
standard one, which takes a few hundredths of a second.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST_TOKEN = 1_000_000  # characters: an unknown word is one token and may be a whole text
LONGEST_TOGETHER = 4_000_000  # characters in all tokens together
_LONGEST_WHY = 200  # characters

# What `answer` is asked about: a tokenizer file's content, a text without or with special tokens, and tokens.
CONTENT, TEXT, TEXT_WITH_SPECIAL, TOKENS = "content", "text", "text with special tokens", "tokens"

_loaded: Tokenizer | None = None


def begin(memory: int) -> None:
    """Import the library. What it asks for beyond `memory` bytes is refused where the system does that."""
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit, macOS none on address space
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    import tokenizers  # noqa: F401


def answer(kind: str, about: Any, most_tokens: int) -> tuple[list[str], list[str]] | list[int] | str:
    """Load a tokenizer and return nothing; return a text's tokens, at most `most_tokens`, as readers see them and as the
    vocabulary spells them; or return numbers of tokens that are so spelled. After a failure return the reason."""
    global _loaded
    from tokenizers import Tokenizer

    try:
        if kind == CONTENT:
            _loaded = None  # free the old one first: memory suffices for one
            _loaded = Tokenizer.from_buffer(about)
            _loaded.no_padding()
            _loaded.no_truncation()
        elif _loaded and kind == TOKENS:
            return _numbers(about, _loaded)
        elif _loaded:
            return _split(about, _loaded, most_tokens, kind == TEXT_WITH_SPECIAL)
    except Exception as error:  # the library raises plain Exception, as for a word outside the vocabulary
        return " ".join(str(error).split())[:_LONGEST_WHY] or type(error).__name__
    except BaseException:  # a panic
        return "the tokenizers library failed"
    return ""


def _split(text: str, tokenizer: Tokenizer, most_tokens: int, has_special: bool) -> tuple[list[str], list[str]]:
    from posenc_gui.text.token_letters import letters

    encoding = tokenizer.encode(text, add_special_tokens=has_special)
    encoding.truncate(most_tokens)
    tokens: list[str] = encoding.tokens
    _check_lengths(tokens)
    shown = letters(encoding, text, tokenizer)
    _check_lengths(shown)
    return shown, tokens


def _check_lengths(tokens: list[str]) -> None:
    lengths = [len(token) for token in tokens]
    if max(lengths, default=0) > LONGEST_TOKEN or sum(lengths) > LONGEST_TOGETHER:
        raise ValueError(
            f"a token has more than {LONGEST_TOKEN:,} characters, or all have more than {LONGEST_TOGETHER:,}"
        )


def _numbers(tokens: list[str], tokenizer: Tokenizer) -> list[int]:
    """Return the number of each token; those that the vocabulary lacks get that of the unknown token."""
    known = {token: tokenizer.token_to_id(token) for token in tokens}
    if None in known.values():
        model = json.loads(tokenizer.to_str())["model"]
        unknown = model.get("unk_id")
        unknown = tokenizer.token_to_id(model.get("unk_token") or "") if unknown is None else unknown
        if unknown is None:
            raise ValueError("its vocabulary lacks a token, and has none for unknown ones")
        known = {token: unknown if number is None else number for token, number in known.items()}
    return [int(known[token] or 0) for token in tokens]
