"""What nobody gives to a window in good faith: it comes up, goes on, and comes up again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hands import banner, open_file

import posenc_gui as pe
from posenc_gui.labs.definition import lab_library
from tools.attack.tokenizers import TOKENIZERS

pytestmark = pytest.mark.one_window


def session_with(folder: Path, **fields: object) -> Path:
    path = folder / "hostile.json"
    head = {"format": "posenc-gui session", "version": 2}
    path.write_text(json.dumps({**head, "session": fields}), encoding="utf-8")
    return path


HOSTILE = {
    "a NUL in the tokenizer's path": {"tokenizer": "a\0b.json"},
    "a tokenizer's path of 100,000 characters": {"tokenizer": "d/" * 50_000 + "x.json"},
    "another machine's tokenizer": {"tokenizer": "\\\\host\\share\\x.json"},
    "a word of 200,000 letters": {"text": "x" * 200_000},
    "200,000 combining marks": {"text": "e" + "\u0301" * 199_999},
}


@pytest.mark.slow
@pytest.mark.most(3)
@pytest.mark.parametrize("fields", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_a_session_holds_keeps_the_window_from_coming_up(open_window, tmp_path, fields) -> None:
    check(open_window, tmp_path, session_with(tmp_path, **fields))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stride = max_length", "padded to 4e9"])
def test_no_tokenizer_keeps_the_window_from_coming_up(open_window, tmp_path, name: str) -> None:
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(json.dumps(TOKENIZERS[name]), encoding="utf-8")
    check(open_window, tmp_path, session_with(tmp_path, tokenizer=str(tokenizer)))


def check(open_window, tmp_path: Path, path: Path) -> None:
    """Open it, close the window, and start again."""
    window = open_window(path)
    assert window.workbench.tokens.text_edit.isVisible()
    window.close()
    again = open_window()
    assert again.workbench.tokens.text_edit.isVisible()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1, 1), (5000, 50)])
def test_a_window_without_room_says_nothing_to_a_terminal(window, settle, size: tuple[int, int]) -> None:
    """Any warning of Qt's fails the test."""
    window.resize(*size)
    window.messages.say("A sentence that has no room.")
    window.labs.desk.begin(lab_library.lab(lab_library.names()[0]))
    settle(window)
    window.labs.desk.leave()
    settle(window)


def test_a_session_whose_name_is_not_utf_8_is_opened_and_saved(window, settle, tmp_path) -> None:
    path = tmp_path / os.fsdecode(b"a\xff.json")
    session = pe.Session(text="dog bites man")
    session.save(path)
    open_file(window, path)
    settle(window)
    assert window.workbench.store.session == session
    window.documents.save()
    assert banner(window).startswith("Saved")
