"""The three pages of a step: what is asked, what is done, and what is then told."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from posenc_gui.app.widgets.controls import plain_label, scroll_into_view, scrolling_column
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import GAP, TIGHT

PAGES = ("Ask", "Do", "Tell")


class StepPages(QWidget):
    """A tab for each page, with how far it is written; each page scrolls by itself."""

    turned = Signal()  # to another page

    def __init__(self) -> None:
        super().__init__()
        self.tabs, self._stack = QTabBar(drawBase=False, expanding=True), QStackedWidget()
        self.tabs.setAccessibleName("Pages of the step")
        self._states = [plain_label("", "muted", wraps=False) for _ in PAGES]
        self._areas: list[QWidget] = []
        self._columns: list[QVBoxLayout] = []
        for number, name in enumerate(PAGES, 1):
            area, column = scrolling_column(name)
            column.setSpacing(scaled(GAP))
            self._areas.append(area)
            self._columns.append(column)
            self._stack.addWidget(area)
            self.tabs.addTab(f"{number} {name}")
        self.tabs.currentChanged.connect(self._on_turned)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.tabs)
        states = QHBoxLayout()
        states.setContentsMargins(0, scaled(TIGHT), 0, scaled(GAP))
        for label in self._states:
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            states.addWidget(label, 1)
        outer.addLayout(states)
        outer.addWidget(self._stack, 1)

    @property
    def at(self) -> int:
        """The page that is shown."""
        return self.tabs.currentIndex()

    def fill(self, page: int, parts: Sequence[QWidget]) -> None:
        """Put widgets on a page, from top to bottom."""
        for part in parts:
            self._columns[page].addWidget(part)
        self._columns[page].addStretch(1)

    def go(self, page: int) -> None:
        """Show a page."""
        self.tabs.setCurrentIndex(page)

    def page_of(self, field: QWidget) -> int:
        """Return the page on which a field stands."""
        return next(page for page, area in enumerate(self._areas) if area.isAncestorOf(field))

    def bring(self, field: QWidget) -> None:
        """Show a field, on its page, and give it the keyboard."""
        self.go(self.page_of(field))
        scroll_into_view(field)
        field.setFocus()

    def tell(self, states: Sequence[str]) -> None:
        """Say below the name of each page how far it is written."""
        for page, state in enumerate(states):
            self._states[page].setText(state)
            self.tabs.setTabToolTip(page, state)  # heard with the tab

    def _on_turned(self, page: int) -> None:
        self._stack.setCurrentIndex(page)
        self.turned.emit()
