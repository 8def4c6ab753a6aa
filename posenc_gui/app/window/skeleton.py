"""The skeleton of the first paint: empty cards about where the real ones will be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import BAR, CARD_CORNER, FIELD, GAP

if TYPE_CHECKING:  # heavy: imported only after the first paint
    from posenc_gui.app.state.settings import ArrangementName

_WELL = 330  # width in pixels of the buttons for the arrangements
_COLUMN, _LAB = 304, 400  # width in pixels of the column, which has no box, and of a lab's
_MAP, _MAPS = 0.62, 0.53  # share of the cards' height that a map has, and that two compared maps have


class Skeleton(QWidget):
    """Paints an arrangement in the theme's colours, and waits."""

    def __init__(self, name: ArrangementName, *, first_start: bool) -> None:
        super().__init__()
        self._below = 3 if first_start else 2  # cards below the map
        self._column = _LAB if name == "lab" else _COLUMN
        self._map = _MAPS if name == "compare" else _MAP
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint boxes without text, which nobody could read in less than a second."""
        painter, palette = QPainter(self), self.palette()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room, bar, well = QRectF(self.rect()), scaled(BAR), scaled(_WELL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.mid())
        place = QRectF((room.width() - well) / 2, (bar - scaled(FIELD)) / 2, well, scaled(FIELD))
        painter.drawRoundedRect(place, CARD_CORNER, CARD_CORNER)
        painter.setPen(QPen(palette.mid(), 1))
        painter.setBrush(palette.light())
        cards = room.adjusted(scaled(self._column) + GAP, 2 * bar, -0.5, -scaled(FIELD))
        above = round(self._map * cards.height())
        painter.drawRoundedRect(QRectF(cards.left(), cards.top(), cards.width(), above), CARD_CORNER, CARD_CORNER)
        wide = (cards.width() + GAP) / self._below
        for at in range(self._below):
            card = QRectF(cards.left() + at * wide, cards.top() + above + GAP, wide - GAP, cards.height() - above - GAP)
            painter.drawRoundedRect(card, CARD_CORNER, CARD_CORNER)
