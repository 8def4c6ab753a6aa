"""All curves of a panel, painted in one item, and the dots on them, in another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from posenc_gui.figure.panels import Series
from posenc_gui.render.layout.beside_frames import crosses
from posenc_gui.render.layout.fills import Fill
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.panel_view import MARK, OverlayItem, PixelItem, pen
from posenc_gui.render.screen.told_values import paint_values

WIDTH = 1.75  # pixels of a curve
_BROAD = 5.0  # pixels: the width of a reference curve
_APART = 3.0  # pixels: the width of columns in each of which a long curve keeps its lowest and highest sample
_DOT, _RING = 8.0, 2.0  # pixels across, and of its edge
_FRAME = 13.0  # pixels: the side of the frame around a point that a text speaks of
_INSIDE = _FRAME - 0.5  # pixels from the bounds of dots to the box, less rounding
_LEAST_ROOM = 4.0  # pixels from dot to dot; nearer ones would hide their curve
_OVER = 0.4  # pixels by which segments overlap: a seam shows where two only touch
_FAR = 1e5  # pixels: coordinates are clipped to this

Numbers = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class CurveStroke:
    """A curve to draw: its points in the panel's coordinates, its colour, and the values at its marked points, as text."""

    series: Series
    colour: str
    values: tuple[str, ...] = ()


class Curves(PixelItem):
    """All curves of a panel: fills, then references, then other curves.

    They are drawn as segments with flat ends: one path of the same width takes a hundred times as long.
    """

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._strokes: list[CurveStroke] = []
        self._fills: tuple[Fill, ...] = ()

    def show_curves(self, strokes: Iterable[CurveStroke], fills: tuple[Fill, ...] = ()) -> None:
        """Show these curves over these fills: references first, and each over those before it."""
        self._fills = fills
        self._strokes = sorted(strokes, key=lambda one: not one.series.before)
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the visible part."""
        for fill in self._fills:  # not antialiased: their edges are below the curves
            there, back = _placed(self.box, fill.x, fill.start), _placed(self.box, fill.x, fill.end)[::-1]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(fill.colour))
            painter.drawPolygon(pg.functions.arrayToQPolygonF(*np.concatenate((there, back)).T))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for one in self._strokes:
            painter.setPen(_pen_of(one))
            _draw_segments(painter, self._seen(one.series))

    def _seen(self, series: Series) -> Numbers:
        """Return the visible points of a curve and one more at each side, (n, 2), in pixels."""
        (left, right), _ = self.box.viewRange()
        start, end = np.searchsorted(series.x, (left, right))
        part = slice(max(0, int(start) - 1), int(end) + 1)
        x, y = thinned(series.x[part], series.y[part], max(1, int(self.box.width() / _APART)))
        return _placed(self.box, x, y)


class Dots(OverlayItem):
    """The dots on all curves, and frames with values around points that a text speaks of; those at the edge are whole."""

    beyond = _FRAME

    def __init__(self, box: pg.ViewBox, paper: str, ink: str) -> None:
        super().__init__(box)
        self._paper, self._ink = paper, ink
        self._strokes: list[CurveStroke] = []

    def show_dots(self, strokes: Iterable[CurveStroke]) -> None:
        """Show the dots of these curves: those of references first."""
        self._strokes = sorted(strokes, key=lambda one: not one.series.before)
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw rings if there is room, smaller dots if they are closer, none if they would touch."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for one in self._strokes:
            self._paint_dots(painter, one)
        framed = [
            (QRectF(x - _FRAME / 2, y - _FRAME / 2, _FRAME, _FRAME), value)
            for one in self._strokes
            for point, value in zip(one.series.marked, one.values, strict=True)
            for x, y in _placed(self.box, *np.array(point).reshape(2, 1)).tolist()
            if self._shows(x, y)
        ]
        painter.setPen(pen(self._ink, MARK))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRects([frame for frame, _ in framed])
        paint_values(painter, framed, QRectF(self.box.rect()), self._paper, self._ink, self._crossed)

    def _crossed(self, place: Rect) -> bool:
        """True if a curve goes through a place, in pixels."""
        curves = (_placed(self.box, one.series.x, one.series.y).T for one in self._strokes)
        return any(crosses(x, y, place) for x, y in curves)

    def _paint_dots(self, painter: QPainter, one: CurveStroke) -> None:
        dots = np.array(one.series.dots, dtype=np.float64).reshape(-1, 2)
        places = _placed(self.box, dots[:, 0], dots[:, 1])
        apart = float(np.diff(places[:, 0]).mean()) if len(places) > 1 else np.inf
        if apart < _LEAST_ROOM:
            return
        points = [QPointF(x, y) for x, y in places.tolist() if self._shows(x, y)]
        size = min(_DOT, apart - 1)
        painter.setPen(_round(one.colour, size))
        painter.drawPoints(points)
        if size > 2 * _RING:
            painter.setPen(_round(self._paper, size - _RING * size / _DOT * 1.6))
            painter.drawPoints(points)

    def _shows(self, x: float, y: float) -> bool:
        """True for a dot whose middle is in the box, or on its edge."""
        return self._bounds.adjusted(_INSIDE, _INSIDE, -_INSIDE, -_INSIDE).contains(QPointF(x, y))


def _placed(box: pg.ViewBox, x: Numbers, y: Numbers) -> Numbers:
    """Points of a panel's coordinates in pixels, (n, 2)."""
    to_pixels = box.childTransform()
    across = to_pixels.m11() * x.astype(np.float64) + to_pixels.dx()
    down = to_pixels.m22() * y.astype(np.float64) + to_pixels.dy()
    places: Numbers = np.clip(np.stack((across, down), axis=-1), -_FAR, _FAR)
    return places


def _pen_of(one: CurveStroke) -> QPen:
    if one.series.level:
        return pen(one.colour, 1.0, Qt.PenStyle.DashLine)
    return pen(one.colour, _BROAD if one.series.before else WIDTH)


def thinned(x: Numbers, y: Numbers, columns: int) -> tuple[Numbers, Numbers]:
    """The lowest and highest point of each column, in order, if a curve has at least three points per column."""
    per = len(x) // columns
    if per < 3:
        return x, y
    rows = np.pad(y, (0, -len(y) % per), mode="edge").reshape(-1, per)
    ends = np.stack((rows.argmin(axis=1), rows.argmax(axis=1))) + per * np.arange(len(rows))
    kept = np.unique(np.concatenate((ends.ravel(), (0, len(x) - 1))))
    return x[kept], y[kept]


def _draw_segments(painter: QPainter, points: Numbers) -> None:
    if len(points) < 2:
        return
    lines = PrimitiveArray(QLineF, 4)  # no Python object for each segment
    lines.resize(len(points) - 1)
    starts, ends = points[:-1], points[1:]
    over = (ends - starts) * (_OVER / np.maximum(np.hypot(*(ends - starts).T), _OVER))[:, None]
    lines.ndarray()[:] = np.concatenate((starts - over, ends + over), axis=1)
    painter.drawLines(*lines.drawargs())


def _round(colour: str, width: float) -> QPen:
    dot = pen(colour, width)
    dot.setCapStyle(Qt.PenCapStyle.RoundCap)
    return dot
