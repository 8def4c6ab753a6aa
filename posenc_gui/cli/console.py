"""Output that a terminal displays but never executes.

File names, fields and exceptions may contain anything. A control sequence could set a terminal's title or overwrite
earlier lines, and a bidirectional mark could disguise a file's name, so each is printed as its Python escape, such as
`\\x1b`. Scripts read the path of an exported file, so pipes and files get it unchanged (except on Windows).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path

from posenc_gui.foundation.unicode_text import CONTROL_CHARACTERS

PROGRAM = "posenc-gui"
_OBEYED = re.compile(f"[{CONTROL_CHARACTERS}]")


def prepare() -> None:
    """Let standard output print an escape for a character that the console lacks, instead of raising an error."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(sentence: str) -> None:
    """Print a line on standard error."""
    with suppress(OSError):  # a failure to print an error can't be reported
        print(f"{PROGRAM}: {_shown(sentence)}", file=sys.stderr)


def tell(*lines: str) -> None:
    """Print lines on standard output, unless its reader has ended (`| head`). Raises OSError for other failures."""
    with _standard_output():
        print(*map(_shown, lines), sep="\n", flush=True)


def tell_path(path: Path) -> None:
    """Print a path: byte for byte into a POSIX pipe or file, otherwise escaped. Raises OSError as `tell` does."""
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
        # Otherwise flushing the rest of the buffer would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, "standard output") from None
