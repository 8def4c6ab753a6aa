"""Whatever stands in the folder that the window keeps: it comes up, and says what it left aside."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hands import banner

import posenc_gui as pe
from posenc_gui.app.export.export_dialog import ExportDialog
from posenc_gui.app.state import log
from posenc_gui.app.state.settings import MOST_RECENT, Memory, Settings
from posenc_gui.app.state.window_slots import Holder, Lock, WindowSlot, claim_slot

UNREAD = "The settings could not be read, and begin anew."
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def settings(folder: Path, /, **fields: object) -> Memory:
    """A folder whose file of settings says this."""
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(fields))
    return Memory(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("looks", [[[], 1]]),
        ("looks", [["preset", {}]]),
        ("looks", [["title", "x" * 1001]]),
        ("looks", [["preset", "slide"]] * 101),
        ("recent", ["/folder/a.json"] * 40_000),
        ("recent", ["/" + "x" * 5000]),
        ("recent", ["/folder/\0"]),
        ("recent", ["\ud800"]),
        ("folder", "/folder/\0"),
        ("device", "x" * 500_000),
        ("device", "cuda\n"),
        ("kind", "." + "x" * 5000),
        ("theme", []),
        ("theme", "dark" * 1000),
        ("scale", 1e300),
    ],
    ids=lambda value: f"{value!r}"[:20],
)
def test_a_setting_that_can_not_be_used_is_left_aside_and_said(tmp_path: Path, name: str, value: object) -> None:
    memory = settings(tmp_path, menu_bar=True, **{name: value})
    assert memory.settings() == Settings(menu_bar=True)
    assert memory.settings_and_faults()[1] == f"Settings that can't be used begin anew: {name}."


def test_settings_of_another_version_are_named_and_kept(tmp_path: Path) -> None:
    later = {"voice": {"on": [1]}, **{f"later {number}": number for number in range(20)}, "\u202e": 1}
    memory = settings(tmp_path, menu_bar=True, device=3, **later)
    assert memory.settings() == Settings(menu_bar=True)
    _, told = memory.settings_and_faults()
    assert told.startswith(
        "Settings that can't be used begin anew: device. Settings that this version doesn't know stay "
    )
    assert "'later 1'" in told
    assert told.endswith(" and 12 more.")
    assert told.isprintable()
    memory.keep_settings(Settings(theme="dark"))
    assert memory.settings() == Settings(theme="dark")
    kept = json.loads((tmp_path / "settings.json").read_text())
    assert {name: kept[name] for name in later} == later
    assert kept["device"] == "cpu"


def test_more_recent_files_than_the_menu_has_are_forgotten(tmp_path: Path) -> None:
    memory = settings(tmp_path, recent=[f"/folder/{number}.json" for number in range(50)])
    assert len(memory.settings().recent) == MOST_RECENT
    assert memory.settings_and_faults()[1] == ""


@pytest.mark.parametrize("content", ["{", "[]", "3", '{"x": ' + "[" * 100_000, " " * 2_000_000, '{"device": "\ud800'])
def test_a_file_of_settings_that_is_none_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "settings.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    memory = Memory(tmp_path)
    assert memory.settings() == Settings()
    assert memory.settings_and_faults()[1] == UNREAD


def test_where_nothing_is_kept_nothing_is_said(tmp_path: Path) -> None:
    assert Memory(tmp_path / "none").settings_and_faults()[1] == ""
    assert not Memory(tmp_path / ("no" * 200)).has_sessions  # which the system refuses to look at, as a locked folder
    memory = Memory(tmp_path)
    memory.keep_settings(
        Settings(device="cuda:1", recent=("/folder/a.json",), looks=(("preset", "slide"), ("dpi", None)))
    )
    assert memory.settings_and_faults()[1] == ""


@pytest.mark.slow
def test_the_window_comes_up_says_what_it_left_aside_and_exports(open_window, user, tmp_path, settle) -> None:
    settings(tmp_path / "memory", looks=[[[], 1]], recent=["/folder/a.json"] * 40_000, device="x" * 100_000)
    window = open_window()
    assert banner(window) == "Settings that can't be used begin anew: device, looks, recent."
    user.chooses(window, "File", "Export …")
    assert window.findChild(ExportDialog).isVisible()


@needs_links
@pytest.mark.parametrize("make", [lambda lock: lock.symlink_to("/dev/zero"), os.mkfifo], ids=["device", "pipe"])
def test_a_lock_that_is_no_file_is_not_followed(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "lock")
    lock = Lock(tmp_path / "lock")
    assert lock.take() is Holder.MINE
    assert lock.holds
    assert Lock(tmp_path / "lock").take() is Holder.HERE
    lock.release()


@needs_links
def test_what_a_lock_links_to_stays_as_it_is(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    (tmp_path / "lock").symlink_to(mine)
    Lock(tmp_path / "lock").take()
    assert mine.read_text() == "mine"


def test_of_very_many_places_a_start_looks_at_the_newest(tmp_path: Path, monkeypatch) -> None:
    taken = []
    take = WindowSlot.take
    monkeypatch.setattr(WindowSlot, "take", lambda slot: (taken.append(slot), take(slot))[1])
    for number in range(300):
        folder = tmp_path / f"left {number}"
        folder.mkdir()
        (folder / "session.json").write_text("{}")
        os.utime(folder / "session.json", (number, number))
    claimed = claim_slot(tmp_path, 10)
    assert claimed.session.parent.name == "left 299"
    assert (len(taken), claimed.passed_over) == (40, 260)
    claimed.lock.release()


def test_the_window_says_how_many_places_it_passed_over(open_window, tmp_path) -> None:
    for number in range(50):
        folder = tmp_path / "memory" / "windows" / f"left {number}"
        folder.mkdir(parents=True)
        pe.Session(text=f"window {number}").save(folder / "session.json")
        (folder / "window.json").write_text('{"closed": true}')
    assert banner(open_window()).endswith("Left aside: 10 older kept sessions.")


def test_what_is_no_windows_is_not_deleted_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_text("mine")
    claim_slot(tmp_path, 10).lock.release()
    assert (tmp_path / "photos" / "a.jpg").read_text() == "mine"


@needs_links
def test_a_log_that_is_a_pipe_hinders_no_report(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log.txt.1")
    assert log.last_errors(tmp_path, 5, with_words=True) == []


def test_a_folder_in_a_lock_s_place_is_no_window_that_lives(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    assert Lock(tmp_path / "lock").take() is Holder.ELSEWHERE
