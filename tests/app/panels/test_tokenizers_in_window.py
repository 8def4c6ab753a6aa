"""A tokenizer from a file in the window: its process is waited for by the worker, never by what the user touches."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hands import figure_of, labels_of, open_file
from PySide6.QtWidgets import QLabel
from tokenizers import Regex, normalizers
from word_tokenizer import word_tokenizer

import posenc_gui as pe
from posenc_gui.text import tokenizer_client
from posenc_gui.text.tokenizer_client import TokenizerClient

TANGLED = "a" * 22 + "b"


def save_words(path: Path, *, slow: bool = False) -> Path:
    """Words by white space; a slow one tries every way to part the letters of each, a thousand times."""
    made = word_tokenizer("a", "b", "c")
    if slow:
        made.normalizer = normalizers.Sequence([normalizers.Replace(Regex("(a+)+$"), "c")] * 1000)
    made.save(str(path))
    return path


@pytest.fixture
def begun(open_window, tmp_path):
    """A window that begins with a session whose tokenizer is a file."""

    def begin(tokenizer: Path, text: str):
        folder = tmp_path / "memory"
        folder.mkdir()
        pe.Session(text=text, tokenizer=str(tokenizer)).save(folder / "last-session.json")
        return open_window()

    return begin


def said_of(window) -> list[str]:
    return [label.text() for label in window.workbench.tokens.findChildren(QLabel)]


def push(window, name: str) -> None:
    window.workbench.tokens.choices()[name].trigger()


@pytest.mark.slow
def test_nothing_that_the_user_touches_asks_the_file(begun, user, settle, monkeypatch, tmp_path) -> None:
    path = save_words(tmp_path / "mine.json")
    asking: set[bool] = set()
    stat, ask = Path.stat, TokenizerClient.ask

    def noted_stat(self: Path, **how: bool) -> os.stat_result:
        if self == path:
            asking.add(threading.current_thread() is threading.main_thread())
        return stat(self, **how)

    def noted_ask(*of: object) -> tuple[str, ...]:
        asking.add(threading.current_thread() is threading.main_thread())
        return ask(*of)

    monkeypatch.setattr(Path, "stat", noted_stat)
    monkeypatch.setattr(TokenizerClient, "ask", noted_ask)
    window = begun(path, "a b c")
    assert labels_of(window) == ["a", "b", "c"]
    push(window, "Reverse")
    settle(window)
    assert labels_of(window) == ["c", "b", "a"]
    assert window.workbench.store.session.order == (2, 1, 0)
    user.pastes(window, "a b c a")
    assert labels_of(window) == ["a", "b", "c", "a"]
    user.chooses_encoding(window, "rope")
    push(window, "Shuffle")
    settle(window)
    window.workbench.store.undo()
    window.workbench.store.undo()
    window.workbench.store.propose(key=1)
    window.documents.save_to(tmp_path / "session.json")
    open_file(window, tmp_path / "session.json")
    settle(window)
    assert asking == {False}


@pytest.mark.slow
def test_the_window_goes_on_while_a_tokenizer_is_at_work_and_then_says_what_came_of_it(
    begun, user, settle, qtbot, monkeypatch, tmp_path
) -> None:
    window = begun(save_words(tmp_path / "slow.json", slow=True), "b b")
    assert labels_of(window) == ["b", "b"]
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 3.0)
    window.workbench.store.propose(text=TANGLED)
    assert "Splitting the text with “slow.json” …" in said_of(window)
    assert labels_of(window) == ["b", "b"]
    push(window, "Reverse")  # of tokens that nobody knows
    window.workbench.store.propose(encoding="rope")
    assert "Splitting the text with “slow.json” …" in said_of(window)
    assert window.workbench.encoding.choice.currentData() == "rope"
    settle(window)
    said = "slow.json takes longer than 3 s with this text: try a shorter one."
    assert said in said_of(window)
    (note,) = figure_of(window).panels
    assert note.text == said
    assert window.workbench.store.session == pe.Session(
        text=TANGLED, tokenizer=str(tmp_path / "slow.json"), encoding="rope"
    )
    user.pastes(window, "b c")
    assert labels_of(window) == ["b", "c"]


def test_the_worker_of_a_closed_window_ends_before_the_tokenizer_at_work(begun, qtbot, monkeypatch, tmp_path) -> None:
    window = begun(save_words(tmp_path / "slow.json", slow=True), "b b")
    monkeypatch.setattr(tokenizer_client, "PATIENCE", 5.0)
    window.workbench.store.propose(text=TANGLED)
    qtbot.waitUntil(lambda: "splitter" in at_work())
    window.close()
    qtbot.waitUntil(lambda: "compute_0" not in at_work())
    assert "splitter" in at_work()


def at_work() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


@pytest.mark.slow
def test_a_long_name_is_shortened_in_the_list(window, user, settle, tmp_path) -> None:
    path = save_words(tmp_path / f"{'é' * 100}.json")
    window.workbench.store.propose(tokenizer=str(path), text="a b")
    settle(window)
    assert labels_of(window) == ["a", "b"]
    (checked,) = (one for one in window.workbench.tokens.choices().values() if one.isChecked())
    assert len(checked.text()) <= 40
    assert checked.text().endswith(".json")
