"""Dialogs that are deleted when they are closed, and the plainest of them: a page to read."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import layout_height, scrolling_column
from posenc_gui.app.widgets.style_sheet import scaled

HIGHEST = 704  # pixels: a dialog with its frame has room on a screen of 768
_FRAME = QSize(40, 80)  # pixels that the desktop takes around a window, or a little more


class PassingDialog(QDialog):
    """A dialog that is deleted when it is closed, since it is made anew each time it is asked for."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)


class Page(PassingDialog):
    """A text that can be copied, and scrolled if it is long, with a Close button, in a non-modal window."""

    def __init__(self, title: str, text: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        area, column = scrolling_column(title)
        words = QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(words)
        column.addStretch(1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        outer = QVBoxLayout(self)
        outer.addWidget(area, 1)
        outer.addWidget(buttons)
        area.ensurePolished()  # so that the frame is as wide as the style sheet says
        frame, width = 2 * area.frameWidth(), scaled(560)
        around = self.sizeHint() - area.sizeHint() + QSize(frame, frame)
        needed = around.height() + layout_height(column, width - around.width())
        fitting = QSize(width, min(scaled(640), needed, HIGHEST))
        self.resize(fitting.boundedTo(self.screen().availableSize() - _FRAME))
