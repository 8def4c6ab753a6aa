"""Files are read beside the window: what is being read is said, can be stopped, and gives way to what is opened later."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from hands import LEFT, action, banner, open_file, read, session_of
from patience import PATIENT
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton

import posenc_gui as pe
from posenc_gui.app.documents import file_content
from posenc_gui.app.state.reader import Reader, Reading, read_or_refuse

pytestmark = pytest.mark.one_window

LARGE = 4_500_000  # bytes, which are read in a process of their own


def reading(window) -> tuple[str, QToolButton]:
    """What the status bar says of a file that is being read, and the button that stops it."""
    stop = window.statusBar().findChild(QToolButton, "stop-reading")
    told = stop.parentWidget().findChild(QLabel)
    return told.text() if told.isVisible() else "", stop


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A large file that is a session."""
    path = pe.Session(text="large").save(tmp_path / "large.json")
    path.write_text(path.read_text() + " " * LARGE)
    return path


@pytest.fixture
def begins(qtbot) -> Callable[..., None]:
    """Open a file, and wait until the window says that it is being read."""

    def begin(window, path: Path) -> None:
        window.documents.open(path)
        qtbot.waitUntil(lambda: bool(reading(window)[0]))

    return begin


@pytest.mark.slow
def test_a_large_session_is_opened_by_another_process_and_what_is_read_is_said(window, begins, tmp_path) -> None:
    numbers = random.Random(1)
    vectors = tuple((f"w{token}", tuple(numbers.random() for _ in range(2048))) for token in range(70))
    large = pe.Session(text="w1 w2", model=pe.ToyModel(d_model=2048, vectors=vectors))
    path = large.save(tmp_path / "large.json")
    assert path.stat().st_size > LARGE
    begins(window, path)
    told, stop = reading(window)
    assert told == "Reading “large.json” …"
    assert stop.accessibleName() == "Stop reading the file"
    assert session_of(window) == pe.Session()
    read(window)
    assert session_of(window) == large
    assert window.windowTitle().startswith("large.json ")
    assert reading(window)[0] == ""
    assert window.workbench.store.undo_name == "Open large.json"
    window.workbench.store.undo()
    assert session_of(window) == pe.Session()


@pytest.mark.slow
@pytest.mark.most(3)  # each waits for a process
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("exported.json", pe.Document(pe.Session(encoding="rope"), (pe.Bookmark(session=pe.Session()),)).to_json()),
        ("config.json", '{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 5e5}'),
        ("damaged.json", "{"),
        ("text.txt", "the cat"),
        ("binary.txt", "\0"),
        ("lab.md", "# A lab"),
    ],
)
def test_another_process_finds_what_would_be_found_here(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content + " " * LARGE)
    assert Reading(path, file_content.read, print, print, name).run() == read_or_refuse(file_content.read, path)


@pytest.mark.own_window
@pytest.mark.slow
def test_stop_and_what_is_opened_later_end_the_reading_and_nothing_is_lost(
    window, large, begins, begun_processes, qtbot, tmp_path
) -> None:
    begins(window, large)
    QTest.mouseClick(reading(window)[1], LEFT)
    assert banner(window) == "Not opened: reading was stopped."
    assert reading(window)[0] == ""
    assert session_of(window) == pe.Session()
    begins(window, large)
    open_file(window, pe.Session(text="later").save(tmp_path / "later.json"))
    assert session_of(window).text == "later"
    begins(window, large)
    action(window, "New session").trigger()
    assert reading(window)[0] == ""
    begins(window, large)
    window.close()
    qtbot.waitUntil(lambda: not begun_processes())
    assert session_of(window).text != "large"


@pytest.mark.slow
def test_a_reading_that_is_killed_is_said_and_nothing_is_lost(window, large, begins, begun_processes) -> None:
    begins(window, large)
    begun_processes()[-1].kill()
    read(window)
    assert banner(window) == "Not opened: reading was interrupted; there may be too little memory."
    assert session_of(window) == pe.Session()


def test_what_is_read_here_says_how_far_it_is_and_ends_with_stop(qtbot, tmp_path) -> None:
    has_ended = Event()
    said: list[str] = []
    refused: list[str] = []

    def endless(_folder: Path, check_stop: Callable[[], None], progress: Callable[[int, int], None]) -> None:
        try:
            for done in count():
                check_stop()
                progress(min(done, 40), 100)
        finally:
            has_ended.set()

    parent = QObject()
    reader = Reader(parent)
    reader.working.connect(lambda words, _can_stop: said.append(words))
    reader.read_here(tmp_path, "“ORG/NAME”", endless, refused.append, refused.append)
    qtbot.waitUntil(lambda: "Reading “ORG/NAME” … · 40%" in said)
    reader.stop()
    assert refused == ["reading was stopped."]
    assert said[-1] == ""
    assert has_ended.wait(PATIENT / 1000)
    assert not reader.busy


def test_what_is_changed_while_a_file_is_read_is_among_the_earlier_sessions(window, tmp_path) -> None:
    left: list[pe.Document] = []
    window.documents.left.connect(left.append)
    window.documents.open(pe.Session(text="opened").save(tmp_path / "opened.json"))
    window.workbench.store.propose(encoding="alibi")
    changed = session_of(window)
    read(window)
    assert session_of(window).text == "opened"
    assert [one.session for one in left] == [changed]


def test_of_files_opened_at_once_the_last_one_stays(window, tmp_path) -> None:
    for text in ("one", "two", "three"):
        window.documents.open(pe.Session(text=text).save(tmp_path / f"{text}.json"))
    read(window)
    assert session_of(window).text == "three"
    window.workbench.store.undo()
    assert session_of(window) == pe.Session()


def test_the_keys_of_the_window_work_while_a_file_is_read(window, tmp_path) -> None:
    window.documents.open(pe.Session(text="opened").save(tmp_path / "opened.json"))
    edit = window.workbench.tokens.text_edit
    QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(edit, "typed")
    assert edit.toPlainText() == "typed"
    read(window)
    assert edit.toPlainText() == "opened"
