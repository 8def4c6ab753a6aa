"""Word-wrapped rows of rich text: options to choose from, and items to put in order."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from posenc_gui.app.widgets.controls import shift_of
from posenc_gui.scene.permutations import move_token

_GAP = 6  # pixels around the text
_INDENT = 22  # pixels before an option's text
_RING = 5.5  # pixels: the radius of an option's circle


class OptionButton(QRadioButton):
    """A radio button with an HTML label that wraps onto further lines."""

    def __init__(self) -> None:
        super().__init__()
        self._page = QTextDocument()
        _follow_width(self)

    def show_words(self, html: str) -> None:
        """Set the label."""
        self._page = _page(html, self.font())
        self.updateGeometry()
        self.update()

    def hitButton(self, place: QPoint) -> bool:
        """Return True anywhere on the button, so that a click on the label chooses it too."""
        return self.rect().contains(place)

    def heightForWidth(self, width: int) -> int:
        """Return the height that the label needs at this width."""
        return math.ceil(self._laid_out(width).size().height()) + _GAP

    def sizeHint(self) -> QSize:
        """Return a size whose width suits most texts."""
        return QSize(240, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:
        """Return a minimum that fits a narrow dock; the height follows from the width."""
        return QSize(80, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the circle beside the first line, and the label."""
        palette, line = self.palette(), self.fontMetrics().height()
        accent = palette.color(QPalette.ColorRole.Highlight)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = palette.color(QPalette.ColorRole.WindowText)
        _paint_page(painter, self._laid_out(self.width()), QPointF(_INDENT, _GAP / 2), ink)
        if self.hasFocus():
            painter.setPen(QPen(accent, 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        # Drawn here because Fusion's own circle is hardly visible in dark themes.
        centre = QPointF(_INDENT / 2, (_GAP + line) / 2)
        painter.setPen(QPen(accent if self.isChecked() else palette.color(QPalette.ColorRole.PlaceholderText), 1.2))
        painter.drawEllipse(centre, _RING, _RING)
        if self.isChecked():
            painter.setBrush(accent)
            painter.drawEllipse(centre, _RING / 2, _RING / 2)
        painter.end()

    def _laid_out(self, width: int) -> QTextDocument:
        self._page.setTextWidth(width - _INDENT - _GAP)
        return self._page


class OrderRows(QListView):
    """A list of items to put in order, by dragging or by Alt with an arrow key; the other rows make room at once."""

    moved = Signal()

    def __init__(self, items: Mapping[str, str]) -> None:
        super().__init__()
        self._items = items
        self.names = shuffled_names(tuple(items))
        self._dragged: int | None = None
        self._pressed = QPoint()
        self._pages: dict[str, QTextDocument] = {}
        self._words = QStringListModel(self)
        self.setAccessibleName("Rows to be put in order")
        self.setAccessibleDescription("Arrow keys choose a row, Alt and arrow keys move it.")
        self.setModel(self._words)
        self.setItemDelegate(_RowDelegate(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        _follow_width(self)
        self._show_names(self.names)

    def show_words(self, html: dict[str, str]) -> None:
        """Set the items' texts."""
        self._pages = {name: _page(one, self.font()) for name, one in html.items()}
        self.scheduleDelayedItemsLayout()
        self.updateGeometry()

    def page(self, row: int, width: int) -> QTextDocument:
        """Lay out the text of a row at the given width."""
        page = self._pages[self.names[row]]
        page.setTextWidth(width - self.indent() - _GAP)
        return page

    def height_of(self, row: int, width: int) -> int:
        """Return the height of a row at the given width."""
        return math.ceil(self.page(row, width).size().height()) + 2 * _GAP

    def indent(self) -> int:
        """Return the width of the column of row numbers."""
        return self.fontMetrics().horizontalAdvance("00") + 2 * _GAP

    def arrange(self, names: tuple[str, ...]) -> bool:
        """Put the items in this order; return False if these aren't their names."""
        if sorted(names) != sorted(self.names):
            return False
        self.names = names
        self._show_names(names)
        return True

    def choose(self, row: int) -> None:
        """Make this row the current one."""
        self.setCurrentIndex(self._words.index(row))

    def move_current(self, step: int) -> None:
        """Move the current row down by `step` rows, or up if negative; do nothing if that leads past an end."""
        source = self.currentIndex().row()
        if source >= 0 and 0 <= source + step < len(self.names):
            self._move(source, source + step)

    def heightForWidth(self, width: int) -> int:
        """Return the height that makes all rows visible."""
        inside = width - 2 * self.frameWidth()
        return sum(self.height_of(row, inside) for row in range(len(self.names))) + 2 * self.frameWidth()

    def sizeHint(self) -> QSize:
        """Return a size whose width suits most texts."""
        return QSize(240, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:
        """Return a minimum that fits a narrow dock; the height follows from the width."""
        return QSize(80, self.fontMetrics().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current row on Alt with an arrow key."""
        if by := shift_of(event):
            self.move_current(by)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pressed row, and prepare to drag it."""
        super().mousePressEvent(event)
        self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the dragged row under the pointer."""
        if not event.buttons() & Qt.MouseButton.LeftButton:
            return
        at = event.position().toPoint()
        if self._dragged is None:
            index = self.indexAt(self._pressed)
            if not index.isValid() or (at - self._pressed).manhattanLength() < QApplication.startDragDistance():
                return
            self._dragged = index.row()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        source, target = self._dragged, self._target(self._dragged, at.y())
        if target != source:
            self._dragged = target
            self._move(source, target)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self._dragged = None
        self.unsetCursor()
        super().mouseReleaseEvent(event)

    def _target(self, dragged: int, y: int) -> int:
        """Return the row index that puts the dragged row under the pointer, whatever the heights of its neighbours."""
        boxes = [self.visualRect(self._words.index(row)) for row in range(len(self.names))]
        height = boxes[dragged].height()
        passed = [
            row
            for row, box in enumerate(boxes)
            if (row < dragged and y < min(box.bottom(), box.top() + height))
            or (row > dragged and y > max(box.top(), box.bottom() - height))
        ]
        above = [row for row in passed if row < dragged]
        return min(above, default=max(passed, default=dragged))

    def _show_names(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._words.setStringList([self._items[name] for name in names])

    def _move(self, source: int, target: int) -> None:
        self._show_names(tuple(self.names[at] for at in move_token(tuple(range(len(self.names))), source, target)))
        self.choose(target)
        self.moved.emit()


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, rows: OrderRows) -> None:
        super().__init__(rows)
        self._rows = rows

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of the row's text."""
        width = self._rows.viewport().width()
        return QSize(width, self._rows.height_of(index.row(), width))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row's number and text, and a frame around the current row."""
        rows = self._rows
        palette, box = option.palette, QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)
        chosen = option.state & QStyle.StateFlag.State_Selected
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight if chosen else QPalette.ColorRole.Mid), 1))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        number = QRectF(box.left(), box.top() + _GAP - 1.5, rows.indent() - _GAP, rows.fontMetrics().height())
        painter.drawText(number, Qt.AlignmentFlag.AlignRight, str(index.row() + 1))
        words = QPointF(option.rect.left() + rows.indent(), option.rect.top() + _GAP)
        _paint_page(painter, rows.page(index.row(), option.rect.width()), words, palette.color(QPalette.ColorRole.Text))
        painter.restore()


def shuffled_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Shuffle names into an order that is the same each time and, for more than two, neither the lab file's nor its
    reverse, so that it reveals nothing."""
    generator = random.Random("\0".join(names))
    telling = (names, names[::-1]) if len(names) > 2 else ()
    order = list(names)
    generator.shuffle(order)
    while tuple(order) in telling:
        generator.shuffle(order)
    return tuple(order)


def _follow_width(widget: QWidget) -> None:
    """Let a widget take the available width, and the height that its text then needs."""
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    widget.setSizePolicy(policy)


def _page(html: str, font: QFont) -> QTextDocument:
    """Lay out a text for painting. Unlike in a QLabel, words longer than a line are broken."""
    page = QTextDocument()
    page.setDocumentMargin(0)
    page.setDefaultFont(font)
    page.setDefaultStyleSheet("p { margin: 0; }")
    page.setHtml(html)
    lines = QTextOption()
    lines.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    page.setDefaultTextOption(lines)
    return page


def _paint_page(painter: QPainter, page: QTextDocument, place: QPointF, ink: QColor) -> None:
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, ink)
    painter.save()
    painter.translate(place)
    page.documentLayout().draw(painter, context)
    painter.restore()
