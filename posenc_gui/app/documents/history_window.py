"""The history: all steps of the session by name. Choosing one goes to it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from posenc_gui.app.state.store import Store
from posenc_gui.app.widgets.controls import plain_label
from posenc_gui.app.widgets.dialogs import SideDialog

_SIZE = 320, 440  # pixels
_HOW = "Choose a step to go to it. Later steps are kept until you change something."


class HistoryWindow(SideDialog):
    """A small window beside the work: a card would take a column of pictures from everyone who rarely looks back.

    A click or an arrow key chooses a row, and the window shows that step's session.
    """

    def __init__(self, store: Store, parent: QWidget) -> None:
        super().__init__("History", parent)
        self._store = store
        self._steps = QListWidget()
        self._steps.setUniformItemSizes(True)
        self._steps.setAccessibleName("Steps, the oldest first")
        self._steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._steps.currentRowChanged.connect(store.go)
        self.body.addWidget(self._steps, 1)
        self.add_foot((plain_label(_HOW, "muted"),), ())
        self.fit(*_SIZE)
        store.changed.connect(self._on_changed)
        store.held.connect(self._on_changed)

    def bring(self) -> None:
        """Show it in front, with the keyboard in the list."""
        self.bring_to(self._steps)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the current steps."""
        super().showEvent(event)
        self._show_steps()

    def changeEvent(self, event: QEvent) -> None:
        """Write the steps in the new theme's ink."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self.isVisible():
            self._show_steps()

    def _on_changed(self) -> None:
        if self.isVisible():
            self._show_steps()

    def _show_steps(self) -> None:
        names, now = self._store.history, self._store.at
        with QSignalBlocker(self._steps):
            while self._steps.count() > len(names):
                self._steps.takeItem(self._steps.count() - 1)
            self._steps.addItems(names[self._steps.count() :])
            for row, name in enumerate(names):
                self._mark(self._steps.item(row), name, row - now)
            self._steps.setCurrentRow(now)
        self._steps.scrollToItem(self._steps.currentItem())

    def _mark(self, item: QListWidgetItem, name: str, ahead: int) -> None:
        """Mark, by colour and for screen readers, the current step and undone ones."""
        group = QPalette.ColorGroup.Disabled if ahead > 0 else QPalette.ColorGroup.Active
        item.setText(name)
        item.setForeground(self.palette().brush(group, QPalette.ColorRole.Text))
        said = "undone" if ahead > 0 else "done" if ahead else "current"
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{name}, {said}")
