"""Where position enters attention: three doors (input, rotation, score) as stops on a line. An encoding uses one, or none."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import plain_label
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import CAPTION

_DOORS: Final = {
    "input": "at the input: a vector is added to each token",
    "rotation": "by rotation: queries and keys are rotated",
    "score": "at the score: a number is added to it",
}
_STOP = 5.0  # pixels: a stop's radius


class DoorsView(QWidget):
    """The three stops; the one at which the encoding acts is filled. Without an encoding, none is."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._line = DoorsLine()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(plain_label("Where position comes in", "muted", wraps=False))
        column.addWidget(self._line)

    def show_encoding(self, encoding: Encoding) -> None:
        """Show at which door an encoding acts."""
        where = _DOORS.get(encoding.door, "nowhere: no position is added")
        self._line.door = encoding.door
        self.setAccessibleName(f"Where position comes in: {where}")
        self.setToolTip(f"{encoding.called}: {where}.\n\n{GLOSSARY['Door']}")
        self._line.update()


class DoorsLine(QWidget):
    """The painted line with its stops, and their names below."""

    def __init__(self) -> None:
        super().__init__()
        self.door = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size of the stops and their names."""
        return QSize(0, round(4 * _STOP) + QFontMetrics(self._small()).height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the stops from left to right, in the order in which attention applies them."""
        painter, theme, small = QPainter(self), THEME.roles, self._small()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        margin, high = 30.0, 1.6 * _STOP
        step = (self.width() - 2 * margin) / (len(_DOORS) - 1)
        painter.setPen(QPen(QColor(theme.muted), 1))
        painter.drawLine(QPointF(margin, high), QPointF(self.width() - margin, high))
        for place, door in enumerate(_DOORS):
            here, x = door == self.door, margin + place * step
            ink = QColor(theme.focus if here else theme.muted)
            painter.setPen(QPen(ink, 1.2))
            painter.setBrush(ink if here else QColor(theme.window))
            painter.drawEllipse(QPointF(x, high), _STOP + here, _STOP + here)
            small.setWeight(QFont.Weight.DemiBold if here else QFont.Weight.Normal)
            painter.setFont(small)
            box = QRectF(x - 40, 0, 80, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, door)
        painter.end()

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(scaled(CAPTION.size))
        return font
