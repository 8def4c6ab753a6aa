"""Links as a drawing: two columns of tokens, with a line from each token to its position in the other column."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Heatmap, Links
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.drawings.drawing import Drawing, Spot, Stage, ZoomRange
from posenc_gui.render.drawings.parts import Clipped, Part, Side, Stroke, Text, fork, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.colour_scales import label_colour, strength_colour
from posenc_gui.render.layout.label_placement import thinned
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.type_sizes import Style

_OF_LABELS = 0.36  # of the width, at most: a column's labels; more than a quarter is left for the lines
_ASKED_FOR = 0.33  # of the width, for a column's labels: a little less than they may have, because of edges
_LINES = 1.0  # lines of labels: from one column to the other, where these are wide
_BROADEST, _HIGHEST_ROW = 26.0, 2.4  # lines of labels: links without maps beside them
_HEADS, _BETWEEN_HEADS = 1.4, 8.0  # lines of small type above the columns, and units between their headings
_AIR = 5.0  # units between a label and its line
# Units: the width of lines of the least and the highest value, and of a marked one.
_THIN, _THICK, _MARKED = 1.0, 4.6, 2.5
_OF_ROW = 0.45  # of a row's height: the most that a line is broad
_WEDGE, _WEDGE_STEPS = 48.0, 24  # units: the length of the line in the legend
_BESIDE_WEDGE = 8.0


def width_of_links(panel: Links, style: Style) -> float:
    """The width with which neither column of links has a label cut."""
    names = (axis.marks if axis.labels else () for axis in (panel.left, panel.right))
    widest = [min(longest(own, style.label.measure), style.longest) for own in names]
    return max(_LINES * style.label.line + sum(widest), max(widest) / _ASKED_FOR)


class LinksDrawing(Drawing[Links]):
    """Columns whose rows are level with those of maps beside them, as far as these are in sight."""

    least_height, comfortable = 9.0, 9.0

    def __init__(self, panel: Links, stage: Stage, widest: Links | None = None) -> None:
        super().__init__(panel, stage, widest)
        style, self._rows = stage.style, self.zoom_range(panel).shown
        self.seen = replace(stage.seen or self._rows, left=0.0, right=1.0)
        alike = (one for one in stage.beside if _rows_of(one.panel) == (self._rows.top, self._rows.bottom))
        face = next((one.columns.face for one in alike), None)
        width, top, height = stage.width, 0.0, stage.height
        if face is None:
            width, top = min(width, _BROADEST * style.label.line), _HEADS * style.small.line
            height = min(height - top, _HIGHEST_ROW * style.label.line * self.seen.height)
        left = (stage.width - width) / 2
        self.plot = Rect(left, top, left + width, top + max(1.0, height))
        self.field = replace(self.plot, left=0.0, right=stage.width)
        self._pitch = self.plot.height / self.seen.height
        self._face = face or (style.small if style.label.line > self._pitch else style.label)
        self._size = style.size_of(self._face)
        self._label_widths = tuple(longest(self._texts(axis), self._face.measure) for axis in self._sides(self.widest))
        start, end = left + self._label_widths[0] + _AIR, left + width - self._label_widths[1] - _AIR
        self._ends = start, max(start + 1, end)

    @staticmethod
    def zoom_range(panel: Links) -> ZoomRange:
        return ZoomRange.of_rows(panel.left, panel.right)

    @staticmethod
    def places(panel: Links) -> tuple[int, ...]:
        return len(panel.left.labels), len(panel.right.labels)

    @staticmethod
    def _sides(panel: Links) -> tuple[Axis, Axis]:
        return panel.left, panel.right

    def _texts(self, axis: Axis) -> list[str]:
        room = min(self.stage.style.longest, _OF_LABELS * self.plot.width)
        return [elided(visible(label), room, self._face.measure) for label in axis.labels]

    def draw(self) -> Iterator[Part]:
        """Draw lines of high values over those of low ones, the marked one on top, and labels where they have room."""
        lines = Clipped(Rect(self._ends[0], self.plot.top, self._ends[1], self.plot.bottom), tuple(self._lines()))
        yield from [lines] if self.stage.seen else lines.parts
        yield from self._heads()
        yield from self._labels()
        if self.stage.style.legend:
            yield from self._legend()

    def _lines(self) -> Iterator[Part]:
        for line in np.argsort(self.panel.values, kind="stable").tolist():
            colour, width = self._strength(self.panel.values[line] / self.panel.high)
            yield self._line(line, colour, width)
        if isinstance(self.stage.marked, int):
            yield self._line(self.stage.marked, self.stage.roles.ink, _MARKED)

    def _line(self, line: int, colour: str, width: float) -> Stroke:
        (start, end), (left, right) = self._ends, self.panel.ends[line]
        return Stroke(fork((start, self._y(left)), (end, self._y(right))), colour, width)

    def _strength(self, share: float) -> tuple[str, float]:
        """The colour and the width of a line."""
        share = min(max(float(share), 0.0), 1.0)
        thick = max(_THIN, min(_THICK, _OF_ROW * self._pitch))
        return strength_colour(self.stage.roles, share), _THIN + (thick - _THIN) * share

    def _y(self, coordinate: float) -> float:
        return self.place(0, coordinate)[1]

    def _heads(self) -> Iterator[Part]:
        """Name both columns above the first row, or neither where they would touch."""
        small, room, muted = self.stage.style.small, self.plot, self.stage.roles.muted
        left, right = (visible(side.title) for side in self._sides(self.panel))
        if small.measure(left) + small.measure(right) + _BETWEEN_HEADS <= room.width:
            yield Text(room.left, room.top - 0.7 * small.line, left, muted, "small")
            yield Text(room.right, room.top - 0.7 * small.line, right, muted, "small", "right")

    def _labels(self) -> Iterator[Part]:
        """Label the ends of the marked line, the token in focus, and as many others as have room."""
        line = self.stage.marked
        marked = self.panel.ends[line] if isinstance(line, int) else ()
        places: tuple[tuple[float, Side], ...] = ((self._ends[0] - _AIR, "right"), (self._ends[1] + _AIR, "left"))
        for side, axis, (x, at_x) in zip((0, 1), self._sides(self.panel), places, strict=True):
            texts, last = self._texts(axis), axis.first + len(axis.labels) - 1
            seen = range(max(axis.first, math.ceil(self.seen.top)), min(last, math.floor(self.seen.bottom)) + 1)
            first = [*marked[side : side + 1], *([] if axis.focus is None else [axis.focus])]
            for at in thinned(seen, self._pitch, self._face.line, first, self._middle):
                colour = label_colour(axis, at, self.stage.roles)
                yield Text(x, self._middle(at), texts[at - axis.first], colour, self._size, at_x)

    def _middle(self, coordinate: int) -> float:
        """The height of a label: beside its row, but inside the room."""
        half = self._face.line / 2
        return max(self.plot.top + half, min(self.plot.bottom - half, self._y(coordinate)))

    def _legend(self) -> Iterator[Part]:
        """Draw a line that widens from 0 to the largest value, with the quantity after it where that has room."""
        measure, muted = self.stage.style.small.measure, self.stage.roles.muted
        y, zero = self.plot.bottom + self.stage.style.legend / 2, measure("0") + _BESIDE_WEDGE
        largest, taken = format_number(self.panel.high), zero + _WEDGE + _BESIDE_WEDGE
        end = whole if measure(whole := f"{largest} {self.panel.quantity}") <= self.plot.width - taken else largest
        start = self.plot.left + (self.plot.width - taken - measure(end)) / 2 + zero
        yield Text(start - _BESIDE_WEDGE, y, "0", muted, "small", "right")
        for step in range(_WEDGE_STEPS):
            x = start + step * _WEDGE / _WEDGE_STEPS
            colour, width = self._strength(step / (_WEDGE_STEPS - 1))
            yield Stroke(straight((x, y), (x + _WEDGE / _WEDGE_STEPS, y)), colour, width)
        yield Text(start + _WEDGE + _BESIDE_WEDGE, y, end, muted, "small")

    def marked_by(self, pointer: Pointer) -> int | None:
        """The line of a token, by its position in either column or in both."""
        at = self.panel.left.shown(pointer), self.panel.right.shown(pointer)
        known = [(side, end) for side, end in enumerate(at) if end is not None]
        marked = (line for line, ends in enumerate(self.panel.ends) if all(ends[side] == end for side, end in known))
        return next(marked, None) if known else None

    def cells(self, least: float) -> Iterator[Rect]:
        rows = (self._y(self._rows.top + at) for at in range(round(self._rows.height)))
        return filter(self.has_words, tiles(self.field, self.plot.middle[:1], rows, least))

    def start(self) -> Spot:
        starts = [left for left, _ in self.panel.ends]
        return 0, self.panel.left.focus if self.panel.left.focus in starts else min(starts)

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Left and right follow the line to its other end and, from there, over the edge; up and down go to the next token
        # of the column that has a line.
        nowhere = math.floor(self._rows.top)
        if dx:
            line = self.panel.at(x, y)
            return (x + dx, self.panel.ends[line][x + dx]) if line is not None and x + dx in (0, 1) else (x, nowhere)
        further = [ends[x] for ends in self.panel.ends if (ends[x] - y) * dy > 0]
        return x, min(further, key=lambda end: abs(end - y), default=nowhere)


def _rows_of(panel: Heatmap) -> tuple[float, float]:
    return panel.rows.first - 0.5, panel.rows.first + len(panel.values) - 0.5
