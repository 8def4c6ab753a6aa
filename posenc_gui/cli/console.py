"""What the command line prints: words that a terminal shows and never obeys.

File names, fields and exceptions may hold anything. A control sequence could set a terminal's title or paint over what was
said, and a mark that turns the line around would show another name than the file's: each of these is printed as Python
writes it, such as `\\x1b`. The path of an exported file is for scripts, too: into a pipe or a file it goes as it is.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path

from posenc_gui.foundation.unicode_text import OBEYED

_NAME = "posenc-gui"
_OBEYED = re.compile(f"[{OBEYED}]")


def prepare() -> None:
    """Not every console has every sign of a summary."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(sentence: str) -> None:
    """A line on standard error."""
    with suppress(OSError):  # nobody can be told that nobody can be told
        print(f"{_NAME}: {_shown(sentence)}", file=sys.stderr)


def tell(*lines: str) -> None:
    """Lines on standard output; quiet where its reader has left (`| head`)."""
    with _standard_output():
        print(*map(_shown, lines), sep="\n", flush=True)


def tell_path(path: Path) -> None:
    """A line that holds the path alone: bytes and all as it is, but on a terminal."""
    if os.name == "posix" and isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
        with _standard_output():
            sys.stdout.buffer.write(os.fsencode(path) + b"\n")
            sys.stdout.flush()
    else:
        tell(str(path))


def _shown(text: str) -> str:
    return _OBEYED.sub(lambda sign: sign.group().encode("unicode_escape").decode("ascii"), text)


@contextmanager
def _standard_output() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # What is still in the buffer would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, "standard output") from None
