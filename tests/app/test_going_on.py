"""Going on: what was refused, or went wrong, does not outlive what the user does next."""

from __future__ import annotations

import pytest
from hands import action, banner
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import posenc_gui as pe


@pytest.fixture
def damaged(tmp_path):
    path = tmp_path / "damaged.json"
    path.write_text("{")
    return path


def test_undo_takes_what_was_refused_out_of_the_fields(window, user, unhurried: None) -> None:
    model, encoding = window.workbench.model.form(), window.workbench.encoding.form()
    user.types(encoding.editor("base").focusProxy(), "500")
    for name in ("d_model", "n_heads", "n_layers"):
        user.types(model.editor(name).focusProxy(), "0")
    user.types(encoding.editor("base").focusProxy(), "1e12")
    assert len(window.workbench.refused) == 4
    action(window, "Undo").trigger()
    assert window.workbench.store.session == pe.Session()
    assert window.workbench.refused == ()
    assert [model.editor(name).value() for name in ("d_model", "n_heads", "n_layers")] == [64, 4, 1]
    assert encoding.editor("base").value() == 10_000


def test_what_went_wrong_is_no_longer_told_once_the_user_has_gone_on(window, damaged, tmp_path, qtbot) -> None:
    window.documents.open(damaged)
    QApplication.processEvents()
    assert banner(window).startswith("Not opened: damaged.json")
    window.documents.open(pe.Session(text="dogs").save(tmp_path / "whole.json"))
    assert banner(window) == ""
    window.documents.open(damaged)
    QApplication.processEvents()
    window.workbench.store.propose(encoding="rope")
    assert banner(window) == ""


def test_letters_choose_encodings_and_never_models(window, unhurried: None, monkeypatch) -> None:
    monkeypatch.setattr(QApplication, "keyboardInputInterval", lambda: 60_000)  # however slow the machine
    choice, store = window.workbench.encoding.choice(), window.workbench.store
    encodings = {choice.itemText(at).casefold(): choice.itemData(at) for at in range(len(pe.encodings()))}
    for letter in "LBGQTRA":
        QTest.keyClick(choice, Qt.Key.Key_Home)
        before = store.session
        QTest.keyClicks(choice, letter)
        begins = [name for title, name in encodings.items() if title.startswith(letter.casefold())]
        assert store.session.encoding.name in (begins or [before.encoding.name])
        assert store.session.model == before.model
    QTest.keyClick(choice, Qt.Key.Key_Home)
    QTest.keyClicks(choice, "SAN")
    assert store.session.encoding.name == "sandwich"
