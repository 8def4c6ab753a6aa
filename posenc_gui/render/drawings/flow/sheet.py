"""A flow's places, colours and marked row, which all parts of its drawing share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.panels.flow import Column, Strand
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.flow.places import FlowPlaces, Span
from posenc_gui.render.layout.colour_scales import Colours, shades
from posenc_gui.render.layout.rect import Rect

QUERY = -1  # the query's row
_HAIRS = 17.0  # hairlines in a line of labels
_BETWEEN_VECTORS = 0.2  # lines of small type: half the distance between k and v
_WASH = 0.1  # of the open door's colour
_BUNDLE = 4.0  # cells: the breadth of all ribbons together
_HIGHEST_WEIGHT, _BETWEEN_WEIGHTS = 3.0, 0.35  # lines of labels: of a weight's cell, and at least between two
_BETWEEN_OUTPUTS = 1.6  # lines of small type


class Edges(NamedTuple):
    """The edges of cells, from left to right and from top to bottom."""

    across: list[float]
    down: list[float]


@dataclass(frozen=True)
class FlowSheet(FlowPlaces):
    """A flow in its places, and in colours; `marked` is the index of the key whose row stands out."""

    roles: Roles
    marked: int

    @cached_property
    def label(self) -> float:
        """The height of a line of labels."""
        return self.style.label.line

    @cached_property
    def small(self) -> float:
        """The height of a line of small type."""
        return self.style.small.line

    @cached_property
    def hair(self) -> float:
        """The width of a hairline."""
        return self.label / _HAIRS

    @cached_property
    def wash(self) -> str:
        """The ground of the open door."""
        return mixed(self.roles.focus, self.roles.card, _WASH)

    @cached_property
    def strong(self) -> frozenset[int]:
        """The rows whose weights are bold: the marked one and those of equal tokens."""
        label = self.panel.keys[self.marked].label
        return frozenset(row for row, key in enumerate(self.panel.keys) if key.label == label)

    def strand(self, row: int) -> Strand:
        """The strand of a key, or of the query."""
        return self.panel.query if row == QUERY else self.panel.keys[row]

    def middle(self, row: int) -> float:
        """The middle of a row."""
        return self.rows.query if row == QUERY else self.rows.keys[row]

    @cached_property
    def vector_colours(self) -> dict[int, Colours]:
        """The colours of all vectors, (dimensions, 3), by the identity of their numbers; found together, which is much faster."""
        vectors = [*self.panel.vectors()]
        high = self.panel.vector_high
        colours = shades("diverging", np.clip(np.concatenate(vectors) / (2 * high) + 0.5, 0, 1), self.roles)
        ends = np.cumsum([len(vector) for vector in vectors])[:-1]
        return {id(vector): part for vector, part in zip(vectors, np.split(colours, ends), strict=True)}

    @cached_property
    def apart(self) -> float:
        """The distance of k and of v from the middle of their row."""
        return self.columns.cell + _BETWEEN_VECTORS * self.small

    @cached_property
    def reach(self) -> float:
        """The right end of all lines: that of the last column that is reached."""
        return self.columns.outer([column for column in self.columns.contents if self.panel.shows(column)][-1]).right

    @cached_property
    def weight_height(self) -> float:
        """The height of a cell with a weight, from which a ribbon comes."""
        return min(self.rows.pitch - _BETWEEN_WEIGHTS * self.label, _HIGHEST_WEIGHT * self.label)

    @cached_property
    def bundle(self) -> Span:
        """The breadth in which the ribbons rise into the output."""
        breadth = min(_BUNDLE * self.columns.cell, self.weight_height)
        middle = self.columns.contents["output"].middle
        return Span(middle - breadth / 2, middle + breadth / 2)

    @cached_property
    def ends(self) -> dict[Column, Span]:
        """Where the lines of keys end and begin at each column: at its vectors, which may be shorter than it is broad."""
        found = dict(self.columns.contents)
        for column in found:
            if rects := self.vector_rects(column, 0):
                found[column] = Span(min(rect.left for rect in rects), max(rect.right for rect in rects))
        return found

    def vector_rects(self, column: Column, row: int) -> list[Rect]:
        """The rectangles of the panel's `vectors_in` a column of a row, around the row's middle."""
        vectors, span = self.panel.vectors_in(column, self.strand(row)), self.columns.contents.get(column)
        if span is None:
            return []
        middle, side = self.middle(row), self.columns.cell
        if column == "rotation" and vectors:
            half, length = min(self.columns.dial / 2, 0.48 * self.rows.pitch), self.columns.dial * len(vectors[0][1])
            y = middle - (0.0 if row == QUERY else self.apart)
            return [Rect(span.left, y - half, span.left + length, y + half)]
        rects = []
        for number, (_, vector) in enumerate(vectors):
            half, y, x = side * ((len(vector) + 1) // 2) / 2, middle, span.middle
            if column == "projections" and len(vectors) == 2:
                y += (2 * number - 1) * self.apart
            if column == "output":
                x -= number * (2 * half + _BETWEEN_OUTPUTS * self.small)
            rects.append(Rect(x - half, y - side, x + half, y + side))
        return rects

    def cell_edges(self, row: int) -> Iterator[Edges]:
        """Yield those of each vector's cells in a row, or of its dials."""
        for column in self.columns.contents if QUERY <= row < len(self.panel.keys) else ():
            vectors = self.panel.vectors_in(column, self.strand(row))
            for rect, (name, vector) in zip(self.vector_rects(column, row), vectors, strict=True):
                rows = 1 if name == "angle" else 2
                across = np.linspace(rect.left, rect.right, math.ceil(len(vector) / rows) + 1)
                yield Edges(across.tolist(), np.linspace(rect.top, rect.bottom, rows + 1).tolist())
