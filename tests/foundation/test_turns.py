"""Turns at a file: of those who read it and replace it, none loses what another wrote."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Barrier, Thread

import pytest

from posenc_gui.foundation.files.atomic import delete_unfinished, write
from posenc_gui.foundation.files.turns import check_closed, turn

HOLDS_IT = """
import pathlib, sys
from posenc_gui.foundation.files.turns import turn
with turn(pathlib.Path(sys.argv[1])):
    print("mine", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "talk.pptx"
    found.write_bytes(b"")
    return found


def test_nothing_is_lost_of_what_many_threads_add_by_any_name_of_the_file(path: Path) -> None:
    alias, threads, times = path.with_name("alias.pptx"), 4, 25
    alias.symlink_to(path)
    start = Barrier(threads)

    def add(name: Path) -> None:
        start.wait()
        for _ in range(times):
            with turn(name):
                write(name, name.read_bytes() + b"x")

    adding = [Thread(target=add, args=(name,)) for name in (path, alias) * (threads // 2)]
    for one in adding:
        one.start()
    for one in adding:
        one.join()
    assert path.read_bytes() == b"x" * threads * times
    assert set(path.parent.iterdir()) == {path, alias}


def test_who_waits_too_long_is_told_so_and_a_killed_process_keeps_nobody_waiting(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_IT, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "mine\n"
        (left,) = set(path.parent.iterdir()) - {path}
        why = f"It is already being written; try again once that is done, or delete {left.name} beside it if nothing"
        with pytest.raises(OSError, match=why) as refused, turn(path, 0):
            pass
        assert refused.value.filename == str(path)
        other.kill()
    os.utime(left, (0, 0))  # it was long ago
    with turn(path, 0):
        delete_unfinished(path.parent)  # as every export does: not what is in use
        assert left.exists()
    assert not left.exists()
    left.touch()
    os.utime(left, (0, 0))
    delete_unfinished(path.parent)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="what Unix says")
@pytest.mark.parametrize("said", ["EAGAIN", "EACCES", "ENOLCK", "ENOSYS", "ENOTSUP", "EINVAL", "EIO", "EPERM", "EBADF"])
def test_only_what_says_that_another_has_the_lock_keeps_anybody_waiting(said: str, path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(getattr(errno, said), said)

    monkeypatch.setattr("fcntl.flock", refuse)  # as file systems without locks do
    refused = pytest.raises(OSError, match="already being written") if said in ("EAGAIN", "EACCES") else nullcontext()
    with refused, turn(path, 0):
        write(path, b"x")
    assert path.read_bytes() == (b"" if said in ("EAGAIN", "EACCES") else b"x")


@pytest.mark.parametrize("name", ["", "nowhere/talk.pptx", "file/talk.pptx", "a\0b.pptx", "read-only/talk.pptx"])
def test_where_nothing_can_be_written_the_file_is_named(name: str, tmp_path: Path, monkeypatch) -> None:
    def refuse(path: Path, *_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    (tmp_path / "file").touch()
    (tmp_path / "read-only").mkdir()
    if name.startswith("read-only"):
        monkeypatch.setattr(os, "open", refuse)  # also to root
    with pytest.raises(OSError, match=r"directory|valid file name|denied") as refused, turn(tmp_path / name):
        pass
    assert refused.value.filename == str(tmp_path / name)


@pytest.mark.parametrize(("owner", "program"), [("~$talk.pptx", "PowerPoint"), (".~lock.talk.pptx#", "LibreOffice")])
def test_what_an_office_program_has_open_is_refused_until_it_is_closed(path: Path, owner: str, program: str) -> None:
    sign = path.with_name(owner)
    sign.touch()
    with pytest.raises(OSError, match=f"It is open in {program}; close it there, or delete .*talk") as refused:
        check_closed(path)
    assert refused.value.filename == str(path)
    path.unlink()
    check_closed(path)  # a sign of nothing
    path.touch()
    sign.unlink()
    check_closed(path)
