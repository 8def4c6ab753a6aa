"""The tokenizer process: runs the tokenizers library on untrusted files.

The library may panic, hang or run out of memory over such a file; this process has limits of its own and can fail alone.
It runs as a script that imports only the standard library and tokenizers, which takes a few hundredths of a second.
"""

from __future__ import annotations

import faulthandler
import json
import signal
import struct
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST_TOKEN = 1_000_000  # characters: an unknown word is one token and may be a whole text
LONGEST_TOGETHER = 4_000_000  # characters in all tokens together
_MEMORY = 2 * 2**30  # bytes, if the operating system enforces the limit
_LONGEST_WHY = 200  # characters

# The first byte of a message to this process: a tokenizer, a text without or with special tokens, and tokens.
CONTENT, TEXT, TEXT_WITH_SPECIAL, TOKENS = b"C", b"T", b"S", b"I"
_LENGTH = struct.Struct(">Q")


class Broken(Exception):
    """The other process ended, or sent an invalid message."""


def send(stream: IO[bytes], *parts: bytes) -> None:
    """Write a message, preceded by its length."""
    for part in (_LENGTH.pack(sum(map(len, parts))), *parts):
        stream.write(part)
    stream.flush()


def receive(stream: IO[bytes], most: int) -> bytes:
    """Read a message of at most `most` bytes. Raises Broken if there is no valid one."""
    head = stream.read(_LENGTH.size)
    length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else most + 1
    message = stream.read(length) if length <= most else b""
    if len(message) != length:
        raise Broken
    return message


def main(patience: float, most_tokens: int) -> None:
    """Answer messages until the stream ends.

    The answer to a tokenizer is "", that to a text its tokens, that to tokens their numbers, and that to a failure the
    reason. An empty message is answered with "" once the library is imported.

    patience: seconds for one answer, after which the process ends even if nobody is waiting. most_tokens: the largest
    number of tokens returned.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is meant for the explorer
    _bound_memory()
    from tokenizers import Tokenizer

    messages, answers = sys.stdin.buffer, sys.stdout.buffer
    tokenizer: Tokenizer | None = None
    with suppress(Broken):
        while True:
            message = receive(messages, sys.maxsize)
            answer: list[str] | list[int] | str = ""
            try:
                faulthandler.dump_traceback_later(patience, exit=True)
                if message[:1] == CONTENT:
                    tokenizer = None  # free the old one first: memory suffices for one
                    tokenizer = Tokenizer.from_buffer(message[1:])
                    tokenizer.no_padding()
                    tokenizer.no_truncation()
                elif tokenizer is not None and message[:1] == TOKENS:
                    answer = _numbers(json.loads(message[1:]), tokenizer)
                elif tokenizer is not None:
                    has_special = message[:1] == TEXT_WITH_SPECIAL
                    answer = _split(json.loads(message[1:]), tokenizer, most_tokens, has_special)
            except Exception as error:  # the library raises plain Exception, as for a word outside the vocabulary
                answer = " ".join(str(error).split())[:_LONGEST_WHY] or type(error).__name__
            except BaseException:  # a panic
                answer = "the tokenizers library failed"
            send(answers, json.dumps(answer).encode())
            faulthandler.cancel_dump_traceback_later()


def _split(text: str, tokenizer: Tokenizer, most_tokens: int, has_special: bool) -> list[str]:
    tokens: list[str] = tokenizer.encode(text, add_special_tokens=has_special).tokens[:most_tokens]
    lengths = [len(token) for token in tokens]
    if max(lengths, default=0) > LONGEST_TOKEN or sum(lengths) > LONGEST_TOGETHER:
        raise ValueError(
            f"a token has more than {LONGEST_TOKEN:,} characters, or all have more than {LONGEST_TOGETHER:,}"
        )
    return tokens


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


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no resource module
        return
    for what, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):  # macOS has no limit on address space
            resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    _, patience, most_tokens, *sys.path = sys.argv  # the rest is the explorer's own import path
    main(float(patience), int(most_tokens))
