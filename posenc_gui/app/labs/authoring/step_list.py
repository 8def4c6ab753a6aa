"""The steps of a lab's file, to be reordered and removed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from posenc_gui.app.widgets.controls import plain_label, push_button, shift_of, show_words
from posenc_gui.app.widgets.dialogs import PassingDialog
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import TIGHT
from posenc_gui.foundation.wording import quote
from posenc_gui.labs.definition.lab import Lab

_SIZE = 440, 420  # pixels
_HINT = (
    "Drag a step, or press Alt+Up or Alt+Down; Delete removes it. Nothing is written until you press “Write the lab”."
)


class StepList(PassingDialog):
    """The titles of a lab's steps in a list; what becomes of it is written only once that is wanted."""

    wanted = Signal(object)  # tuple[int, ...]: which of the lab's steps stay, in their new order

    def __init__(self, lab: Lab, parent: QWidget) -> None:
        super().__init__(f"Steps of {quote(lab.title)}", parent)
        self.lab = lab
        self.rows = _StepTitles([step.title for step in lab.steps])
        self.up, self.down, self.remove = push_button("Up"), push_button("Down"), push_button("Remove")
        self.write = push_button("Write the lab", accent=True)
        self._refusal = plain_label("", "refusal")
        for button, act in (
            (self.up, partial(self.rows.shift, -1)),
            (self.down, partial(self.rows.shift, 1)),
            (self.remove, self.rows.remove),
            (self.write, lambda: self.wanted.emit(self.rows.order)),
        ):
            button.clicked.connect(lambda _=False, act=act: act())
        self.rows.changed.connect(self._show_possible)
        self.rows.currentRowChanged.connect(self._show_possible)
        for part in (plain_label(_HINT, "muted"), self.rows, self._refusal):
            self.body.addWidget(part)
        self.add_foot((self.up, self.down, self.remove), (self.write,))
        self.fit(*_SIZE)
        self.say("")
        self._show_possible()

    def say(self, why: str) -> None:
        """Report why the lab was not written; an empty text clears the report."""
        show_words(self._refusal, why)

    def _show_possible(self) -> None:
        row, count = self.rows.currentRow(), self.rows.count()
        self.up.setEnabled(row > 0)
        self.down.setEnabled(row < count - 1)
        self.remove.setEnabled(count > 1)  # a lab has at least one
        self.write.setEnabled(self.rows.order != tuple(range(len(self.lab.steps))))


class _StepTitles(QListWidget):
    """Titles that are moved by dragging or by Alt and arrow keys, and removed by Delete."""

    changed = Signal()

    def __init__(self, titles: list[str]) -> None:
        super().__init__()
        self.setAccessibleName("Steps in order")
        self.setAccessibleDescription("Alt with arrow keys moves a step, Delete removes it.")
        self.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSpacing(scaled(TIGHT) // 2)
        for at, title in enumerate(titles):
            row = QListWidgetItem(title)
            row.setData(Qt.ItemDataRole.UserRole, at)
            row.setFlags(row.flags() & ~Qt.ItemFlag.ItemIsDropEnabled)  # else a step dropped on another one replaces it
            self.addItem(row)
        self.setCurrentRow(0)
        for signal in (self.model().rowsMoved, self.model().rowsInserted, self.model().rowsRemoved):
            signal.connect(self.changed)

    @property
    def order(self) -> tuple[int, ...]:
        """Which titles stay, by their numbers at first."""
        return tuple(self.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.count()))

    def shift(self, by: int) -> None:
        """Move the chosen title, if there is a place."""
        row = self.currentRow()
        if 0 <= row + by < self.count():
            self.insertItem(row + by, self.takeItem(row))
            self.setCurrentRow(row + by)

    def remove(self) -> None:
        """Remove the chosen title, unless it is the only one."""
        if self.count() > 1:
            self.takeItem(self.currentRow())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the chosen title on Alt and an arrow key, and remove it on Delete or Backspace."""
        if by := shift_of(event):
            self.shift(by)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.remove()
        else:
            super().keyPressEvent(event)
