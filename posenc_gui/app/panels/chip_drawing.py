"""How a chip is drawn: as a tile, in the hand above its place, and as an empty place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import BLACK, CAPTION, CORNER

if TYPE_CHECKING:
    from posenc_gui.scene.word_marks import WordMarks

_TEXT_PIXELS, BETWEEN = 120, 5
_MARK = 24  # pixels: the height of what stands below a chip
_SHADE = 0.05  # opacity of each of the layers of a shadow
_LIFT, _SHADOW = 9, 6  # pixels by which a held chip stands above its place, and around it that its shadow reaches

_Index = QModelIndex | QPersistentModelIndex


class _Type:
    """The chips' fonts (a smaller one for positions) and the widths and heights of texts in them. `signs` are those for which
    another font may stand in, whose lines may be higher."""

    def __init__(self, font: QFont, signs: str) -> None:
        self.font, self.small, self.signs = QFont(font), font_like(font, CAPTION), signs
        self.metrics, self.small_metrics = QFontMetrics(self.font), QFontMetrics(self.small)
        plain, line = (self.metrics.boundingRect(QRect(), 0, text).height() for text in ("0", f"0{signs}"))
        self.height = self.metrics.height() + line - plain + self.small_metrics.height() + 9

    def elided(self, token: str) -> str:
        """Return the part of a token that its chip shows."""
        return self.metrics.elidedText(token, Qt.TextElideMode.ElideMiddle, _TEXT_PIXELS)


class ChipDelegate(QStyledItemDelegate):
    """Draws the chips of a view, and knows which of them is in the hand."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self.twins: frozenset[int] = frozenset()
        self.focus: int | None = None
        self.first = 0  # index of the first chip's token
        self.start = 0  # position of the sentence's first token
        self.held: int | None = None  # index of the token that is in the hand
        self.marks: WordMarks | None = None
        self.signs = ""  # of all tokens those beyond ASCII
        self._known: _Type | None = None

    @property
    def height(self) -> int:
        """The height of a token with its position above it, and its mark below it."""
        return self._type(self._view.font()).height + self.below

    @property
    def below(self) -> int:
        """The height of the marks below tokens."""
        return scaled(_MARK) if self.marks else 0

    def _type(self, font: QFont) -> _Type:
        """Return the measures of a font, cached because every chip is measured again at each new width."""
        if self._known is None or (self._known.font, self._known.signs) != (font, self.signs):
            self._known = _Type(font, self.signs)
        return self._known

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the size of a chip: as wide as its token, within limits."""
        own = self._type(option.font)
        width = own.metrics.horizontalAdvance(own.elided(index.data()))
        number = own.small_metrics.horizontalAdvance(str(self.start + self.first + index.row()))
        return QSize(max(width, number) + 14 + BETWEEN, self.height + BETWEEN)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw a tile: the position above, the token below, a bar under twins, and a filled background for the focus; of one
        in the hand its empty place. Below is its mark, if it has one."""
        box = box_in(QRectF(option.rect), self.below)
        focused = bool(option.state & QStyle.StateFlag.State_Selected)
        self._draw_mark(painter, box, self.first + index.row(), focused=focused)
        if self.first + index.row() == self.held:
            draw_empty_place(painter, box, THEME.roles.edge)
            return
        self.draw(painter, box, index, focused=focused, hovered=bool(option.state & QStyle.StateFlag.State_MouseOver))

    def draw(self, painter: QPainter, box: QRectF, index: _Index, *, focused: bool, hovered: bool) -> None:
        """Draw a tile in this box."""
        theme, font = THEME.roles, self._view.font()
        own = self._type(font)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = QColor(theme.focus if focused or hovered else theme.edge)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(edge)
        painter.drawRoundedRect(box, CORNER, CORNER)  # its lowest pixel stays in sight: the tile's foot
        painter.setBrush(QColor(theme.focus if focused else theme.card))
        face = box.adjusted(0, 0, 0, -1)
        painter.drawRoundedRect(face, CORNER, CORNER)
        at = self.first + index.row()
        if at in self.twins:
            painter.setPen(QPen(QColor(theme.on_focus if focused else theme.twin), 2))
            painter.drawLine(QPointF(face.left() + 7, face.bottom() - 3), QPointF(face.right() - 7, face.bottom() - 3))
        flags = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(own.small)
        painter.setPen(QColor(theme.on_focus if focused else theme.muted))
        painter.drawText(face.adjusted(0, 3, 0, 0), flags | Qt.AlignmentFlag.AlignTop, str(self.start + at))
        painter.setFont(font)
        painter.setPen(QColor(theme.on_focus if focused else theme.ink))
        painter.drawText(face.adjusted(0, 0, 0, -5), flags | Qt.AlignmentFlag.AlignBottom, own.elided(index.data()))
        painter.restore()

    def _draw_mark(self, painter: QPainter, box: QRectF, at: int, *, focused: bool) -> None:
        """Draw a small clock below a tile, or how much its distance from the focus adds, to the right, or takes, to the left."""
        if self.marks is None or at >= len(self.marks.values):
            return
        theme, value = THEME.roles, self.marks.values[at]
        radius = scaled(_MARK) / 2 - 3
        middle, reach = QPointF(box.center().x(), box.bottom() + scaled(_MARK) / 2 + 1), QPointF(radius, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.line), 1.2))
        colour = QColor(theme.focus if focused else theme.twin if at in self.twins else theme.muted)
        if self.marks.kind == "clock":
            painter.drawEllipse(middle, radius, radius)
            angle, length = value, radius * self.marks.length
            tip = middle + QPointF(length * math.cos(angle), -length * math.sin(angle))
            painter.setPen(QPen(colour, 2 if focused or at in self.twins else 1.5))
            painter.drawLine(middle, tip)
        else:
            painter.drawLine(middle - reach, middle + reach)
            painter.setPen(QPen(colour, 3))
            painter.drawLine(middle, middle + reach * value)
            painter.drawLine(middle - QPointF(0, 3), middle + QPointF(0, 3))
        painter.restore()


class LiftedChip(QWidget):
    """The chip in the hand: over the card, above its place, with a shadow."""

    def __init__(self, view: QListView, delegate: ChipDelegate) -> None:
        super().__init__(view)
        self._view, self._delegate = view, delegate
        self._index: QPersistentModelIndex | None = None
        self._grip = QPoint()  # from the chip's corner to the pointer
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def begin(self, place: QRect, at: QPoint) -> None:
        """Take the chip at a place of the viewport by the point at which it was pressed."""
        self._grip = at - place.topLeft()
        card = self._view.parentWidget()
        if card is not None:
            self.setParent(card)

    def show_chip(self, index: QModelIndex, at: QPoint) -> None:
        """Show a chip that follows the pointer from side to side, and stands in the row of its place."""
        place = self._view.visualRect(index)
        self._index = QPersistentModelIndex(index)
        corner = QPoint(at.x() - self._grip.x() - _SHADOW, place.top() - _LIFT - _SHADOW)
        self.resize(place.size() + QSize(2 * _SHADOW, 2 * _SHADOW))
        card = self.parentWidget()
        assert card is not None
        self.move(self._view.viewport().mapTo(card, corner))
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the shadow, and the chip on it."""
        if self._index is None or not self._index.isValid():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW, -_SHADOW, -_SHADOW)
        box = box_in(inside, self._delegate.below)
        shade = QColor(BLACK)
        shade.setAlphaF(_SHADE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade)
        for reach in range(1, _SHADOW):
            painter.drawRoundedRect(box.adjusted(-reach, 2 - reach, reach, 1 + reach), CORNER + reach, CORNER + reach)
        focused = self._index == self._view.currentIndex()
        self._delegate.draw(painter, box, self._index, focused=focused, hovered=False)
        painter.end()


def draw_empty_place(painter: QPainter, box: QRectF, colour: str) -> None:
    """Draw a dashed outline: a place where a chip may stand."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 1, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, CORNER, CORNER)
    painter.restore()


def box_in(place: QRectF, below: int) -> QRectF:
    """The chip itself within the place that it takes among others, with so many pixels below it for its mark."""
    return place.adjusted(0.5, 1.5, -BETWEEN - 0.5, 0.5 - BETWEEN - below)
