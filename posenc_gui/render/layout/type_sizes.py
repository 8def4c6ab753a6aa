"""The type and the distances of one target: a card of the window, Present, a slide, or a sheet of paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from posenc_gui.render.layout.text_fit import Measure

Size = Literal["label", "ends", "small"]
MIDDLE = 0.38  # of letters, below the top of the highest and above their baseline, in type sizes
BOLD = 1.15  # the length of bold type in lengths of plain type, at most


@dataclass(frozen=True)
class Face:
    """One size of type: the height of a line, and the length of a text in it."""

    line: float
    measure: Measure


@dataclass(frozen=True)
class TableType:
    """One type of tables: that of cells, and of sums; the height above and below a row's text together, the distance of columns,
    and a heading's most lines. A column that is wider than `widest` wraps its sentences if space is short, and keeps the width
    `readable` while others can be narrower. `narrow`: a column without sentences may break its texts, too."""

    face: Face
    bold: Face
    air: float
    between: float
    widest: float
    readable: float
    heading_lines: int = 2
    narrow: bool = False

    def across(self, widths: Sequence[float]) -> float:
        """The width of columns and the gaps between them."""
        return sum(widths) + self.between * (len(widths) - 1)


@dataclass(frozen=True)
class Style:
    """A target's type and distances, in its own unit: pixels of a screen, points of a sheet.

    `title` is the type of panels' titles, `least_title` that of titles without room for `title`, `label` that of tokens along
    maps, `ends` that of labels at the ends of lines, `small` that of ticks and of labels without room for `label`. `across` is
    the least distance between panels side by side, `down` between rows of panels; `bar` is the breadth of a colour bar, `tick`
    the distance from its colours to its numbers, `axis` the height of an x axis below curves; `longest` is the length at which
    a label is cut; `legend` the height of what stands below links; `is_paper`: nothing can be pointed at, so that axes of
    numbers are named. `tables` are the types of tables, from the largest to the tightest.
    """

    title: Face
    least_title: Face
    label: Face
    ends: Face
    small: Face
    across: float
    down: float
    bar: float
    tick: float
    axis: float
    longest: float
    legend: float = 0.0
    is_paper: bool = False
    tables: tuple[TableType, ...] = ()

    def face(self, size: Size | Face) -> Face:
        """The type of a size."""
        named: dict[Size, Face] = {"label": self.label, "ends": self.ends, "small": self.small}
        return size if isinstance(size, Face) else named[size]

    def size_of(self, face: Face) -> Size:
        """The size of the type of cells' labels."""
        return "small" if face is self.small else "label"
