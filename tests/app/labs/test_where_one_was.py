"""A lab gives back one's own window, however it is left; and one undo takes back all that one act did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hands import action, banner, open_file, session_of
from lab_hands import arrangement_of, assert_arranged
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

import posenc_gui as pe
from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.labs.played_lab import COMES_BACK, GAVE_BACK
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.labs.definition import lab_library

LAB = "three-doors"
MARKS = (pe.Bookmark(name="mine", session=pe.Session()),)


def go(window: MainWindow, name: str) -> None:
    """Press an arrangement in the bar."""
    window.findChild(QAction, f"go.{name}").trigger()


@pytest.fixture
def own(open_window, user, settle, tmp_path) -> MainWindow:
    """A window with work of one's own: a file with a bookmark, changed since, in Explore with one plot in all the room."""
    window = open_window()
    path = tmp_path / "mine.json"
    pe.Document(pe.Session(text="the cat saw the dog", encoding="rope"), MARKS).save(path)
    open_file(window, path)
    user.pastes(window, "the dog saw the cat")
    action(window, "Maximise plot").trigger()
    settle(window)
    return window


def is_as_it_was(window: MainWindow) -> None:
    """Whether all of it is there."""
    assert (session_of(window).text, session_of(window).encoding.name) == ("the dog saw the cat", "rope")
    assert window.windowTitle().startswith("mine.json* ")
    assert window.findChild(Bookmarks).all == MARKS


def place(window: MainWindow) -> tuple[str, bool, str]:
    """The arrangement, whether a plot has all the room in it, and the step that is played."""
    arranger, play = window.findChild(Arranger), window.labs.desk.play
    return arranger.at, arranger.maximised is not None, play.step.name if play else ""


@pytest.mark.slow
def test_a_lab_that_is_closed_gives_back_all_of_ones_own_window(own, settle) -> None:
    store = own.workbench.store
    history = store.history
    own.labs.begin(lab_library.lab(LAB))
    assert own.statusBar().currentMessage() == COMES_BACK
    assert own.windowTitle().startswith("Three doors")
    assert own.documents.file.path is None  # Save would not write into mine.json
    store.propose(focus=1)
    settle(own)
    in_lab = store.session
    own.labs.desk.leave()
    is_as_it_was(own)
    settle(own)
    assert place(own) == ("explore", True, "")
    assert (store.history[:-1], store.undo_name) == (history, history[-1])
    assert banner(own) == GAVE_BACK
    (keep,) = (one for one in own.messages.findChildren(QToolButton) if one.text() == "Keep the lab's session")
    keep.click()
    assert store.session == in_lab
    assert own.documents.file.path is None
    store.undo()
    is_as_it_was(own)
    own.labs.begin(lab_library.lab(LAB))
    own.labs.desk.leave()
    settle(own)
    assert banner(own) == GAVE_BACK
    own.documents.new()
    assert own.messages.isHidden()  # one's own sentence is no longer there
    store.undo()
    own.labs.begin(lab_library.lab(LAB))
    own.documents.new()  # instead of one's own, not of the lab's
    assert store.undo_name == "New session"
    store.undo()
    is_as_it_was(own)


@pytest.mark.slow
def test_explore_gives_it_back_too_and_lab_goes_on_where_it_was_left(own, settle) -> None:
    before = arrangement_of(own)
    own.labs.begin(lab_library.lab(LAB), "rotation")
    own.workbench.store.propose(focus=1)
    in_lab = session_of(own)
    settle(own)
    go(own, "explore")
    settle(own)
    is_as_it_was(own)
    assert_arranged(own, before)
    go(own, "lab")
    settle(own)
    assert session_of(own) == in_lab
    assert place(own) == ("lab", False, "rotation")
    own.labs.desk.roam()  # and from free play
    own.workbench.store.propose(encoding="alibi")
    go(own, "compare")
    settle(own)
    assert session_of(own).text == "the dog saw the cat"
    assert place(own) == ("compare", False, "")
    own.workbench.store.undo()
    is_as_it_was(own)
    go(own, "lab")
    assert session_of(own) == in_lab


@pytest.mark.slow
def test_a_window_closed_in_a_lab_opens_in_it_and_still_gives_back_what_was_before(own, open_window, settle) -> None:
    own.labs.begin(lab_library.lab(LAB))
    own.workbench.store.propose(focus=1)
    settle(own)
    in_lab = session_of(own)
    own.close()
    again = open_window()
    assert (session_of(again), place(again)[0]) == (in_lab, "lab")
    assert again.windowTitle().startswith("Three doors ")
    again.labs.desk.leave()
    is_as_it_was(again)
    settle(again)
    assert place(again) == ("explore", True, "")
    again.close()
    third = open_window()
    is_as_it_was(third)
    assert place(third)[::2] == ("explore", "")


@pytest.mark.slow
@pytest.mark.most(1)
@pytest.mark.parametrize("arrangement", ["explore", "compare"])
def test_a_start_is_not_in_a_lab_that_one_had_left(own, open_window, settle, arrangement: str) -> None:
    own.labs.begin(lab_library.lab(LAB))
    settle(own)
    go(own, arrangement)
    settle(own)
    own.close()
    again = open_window()
    assert session_of(again).text == "the dog saw the cat"
    assert place(again)[::2] == (arrangement, "")


def content(path: Path) -> dict[str, object]:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("written", [True, False], ids=["in it", "just as it begins"])
def test_a_kill_in_a_lab_loses_neither(own, open_window, qtbot, settle, tmp_path, killed, written: bool) -> None:
    own.labs.begin(lab_library.lab(LAB))
    settle(own)
    in_lab = session_of(own)
    (underway,) = (tmp_path / "memory").glob("windows/*/underway.json")
    session = underway.with_name("session.json")
    qtbot.waitUntil(lambda: session.exists() and content(session)["session"] == json.loads(in_lab.to_json())["session"])
    after = killed(tmp_path / "memory")
    (after / "labs" / f"{LAB}.lock").unlink()  # of the window that lives
    if not written:
        at_kill = after / session.relative_to(tmp_path / "memory")
        at_kill.unlink()
        at_kill.write_text(content(underway)["before"], encoding="utf-8")
    again = open_window(folder=after)
    assert (session_of(again), again.labs.desk.play.lab.name) == (in_lab, LAB)
    again.labs.desk.leave()
    assert session_of(again).text == "the dog saw the cat"
    if written:
        is_as_it_was(again)


@pytest.mark.slow
def test_a_lab_goes_on_as_its_file_is_then_and_gives_back_ones_own_where_it_can_not(
    own, open_window, own_lab, settle
) -> None:
    open_file(own, own_lab)
    settle(own)
    go(own, "explore")
    own_lab.write_text(own_lab.read_text(encoding="utf-8").replace("# ", "# New ", 1), encoding="utf-8")
    go(own, "lab")
    assert own.labs.desk.play.lab.title.startswith("New ")
    own.close()
    kept = own_lab.rename(own_lab.with_suffix(".away"))
    again = open_window()
    assert banner(again).startswith("The lab can't continue: ")
    is_as_it_was(again)
    kept.rename(own_lab)
    open_file(again, own_lab)
    go(again, "explore")
    own_lab.unlink()
    go(again, "lab")
    assert banner(again).startswith("The lab can't continue: ")
    assert again.labs.desk.play is None
    is_as_it_was(again)


# --- One undo for one act


@pytest.mark.slow
def test_one_undo_takes_back_all_that_a_new_session_took_away(own, user) -> None:
    marks, store = own.findChild(Bookmarks), own.workbench.store
    user.chooses(own, "File", "New session")
    assert (marks.all, own.windowTitle()[:9]) == ((), "Untitled ")
    assert store.undo_name == "New session"
    store.undo()
    is_as_it_was(own)
    store.redo()
    assert (marks.all, own.windowTitle()[:9]) == ((), "Untitled ")
    steps = store.history
    user.chooses(own, "File", "New session")  # of a new session: nothing is done, and nothing to be undone
    assert store.history == steps


@pytest.mark.slow
def test_one_undo_takes_back_a_file_a_share_string_and_a_model(own, settle, tmp_path) -> None:
    store, marks = own.workbench.store, own.findChild(Bookmarks)
    path = tmp_path / "other.json"
    pe.Document(pe.Session(text="other"), (pe.Bookmark(name="other", session=pe.Session()),)).save(path)
    open_file(own, path)
    assert own.windowTitle().startswith("other.json ")
    assert [one.name for one in marks.all] == ["other"]
    store.undo()
    is_as_it_was(own)
    own.documents.paste_share(pe.Session(text="shared").share())
    settle(own)
    assert (session_of(own).text, marks.all) == ("shared", ())
    store.undo()
    is_as_it_was(own)
    own.findChild(QAction, "model.gpt-2").trigger()
    own.findChild(Bookmarks).insert(1, MARKS[0])  # a talk on several models: a choice of one takes none away
    store.undo()
    assert own.windowTitle().startswith("mine.json* ")
    assert marks.all == (*MARKS, *MARKS)
    own.documents.revert()
    assert (session_of(own).text, marks.all) == ("the cat saw the dog", MARKS)
    assert own.windowTitle().startswith("mine.json ")
    store.undo()
    assert (session_of(own).text, marks.all) == ("the dog saw the cat", (*MARKS, *MARKS))
    own.documents.save()
    assert pe.Document.load(tmp_path / "mine.json") == own.documents.current
