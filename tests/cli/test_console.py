"""Printed text never controls a terminal, whatever it contains."""

from __future__ import annotations

import io
import unicodedata
from contextlib import redirect_stderr, redirect_stdout

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
