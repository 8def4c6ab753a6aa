"""Axes of panels: labels of cells, and numbers on a linear or logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from posenc_gui.figure.axis import Axis
from posenc_gui.foundation.theme import CORNER, TIGHT, Roles
from posenc_gui.render.drawings.motion import Standing
from posenc_gui.render.layout.cell_labels import ABOVE, BESIDE, Angle, CellLabels
from posenc_gui.render.layout.colour_scales import label_colour
from posenc_gui.render.layout.text_fit import elided
from posenc_gui.render.screen.fonts import TOKEN_ROOM, caption, line_height, measured, screen_style
from posenc_gui.render.screen.panel_view import pen

_TICK_AIR = 14.0  # pixels between numbers along an x axis
_LEAST_TICK = 40.0  # pixels from number to number there
_TICK = 5.0  # pixels from an x axis to its numbers
AFTER = 20.0  # pixels from the end of an axis to the text after it
_LINES_APART = 2.5  # lines of text from number to number along other axes
_LINES_APART_LOG = 1.5  # on a logarithmic scale, where powers of ten say little each
_TALL = 24.0  # pixels: the box in which a label is centred
_OVER = 8.0  # pixels that a label may extend over the edge of a map, where a neighbour's label may be
_BEYOND = 18  # pixels that a label may extend over the end of its axis, which every plot leaves free
_GRID = 38  # opacity of grid lines, of 255
_LARGEST_POWER = 300  # of ten that a float can hold


class BareAxis(pg.AxisItem):
    """An empty axis: room along a side of a plot for text that a panel draws itself."""

    def __init__(self, orientation: str, line: str) -> None:
        super().__init__(orientation, pen=pen(line))
        self.setStyle(tickLength=0)
        self.enableAutoSIPrefix(False)  # else recomputed at each step of a zoom, for an invisible label

    def generateDrawSpecs(self, painter: QPainter) -> tuple[Any, ...]:
        """Suppress pyqtgraph's own ticks and lines."""
        bounds = self.mapRectFromParent(self.geometry())
        return (self.pen(), bounds.topLeft(), bounds.topLeft()), [], []

    def take_height(self, height: float) -> None:
        """Set the height only if it changed: each call makes pyqtgraph lay everything out again."""
        if height != self.fixedHeight:
            self.setHeight(height)

    def take_width(self, width: float) -> None:
        """Set the width only if it changed."""
        if width != self.fixedWidth:
            self.setWidth(width)

    def redraw(self) -> None:
        """Discard the picture that pyqtgraph caches, and repaint."""
        self.picture = None
        self.update()


class CellAxis(BareAxis):
    """The labels of a map's rows or columns, as the composer finds them at each zoom."""

    def __init__(self, orientation: str, colours: Roles, room: float = TOKEN_ROOM) -> None:
        super().__init__(orientation, colours.line)
        self._colours, self._room = colours, room
        self._style = screen_style(room)
        self._axis = Axis("position", "")
        self._count = 1
        self._labels = CellLabels(self._style)
        self._highest_line = math.inf
        self._at: Standing | None = None
        self._above: Collection[int] = ()

    @property
    def labels_stand(self) -> Standing | None:
        """The indices at which the labels stand; None if they stand in their places."""
        return self._at

    def stand(self, at: Standing | None, above: Collection[int] = ()) -> None:
        """Draw the labels where their cells stand, as indices, and some above the others; None: in their places."""
        if at != self._at:
            self._at, self._above = at, above
            self.redraw()

    def limit_type(self, line: float) -> None:
        """Draw labels in type whose lines are no higher than this, as labels along the other side are."""
        if line != self._highest_line:
            self._highest_line = line
            self.redraw()

    def set_cells(self, axis: Axis, count: int) -> None:
        """Label these cells, in their places."""
        self.stand(None)
        if (axis, count) != (self._axis, self._count):
            self._axis, self._count = axis, count
            self._style = screen_style(self._room)
            self._labels = CellLabels(self._style)
            self.redraw()

    def width_of_words(self) -> float:
        """The width of all labels one below the other, each with a line."""
        return self._labels.beside(self._axis, self._count, math.inf, self._style.label).room

    def drawPicture(self, painter: QPainter, *_: object) -> None:
        """Draw the labels of the visible cells."""
        view = self.linkedView()
        if view is None:
            return
        low, high = sorted(self.range)
        is_above = self.orientation == "top"
        length = view.width() if is_above else view.height()
        if length < 1:  # a card made very small has no room for cells
            return
        pitch = length / max(high - low, 1e-9)
        if is_above:
            labels = self._labels.above(self._axis, self._count, pitch, self.height())
        else:
            is_large = self._style.label.line <= self._highest_line
            largest = self._style.label if is_large else self._style.small
            labels = self._labels.beside(self._axis, self._count, pitch, largest)
        painter.setFont(QFont() if labels.face is self._style.label else caption())
        first = self._axis.first
        for coordinate, text in sorted(labels.texts, key=lambda one: round(one[0] - first) in self._above):
            if low <= coordinate <= high:
                index = round(coordinate - first)
                along = ((coordinate if self._at is None else first + self._at[index]) - low) * pitch
                if self._at and index in self._above and labels.angle == "level" and self._has_room(painter, text):
                    self._draw_tile(painter, text, along)
                painter.setPen(QColor(label_colour(self._axis, coordinate, self._colours)))
                self._draw_label(painter, text, along, labels.angle)

    def _has_room(self, painter: QPainter, text: str) -> bool:
        return bool(self.orientation == "top" or measured(painter.font())(text) <= self.width() - BESIDE + 1)

    def _draw_tile(self, painter: QPainter, text: str, along: float) -> None:
        """Draw the tile of a token that passes others, so that its label covers theirs."""
        wide, high = measured(painter.font())(text) + 2 * TIGHT, line_height(font=painter.font())
        if self.orientation == "left":
            tile = QRectF(self.width() - BESIDE / 2 + TIGHT - wide, along - high / 2, wide, high)
        else:
            tile = QRectF(along - wide / 2, self.height() - ABOVE - high, wide, high)
        painter.setPen(pen(self._colours.ink))
        painter.setBrush(QColor(self._colours.card))
        painter.drawRoundedRect(tile, CORNER, CORNER)

    def _draw_label(self, painter: QPainter, text: str, along: float, angle: Angle) -> None:
        # Arabic would go to the other end without AlignAbsolute.
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        measure = measured(painter.font())
        if self.orientation == "left":
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            room = self.width() - BESIDE + 1
            box = QRectF(0, along - _TALL / 2, self.width() - BESIDE / 2, _TALL)
            painter.drawText(box, right, elided(text, room, measure))
        elif angle == "level":
            wide = measure(text) + 1.0
            start = max(-_OVER, min(along - wide / 2, self.width() + _OVER - wide))
            painter.drawText(QRectF(start, 0, wide, self.height() - ABOVE), Qt.AlignmentFlag.AlignBottom, text)
        else:
            painter.save()
            painter.translate(along, self.height() - ABOVE)
            painter.rotate(-90 if angle == "upright" else -45)
            painter.drawText(QRectF(0, -_TALL / 2, measure(text) + 2, _TALL), left, text)
            painter.restore()

    def boundingRect(self) -> QRectF:
        """The axis, with the ends of slanted labels to its right."""
        return QRectF(super().boundingRect()).adjusted(0, 0, self.height() if self.orientation == "top" else 0, 0)
