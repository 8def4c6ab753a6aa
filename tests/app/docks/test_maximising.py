"""A plot that has all the room of plots, and gives it back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hands import LEFT, choose_tab, tabs_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from posenc_gui.app.docks.card import Card
from posenc_gui.session.card_layout import Area

pytestmark = pytest.mark.one_window


def stand(window) -> dict[str, tuple[int, ...]]:
    """Where each card in view stands."""
    return {name: card.geometry().getRect() for name, card in window.cards.items() if card.in_view}


def plots_of(window) -> set[str]:
    return {name for name in stand(window) if name.startswith("plot.")}


def are_alike(places: dict, others: dict) -> bool:
    """Whether the same cards stand in the same places, but for Qt's rounding and a headline of one line more."""
    return places.keys() == others.keys() and all(
        abs(one - other) <= 28 for name, place in places.items() for one, other in zip(place, others[name], strict=True)
    )


def click(card: Card, name: str) -> None:
    QTest.mouseClick(card.findChild(QToolButton, name), LEFT)


def double_click(card: Card) -> None:
    title = card.titleBarWidget()
    for act in (QTest.mouseClick, QTest.mouseDClick, QTest.mouseRelease):  # as a hand does
        act(title, LEFT, pos=QPoint(20, title.height() // 2))


def press(key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget(), key)


WAYS: dict[str, tuple[Callable[[Card], object], Callable[[Card], object]]] = {
    "button": (lambda card: click(card, "maximise"), lambda card: click(card, "restore")),
    "title": (double_click, double_click),
    "key": (lambda _: press(Qt.Key.Key_F), lambda _: press(Qt.Key.Key_F)),
    "escape": (lambda _: press(Qt.Key.Key_F), lambda _: press(Qt.Key.Key_Escape)),
}


@pytest.mark.slow
@pytest.mark.parametrize("other", [None, "rope"])
def test_a_plot_takes_the_room_of_all_and_gives_it_back_by_every_way(window, settle, qtbot, other) -> None:
    store = window.workbench.store
    store.propose(other=other)
    settle(window)
    before, session, step = stand(window), store.session, store.undo_name
    card = window.cards["plot.waves"]
    view = window.workbench.plots["waves"].view
    for way, (there, back) in WAYS.items():
        view.setFocus()
        there(card)
        qtbot.waitUntil(lambda: plots_of(window) == {"plot.waves"})
        settle(window)
        assert card.height() * card.width() > 2 * before["plot.waves"][2] * before["plot.waves"][3], way
        assert {"tokens"} < stand(window).keys() - plots_of(window)  # what stands at the side stays
        assert view.hasFocus()
        back(card)
        qtbot.waitUntil(lambda: are_alike(stand(window), before))
        settle(window)
    assert (store.session, store.undo_name) == (session, step)


def test_what_was_zoomed_stays_so_and_a_file_says_how_all_cards_stand(window, settle, user) -> None:
    view = window.workbench.plots["attention"].view
    view.viewport.approach_token(2)
    (seen, *_), area = view.panel_views()[0].vb.viewRange(), window.documents._arranger.area
    user.chooses(window, "View", "Maximise plot")
    settle(window)
    assert plots_of(window) == {"plot.attention"}
    assert view.panel_views()[0].vb.viewRange()[0] == pytest.approx(seen)
    assert names(window.documents._arranger.area) == names(area)
    user.chooses(window, "View", "Maximise plot")
    settle(window)
    assert len(plots_of(window)) == 3


def names(area: Area) -> list[set[str]]:
    return [set(tabs) for tabs in area.places()]


@pytest.mark.slow
def test_closing_floating_or_covering_it_brings_the_others_back(window, settle, qtbot, user) -> None:
    before = plots_of(window)
    card = window.cards["plot.waves"]
    for leave, after in (
        (lambda: click(card, "close"), before - {"plot.waves"}),
        (lambda: click(card, "float"), before),
        (lambda: user.chooses(window, "Near and far", "Similarity"), before - {"plot.attention"} | {"plot.similarity"}),
        (lambda: user.chooses(window, "View", "Reset layout"), before),
    ):
        user.chooses(window, "View", "Reset layout")
        settle(window)
        double_click(card)
        qtbot.waitUntil(lambda: plots_of(window) == {"plot.waves"})
        leave()
        qtbot.waitUntil(lambda after=after: plots_of(window) == after)
        settle(window)


@pytest.mark.slow
def test_a_restart_finds_the_maximised_plot_and_what_stood_behind_it(open_window, settle, qtbot) -> None:
    window = open_window()
    before = stand(window)
    double_click(window.cards["plot.clocks"])
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.clocks"})
    window.close()
    again = open_window()
    qtbot.waitUntil(lambda: plots_of(again) == {"plot.clocks"})
    press(Qt.Key.Key_Escape)  # wherever the keyboard is
    qtbot.waitUntil(lambda: are_alike(stand(again), before))


@pytest.mark.slow
def test_a_resized_window_keeps_it_and_each_arrangement_begins_with_all_cards(window, settle, qtbot, user) -> None:
    double_click(window.cards["plot.attention"])
    for size in ((1000, 700), (1280, 800)):
        window.resize(*size)
        settle(window)
        assert plots_of(window) == {"plot.attention"}
    user.chooses(window, "View", "Compare")
    settle(window)
    assert len(plots_of(window)) == 3
    user.chooses(window, "View", "Explore")
    settle(window)
    assert len(plots_of(window)) == 3


@pytest.mark.slow
def test_a_letter_that_is_typed_is_no_key(window, settle) -> None:
    window.workbench.tokens.text_edit.setFocus()
    before = plots_of(window)
    press(Qt.Key.Key_F)
    settle(window)
    assert plots_of(window) == before


# --- Many pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_of_small_cells_takes_the_lower_plots_as_tabs_until_it_is_left(
    open_window, settle, qtbot, user
) -> None:
    window = open_window()
    before = plots_of(window)
    sweep = window.cards["plot.sweep"]
    user.chooses(window, "Encoding", "Sweep")
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.sweep"})
    settle(window)
    assert tabs_of(sweep) == ["Attention", "Sweep", "Waves", "Clocks"]
    clocks = window.cards["plot.clocks"]
    choose_tab(sweep, "Clocks")
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.clocks"})  # a tab has the room that it was pressed in
    settle(window)
    assert tabs_of(clocks) == ["Attention", "Sweep", "Waves", "Clocks"]
    choose_tab(clocks, "Sweep")
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.sweep"})
    choose_tab(sweep, "Attention")
    qtbot.waitUntil(lambda: plots_of(window) == before)
    choose_tab(window.cards["plot.attention"], "Sweep")
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.sweep"})
    click(sweep, "restore")
    qtbot.waitUntil(lambda: plots_of(window) == before - {"plot.attention"} | {"plot.sweep"})
    window.workbench.store.propose(text="the cat and the dog")
    settle(window)
    assert plots_of(window) == before - {"plot.attention"} | {"plot.sweep"}  # who took the room back keeps it
    choose_tab(sweep, "Attention")
    choose_tab(window.cards["plot.attention"], "Sweep")
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.sweep"})
    window.close()
    again = open_window()
    qtbot.waitUntil(lambda: plots_of(again) == {"plot.sweep"})
    click(again.cards["plot.sweep"], "restore")
    settle(again)
    assert plots_of(again) == before - {"plot.attention"} | {"plot.sweep"}


@pytest.mark.slow
def test_what_find_opens_stays_in_front_of_a_sweep_that_comes_back(open_window, settle, qtbot, user) -> None:
    window = open_window()
    user.chooses(window, "Encoding", "Sweep")
    qtbot.waitUntil(lambda: plots_of(window) == {"plot.sweep"})
    for typed, plot in (("waves", "waves"), ("RoPE", "waves"), ("frequencies", "frequencies")):
        QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(QApplication.focusWidget(), typed)
        press(Qt.Key.Key_Return)
        settle(window)
        card = window.cards[f"plot.{plot}"]
        assert card.in_view
        assert card.isAncestorOf(QApplication.focusWidget())
    assert window.workbench.in_front[0] == "frequencies"
