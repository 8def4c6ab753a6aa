"""Give a plot of many pictures, or a long table, the room of all plots where its parts would be too small or out of sight."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.widgets.style_sheet import scaled

_LEAST = 28  # pixels of a cell's smaller side


class RoomForCells(QObject):
    """Looks at one plot whenever it is drawn or has another size.

    It gives room once each time that the plot comes into view: whoever takes the room back then keeps it.
    """

    def __init__(self, card: Card, arranger: Arranger, smallest_cell: Callable[[], float]) -> None:
        super().__init__(card)
        self._card, self._arranger, self._smallest_cell = card, arranger, smallest_cell
        self._has_given = False
        self._looking = QTimer(self, singleShot=True, interval=0)  # once the card has its size
        self._looking.timeout.connect(self._look)
        card.room_changed.connect(self._looking.start)
        card.came_into_view.connect(self._begin)

    def look_soon(self) -> None:
        """Look again at the picture, which is another one now."""
        self._looking.start()

    def _begin(self) -> None:
        self._has_given = False
        self._looking.start()

    def _look(self) -> None:
        if not self._card.in_view or self._has_given:
            return
        if self._arranger.maximised is not self._card and self._smallest_cell() < scaled(_LEAST):
            self._arranger.give_room(self._card)
        self._has_given = self._arranger.maximised is self._card
