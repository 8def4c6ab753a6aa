"""The form of A beside B: what it shows of two encodings, and what each press makes of the session."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QMainWindow, QWidget

import posenc_gui as pe
from posenc_gui.app.docks.card import Card
from posenc_gui.app.panels.compare_panel import ComparePanel
from posenc_gui.app.state.recent_formulas import RecentFormulas
from posenc_gui.app.state.settings import Memory, Preferences
from posenc_gui.app.state.store import Store
from posenc_gui.app.widgets.forms.editors import edited_fields

BASES = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0))


@pytest.fixture
def shown(qtbot, qapp, tmp_path):
    """A panel on a store, in its card, which shows each session that the store comes to."""
    windows = []

    def show(session: pe.Session) -> tuple[ComparePanel, Store]:
        store, window = Store(session), QMainWindow()
        windows.append(window)  # nothing else holds it
        card = Card("compare", "Compare", window)
        formulas = RecentFormulas(Preferences(Memory(tmp_path), qapp, window), store)
        panel = ComparePanel(card, store.propose, store.replace, formulas)
        card.fill(panel)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, card)
        store.changed.connect(panel.show_session)
        panel.show_session(session)
        window.resize(340, 760)
        qtbot.addWidget(window)
        with qtbot.waitExposed(window):
            window.show()
        return panel, store

    yield show
    windows.clear()


def choose(panel: ComparePanel, side: str, name: str) -> None:
    panel.choices[side].setCurrentIndex(panel.choices[side].findData(name))


def button(panel: QWidget, said: str) -> QAbstractButton:
    (found,) = (one for one in panel.window().findChildren(QAbstractButton) if one.accessibleName() == said)
    return found


def press(panel: QWidget, said: str) -> None:
    QTest.mouseClick(button(panel, said), Qt.MouseButton.LeftButton)


def enter(editor: QWidget, text: str) -> None:
    (line,) = editor.findChildren(QLineEdit)
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def test_what_differs_has_a_field_on_each_side_and_what_is_held_equal_stands_once(shown) -> None:
    panel, _ = shown(BASES)
    assert [panel.rows.editors[side, "base"].value() for side in ("encoding", "other")] == [10_000, 500_000]
    assert [panel.rows.signs[name].text() for name in ("base", "pairing", "fraction")] == ["≠", "=", "="]
    with pytest.raises(KeyError):
        _ = panel.rows.editors["other", "pairing"]


def test_equal_is_pressed_to_set_a_parameter_apart_and_unequal_to_join_it_again(shown) -> None:
    panel, store = shown(pe.Session(encoding="rope", other="rope"))
    panel.rows.signs["base"].click()
    assert store.session == pe.Session(encoding="rope", other="rope")
    enter(panel.rows.editors["other", "base"], "500")
    assert store.session.encoding == pe.encoding("rope")
    assert store.session.other == pe.encoding("rope", base=500.0)
    assert panel.rows.signs["base"].text() == "≠"
    assert "copy A's value to B" in panel.rows.signs["base"].accessibleName()
    panel.rows.signs["base"].click()
    assert store.session.other == store.session.encoding == pe.encoding("rope")
    assert panel.rows.signs["base"].text() == "="


def test_of_a_model_with_two_it_is_said_which_layers_have_which(shown) -> None:
    panel, store = shown(pe.preset("gemma-3-12b"))
    said = "Gemma 3 12B: layers take turns, A in those that see all tokens (every sixth) and B in"
    (label,) = (one for one in panel.findChildren(QLabel) if one.text().startswith(said))
    assert label.isVisible()
    store.propose(encoding="rope")
    assert not label.isVisible()


def test_swap_and_copy(shown) -> None:
    panel, store = shown(BASES)
    press(panel, "Swap A and B")
    assert store.session == BASES.swapped()
    assert store.undo_name == "A and B swapped"
    press(panel, "Copy A to B")
    assert store.session.other == BASES.other


def test_swap_and_copy_are_in_sight_however_many_parameters_there_are(shown) -> None:
    panel, _ = shown(pe.Session(encoding="rope", other=pe.encoding("rope", scaling={"rope_type": "longrope"})))
    for said in ("Swap A and B", "Copy A to B"):
        assert not button(panel, said).visibleRegion().isEmpty()


def test_an_encoding_is_chosen_on_each_side(shown) -> None:
    panel, store = shown(pe.Session(encoding="none"))
    assert panel.choices["other"].currentIndex() == -1
    choose(panel, "other", "rope")
    choose(panel, "encoding", "alibi")
    assert (store.session.encoding.name, store.session.other.name) == ("alibi", "rope")
    assert panel.rows.editors["other", "base"].value() == 10_000
    assert panel.rows.editors["encoding", "bias_max"].value() == 8


def test_the_same_encoding_begins_as_it_stands_beside(shown) -> None:
    panel, store = shown(pe.Session(encoding=pe.encoding("rope", base=500.0), other="alibi"))
    choose(panel, "other", "rope")
    assert store.session.other == pe.encoding("rope", base=500.0)


def test_what_does_not_fit_is_refused_in_a_sentence_and_the_session_stays(shown) -> None:
    session = pe.Session(encoding="sinusoidal", model=pe.ToyModel(d_model=6, n_heads=2))
    panel, store = shown(session)
    choose(panel, "other", "rope")
    assert store.session == session
    assert "B: RoPE turns pairs of dimensions" in panel.refusal()
    assert panel.choices["other"].currentIndex() == -1


def test_what_was_refused_is_known_by_its_title_and_side_until_it_is_mended(shown) -> None:
    panel, store = shown(BASES)
    assert panel.refused() == []
    for side in ("encoding", "other"):
        enter(panel.rows.editors[side, "base"], "-5")
    assert panel.refused() == ["Base of A", "Base of B"]
    assert store.session == BASES
    enter(panel.rows.editors["other", "base"], "700")
    assert panel.refused() == ["Base of A"]


def test_no_part_of_a_number_that_is_refused_stays_in_effect(shown, qtbot) -> None:
    panel, store = shown(BASES)
    (line,) = panel.rows.editors["other", "base"].findChildren(QLineEdit)
    line.selectAll()
    QTest.keyClicks(line, "1")
    qtbot.waitUntil(lambda: store.session.other.base == 1)  # the hand rested
    QTest.keyClicks(line, "e13")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert store.session == BASES
    assert (line.text(), panel.refusal()) == ("1e13", "B: from 1 to 1e12")


def test_a_refusal_stays_while_something_else_changes_and_goes_with_a_step_that_is_taken_back(shown) -> None:
    panel, store = shown(BASES)
    store.went.connect(panel.take_back)
    (line,) = panel.rows.editors["other", "base"].findChildren(QLineEdit)
    enter(panel.rows.editors["other", "base"], "many")
    enter(panel.rows.editors["encoding", "base"], "700")
    assert (line.text(), panel.refused()) == ("many", ["Base of B"])
    assert panel.refusal() == "B: “many” is not a number: type one from 1 to 1e12"
    store.undo()
    assert store.session == BASES
    assert (line.text(), panel.refused(), panel.refusal()) == ("500,000", [], "")


@pytest.mark.parametrize("press_it", [QTest.mouseClick, QTest.keyClick])
def test_the_value_of_both_is_pressed_to_set_it_apart(shown, press_it) -> None:
    panel, _ = shown(pe.Session(encoding="rope", other="rope"))
    value = panel.rows.once["base"]
    assert value.text() == "10,000"
    assert value.accessibleName() == "Base is 10,000 in A and B. Press to give A and B separate values."
    assert value.focusPolicy() & Qt.FocusPolicy.TabFocus
    press_it(value, Qt.MouseButton.LeftButton if press_it is QTest.mouseClick else Qt.Key.Key_Space)
    assert panel.rows.editors["other", "base"].value() == 10_000
    panel.rows.signs["base"].click()
    assert panel.focusWidget() is panel.rows.once["base"]


@pytest.mark.parametrize("name", pe.encodings())
def test_every_encoding_can_be_set_beside_itself(shown, name: str) -> None:
    panel, store = shown(pe.Session(encoding=name, other=name))
    for parameter in edited_fields(pe.encoding(name)):
        panel.rows.signs[parameter].click()
        assert panel.rows.editors["other", parameter].isVisibleTo(panel)
    assert store.session == pe.Session(encoding=name, other=name)


def test_a_side_without_parameters_comes_and_goes(shown) -> None:
    panel, store = shown(pe.Session(encoding="none"))
    for other in ("one_hot", None, "integer", "rope"):
        assert store.propose(other=other and pe.encoding(other)) == ""
        assert panel.choices["other"].currentData() == other


def test_both_verdicts_are_shown_and_marked_when_they_are_old(shown) -> None:
    panel, _ = shown(BASES)
    session = pe.Session(encoding="none", other="rope")
    measured = [pe.measure("requirements", one) for one in (session, session.swapped())]
    panel.verdicts.show_requirements(*measured)
    assert [panel.verdicts.labels[side, "unique"].text() for side in ("encoding", "other")] == ["–", "● met"]
    assert panel.verdicts._words.text() == "– does not apply"  # once
    panel.verdicts.mark_old(True)
    assert not panel.verdicts.labels["other", "unique"].isEnabled()


def test_what_one_side_alone_has_leaves_no_hole_and_is_folded_at_its_defaults(shown) -> None:
    panel, _ = shown(pe.Session(encoding="rope", other="alibi"))
    rows = panel.rows
    assert rows.editors["encoding", "base"].isVisibleTo(panel)
    assert rows.editors["other", "bias_max"].isVisibleTo(panel)
    assert not rows.editors["encoding", "precision"].isVisibleTo(panel)
    rows.more.click()
    assert rows.editors["encoding", "precision"].isVisibleTo(panel)
    assert not rows.more.isVisibleTo(panel)
