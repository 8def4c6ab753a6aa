"""Factories and classes for labels, buttons, lists, text fields and scroll areas, styled alike throughout the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import TypeVar

from PySide6.QtCore import QMimeData, QObject, Qt, QTimer, SignalInstance
from PySide6.QtGui import (
    QDragEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFrame,
    QHBoxLayout,
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

Part = QWidget | QLayout | None  # of a layout
Margins = int | tuple[int, int, int, int]  # pixels on all sides, or left, above, right and below
Does = Callable[..., object] | SignalInstance  # what a button or a timer does
Box = TypeVar("Box", QVBoxLayout, QHBoxLayout)

_INSIDE = 2  # pixels that Qt needs beside the text of a combo box
_LONGEST = 1000  # code points that a label shows
_SHIFTS = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}
REDO = "Ctrl+Shift+Z", "Ctrl+Y"  # both on every system: Qt has one of them on each


def in_column(
    *parts: Part, of: QWidget | None = None, gap: int | None = None, around: Margins = 0, grows: Part = None
) -> QVBoxLayout:
    """Lay parts out below each other; None is room that is left over, and `grows` takes all of it."""
    return _filled(QVBoxLayout(of) if of else QVBoxLayout(), parts, gap, around, grows)


def in_row(
    *parts: Part, of: QWidget | None = None, gap: int | None = None, around: Margins = 0, grows: Part = None
) -> QHBoxLayout:
    """Lay parts out side by side, as `in_column` does below each other."""
    return _filled(QHBoxLayout(of) if of else QHBoxLayout(), parts, gap, around, grows)


def add_to(layout: QVBoxLayout | QHBoxLayout, *parts: Part, grows: Part = None) -> None:
    """Append parts to a layout, as `in_column` lays them out."""
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QLayout):
            layout.addLayout(part, int(part is grows))
        else:
            layout.addWidget(part, int(part is grows))


def _filled(layout: Box, parts: Sequence[Part], gap: int | None, around: Margins, grows: Part) -> Box:
    layout.setContentsMargins(*((around,) * 4 if isinstance(around, int) else around))
    if gap is not None:
        layout.setSpacing(gap)
    add_to(layout, *parts, grows=grows)
    return layout


def plain_label(text: str = "", name: str = "", *, wraps: bool = True) -> QLabel:
    """Return a plain-text label, whose text is never parsed as HTML; `name` is its object name in the style sheet."""
    label = _label(_Plain(textFormat=Qt.TextFormat.PlainText, wordWrap=wraps), name)
    label.setText(text)
    return label


def elided_label(name: str = "") -> QLabel:
    """Return a plain-text label on one line, whose end is elided where it has no room."""
    label = _label(_Elided(textFormat=Qt.TextFormat.PlainText), name)
    label.setMinimumWidth(1)  # the text may be long: it must not widen the window
    return label


def rich_label(name: str = "") -> QLabel:
    """Return a label for safe HTML, as produced by `posenc_gui.labs.text.lab_markdown`."""
    return _label(QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True), name)


def line_field(says: str, such_as: str = "", *, most: int = 32_767, clears: bool = False) -> LineField:
    """Return a field for one line of text, of so many characters at most; `such_as` stands in it while it is empty."""
    field = LineField(placeholderText=such_as, maxLength=most, clearButtonEnabled=clears)
    field.setAccessibleName(says)
    return field


def text_field(says: str, such_as: str = "", *, height: int) -> TextField:
    """Return a field for several lines of text, of this height in pixels, which Tab leaves."""
    field = TextField(placeholderText=such_as, tabChangesFocus=True)
    field.setAccessibleName(says)
    field.setFixedHeight(height)
    return field


def show_words(label: QLabel, words: str) -> None:
    """Show words in a label, which is hidden while it has none."""
    label.setText(words)
    label.setVisible(bool(words))


def tool_button(
    text: str = "", says: str = "", *, hint: str = "", framed: bool = False, name: str = "", does: Does | None = None
) -> QToolButton:
    """Return a small button; `says` is its accessible name, for when its text alone is not clear to a screen reader."""
    button = ToolButton()
    button.setObjectName(name)
    button.setText(text)
    button.setAccessibleName(says or text)
    button.setToolTip(hint)
    button.setProperty("framed", framed)
    if does:
        button.clicked.connect(does)
    return button


def wrap_tooltip(words: str) -> str:
    """Return a tooltip that shows `words` literally and wraps: Qt wraps only rich-text tooltips, so the text is escaped."""
    return f"<p>{escape(words).replace(chr(10), '<br>')}</p>" if words else ""


def explain(widget: QWidget, words: str) -> None:
    """Explain a widget in a tooltip and to screen readers, which would else read the tags by which the tooltip wraps."""
    widget.setToolTip(wrap_tooltip(words))
    widget.setAccessibleDescription(words)


def escape_mnemonics(words: str) -> str:
    """Escape & in the label of a button or check box, where it would mark a mnemonic."""
    return words.replace("&", "&&")


class _PressedByEnter:
    """A button that Enter presses, too, wherever it stands: by itself Qt leaves that to the desktop."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press it on Enter."""
        assert isinstance(self, QAbstractButton)
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)  # type: ignore[misc]  # the button's
        elif not event.isAutoRepeat():
            self.click()


class PushButton(_PressedByEnter, QPushButton):
    """A push button that Enter presses, too."""


class ToolButton(_PressedByEnter, QToolButton):
    """A small button that Enter presses, too."""


class Choices(QComboBox):
    """A combo box that ignores the mouse wheel, so that the surrounding area scrolls. A name too long for the box is elided
    with "…"; the tooltip shows it in full."""

    def __init__(self, says: str) -> None:
        super().__init__()
        # On Linux and macOS Qt gives screen readers the choice as the name, and what is chosen by the label beside it.
        self._heard = QLabel()
        self._heard.setBuddy(self)
        self.destroyed.connect(self._heard.deleteLater)
        self.setAccessibleName(says)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # by Tab and click, not by the wheel
        self.currentTextChanged.connect(self._tell)

    @property
    def seen(self) -> str:
        """The chosen name, elided to the available width."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._seen(option)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the combo box as Qt does, but with a long name elided."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._seen(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the name to the new width."""
        super().resizeEvent(event)
        self._tell()

    def setAccessibleName(self, name: str) -> None:
        """Say what is chosen here."""
        super().setAccessibleName(name)
        self._heard.setText(escape_mnemonics(name))

    def showEvent(self, event: QShowEvent) -> None:
        """Take the label along: Qt looks for it among what stands beside the box."""
        self._heard.setParent(self.parentWidget())
        super().showEvent(event)

    def _tell(self) -> None:
        self.setToolTip("" if self.seen == self.currentText() else wrap_tooltip(self.currentText()))

    def _seen(self, option: QStyleOptionComboBox) -> str:
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(control, option, part, self).width() - _INSIDE
        words = self.currentText() or self.placeholderText()
        return option.fontMetrics.elidedText(words, Qt.TextElideMode.ElideRight, room)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: scrolling a page moves lists under the pointer, and would change their values by accident."""
        event.ignore()


class LineField(QLineEdit):
    """A single-line text field that accepts dropped text; dropped files are left to the window, which opens them. One that is
    too narrow for its text shows the text's beginning once it is left."""

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the beginning, unless the keyboard comes back from another window or a menu."""
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self.home(False)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept dropped text; ignore files."""
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragEnterEvent(event)


class TextField(QPlainTextEdit):
    """A multi-line text field that accepts dropped text; dropped files are left to the window, which opens them."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept text; refuse files."""
        return not source.hasUrls() and super().canInsertFromMimeData(source)


class FileProgress(QWidget):
    """What is being read or written beside the UI thread, with Stop; hidden while nothing is."""

    def __init__(self, stops: str, name: str) -> None:
        super().__init__()
        self._words = elided_label("muted")
        self._stop = tool_button("Stop", stops, framed=True, name=name)
        self.stop_wanted: SignalInstance = self._stop.clicked
        in_row(self._words, self._stop, of=self)
        self.hide()

    def show_working(self, words: str, can_stop: bool) -> None:
        """Show what is being done, with Stop if possible; hide both for an empty text."""
        self._words.setText(words)
        self._stop.setVisible(can_stop)
        self.setVisible(bool(words))


def push_button(text: str, does: Does | None = None, *, accent: bool = False, hint: str = "") -> PushButton:
    """Return a push button; `accent` highlights it as the main action."""
    button = PushButton(text)
    button.setToolTip(hint)
    button.setProperty("accent", accent)
    if does:
        button.clicked.connect(does)
    return button


def set_styled(widget: QWidget, name: str, value: object) -> None:
    """Set a property on which the style sheet's look of a widget depends."""
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def discard(widget: QWidget) -> None:
    """Remove a widget at once: `deleteLater` does so only later."""
    widget.hide()
    widget.deleteLater()


def scrolling_column(says: str) -> tuple[QScrollArea, QVBoxLayout]:
    """Return a vertical scroll area and the layout inside it; `says` is its accessible name, since it can have the focus."""
    content = QWidget()
    content.setObjectName("scrolled")
    column = in_column(of=content, around=(0, 0, 6, 0))
    area = QScrollArea(widgetResizable=True)
    area.setAccessibleName(says)
    area.setObjectName("scrolls")
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    return area, column


def layout_height(layout: QLayout, width: int) -> int:
    """Return the height in pixels that a layout needs at a given width, with its labels wrapped."""
    return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()


def scroll_into_view(widget: QWidget) -> None:
    """Scroll every scroll area that contains the widget until it is visible."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()


def scroll_into_view_soon(widget: QWidget) -> None:
    """Scroll the widget into view once it has been laid out."""
    QTimer.singleShot(0, widget, partial(scroll_into_view, widget))


def delayed(owner: QObject, does: Does, after: int = 0) -> QTimer:
    """Return a timer, which does something so many milliseconds after it was started last."""
    timer = QTimer(owner, singleShot=True, interval=after)
    timer.timeout.connect(does)
    return timer


class _Plain(QLabel):
    def setText(self, text: str) -> None:
        """Show a text; shorten a very long one, such as a path, in the middle."""
        if len(text) > _LONGEST:
            from posenc_gui.foundation.unicode_text import shorten_middle  # not needed for the first paint

            text = shorten_middle(text, _LONGEST)
        super().setText(text)


class _Elided(_Plain):
    """One line of text; a text that is cut is told whole by the tooltip."""

    def setText(self, text: str) -> None:
        """Show a text."""
        super().setText(text)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the text to the new width."""
        super().resizeEvent(event)
        self._tell()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what has room."""
        painter = QStylePainter(self)
        painter.drawItemText(
            self.rect(), int(self.alignment()), self.palette(), self.isEnabled(), self._seen, self.foregroundRole()
        )

    @property
    def _seen(self) -> str:
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())

    def _tell(self) -> None:
        explain(self, "" if self._seen == self.text() else self.text())


def _label(label: QLabel, name: str) -> QLabel:
    label.setObjectName(name)
    if label.wordWrap():
        label.setMinimumWidth(1)  # otherwise the longest word would set a card's minimum width
    return label


def redoes(event: QKeyEvent) -> bool:
    """Return True for the keys that redo."""
    return QKeySequence(event.keyCombination()).toString() in REDO


def shift_of(event: QKeyEvent) -> int:
    """Return by how many rows Alt with an arrow key moves a row: −1 or 1; 0 for other keys."""
    return _SHIFTS.get(event.key(), 0) if event.modifiers() & Qt.KeyboardModifier.AltModifier else 0
