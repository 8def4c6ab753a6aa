"""Links on the screen: two columns of tokens, with a line from each token to its position in the other column."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Links
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.colour_scales import label_colour, strength_colour
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.screen.axes import BareAxis
from posenc_gui.render.screen.fonts import label_room, line_height, measured
from posenc_gui.render.screen.panel_view import PanelView, PixelItem, Spot

_LONGEST_LABEL = 0.34  # maximum share of the panel's width; about a third is left for the lines
_AIR = 5.0  # pixels between a label and its line
_THICKEST = 5.0  # pixels of the line with the highest value


class LinksView(PanelView):
    def __init__(self, colours: Roles) -> None:
        self._heads = _Heads(colours)
        super().__init__(colours, {"top": self._heads})
        self.plot.vb.invertY(True)
        self.plot.vb.setDefaultPadding(0)
        self.plot.vb.setMouseEnabled(False, True)
        self._lines = _LinkLines(colours, self.plot.vb)
        self._extent = QRectF()

    def show(self, panel: Links) -> None:
        self.panel = panel
        self.title.show_text(panel.title)
        self._heads.set_names(panel.left.title, panel.right.title)
        first = min(panel.left.first, panel.right.first)
        last = max(axis.first + len(axis.labels) for axis in (panel.left, panel.right))
        extent = QRectF(0, first - 0.5, 1, last - first)
        self._lines.show_links(panel)
        if extent != self._extent:
            self._extent = extent
            self.reset()

    def show_pointer(self, pointer: Pointer) -> None:
        at = (pointer.along(self.panel.left.role), pointer.along(self.panel.right.role))
        known = [(side, end) for side, end in enumerate(at) if end is not None]
        marked = (line for line, ends in enumerate(self.panel.ends) if all(ends[side] == end for side, end in known))
        self._lines.mark(next(marked, None) if known else None)

    def reset(self) -> None:
        extent = self._extent
        self.plot.vb.setLimits(
            xMin=0, xMax=1, yMin=extent.top(), yMax=extent.bottom(), minYRange=min(2.0, extent.height())
        )
        self.plot.vb.setRange(extent, padding=0)

    def start(self) -> Spot:
        starts = [left for left, _ in self.panel.ends]
        return 0, self.panel.left.focus if self.panel.left.focus in starts else min(starts)

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Left and right follow the line to its other end and, from there, over the edge; up and down go to the next token
        # of the column that has a line.
        nowhere = math.floor(self._extent.top()) - 1
        if dx:
            line = self.panel.at(x, y)
            return (x + dx, self.panel.ends[line][x + dx]) if x + dx in (0, 1) else (x, nowhere)
        further = [ends[x] for ends in self.panel.ends if (ends[x] - y) * dy > 0]
        return x, min(further, key=lambda end: abs(end - y), default=nowhere)


class _LinkLines(PixelItem):
    """The labels of both columns and the lines between them."""

    def __init__(self, colours: Roles, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._colours = colours
        self._panel: Links | None = None
        self._shares = np.zeros(0)
        self._columns: tuple[_LabelColumn, ...] = ()
        self._marked: int | None = None
        box.sigResized.connect(self._arrange)

    def show_links(self, panel: Links) -> None:
        self._panel = panel
        self._shares = np.clip(panel.values / panel.high, 0, 1)
        self._marked = None
        self._arrange()
        self.update()

    def mark(self, line: int | None) -> None:
        """Highlight the line under the pointer."""
        if line != self._marked:
            self._marked = line
            self.update()

    def _arrange(self) -> None:
        if self._panel is not None:
            room = min(_LONGEST_LABEL * self.box.width(), label_room())
            left, right = self._panel.left, self._panel.right
            self._columns = _LabelColumn(left, room, on_right=False), _LabelColumn(right, room, on_right=True)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw lines with high values over those with low ones, labels where they have room, and the marked line's."""
        if self._panel is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(QFont())
        left, right = self._columns
        thickest = max(1.0, min(_THICKEST, 0.5 * self.box.childTransform().m22()))  # wider than 1 draws slowly
        start, end = left.width + _AIR, self.box.width() - right.width - _AIR
        for line in np.argsort(self._shares, kind="stable"):
            share = float(self._shares[line])
            colour = strength_colour(self._colours, share)
            self._paint_line(
                painter, self._panel.ends[line], start, end, QPen(QColor(colour), 1 + share * (thickest - 1))
            )
        if self._marked is not None:
            self._paint_line(painter, self._panel.ends[self._marked], start, end, QPen(QColor(self._colours.ink), 2.5))
        for side, column in enumerate(self._columns):
            marked = [] if self._marked is None else [self._panel.ends[self._marked][side]]
            column.paint(painter, self.box, marked, self._colours)

    def _paint_line(self, painter: QPainter, ends: tuple[int, int], start: float, end: float, pen: QPen) -> None:
        """Draw an S-shaped curve from the left column to the right one, horizontal at both ends."""
        to_pixels = self.box.childTransform()
        top, bottom = (to_pixels.map(QPointF(0, height)).y() for height in ends)
        path = QPainterPath(QPointF(start, top))
        middle = (start + end) / 2
        path.cubicTo(QPointF(middle, top), QPointF(middle, bottom), QPointF(end, bottom))
        painter.strokePath(path, pen)


class _LabelColumn:
    """The labels of one order, beside the lines' ends."""

    def __init__(self, axis: Axis, room: float, on_right: bool) -> None:
        self._axis = axis
        self._texts = [elided(visible(label), room, measured()) for label in axis.labels]
        self._on_right = on_right
        self._line = line_height(self._texts)
        self.width = longest(set(self._texts), measured())

    def paint(self, painter: QPainter, box: pg.ViewBox, marked: list[int], colours: Roles) -> None:
        """Draw the marked labels, that of the token in focus, and as many others as don't overlap."""
        # Arabic would change sides without AlignAbsolute.
        flags = Qt.AlignmentFlag.AlignLeft if self._on_right else Qt.AlignmentFlag.AlignRight
        flags |= Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        axis, (low, high) = self._axis, box.viewRange()[1]
        first, last = axis.first, axis.first + len(self._texts) - 1
        seen = range(max(first, math.ceil(low)), min(last, math.floor(high)) + 1)
        named = [*marked, *([] if axis.focus is None else [axis.focus])]
        pitch = max(1e-9, box.childTransform().m22())
        for at in thinned(seen, pitch, self._line, named, lambda at: self._middle(box, at)):
            painter.setPen(QColor(label_colour(axis, at, colours)))
            left = box.width() - self.width if self._on_right else 0.0
            place = QRectF(left, self._middle(box, at) - self._line / 2, self.width + 1, self._line)
            painter.drawText(place, flags, self._texts[at - first])

    def _middle(self, box: pg.ViewBox, at: int) -> float:
        """The height of a label's middle: beside its row, but never clipped at the plot's edge."""
        beside = float(box.childTransform().map(QPointF(0, at)).y())
        return max(self._line / 2, min(float(box.height()) - self._line / 2, beside))


class _Heads(BareAxis):
    """The headings of both columns."""

    def __init__(self, colours: Roles) -> None:
        super().__init__("top", colours.card)
        self._colours = colours
        self._names = "", ""
        self.setHeight(line_height() + 8)

    def set_names(self, left: str, right: str) -> None:
        self._names = left, right
        self.picture = None
        self.update()

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw both headings above the first row, or none if they would touch."""
        room = QRectF(0, 0, self.width(), self.height() - 3)
        if sum(map(measured(), self._names)) + 8 > room.width():
            return
        painter.setFont(QFont())
        painter.setPen(QColor(self._colours.muted))
        for name, side in zip(self._names, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True):
            painter.drawText(room, side | Qt.AlignmentFlag.AlignBottom, visible(name))
