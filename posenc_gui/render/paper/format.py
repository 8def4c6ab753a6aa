"""A sheet in units: its sizes, its type, and what the composer needs to know of them.

The smallest type is `SMALL` units high. A slide, whose type is larger, is fewer units wide than paper and fits less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from posenc_gui.render.export_options import Sheet
from posenc_gui.render.layout.type_sizes import Face, Style, TableType
from posenc_gui.render.paper.fonts import measured

SMALL = 11.0
LINE = 1.25  # line height, in type sizes
_TIGHTEST = 1.18  # type sizes: rows of a table that is whole only so
_AXIS = LINE * SMALL + 9.0  # the height of an x axis
_LONGEST = 120.0  # the length at which a label is cut, at least
_LEGEND = 1.5  # lines of small type below links
_OF_LABELS = 0.24  # of the width: the longest label of a map on a broad sheet
_WIDEST, _READABLE = 26.0, 15.0  # type sizes: the widest column, and the least of sentences
_LARGE = 14.7  # the largest type of a table whose sheet has no larger
_ACROSS, _DOWN, _BAR, _TICK = 20.0, 15.0, 13.0, 7.0


@dataclass(frozen=True)
class Format:
    """A sheet in units; `zoom` is the number of points in a unit. `height` is None if it follows the content."""

    zoom: float
    width: float
    height: float | None
    margin: float
    title: float
    headline: float

    @classmethod
    def of(cls, sheet: Sheet) -> Format:
        """The format of a sheet in points."""
        zoom = sheet.type / SMALL
        height = None if sheet.height is None else sheet.height / zoom
        return cls(zoom, sheet.width / zoom, height, sheet.margin / zoom, sheet.title / zoom, sheet.headline / zoom)

    @property
    def inner(self) -> float:
        """The width between the margins."""
        return self.width - 2 * self.margin

    @cached_property
    def style(self) -> Style:
        """The type and distances of figures."""
        title, least = face(self.title, bold=True), face(SMALL, bold=True)
        label, small = face(self.title), face(SMALL)
        longest = max(_LONGEST, _OF_LABELS * self.inner)
        legend = _LEGEND * small.line
        distances = _ACROSS, _DOWN, _BAR, _TICK, _AXIS, longest, legend
        return Style(title, least, label, small, small, *distances, is_paper=True, tables=_tables(self.title))


def _tables(largest: float) -> tuple[TableType, ...]:
    """The types of tables on a sheet whose titles have this size."""
    sizes = [size for size in (16.5, _LARGE, 13.0, 12.0, SMALL) if size <= max(largest, _LARGE)]
    plain = (_table(size, 1.8, 22.0, lines, narrow=False) for size in sizes for lines in (1, 2))
    closer = (2.6, 14.0), (1.45, 14.0), (LINE, 12.0), (_TIGHTEST, 8.0)
    return *plain, *(_table(SMALL, row, between, 2, narrow=True) for row, between in closer)


def _table(size: float, row: float, between: float, heading_lines: int, *, narrow: bool) -> TableType:
    """A type of tables whose rows of one line are `row` type sizes high."""
    columns = between, _WIDEST * size, _READABLE * size
    return TableType(face(size), face(size, bold=True), (row - LINE) * size, *columns, heading_lines, narrow)


def face(size: float, *, bold: bool = False) -> Face:
    """The type of this size."""
    return Face(size * LINE, measured(size, bold))


def size_of(face: Face) -> float:
    """The size of a type that `face` made."""
    return face.line / LINE
