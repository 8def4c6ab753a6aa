"""What the screen costs: `python benchmarks/drawing.py [FRAMES]`.

Of one map of 6, 20, 64 and 512 tokens on a side: an update, from a figure that is there to its last pixel, and the same of
matplotlib's `imshow` (`set_data`, then `draw`, Agg, as many pixels) in turns with it, with the ratio of the two. Then a step
of panning, one of zooming, and a move of the pointer, of these maps and of 16 curves of 512 points at the pens that they have
at rest. Medians, and 95th percentiles behind them, in milliseconds; a frame has 16.7. Cards of 480 × 480 pixels, curves in one
of 560 × 300.

What counts is the processor's time of this thread, in which all of it is done: so long it takes where nothing else runs.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from drag import Paints
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QGraphicsView

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Lines, Series
from posenc_gui.foundation.theme import LIGHT
from posenc_gui.render.screen import FigureView

SIZES = 6, 20, 64, 512
SIDE = 480  # pixels
CURVES, POINTS = 16, 512


class Screen:
    """A view on the screen that is painted at once."""

    def __init__(self, figure: Figure, width: int, height: int) -> None:
        self.view = FigureView(LIGHT)
        self.view.resize(width, height)
        self.view.show_figure(figure)
        self.view.pointed.connect(lambda pointer, _words: self.view.show_pointer(pointer))
        self.view.show()
        self._paints = Paints()
        self.view.findChild(QGraphicsView).viewport().installEventFilter(self._paints)
        for _ in range(3):
            QApplication.processEvents()
        self.box = self.view.panel_views()[0].vb

    def painted(self, act: Callable[[], object]) -> None:
        """Do something, and run the event loop until it is seen."""
        before = self._paints.count
        act()
        while self._paints.count == before:
            QApplication.processEvents()

    def point(self, share: float) -> None:
        """Move the pointer to a share of the way from the upper left to the lower right of the plot's middle half; paint all."""
        place = self.view.panel_views()[0].sceneBoundingRect()
        inner = place.adjusted(place.width() / 4, place.height() / 4, -place.width() / 4, -place.height() / 4)
        at = inner.topLeft() + QPointF(share * inner.width(), share * inner.height())
        graphics = self.view.findChild(QGraphicsView)
        graphics.scene().sigMouseMoved.emit(at)
        graphics.viewport().repaint()


def main() -> None:
    """Measure and print."""
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    _app = QApplication([])
    print(f"{'map':>6} {'update':>16} {'matplotlib':>12} {'ratio':>6} {'pan':>16} {'zoom':>16} {'pointer':>16}")
    for count in SIZES:
        print(row(count, frames))
    pan, zoom, pointed = (told(times).strip() for times in moves(Screen(of_curves(), 560, 300), frames))
    print(f"{CURVES} curves of {POINTS} points: pan {pan}, zoom {zoom}, pointer {pointed}")


def row(count: int, frames: int) -> str:
    """One size of maps, ours and the other's in turns."""
    figures = [of_map(count, seed) for seed in range(8)]
    screen, peer = Screen(figures[0], SIDE, SIDE), Peer(figures[0])
    ours, theirs = [], []
    for figure in islice(cycle([*figures[1:], figures[0]]), frames):
        ours.append(timed(partial(screen.painted, partial(screen.view.show_figure, figure))))
        theirs.append(timed(partial(peer.show, figure)))
    ratio = np.median(theirs) / np.median(ours)
    return (
        f"{count:5}² {told(ours)} {np.median(theirs):12.1f} {ratio:6.1f} {' '.join(map(told, moves(screen, frames)))}"
    )


def moves(screen: Screen, frames: int) -> tuple[list[float], list[float], list[float]]:
    """The times of steps of panning to and fro, of zooming in and out, and of the pointer where all is shown."""
    shares = islice(cycle(np.linspace(0, 1, 6)), frames)
    pointed = [timed(partial(screen.point, share)) for share in shares]
    screen.box.scaleBy((0.5, 0.5))
    part = 0.02 * screen.box.viewRect().width()
    ways = list(islice(cycle((1, 1, 1, -1, -1, -1)), frames))
    pan = [timed(partial(screen.painted, partial(screen.box.translateBy, x=way * part))) for way in ways]
    zoom = [timed(partial(screen.painted, partial(screen.box.scaleBy, (1 + way * 0.02,) * 2))) for way in ways]
    return pan, zoom, pointed


class Peer:
    """The same map by matplotlib."""

    def __init__(self, figure: Figure) -> None:
        drawing = Drawing(figsize=(SIDE / 100, SIDE / 100), dpi=100)
        self._canvas = FigureCanvasAgg(drawing)
        axes = drawing.add_subplot()
        (panel,) = figure.panels
        assert isinstance(panel, Heatmap)
        self._image = axes.imshow(panel.values, vmin=0, vmax=1)
        if len(panel.values) == SIZES[0]:
            axes.set_xticks(range(SIZES[0]), panel.columns.labels)
            axes.set_yticks(range(SIZES[0]), panel.rows.labels)
        drawing.colorbar(self._image)
        self._canvas.draw()

    def show(self, figure: Figure) -> None:
        """Draw another one's numbers."""
        (panel,) = figure.panels
        assert isinstance(panel, Heatmap)
        self._image.set_data(panel.values)
        self._canvas.draw()


def of_map(count: int, seed: int) -> Figure:
    """One map, with a word at each row and column."""
    values = np.random.default_rng(seed).random((count, count), dtype=np.float32)
    rows, columns = (Axis(role, role, labels=tuple(f"word{at}" for at in range(count))) for role in ("query", "key"))
    return Figure("map", "Map", (Heatmap("a map", "weight", values, rows, columns, 0.0, 1.0),))


def of_curves() -> Figure:
    """Waves of several lengths."""
    x = np.linspace(0, POINTS - 1, POINTS)
    series = tuple(Series(f"dim {one}", x, np.sin(x / (4 + 3 * one))) for one in range(CURVES))
    return Figure("curves", "Curves", (Lines("curves", "value", series, Axis("position", "position"), -1.0, 1.0),))


def timed(act: Callable[[], object]) -> float:
    """Milliseconds of this thread."""
    start = time.thread_time()
    act()
    return 1000 * (time.thread_time() - start)


def told(times: list[float]) -> str:
    """Their median, and the 95th percentile."""
    return f"{np.median(times):6.1f} ({np.percentile(times, 95):.1f})".rjust(16)


if __name__ == "__main__":
    main()
