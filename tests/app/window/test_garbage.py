"""Garbage is collected in the window's own time: on its thread, and never by the thread that computes."""

from __future__ import annotations

import gc
import weakref
from threading import current_thread, main_thread

import pytest

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
