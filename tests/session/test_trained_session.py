"""Files, share strings and figures of a session whose model has learned: no weights, and no path beyond this computer."""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
import torch
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.checkpoints.opening import Watch
from posenc_gui.foundation.errors import Undefined
from posenc_gui.render import session_suffixes
from posenc_gui.session import json_schema
from posenc_gui.session.demonstration import demonstration
from posenc_gui.text.tokenization import token_numbers
from tools.tiny_checkpoints import eager

Folders = Callable[[str], Path]


@pytest.fixture
def session(checkpoint_folder: Folders) -> pe.Session:
    return pe.Session(text="dog bites man", model=pe.open_model(checkpoint_folder("bert"), layer=1))


def test_what_is_printed_opens_the_model_again_and_a_notebook_says_what_it_is(session: pe.Session) -> None:
    assert eval(repr(session), vars(pe)) == session
    shown = session.model._repr_mimebundle_()["text/html"]
    assert "<td>Heads</td><td><code>n_heads</code></td>" in shown
    assert "<b>1</b></td><td>0</td>" in shown  # the layer


def test_a_file_keeps_the_folder_and_no_weights(session: pe.Session, tmp_path: Path) -> None:
    path = session.save(tmp_path / "model.json")
    assert pe.Session.load(path) == session
    assert path.stat().st_size < 2000
    jsonschema.validate(json.loads(path.read_text()), json_schema.session_schema())


def test_a_share_string_carries_name_and_marks_but_no_path(session: pe.Session) -> None:
    found = pe.Session.from_share(session.share())
    assert found == session.for_others
    assert (found.model.name, found.model.path) == ("bert", "")
    assert found.model.weights == session.model.weights
    # Where the model was opened before, it is known again.
    assert_close(pe.attend(found).probabilities, pe.attend(session).probabilities)


def test_a_document_is_shared_without_the_paths_of_its_bookmarks(session: pe.Session) -> None:
    document = pe.Document(session, (pe.Bookmark(name="one", session=session.changed(encoding="none")),))
    shared = document.for_others.to_json()
    assert session.model.path not in shared
    assert session.model.path in document.to_json()


def test_what_moves_of_itself_leaves_the_tokens_around_the_text(session: pe.Session) -> None:
    shown = [scene.session.tokens for scene in demonstration(session, session.scene.sentence.split())]
    assert len(set(shown)) > 1
    assert {(one[0], one[-1]) for one in shown} == {("[CLS]", "[SEP]")}
    long = session.changed(fill="repeat", fill_to=20).tokens
    assert (long[0], long[-1], len(long)) == ("[CLS]", "[SEP]", 20)
    assert not {"[CLS]", "[SEP]"} & {*long[1:-1]}


def test_a_figure_carries_no_path(session: pe.Session, tmp_path: Path) -> None:
    figure = pe.plot("attention", session)
    assert "trained weights, one text" in figure.caption
    assert "bert, layer 1 of 2, 4 heads" in figure.settings
    assert pe.Session.load(figure.save(tmp_path / "figure.svg")) == session.for_others


def unpacked(file: Path) -> Iterator[bytes]:
    """Yield a file's bytes, and what is compressed in it: members of an archive, streams of a PDF, chunks of a PNG."""
    data = file.read_bytes()
    yield data
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            yield from map(archive.read, archive.namelist())
    for found in re.finditer(rb"stream\r?\n|iTXt[^\0]*\0\x01\0[^\0]*\0[^\0]*\0", data):
        with suppress(zlib.error):
            yield zlib.decompressobj().decompress(data[found.end() :])


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png", ".pptx", ".csv", ".npz", ".json", ".gif", ".mp4"])
def test_an_export_holds_the_fingerprint_and_not_the_path(session: pe.Session, tmp_path: Path, suffix: str) -> None:
    with_fingerprint = session.changed(model=session.model.model_copy(update={"sha256": "0123abcd" * 8}))
    said = with_fingerprint.model.fingerprint  # the weights' own, where another test has computed it
    figure = pe.plot("attention", with_fingerprint)
    file = figure.save(tmp_path / f"figure{suffix}")
    held = list(unpacked(file))
    for part in (session.model.path, str(Path(session.model.path).parent), Path(session.model.path).parent.name):
        assert not any(part.encode(code) in data for data in held for code in ("utf-8", "utf-32-le"))  # as NPZ has them
    if suffix in session_suffixes():
        assert pe.Session.load(file).model.sha256 == said
    if suffix in (".json", ".pptx"):
        assert any(f"bert (SHA-256 {said[:16]}…)".encode() in data for data in held)


def test_a_session_opens_without_its_model_and_says_so(session: pe.Session, tmp_path: Path) -> None:
    gone = session.model.model_copy(update={"path": "/nowhere/bert"})
    found = pe.Session.from_json(session.model_copy(update={"model": gone}).to_json())
    with pytest.raises(Undefined, match="is no longer where it was"):
        pe.attend(found)
    figure = pe.plot("attention", found)
    assert "is no longer where it was" in figure.description
    assert "nowhere" not in figure.save(tmp_path / "figure.svg").read_text()


def test_a_missing_tokenizer_is_told_without_the_path_of_the_model(checkpoint_folder: Folders, tmp_path: Path) -> None:
    folder = tmp_path / "bert"
    shutil.copytree(checkpoint_folder("bert"), folder)
    session = pe.Session(text="dog", model=pe.open_model(folder))
    (folder / "tokenizer.json").unlink()
    told = pe.plot("attention", session).description
    assert "bert has no tokenizer.json" in told
    assert str(folder) not in told


# --- A model is all the files that it is read from


def replaced(file: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))

    return edit


def with_its_old_time(edit: Callable[[Path], None]) -> Callable[[Path], None]:
    def edit_and_set_back(folder: Path) -> None:
        before = (folder / "config.json").stat()
        edit(folder)
        os.utime(folder / "config.json", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (folder / "config.json").stat().st_size == before.st_size

    return edit_and_set_back


def linked_elsewhere(folder: Path) -> None:
    """Let config.json be a link to another file, as a hub's cache does."""
    (folder / "config.json").rename(folder / "one.json")
    (folder / "other.json").write_text((folder / "one.json").read_text().replace(*THETA))
    (folder / "config.json").symlink_to(folder / "other.json")


def last_byte(folder: Path) -> None:
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


THETA = '"rope_theta": 10000.0', '"rope_theta": 20000.0'
EDITS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "another theta": ("another config.json", replaced("config.json", *THETA)),
    "at the same time": ("another config.json", with_its_old_time(replaced("config.json", *THETA))),
    "another link": ("another config.json", linked_elsewhere),
    "another word": ("another tokenizer.json", replaced("tokenizer.json", '"cat"', '"cow"')),
    "one byte of the weights": ("other weights", last_byte),
}


@pytest.fixture
def copied(checkpoint_folder: Folders, tmp_path: Path) -> Path:
    return Path(shutil.copytree(checkpoint_folder("llama"), tmp_path / "llama"))


@pytest.mark.parametrize("kind", EDITS)
def test_a_file_that_has_changed_is_named_and_the_folder_opened_again_is_as_it_is_now(
    kind: str, copied: Path, tmp_path: Path
) -> None:
    other, edit = EDITS[kind]
    engine = Engine()
    session = pe.Session(text="the cat sat", model=pe.open_model(copied))
    pe.attend(session, engine)
    saved = session.save(tmp_path / "session.json")
    edit(copied)
    for same in (session, pe.Session.load(saved)):
        with pytest.raises(
            Undefined, match=f"^llama has {other} than this session was made with: open its folder again"
        ):
            pe.attend(same)
        assert other in pe.plot("attention", same).description
    again = pe.open_model(copied)
    now = session.changed(model=again)
    assert (again == session.model, now.encoding) == (False, again.encoding)
    with warnings.catch_warnings(action="ignore"):
        expected = eager(Path(shutil.copytree(copied, tmp_path / "elsewhere", symlinks=False)))
    ids = torch.tensor([token_numbers(now.tokens, again.tokenizer)])
    assert_close(pe.attend(now, engine).probabilities, expected(ids, output_attentions=True).attentions[0][0])


def test_an_edit_that_is_taken_back_is_none(copied: Path) -> None:
    session = pe.Session(text="the cat sat", model=pe.open_model(copied))
    before = pe.attend(session).probabilities
    replaced("config.json", *THETA)(copied)
    with pytest.raises(Undefined, match=r"another config\.json"):
        pe.attend(session)
    replaced("config.json", *THETA[::-1])(copied)
    assert_close(pe.attend(session).probabilities, before)


def test_a_session_of_an_older_version_knows_weights_alone_and_opens_while_its_rotation_is_the_model_s(
    copied: Path,
) -> None:
    session = pe.Session(text="the cat sat", model=pe.open_model(copied))
    written = json.loads(session.to_json())
    names = [file["name"] for file in written["session"]["model"].pop("files")]
    assert names == ["config.json", "tokenizer.json", "model.safetensors"]
    older = pe.Session.from_json(json.dumps(written))
    assert older.model.files == ()
    assert_close(pe.attend(older).probabilities, pe.attend(session).probabilities)
    replaced("config.json", *THETA)(copied)
    with pytest.raises(Undefined, match=r"another config\.json"):
        pe.attend(older)


def test_a_file_that_changes_while_the_folder_is_opened_is_told(copied: Path) -> None:
    edits = [replaced("config.json", *THETA)]

    def edit_once() -> None:
        if edits:
            edits.pop()(copied)

    with pytest.raises(ValueError, match="llama has changed while it was opened: open its folder again"):
        pe.open_model(copied, watch=Watch(edit_once))
    assert pe.open_model(copied).encoding.base == 20_000


def test_no_other_file_of_a_folder_is_read(copied: Path) -> None:
    replaced("config.json", '"LlamaModel"', '"LlamaForCausalLM"')(copied)
    for name in ("generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "config.4.0.0.json"):
        (copied / name).write_text("[]")  # over which transformers stumbles where it reads it
    model = pe.open_model(copied)
    (copied / "generation_config.json").write_text("[1]")
    assert pe.attend(pe.Session(text="dog", model=model)).probabilities.shape == (4, 1, 1)


def test_a_path_to_another_computer_is_refused(session: pe.Session) -> None:
    text = session.to_json().replace(session.model.path, r"\\\\host\\share")
    with pytest.raises(ValueError, match="must be a local folder"):
        pe.Session.from_json(text)


def test_a_toy_session_takes_a_model_with_its_own_encoding(session: pe.Session) -> None:
    changed = pe.Session(text="dog bites man", encoding="rope", other="alibi").changed(model=session.model)
    assert (changed.encoding, changed.other) == (session.model.encoding, None)
