"""How soon the window paints, as ratios to a bare pyqtgraph window: `python benchmarks/start.py [RUNS]`.

Each run is a process of its own; the two kinds take turns. "painted" is the shell's first paint, "ready" the moment when
torch and everything else is imported and the first session is on its way, "stall" the longest time between two beats of a
5 ms timer from the first paint on.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

BARE = """
import json, sys, time
began = time.perf_counter()
import pyqtgraph as pg
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
class Window(pg.PlotWidget):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, QApplication.quit)
app = QApplication([])
window = Window()
window.plot([1, 2, 3])
window.show()
app.exec()
print(json.dumps({"painted": time.perf_counter() - began}))
"""

OURS = """
import json, tempfile, time
began = time.perf_counter()
from pathlib import Path
from PySide6.QtCore import QTimer, Qt
from PySide6.QtWidgets import QApplication
from posenc_gui.app.settings import Memory
from posenc_gui.app.window import MainWindow
class Window(MainWindow):
    painted = None
    def paintEvent(self, event):
        super().paintEvent(event)
        self.painted = self.painted or time.perf_counter()
app = QApplication([])
app.setStyle("Fusion")
window = Window(Memory(Path(tempfile.mkdtemp())))
beats = []
beat = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
beat.timeout.connect(lambda: beats.append(time.perf_counter()))
beat.start()
ready = []
window.ready.connect(lambda: (ready.append(time.perf_counter()), QTimer.singleShot(500, window.close)))
window.show()
app.exec()
before = [at for at in beats if window.painted < at < ready[0]]
gaps = [later - earlier for earlier, later in zip(before, before[1:])]
filling = min((at for at in beats if at > ready[0]), default=ready[0]) - before[-1]
print(json.dumps({"painted": window.painted - began, "ready": ready[0] - began, "stall": max(gaps), "filling": filling}))
"""


def run(code: str) -> dict[str, float]:
    """One process's figures, in seconds."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, as at a user's
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Print medians of seconds and of ratios, pair by pair."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    run(BARE), run(OURS)
    pairs = [(run(BARE), run(OURS)) for _ in range(runs)]
    print(f"{runs} runs; bare window painted: {statistics.median(bare['painted'] for bare, _ in pairs):.2f} s")
    for name in ("painted", "ready"):
        ratio = statistics.median(ours[name] / bare["painted"] for bare, ours in pairs)
        print(f"{name:8} {statistics.median(ours[name] for _, ours in pairs):.2f} s, {ratio:.2f} of the bare window")
    for name, what in (("stall", "longest pause while loading"), ("filling", "pause while the cards are filled")):
        print(f"{name:8} {1000 * statistics.median(ours[name] for _, ours in pairs):.0f} ms, {what}")


if __name__ == "__main__":
    main()
