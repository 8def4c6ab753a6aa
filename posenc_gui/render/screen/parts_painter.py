"""Parts on the screen, painted one after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPainterPath, QPen

from posenc_gui.foundation.theme import BODY, CAPTION
from posenc_gui.render.drawings.parts import Arc, Area, Box, Cells, Clipped, Curve, Dash, Dot, Part, Path, Stroke, Text
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.layout.type_sizes import Face, Size
from posenc_gui.render.screen.fonts import ScreenFace, font_of

_TURN = 5760  # of Qt's units: sixteenths of a degree
_OVER = 0.4  # pixels by which segments overlap: a seam shows where two only touch
_FAR = 1e5  # pixels: coordinates are clipped to this
_DASHES: dict[Dash, Qt.PenStyle] = {
    "-": Qt.PenStyle.SolidLine, "--": Qt.PenStyle.DashLine, ":": Qt.PenStyle.DotLine, "-.": Qt.PenStyle.DashDotLine,
}  # fmt: skip
_THIN, _HAIR = 4.0, 2.2  # pixels: of boxes that stay where they are, and of lines that are drawn sharply
_ANY = 4096.0  # pixels: room for any line of text
_REMEMBERED = 256  # pens, brushes and fonts of a kind: cells have new colours in every figure, type new sizes
# Arabic would change sides without AlignAbsolute.
_LEVEL = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
_SIDES = {  # flags as numbers, since reading an enum's takes as long as drawing a short text
    "left": ((_LEVEL | Qt.AlignmentFlag.AlignLeft).value, 0.0),
    "center": ((_LEVEL | Qt.AlignmentFlag.AlignHCenter).value, _ANY / 2),
    "right": ((_LEVEL | Qt.AlignmentFlag.AlignRight).value, _ANY),
}


class PartsPainter:
    """Paints parts in the application's font of its making. Pens, brushes and fonts are remembered, since making them
    takes longer than painting with them."""

    def __init__(self) -> None:
        self._pen = lru_cache(maxsize=_REMEMBERED)(_pen)
        self._brush = lru_cache(maxsize=_REMEMBERED)(_brush)
        self._frame = lru_cache(maxsize=_REMEMBERED)(_frame)
        self._ink = lru_cache(maxsize=_REMEMBERED)(_ink)
        self._font = lru_cache(maxsize=_REMEMBERED)(_font)

    def paint(self, painter: QPainter, parts: Iterable[Part]) -> None:
        """Paint all parts in order."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part in parts:
            match part:
                case Text():
                    self._write(painter, part)
                case Stroke(path=((start,), (end,))):
                    painter.setPen(self._pen(part.colour, part.width, part.dash))
                    painter.drawLine(*_sharp_line(QPointF(*start), QPointF(*end), part.width))
                case Stroke():
                    painter.strokePath(_path(part.path), self._pen(part.colour, part.width, part.dash))
                case Curve():
                    painter.setPen(self._pen(part.colour, part.width, part.dash))
                    _draw_segments(painter, part.points)
                case Area():  # not antialiased: its edges are below curves
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(self._brush(part.ground))
                    painter.drawPolygon(pg.functions.arrayToQPolygonF(*np.clip(part.corners, -_FAR, _FAR).T))
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                case Dot():
                    self._set(painter, part)
                    painter.drawEllipse(QPointF(part.x, part.y), part.radius, part.radius)
                case Arc():
                    painter.setPen(self._pen(part.colour, part.width))
                    whole = 2 * part.radius
                    begin, turn = (round(_TURN * angle / math.tau) for angle in (part.start, part.angle))
                    painter.drawArc(QRectF(part.x - part.radius, part.y - part.radius, whole, whole), begin, turn)
                case Box():
                    self._paint_box(painter, part)
                case Cells():
                    _paint_cells(painter, part)
                case Clipped():
                    painter.save()
                    painter.setClipRect(as_qt(part.rect), Qt.ClipOperation.IntersectClip)
                    self.paint(painter, part.parts)
                    painter.restore()

    def _paint_box(self, painter: QPainter, part: Box) -> None:
        rect = as_qt(part.rect)
        if part.ground and not (part.frame or part.corner):
            painter.fillRect(_sharp(rect), self._brush(part.ground))
            return
        if part.frame and not part.corner:
            rect = _sharp_frame(rect, part.width)
        self._set(painter, part)
        painter.drawRoundedRect(rect, part.corner, part.corner)

    def _set(self, painter: QPainter, part: Box | Dot) -> None:
        painter.setBrush(self._brush(part.ground))
        painter.setPen(self._frame(part.frame, part.width))

    def _write(self, painter: QPainter, part: Text) -> None:
        painter.setFont(self._font(part.size, part.bold, part.italic))
        painter.setPen(self._ink(part.colour))
        flags, before = _SIDES[part.side]
        if part.angle:
            painter.save()
            painter.translate(part.x, part.y)
            painter.rotate(-part.angle)
            painter.drawText(QRectF(-before, -_ANY / 2, _ANY, _ANY), flags, visible(part.text))
            painter.restore()
            return
        painter.drawText(QRectF(part.x - before, part.y - _ANY / 2, _ANY, _ANY), flags, visible(part.text))


def _draw_segments(painter: QPainter, points: npt.NDArray[np.float64]) -> None:
    """Draw a curve as segments with flat ends: one path of the same width takes a hundred times as long."""
    if len(points) < 2:
        return
    points = np.clip(points, -_FAR, _FAR)
    lines = PrimitiveArray(QLineF, 4)  # no Python object for each segment
    lines.resize(len(points) - 1)
    starts, ends = points[:-1], points[1:]
    over = (ends - starts) * (_OVER / np.maximum(np.hypot(*(ends - starts).T), _OVER))[:, None]
    lines.ndarray()[:] = np.concatenate((starts - over, ends + over), axis=1)
    painter.drawLines(*lines.drawargs())


def _paint_cells(painter: QPainter, part: Cells) -> None:
    rows, columns = part.colours.shape[:2]
    colours = np.ascontiguousarray(part.colours)
    image = QImage(colours.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888)
    # In the screen's format, in which Qt scales four times as fast.
    painter.drawImage(_sharp(as_qt(part.rect)), image.convertToFormat(QImage.Format.Format_RGB32))


def _sharp(rect: QRectF) -> QRectF:
    """A rectangle from whole pixel to whole pixel; one that is a few pixels thin stays, since rounding would show in its size."""
    if min(rect.width(), rect.height()) < _THIN:
        return rect
    left, top, right, bottom = map(round, (rect.left(), rect.top(), rect.right(), rect.bottom()))
    return QRectF(left, top, right - left, bottom - top)


def _sharp_frame(path: QRectF, width: float) -> QRectF:
    """The path of a frame that goes around whole pixels, and covers nothing of what it is around."""
    half = width / 2
    inside = path.adjusted(half, half, -half, -half)
    left, top, right, bottom = inside.left(), inside.top(), inside.right(), inside.bottom()
    whole = QRectF(QPointF(math.floor(left), math.floor(top)), QPointF(math.ceil(right), math.ceil(bottom)))
    return whole.adjusted(-half, -half, half, half)


def _sharp_line(start: QPointF, end: QPointF, width: float) -> tuple[QPointF, QPointF]:
    """A thin upright or level line where it fills whole pixels; others as they are."""
    if width > _HAIR or (start.x() != end.x() and start.y() != end.y()):
        return start, end
    into = 0.5 if round(width) % 2 else 0.0  # the middle of a pixel, or the edge between two

    def sharp(at: float) -> float:
        return round(at - into) + into

    if start.x() == end.x():
        return QPointF(sharp(start.x()), start.y()), QPointF(sharp(start.x()), end.y())
    return QPointF(start.x(), sharp(start.y())), QPointF(end.x(), sharp(start.y()))


def _font(size: Size | Face, bold: bool, italic: bool) -> QFont:
    type_ = size.size if isinstance(size, ScreenFace) else CAPTION if size == "small" else BODY
    font = font_of(type_, bold=bold)
    font.setItalic(italic)
    return font


def _pen(colour: str, width: float, dash: Dash = "-") -> QPen:
    return QPen(QColor(colour), width, _DASHES[dash], Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)


def _frame(colour: str, width: float) -> QPen:
    return pen(colour, width) if colour else QPen(Qt.PenStyle.NoPen)


def _ink(colour: str) -> QColor:
    # Had `lru_cache` Qt's class itself, it would ask for its docstring, and PySide takes 25 ms to prepare those.
    return QColor(colour)


def _brush(colour: str) -> QBrush:
    return QBrush(QColor(colour)) if colour else QBrush(Qt.BrushStyle.NoBrush)


def _path(path: Path) -> QPainterPath:
    found = QPainterPath(QPointF(*path[0][0]))
    for step in path[1:]:
        if len(step) == 1:
            found.lineTo(*step[0])
        else:
            found.cubicTo(*(QPointF(*point) for point in step))
    return found


def as_qt(rect: Rect) -> QRectF:
    """The rectangle as Qt has it."""
    return QRectF(rect.left, rect.top, rect.width, rect.height)


def pen(colour: str, width: float = 1.0) -> QPen:
    """A pen with sharp corners; pyqtgraph's cosmetic pens are hairlines on high-density screens."""
    return QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)
