"""The widget that panels are drawn in: a warning inside its paint can't end the process."""

from __future__ import annotations

import sys
import warnings

import pyqtgraph as pg
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QGraphicsScene


class Graphics(pg.GraphicsLayoutWidget):
    """pyqtgraph's widget; where warnings are errors, those of a paint are raised when it is over, to `sys.excepthook`.

    An exception that leaves an item's paint waits until Qt has painted all others, and PySide (6.8 to 6.12) then calls
    methods of theirs that have no address: the process ends. And the next release of any library may warn.
    """

    def __init__(self) -> None:
        super().__init__()
        # What items fill follows the room of others, of which they hear when it has changed: too late for Qt's index, which
        # then keeps those that are gone. Without it Qt looks at each of the few there are.
        self.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint; then let the filters judge what was warned of."""
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
