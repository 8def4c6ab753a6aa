"""Comparing in the window: by the keyboard from the first start; a sweep, begun from a form; the code of both."""

from __future__ import annotations

from typing import Any

import pytest
from hands import LEFT, figure_of
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit

import posenc_gui as pe
from posenc_gui.app.widgets.link_rows import LinkRow

pytestmark = pytest.mark.one_window


def row_of(window, card: str, begins: str) -> LinkRow:
    (row,) = (row for row in window.cards[card].findChildren(LinkRow) if row.accessibleName().startswith(begins))
    return row


def offered(window, card: str) -> dict[str, Any]:
    """What the row that leads to a sweep offers, by its words."""
    row = row_of(window, card, "Sweep")
    QTest.mouseClick(row, LEFT)
    (menu,) = row.findChildren(QMenu)
    found = {action.text(): action for action in menu.actions() if action.text()}
    menu.close()
    return found


def titles_of(window) -> list[str]:
    return [panel.title for panel in figure_of(window, "sweep").panels]


@pytest.fixture
def compared(window, settle):
    """The window with RoPE at two bases."""
    window.workbench.store.propose(encoding="rope", other=pe.encoding("rope", base=500_000.0))
    settle(window)
    return window


@pytest.mark.slow
@pytest.mark.own_window  # a window remembers what was compared last
def test_from_the_first_start_to_one_encoding_at_two_bases_by_the_keyboard_alone(window, typing, settle) -> None:
    def press(*keys: Qt.Key | str) -> None:
        for key in keys:
            (QTest.keyClicks if isinstance(key, str) else QTest.keyClick)(QApplication.focusWidget(), key)
            settle(window)

    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    press("compare", Qt.Key.Key_Return)  # the keyboard goes to where A is chosen
    # past B, which is RoPE at first, to the base of both
    press("Ro", Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Space)
    press("500000", Qt.Key.Key_Return)  # instead of the value that stands there
    session = window.workbench.store.session
    assert session.encoding == pe.encoding("rope")
    assert session.other == pe.encoding("rope", base=500_000.0)


@pytest.mark.slow
def test_a_number_is_chosen_and_its_values_are_shown_at_once_and_can_be_edited(compared, user, settle) -> None:
    numbers = offered(compared, "compare")
    assert {"Base of A", "Base of B", "Rotated fraction of A", "d_model of the toy model"} <= numbers.keys()
    numbers["Base of B"].trigger()
    settle(compared)
    assert compared.cards["plot.sweep"].in_view
    assert compared.cards["plot.attention"] in compared.tabifiedDockWidgets(compared.cards["plot.sweep"])
    assert titles_of(compared) == ["base 500", "5,000", "50,000", "500,000", "5,000,000", "50,000,000"]

    panel = compared.workbench.plots["sweep"]
    panel.options_button.setChecked(True)
    user.types(panel.form.editor("values").focusProxy(), "10, 500, 1000000")
    settle(compared)
    assert titles_of(compared) == ["base 10", "500", "1,000,000"]


@pytest.mark.slow
def test_a_sweep_is_a_step_of_undo_and_of_the_session(compared, settle) -> None:
    store = compared.workbench.store
    before = store.session
    offered(compared, "compare")["Base of A"].trigger()
    settle(compared)
    swept = store.session
    assert pe.Session.from_json(swept.to_json()).options_of("sweep").number == "base"
    store.undo()
    assert store.session == before


def test_encodings_are_swept_in_one_step_and_typed_in_the_plot_s_form(window, user, settle) -> None:
    store = window.workbench.store
    before = store.session
    offered(window, "encoding")["Encoding"].trigger()
    settle(window)
    assert titles_of(window) == ["No encoding", "Sinusoidal", "RoPE", "ALiBi"]
    panel = window.workbench.plots["sweep"]
    panel.options_button.setChecked(True)
    field = panel.form.editor("encodings").focusProxy()
    assert field.text() == "none, sinusoidal, rope, alibi"
    user.types(field, "rope, rope(base=5")
    assert "bracket is missing" in panel.form.refusal()
    user.types(field, "rope, rope(base=500), alibi")
    settle(window)
    assert titles_of(window) == ["RoPE", "RoPE (base 500)", "ALiBi"]
    offered(window, "encoding")["Base"].trigger()
    settle(window)
    assert titles_of(window)[0] == "base 10"
    assert field.text() == ""
    while store.session != before:
        store.undo()
    panel.options_button.setChecked(False)


def test_explore_names_the_numbers_of_its_one_encoding_alone(window) -> None:
    assert "Base" in offered(window, "encoding")


@pytest.mark.slow
def test_in_compare_the_code_is_that_of_both(compared, settle) -> None:
    QTest.mouseClick(row_of(compared, "compare", "Code"), LEFT)
    settle(compared)
    (edit,) = compared.cards["code"].findChildren(QPlainTextEdit)
    first, second = edit.toPlainText().split("# B: base 500,000\n")
    assert first.startswith("# A: base 10,000\n")
    assert "10_000.0" in first
    assert "500_000.0" in second
