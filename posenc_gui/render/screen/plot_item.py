"""The plot of a panel: a title, and below it the area in which the panel is drawn."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtWidgets import QGraphicsGridLayout, QSizePolicy

EDGE = 1.0  # pixels of margin on all sides
_TITLE, _ABOVE, _AREA = range(3)  # rows


class PlotBox(pg.GraphicsWidget):
    """A title's row, the headings' row, and the area. The view box, in which the mouse pans and zooms, is put by the caller.

    pyqtgraph's PlotItem also makes menus and some sixty widgets, which take most of the time of building a panel and are
    visited whenever the window's colours change.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._places = QGraphicsGridLayout(self)
        self._places.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        self._places.setSpacing(0)
        self.vb = pg.ViewBox(self, enableMenu=False)
        self.vb.setMouseEnabled(False, False)
        self.vb.setDefaultPadding(0)
        self.area = pg.GraphicsWidget(self)
        self._places.addItem(self.area, _AREA, 0)
        self._places.setRowStretchFactor(_AREA, 1)

    def put_title(self, title: pg.GraphicsWidget) -> None:
        """Put a title over the area."""
        self._places.addItem(title, _TITLE, 0)

    def leave_above(self, height: float) -> None:
        """Leave this height between the title and the area."""
        if height != self._places.rowMinimumHeight(_ABOVE):
            self._places.setRowFixedHeight(_ABOVE, height)

    def settle(self) -> None:
        """Lay out now, not after the next paint."""
        self._places.activate()
