"""Session files: saved, opened, refused, and the one that is there again at the next start."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hands import answers, banner, close_banner, session_of
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

import posenc_gui as pe
from posenc_gui.session.first_session import first_session
from posenc_gui.text.tokenization import MAX_CHARACTERS

pytestmark = pytest.mark.one_window

# --- Save and open ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_session_is_saved_and_opened_again(window, user, answer, tmp_path) -> None:
    user.pastes(window, "kept in a file")
    user.chooses_encoding(window, "rope")
    kept, path = session_of(window), tmp_path / "kept.json"
    answer(path)
    user.chooses(window, "File", "Save as …")
    assert banner(window) == f"Saved {path}."
    assert pe.Session.load(path) == kept
    user.chooses(window, "File", "New session")
    assert session_of(window) == first_session()
    user.chooses(window, "File", "Open …")
    assert session_of(window) == kept
    assert window.workbench.tokens.text_edit.toPlainText() == "kept in a file"
    assert window.workbench.encoding.choice.currentData() == "rope"


def test_the_shortcuts_of_files_work(window, settle, answer, qtbot, tmp_path) -> None:
    def press(key: Qt.Key) -> None:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        settle(window)

    answer(tmp_path / "by key.json")
    press(Qt.Key.Key_S)
    assert (tmp_path / "by key.json").exists()
    answer(pe.Session(text="opened by key").save(tmp_path / "other.json"))
    press(Qt.Key.Key_O)
    assert session_of(window).text == "opened by key"
    press(Qt.Key.Key_N)
    assert session_of(window) == first_session()


def test_a_name_without_a_suffix_gets_one_and_cancel_saves_nothing(window, user, answer, tmp_path) -> None:
    answer("")
    user.chooses(window, "File", "Save as …")
    assert banner(window) == ""
    answer(tmp_path / "plain")
    user.chooses(window, "File", "Save as …")
    assert (tmp_path / "plain.json").exists()


def test_a_suffix_that_was_added_never_replaces_a_file_without_a_question(
    window, user, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    there = pe.Session(text="not lost").save(tmp_path / "llama-3.1.json")
    typed = iter([tmp_path / "llama-3.1", tmp_path / "llama-3.1", tmp_path / "llama-3.2"])
    said, asked = ["Replace it", "Keep it"], []

    def name_it(*_: object) -> tuple[str, str]:
        if said:
            QTimer.singleShot(0, lambda: asked.append(answers(window, said.pop(0))))
        return str(next(typed)), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", name_it)
    user.pastes(window, "instead")
    user.chooses(window, "File", "Save as …")
    assert pe.Session.load(there).text == "instead"
    user.pastes(window, "another")
    user.chooses(window, "File", "Save as …")
    assert asked == ["“llama-3.1.json” already exists. Replace it?"] * 2
    assert pe.Session.load(there).text == "instead"
    assert pe.Session.load(tmp_path / "llama-3.2.json").text == "another"


def test_the_title_says_the_file_to_which_save_goes_again_and_a_star(window, user, answer, tmp_path) -> None:
    assert window.windowTitle().startswith("Untitled ")
    user.pastes(window, "changed")
    assert window.windowTitle().startswith("Untitled* ")
    answer(tmp_path / "named.json")
    user.chooses(window, "File", "Save as …")
    assert window.windowTitle().startswith("named.json ")
    user.pastes(window, "and again")
    assert window.windowTitle().startswith("named.json* ")
    user.pastes(window, "changed")
    assert window.windowTitle().startswith("named.json ")
    user.pastes(window, "more")
    answer("")  # which nobody is asked for
    user.chooses(window, "File", "Save")
    assert window.windowTitle().startswith("named.json ")
    assert pe.Session.load(tmp_path / "named.json").text == "more"


def test_saving_where_no_folder_is_says_so_and_keeps_everything(window, user, answer, tmp_path) -> None:
    user.pastes(window, "not lost")
    path = tmp_path / "nowhere" / "session.json"
    answer(path)
    user.chooses(window, "File", "Save as …")
    assert banner(window).startswith(f"Not saved: {path}: ")
    assert session_of(window).text == "not lost"
    assert window.windowTitle().startswith("Untitled* ")
    assert not path.parent.exists()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "npz"])
def test_an_exported_figure_is_opened_as_its_session(window, user, answer, tmp_path, suffix: str) -> None:
    session = pe.Session(text="carried by a picture", encoding="alibi")
    path = pe.plot("attention", session).save(tmp_path / f"figure.{suffix}")
    answer(path)
    user.chooses(window, "File", "Open …")
    assert session_of(window) == session
    assert window.windowTitle().startswith("Untitled ")  # saving must not overwrite the picture


# --- What is no session ---------------------------------------------------------------------------------------------------


def changed(**fields: object) -> Callable[[str], str]:
    return lambda text: json.dumps(json.loads(text) | fields)


REFUSED: dict[str, Callable[[str], str | bytes]] = {
    "cut short": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "binary": lambda text: bytes(range(256)),
    "another program's": lambda text: '{"cells": [], "nbformat": 4}',
    "a newer version's": changed(version=99),
    "of a version that is no number": changed(version="one"),
    "of an unknown encoding": changed(session={"encoding": {"name": "sinusodial"}}),
    "with a value out of range": changed(session={"model": {"d_model": 0}}),
    "with an unknown field": changed(session={"color": "red"}),
    "not a number": lambda text: text.replace('"session": {}', '"session": {"model": {"embedding_scale": NaN}}'),
    "nested without end": lambda text: "[" * 100_000,
}


@pytest.mark.slow
def test_a_file_that_is_no_session_is_refused_in_a_sentence_and_the_session_stays(
    window, user, answer, tmp_path
) -> None:
    user.pastes(window, "at work")
    before, title = session_of(window), window.windowTitle()
    for kind, damage in REFUSED.items():
        path, content = tmp_path / "broken.json", damage(pe.Session().to_json())
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        answer(path)
        user.chooses(window, "File", "Open …")
        assert banner(window).startswith("Not opened: broken.json: "), kind
        assert "\n" not in banner(window), kind
        assert len(banner(window)) < 400, kind
        assert session_of(window) == before, kind
        assert window.windowTitle() == title, kind
        close_banner(window)
        assert banner(window) == "", kind


def newer(session: pe.Session) -> str:
    """The session's file as an explorer with more plots writes it."""
    content = json.loads(session.to_json())
    content["session"]["plots"] = {"<b>spectrogram</b>": {"window": 8}}
    return json.dumps(content)


def test_a_newer_file_is_opened_and_what_was_left_out_is_said(window, user, answer, tmp_path) -> None:
    (tmp_path / "newer.json").write_text(newer(pe.Session(text="from tomorrow")))
    answer(tmp_path / "newer.json")
    user.chooses(window, "File", "Open …")
    assert session_of(window).text == "from tomorrow"
    assert banner(window) == (
        "newer.json: left out the options of '<b>spectrogram</b>', since this explorer has no such plot."
    )


def test_a_newer_last_session_is_gone_on_with_and_what_was_left_out_is_said(open_window, tmp_path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "last-session.json").write_text(newer(pe.Session(text="from tomorrow")))
    window = open_window()
    assert session_of(window).text == "from tomorrow"
    assert banner(window).startswith("The last session: left out the options of '<b>spectrogram</b>', ")


def test_a_file_that_is_not_there_and_a_folder_are_refused_in_a_sentence(window, user, answer, tmp_path) -> None:
    gone = tmp_path / "gone.json"
    for path, why in ((gone, f"{gone}: "), (tmp_path, f"{tmp_path.name} has no config.json: ")):
        answer(path)
        user.chooses(window, "File", "Open …")
        assert banner(window).startswith(f"Not opened: {why}")
    assert session_of(window) == pe.Session()


@pytest.mark.slow
def test_a_model_is_a_document_of_its_own_in_no_file_and_the_one_before_it_stays(
    open_window, user, answer, tmp_path
) -> None:
    window = open_window()
    answer(tmp_path / "mine.json")
    user.chooses(window, "File", "Save as …")
    window.findChild(QAction, "model.llama-3.1-8b").trigger()
    user.settle(window)
    assert window.windowTitle().startswith("Llama 3.1 8B ")
    user.pastes(window, "my words")
    assert window.windowTitle().startswith("Llama 3.1 8B* ")
    answer(tmp_path / "model.json")
    user.chooses(window, "File", "Save")  # asks, and leaves the file before it alone
    assert window.windowTitle().startswith("model.json ")
    assert pe.Session.load(tmp_path / "mine.json").text != "my words"
    window.findChild(QAction, "model.gpt-2").trigger()
    user.settle(window)
    window.close()
    assert open_window().windowTitle().startswith("GPT-2 ")


# --- The next start -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_next_start_goes_on_where_the_last_one_ended(open_window, user, answer, tmp_path) -> None:
    first = open_window()
    user.pastes(first, "where I was")
    user.chooses_encoding(first, "alibi")
    left = session_of(first)
    first.close()
    again = open_window()
    assert session_of(again) == left
    assert again.workbench.tokens.text_edit.toPlainText() == "where I was"
    assert again.windowTitle().startswith("Untitled ")
    assert banner(again) == ""


@pytest.mark.slow
def test_the_next_start_knows_the_file_and_whether_it_was_saved(open_window, user, answer, tmp_path) -> None:
    first = open_window()
    answer(tmp_path / "mine.json")
    user.chooses(first, "File", "Save as …")
    first.close()
    second = open_window()
    assert second.windowTitle().startswith("mine.json ")
    user.pastes(second, "not saved yet")
    second.close()
    third = open_window()
    assert session_of(third).text == "not saved yet"
    assert third.windowTitle().startswith("mine.json* ")
    user.chooses(third, "File", "Save")
    assert pe.Session.load(tmp_path / "mine.json").text == "not saved yet"


@pytest.mark.parametrize("shared", [False, True])
def test_a_file_or_a_share_string_given_at_the_start_is_opened(open_window, tmp_path, settle, shared: bool) -> None:
    session = pe.Session(text="given", encoding="rope")
    window = open_window(session.share() if shared else session.save(tmp_path / "given.json"))
    settle(window)
    assert session_of(window) == session
    assert window.windowTitle().startswith("Untitled " if shared else "given.json ")


def test_a_broken_file_given_at_the_start_is_said(open_window, tmp_path) -> None:
    (tmp_path / "broken.json").write_text("{")
    window = open_window(tmp_path / "broken.json")
    assert banner(window).startswith("Not opened: broken.json: ")
    assert session_of(window) == first_session()


def test_saving_says_what_stands_in_a_field_and_was_refused(window, user, answer, tmp_path) -> None:
    said: list[str] = []
    window.documents.said.connect(said.append)
    user.types(window.workbench.encoding.form().editor("base").focusProxy(), "1e12")
    user.pastes(window, "y " * (MAX_CHARACTERS // 2 + 1))
    assert window.documents.save_to(tmp_path / "session.json")
    assert said[-1].endswith("Fields with invalid input were not saved: the text, Base.")
    assert pe.Session.load(tmp_path / "session.json") == window.workbench.store.session
    user.pastes(window, "short")
    user.types(window.workbench.encoding.form().editor("base").focusProxy(), "100")
    said.clear()
    assert window.documents.save_to(tmp_path / "session.json")
    assert said == []
