"""How the window keeps up with a drag: `python benchmarks/drag.py [TOKENS] [SECONDS] [PLOT]`.

RoPE's base is changed 62 times a second, with PLOT opened (attention unless given). Printed: how many of the changes were
painted in it, the longest pause of the UI thread (between two beats of a 5 ms timer), and the same pause when nothing
changes, to compare.
"""

from __future__ import annotations

import sys
from functools import partial

from common import longest_pause, open_window, spend
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QGraphicsView

from posenc_gui.app.window.main_window import MainWindow


class Paints(QObject):
    """Counts how often a widget is painted."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count; let everything pass."""
        self.count += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


def main() -> None:
    """Open the window, drag, and print."""
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 4.0
    plot = sys.argv[3] if len(sys.argv) > 3 else "attention"
    with open_window() as window:
        measure(window, tokens, seconds, plot)


def measure(window: MainWindow, tokens: int, seconds: float, plot: str = "attention") -> None:
    """Drag, and print."""
    assert window.workbench
    store = window.workbench.store
    store.propose(text=" ".join(f"word{i % 50}" for i in range(tokens)), encoding="rope")
    window.cards[f"plot.{plot}"].bring()
    spend(2.0)

    edits = []
    paints = Paints()
    canvas = window.workbench.plots[plot].view.findChild(QGraphicsView)
    canvas.viewport().installEventFilter(paints)
    idle = longest_pause(partial(spend, seconds / 2))
    drag = QTimer(interval=16, timerType=Qt.TimerType.PreciseTimer)

    def edit() -> None:
        edits.append(store.propose(encoding=store.session.encoding.model_copy(update={"base": 10_000.0 + len(edits)})))

    drag.timeout.connect(edit)
    paints.count = 0
    drag.start()
    dragging = longest_pause(partial(spend, seconds))
    drag.stop()
    print(f"{tokens} tokens: {paints.count} of {len(edits)} changes painted in {seconds:g} s")
    print(f"longest pause {1000 * dragging:.0f} ms while dragging, {1000 * idle:.0f} ms at rest")


if __name__ == "__main__":
    main()
