"""Weights are told apart by their SHA-256, which is computed once, and a session knows whether its model is still the same."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from model_folder import CONFIG, write_folder, write_shards

from posenc_gui.checkpoints.fingerprint import FILE, Fingerprints, Mark, Verdict, judge
from posenc_gui.checkpoints.folder import WEIGHTS, read_folder
from posenc_gui.foundation.errors import Invalid

Change = Callable[[Path], object]


@pytest.fixture
def fingerprints(tmp_path: Path) -> Fingerprints:
    return Fingerprints(tmp_path / "cache" / "posenc")


def read(fingerprints: Fingerprints, folder: Path) -> tuple[str, int]:
    """The SHA-256 of a folder's weights, and how many pieces were read for it."""
    pieces = []
    return fingerprints.compute(read_folder(folder), lambda: pieces.append(1)), len(pieces)


def rewrite(folder: Path) -> None:
    """Change the last byte of the weights."""
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data[:-1] + b"\x01")


def later(file: Path) -> None:
    """Give a file another time, as whoever writes it does."""
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 10**9))


def test_one_file_has_the_sha256_that_is_published_of_it(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    assert read(fingerprints, folder)[0] == hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


def test_several_files_have_that_of_their_list(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_shards(tmp_path / "it")
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(folder.glob("*.safetensors"))
    ]
    assert len(lines) == 2
    assert read(fingerprints, folder)[0] == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_what_was_read_once_is_remembered_until_the_file_changes(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    model = read_folder(folder)
    assert fingerprints.known(model) == ""
    before, pieces = read(fingerprints, folder)
    assert pieces == 1
    assert fingerprints.known(model) == before
    assert read(Fingerprints(fingerprints.folder), folder) == (before, 0)
    rewrite(folder)
    later(folder / WEIGHTS)
    assert fingerprints.known(model) == ""
    after, pieces = read(fingerprints, folder)
    assert (after != before, pieces) == (True, 1)
    assert len(json.loads((fingerprints.folder / FILE).read_text())["weights"]) == 1  # the older one is gone


def test_a_copy_elsewhere_is_read_itself(fingerprints: Fingerprints, tmp_path: Path) -> None:
    first = read(fingerprints, write_folder(tmp_path / "a"))
    assert read(fingerprints, write_folder(tmp_path / "b")) == first


def test_progress_ends_where_the_weights_end(fingerprints: Fingerprints, tmp_path: Path) -> None:
    model = read_folder(write_shards(tmp_path / "it"))
    told: list[tuple[int, int]] = []
    for _ in range(2):
        fingerprints.compute(model, progress=lambda done, whole: told.append((done, whole)))
        assert told == sorted(told)
        whole = sum(file.size for file in model.weights)
        assert told[-1] == (whole, whole)
        told.clear()


def test_reading_can_be_stopped_and_leaves_nothing(fingerprints: Fingerprints, tmp_path: Path) -> None:
    model = read_folder(write_folder(tmp_path / "it"))

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        fingerprints.compute(model, stop)
    assert not fingerprints.folder.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"format": "posenc-gui weights", "version": 1, "weights": [{"path": 3}]}',
        "\0" * 10,
        "x" * 2_000_000,
    ],
)
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
        fingerprints.compute(read_folder(folder), lambda: later(folder / WEIGHTS))
    model = read_folder(folder)
    (folder / WEIGHTS).unlink()
    with pytest.raises(Invalid, match="can't be read: No such file or directory"):
        fingerprints.compute(model)


# --- What a session says ------------------------------------------------------------------------------------------------


def gone(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def a_tensor_renamed(folder: Path) -> None:
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data.replace(b"query.bias", b"value.bias"))
    later(folder / WEIGHTS)


def other_values(folder: Path) -> None:
    rewrite(folder)
    later(folder / WEIGHTS)
    Fingerprints(folder.parent / "cache" / "posenc").compute(read_folder(folder))


def other_values_unread(folder: Path) -> None:
    rewrite(folder)
    later(folder / WEIGHTS)


def in_two_files(folder: Path) -> None:
    write_shards(folder)


def larger(folder: Path) -> None:
    write_folder(folder)
    data = (folder / WEIGHTS).read_bytes()
    length = int.from_bytes(data[:8], "little")
    padded = data[8 : 8 + length] + b" " * 2000
    (folder / WEIGHTS).write_bytes(len(padded).to_bytes(8, "little") + padded + data[8 + length :])


def broken(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(CONFIG | {"num_hidden_layers": 7}))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda _folder: None, Verdict("same", "it has the weights that this session was saved with.")),
        (gone, Verdict("missing", "it is not at {} any more: open it where it stands now.")),
        (
            a_tensor_renamed,
            Verdict(
                "changed",
                "it has other weights than this session was saved with: the header of model.safetensors is another.",
            ),
        ),
        (
            other_values,
            Verdict("changed", "it has other weights than this session was saved with: their SHA-256 is another."),
        ),
        (
            other_values_unread,
            Verdict("same", "it has weights of the sizes and shapes that this session was saved with."),
        ),
        (
            in_two_files,
            Verdict(
                "changed",
                "it has other weights than this session was saved with: model.safetensors is no longer one of its files.",
            ),
        ),
        (
            larger,
            Verdict(
                "changed",
                "it has other weights than this session was saved with: model.safetensors has 5 kB, not 3 kB.",
            ),
        ),
        (
            broken,
            Verdict(
                "changed",
                "it can't be opened any more: it lacks the weights of layer 2: its config.json says num_hidden_layers 7.",
            ),
        ),
    ],
)
def test_a_session_tells_whether_its_model_is_still_the_same(
    change: Change, verdict: Verdict, fingerprints: Fingerprints, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "it")
    model = read_folder(folder)
    mark = Mark.model_validate_json(Mark.of(model, fingerprints.compute(model)).model_dump_json())
    change(folder)
    assert judge(mark, fingerprints) == (verdict.state, verdict.sentence.format(folder))


def test_before_the_weights_were_read_sizes_and_shapes_are_compared(fingerprints: Fingerprints, tmp_path: Path) -> None:
    model = read_folder(write_folder(tmp_path / "it"))
    assert judge(Mark.of(model), fingerprints) == (
        "same",
        "it has weights of the sizes and shapes that this session was saved with.",
    )


@pytest.mark.parametrize("path", ["//host/share/model", "\\\\host\\model", "https://host/model", "a\0b"])
def test_a_session_of_another_person_leads_to_no_host(path: str, fingerprints: Fingerprints, tmp_path: Path) -> None:
    mark = Mark.of(read_folder(write_folder(tmp_path / "it"))).model_copy(update={"path": path})
    verdict = judge(mark, fingerprints)
    assert verdict.state == "missing"
    assert verdict.sentence.endswith(" any more: open it where it stands now.")


def test_a_name_that_is_no_unicode_can_be_told(fingerprints: Fingerprints, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xff")
    try:
        model = read_folder(write_folder(folder))
    except OSError:
        pytest.skip("this disk takes no such name")
    assert fingerprints.compute(model) == fingerprints.known(model)
    assert judge(Mark.of(model), fingerprints).state == "missing"
