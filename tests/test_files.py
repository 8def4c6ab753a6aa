"""Files are whole or not there."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from posenc_gui.files import replacing

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
