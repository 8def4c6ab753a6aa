"""Measures in the window: their plots open from the menu, follow what is done, and the encoding's card tells the verdicts."""

from __future__ import annotations

from html import escape
from itertools import cycle
from typing import get_args

import pytest
from hands import figure_of, words_seen
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QListWidget, QMenu, QSlider

import posenc_gui as pe
from posenc_gui.app.panels.encoding_panel import DoorsView
from posenc_gui.app.window.help import Pages
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.measures import measures
from posenc_gui.measures.requirements import WORDS, definitions
from posenc_gui.plots import plots
from posenc_gui.plots.base import Group

pytestmark = pytest.mark.one_window


@pytest.fixture
def rest(qtbot):
    """Wait until the encoding is judged, which happens a moment after the last change."""
    return lambda window: qtbot.waitUntil(lambda: not window.busy)


def open_plot(window, user, name: str):
    user.chooses(window, plots()[name].group, window.cards[f"plot.{name}"].windowTitle())
    return window.workbench.plots[name]


@pytest.mark.slow
def test_the_menu_leads_to_every_plot_in_its_group(window) -> None:
    menus = {menu.title(): menu for menu in window.findChildren(QMenu)}
    for group in get_args(Group):
        titles = {plot.title for plot in plots().values() if plot.group == group}
        assert {action.text() for action in menus[group].actions()} == titles
        assert all(action.toolTip().endswith(".") for action in menus[group].actions())


@pytest.mark.own_window  # which holds no plot that was opened before
@pytest.mark.slow
def test_a_plot_that_was_closed_shows_the_present_session_when_it_is_opened(window, user) -> None:
    encodings = cycle(("alibi", "sinusoidal"))
    user.pastes(window, "Only I love you")
    for name in (name for name, plot in plots().items() if plot.group not in ("Attention", "Encoding")):
        assert name not in window.workbench.plots
        panel = open_plot(window, user, name)
        assert window.cards[f"plot.{name}"].in_view
        figure = panel.view.figure()
        assert figure.title == plots()[name].title
        assert figure.session == window.workbench.store.session.to_json()
        user.chooses_encoding(window, next(encodings))
        assert panel.view.figure().session == window.workbench.store.session.to_json()


@pytest.mark.slow
def test_equivariance_follows_a_reordering_and_says_zero_without_an_encoding(window, user, settle) -> None:
    panel = open_plot(window, user, "equivariance")
    before = panel.view.figure()
    assert before.panels[2].title == "the last token first"
    window.workbench.tokens.choices()["Reverse"].trigger()
    settle(window)
    reversed_ = panel.view.figure()
    assert reversed_.panels[2].title == "reordered"
    assert reversed_.panels[1].right.labels == ("mat", "the", "on", "sat", "cat", "the")
    assert "changes their outputs" in quote_runs(reversed_.headline)
    user.chooses_encoding(window, "none")
    assert "only reorders their outputs" in quote_runs(panel.view.figure().headline)
    assert float(panel.view.figure().panels[1].values.max()) < 1e-5


@pytest.mark.slow
def test_the_encoding_s_card_shows_six_verdicts_that_follow_the_encoding(window, user, rest) -> None:
    rest(window)
    buttons = window.workbench.encoding.verdicts.rows
    assert list(buttons) == list(definitions())
    for encoding in ("integer", "rope", "alibi", "none"):
        user.chooses_encoding(window, encoding)
        rest(window)
        measured = pe.measure("requirements", window.workbench.store.session)
        for name, row in measured.items():
            assert row.reason in buttons[name].accessibleName()
            assert f": {WORDS[row.verdict]}" in buttons[name].accessibleName()
            assert row.reason in buttons[name].toolTip()
            assert row.definition in buttons[name].toolTip()
    head = window.workbench.encoding.verdicts.head
    assert head.accessibleName().startswith("Requirements: none applies.")


@pytest.mark.slow
def test_verdicts_fold_to_one_row_that_names_them_and_unfold_again(window, rest) -> None:
    rest(window)
    verdicts = window.workbench.encoding.verdicts
    told = "unique, bounded, deterministic, smooth and relative-aware; partly within the same range in longer texts"
    if verdicts.head.folded:
        QTest.mouseClick(verdicts.head, Qt.MouseButton.LeftButton)
    assert all(row.isVisible() for row in verdicts.rows.values())
    assert verdicts.head.accessibleName() == f"Requirements: {told}. Fold to one row"
    QTest.keyClick(verdicts.head, Qt.Key.Key_Space)
    assert not any(row.isVisible() for row in verdicts.rows.values())
    assert verdicts.head.accessibleName() == f"Requirements: {told}. Show each with its reason"
    QTest.keyClick(verdicts.head, Qt.Key.Key_Space)
    assert all(row.isVisible() for row in verdicts.rows.values())


@pytest.mark.slow
def test_where_position_comes_in_is_shown_and_explained(window, user) -> None:
    stops = {"none": "nowhere", "sinusoidal": "at the input", "rope": "by rotation", "t5": "at the score"}
    for encoding, stop in stops.items():
        user.chooses_encoding(window, encoding)
        (doors,) = [one for one in window.workbench.encoding.findChildren(DoorsView) if one.isVisible()]
        assert doors.accessibleName().startswith(f"Where position comes in: {stop}")
        assert escape(GLOSSARY["Door"]) in doors.toolTip()
        door = window.workbench.store.session.encoding.door
        names = {one.accessibleName() for one in doors.doors.values()}
        assert {name for name in names if name.endswith("open")} == (
            {f"Door {door}, open"} if door != "none" else set()
        )


@pytest.mark.slow
def test_a_door_opens_the_list_at_its_encodings(window, user, settle) -> None:
    (doors,) = window.workbench.encoding.findChildren(DoorsView)
    found = window.workbench.encoding.choice.list
    for door, button in doors.doors.items():
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert found.isVisible()
        title = found.marked
        QTest.keyClick(found.field, Qt.Key.Key_Return)
        settle(window)
        encoding = window.workbench.store.session.encoding
        assert (encoding.title, encoding.door) == (title, door)


@pytest.mark.slow
def test_the_strength_is_dragged_typed_and_given_back_by_a_double_click(window, user, settle) -> None:
    store, form = window.workbench.store, window.workbench.encoding.strength
    user.chooses_encoding(window, "rope")
    (slider,) = form.findChildren(QSlider)
    slider.setValue(slider.maximum() // 2)
    settle(window)
    assert store.session.strength == 0.5
    assert "RoPE at strength 0.5" in "".join(run.text for run in figure_of(window).headline)
    user.chooses_encoding(window, "integer")
    settle(window)
    assert any("The last position adds 2.5 to" in words for words in words_seen(window.workbench.encoding))
    store.undo()
    QTest.mouseDClick(slider, Qt.MouseButton.LeftButton)
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton)  # as a hand does: what is dragged goes on until then
    assert store.session.strength == 1
    slider.setValue(0)
    assert store.session.strength == 0
    store.undo()
    assert form.isVisible()
    user.chooses_encoding(window, "pope")
    assert not form.editor("strength").isEnabled()
    assert any(words.startswith("The strength does nothing") for words in words_seen(form)), "PoPE comes in whole"


@pytest.mark.slow
def test_help_defines_signatures_and_requirements(window, user) -> None:
    user.chooses(window, "Help", "Measures and requirements")
    (pages,) = window.findChildren(Pages)
    assert pages.height() <= 540  # the smallest window
    titles, told = pages.findChild(QListWidget), []
    for row in range(titles.count()):
        titles.setCurrentRow(row)
        told.append(" ".join(label.text() for label in pages.findChildren(QLabel)))
    assert any("input door" in one for one in told)
    for definition in definitions().values():
        assert any(definition.title in one and definition.definition in one for one in told)
    for measure in measures().values():
        assert any(measure.title in one and measure.summary in one for one in told)
    pages.close()


@pytest.mark.slow
def test_the_keyboard_s_cursor_goes_with_the_panel_it_stood_on(window, user) -> None:
    panel = open_plot(window, user, "equivariance")
    for _ in range(14):  # through the first map and the links into the second map
        QTest.keyClick(panel.view, Qt.Key.Key_Right)
    user.picks(panel.form.editor("show").findChild(QComboBox), "by layer")
    user.settle(window)
    assert len(panel.view.panel_views()) == 2
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
