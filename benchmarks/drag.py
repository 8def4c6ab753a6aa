"""How the window keeps up with a drag: `python benchmarks/drag.py [TOKENS] [SECONDS]`.

RoPE's base is changed 62 times a second. Printed: how many of the changes were shown, the longest pause of the UI thread
(between two beats of a 5 ms timer), and the same pause when nothing changes, to compare.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from posenc_gui.app.settings import Memory
from posenc_gui.app.window import MainWindow


def main() -> None:
    """Open the window, drag, and print."""
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
    app = QApplication([])
    app.setStyle("Fusion")
    window = MainWindow(Memory(Path(tempfile.mkdtemp())))
    wait_for(window.ready, window)
    assert window.workbench
    store = window.workbench.store
    store.propose(text=" ".join(f"word{i % 50}" for i in range(tokens)), encoding="rope")
    spend(2.0)

    shown, edits = [], []
    window.workbench.status.connect(shown.append)
    idle = longest_pause(seconds / 2)
    drag = QTimer(interval=16, timerType=Qt.TimerType.PreciseTimer)

    def edit() -> None:
        edits.append(store.propose(encoding=store.session.encoding.model_copy(update={"base": 10_000.0 + len(edits)})))

    drag.timeout.connect(edit)
    shown.clear()
    drag.start()
    dragging = longest_pause(seconds)
    drag.stop()
    print(f"{tokens} tokens: {len(shown)} of {len(edits)} changes shown in {seconds:g} s")
    print(f"longest pause {1000 * dragging:.0f} ms while dragging, {1000 * idle:.0f} ms at rest")
    window.close()


def longest_pause(seconds: float) -> float:
    """The longest time between two beats of a 5 ms timer."""
    beats = [time.perf_counter()]
    beat = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    beat.timeout.connect(lambda: beats.append(time.perf_counter()))
    beat.start()
    spend(seconds)
    return max(later - earlier for earlier, later in pairwise(beats))


def wait_for(signal: object, window: MainWindow) -> None:
    """Show the window and wait for its signal."""
    loop = QEventLoop()
    signal.connect(loop.quit)
    window.show()
    loop.exec()


def spend(seconds: float) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(int(1000 * seconds), loop.quit)
    loop.exec()


if __name__ == "__main__":
    main()
