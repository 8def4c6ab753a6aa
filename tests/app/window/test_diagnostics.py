"""Diagnostics: what helps whoever mends the explorer, and nothing of the user's own unless that is wanted."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import LEFT
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QPlainTextEdit, QPushButton

import posenc_gui as pe
from posenc_gui.app.state import log
from posenc_gui.app.window.help import DiagnosticsWindow

QUOTED = "File “quoted”, line 1\n2026-01-31 09:30:00"
SECRET = "a sentence <b>that</b> is nobody's business"


@pytest.fixture
def logger(tmp_path) -> Iterator[logging.Logger]:
    """The explorer's logger, with a log in the window's folder; as before at the end."""
    found = logging.getLogger("posenc_gui")
    before = list(found.handlers), found.propagate
    yield log.open_log(tmp_path / "memory")
    for handler in set(found.handlers) - set(before[0]):
        found.removeHandler(handler)
        handler.close()
    found.propagate = before[1]


def fail(logger: logging.Logger, said: str = SECRET) -> None:
    """An error that quotes the user, twice, and is logged as all unforeseen ones are."""
    try:
        try:
            pe.Session(text=said, focus=-1)
        except ValueError as error:
            raise RuntimeError(f"{said}\n{QUOTED} {said}") from error
    except RuntimeError as error:
        logger.error("unforeseen", exc_info=error)


@pytest.fixture
def diagnostics(window, user):
    """The window of diagnostics, from the menu."""

    def opened() -> DiagnosticsWindow:
        user.chooses(window, "Help", "Diagnostics …")
        return window.findChildren(DiagnosticsWindow)[-1]

    return opened


def text_of(shown: DiagnosticsWindow) -> str:
    return shown.findChild(QPlainTextEdit).toPlainText()


def click(shown: DiagnosticsWindow, text: str) -> None:
    button = next(one for one in shown.findChildren(QPushButton) if one.text().replace("&", "") == text)
    QTest.mouseClick(button, LEFT)


def test_it_tells_what_runs_here(window, diagnostics) -> None:
    shown = diagnostics()
    text = text_of(shown)
    runs = (f"posenc-gui {pe.__version__}", "Python 3.", "Qt 6.", "PySide6-Essentials 6.", "torch 2.", "tokenizers")
    for said in (*runs, "platform offscreen", "screen 1: ", "device cpu", "settings in ", "No errors are in the log."):
        assert said in text, said
    assert shown.findChild(QPlainTextEdit).accessibleName() == "Diagnostics"
    assert shown.findChild(QPlainTextEdit).isReadOnly()


def test_errors_are_told_by_where_they_were_and_not_by_what_they_quote(window, user, logger, diagnostics) -> None:
    user.pastes(window, SECRET)
    fail(logger)
    shown = diagnostics()
    text = text_of(shown)
    assert "RuntimeError" in text
    assert "posenc_gui.foundation.errors.Invalid" in text
    assert "which led to" in text
    assert "in fail" in text
    assert "nobody's business" not in text
    assert "“quoted”" not in text
    QTest.mouseClick(shown.findChild(QCheckBox), LEFT)
    assert text_of(shown).count("nobody's business") >= 3
    assert window.workbench.store.session.to_json() in text_of(shown)
    QTest.mouseClick(shown.findChild(QCheckBox), LEFT)
    assert text_of(shown) == text


def test_the_last_few_errors_are_told_of_both_logs(logger, tmp_path) -> None:
    for number in range(12):
        fail(logger, f"error {number}")
    folder = tmp_path / "memory"
    (folder / "log.txt").rename(folder / "log.txt.1")
    for handler in logger.handlers:
        handler.close()
    fail(logger, "the newest")
    told = log.last_errors(folder, 3, with_words=True)
    assert [said in one for said, one in zip(("error 10", "error 11", "the newest"), told, strict=True)] == [True] * 3
    assert all(one.startswith("20") and f"posenc-gui {pe.__version__}: unforeseen" in one for one in told)
    assert log.last_errors(tmp_path / "nowhere", 3, with_words=True) == []


def test_the_user_s_folder_is_never_named(window, logger, diagnostics, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    fail(logger, str(tmp_path / "diary.json"))
    shown = diagnostics()
    QTest.mouseClick(shown.findChild(QCheckBox), LEFT)
    assert str(tmp_path) not in text_of(shown)
    assert "~" in text_of(shown)
    assert "diary.json" in text_of(shown)


def test_it_is_copied_and_saved(window, logger, diagnostics, answer, tmp_path) -> None:
    fail(logger)
    shown = diagnostics()
    click(shown, "Copy")
    assert QGuiApplication.clipboard().text() == text_of(shown)
    path = tmp_path / "told"
    answer(path, "Text (*.txt)")
    click(shown, "Save …")
    assert path.with_suffix(".txt").read_text(encoding="utf-8") == text_of(shown) + "\n"
    answer(tmp_path / "no" / "a.txt")
    click(shown, "Save …")
    assert any(label.text().startswith("Not saved: ") for label in shown.findChildren(QLabel))
    click(shown, "Close")
    assert not shown.isVisible()


CRASH = """
import sys
from ctypes import string_at
from pathlib import Path
from posenc_gui.app.state.log import follow_crashes, last_errors, open_log

folder = Path(sys.argv[1])
open_log(folder)
follow_crashes(folder)
if sys.argv[2] == "crash":
    string_at(0)
print("\\n".join(last_errors(folder, 5, with_words=False)))
"""


def test_where_a_library_took_the_process_down_is_in_the_log_of_the_next_start(tmp_path) -> None:
    def run(what: str) -> str:
        command = [sys.executable, "-c", CRASH, str(tmp_path), what]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stdout

    assert run("crash") == ""
    told = run("look")
    assert "the process crashed" in told
    assert "string_at" in told
    assert run("look") == told  # once
