"""One's own encoding is typed in the window: what can be read is drawn, and of all else is said what is wrong, and where."""

from __future__ import annotations

import pytest
from hands import session_of
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QSlider, QToolButton

import posenc_gui as pe
from posenc_gui.app.panels.formula_editor import FormulaEditor
from posenc_gui.app.state.settings import Settings
from posenc_gui.encodings.own import FIRST

pytestmark = pytest.mark.one_window

CONTROL = Qt.KeyboardModifier.ControlModifier
WAVES = "p[m, i] = sin(m / turn^i)\nturn = 3  # 2 to 8"


@pytest.fixture
def panel(window, user):
    user.chooses_encoding(window, "own")
    return window.workbench.encoding


@pytest.fixture
def editor(panel) -> FormulaEditor:
    panel.formula.field.setFocus()
    return panel.formula


def formula(window) -> str:
    return session_of(window).encoding.formula


def types(editor: FormulaEditor, text: str) -> None:
    """Replace all by a text, key by key."""
    editor.field.selectAll()
    for letter in text:
        QTest.keyClick(editor.field, Qt.Key.Key_Return) if letter == "\n" else QTest.keyClicks(editor.field, letter)


def entries(editor: FormulaEditor) -> dict:
    """What the menu offers, by its words."""
    menu = editor.start_from.menu()
    menu.aboutToShow.emit()
    parts = [part for part in menu.findChildren(QMenu) if part.menuAction() in menu.actions()]
    return {action.text(): action for part in parts for action in part.actions()}


def test_the_list_has_it_last_and_it_begins_with_waves(window, editor) -> None:
    choice = window.workbench.encoding.choice
    choice.showPopup()
    seen = choice.list.seen()
    assert seen[seen.index("Your own") + 1] == "Your formula"
    for word in ("formula", "own", "custom"):
        choice.list.field.setText(word)
        choice.list.field.textEdited.emit(word)
        assert choice.list.marked == "Your formula"
    choice.list.close()
    assert editor.field.toPlainText() == formula(window) == FIRST
    assert editor.field.isVisible()


def test_what_is_typed_is_drawn_and_has_sliders(qtbot, window, user, editor, panel) -> None:
    types(editor, WAVES)
    user.settle(window)
    assert formula(window) == WAVES
    qtbot.waitUntil(lambda: panel.form() is not None and panel.form().names() == ["turn"])
    slider = panel.form().findChild(QSlider)
    steps = len(window.workbench.store.history)
    for at in range(slider.value(), slider.value() + 300, 20):
        slider.setValue(at)
    assert formula(window) == editor.field.toPlainText() != WAVES
    assert window.workbench.encoding.form().findChild(QSlider) is slider, "a drag goes on"
    assert len(window.workbench.store.history) <= steps + 1
    window.workbench.store.undo()
    assert editor.field.toPlainText() == formula(window)


def test_a_fault_is_marked_said_and_put_right_by_its_button(qtbot, window, user, editor) -> None:
    types(editor, FIRST.replace("growth^", "growht^"))
    assert formula(window) != editor.field.toPlainText()
    qtbot.waitUntil(lambda: bool(editor.refusal()))
    assert "growht is not known here. Did you mean growth?" in editor.refusal()
    assert editor.field.accessibleDescription() == editor.refusal()
    assert editor.field._marked.selectedText() == "growht"
    assert window.workbench.refused == ("the formula",)
    assert session_of(window).encoding.name == "own", "the last that could be read stays"
    (button,) = editor._readings.findChildren(QToolButton)
    button.click()
    assert (formula(window), editor.field.toPlainText(), editor.refusal()) == (FIRST, FIRST, "")
    QTest.keyClick(editor.field, Qt.Key.Key_Z, CONTROL)
    assert "growht" in editor.field.toPlainText(), "one step of undo"
    user.chooses_encoding(window, "rope")
    assert window.workbench.refused == ()


def test_what_is_not_defined_is_marked_and_one_button_defines_it(qtbot, window, user, editor) -> None:
    types(editor, "p[m, 2i] = sin(1/m)\np[m, 2i+1] = cos(1/m)")
    assert formula(window) == editor.field.toPlainText(), "it can be read"
    qtbot.waitUntil(lambda: [one.text() for one in editor._buttons] == ["1/(m + 1)"])
    assert "not defined at m = 0" in editor._refusal.text()
    assert (editor.field._marked.selectedText(), editor.refusal()) == ("1/m", "")
    (button,) = editor._readings.findChildren(QToolButton)
    button.click()
    user.settle(window)
    assert formula(window) == "p[m, 2i] = sin(1/(m + 1))\np[m, 2i+1] = cos(1/(m + 1))"
    qtbot.waitUntil(lambda: not editor._buttons and not editor._refusal.text())
    types(editor, "p[m, i] = log(m - 3)")
    qtbot.waitUntil(lambda: "log of −3" in editor._refusal.text())
    assert editor._buttons == [], "one more is not enough"


def test_keys_and_pastes_do_what_they_do_elsewhere(qtbot, window, editor) -> None:
    pasted = QMimeData()
    pasted.setHtml("<b>p[m, i] = m</b>")
    pasted.setText("p[m, i] = m")
    editor.field.selectAll()
    editor.field.insertFromMimeData(pasted)
    assert formula(window) == "p[m, i] = m"
    QGuiApplication.clipboard().setText("a" * 50_000)
    QTest.keyClick(editor.field, Qt.Key.Key_V, CONTROL)
    assert (editor.field.toPlainText(), "2,000" in editor.refusal()) == ("p[m, i] = m", True)
    QTest.keyClick(editor.field, Qt.Key.Key_Z, CONTROL)
    assert editor.field.toPlainText() == FIRST
    QTest.keyClick(editor.field, Qt.Key.Key_Tab)
    assert not editor.field.hasFocus()
    window.workbench.store.propose(encoding=pe.encoding("own", formula="angle[m, i] = m"))
    assert editor.field.toPlainText() == "angle[m, i] = m"
    window.activateWindow()
    editor.field.setFocus()
    qtbot.waitUntil(lambda: window.isActiveWindow() and editor.field.hasFocus())
    QTest.keyClick(editor.field, Qt.Key.Key_Z, CONTROL)
    assert "angle" not in formula(window), "the window's undo where the field has none"


def test_it_starts_from_what_can_be_said_and_tells_why_not(qtbot, window, user, editor) -> None:
    user.chooses_encoding(window, "rope")
    window.workbench.store.propose(encoding=pe.encoding("rope", base=500))
    user.chooses_encoding(window, "own")
    found = entries(editor)
    assert found["RoPE, base 500"].isEnabled()
    assert not found["FoX"].isEnabled()
    assert "FoX" in found["FoX"].toolTip()
    found["RoPE, base 500"].trigger()
    assert formula(window).startswith("angle[m, i]")
    user.settle(window)
    qtbot.waitUntil(lambda: "RoPE, base 500" in window.workbench.encoding._told.text())


def test_formulas_that_stood_are_kept_and_the_last_comes_back(window, user, panel, editor) -> None:
    types(editor, WAVES)
    window.workbench.store.propose(encoding=pe.encoding("own", formula=WAVES.replace("3 ", "5 ")))
    user.chooses_encoding(window, "sinusoidal")
    assert panel.formulas.texts == (WAVES.replace("3 ", "5 "),)
    user.chooses_encoding(window, "own")
    assert formula(window) == WAVES.replace("3 ", "5 ")
    assert "p[m, i] = sin(m / turn^i)" in entries(editor)
    panel.formulas._preferences.keep(formulas=())


def test_two_formulas_are_typed_in_compare(window, user, editor) -> None:
    window.workbench.store.propose(other=pe.encoding("own", formula=WAVES))
    user.settle(window)
    compare = window.workbench.compare
    types(compare.formulas["other"], "bias[m, n, h] = -abs(m - n)")
    assert session_of(window).other.door == "score"
    assert formula(window) == FIRST
    assert {side for side, _ in compare.rows.editors} == {"encoding"}


def test_settings_that_someone_broke_are_no_formulas() -> None:
    assert Settings.read({"formulas": [WAVES, 3]}).formulas == ()
    assert Settings.read({"formulas": "p"}).formulas == ()
    assert Settings.read({"formulas": [WAVES]}).formulas == (WAVES,)
