"""Printed text never controls a terminal, whatever it contains."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc_gui.cli import console

REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
TEXTS = st.text(st.characters() | st.sampled_from("\x1b\x9b\r\n\u202e\u2067\u200f\u061c\u2028\ud800 \\aé犬\u200d"))


def obeyed(sign: str) -> bool:
    is_mark = sign in "\u200e\u200f\u061c"
    return (
        is_mark
        or unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(sign) in REORDERING
    )


@given(TEXTS)
def test_nothing_that_a_terminal_obeys_is_printed_and_all_else_is_as_it_was(text: str) -> None:
    with redirect_stderr(io.StringIO()) as errors, redirect_stdout(io.StringIO()) as output:
        console.say(text)
        console.tell(text, text)
    line, end = errors.getvalue().removeprefix("posenc-gui: ")[:-1], errors.getvalue()[-1]
    assert end == "\n"
    assert not any(map(obeyed, line))
    assert output.getvalue() == f"{line}\n{line}\n"
    if not any(map(obeyed, text)):
        assert line == text


needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
INTERRUPTED = """
import os, signal, sys

class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name.startswith({name!r}):
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder)
"""
COMMAND = """
sys.argv = ["posenc-gui", *{arguments!r}]
from posenc_gui.__main__ import main
sys.exit(main())
"""
NOTEBOOK = """
import posenc_gui as pe
try:
    pe.attend(pe.Session(text="dog bites man"))
except KeyboardInterrupt:
    sys.meta_path.remove(Finder)
    print(pe.attend(pe.Session(text="dog bites man")).tokens)
"""


@needs_signals
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("posenc_gui.cli", ["list", "plots"]),
        ("pydantic", ["list", "plots"]),
        ("torch", ["export", "waves", "--out", "it.svg"]),
        ("matplotlib", ["export", "waves", "--out", "it.svg"]),
        ("PySide6.QtCore", []),  # over an exception in it Python aborts
        ("posenc_gui.app.window.application", []),
    ],
)
def test_ctrl_c_while_something_is_imported_ends_without_a_word(name: str, arguments: list[str], tmp_path) -> None:
    ran = interrupted(COMMAND, tmp_path, name=name, arguments=arguments)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")
    assert not [*tmp_path.iterdir()]


@needs_signals
@pytest.mark.parametrize("name", ["torch.autograd", "posenc_gui.scene"])  # of both, half is useless
def test_ctrl_c_in_a_notebook_waits_until_all_is_imported(name: str, tmp_path) -> None:
    ran = interrupted(NOTEBOOK, tmp_path, name=name)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "('dog', 'bites', 'man')\n", "")


def interrupted(code: str, home: Path, **given: object) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own in which Ctrl+C is pressed while a module of a name is looked for."""
    command = [sys.executable, "-c", (INTERRUPTED + code).format(**given)]
    around = {**os.environ, "HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, cwd=home, env=around, timeout=120, check=False)
