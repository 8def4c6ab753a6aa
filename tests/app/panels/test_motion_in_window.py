"""Changes that are seen in the window: which of them move, and the choice to see marks alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QGraphicsView

from posenc_gui.app.widgets.headline_label import Headline
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.render.drawings import motion

pytestmark = pytest.mark.one_window


@pytest.fixture
def lasting(_at_rest, monkeypatch) -> None:
    """What moves hasn't come far when it is looked at."""
    for lasts in ("MOVES", "FULL", "FADES"):
        monkeypatch.setattr(motion, lasts, 1e6)


@pytest.fixture
def change(lasting, window, settle):
    """Change the session, and return whether the map moves; it stays at rest afterwards."""

    def do(**fields: object) -> bool:
        view = window.workbench.plots["attention"].view
        view.mover.finish()
        assert window.workbench.store.propose(**fields) == ""
        settle(window)
        return not view.mover.is_at_rest

    return do


@pytest.mark.slow
def test_encoding_parameter_strength_and_order_are_seen_as_motion_and_nothing_else(window, change):
    store = window.workbench.store
    assert change(encoding="rope")
    assert change(encoding=store.session.encoding.model_copy(update={"base": 50.0}))
    assert change(strength=0.5)
    assert change(order=(1, 0, 2, 3, 4, 5))
    assert not change(focus=3)
    assert not change(text="A dog saw the cat run", order=(), encoding="sinusoidal")
    assert not change(encoding="rope", other="sinusoidal")  # another number of maps
    assert change(other="alibi")
    assert not change(other=None)
    assert not change(text=" ".join(f"w{at}" for at in range(65)))
    assert not change(encoding="alibi")


@pytest.mark.own_window
def test_nothing_moves_while_a_plot_plays(window, change):
    change(encoding="rope")
    (player,) = window.workbench.plots["clocks"].players
    player.setChecked(True)
    assert not change(strength=0.5)
    player.setChecked(False)
    assert change(strength=1.0)


def test_reduced_motion_is_kept_and_leaves_marks_alone(lasting, window, user, settle, open_window, tmp_path):
    def grabbed(seen: MainWindow, strength: float) -> object:
        view = seen.workbench.plots["attention"].view
        view.mover.finish()
        seen.workbench.store.propose(strength=strength)
        settle(seen)
        card = view.findChild(QGraphicsView)
        return card.grab(QRect(0, 0, card.width(), 380)).toImage()  # it comes back as high as it was, or a pixel less

    window.resize(1600, 900)  # the headline has one line, so that it changes no card's height
    window.workbench.store.propose(encoding="rope", strength=0.0)
    settle(window)
    moving = grabbed(window, 1.0)
    grabbed(window, 0.0)
    user.chooses(window, "View", "Reduce motion")
    still = grabbed(window, 1.0)
    assert moving != still
    window.workbench.finish_motion()
    window.close()
    again = open_window()
    again.resize(1600, 900)
    settle(again)
    grabbed(again, 0.0)
    assert grabbed(again, 1.0) == still


def test_the_headline_says_what_was_until_the_mark_is_gone(window, change):
    window.resize(1600, 900)
    change(encoding="rope")
    assert change(encoding="sinusoidal")
    seen = window.findChild(Headline)
    assert " → " in seen.seen
    assert " → " not in seen.sentence  # as screen readers say it
    window.workbench.finish_motion()
    assert " → " not in seen.seen
