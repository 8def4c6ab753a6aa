"""The numbers beside the frames around what a text speaks of, on a ground that covers what they stand over."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from posenc_gui.foundation.theme import CAPTION
from posenc_gui.render.layout.beside_frames import beside_frames
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.screen.fonts import font_of, line_height, measured

_VEIL = 0.85  # opacity of the ground
_MARGIN = 4.0  # pixels beside a number, on both sides together


def paint_values(
    painter: QPainter,
    values: Sequence[tuple[QRectF, str]],
    room: QRectF,
    ground: str,
    ink: str,
    crossed: Callable[[Rect], bool] = lambda _: False,
) -> None:
    """Write each value near its frame, where there is room; `crossed` says whether a curve goes through a place."""
    font = font_of(CAPTION, bold=True)
    measure, height = measured(font), line_height(font=font)
    veil = QColor(ground)
    veil.setAlphaF(_VEIL)
    painter.setFont(font)
    painter.setPen(QColor(ink))
    framed = [(_rect(frame), text) for frame, text in values]
    for place, text in beside_frames(framed, lambda text: (measure(text) + _MARGIN, height), _rect(room), crossed):
        box = QRectF(place.left, place.top, place.width, place.height)
        painter.fillRect(box, veil)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _rect(box: QRectF) -> Rect:
    return Rect(box.left(), box.top(), box.right(), box.bottom())
