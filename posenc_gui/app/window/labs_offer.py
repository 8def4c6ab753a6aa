"""Labs are offered once: at a first start, at the foot of the column, until the offer is taken or closed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from posenc_gui.app.state.preferences import Preferences
from posenc_gui.app.widgets.controls import plain_label, push_button, tool_button
from posenc_gui.app.widgets.link_rows import Row
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation.theme import GAP
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library


class LabsOffer(QWidget):
    """Says what a lab is and begins the first; the usual row of the labs stands in its place otherwise."""

    def __init__(self, row: Row, preferences: Preferences, begin: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("labsOffer")
        self._row, self._preferences, self._begin = row, preferences, begin
        take, close = push_button("Begin with the first"), tool_button("Not now", "Not now: no lab")
        take.clicked.connect(self._on_taken)
        close.clicked.connect(self.end)
        buttons = QHBoxLayout()
        buttons.addWidget(take)
        buttons.addWidget(close)
        buttons.addStretch(1)
        labs = format_count(len(lab_library.names()), "lab")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, scaled(GAP), 0, 0)
        column.addWidget(plain_label("Would you rather guess first?", "cardTitle"))
        column.addWidget(
            plain_label(
                f"In a lab you predict, try it here, and see what was right. {labs}, at most 20 minutes each.", "muted"
            )
        )
        column.addLayout(buttons)
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a hairline above it."""
        painter = QPainter(self)
        painter.setPen(self.palette().mid().color())
        painter.drawLine(0, 0, self.width(), 0)

    def offer(self) -> None:
        """Show the offer, unless it was taken or closed before."""
        self._show(not self._preferences.settings.offered_labs)

    def end(self) -> None:
        """Close the offer for good."""
        if not self.isHidden():
            self._preferences.keep(offered_labs=True)
            self._show(False)

    def _show(self, shown: bool) -> None:
        self.setVisible(shown)
        self._row.setHidden(shown)

    def _on_taken(self) -> None:
        self.end()
        self._begin()
