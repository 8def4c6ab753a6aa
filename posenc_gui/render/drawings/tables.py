"""Tables: text left-aligned, numbers right-aligned, a line below the header and above each sum."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from posenc_gui.figure.panels import Dotted, OnScale, Table, table_text
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.drawings.drawing import Drawing, Stage
from posenc_gui.render.drawings.parts import Area, Box, Dot, Part, Side, Stroke, Text, straight
from posenc_gui.render.drawings.regions import tiles
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.set_table import fitted, lines_in
from posenc_gui.render.layout.text_fit import Measure, elided_before_number, widest_of

PALE = 0.6  # of a verdict's colour, where the one beside it is the same
BAND = 0.1  # of the focus's colour behind its row
_GAP = 22.0  # units between a title and what stands at its right
_LINE = 0.8  # units: the width of lines
# Units: the width of the edge of the row in focus, and by how much its ground is beyond the columns.
_EDGE, BESIDE = 2.5, 6.0
_TITLE = 0.304  # lines below the top: a title's middle
_DOT, _RING = 0.32, 0.1  # lines: a dot's radius, and the width of its edge


class TableDrawing(Drawing[Table]):
    """A table as it is set, from its upper left corner; its note stands at the right end of the stage."""

    def __init__(self, panel: Table, stage: Stage, widest: Table | None = None) -> None:
        super().__init__(panel, stage, widest)
        self._set = stage.set_table or fitted(panel, stage.width, stage.height, stage.style)
        heading, *heights = self._set.heights
        self._tops = [*accumulate(heights, initial=self._set.title_height + heading)]
        ends = accumulate(width + self._set.type.between for width in self._set.widths[:-1])
        self._between = [end - self._set.type.between / 2 for end in ends]  # the borders between columns
        self.field = self.plot = Rect(0, self._tops[0], self._set.width, self._tops[-1])

    @staticmethod
    def places(panel: Table) -> tuple[int, ...]:
        return len(panel.header), len(panel.rows)

    @staticmethod
    def widest_of(panels: Sequence[Table], measure: Measure) -> Table:
        cells = zip(*(panel.rows for panel in panels), strict=True)
        rows = (
            tuple(max(same, key=lambda cell: measure(table_text(cell))) for same in zip(*row, strict=True))
            for row in cells
        )
        found: Table = widest_of(panels, measure)
        return replace(found, rows=tuple(rows))

    def draw(self) -> Iterator[Part]:
        found, roles = self._set, self.stage.roles
        yield from self._title()
        muted = [roles.muted] * len(found.columns)
        yield from self._row(None, found.header, found.title_height, self._tops[0], muted)
        yield self._line(self._tops[0], roles.muted)
        places = zip(found.rows, found.cells, *zip(*pairwise(self._tops), strict=True), strict=True)
        yield from self._band_of_focus()  # below all words: it would cut what hangs down from the row above
        for place, (index, cells, top, bottom) in enumerate(places):
            if index is None:
                left_out = format_count(found.left_out(place), "more row")
                yield Text(0, (top + bottom) / 2, f"… {left_out}", roles.muted, found.type.face)
                continue
            marked, is_sum = index == self.panel.focus, index in self.panel.sums
            if is_sum or self.panel.begins_group(index):
                yield self._line(top, roles.ink if is_sum else roles.line)
            inks = [ink_of(self.panel.rows[index][at], roles, marked) for at in found.columns]
            yield from self._row(index, cells, top, bottom, inks, bold=is_sum)

    def _band_of_focus(self) -> Iterator[Part]:
        roles, left, right = self.stage.roles, -BESIDE, self.plot.right + BESIDE
        for index, (top, bottom) in zip(self._set.rows, pairwise(self._tops), strict=True):
            if index is not None and index == self.panel.focus:
                yield Box(Rect(left, top, right, bottom), mixed(roles.focus, roles.card, BAND))
                yield Box(Rect(left, top, left + _EDGE, bottom), roles.focus)

    def _title(self) -> Iterator[Part]:
        title, style, note, width = self._set.title, self.stage.style, self._set.note, self.stage.width
        room = width - (style.small.measure(note) + _GAP if note else 0)
        face = title if title.measure(self.panel.drawn_title[:200]) <= room else style.least_title
        words, ink = elided_before_number(self.panel.drawn_title, room, face.measure), self.stage.roles.ink
        yield Text(0, _TITLE * face.line, words, ink, face, bold=True, signed=True)
        yield Text(width, _TITLE * style.small.line, note, self.stage.roles.muted, "small", "right")

    def _line(self, y: float, colour: str) -> Stroke:
        return Stroke(straight((0, y), (self.plot.right, y)), colour, _LINE)

    def _row(
        self,
        row: int | None,
        cells: Sequence[list[str]],
        top: float,
        bottom: float,
        inks: Sequence[str],
        *,
        bold: bool = False,
    ) -> Iterator[Part]:
        face, x, panel, roles = self._set.type.face, 0.0, self.panel, self.stage.roles
        first = top + (bottom - top - (lines_in(cells) - 1) * face.line) / 2
        for column, width, lines, ink in zip(self._set.columns, self._set.widths, cells, inks, strict=True):
            side: Side = "center" if panel.is_dotted(column) else "right" if panel.is_numeric(column) else "left"
            at = x + width * {"left": 0.0, "center": 0.5, "right": 1.0}[side]
            cell = "" if row is None else panel.rows[row][column]
            if isinstance(cell, OnScale):
                yield from scale(cell, Rect(x, top, x + width, bottom), face.line, roles, marked=row == panel.focus)
            elif isinstance(cell, Dotted):
                yield from dot(cell, at, (top + bottom) / 2, face.line, ink)
            else:
                for place, line in enumerate(lines):
                    yield Text(at, first + place * face.line, line, ink, face, side, bold=bold)
            x += width + self._set.type.between

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The column and the row at a point; row -1 where rows are left out."""
        column, place = bisect_right(self._between, x), bisect_right(self._tops[1:-1], y)
        row = self._set.rows[place]
        return self._set.columns[column], -1 if row is None else row

    def cells(self, least: float) -> Iterator[Rect]:
        return filter(self.has_words, tiles(self.field, self._between, self._tops[1:-1], least))


def ink_of(cell: str | float, roles: Roles, marked: bool) -> str:
    """Return the colour of a cell's text: its verdict's colour, if it has one, else its row's."""
    if (verdict := getattr(cell, "verdict", None)) is not None:
        return mixed(roles.of_verdict(verdict), roles.card, PALE if getattr(cell, "pale", False) else 1)
    return roles.focus if marked else roles.ink


def dot(cell: Dotted, x: float, y: float, line: float, ink: str) -> Iterator[Part]:
    """A verdict's dot in the middle of a cell: filled, half filled or a ring, and a dash where none is given."""
    radius, edge = _DOT * line, _RING * line
    if cell.verdict == "n/a":
        yield Stroke(straight((x - radius, y), (x + radius, y)), ink, edge)
        return
    yield Dot(x, y, radius, ink if cell.verdict == "met" else "", ink, edge)
    if cell.verdict == "partly":
        turns = np.linspace(-np.pi / 2, np.pi / 2, 19)
        yield Area(np.column_stack([x + radius * np.cos(turns), y + radius * np.sin(turns)]), ink)


def scale(cell: OnScale, box: Rect, line: float, roles: Roles, *, marked: bool) -> Iterator[Part]:
    """A dot at its place on a scale that is as broad as the cell, at the end of a line, above the shaded beginning."""
    radius, y = _DOT * line, (box.top + box.bottom) / 2
    left, width = box.left + radius, box.width - 2 * radius
    x, ink = left + cell.share * width, roles.focus if marked else roles.muted
    yield Box(Rect(box.left, box.top, left + cell.shaded * width, box.bottom), roles.sunk)
    yield Stroke(straight((left, y), (x, y)), ink if marked else roles.line, _RING * line)
    is_filled = marked or cell.share <= cell.shaded
    yield Dot(x, y, radius, ink if is_filled else roles.card, ink, _RING * line)
