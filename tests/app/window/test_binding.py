"""The Qt binding: faults of a release that no care in this project can make good."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLabel

CALLS = 2_000


class Emitter(QObject):
    """Emits a signal."""

    fired = Signal()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None and True are immortal from Python 3.12 on")
def test_a_void_call_of_qt_keeps_the_count_of_none_and_true(qtbot) -> None:
    """PySide6 6.12.0 on Python 3.11 loses one reference each call, until the interpreter aborts."""
    label, emitter = QLabel(), Emitter()
    qtbot.addWidget(label)
    calls = (lambda: label.setText("a"), lambda: label.setEnabled(True), label.update, emitter.fired.emit)
    for kept in (None, True, False):
        for call in calls:
            before = sys.getrefcount(kept)
            for _ in range(CALLS):
                call()
            assert sys.getrefcount(kept) > before - CALLS / 2
