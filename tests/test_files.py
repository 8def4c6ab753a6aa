"""Files are whole or not there, and read no further than they may be long."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

import posenc_gui as pe
from posenc_gui.app.labs.memory import LabMemory, Underway
from posenc_gui.app.settings import Memory, Settings
from posenc_gui.app.writer import Writer
from posenc_gui.files import TooLarge, content, replacing
from posenc_gui.labs import read
from posenc_gui.labs.record import Record
from posenc_gui.text import tokenize

unix = pytest.mark.skipif(os.name != "posix", reason="permissions and links as Unix has them")


@pytest.mark.parametrize("error", [RuntimeError, OSError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("written", [b"", b"half"])
def test_a_file_stays_as_it_was_when_writing_fails(tmp_path: Path, error: type[BaseException], written: bytes) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")

    def write() -> None:
        with replacing(path) as unfinished:
            unfinished.write_bytes(written)
            raise error

    with pytest.raises(error):
        write()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_appears_when_writing_a_new_file_fails(tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "new.svg") as unfinished:
            unfinished.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert not list(tmp_path.iterdir())


def test_the_new_content_takes_the_place_of_the_old_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")
    with replacing(path) as unfinished:
        assert unfinished.parent == path.parent
        assert unfinished.suffix == ".svg"
        unfinished.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a" * 250 + ".svg", "ünï ☃ 'quoted'.svg", "no suffix", ".hidden"])
def test_any_name_that_the_disk_takes_can_be_written(tmp_path: Path, name: str) -> None:
    with replacing(tmp_path / name) as unfinished:
        unfinished.write_bytes(b"new")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "nowhere" / "figure.svg"):
        pass


def test_a_folder_of_that_name_stays_and_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "figure.svg"
    folder.mkdir()
    with pytest.raises(OSError, match=r"figure\.svg"), replacing(folder) as unfinished:
        unfinished.write_bytes(b"new")
    assert list(tmp_path.iterdir()) == [folder]
    assert folder.is_dir()


@unix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")
    path.chmod(mode)
    with replacing(path) as unfinished:
        unfinished.write_bytes(b"new")
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
    with replacing(link) as unfinished:
        assert unfinished.suffix == ".svg"
        unfinished.write_bytes(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]


@unix
def test_a_link_into_a_folder_that_is_not_there_is_an_os_error_that_names_the_link(tmp_path: Path) -> None:
    link = tmp_path / "figure.svg"
    link.symlink_to(tmp_path / "nowhere" / "figure.svg")
    with pytest.raises(FileNotFoundError, match=re.escape(str(link))), replacing(link):
        pass
    assert link.is_symlink()


@unix
def test_a_new_file_is_an_ordinary_one(tmp_path: Path) -> None:
    ordinary, path = tmp_path / "ordinary", tmp_path / "figure.svg"
    ordinary.touch()
    with replacing(path) as unfinished:
        unfinished.write_bytes(b"new")
    assert path.stat().st_mode == ordinary.stat().st_mode


# --- Reading --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_a_file_of_a_size_that_is_allowed_is_read_whole(tmp_path: Path, size: int) -> None:
    (tmp_path / "file").write_bytes(b"x" * size)
    assert content(tmp_path / "file", 1000, "note") == b"x" * size


def test_a_larger_file_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 2001)
    with pytest.raises(TooLarge, match=r"^file is larger than 2 kB: that is no note\.$"):
        content(tmp_path / "file", 2000, "note")


def test_what_cant_be_read_is_an_os_error_that_names_it(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(OSError, match=re.escape(str(path))):
            content(path, 1000, "note")


@unix
def test_a_pipe_is_read_to_its_end_and_no_further_than_allowed() -> None:
    for size in (500, 1000, 1001, 5000):
        reading, writing = os.pipe()
        try:
            os.write(writing, b"x" * size)
            os.close(writing)
            if size <= 1000:
                assert content(Path(f"/dev/fd/{reading}"), 1000, "note") == b"x" * size
            else:
                with pytest.raises(TooLarge, match="larger than 1 kB"):
                    content(Path(f"/dev/fd/{reading}"), 1000, "note")
        finally:
            os.close(reading)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device that never ends")
def test_nothing_is_read_without_end(tmp_path: Path) -> None:
    endless = tmp_path / "endless.json"
    endless.symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"endless\.json is larger than 50 MB: that is no session\."):
        pe.Session.load(endless)
    with pytest.raises(ValueError, match=r"endless\.json is larger than 50 MB: that is no lab report\."):
        Record.load(endless)
    with pytest.raises(ValueError, match=r"endless\.json, line 1: the file is larger than 500 kB: that is no lab"):
        read.load(endless)
    with pytest.raises(ValueError, match=r"endless\.json is larger than 100 MB: that is no tokenizer\."):
        tokenize("The cat", str(endless))
    for name in ("settings", "arrangement"):
        (tmp_path / f"{name}.json").symlink_to("/dev/zero")
    (tmp_path / "underway.json").symlink_to("/dev/zero")
    assert Memory(tmp_path).settings() == Settings()
    assert Memory(tmp_path).take_arrangement(1) is None
    assert LabMemory(tmp_path, tmp_path / "underway.json", Writer(QObject())).underway() == Underway()
