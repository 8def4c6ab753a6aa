"""Link rows at the end of a form, one per line."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from posenc_gui.app.widgets.controls import explain, in_column
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.foundation.theme import CAPTION, GAP, ICON, ROW, TIGHT

_LEAST = 64  # pixels in which words are wrapped or elided


class LinkRows(QWidget):
    """A column of rows, each of which opens something."""

    def __init__(self) -> None:
        super().__init__()
        self._column = in_column(of=self, gap=0)

    def add(self, title: str, opens: Callable[[], object]) -> LinkRow:
        """Append a row."""
        row = LinkRow(title)
        row.clicked.connect(lambda: opens())
        self._column.addWidget(row)
        return row

    def append(self, widget: QWidget) -> None:
        """Append what is no row."""
        self._column.addWidget(widget)


class LinkRow(QAbstractButton):
    """A title, a text at the right, and an arrow; a hairline separates it from the row above."""

    arrow = "›"

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title, self._words = title, ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.say("")

    def say(self, words: str) -> None:
        """Set the text at the right of the row."""
        self._words = words
        apart = "" if self._title.endswith("?") else ":"
        self.setAccessibleName(f"{self._title}{apart} {words}" if words else self._title)
        explain(self, words)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open it by Enter, as by Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Return the height of a row at this text size; the layout sets the width."""
        return QSize(scaled(ROW), scaled(ROW))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the row, filled under the pointer or with the focus, and framed in the focus colour with the focus."""
        painter, palette = QPainter(self), self.palette()
        if self.hasFocus() or self.underMouse():
            painter.fillRect(self.rect(), palette.midlight() if self.underMouse() else palette.window())
        painter.setPen(palette.mid().color())
        painter.drawLine(0, 0, self.width(), 0)
        if self.hasFocus():
            painter.setPen(palette.highlight().color())
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        box = self.rect().adjusted(0, 0, -TIGHT, 0)
        painter.setPen(palette.windowText().color())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._title)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.arrow)
        left = self.fontMetrics().horizontalAdvance(self._title) + GAP
        room = QRect(left, 0, self.width() - left - scaled(ICON), self.height())
        painter.setPen(palette.placeholderText().color())
        painter.setFont(font_like(self.font(), CAPTION))
        at_right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        wrapped = painter.boundingRect(room, at_right | Qt.TextFlag.TextWordWrap, self._words)
        if room.width() < min(scaled(_LEAST), painter.fontMetrics().horizontalAdvance(self._words)):
            return  # a word or two in pieces tell nothing
        if room.contains(wrapped):
            painter.drawText(room, at_right | Qt.TextFlag.TextWordWrap, self._words)
        else:
            words = painter.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, at_right, words)
