"""Files, share strings and figures of a session whose model has learned: no weights, and no path beyond this computer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.foundation.errors import Undefined
from posenc_gui.session import json_schema

Folders = Callable[[str], Path]


@pytest.fixture
def session(checkpoint_folder: Folders) -> pe.Session:
    return pe.Session(text="dog bites man", model=pe.open_model(checkpoint_folder("bert"), layer=1))


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


def test_a_figure_carries_no_path(session: pe.Session, tmp_path: Path) -> None:
    figure = pe.plot("attention", session)
    assert "trained weights, one text" in figure.caption
    assert "bert, layer 1 of 2, 4 heads" in figure.settings
    for suffix in (".svg", ".json", ".png"):
        data = figure.save(tmp_path / f"figure{suffix}").read_bytes()
        assert session.model.path.encode() not in data
    assert pe.Session.load(tmp_path / "figure.svg") == session.for_others


def test_a_session_opens_without_its_model_and_says_so(session: pe.Session) -> None:
    gone = session.model.model_copy(update={"path": "/nowhere/bert"})
    found = pe.Session.from_json(session.model_copy(update={"model": gone}).to_json())
    with pytest.raises(Undefined, match="nowhere"):
        pe.attend(found)
    assert "nowhere" in pe.plot("attention", found).description


def test_changed_weights_are_told(checkpoint_folder: Folders, tmp_path: Path) -> None:
    folder = tmp_path / "bert"
    shutil.copytree(checkpoint_folder("bert"), folder)
    session = pe.Session(text="dog", model=pe.open_model(folder))
    shutil.copy(checkpoint_folder("gpt2") / "model.safetensors", folder / "model.safetensors")
    with pytest.raises(Undefined, match="other weights than this session"):
        pe.attend(session)


def test_a_path_to_another_computer_is_refused(session: pe.Session) -> None:
    text = session.to_json().replace(session.model.path, r"\\\\host\\share")
    with pytest.raises(ValueError, match="must be a local folder"):
        pe.Session.from_json(text)


def test_a_toy_session_takes_a_model_with_its_own_encoding(session: pe.Session) -> None:
    changed = pe.Session(text="dog bites man", encoding="rope", other="alibi").changed(model=session.model)
    assert (changed.encoding, changed.other) == (session.model.encoding, None)
