"""Garbage is collected in the window's own time: on its thread, and never by the thread that computes."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from functools import _lru_cache_wrapper
from threading import Thread, current_thread, main_thread

import pytest
from cachetools import LRUCache
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QTabBar
from shiboken6 import isValid

from posenc_gui.app.window.application import GarbageTimer
from posenc_gui.app.window.main_window import MainWindow
from tools.attack.growth import edits

OF_THE_TEST = {"Counter", "tuple", "Record", "_Context"}  # what it makes itself, and pytest-qt's messages


class Ring:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.me = self


def test_garbage_goes_while_the_window_rests_on_its_own_thread_and_while_it_starts_nobody_looks_for_any(
    qapp, garbage_timer, open_window, qtbot
) -> None:
    threads = list[Thread]()

    def note(_phase: str, _info: object) -> None:
        threads.append(current_thread())

    garbage_timer.stop()  # that of the other tests
    gc.enable()  # as Python begins
    timer = GarbageTimer(qapp, lambda: window.busy)
    gc.callbacks.append(note)
    try:
        window = open_window()
        assert not gc.isenabled()  # what computes was imported meanwhile
        timer.begin()
        ring = weakref.ref(Ring())
        window.workbench.store.propose(text="dog bites man", encoding="rope")
        qtbot.waitUntil(lambda: ring() is None)
    finally:
        gc.callbacks.remove(note)
        timer.stop()
        gc.unfreeze()
        garbage_timer.start()
    assert {*threads} == {main_thread()}


def test_no_tab_bar_is_kept_that_is_gone(window, settle) -> None:
    before = gone_tab_bars()
    for place in ("go.compare", "go.explore") * 3:
        window.findChild(QAction, place).trigger()
        settle(window)
        focus_tab_bar(window)
        card = next(card for name, card in window.cards.items() if name.startswith("plot.") and card.in_view)
        for show in (card.close, card.bring):
            show()
            settle(window)
    assert gone_tab_bars() == before


def focus_tab_bar(window: MainWindow) -> None:
    """Give the keyboard to one of Qt's tab bars, where Qt puts it if the card that had it goes."""
    bar = next(one for one in QApplication.allWidgets() if type(one) is QTabBar and one.parent() is window)
    bar.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    bar.show()
    bar.setFocus()


def gone_tab_bars() -> int:
    gc.collect()
    return sum(type(one) is QTabBar and not isValid(one) for one in gc.get_objects())


@pytest.mark.slow
def test_no_kind_of_object_grows_with_each_round_of_edits_beside_what_is_remembered_with_a_bound(
    window, settle
) -> None:
    store, first = window.workbench.store, window.workbench.store.session
    alive = list[Counter[str]]()
    for number in range(0, 50, 10):  # of which all open the same cards
        for _ in edits(window, number):
            settle(window)
        store.replace(first)
        settle(window)
        store.begin(first)
        alive.append(kinds_alive())
    found = {kind: [kinds[kind] for kinds in alive[1:]] for kind in alive[-1] if kind not in OF_THE_TEST}
    assert {kind: counts for kind, counts in found.items() if counts == sorted({*counts})} == {}


def kinds_alive() -> Counter[str]:
    """How many objects of each kind are alive once all that is remembered with a bound is forgotten."""
    gc.unfreeze()
    for one in gc.get_objects():
        if type(one) is LRUCache:
            one.clear()
        elif type(one) is _lru_cache_wrapper and one.cache_info().maxsize:
            one.cache_clear()
    gc.collect()
    return Counter(type(one).__qualname__ for one in gc.get_objects())
