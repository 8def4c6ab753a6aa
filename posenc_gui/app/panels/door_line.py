"""Where position comes in: the three doors as stops on a line, of which an encoding goes through one."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import plain
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import CAPTION, Roles

_DOORS: Final = {
    "input": "at the input: a vector is added to each token",
    "rotation": "by rotation: queries and keys are turned",
    "score": "at the score: a number is added to it",
}
_STOP = 5.0  # pixels of radius


class DoorsView(QWidget):
    """Three stops; the one at which the encoding acts is filled, none where there is none."""

    def __init__(self, theme: Roles) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._line = DoorsLine(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(plain("Where position comes in", "muted", wraps=False))
        column.addWidget(self._line)

    def show_encoding(self, encoding: Encoding) -> None:
        """Show where this one acts."""
        where = _DOORS.get(encoding.door, "nowhere: tokens are seen as a set")
        self._line.door = encoding.door
        self.setAccessibleName(f"Where position comes in: {where}")
        self.setToolTip(f"{encoding.called}: {where}.\n\n{GLOSSARY['Door']}")
        self._line.update()

    def set_theme(self, theme: Roles) -> None:
        """Draw in another theme."""
        self._line.theme = theme
        self._line.update()


class DoorsLine(QWidget):
    """The line with its stops, and their names below them."""

    def __init__(self, theme: Roles) -> None:
        super().__init__()
        self.theme, self.door = theme, ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Stops and names."""
        return QSize(0, round(4 * _STOP) + QFontMetrics(self._small()).height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """From left to right in the order in which attention walks through them."""
        painter, theme, small = QPainter(self), self.theme, self._small()
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
