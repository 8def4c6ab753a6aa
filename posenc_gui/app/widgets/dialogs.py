"""Dialogs of one look: a page with room around it, and below it a foot with the buttons, the filled one last."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import (
    add_to,
    in_column,
    in_row,
    layout_height,
    plain_label,
    push_button,
    scrolling_column,
)
from posenc_gui.app.widgets.style_sheet import dress, scaled
from posenc_gui.foundation.theme import GAP, PADDING, SMALL, TIGHT

HIGHEST = 704  # pixels: a dialog with its frame has room on a screen of 768
_FRAME = QSize(40, 80)  # pixels that the desktop takes around a window, or a little more
_FROM_THE_CORNER = QPoint(24, 48)  # pixels of a side dialog from the window's upper right corner
_READ, _ASKED = 560, 440  # pixels: the widths of a text and of a question


class Dialog(QDialog):
    """A page, `body`, and a foot that a dialog with buttons has. Escape closes it, and Enter presses the filled button alone."""

    def __init__(self, title: str, parent: QWidget, kind: Qt.WindowType = Qt.WindowType.Dialog) -> None:
        super().__init__(parent, kind)
        dress(self)
        self.setWindowTitle(title)
        page = _styled("page")
        self.body = in_column(of=page, gap=scaled(GAP), around=scaled(PADDING))
        self._column = in_column(page, of=self, gap=0, grows=page)

    def add_foot(self, left: Sequence[QWidget], right: Sequence[QPushButton]) -> None:
        """Add the foot: on the left what is beside the matter, on the right the buttons, the filled one last."""
        foot = _styled("foot")
        words = next((widget for widget in left if isinstance(widget, QLabel)), None)
        room = () if words else (None,)
        in_row(*left, *room, *right, of=foot, gap=scaled(SMALL), around=scaled(PADDING), grows=words)
        for pressed in foot.findChildren(QPushButton):
            pressed.setAutoDefault(False)
        self._column.addWidget(foot)

    def fit(self, width: int, height: int) -> None:
        """Resize to this size of the design, at most what has room on its screen and on one of 768 pixels."""
        self.resize(QSize(scaled(width), scaled(height)).boundedTo(self._room))

    def fit_text(self, width: int, area: QScrollArea, column: QVBoxLayout) -> None:
        """Resize to this width of the design, and to the height of the text in a scrolling column."""
        column.setContentsMargins(SMALL, TIGHT, SMALL, TIGHT)
        policy = Qt.FocusPolicy
        area.setFocusPolicy(policy.NoFocus)
        area.verticalScrollBar().rangeChanged.connect(
            lambda low, high: area.setFocusPolicy(policy.StrongFocus if high > low else policy.NoFocus)
        )
        for widget in (self, *self.findChildren(QWidget)):
            widget.ensurePolished()  # so that frames are as wide as the style sheet says
        wide, frame = min(scaled(width) + 2 * SMALL, self._room.width()), 2 * area.frameWidth()
        around = self.sizeHint() - area.sizeHint() + QSize(frame, frame)
        needed = around.height() + layout_height(column, wide - 2 * scaled(PADDING) - frame)
        self.resize(QSize(wide, needed).boundedTo(self._room))

    @property
    def _room(self) -> QSize:
        room = self.screen().availableSize() - _FRAME
        return QSize(room.width(), min(room.height(), HIGHEST))


class PassingDialog(Dialog):
    """A dialog that is deleted when it is closed, since it is made anew each time it is asked for."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)


class QuestionDialog(PassingDialog):
    """A question that must be answered first: a sentence, and a button for each answer, the last one filled and pressed by
    Enter. Escape gives no answer."""

    def __init__(self, title: str, words: str, answers: Sequence[str], parent: QWidget) -> None:
        super().__init__(title, parent)
        self._answer = ""
        self.body.addWidget(plain_label(words))
        *others, last = (
            push_button(answer, partial(self._on_answered, answer), accent=answer == answers[-1]) for answer in answers
        )
        self.add_foot((), (*others, last))
        last.setDefault(True)
        last.setFocus()
        self.setFixedWidth(scaled(_ASKED))

    def ask(self) -> str:
        """Show it until it is answered, and return the answer; empty without one."""
        self.exec()
        return self._answer

    def _on_answered(self, answer: str) -> None:
        self._answer = answer
        self.accept()


class SideDialog(Dialog):
    """A dialog at the window's upper right corner, beside which the window is used; the window's keys work in it, too."""

    def __init__(self, title: str, window: QWidget) -> None:
        super().__init__(title, window, Qt.WindowType.Tool)
        self._window = window

    def bring_to(self, first: QWidget) -> None:
        """Show it in front, with the keyboard in this widget."""
        self.show()
        self.raise_()
        self.activateWindow()
        first.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Move to the window's right side, where it covers the least."""
        super().showEvent(event)
        corner = self._window.mapToGlobal(QPoint(self._window.width() - self.width(), 0))
        self.move(corner.x() - _FROM_THE_CORNER.x(), corner.y() + _FROM_THE_CORNER.y())


class TextPage(PassingDialog):
    """A text that can be copied, and scrolled if it is long, in a non-modal window."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        area, column = scrolling_column(title)
        words = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        add_to(column, words, None)
        self.body.addWidget(area, 1)
        self.fit_text(_READ, area, column)


def _styled(name: str) -> QWidget:
    widget = QWidget()
    widget.setObjectName(name)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget
