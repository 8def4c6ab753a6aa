"""Weights are told apart by their SHA-256, which is computed once."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from model_folder import write_folder, write_shards

from posenc_gui.checkpoints.fingerprint import FILE, Fingerprints, Weights
from posenc_gui.checkpoints.folder import WEIGHTS, Folder, read_folder
from posenc_gui.foundation.errors import Invalid

ODD = '{"format": "posenc-gui weights", "version": 1, "weights": [{"path": 3}]}'


@pytest.fixture
def fingerprints(tmp_path: Path) -> Fingerprints:
    return Fingerprints(tmp_path / "cache" / "posenc")


def of(model: Folder) -> tuple[Path, Weights]:
    return model.path, model.weights


def read(fingerprints: Fingerprints, folder: Path) -> tuple[str, int]:
    """The SHA-256 of a folder's weights, and how many pieces were read for it."""
    pieces = []
    return fingerprints.compute(*of(read_folder(folder)), lambda: pieces.append(1)), len(pieces)


def rewrite(folder: Path) -> None:
    """Change the last byte of the weights."""
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data[:-1] + b"\x01")


def keep_time(file: Path, old: os.stat_result) -> None:
    """Give a file the time that it had, as some programs do, once the disk's clock has gone on."""
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    while file.stat().st_ctime_ns == old.st_ctime_ns:
        os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))


def later(file: Path) -> None:
    """Give a file another time, as whoever writes it does."""
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 10**9))


def test_one_file_has_the_sha256_that_is_published_of_it(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    assert read(fingerprints, folder)[0] == hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


def test_several_files_have_that_of_their_list(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_shards(tmp_path / "it")
    files = sorted(folder.glob("*.safetensors"))
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    assert len(lines) == 2
    assert read(fingerprints, folder)[0] == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_what_was_read_once_is_remembered_until_the_file_changes(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    before, pieces = read(fingerprints, folder)
    assert pieces == 1
    assert read(Fingerprints(fingerprints.folder), folder) == (before, 0)
    old = (folder / WEIGHTS).stat()
    rewrite(folder)
    keep_time(folder / WEIGHTS, old)
    after, pieces = read(fingerprints, folder)
    assert (after != before, pieces) == (True, 1)
    assert len(json.loads((fingerprints.folder / FILE).read_text())["weights"]) == 1  # the older one is gone


def test_a_copy_elsewhere_is_read_itself(fingerprints: Fingerprints, tmp_path: Path) -> None:
    first = read(fingerprints, write_folder(tmp_path / "a"))
    assert read(fingerprints, write_folder(tmp_path / "b")) == first


def test_reading_can_be_stopped_and_leaves_nothing(fingerprints: Fingerprints, tmp_path: Path) -> None:
    model = read_folder(write_folder(tmp_path / "it"))

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        fingerprints.compute(*of(model), stop)
    assert not fingerprints.folder.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", ODD, "x" * 2_000_000])
def test_a_damaged_memory_is_begun_anew(text: str, fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    fingerprints.folder.mkdir(parents=True)
    (fingerprints.folder / FILE).write_text(text)
    first = read(fingerprints, folder)
    assert first[1] == 1
    assert read(fingerprints, folder) == (first[0], 0)


def test_where_nothing_can_be_written_the_weights_are_read_again(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    (tmp_path / "file").write_text("no folder")
    fingerprints = Fingerprints(tmp_path / "file" / "below")
    assert read(fingerprints, folder) == read(fingerprints, folder)


def test_weights_that_change_while_they_are_read_are_refused(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    with pytest.raises(Invalid, match="has changed while it was read"):
        fingerprints.compute(*of(read_folder(folder)), lambda: later(folder / WEIGHTS))
    model = read_folder(folder)
    (folder / WEIGHTS).unlink()
    with pytest.raises(Invalid, match="can't be read: No such file or directory"):
        fingerprints.compute(*of(model))


def test_a_name_that_is_no_unicode_can_be_told(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xff")
    try:
        model = read_folder(write_folder(folder))
    except OSError:
        pytest.skip("this disk takes no such name")
    assert fingerprints.compute(*of(model)) == fingerprints.compute(*of(model))
