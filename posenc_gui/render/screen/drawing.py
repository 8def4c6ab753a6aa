"""Drawings on the screen: parts painted one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPainterPath, QPen

from posenc_gui.foundation.theme import BODY, CAPTION
from posenc_gui.render.layout.drawing import Box, Cells, Dot, Part, Path, Stroke, Text
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.screen.fonts import font_of

_ANY = 4096.0  # pixels: room for any line of text
# Arabic would change sides without AlignAbsolute.
_LEVEL = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
_SIDES = {
    "left": (_LEVEL | Qt.AlignmentFlag.AlignLeft, 0.0),
    "center": (_LEVEL | Qt.AlignmentFlag.AlignHCenter, _ANY / 2),
    "right": (_LEVEL | Qt.AlignmentFlag.AlignRight, _ANY),
}


def paint(painter: QPainter, parts: Iterable[Part]) -> None:
    """Paint all parts in order."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fonts = _Fonts()
    for part in parts:
        match part:
            case Box():
                _paint_box(painter, part)
            case Cells():
                _paint_cells(painter, part)
            case Text():
                _write(painter, part, fonts)
            case Stroke(path=((start,), (end,))):
                painter.setPen(_pen(part.colour, part.width))
                painter.drawLine(QPointF(*start), QPointF(*end))
            case Stroke():
                painter.strokePath(_path(part.path), _pen(part.colour, part.width))
            case Dot():
                _set(painter, part.ground, part.frame, part.width)
                painter.drawEllipse(QPointF(part.x, part.y), part.radius, part.radius)


class _Fonts:
    """The fonts of one painting, each made once."""

    def __init__(self) -> None:
        self.of = cache(self._make)

    @staticmethod
    def _make(size: str, bold: bool, italic: bool) -> QFont:
        font = font_of(BODY if size == "label" else CAPTION, bold=bold)
        font.setItalic(italic)
        return font


def _paint_box(painter: QPainter, part: Box) -> None:
    rect = _rect(part.rect)
    if part.ground and not (part.frame or part.corner):
        painter.fillRect(rect, QColor(part.ground))
        return
    _set(painter, part.ground, part.frame, part.width)
    painter.drawRoundedRect(rect, part.corner, part.corner)


def _paint_cells(painter: QPainter, part: Cells) -> None:
    rows, columns = part.colours.shape[:2]
    colours = np.ascontiguousarray(part.colours)
    image = QImage(colours.data, columns, rows, 3 * columns, QImage.Format.Format_RGB888)
    rect = _rect(part.rect)
    # From whole pixel to whole pixel, so that cells are sharp.
    left, top, right, bottom = map(round, (rect.left(), rect.top(), rect.right(), rect.bottom()))
    painter.drawImage(QRectF(left, top, right - left, bottom - top), image)


def _write(painter: QPainter, part: Text, fonts: _Fonts) -> None:
    painter.setFont(fonts.of(part.size, part.bold, part.italic))
    painter.setPen(QColor(part.colour))
    flags, before = _SIDES[part.side]
    painter.drawText(QRectF(part.x - before, part.y - _ANY / 2, _ANY, _ANY), flags, visible(part.text))


def _set(painter: QPainter, ground: str, frame: str, width: float) -> None:
    painter.setBrush(QBrush(QColor(ground)) if ground else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(frame), width) if frame else Qt.PenStyle.NoPen)


def _pen(colour: str, width: float) -> QPen:
    return QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)


def _path(path: Path) -> QPainterPath:
    found = QPainterPath(QPointF(*path[0][0]))
    for step in path[1:]:
        if len(step) == 1:
            found.lineTo(*step[0])
        else:
            found.cubicTo(*(QPointF(*point) for point in step))
    return found


def _rect(rect: Rect) -> QRectF:
    return QRectF(rect.left, rect.top, rect.width, rect.height)
