"""A band of a figure: its ground behind the panels, and its name at the head."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.screen.fonts import font_of, measured

_APART = 10.0  # pixels between a band's name and what it was made with


class BandItem(pg.GraphicsWidget):
    """Draws a band behind its panels; the ground of a `reference` differs from the card's."""

    def __init__(self, colours: Roles, *, reference: bool) -> None:
        super().__init__()
        self.setZValue(-1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._ink, self._ground = QColor(colours.ink), QColor(colours.window if reference else colours.card)
        self._name, self._head, self._start = "", QRectF(), 0.0

    def stand(self, name: str, ground: QRectF, head: QRectF, start: float) -> None:
        """Take a place, all of it in pixels of the view."""
        self._name, self._start = name, start - ground.left()
        self._head = head.translated(-ground.topLeft())
        self.setGeometry(ground)
        self.update()

    def paint(self, painter: QPainter, *_: object) -> None:
        """Fill the ground and write the name, its part before the colon bold."""
        painter.fillRect(self.rect(), self._ground)
        painter.setPen(self._ink)
        left = self._head.left()
        sign, _colon, rest = self._name.partition(": ")
        for text, bold in ((sign, True), (rest, False)):
            font = font_of(BODY, bold=bold)
            painter.setFont(font)
            room = QRectF(self._head)
            room.setLeft(left)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, elided(visible(text), room.width(), measured(font)))
            left = max(self._start, left + measured(font)(text) + _APART)
