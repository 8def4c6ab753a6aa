"""Files are whole or not there, only ordinary ones are touched, and they are read no further than they may be long."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from odd_files import ODD, full_disk, odd_files
from PySide6.QtCore import QObject

import posenc_gui as pe
from posenc_gui import render
from posenc_gui.app.export.export_process import save_report
from posenc_gui.app.export.exporter import save_as_pdf
from posenc_gui.app.state.lab_progress import LabMemory, Underway
from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.app.state.worker import BackgroundWriter
from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.files.atomic import Oversized, delete_unfinished, read_bytes, write
from posenc_gui.labs.definition.record import Record
from posenc_gui.labs.reports import report

unix = pytest.mark.skipif(os.name != "posix", reason="permissions, links, pipes and limits as Unix has them")
HOUR = 3600.0


def figure() -> Figure:
    axis = Axis("position", "position", 0, tuple("abc"))
    panel = Heatmap("Map", "number", np.eye(3, dtype=np.float32), axis, axis, 0.0, 1.0)
    return Figure("map", "Map", (panel,), session=pe.Session().to_json())


# --- Writing --------------------------------------------------------------------------------------------------------


RECORD = Record(lab="a", title="A", learner="Ada")
WRITERS: dict[str, Callable[[Path], object]] = {
    **{kind: lambda path: figure().save(path) for kind in render.suffixes()},
    ".json": pe.Session(text="word " * 2000).save,
    ".report.json": RECORD.save,
    ".page.pdf": lambda path: save_as_pdf(report.html(RECORD, {}), path),
}


@pytest.mark.slow
@unix
@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("room", [0, 100])
@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
@pytest.mark.parametrize("kind", WRITERS)
def test_on_a_full_disk_the_old_file_stays_and_is_named(kind: str, there: bool, room: int, tmp_path: Path) -> None:
    path = tmp_path / f"file{kind}"
    if there:
        path.write_bytes(b"old" * 1000)
    before = {one: one.read_bytes() for one in tmp_path.iterdir()}
    if kind in render.suffixes():
        render.content(figure(), kind)  # what it imports is imported, and its caches are written
    with full_disk(room), pytest.raises(OSError, match=re.escape(f"File too large: '{path}'")):
        WRITERS[kind](path)
    assert {one: one.read_bytes() for one in tmp_path.iterdir()} == before


@unix
def test_on_a_full_disk_the_old_page_of_a_report_stays(tmp_path: Path) -> None:
    page, data = report.save(RECORD, tmp_path, {})
    before = page.read_bytes()
    with full_disk(data.stat().st_size), pytest.raises(OSError, match=re.escape(f"File too large: '{page}'")):
        report.save(RECORD, tmp_path, {})
    assert page.read_bytes() == before
    assert set(tmp_path.iterdir()) == {page, data}


def test_a_file_stays_as_it_was_when_writing_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")

    def interrupt(_file: int) -> None:
        assert path.read_bytes() == b"old"
        assert len(list(tmp_path.iterdir())) == 2
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def traces(folder: Path) -> dict[Path, tuple[int, int, int, int]]:
    """What writing changes; that a link was read changes when it was last seen."""
    stats = {path: path.lstat() for path in folder.iterdir()}
    return {path: (stat.st_ino, stat.st_mode, stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


@unix
@pytest.mark.parametrize("linked", [True, False], ids=["by a link", "itself"])
@pytest.mark.parametrize("kind", ODD)
def test_only_an_ordinary_file_is_replaced(kind: str, linked: bool, tmp_path: Path) -> None:
    with odd_files(tmp_path, ".svg") as paths:
        path = paths[kind]
        if linked:
            path = tmp_path / "link.svg"
            path.symlink_to(paths[kind])
        before = traces(tmp_path)
        for save in (lambda: write(path, b"new"), lambda: pe.Session().save(path), lambda: figure().save(path)):
            with pytest.raises(OSError, match=f"Is a {kind}; only ordinary files can be written: '{path}'"):
                save()
        assert traces(tmp_path) == before


@pytest.mark.parametrize("name", ["a" * 250 + ".svg", "ünï ☃ 'quoted'.svg", "no suffix", ".hidden"])
def test_any_name_that_the_disk_takes_can_be_written(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@unix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")
    path.chmod(mode)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@unix
@pytest.mark.parametrize("there", [True, False], ids=["target there", "dangling"])
@pytest.mark.parametrize("relative", [True, False], ids=["relative", "absolute"])
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path, there: bool, relative: bool) -> None:
    target, link = tmp_path / "elsewhere" / "figure-1", tmp_path / "figure.svg"
    target.parent.mkdir()
    if there:
        target.write_bytes(b"old")
    link.symlink_to(target.relative_to(tmp_path) if relative else target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]


@unix
def test_a_link_into_a_folder_that_is_not_there_is_an_os_error_that_names_the_link(tmp_path: Path) -> None:
    link = tmp_path / "figure.svg"
    link.symlink_to(tmp_path / "nowhere" / "figure.svg")
    with pytest.raises(FileNotFoundError, match=re.escape(str(link))):
        write(link, b"new")
    assert link.is_symlink()


@unix
def test_a_new_file_is_an_ordinary_one(tmp_path: Path) -> None:
    ordinary, path = tmp_path / "ordinary", tmp_path / "figure.svg"
    ordinary.touch()
    write(path, b"new")
    assert path.stat().st_mode == ordinary.stat().st_mode


@unix
def test_who_may_not_read_a_file_may_not_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "session.json"
    path.touch(mode=0o600)
    modes = []

    def look(_file: int) -> None:
        modes.extend(stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir())

    monkeypatch.setattr(os, "fsync", look)
    write(path, b"new")
    assert modes == [0o600, 0o600]


# --- Names that no file has -----------------------------------------------------------------------------------------


@unix
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a\0b.svg", "This is not a valid file name"),
        ("half \ud800.svg", "This is not a valid file name"),
        ("a" * 300 + ".svg", "File name too long"),
        ("round.svg", "Too many levels of symbolic links"),
        ("file/a.svg", "Not a directory"),
    ],
)
def test_what_the_system_refuses_is_an_os_error_that_names_it(name: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "round.svg").symlink_to("round.svg")
    (tmp_path / "file").touch()
    before = sorted(tmp_path.iterdir())
    uses = [lambda path: read_bytes(path, 1000, "note"), lambda path: write(path, b"new"), atomic.check_readable]
    for use in (*uses, *([atomic.check_writable] if name != "file/a.svg" else [])):
        with pytest.raises(OSError, match=why) as refused:
            use(tmp_path / name)
        assert (refused.value.filename, refused.value.strerror) == (str(tmp_path / name), why)
    assert sorted(tmp_path.iterdir()) == before


# --- What a kill left -----------------------------------------------------------------------------------------------


@unix
def test_a_kill_leaves_a_file_that_is_swept_once_it_is_old(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(b"old")
    code = f"""
import os, pathlib
from posenc_gui.foundation.files.atomic import write
os.fsync = lambda file: os.kill(os.getpid(), 9)
write(pathlib.Path({str(path)!r}), b"new")
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == -9
    (left,) = set(tmp_path.iterdir()) - {path}
    delete_unfinished(tmp_path)
    assert left.exists(), "somebody may still be writing it"
    os.utime(left, (left.stat().st_atime, left.stat().st_mtime - HOUR - 1))
    delete_unfinished(tmp_path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old"


def leave(folder: Path) -> Path:
    """A file as a kill in the middle of writing leaves it, long ago."""
    left = folder / f".posenc-{'0' * 16}.unfinished"
    left.write_bytes(b"x")
    os.utime(left, (0, 0))
    return left


def test_a_folder_is_looked_through_where_something_is_exported_and_not_by_whoever_writes(tmp_path: Path) -> None:
    left = leave(tmp_path)
    write(tmp_path / "other.json", b"other")
    pe.Session().save(tmp_path / "session.json")
    assert left.exists()
    figure().save(tmp_path / "map.csv")
    assert not left.exists()
    left = leave(tmp_path)
    save_report(Record(lab="a", title="A", learner="Ada"), tmp_path)
    assert not left.exists()


@unix
def test_only_ones_own_unfinished_files_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def left(name: str) -> Path:
        return tmp_path / f".posenc-{name}.unfinished"

    others = [tmp_path / ".posenc-notes.md", tmp_path / "posenc-0123456789abcdef.unfinished", left("a" * 17)]
    for path in (*others, left("a" * 16)):
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    left("b" * 16).mkdir()
    left("c" * 16).symlink_to(others[0])
    os.utime(left("c" * 16), (0, 0), follow_symlinks=False)
    os.utime(left("b" * 16), (0, 0))
    with monkeypatch.context() as another_user:
        another_user.setattr(os, "geteuid", lambda: os.getuid() + 1)
        delete_unfinished(tmp_path)
    assert left("a" * 16).exists()
    delete_unfinished(tmp_path)
    assert set(tmp_path.iterdir()) == {*others, left("b" * 16), left("c" * 16)}


def test_a_folder_that_cant_be_swept_is_left_alone(tmp_path: Path) -> None:
    delete_unfinished(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    delete_unfinished(tmp_path / "file")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


# --- Reading --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_file_of_a_size_that_is_allowed_is_read_whole(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert read_bytes(tmp_path / "file", 1000, "note") == b"x" * size


def test_a_larger_file_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 2001)
    with pytest.raises(Oversized, match=r"^file is larger than 2 kB: that is no note\.$"):
        read_bytes(tmp_path / "file", 2000, "note")


@unix
@pytest.mark.parametrize("linked", [True, False], ids=["by a link", "itself"])
@pytest.mark.parametrize("kind", ODD)
def test_only_an_ordinary_file_is_read_and_nobody_waits_for_any_other(kind: str, linked: bool, tmp_path: Path) -> None:
    with odd_files(tmp_path) as paths:
        path = paths[kind]
        if linked:
            path = tmp_path / "link"
            path.symlink_to(paths[kind])
        for look in (atomic.check_readable, lambda path: read_bytes(path, 1000, "note"), pe.Session.load, Record.load):
            with pytest.raises(OSError, match=f"Is a {kind}; only ordinary files can be read: '{path}'"):
                look(path)


@unix
def test_a_pipe_that_takes_a_files_place_meanwhile_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, open_file = tmp_path / "file", os.open
    path.touch()

    def swapped(path: Path, flags: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(OSError, match="Is a pipe; only ordinary files can be read"):
        read_bytes(path, 1000, "note")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="a file that says that it is empty and isn't")
def test_a_file_is_judged_by_what_is_read_and_not_by_what_it_says_of_its_size() -> None:
    assert read_bytes(Path("/proc/self/maps"), 10_000_000, "map")
    with pytest.raises(Oversized, match=r"^maps is larger than 1 kB: that is no map\.$"):
        read_bytes(Path("/proc/self/maps"), 1000, "map")


def test_each_writing_has_a_stamp_of_its_own_however_quickly_they_follow(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = atomic.write(path, b"one")
    assert atomic.stamp(path) == first
    second = atomic.write(path, b"two")
    assert atomic.stamp(path) == second != first


@unix
def test_what_the_window_remembers_in_no_ordinary_file_is_forgotten(tmp_path: Path) -> None:
    for name in ("settings", "arrangement", "underway"):
        os.mkfifo(tmp_path / f"{name}.json")
    assert Memory(tmp_path).settings() == Settings()
    assert Memory(tmp_path).take_arrangement(1) is None
    memory = LabMemory(tmp_path, WindowSlot(tmp_path), BackgroundWriter(QObject()))
    assert memory.underway() == Underway()
