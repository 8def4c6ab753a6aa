"""The place below the map shows the encoding's own picture, whatever is chosen, unless the user has put another plot there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import posenc_gui as pe
from posenc_gui.app.state.settings import VERSION, Memory, SavedLayouts
from posenc_gui.figure.axis import Pointer
from posenc_gui.plots import own_picture

pytestmark = pytest.mark.one_window

OF_EACH_DOOR = "rope", "alibi", "learned", "shaw", "sinusoidal"


def picture(encoding: str) -> str:
    return own_picture(pe.Session(encoding=encoding).scene)


def in_view(window) -> set[str]:
    return {name.removeprefix("plot.") for name, card in window.cards.items() if "plot." in name and card.in_view}


def place(window, plot: str) -> tuple[int, ...]:
    return window.cards[f"plot.{plot}"].geometry().getRect()


@pytest.mark.slow
def test_it_follows_each_choice_and_undo_in_the_same_place_and_takes_no_keyboard(window, settle) -> None:
    store, stood = window.workbench.store, place(window, picture("sinusoidal"))
    window.workbench.encoding.choice.setFocus()
    for name in OF_EACH_DOOR:
        store.propose(encoding=name)
        settle(window)
        assert in_view(window) == {"attention", "waves", picture(name)}
        assert place(window, picture(name)) == stood
        assert QApplication.focusWidget() is window.workbench.encoding.choice
    while store.undo_name:
        store.undo()
        settle(window)
        shown = picture(store.session.encoding.name)
        assert in_view(window) == {"attention", "waves", shown}
        assert place(window, shown) == stood


@pytest.mark.slow
def test_another_plot_that_was_put_there_stays(window, settle) -> None:
    clocks = window.cards[f"plot.{picture('sinusoidal')}"]
    window.tabifyDockWidget(clocks, window.cards["plot.row"])
    window.cards["plot.row"].bring()
    clocks.close()
    settle(window)
    for name in OF_EACH_DOOR:
        window.workbench.store.propose(encoding=name)
        settle(window)
        assert in_view(window) == {"attention", "waves", "row"}


@pytest.mark.slow
def test_it_follows_what_was_chosen_elsewhere_and_while_it_has_all_the_room(window, settle, qtbot) -> None:
    store = window.workbench.store
    window.cards["plot.waves"].close()  # so that the layout is the user's own
    store.propose(other="rope")
    qtbot.waitUntil(lambda: "frequencies" in in_view(window))
    store.propose(encoding="alibi")
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: in_view(window) == {"attention", picture("alibi")})
    settle(window)
    assert in_view(window) == {"attention", picture("alibi")}
    window.cards[f"plot.{picture('alibi')}"].take_keyboard()
    window.findChild(QAction, "maximise").trigger()
    settle(window)
    assert in_view(window) == {picture("alibi")}
    store.propose(encoding="sinusoidal")
    settle(window)
    assert in_view(window) == {picture("sinusoidal")}
    QTest.keyClick(window, Qt.Key.Key_Escape)
    settle(window)
    assert in_view(window) == {"attention", picture("sinusoidal")}


@pytest.mark.slow
def test_a_pressed_row_opens_its_slopes_over_the_waves_until_escape_where_the_map_has_no_room_for_them(
    window, qtbot, settle
) -> None:
    store, shown, stood = window.workbench.store, in_view(window), place(window, "waves")
    store.propose(plots={"attention": {"row": True}})
    settle(window)
    window.workbench.clicked.emit("attention", Pointer((("query", 3),)))
    settle(window)
    assert in_view(window) == shown - {"waves"} | {"slopes"}
    assert store.session.focus == 3
    assert place(window, "slopes") == stood
    QTest.keyClick(window, Qt.Key.Key_Escape)
    settle(window)
    assert in_view(window) == shown
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: len(window.workbench.plots["attention"].view.panel_views()) == 3)
    window.workbench.clicked.emit("attention", Pointer((("query", 2),)))
    settle(window)
    assert in_view(window) == shown  # they are in the map's card


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["sinusoidal", "rope", "alibi", "learned", "shaw"])
def test_a_pressed_cell_is_explained_over_the_own_picture_until_escape_unless_it_brings_out_hands(
    window, settle, encoding
) -> None:
    window.workbench.store.propose(encoding=encoding)
    settle(window)
    shown = in_view(window)
    explained = shown - {picture(encoding)} | {"why"}
    for key, then in ((3, shown if encoding == "rope" else explained), (3, explained)):
        window.workbench.clicked.emit("attention", Pointer((("query", 2), ("key", key))))
        settle(window)
        assert in_view(window) == then
    QTest.keyClick(window, Qt.Key.Key_Escape)
    settle(window)
    assert in_view(window) == shown


@pytest.mark.slow
@pytest.mark.own_window
@pytest.mark.parametrize("is_changed", [False, True], ids=["as it was", "changed"])
def test_a_layout_of_an_earlier_version_has_its_cards_under_their_present_names(
    open_window, settle, tmp_path, is_changed
) -> None:
    window = open_window()
    cards = {name: window.cards[f"plot.{name}"] for name in ("attention", "waves", "clocks")}
    window.splitDockWidget(cards["clocks"], cards["waves"], Qt.Orientation.Horizontal)
    window.splitDockWidget(cards["waves"], cards["clocks"], Qt.Orientation.Horizontal)
    if is_changed:
        window.splitDockWidget(cards["attention"], window.cards["plot.row"], Qt.Orientation.Horizontal)
        window.cards["plot.row"].show()
    settle(window)
    places = {name: place(window, name) for name in in_view(window)}
    window.close()
    memory = Memory(tmp_path / "memory")
    kept = memory.take_arrangement()
    states = {name: _renamed(state, "clocks", "dials") for name, state in kept.qt_states.items()}
    memory.keep_arrangement(SavedLayouts.of(VERSION, kept.qt_geometry, kept.at, states, headline=kept.headline))
    again = open_window()
    settle(again)
    assert again.cards["plot.waves"].y() < again.cards["plot.clocks"].y() or is_changed
    assert {name: place(again, name) for name in in_view(again)} == places or not is_changed


def _renamed(state: bytes, name: str, other: str) -> bytes:
    def written(name: str) -> bytes:
        letters = f"plot.{name}".encode("utf-16-be")
        return bytes((0, 0, 0, len(letters))) + letters

    assert written(name) in state
    return state.replace(written(name), written(other))
