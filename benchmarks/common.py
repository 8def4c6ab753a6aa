"""What the benchmarks of the window share: a window with a folder of its own, its event loop, and the pauses of its thread."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from posenc_gui.app.state.settings import Memory
from posenc_gui.app.window.application import TURN, GarbageTimer
from posenc_gui.app.window.main_window import MainWindow


@contextmanager
def open_window(*size: int) -> Iterator[MainWindow]:
    """A window that was started as the real one, of this width and height; it keeps what it keeps in a folder that goes."""
    sys.setswitchinterval(TURN)
    app = QApplication([])
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(Memory(Path(folder)))
        garbage = GarbageTimer(window, lambda: window.busy)
        if size:
            window.resize(*size)
        loop = QEventLoop()
        window.ready.connect(loop.quit)
        window.show()
        loop.exec()
        window.findChild(QAction, "own_arrangement").trigger()  # not the single plot of a first start
        garbage.begin()
        yield window
        window.close()


def spend(seconds: float) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(int(1000 * seconds), loop.quit)
    loop.exec()


def longest_pause(act: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The longest time in seconds between two beats of a 5 ms timer, while something runs the event loop.

    clock: `time.thread_time` counts what the window's thread computes alone, whatever else the machine does.
    """
    beats = [clock()]
    beat = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    beat.timeout.connect(lambda: beats.append(clock()))
    beat.start()
    act()
    return max(later - earlier for earlier, later in pairwise(beats))
