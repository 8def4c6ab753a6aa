"""Garbage is collected in the window's own time: on its thread, and never by the thread that computes."""

from __future__ import annotations

import gc
import weakref
from threading import current_thread, main_thread

import pytest
from hands import choose_arrangement
from PySide6.QtWidgets import QTabBar
from shiboken6 import isValid

from posenc_gui.app.window.application import GarbageTimer


class Ring:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def collects(window):
    timer = GarbageTimer(window)
    timer.begin()
    yield timer
    timer.stop()
    gc.enable()
    gc.unfreeze()


def test_garbage_goes_while_the_window_rests_and_on_no_other_thread(window, collects, qtbot) -> None:
    threads = set()

    def note(phase: str, _info: object) -> None:
        threads.add(current_thread())

    gc.callbacks.append(note)
    try:
        ring = weakref.ref(Ring())
        window.workbench.store.propose(text="dog bites man", encoding="rope")
        qtbot.waitUntil(lambda: ring() is None)
    finally:
        gc.callbacks.remove(note)
    assert threads == {main_thread()}


def test_no_tab_bar_is_kept_that_is_gone(window, settle) -> None:
    before = gone_tab_bars()
    for _ in range(3):
        for place in ("Compare", "Explore"):
            choose_arrangement(window, place)
            settle(window)
    assert gone_tab_bars() == before


def gone_tab_bars() -> int:
    gc.collect()
    return sum(type(one) is QTabBar and not isValid(one) for one in gc.get_objects())
