"""What is there again at the next start: after closing, after a kill, with two windows, and where nothing can be written."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hands import answers, banner, open_file, read, session_of
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from turning import Turning

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.app.labs.played_lab import GAVE_BACK
from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.talk.bookmarks import Bookmarks
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.resources import folder
from posenc_gui.labs.definition import lab_library
from posenc_gui.session.first_session import first_session

FIRST, SECOND = "attention-reads-a-bag", "same-words-other-meaning"


def kept(memory: Path) -> list[Path]:
    """The sessions that are kept, the newest last."""
    return sorted(memory.glob("windows/*/session.json"), key=lambda one: one.stat().st_mtime_ns)


def earlier(window: MainWindow) -> list[QAction]:
    """The earlier sessions that the menu offers, the last one first."""
    return [one for one in window.findChildren(QAction) if one.objectName().startswith("earlier.") and one.isEnabled()]


# --- Keeping ----------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_hand_that_never_rests_is_kept_all_the_same(window, qtbot, tmp_path) -> None:
    """Each change comes long before the one before it has been kept."""
    typed = 0

    def kept_while_typing() -> bool:
        nonlocal typed
        typed += 1
        window.workbench.store.propose(text=f"word {typed}")
        return pe.Session.load(kept(tmp_path / "memory")[-1]).text.startswith("word")

    qtbot.waitUntil(kept_while_typing)


@pytest.mark.slow
def test_after_a_kill_the_next_start_has_session_and_bookmarks_and_says_so(
    window, user, qtbot, tmp_path, open_window, killed
) -> None:
    user.pastes(window, "before the power went")
    marks = (pe.Bookmark(name="kept", session=pe.Session()),)
    window.findChild(Bookmarks).begin(marks)
    wanted = pe.Document(session_of(window), marks)
    qtbot.waitUntil(lambda: pe.Document.load(kept(tmp_path / "memory")[-1]) == wanted)
    again = open_window(folder=killed(tmp_path / "memory"))
    assert again.documents.current == wanted
    assert banner(again).startswith("posenc-gui did not shut down properly. Restored the session saved at ")


@pytest.mark.slow
def test_a_session_that_was_kept_without_its_state_belongs_to_no_file(open_window, tmp_path) -> None:
    """A kill between the two: what is known of the one before is not true of this one."""
    mine = pe.Session(text="mine").save(tmp_path / "mine.json")
    memory = put(tmp_path / "memory", pe.Session(text="later").to_json(), kept=(1, 1), file=str(mine))
    window = open_window(folder=memory)
    assert session_of(window).text == "later"
    assert window.windowTitle().startswith("Untitled ")


@pytest.mark.slow
def test_a_file_that_is_opened_at_the_start_takes_nothing_from_the_session_before(open_window, user, tmp_path) -> None:
    first = open_window()
    user.pastes(first, "not saved yet")
    first.close()
    asked = open_window(pe.Session(text="asked for").save(tmp_path / "asked.json"))
    assert session_of(asked).text == "asked for"
    (entry,) = earlier(asked)
    assert "   not saved yet   " in entry.text()


# --- Two windows ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_windows_keep_a_session_each_and_the_one_that_does_not_come_back_is_in_the_menu(
    window, user, open_window, tmp_path
) -> None:
    user.pastes(window, "mine & <b>only</b>")
    other = open_window()
    assert session_of(other) == first_session()
    user.pastes(other, "yours")
    window.close()
    other.close()
    assert {pe.Session.load(path).text for path in kept(tmp_path / "memory")} == {"mine & <b>only</b>", "yours"}
    again = open_window()
    assert session_of(again).text == "yours"  # the last to be closed
    (entry,) = earlier(again)
    assert entry.text().replace("&&", "&").endswith("   mine & <b>only</b>   Sinusoidal")
    entry.trigger()
    read(again)
    assert session_of(again).text == "mine & <b>only</b>"
    assert again.windowTitle().startswith("Untitled ")


@pytest.mark.slow
def test_a_file_that_another_window_wrote_is_not_replaced_without_a_word(window, user, open_window, tmp_path) -> None:
    path = pe.Session(text="as it was").save(tmp_path / "shared.json")
    other = open_window()
    for one, text in ((window, "mine"), (other, "yours")):
        open_file(one, path)
        user.pastes(one, text)
    window.documents.save()
    other.documents.save()
    assert pe.Session.load(path).text == "mine"
    assert banner(other).startswith("Not saved: “shared.json” was changed by another window or program ")
    assert other.windowTitle().startswith("shared.json* ")
    press(other, "Replace it")
    assert pe.Session.load(path).text == "yours"
    other.documents.save()  # and now it is its own again
    assert banner(other).startswith("Saved ")


def test_what_comes_right_after_ones_own_writing_is_not_ones_own(
    window, user, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, replace = tmp_path / "shared.json", Path.replace

    def replaced(unfinished: Path, target: Path) -> Path:
        moved = replace(unfinished, target)
        if target == path:
            target.write_text(pe.Session(text="somebody's").to_json(), encoding="utf-8")
        return moved

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replaced)
        window.documents.save_to(path)
    window.documents.save()
    assert pe.Session.load(path).text == "somebody's"
    assert banner(window).startswith("Not saved: “shared.json” was changed by another window or program ")


@pytest.mark.slow
def test_windows_keep_each_others_habits(window, user, open_window, tmp_path) -> None:
    other = open_window()
    first, second, third = (pe.Session().save(tmp_path / f"{name}.json") for name in ("first", "second", "third"))
    user.chooses(window, "Theme", "Dark")
    open_file(window, first)
    open_file(other, second)
    kept = Memory(tmp_path / "memory").settings()
    assert (kept.theme, kept.recent) == ("dark", (str(second), str(first)))
    (tmp_path / "memory" / "settings.json").write_text("{damaged")
    open_file(other, third)
    assert Memory(tmp_path / "memory").settings().recent == tuple(map(str, (third, second, first)))


@pytest.mark.slow
def test_a_file_that_was_changed_while_no_window_was_open_is_not_replaced_either(user, open_window, tmp_path) -> None:
    path = pe.Session(text="as it was").save(tmp_path / "shared.json")
    first = open_window(path)
    user.pastes(first, "mine")
    first.close()
    pe.Session(text="somebody's").save(path)
    again = open_window()
    again.documents.save()
    assert pe.Session.load(path).text == "somebody's"
    assert banner(again).startswith("Not saved: “shared.json” was changed by another window or program ")


@pytest.mark.slow
def test_two_windows_that_were_killed_both_come_back(window, user, qtbot, open_window, tmp_path, killed) -> None:
    other = open_window()
    for one, text in ((window, "mine"), (other, "yours")):
        user.pastes(one, text)
        qtbot.waitUntil(lambda text=text: text in [pe.Session.load(path).text for path in kept(tmp_path / "memory")])
    memory = killed(tmp_path / "memory")
    back = [open_window(folder=memory), open_window(folder=memory)]
    assert {session_of(one).text for one in back} == {"mine", "yours"}
    assert session_of(open_window(folder=memory)) == first_session()


@pytest.mark.slow
def test_a_lab_is_played_in_one_window(window, user, open_window) -> None:
    other = open_window()
    window.labs.desk.begin(lab_library.lab(FIRST))
    other.labs.desk.begin(lab_library.lab(FIRST))
    assert other.labs.desk.play is None
    other.labs.desk.begin(lab_library.lab(SECOND))
    other.labs.desk.begin(lab_library.lab(FIRST))  # the current one goes on, and is nobody else's
    assert other.labs.desk.play.lab.name == SECOND
    window.labs.desk.begin(lab_library.lab(SECOND))
    assert window.labs.desk.play.lab.name == FIRST
    assert banner(other).endswith("is open in another window. Continue there, or close it there first.")
    window.labs.desk.leave()
    other.labs.desk.begin(lab_library.lab(FIRST))
    assert other.labs.desk.play.lab.name == FIRST


@pytest.mark.slow
def test_a_lab_that_is_played_elsewhere_is_not_said_to_be_open(window, open_window, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    shutil.copy(folder() / "labs" / f"{FIRST}.md", path)
    other, opened = open_window(), []
    other.labs.desk.opened.connect(opened.append)
    open_file(window, path)
    open_file(other, path)
    assert opened == []
    window.labs.desk.leave()
    open_file(other, path)
    assert opened == [path]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names are text")
def test_a_lab_whose_name_is_no_text_is_played_and_what_is_done_is_kept(window, open_window, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe.md")
    shutil.copy(folder() / "labs" / f"{FIRST}.md", path)
    open_file(window, path)
    assert window.labs.desk.play.lab.path == path
    window.labs.desk.name_learner("Ada")
    window.close()
    again = open_window()
    open_file(again, path)
    assert again.labs.desk.play.record.learner == "Ada"


@pytest.mark.slow
def test_a_lab_that_can_not_begin_leaves_the_one_at_hand_as_it_is(window, open_window) -> None:
    other = open_window()
    lab = lab_library.lab(SECOND)
    steps = tuple(replace(step, start={**step.start, "focus": -1}) for step in lab.steps)
    window.labs.desk.begin(lab_library.lab(FIRST))
    window.labs.desk.begin(replace(lab, steps=steps))
    assert banner(window).startswith("This step can't begin: ")
    assert window.labs.desk.play.lab.name == FIRST
    other.labs.desk.begin(lab_library.lab(FIRST))
    assert other.labs.desk.play is None
    other.labs.desk.begin(lab)
    assert other.labs.desk.play.lab.name == SECOND


@pytest.mark.slow
def test_what_was_done_of_a_lab_is_put_aside_by_who_plays_it_and_not_by_who_lists_it(
    window, open_window, tmp_path
) -> None:
    record = tmp_path / "memory" / "labs" / f"{FIRST}.json"
    record.parent.mkdir(exist_ok=True)
    record.write_text("{damaged")
    other = open_window()
    other.labs.desk.begin(lab_library.lab(SECOND))
    other.labs.desk.leave()  # to the list
    assert banner(other) == GAVE_BACK
    assert record.read_text() == "{damaged"
    window.labs.desk.begin(lab_library.lab(FIRST))
    assert "could not be read and was set aside: " in banner(window)
    assert [path.read_text() for path in record.parent.glob(f"{FIRST}.*.json")] == ["{damaged"]


def test_of_windows_that_were_closed_ten_are_kept(open_window, tmp_path) -> None:
    for number in range(15):
        put(tmp_path / "memory", pe.Session(text=f"window {number}").to_json(), f"left {number}")
    open_window()
    assert len(kept(tmp_path / "memory")) == 10


# --- What can't be shown ----------------------------------------------------------------------------------------------------


class Failing(Turning):
    """An encoding of which not even its panel can be drawn."""

    name = "failing"

    def remark(self, context: object) -> str:
        raise RuntimeError("no word of it")


def press(window: MainWindow, offer: str) -> None:
    """Click a button that a message offers."""
    (button,) = (one for one in window.findChildren(QToolButton) if one.text() == offer and one.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def sign(window: MainWindow) -> QToolButton:
    """What says, as long as it is so, that nothing is kept."""
    (found,) = (one for one in window.findChildren(QToolButton) if one.text() == "Not saved")
    return found


def put(memory: Path, session: str, name: str = "left", **state: object) -> Path:
    """A session as a window left it."""
    folder = memory / "windows" / name
    folder.mkdir(parents=True)
    (folder / "session.json").write_text(session)
    state = {"kept": atomic.stamp(folder / "session.json"), "closed": True, **state}
    (folder / "window.json").write_text(json.dumps(state))
    return memory


def aside(memory: Path) -> str:
    (path,) = memory.glob("windows/put-aside-*.json")
    return path.read_text()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda text: text, "this is an error of the explorer (RuntimeError"),
        (lambda text: text[:50], "this is not a valid session: its JSON is damaged or cut short"),
    ],
    ids=["can't be shown", "damaged"],
)
def test_a_session_that_can_not_be_restored_is_put_aside(open_window, tmp_path, monkeypatch, damage, why: str) -> None:
    for known in (encodings.classes(), encodings.listed()):
        monkeypatch.setitem(known, Failing.name, Failing)
    session = damage(pe.Session(text="stuck", encoding=Failing()).to_json())
    window = open_window(folder=put(tmp_path / "memory", session))
    assert session_of(window) == first_session()
    assert banner(window).startswith(f"The last session could not be restored: {why}")
    assert aside(tmp_path / "memory") == session
    window.close()
    assert banner(open_window()) == ""


@pytest.mark.slow
@pytest.mark.parametrize("starts", [1, 2])
def test_a_session_with_which_the_window_did_not_come_up_twice_is_put_aside(open_window, tmp_path, starts: int) -> None:
    session = pe.Session(text="perhaps").to_json()
    window = open_window(folder=put(tmp_path / "memory", session, starts=starts, closed=False))
    if starts < 2:
        assert session_of(window).text == "perhaps"
    else:
        assert session_of(window) == first_session()
        assert "2 starts in a row ended before everything was drawn" in banner(window)
        assert aside(tmp_path / "memory") == session


@pytest.mark.slow
def test_a_window_that_has_stood_for_a_while_has_come_up(open_window, qtbot, tmp_path) -> None:
    memory = put(tmp_path / "memory", pe.Session().to_json(), starts=1, closed=False)
    open_window(folder=memory)
    state = memory / "windows" / "left" / "window.json"
    qtbot.waitUntil(lambda: json.loads(state.read_text())["starts"] == 0)


# --- Where nothing can be written -------------------------------------------------------------------------------------------


def test_where_nothing_can_be_kept_it_is_said_at_once_and_the_session_can_be_saved_elsewhere(
    open_window, qtbot, tmp_path, answer
) -> None:
    (tmp_path / "memory").write_text("a file in its place")
    window = open_window()
    qtbot.waitUntil(
        lambda: banner(window).startswith("Neither the session nor lab progress can be saved automatically: ")
    )
    assert str(tmp_path / "memory") in banner(window)
    answer(tmp_path / "elsewhere.json")
    press(window, "Save the session as …")
    assert pe.Session.load(tmp_path / "elsewhere.json") == session_of(window)
    assert sign(window).isVisible()


@pytest.mark.slow
def test_once_it_can_be_kept_again_nothing_is_said_any_more(window, user, qtbot, tmp_path) -> None:
    memory, away = tmp_path / "memory", tmp_path / "away"
    memory.rename(away)
    memory.write_text("a file in its place")
    user.pastes(window, "where to")
    qtbot.waitUntil(lambda: sign(window).isVisible())
    memory.unlink()
    away.rename(memory)
    user.pastes(window, "there it is again")
    qtbot.waitUntil(lambda: not sign(window).isVisible())
    assert pe.Session.load(kept(memory)[-1]).text == "there it is again"


# --- What a kill in the middle of writing leaves ----------------------------------------------------------------------------


def test_a_start_sweeps_what_was_left_unfinished(open_window, tmp_path) -> None:
    memory = put(tmp_path / "memory", pe.Session().to_json(), closed=False)
    (memory / "labs").mkdir()
    name = ".posenc-0123456789abcdef.unfinished"
    own, old, others = memory / "windows" / "left" / name, memory / "labs" / name, memory / name
    for path in (own, old, others):
        path.write_text("half a fi")
    os.utime(old, (0, 0))
    open_window(folder=memory)
    assert not own.exists()
    assert not old.exists()
    assert others.exists()  # another window may be writing it just now


def test_a_start_sweeps_where_the_users_files_were(open_window, tmp_path, qtbot) -> None:
    memory = put(tmp_path / "memory", pe.Session().to_json(), closed=True)
    saved_to, opened_from = tmp_path / "saved to", tmp_path / "opened from"
    Memory(memory).keep_settings(Settings(folder=str(saved_to), recent=(str(opened_from / "a.json"),)))
    left = [folder / ".posenc-0123456789abcdef.unfinished" for folder in (saved_to, opened_from)]
    for path in left:
        path.parent.mkdir()
        path.write_text("half a fi")
        os.utime(path, (0, 0))
    open_window(folder=memory)
    qtbot.waitUntil(lambda: not any(path.exists() for path in left))


# --- The end of the desktop's session ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_the_desktop_ends_has_ended_as_it_should(window, user, open_window, tmp_path, killed) -> None:
    user.pastes(window, "good night")
    window.keep()
    again = open_window(folder=killed(tmp_path / "memory"))
    assert session_of(again).text == "good night"
    assert banner(again) == ""


@pytest.mark.slow
@pytest.mark.parametrize("end", [MainWindow.keep, MainWindow.close], ids=["the desktop's session", "closing"])
def test_half_a_word_is_kept(window, open_window, tmp_path, killed, end) -> None:
    window.workbench.store.propose(encoding="rope")
    base = window.workbench.encoding.form().editor("base").focusProxy()
    base.setFocus()
    base.selectAll()
    QTest.keyClicks(base, "777")
    end(window)
    (session,) = kept(tmp_path / "memory")
    assert pe.Session.load(session).encoding == pe.encoding("rope", base=777.0)


# --- What another session takes the place of ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_in_no_file_can_be_had_again_after_a_new_session_and_a_restart(window, user, open_window) -> None:
    user.pastes(window, "precious")
    user.chooses(window, "File", "New session")
    assert "   precious   " in earlier(window)[0].text()
    window.close()
    again = open_window()
    assert session_of(again) == first_session()
    earlier(again)[0].trigger()
    read(again)
    assert session_of(again).text == "precious"


@pytest.mark.slow
def test_a_lab_takes_the_place_of_nothing_for_good(window, user, open_window) -> None:
    user.pastes(window, "precious")
    window.labs.desk.begin(lab_library.lab(FIRST))
    assert window.workbench.store.undo_name == ""  # what came before the step comes back when the lab is left
    window.close()
    assert "   precious   " in earlier(open_window())[0].text()


def test_what_is_in_a_file_is_not_kept_once_more(window, user, tmp_path) -> None:
    user.pastes(window, "saved")
    window.documents.save_to(tmp_path / "saved.json")
    window.documents.new()
    assert earlier(window) == []


def test_a_session_that_is_opened_in_a_lab_leaves_the_lab_waiting(window, user, tmp_path) -> None:
    window.labs.desk.begin(lab_library.lab(FIRST))
    begun = session_of(window)
    open_file(window, pe.Session(text="from elsewhere").save(tmp_path / "other.json"))
    assert session_of(window).text == "from elsewhere"
    assert window.labs.desk.play is None
    assert window.labs.desk.come_back()
    assert session_of(window) == begun
    window.labs.desk.leave()
    assert session_of(window).text == "from elsewhere"
    assert window.windowTitle().startswith("other.json ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "stays", "saved"),
    [("Go on", True, False), ("Close without saving", False, False), ("Save as …", False, True), ("", True, False)],
)
def test_a_window_that_can_keep_nothing_asks_before_it_closes(
    open_window, user, qtbot, tmp_path, answer, said: str, stays: bool, saved: bool
) -> None:
    (tmp_path / "memory").write_text("a file in its place")
    window = open_window()
    user.pastes(window, "mine alone")
    qtbot.waitUntil(lambda: sign(window).isVisible())
    answer(tmp_path / "elsewhere.json")
    QTimer.singleShot(0, lambda: answers(window, said))
    window.close()
    assert window.isVisible() == stays
    assert (tmp_path / "elsewhere.json").exists() == saved
    window.end()
