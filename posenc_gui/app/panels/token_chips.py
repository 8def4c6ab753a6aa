"""Chips: tokens with their positions, to choose one or to change their order."""

from __future__ import annotations

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER
from posenc_gui.text.tokenization import format_token

_TEXT_PIXELS, _BETWEEN = 120, 5
_MOST, _EDGE = 4096, 256  # chips shown at a time; distance of the focus from their ends at which others replace them
_RING = 2  # pixels
_LEAST_ROWS, _PER_ROW = 2, 5  # fewest rows of chips; the window's height per visible row, in row heights


_Index = QModelIndex | QPersistentModelIndex


class ChipsView(QListView):
    """A view of tokens as chips. Arrow keys and clicks choose one; dragging, or arrow keys with Alt, moves it.

    While a chip is dragged, `moved` is emitted each time it passes another one.
    """

    chosen = Signal(int)
    moved = Signal(int, int)  # a token's old and new index
    overflows = Signal(bool)  # True if some chips are outside the visible part

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chips")
        self.setAccessibleName("Tokens")
        self.setAccessibleDescription("Arrow keys choose a token, Alt and arrow keys move it.")
        self._words = QStringListModel(self)
        self.setModel(self._words)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(200)
        self.verticalScrollBar().rangeChanged.connect(self._see_focus)  # grows as chips are laid out
        self.setToolTip("Underlined: the same token more than once")
        self.is_overflowing = False
        self._most_rows = _LEAST_ROWS
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)  # transparent, to show the card's background
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._delegate = _ChipDelegate(self)
        self.setItemDelegate(self._delegate)
        self._tokens: tuple[str, ...] = ()
        self._shown: tuple[tuple[str, ...], frozenset[int], int | None] | None = None
        self._part = range(0)  # indices of the tokens that have chips
        self._pressed = QPoint()
        self._dragged: int | None = None
        self._passed: int | None = None  # a wider chip that has just been passed and still lies under the pointer

    def show_tokens(self, tokens: tuple[str, ...], twins: frozenset[int], focus: int | None) -> None:
        """Show these tokens, with equal tokens (twins) underlined and one in focus."""
        now = tokens, twins, focus
        if now == self._shown and (focus is None or focus == self._part.start + self.currentIndex().row()):
            return
        self._shown = now
        self._delegate.twins = twins
        with QSignalBlocker(self.selectionModel()):
            part = self._part_around(focus or 0, len(tokens))
            if tokens != self._tokens or part != self._part:
                self._tokens, self._part = tokens, part
                self._delegate.first = part.start
                some = tokens[part.start : part.stop]
                labels = {token: format_token(token) for token in set(some)}
                self._words.setStringList([labels[token] for token in some])
            if focus is not None:
                self.setCurrentIndex(self._words.index(focus - part.start))
        self.viewport().update()
        self._fitting.start()

    @property
    def said_of_part(self) -> str:
        """A note on which tokens have chips; empty if all have."""
        part, count = self._part, len(self._tokens)
        if len(part) == count:
            return ""
        return f"Chips show tokens {part.start:,} to {part.stop - 1:,} of {count:,}. Use “Go to” for others."

    def _part_around(self, focus: int, count: int) -> range:
        """Return the range of tokens that get chips: the current range, unless the focus is near its end."""
        if count <= _MOST:
            return range(count)
        part = self._part
        if len(part) == _MOST and part.stop <= count:
            is_after = part.start == 0 or focus >= part.start + _EDGE
            is_before = part.stop == count or focus < part.stop - _EDGE
            if is_after and is_before:
                return part
        start = max(0, min(focus - _MOST // 2, count - _MOST))
        return range(start, start + _MOST)

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        """Emit the chosen token."""
        super().currentChanged(current, previous)
        if current.isValid() and self._dragged is None and not self.selectionModel().signalsBlocked():
            self.chosen.emit(self._part.start + current.row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out again for the new width."""
        super().resizeEvent(event)
        self._fitting.start()

    def give_room(self, height: int) -> None:
        """Show as many rows as suit a window of this height, in pixels."""
        self._most_rows = max(_LEAST_ROWS, height // (_PER_ROW * self._row))
        self._fitting.start()

    def _see_focus(self) -> None:
        """Scroll to the chip in focus."""
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    @property
    def _row(self) -> int:
        return self._delegate.height + _BETWEEN

    def _fit(self) -> None:
        """Set the height to that of the rows of chips, up to a limit beyond which they scroll."""
        count = len(self._part)
        rows = self._most_rows + 1
        if count <= self.batchSize():
            last = self.visualRect(self._words.index(count - 1)).bottom() + self.verticalOffset() if count else 0
            rows = max(1, round(last / self._row))
        self.setFixedHeight(min(rows, self._most_rows) * self._row + 2)
        self._see_focus()
        overflows = rows > self._most_rows
        bar = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(bar.ScrollBarAsNeeded if overflows else bar.ScrollBarAlwaysOff)
        if overflows != self.is_overflowing:
            self.is_overflowing = overflows
            self.overflows.emit(overflows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current chip on Alt with an arrow key."""
        back, on = (Qt.Key.Key_Left, Qt.Key.Key_Up), (Qt.Key.Key_Right, Qt.Key.Key_Down)
        step = -1 if event.key() in back else 1 if event.key() in on else None
        if step is None or not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
            return
        source = self._part.start + self.currentIndex().row()
        if self.currentIndex().isValid() and 0 <= source + step < len(self._tokens):
            self.moved.emit(source, source + step)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chips, and around them that they have the keyboard: a frame would lie beneath them."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(THEME.roles.focus), _RING))
            inside = QRectF(self.viewport().rect()).adjusted(_RING / 2, _RING / 2, -_RING / 2, -_RING / 2)
            painter.drawRoundedRect(inside, CORNER, CORNER)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pressed chip, also the current one again, and prepare to drag it."""
        self._pressed = event.position().toPoint()
        is_current = self.indexAt(self._pressed) == self.currentIndex()
        super().mousePressEvent(event)
        if is_current and self.currentIndex().isValid() and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self._part.start + self.currentIndex().row())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the dragged chip past each chip under the pointer."""
        if not event.buttons() & Qt.MouseButton.LeftButton:
            super().mouseMoveEvent(event)
            return
        at = event.position().toPoint()
        if self._dragged is None:
            far = (at - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            row = self._row_at(self._pressed)
            if not far or row is None:
                return
            self._dragged = row
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        target = self._row_at(at)
        if target in (None, self._dragged):
            self._passed = None
        elif target != self._passed:
            self.moved.emit(self._dragged, target)
            self._dragged = self._part.start + self.currentIndex().row()  # the token may have been put elsewhere
            # If the passed chip is wider, it is still under the pointer, and the next mouse move must not move it
            # back.
            below = self._row_at(at)
            self._passed = None if below == self._dragged else below

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self._dragged = self._passed = None
        self.unsetCursor()
        super().mouseReleaseEvent(event)

    def _row_at(self, place: QPoint) -> int | None:
        index = self.indexAt(place)
        return self._part.start + index.row() if index.isValid() else None


class _Type:
    """The chips' fonts (a smaller one for positions) and the widths and heights of texts in them."""

    def __init__(self, font: QFont) -> None:
        self.font, self.small = QFont(font), QFont(font)
        self.small.setPixelSize(scaled(CAPTION.size))
        self.metrics, self.small_metrics = QFontMetrics(self.font), QFontMetrics(self.small)
        self.height = self.metrics.height() + self.small_metrics.height() + 6

    def elided(self, token: str) -> str:
        """Return the part of a token that its chip shows."""
        return self.metrics.elidedText(token, Qt.TextElideMode.ElideMiddle, _TEXT_PIXELS)


class _ChipDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self.twins: frozenset[int] = frozenset()
        self.first = 0  # position of the first chip's token
        self._known: _Type | None = None

    @property
    def height(self) -> int:
        """The height of a token with its position above it."""
        return self._type(self._view.font()).height

    def _type(self, font: QFont) -> _Type:
        """Return the measures of a font, cached because every chip is measured again at each new width."""
        if self._known is None or self._known.font != font:
            self._known = _Type(font)
        return self._known

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the size of a chip: as wide as its token, within limits."""
        own = self._type(option.font)
        width = own.metrics.horizontalAdvance(own.elided(index.data()))
        number = own.small_metrics.horizontalAdvance(str(self.first + index.row()))
        return QSize(max(width, number) + 14 + _BETWEEN, own.height + _BETWEEN)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw a rounded chip: the position above, the token below, a bar under twins, and a filled background for
        the focus."""
        theme, own = THEME.roles, self._type(option.font)
        box = QRectF(option.rect).adjusted(0.5, 1, -_BETWEEN, 1 - _BETWEEN)
        focused = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.focus if focused or hovered else theme.line), 1))
        painter.setBrush(QColor(theme.focus if focused else theme.card))
        painter.drawRoundedRect(box, 5, 5)
        position = self.first + index.row()
        if position in self.twins:
            painter.setPen(QPen(QColor(theme.on_focus if focused else theme.twin), 2))
            painter.drawLine(QPointF(box.left() + 7, box.bottom() - 3), QPointF(box.right() - 7, box.bottom() - 3))
        flags = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(own.small)
        painter.setPen(QColor(theme.on_focus if focused else theme.muted))
        painter.drawText(box.adjusted(0, 3, 0, 0), flags | Qt.AlignmentFlag.AlignTop, str(position))
        painter.setFont(option.font)
        painter.setPen(QColor(theme.on_focus if focused else theme.ink))
        painter.drawText(box.adjusted(0, 0, 0, -5), flags | Qt.AlignmentFlag.AlignBottom, own.elided(index.data()))
        painter.restore()
