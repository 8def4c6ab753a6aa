"""The hint below the words of a first start: an arc from a word to an empty place, and what it means."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui.app.panels.token_chips import ChipsView
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, SMALL, TIGHT

_WORDS, _WHY = "Drag a word to another place", "See what changes when a word stands at another place"
_ARC = 18  # pixels: how deep it hangs below the words
_TIP = 4  # pixels of its arrow


class MoveHint(QWidget):
    """Keeps its room from the beginning, so that nothing moves when it is shown; it is blank until then."""

    def __init__(self, chips: ChipsView) -> None:
        super().__init__()
        self._chips, self._is_shown = chips, False
        self.setObjectName("hint")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip(_WHY)

    @property
    def is_shown(self) -> bool:
        """True while the hint can be seen, rather than its empty room."""
        return self._is_shown and self.isVisible()

    def show_hint(self, shown: bool) -> None:
        """Show the hint, or keep its room empty."""
        self._is_shown = shown
        self.setAccessibleName(_WORDS if shown else "")
        self._chips.offer_place(shown)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the arc and a line of words."""
        return QSize(0, scaled(_ARC + CAPTION.line + TIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the arc, where all words stand in one row, and the words below it."""
        if not self._is_shown:
            return
        painter, colour = QPainter(self), QColor(THEME.roles.focus)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(self.font())
        font.setPixelSize(scaled(CAPTION.size))
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(colour)
        line = QRect(0, scaled(_ARC), self.width(), scaled(CAPTION.line))
        if move := self._chips.offered_move:
            start, end = (QPointF(self.mapFromGlobal(self._chips.viewport().mapToGlobal(at))) for at in move)
            start, end = QPointF(start.x(), TIGHT), QPointF(end.x(), TIGHT)
            words = QRect(line)
            words.moveCenter((start + end).toPoint() / 2)
            words.moveTop(line.top())
            line = words.translated(min(0, self.width() - words.right()), 0)
            line.setLeft(max(0, line.left()))
            self._draw_arc(painter, start, end, colour)
            painter.setPen(colour)
        painter.drawText(line, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, _WORDS)
        painter.end()

    def _draw_arc(self, painter: QPainter, start: QPointF, end: QPointF, colour: QColor) -> None:
        depth = QPointF(0, scaled(_ARC))
        bend = QPointF(min(scaled(2 * SMALL), (end.x() - start.x()) / 2), 0)
        arc = QPainterPath(start)
        arc.cubicTo(start + depth + bend, end + depth - bend, end)
        painter.setPen(QPen(colour, 1.5, Qt.PenStyle.DashLine))
        painter.drawPath(arc)
        painter.setPen(QPen(colour, 1.5))
        for side in (-_TIP, _TIP):
            painter.drawLine(end, end + QPointF(side, _TIP + 1))
