"""Chips: tokens with their positions, to choose one or to change their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QSizePolicy, QWidget

from posenc_gui.app.panels.chip_drawing import BETWEEN, ChipDelegate, LiftedChip, box_in, draw_empty_place
from posenc_gui.app.widgets.controls import delayed
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.foundation.theme import CAPTION, CORNER, SMALL, TIGHT
from posenc_gui.text.tokenization import format_token

if TYPE_CHECKING:
    from posenc_gui.scene.word_marks import WordMarks

_MOST, _EDGE = 4096, 256  # chips shown at a time; distance of the focus from their ends at which others replace them
_RING = 2  # pixels
_SIGNS = 64  # about as many of a text's are measured, of all its scripts
_LEAST_ROWS, _PER_ROW = 2, 5  # fewest rows of chips; the window's height per visible row, in row heights


_Index = QModelIndex | QPersistentModelIndex
_TWINS = "Underlined: it occurs more than once"
_MARKS = {
    "clock": "Clocks: the hand of pair 0, turned by each word's place alone",
    "ruler": "Rulers: what the distance from the word in focus adds to a score",
}
_WORDS, _WHY = "Drag a word to another place", "See what changes when a word stands at another place"
_ARC = 18  # pixels: how deep it hangs below the words
_TIP = 4  # pixels of its arrow


class _Words(QStringListModel):
    """The chips' words; screen readers also hear where each stands, whether it occurs more than once, and the focus."""

    def __init__(self, chips: ChipDelegate) -> None:
        super().__init__(chips)
        self._chips = chips

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A chip's word, and what is heard of it."""
        if role != Qt.ItemDataRole.AccessibleTextRole:
            return super().data(index, role)
        at = self._chips.first + index.row()
        twin = ", occurs more than once" if at in self._chips.twins else ""
        focus = ", query in focus" if at == self._chips.focus else ""
        return f"{super().data(index)}, position {self._chips.start + at:,}{twin}{focus}"


class ChipsView(QListView):
    """A view of tokens as chips. Arrow keys and clicks choose one; dragging, or arrow keys with Alt, moves it.

    A chip that is held is lifted, and leaves its place empty. While it is dragged it is moved each time it passes another
    one, and Escape puts it back. `move` moves the token at one index to another, and returns where it then stands; it is
    told whether the token was moved before since it is in the hand.
    """

    chosen = Signal(int)
    overflows = Signal(bool)  # True if some chips are outside the visible part

    def __init__(self, move: Callable[[int, int, bool], int]) -> None:
        super().__init__()
        self._move = move
        self.setObjectName("chips")
        self.setAccessibleName("Sentence")
        self.setAccessibleDescription("Arrow keys put one in focus, Alt and arrow keys move it.")
        self._delegate = ChipDelegate(self)
        self._words = _Words(self._delegate)
        self.setModel(self._words)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(200)
        self.verticalScrollBar().rangeChanged.connect(self._see_focus)  # grows as chips are laid out
        self.setToolTip(_TWINS)
        self.is_overflowing = False
        self._most_rows = _LEAST_ROWS
        self._fitting = delayed(self, self._fit)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)  # transparent, to show the card's background
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(self._delegate)
        self._tokens: tuple[str, ...] = ()
        self._shown: tuple[tuple[str, ...], frozenset[int], int | None, int] | None = None
        self._part = range(0)  # indices of the tokens that have chips
        self._offers_place = False
        self._lifted = LiftedChip(self, self._delegate)
        self._pressed = QPoint()
        self._taken: int | None = None  # from where the token is dragged
        self._dragged: int | None = None  # where it stands now
        self._passed: int | None = None  # a wider chip that has just been passed and still lies under the pointer
        self._fit()  # Qt's own hint would make a small window grow

    def show_tokens(self, tokens: tuple[str, ...], twins: frozenset[int], focus: int | None, start: int = 0) -> None:
        """Show these tokens with their positions from `start` on, equal tokens (twins) underlined and one in focus."""
        now = tokens, twins, focus, start
        if now == self._shown and (focus is None or focus == self._part.start + self.currentIndex().row()):
            return
        if self._shown is None or len(str(start)) != len(str(self._shown[-1])):
            self.scheduleDelayedItemsLayout()  # for wider or narrower numbers
        self._shown = now
        self._delegate.twins, self._delegate.start, self._delegate.focus = twins, start, focus
        with QSignalBlocker(self.selectionModel()):
            part = self._part_around(focus or 0, len(tokens))
            if tokens != self._tokens or part != self._part:
                self._tokens, self._part = tokens, part
                self._delegate.first = part.start
                some = tokens[part.start : part.stop]
                labels = {token: format_token(token) for token in set(some)}
                signs = sorted({sign for label in labels.values() for sign in label if not sign.isascii()})
                self._delegate.signs = "".join(signs[:: 1 + len(signs) // _SIGNS])
                self._words.setStringList([labels[token] for token in some])
            if focus is not None:
                self.setCurrentIndex(self._words.index(focus - part.start))
        self.viewport().update()
        self._fitting.start()

    def show_marks(self, marks: WordMarks | None) -> None:
        """Show a small clock or ruler below each chip, or none."""
        delegate = self._delegate
        if marks == delegate.marks:
            return
        if (marks is None) != (delegate.marks is None):
            self.scheduleDelayedItemsLayout()
            self._fitting.start()
        delegate.marks = marks
        self.setToolTip(f"{_TWINS}\n{_MARKS[marks.kind]}" if marks else _TWINS)
        self.viewport().update()

    def offer_place(self, offers: bool) -> None:
        """Show an empty place behind the last chip, to which a word may be dragged."""
        self._offers_place = offers
        self.viewport().update()

    @property
    def offered_move(self) -> tuple[QPoint, QPoint] | None:
        """From which chip to the empty place a word may be dragged, as points of the viewport below both; None if they
        aren't in one row. The word is neither in focus nor a twin, if there is such a one."""
        place = self._empty_place
        if place is None:
            return None
        apart = {*self._delegate.twins, self._part.start + self.currentIndex().row()}
        word = next((at for at in self._part[:-1] if at not in apart), self._part.start)
        below = self.visualRect(self._words.index(word - self._part.start))
        return QPoint(below.center().x(), below.bottom()), QPoint(place.center().x(), place.bottom())

    @property
    def _empty_place(self) -> QRect | None:
        """The place behind the last of several chips in one row; None where it has no room."""
        if len(self._part) < 2:
            return None
        first, last = (self.visualRect(self._words.index(at)) for at in (0, len(self._part) - 1))
        place = last.translated(last.width(), 0)
        return place if first.top() == last.top() and place.right() <= self.viewport().width() else None

    @property
    def said_of_part(self) -> str:
        """A note on which tokens have chips; empty if all have."""
        if len(self._part) == len(self._tokens):
            return ""
        first, last = (self._delegate.start + at for at in (self._part[0], self._part[-1]))
        return f"Only positions {first:,} to {last:,} are shown here. Use “Go to” for others."

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
        if current.isValid() and not self.selectionModel().signalsBlocked():
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
        return self._delegate.height + BETWEEN

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

    def event(self, event: QEvent) -> bool:
        """Claim Escape for the chip that is dragged, before any shortcut of the window has it."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if event.type() == QEvent.Type.ShortcutOverride and is_escape and self._dragged is not None:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current chip on Alt with an arrow key; on Escape put back the one that is dragged."""
        if event.key() == Qt.Key.Key_Escape and self._dragged is not None:
            self._put_back()
            return
        back, on = (Qt.Key.Key_Left, Qt.Key.Key_Up), (Qt.Key.Key_Right, Qt.Key.Key_Down)
        step = -1 if event.key() in back else 1 if event.key() in on else None
        if step is None or not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
            return
        source = self._part.start + self.currentIndex().row()
        if self.currentIndex().isValid() and 0 <= source + step < len(self._tokens):
            self._move(source, source + step, False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chips and the place that is offered, and around them that they have the keyboard: a frame would lie
        beneath them."""
        super().paintEvent(event)
        place = self._empty_place if self._offers_place else None
        if place is None and not self.hasFocus():
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if place is not None:
            draw_empty_place(painter, box_in(QRectF(place), self._delegate.below), THEME.roles.focus)
        if self.hasFocus():
            painter.setPen(QPen(QColor(THEME.roles.focus), _RING))
            inside = QRectF(self.viewport().rect()).adjusted(_RING / 2, _RING / 2, -_RING / 2, -_RING / 2)
            painter.drawRoundedRect(inside, CORNER, CORNER)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the pressed chip in hand: it is chosen when it is let go, or moved when it is dragged."""
        self._pressed = event.position().toPoint()
        row = self._row_at(self._pressed)
        if event.button() == Qt.MouseButton.LeftButton and row is not None:
            self._lift(row, self._pressed)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the dragged chip past each chip under the pointer."""
        at = event.position().toPoint()
        if self._delegate.held is None:
            if event.buttons():
                return  # Qt would choose what lies under the pointer
            is_over = self.indexAt(at).isValid() and len(self._tokens) > 1
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor if is_over else Qt.CursorShape.ArrowCursor)
            super().mouseMoveEvent(event)
            return
        if self._dragged is None:
            if (at - self._pressed).manhattanLength() < QApplication.startDragDistance():
                return
            self._taken = self._dragged = self._row_at(self._pressed)
        target = self._target_at(at)
        if target is None or self._dragged is None or target == self._dragged:
            self._passed = None
        elif target != self._passed:
            self._dragged = self._move(self._dragged, target, self._dragged != self._taken)
            # If the passed chip is wider, it is still under the pointer, and the next mouse move must not move it
            # back.
            below = self._row_at(at)
            self._passed = None if below == self._dragged else below
        if self._dragged is not None:
            self._lift(self._dragged, at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag; a chip that was not dragged is chosen, also the current one again."""
        held = self._delegate.held
        is_drag = self._dragged is not None
        self._let_go()
        if held is not None and not is_drag and held in self._part:
            index = self._words.index(held - self._part.start)
            if index == self.currentIndex():
                self.chosen.emit(held)
            else:
                self.setCurrentIndex(index)
        super().mouseReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Let go of a chip whose drag another window has ended."""
        super().focusOutEvent(event)
        self._let_go()

    def _put_back(self) -> None:
        """Move the dragged chip back to where it was taken."""
        assert self._dragged is not None
        assert self._taken is not None
        self._move(self._dragged, self._taken, True)
        self._let_go()

    def _lift(self, row: int, at: QPoint) -> None:
        """Show a chip in the hand at a place of the viewport, and its own place empty."""
        index = self._words.index(row - self._part.start)
        if self._delegate.held is None:
            self._lifted.begin(self.visualRect(index), at)
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self._delegate.held = row
        self._lifted.show_chip(index, at)
        self.viewport().update()

    def _let_go(self) -> None:
        if self._delegate.held is not None:
            self._delegate.held = self._taken = self._dragged = self._passed = None
            self._lifted.hide()
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
            self.viewport().update()

    def _target_at(self, place: QPoint) -> int | None:
        """The place of the chip under the pointer; behind the last chip, the last."""
        row = self._row_at(place)
        last = self.visualRect(self._words.index(len(self._part) - 1))
        is_behind = last.top() <= place.y() <= last.bottom() and place.x() > last.right()
        return self._part[-1] if row is None and is_behind else row

    def _row_at(self, place: QPoint) -> int | None:
        index = self.indexAt(place)
        return self._part.start + index.row() if index.isValid() else None


class MoveHint(QWidget):
    """Keeps its room from the beginning, so that nothing moves when it is shown; it is blank until then."""

    def __init__(self, chips: ChipsView) -> None:
        super().__init__()
        self._chips, self.is_shown = chips, False
        self.setObjectName("hint")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip(_WHY)

    def show_hint(self, shown: bool) -> None:
        """Show the hint, or keep its room empty."""
        self.is_shown = shown
        self.setAccessibleName(_WORDS if shown else "")
        self._chips.offer_place(shown)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the arc and a line of words."""
        return QSize(0, scaled(_ARC + CAPTION.line + TIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the arc, where all words stand in one row, and the words below it."""
        if not self.is_shown:
            return
        painter, colour = QPainter(self), QColor(THEME.roles.focus)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font_like(self.font(), CAPTION, bold=True))
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
