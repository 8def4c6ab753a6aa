"""Garbage of tests with widgets goes as in the real window: on its thread, and never on one that computes."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from posenc_gui.app.window.application import GarbageTimer


@pytest.fixture(scope="package", autouse=True)
def garbage_timer(qapp: QApplication) -> Iterator[GarbageTimer]:
    """Collects for all tests of the folder whose conftest imports this."""
    timer = GarbageTimer(qapp, lambda: False)
    timer.begin()
    yield timer
    timer.stop()
    gc.collect()  # here, before Python does it anywhere
    gc.enable()
