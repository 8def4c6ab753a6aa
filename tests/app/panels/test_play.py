"""Play: the clocks' hands move on by themselves, one step of undo from start to pause."""

from __future__ import annotations

import pytest
from hands import LEFT, bring_forward, figure_of
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from posenc_gui.app.state.playing import advance
from posenc_gui.app.widgets.player import Player
from posenc_gui.session.session import Session

pytestmark = pytest.mark.one_window


@pytest.fixture
def clocks(window, settle):
    """The window with its clocks before the others."""
    bring_forward(window, "clocks")
    settle(window)
    return window


def player_of(window) -> Player:
    (player,) = window.workbench.plots["clocks"].players
    return player


def position_of(window) -> float | None:
    return window.workbench.store.session.plots.clocks.position


def plays_past(window, qtbot, position: float) -> None:
    qtbot.waitUntil(lambda: (position_of(window) or 0) > position)


def test_playing_moves_the_position_on_and_pausing_stops_it(clocks, qtbot, settle) -> None:
    player = player_of(clocks)
    assert position_of(clocks) is None
    assert player.accessibleName() == "Play"
    QTest.mouseClick(player, LEFT)
    assert player.playing
    assert player.accessibleName() == "Pause"
    plays_past(clocks, qtbot, 2.2)  # from the token in focus, 2
    QTest.mouseClick(player, LEFT)
    assert not player.playing
    assert player.accessibleName() == "Play"
    stands = position_of(clocks)
    assert stands == round(stands) >= 2
    settle(clocks)
    assert not player.findChild(QTimer).isActive()
    assert position_of(clocks) == stands
    (panel,) = figure_of(clocks, "clocks").panels
    frequency = clocks.workbench.store.session.encoding.frequencies(64)[0].item()
    (focus,) = (at for at, hand in enumerate(panel.hands) if hand.of == "focus")
    assert panel.angles[0, focus] == pytest.approx(stands * frequency)


def stopped_at(window) -> str:
    """What the button in the card's header says that ends a pause; empty while it isn't shown."""
    button = window.cards["plot.clocks"].findChild(QToolButton, "stopped")
    return button.text() if button.isVisible() else ""


@pytest.mark.slow
def test_a_pause_says_where_it_stays_until_its_button_or_a_token_is_pressed(clocks, qtbot, settle) -> None:
    def play_and_pause() -> None:
        QTest.mouseClick(player_of(clocks), LEFT)
        plays_past(clocks, qtbot, 2.2)
        assert stopped_at(clocks) == ""
        QTest.mouseClick(player_of(clocks), LEFT)
        assert stopped_at(clocks) == f"at {position_of(clocks):g} ×"

    def press_token(position: int) -> None:
        chips = clocks.workbench.tokens.chips
        place = chips.visualRect(chips.model().index(position, 0)).center()
        QTest.mouseClick(chips.viewport(), LEFT, pos=place)
        settle(clocks)

    def hands() -> list[float]:
        return figure_of(clocks, "clocks").panels[0].angles.tolist()

    at_focus = hands()
    play_and_pause()
    QTest.mouseClick(clocks.cards["plot.clocks"].findChild(QToolButton, "stopped"), LEFT)
    settle(clocks)
    assert stopped_at(clocks) == ""
    assert hands() == at_focus
    play_and_pause()
    press_token(4)
    assert stopped_at(clocks) == ""
    assert position_of(clocks) is None
    assert hands() == at_focus  # every word at its own place
    assert clocks.workbench.store.session.focus == 4
    press_token(2)
    play_and_pause()
    press_token(2)  # the one in focus already
    assert (stopped_at(clocks), hands()) == ("", at_focus)


@pytest.mark.slow
def test_playing_is_one_step_of_undo(clocks, qtbot, settle, hurried: None) -> None:
    before, player = clocks.workbench.store.session, player_of(clocks)
    QTest.keyClick(player, Qt.Key.Key_Space)
    beats = []
    clocks.workbench.store.changed.connect(beats.append)
    qtbot.waitUntil(lambda: len(beats) >= 3)
    QTest.keyClick(player, Qt.Key.Key_Space)
    assert clocks.workbench.store.undo_name.startswith("Position automatic → ")
    clocks.workbench.store.undo()
    assert clocks.workbench.store.session == before
    settle(clocks)


def test_while_it_plays_the_other_pictures_stay_the_ones_they_are(clocks, qtbot, settle) -> None:
    def panels() -> dict[str, tuple]:
        shown = {name: panel.view.figure() for name, panel in clocks.workbench.plots.items()}
        return {
            name: figure.panels for name, figure in shown.items() if figure and clocks.cards[f"plot.{name}"].in_view
        }

    before = panels()
    assert {"attention", "clocks"} <= set(before)
    player_of(clocks).click()
    plays_past(clocks, qtbot, 2.1)
    player_of(clocks).click()
    settle(clocks)
    assert {name for name, shown in panels().items() if shown is not before[name]} == {"clocks"}


@pytest.fixture
def moves(qtbot) -> tuple[Player, list[float]]:
    steps: list[float] = []
    player = Player(steps.append, "position")
    qtbot.addWidget(player)
    return player, steps


def test_each_beat_moves_on_and_none_does_after_the_pause(moves) -> None:
    player, steps = moves
    beat = player.findChild(QTimer)
    player.click()
    beat.timeout.emit()
    beat.timeout.emit()
    assert len(steps) == 2
    assert all(step >= 0 for step in steps)
    player.click()
    assert not beat.isActive()


def test_speeds_are_said_in_positions_a_second(moves) -> None:
    box = moves[0].speed
    assert box.currentText() == "2 positions/s"
    assert [box.itemText(at) for at in (0, box.count() - 1)] == ["0.25 positions/s", "8 positions/s"]


@pytest.mark.slow
def test_past_twice_the_sentence_it_begins_again(clocks, qtbot, settle) -> None:
    store, panel = clocks.workbench.store, clocks.workbench.plots["clocks"]
    options = store.session.plots.clocks.model_copy(update={"position": 31.75})
    store.propose(plots=store.session.plots.model_copy(update={"clocks": options}))
    (player,) = panel.players
    player.click()
    qtbot.waitUntil(lambda: position_of(clocks) < 16)
    player.click()
    settle(clocks)


def test_a_position_that_was_chosen_far_out_goes_on_from_there() -> None:
    near, far = (Session(plots={"hands": {"start": start}}) for start in (31.75, 100.0))
    assert advance(near, "hands", "start", 6, 0.5).start == 0.25
    assert advance(far, "hands", "start", 6, 0.5).start == 100.5
