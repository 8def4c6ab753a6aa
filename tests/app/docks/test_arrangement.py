"""The arrangement of cards: kept from start to start, never in the way of one."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest
from hands import LEFT, banner, choose_arrangement, choose_tab, figure_of, tabs_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTabBar, QToolButton

import posenc_gui as pe
from posenc_gui.app.docks import layouts
from posenc_gui.app.state.settings import VERSION, Memory, SavedLayouts
from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.figure.runs import quote_runs
from posenc_gui.labs.definition import lab_library
from posenc_gui.plots import plots

pytestmark = pytest.mark.one_window


def arrangement(window) -> dict[str, tuple[bool, bool, tuple[str, ...]]]:
    """Of each card: whether it is hidden, whether it floats, and with which others it shares a place."""
    return {
        name: (
            card.isHidden() and not window.tabifiedDockWidgets(card),
            card.isFloating(),
            tuple(sorted(other.objectName() for other in window.tabifiedDockWidgets(card))),
        )
        for name, card in window.cards.items()
    }


def close_card(card) -> None:
    QTest.mouseClick(card.findChild(QToolButton, "close"), LEFT)


def float_card(card) -> None:
    QTest.mouseClick(card.findChild(QToolButton, "float"), LEFT)


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "memory" / "arrangement.json"


@pytest.fixture
def fitting(open_window):
    """A window that fits on the screen: Qt makes others smaller when it restores them."""
    open_window().close()
    return open_window()


@pytest.mark.slow
def test_a_restart_finds_cards_floating_hidden_and_tabbed_as_they_were_left_and_all_sizes(
    open_window, fitting, settle
) -> None:
    default, card = arrangement(fitting), fitting.cards["plot.attention"]
    close_card(fitting.cards["plot.clocks"])
    float_card(card)
    fitting.tabifyDockWidget(fitting.cards["tokens"], fitting.cards["model"])
    card.resize(500, 410)
    settle(fitting)
    left, sizes = arrangement(fitting), (fitting.size(), card.size())
    assert left != default
    assert (card.width(), card.height()) == (500, 410)
    fitting.close()
    again = open_window()
    assert arrangement(again) == left
    assert not again.cards["plot.clocks"].isVisible()
    assert again.cards["plot.attention"].isFloating()
    assert (again.size(), again.cards["plot.attention"].size()) == sizes


@pytest.mark.slow
def test_resetting_brings_the_first_cards_back_and_closes_the_others(open_window, user) -> None:
    window = open_window()
    default = arrangement(window)
    first = {name for name, card in window.cards.items() if card.isVisible()}
    assert {"tokens", "encoding", "plot.attention", "plot.waves"} <= first < set(window.cards)
    user.chooses(window, "Order lost and found", "Two orders")
    assert window.cards["plot.equivariance"].in_view
    for card in window.cards.values():
        if not card.isHidden():
            close_card(card)
    assert not any(card.isVisible() for card in window.cards.values())
    user.chooses(window, "View", "Reset layout")
    assert arrangement(window) == default
    assert {name for name, card in window.cards.items() if card.isVisible()} == first
    float_card(window.cards["plot.attention"])
    user.chooses(window, "View", "Reset layout")
    assert arrangement(window) == default


def test_a_closed_card_comes_back_from_the_menu_with_the_present_picture(window, user) -> None:
    close_card(window.cards["plot.waves"])
    user.pastes(window, "while it was away")
    user.chooses(window, "Encoding", "Waves")
    assert window.cards["plot.waves"].isVisible()
    (lines,) = figure_of(window, "waves").panels
    assert lines.x.labels == ("while", "it", "was", "away")


@pytest.mark.slow
def test_a_card_that_was_floated_and_docked_again_has_the_width_that_it_had(window, settle) -> None:
    def widths() -> dict[str, int]:
        return {name: card.width() for name, card in window.cards.items() if card.in_view}

    window.resize(1366, 768)
    settle(window)
    before = widths()
    for _ in range(2):
        float_card(window.cards["plot.clocks"])
        settle(window)
    assert widths() == before


@pytest.mark.slow
def test_a_plot_that_is_closed_at_first_opens_in_the_large_place_and_what_stood_there_becomes_a_tab(
    open_window, user
) -> None:
    window = open_window()
    first = {name for tabs in layouts.first("explore", layouts.Fit(2), window.width()).places() for name in tabs}
    assert first <= set(window.cards)
    others = {f"plot.{name}" for name in plots()} - first
    for name in Random(3).sample(sorted(others), 4):
        for _ in range(2):  # the same command never closes it
            user.chooses(window, plots()[name.removeprefix("plot.")].group, window.cards[name].windowTitle())
            assert window.cards[name].in_view
        assert window.cards[layouts.MAP] in window.tabifiedDockWidgets(window.cards[name])


# --- The file ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_arrangement_is_out_of_its_folder_while_it_is_tried_and_back_afterwards(open_window, qtbot, file) -> None:
    open_window().close()
    assert file.exists()
    window = MainWindow(Memory(file.parent))
    qtbot.addWidget(window)
    assert not file.exists()  # a crash now would not meet it again
    window.show()
    qtbot.waitUntil(file.exists)
    assert SavedLayouts.read(json.loads(file.read_bytes())).intact(VERSION)


@pytest.mark.slow
def test_a_window_that_closes_before_its_parts_are_there_leaves_the_arrangement_as_it_was(open_window, file) -> None:
    open_window().close()
    content = file.read_bytes()
    MainWindow(Memory(file.parent)).close()
    assert file.read_bytes() == content


def flipped(content: bytes) -> bytes:
    """One bit inside Qt's own bytes."""
    kept = json.loads(content)
    (name, state), *others = kept["states"]
    kept["states"] = [(name, state[:40] + chr(ord(state[40]) ^ 1) + state[41:]), *others]
    return json.dumps(kept).encode()


def other_version(content: bytes) -> bytes:
    """Whole, but of a window with other cards."""
    kept = SavedLayouts.read(json.loads(content))
    return written(SavedLayouts.of(VERSION + 1, kept.qt_geometry, kept.at, kept.qt_states))


def written(arrangement: SavedLayouts) -> bytes:
    return json.dumps(asdict(arrangement)).encode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "a bit flipped": flipped,
    "another version": other_version,
    "no JSON": lambda content: b"\x00\xff not JSON",
    "another file's JSON": lambda content: b'{"theme": "dark"}',
    "a list": lambda content: b"[1, 2, 3]",
    "not base64": lambda content: written(SavedLayouts(VERSION, "?", "lab", (("lab", "?"),), "?")),
    "nested deeply": lambda content: b'{"states": ' + b"[" * 100_000,
}


@pytest.mark.slow
def test_a_damaged_arrangement_is_ignored_and_the_window_starts_as_new(open_window, file) -> None:
    first = open_window()
    default = arrangement(first)
    close_card(first.cards["plot.waves"])
    first.close()
    file.write_bytes(flipped(file.read_bytes()))
    second = open_window()
    assert arrangement(second) == default
    second.close()
    assert SavedLayouts.read(json.loads(file.read_bytes())).intact(VERSION)


@pytest.mark.slow
def test_every_single_bit_of_the_file_counts_and_no_damaged_one_is_taken(open_window, file) -> None:
    """No change of the file reaches Qt, which can crash on bytes that it didn't write."""
    open_window().close()
    content, memory = file.read_bytes(), Memory(file.parent)
    whole = SavedLayouts.read(json.loads(content))
    for index in range(0, len(content), 7):
        file.write_bytes(content[:index] + bytes([content[index] ^ 1 << index % 8]) + content[index + 1 :])
        found = memory.take_arrangement(VERSION)
        assert found is None or found == whole
    for kind, damage in DAMAGES.items():
        file.write_bytes(damage(content))
        assert memory.take_arrangement(VERSION) is None, kind


# --- Headers, which are the handles -----------------------------------------------------------------------------------


def double_click_title(card) -> None:
    title = card.titleBarWidget()
    QTest.mouseDClick(title, LEFT, pos=QPoint(20, title.height() // 2))
    QTest.mouseRelease(title, LEFT, pos=QPoint(20, title.height() // 2))


@pytest.mark.slow
def test_a_card_floats_in_the_desktops_frame_and_a_double_click_on_its_title_docks_it_again(window, qtbot) -> None:
    card = window.cards["plot.waves"]
    float_card(card)
    qtbot.waitUntil(lambda: card.isFloating() and not card.windowFlags() & Qt.WindowType.FramelessWindowHint)
    assert card.isVisible()
    double_click_title(card)
    assert not card.isFloating()
    assert card.isVisible()


@pytest.mark.slow
def test_a_floating_card_is_docked_by_its_title_where_it_is_dropped(window, qtbot) -> None:
    """Dropped on another, it tabs; what moves it by the desktop's frame docks it nowhere."""
    card, other = window.cards["plot.waves"], window.cards["plot.clocks"]
    float_card(card)
    qtbot.waitUntil(lambda: not card.windowFlags() & Qt.WindowType.FramelessWindowHint)
    card.move(other.mapToGlobal(QPoint(0, 0)))
    QApplication.processEvents()
    assert card.isFloating()
    title = card.titleBarWidget()
    QTest.mousePress(title, LEFT, pos=QPoint(40, 12))
    target = other.mapToGlobal(other.rect().center())
    for step in (QPoint(60, 30), QPoint(5, 5), QPoint(0, 0)):
        QTest.mouseMove(card, card.mapFromGlobal(target + step))
        QApplication.processEvents()
    QTest.mouseRelease(card, LEFT, pos=card.mapFromGlobal(target))
    qtbot.waitUntil(lambda: not card.isFloating())
    assert other in window.tabifiedDockWidgets(card)


@pytest.mark.slow
def test_a_tabbed_card_says_its_title_once(open_window, settle, qtbot) -> None:
    window = open_window()
    waves, clocks = window.cards["plot.waves"], window.cards["plot.clocks"]

    def titles(card) -> list[str]:
        labels = [one.text() for one in card.titleBarWidget().findChildren(QLabel) if one.isVisible()]
        return [text for text in labels if text == card.windowTitle()]

    assert titles(waves) == ["Waves"]
    window.tabifyDockWidget(clocks, waves)
    for front in (waves, clocks):
        front.raise_()
        qtbot.waitUntil(lambda front=front: front.in_view and titles(front) == [])
    float_card(clocks)
    qtbot.waitUntil(lambda: titles(waves) == ["Waves"] and titles(clocks) == ["Clocks"])


# --- The arrangements ---------------------------------------------------------------------------------------------------


def chosen(window) -> list[str]:
    return [one.text() for one in window.findChildren(QPushButton, "choice") if one.isChecked()]


@pytest.mark.slow
def test_each_arrangement_keeps_what_the_user_changed_and_a_press_takes_it_back(open_window, settle) -> None:
    window = open_window()
    first = {}
    for title in ("Explore", "Compare", "Lab"):
        choose_arrangement(window, title)
        settle(window)
        first[title] = arrangement(window)
        close_card(window.cards["plot.waves"])
        changed = arrangement(window)
        choose_arrangement(window, "Explore" if title != "Explore" else "Lab")
        settle(window)
        choose_arrangement(window, title)
        settle(window)
        assert arrangement(window) == changed, title
    window.close()
    again = open_window()
    assert chosen(again) == ["Lab"]
    for title in ("Lab", "Compare", "Explore"):
        if chosen(again) != [title]:
            choose_arrangement(again, title)
        settle(again)
        assert again.cards["plot.waves"].isHidden(), title
        choose_arrangement(again, title)  # the one that is there already
        settle(again)
        assert arrangement(again) == first[title], title


def dotted(window) -> list[str]:
    return [one.text() for one in window.findChildren(QPushButton, "choice") if "press again" in one.toolTip()]


@pytest.mark.slow
def test_a_changed_arrangement_says_so_and_its_restoring_is_told_and_taken_back(open_window, settle, qtbot) -> None:
    window = open_window()
    choose_arrangement(window, "Explore")
    settle(window)
    assert banner(window) == ""  # nothing was changed, so nothing was restored
    assert dotted(window) == []
    first = arrangement(window)
    close_card(window.cards["plot.waves"])
    float_card(window.cards["plot.clocks"])
    settle(window)
    changed = arrangement(window)
    assert dotted(window) == ["Explore"]
    for elsewhere in (False, True):
        choose_arrangement(window, "Explore")
        qtbot.waitUntil(lambda: banner(window) == "Explore layout reset.")
        assert arrangement(window) == first
        assert dotted(window) == []
        if elsewhere:
            choose_arrangement(window, "Lab")
            settle(window)
        undo = next(one for one in window.messages.findChildren(QToolButton) if one.text() == "Undo")
        QTest.mouseClick(undo, LEFT)
        if elsewhere:
            choose_arrangement(window, "Explore")
        settle(window)
        assert arrangement(window) == changed
        assert dotted(window) == ["Explore"]


@pytest.mark.slow
def test_a_lab_s_cards_are_restored_by_its_arrangement_s_name(window, settle) -> None:
    window.labs.desk.begin(lab_library.labs()[3])
    settle(window)
    first = arrangement(window)
    close_card(next(card for name, card in window.cards.items() if name.startswith("plot.") and card.in_view))
    choose_arrangement(window, "Lab")
    settle(window)
    assert arrangement(window) == first


@pytest.mark.slow
def test_compare_is_there_while_the_session_holds_two_encodings(window, settle) -> None:
    store = window.workbench.store
    choose_arrangement(window, "Compare")
    settle(window)
    assert (chosen(window), store.session.other.name) == (["Compare"], "rope")
    store.undo()
    settle(window)
    assert chosen(window) == ["Explore"]
    store.replace(store.session.changed(encoding="rope", other="alibi"))
    settle(window)
    assert chosen(window) == ["Compare"]
    choose_arrangement(window, "Explore")
    settle(window)
    assert (chosen(window), store.session.other) == (["Explore"], None)
    choose_arrangement(window, "Compare")
    assert store.session.other.name == "alibi"  # what was compared last
    settle(window)


@pytest.mark.own_window  # a shared one remembers what was compared last
@pytest.mark.slow
def test_an_other_encoding_that_the_model_can_not_take_is_refused_in_a_sentence(window, settle) -> None:
    window.workbench.store.propose(model=pe.ToyModel(d_model=4, n_heads=4))
    settle(window)
    choose_arrangement(window, "Compare")
    assert chosen(window) == ["Explore"]
    assert banner(window).startswith("Not compared: ")


@pytest.mark.slow
@pytest.mark.most(3)
@pytest.mark.parametrize(
    ("size", "n_places"), [((1280, 800), 3), ((1000, 700), 2), ((960, 540), 1), ((2560, 1440), 4), ((3840, 2160), 5)]
)
def test_the_first_layout_fits_the_window_s_size_and_nothing_keeps_it_larger(
    open_window, settle, size, n_places
) -> None:
    window = open_window()
    window.resize(*size)
    for title in ("Compare", "Lab", "Explore"):
        choose_arrangement(window, title)
        settle(window)
        assert (window.width(), window.height()) == size, title
    plots_in = {
        frozenset((card, *window.tabifiedDockWidgets(card)))
        for name, card in window.cards.items()
        if name.startswith("plot.") and card.in_view
    }
    assert len(plots_in) == n_places


@pytest.mark.slow
def test_a_changed_layout_stays_when_the_window_is_made_smaller(open_window, settle) -> None:
    window = open_window()
    close_card(window.cards["plot.clocks"])
    settle(window)
    window.resize(1000, 700)
    settle(window)
    assert not window.tabifiedDockWidgets(window.cards["plot.waves"])
    assert window.cards["plot.clocks"].isHidden()


# --- Tabs, which stand in the header of the card in front ---------------------------------------------------------------


def test_arrow_keys_on_the_tabs_bring_one_card_after_the_other_and_stay_there(window, user, qtbot) -> None:
    for group, title in (("Encoding", "Angles"), ("Near and far", "Similarity")):
        user.chooses(window, group, title)
    in_place = ["plot.attention", "plot.angles", "plot.similarity"]
    assert tabs_of(window.cards["plot.similarity"]) == ["Attention", "Angles", "Similarity"]
    window.cards["plot.similarity"].findChild(QTabBar, "tabs").setFocus()
    for key, names in ((Qt.Key.Key_Left, in_place[1::-1]), (Qt.Key.Key_Right, in_place[1:])):
        for name in names:
            QTest.keyClick(QApplication.focusWidget(), key)
            qtbot.waitUntil(lambda name=name: window.cards[name].in_view)
            assert window.cards[name].isAncestorOf(QApplication.focusWidget())
    close_card(window.cards["plot.similarity"])
    qtbot.waitUntil(lambda: tabs_of(window.cards["plot.angles"]) == ["Attention", "Angles"])


def calls_to_bring(card) -> int:
    """How many calls of functions it takes to bring a card to the front."""
    counted: Counter[str] = Counter()
    sys.setprofile(lambda _frame, event, _argument: counted.update([event]))
    try:
        card.bring()
        for _ in range(5):
            QApplication.processEvents()
    finally:
        sys.setprofile(None)
    return counted["call"] + counted["c_call"]


@pytest.mark.slow
def test_another_tab_comes_to_the_front_among_all_plots_with_little_more_work_than_among_few(window, settle) -> None:
    few = [window.cards[f"plot.{name}"] for name in ("kernel", "similarity", "waves")]
    cards = [card for name, card in window.cards.items() if layouts.is_plot(name) and name not in layouts.LARGE]
    taken = []
    for opened in (few, cards):
        for card in (*opened, *few):
            card.bring()
            settle(window)
        taken.append(sum(map(calls_to_bring, few)))
    assert taken[1] < 3 * taken[0]  # each of n cards once laid out all n titles, and measured all for each


@pytest.mark.slow
def test_a_tab_is_dragged_out_of_its_place_and_dropped_on_another(window, settle, qtbot) -> None:
    window.resize(1000, 700)
    settle(window)
    waves, clocks, map_ = (window.cards[f"plot.{name}"] for name in ("waves", "clocks", "attention"))
    qtbot.waitUntil(lambda: tabs_of(clocks) == ["Clocks", "Waves"])
    bar = clocks.findChild(QTabBar, "tabs")
    start = bar.tabRect(1).center()
    QTest.mousePress(bar, LEFT, pos=start)
    QTest.mouseMove(bar, start + QPoint(0, 30))
    target = map_.mapToGlobal(map_.rect().center())
    for step in (QPoint(60, 30), QPoint(5, 5), QPoint(0, 0)):
        QTest.mouseMove(waves, waves.mapFromGlobal(target + step))
        QApplication.processEvents()
    QTest.mouseRelease(waves, LEFT, pos=waves.mapFromGlobal(target))
    qtbot.waitUntil(lambda: not waves.isFloating() and sorted(tabs_of(waves)) == ["Attention", "Waves"])
    assert clocks.in_view


@pytest.mark.slow
def test_a_plot_whose_tab_is_pressed_gives_the_window_its_headline(window, settle) -> None:
    window.resize(960, 540)
    settle(window)
    headline, plots_shown = window.findChild(Headline), window.workbench.plots
    for before, title in (("attention", "Waves"), ("waves", "Attention")):
        choose_tab(window.cards[f"plot.{before}"], title)
        settle(window)
        figure = plots_shown[title.lower()].view.figure()
        assert headline.sentence == quote_runs(figure.headline)
