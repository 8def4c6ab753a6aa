"""How soon the window paints, as ratios to a bare pyqtgraph window: `python benchmarks/startup.py [RUNS]`.

Each run is a process of its own; the two kinds take turns. "painted" is the shell's first paint, "picture" that of
the map as it was when the last window was closed, "kept" that of its kept figure, under the pointer, "torch" the moment when
torch has computed a first tensor, on the thread that imports it, "ready" that when everything else is imported and the first
session is on its way, "plot" the moment when the map's first picture is painted. "parts", "loading" and "filling" are the
longest times between two beats of a 5 ms timer: while the window's parts are made, until everything is imported, and from
there to the picture.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

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
import importlib, json, sys, time
began = time.perf_counter()
from pathlib import Path
from PySide6.QtCore import QEvent, QObject, QTimer, Qt
from PySide6.QtWidgets import QApplication, QGraphicsView, QLabel
from posenc_gui.app.state.settings import Memory
from posenc_gui.app.window.main_window import MainWindow
seen = {}
def see(name):
    seen.setdefault(name, time.perf_counter())
bring = importlib.import_module
def import_module(name, package=None):
    module = bring(name, package)
    if name == "torch" and "torch" not in seen:
        assert float(module.ones(2) @ module.ones(2)) == 2
        see("torch")
    return module
importlib.import_module = import_module
class Paints(QObject):
    def eventFilter(self, canvas, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, painted)  # once it is done
        return False
def painted():
    if not window.workbench:
        see("kept")
    elif "attention" in window.workbench._drawn and "plot" not in seen:
        see("plot")
        QTimer.singleShot(500, window.close)
paints = Paints()
def watch():
    if "watched" in seen:
        return
    card = window.cards.get("plot.attention")
    picture = card and card.findChild(QLabel, "painted-over")
    if picture and "picture" not in seen:
        picture.repaint()
        see("picture")
    canvas = card and card.findChild(QGraphicsView)
    if canvas:
        see("watched")
        canvas.viewport().installEventFilter(paints)
class Window(MainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        see("painted")
app = QApplication([])
app.setStyle("Fusion")
window = Window(Memory(Path(sys.argv[1])))
beats = []
def look():
    beats.append(time.perf_counter())
    watch()
    if hasattr(window._startup, "status") and window.statusBar().isVisible():
        see("parts")
    if "posenc_gui.labs.definition.lab_library" in sys.modules:
        see("imported")
    if window.workbench and "attention" in window.workbench._drawn:
        painted()  # also where the kept figure is the same, which is not painted anew
beat = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
beat.timeout.connect(look)
beat.start()
window.ready.connect(lambda: see("ready"))
window.show()
app.exec()
def pause(start, end):
    among = [at for at in beats if seen[start] <= at <= seen[end] + 0.1]
    return max(later - earlier for earlier, later in zip(among, among[1:]))
pauses = {"parts": pause("painted", "parts"), "loading": pause("parts", "imported"), "filling": pause("imported", "plot")}
moments = "painted", "picture", "kept", "torch", "ready", "plot"
print(json.dumps({name: seen.get(name, began) - began for name in moments} | pauses))
"""


def run(code: str, *folder: str) -> dict[str, float]:
    """One process's figures, in seconds. folder: where a window keeps what it remembers."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, as at a user's
    done = subprocess.run(
        [sys.executable, "-c", code, *folder], capture_output=True, text=True, check=True, env=environment
    )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Print medians of seconds and of ratios, pair by pair."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        run(BARE), run(OURS, folder), run(OURS, folder)  # the first start keeps what others show
        pairs = [(run(BARE), run(OURS, folder)) for _ in range(runs)]
    print(f"{runs} runs; bare window painted: {statistics.median(bare['painted'] for bare, _ in pairs):.2f} s")
    for name in ("painted", "picture", "kept", "torch", "ready", "plot"):
        ratio = statistics.median(ours[name] / bare["painted"] for bare, ours in pairs)
        print(f"{name:8} {statistics.median(ours[name] for _, ours in pairs):.2f} s, {ratio:.2f} of the bare window")
    for name, what in (
        ("parts", "longest pause while the window's parts are made"),
        ("loading", "while torch and the rest are imported"),
        ("filling", "while the cards are filled, up to the first picture"),
    ):
        print(f"{name:8} {1000 * statistics.median(ours[name] for _, ours in pairs):.0f} ms, {what}")


if __name__ == "__main__":
    main()
