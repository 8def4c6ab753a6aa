"""The graphics widget: a warning raised inside a paint can't end the process, nor other items a drag."""

from __future__ import annotations

import sys
import warnings

import pyqtgraph as pg
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QGraphicsObject, QGraphicsScene


class Graphics(pg.GraphicsLayoutWidget):
    """pyqtgraph's widget; if warnings are errors, those raised while painting go to `sys.excepthook` afterwards.

    An exception that leaves an item's paint stays pending while Qt paints the others, for which PySide (6.8 to 6.12) then
    calls methods through null pointers: the process crashes. And the next release of any library may warn.
    """

    def __init__(self) -> None:
        super().__init__()
        # Items follow the bounds of others and hear of a change afterwards: too late for Qt's index, which then keeps
        # stale entries. Without an index Qt visits each of the few items.
        self.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self._placed: list[QGraphicsObject] = []

    def place(self, item: QGraphicsObject) -> None:
        """Take an item, which the caller puts in its place, in pixels of the view."""
        item.setParentItem(self.ci)
        self._placed.append(item)

    def remove_all(self) -> None:
        """Remove all items; pyqtgraph would send the next steps of a drag to one of them."""
        scene = self.scene()
        for item in self._placed:
            scene.removeItem(item)
        self._placed, scene.dragItem, scene.lastHoverEvent = [], None, None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the mouse; a drag whose item was removed goes on with what stands there now."""
        scene = self.scene()
        if scene.dragItem is None:
            scene.dragButtons = []  # pyqtgraph then looks for an item
        super().mouseMoveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint while recording warnings, then pass the warnings to Python's warning filters."""
        if all(action != "error" for action, *_ in warnings.filters):
            super().paintEvent(event)
            return
        with warnings.catch_warnings(record=True) as held:
            warnings.simplefilter("always")
            super().paintEvent(event)
        for one in held:
            try:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            except Warning as error:
                error.add_note(f"Warned of in a paint, at {one.filename}:{one.lineno}.")
                sys.excepthook(type(error), error, error.__traceback__)
