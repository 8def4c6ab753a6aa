"""Labels, buttons and scrolled columns, made in one way everywhere."""

from __future__ import annotations

from functools import partial
from html import escape

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import QDragEnterEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

_INSIDE = 2  # pixels that Qt leaves beside the words of a list
_LONGEST = 1000  # code points of a sentence that is read in a line of the window


def plain(text: str = "", name: str = "", *, wraps: bool = True) -> QLabel:
    """A label whose text is shown as it is, never read as HTML; `name` is its style's."""
    label = _label(_Plain(), name, Qt.TextFormat.PlainText, wraps)
    label.setText(text)
    return label


def rich(name: str = "") -> QLabel:
    """A label for safe HTML, as `posenc_gui.labs.text.lab_markdown` makes it."""
    return _label(QLabel(), name, Qt.TextFormat.RichText, wraps=True)


def tool(text: str = "", says: str = "", *, hint: str = "", framed: bool = False, name: str = "") -> QToolButton:
    """A small button. What it `says` is for those who hear it, where the text alone would not tell them enough."""
    button = QToolButton()
    button.setObjectName(name)
    button.setText(text)
    button.setAccessibleName(says or text)
    button.setToolTip(hint)
    button.setProperty("framed", framed)
    return button


def as_hint(words: str) -> str:
    """A tooltip that shows words as they are, never read as HTML, in as many lines as they take: only rich text is broken."""
    return f"<p>{escape(words).replace(chr(10), '<br>')}</p>" if words else ""


def on_button(words: str) -> str:
    """What shows words as they are beside a box or on a button, where a single & would underline a letter."""
    return words.replace("&", "&&")


class Choices(QComboBox):
    """A list to choose from; the wheel over it scrolls what it stands in.

    A name that is too long for it ends in "…", and is whole in the tooltip.
    """

    def __init__(self, says: str) -> None:
        super().__init__()
        self.setAccessibleName(says)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # by Tab and by a click, not by the wheel
        self.currentTextChanged.connect(self._tell)

    @property
    def seen(self) -> str:
        """As much of the chosen name as there is room for."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._seen(option)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw it as Qt does, but for the end of a long name."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._seen(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In another width more or less of the name is seen."""
        super().resizeEvent(event)
        self._tell()

    def _tell(self) -> None:
        self.setToolTip("" if self.seen == self.currentText() else as_hint(self.currentText()))

    def _seen(self, option: QStyleOptionComboBox) -> str:
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(control, option, part, self).width() - _INSIDE
        words = self.currentText() or self.placeholderText()
        return option.fontMetrics.elidedText(words, Qt.TextElideMode.ElideRight, room)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Choose nothing: what is scrolled brings lists under the wheel."""
        event.ignore()


class LineField(QLineEdit):
    """A line of text; a file that is dropped on it is the window's, not its path as text."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Take words, leave files."""
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragEnterEvent(event)


class TextField(QPlainTextEdit):
    """Lines of text; a file that is dropped on them is the window's, not its path as text."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        """Take words, leave files."""
        return not source.hasUrls() and super().canInsertFromMimeData(source)


def push(text: str, *, accent: bool = False) -> QPushButton:
    """A button; the one with the accent leads on."""
    button = QPushButton(text)
    button.setProperty("accent", accent)
    return button


def scrolling(says: str) -> tuple[QScrollArea, QVBoxLayout]:
    """An area that scrolls up and down, and the column in it; it takes the keyboard, to scroll, so it has a name."""
    content = QWidget()
    content.setObjectName("scrolled")
    column = QVBoxLayout(content)
    column.setContentsMargins(0, 0, 6, 0)
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    area.setAccessibleName(says)
    area.setObjectName("scrolls")
    return area, column


def height_in(layout: QLayout, width: int) -> int:
    """How high a layout is at a width, in pixels; its labels wrap."""
    return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()


def bring_into_sight(widget: QWidget) -> None:
    """Scroll whatever it stands in until it is seen."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()


def bring_into_sight_soon(widget: QWidget) -> None:
    """The same, once it has its place."""
    QTimer.singleShot(0, widget, partial(bring_into_sight, widget))


class _Plain(QLabel):
    def setText(self, text: str) -> None:  # noqa: N802
        """Show a text; of a very long one, as a path or a word may be, the beginning and the end."""
        if len(text) > _LONGEST:
            from posenc_gui.foundation.unicode_text import cut  # not needed for the first paint

            text = cut(text, _LONGEST)
        super().setText(text)


def _label(label: QLabel, name: str, form: Qt.TextFormat, wraps: bool) -> QLabel:
    label.setWordWrap(wraps)
    label.setObjectName(name)
    label.setTextFormat(form)
    if wraps:
        label.setMinimumWidth(1)  # else the longest word would be the least width of a card
    return label
