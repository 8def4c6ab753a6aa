"""The plot item of a panel: a view box with axes at its sides."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QPainter, QPicture
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QSizePolicy

_SIDES = {"top": (1, 1), "left": (2, 0), "right": (2, 2), "bottom": (3, 1)}  # rows and columns; the title's row is 0
_BOX = (2, 1)
EDGE = 1.0  # pixels of margin on all sides
_MOST = 100  # stretch factor, against 1 of each axis
_OVER_PICTURE = 0.5
_ROUNDS = 3  # of laying out, each of which may tell axes of another length


class PlotBox(pg.GraphicsWidget):
    """A view box and its axes.

    pyqtgraph's PlotItem also makes menus and some sixty widgets, which take most of the time of building a panel and are
    visited whenever the window's colours change.
    """

    def __init__(self, axes: dict[str, pg.AxisItem]) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.places = QGraphicsGridLayout(self)
        self.places.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        self.places.setSpacing(0)
        self.places.setRowStretchFactor(_BOX[0], _MOST)
        self.places.setColumnStretchFactor(_BOX[1], _MOST)
        self.vb = pg.ViewBox(self, enableMenu=False)
        self.places.addItem(self.vb, *_BOX)
        self._axes = axes
        for side, axis in axes.items():
            axis.linkToView(self.vb)
            axis.setZValue(_OVER_PICTURE)
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            self.places.addItem(axis, *_SIDES[side])

    def leave_after(self, room: float) -> None:
        """Leave this width free after the view box, where there is no axis."""
        self.places.setColumnFixedWidth(_SIDES["right"][1], room)

    def settle(self) -> None:
        """Lay out now what the next paints would: pyqtgraph learns in a paint how wide numbers are."""
        for _ in range(_ROUNDS):
            self.places.activate()
            for axis in self._axes.values():
                if axis.picture is None:
                    _draw_aside(axis)
            if self.places.isActivated():
                return

    def getAxis(self, side: str) -> pg.AxisItem:  # (as pyqtgraph calls it)
        """The axis at a side."""
        return self._axes[side]


def _draw_aside(axis: pg.AxisItem) -> None:
    """Let an axis make the picture of itself that it keeps for its next paint."""
    nowhere = QPicture()
    painter = QPainter(nowhere)
    axis.paint(painter, None, None)
    painter.end()
