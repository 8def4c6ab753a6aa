"""Two hands in the window: a pair of words that is pointed at, and hands of before."""

from __future__ import annotations

import pytest

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.render.drawings import motion
from posenc_gui.render.drawings.hands import HandsDrawing
from posenc_gui.render.drawings.motion import HandsMotion

pytestmark = pytest.mark.one_window


@pytest.fixture
def view(window, settle):
    window.workbench.store.propose(encoding="rope")
    window.cards["plot.hands"].show()
    window.cards["plot.hands"].raise_()
    settle(window)
    return window.workbench.plots["hands"].view


def drawn(view) -> HandsDrawing:
    found = view.panel_views()[0].drawing()
    assert isinstance(found, HandsDrawing)
    return found


def test_a_pair_of_words_pointed_at_in_the_map_shows_its_hands_until_the_pointer_leaves(view, window):
    before = window.workbench.store.session
    at_rest = drawn(view).rows
    window.workbench.plots["attention"].view.pointed.emit(Pointer((("query", 2), ("key", 1))), "weight")
    assert [drawn(view).panel.keys[row].at for row in drawn(view).rows] == [0, 1]
    window.workbench.plots["attention"].view.pointed.emit(Pointer((("query", 3), ("key", 1))), "weight")
    assert drawn(view).rows == at_rest  # another query's hands aren't those of this picture
    window.workbench.plots["attention"].view.pointed.emit(NOWHERE, "")
    assert drawn(view).rows == at_rest
    assert window.workbench.store.session == before


def test_what_is_pressed_becomes_the_first_row(view, window, settle):
    view.clicked.emit(Pointer((("query", 2), ("key", 5), ("pair", 3))))
    settle(window)
    assert (window.workbench.store.session.focus, window.workbench.store.session.key) == (2, 5)
    assert drawn(view).panel.shown[0].at == 5


@pytest.mark.usefixtures("_at_rest")
def test_from_another_start_hands_turn_past_pale_ones(view, window, settle, monkeypatch):
    for lasts in ("MOVES", "FULL", "FADES"):
        monkeypatch.setattr(motion, lasts, 1e6)
    window.workbench.store.propose(start=100)
    settle(window)
    assert not view.mover.is_at_rest
    stage = view.panel_views()[0].drawing().stage
    assert isinstance(stage.motion, HandsMotion)
    pale = stage.faded(stage.roles.muted)
    clocks = len(drawn(view).rows) * len(drawn(view).panel.pairs)
    assert sum(getattr(part, "colour", "") == pale for part in drawn(view).parts) >= 2 * clocks
