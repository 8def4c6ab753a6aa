"""Panels of text and numbers: tables, and notes in place of a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.ranges import require_finite
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.theme import Verdict
from posenc_gui.foundation.wording import format_plain


class Judged(str):
    """The text of a table cell with a verdict, such as whether a requirement is met; it is drawn in the verdict's colour. `pale`:
    the same verdict stands beside it."""

    verdict: Verdict
    pale: bool

    def __new__(cls, words: str, verdict: Verdict, pale: bool = False) -> Judged:
        judged = super().__new__(cls, words)
        judged.verdict, judged.pale = verdict, pale
        return judged

    def __getnewargs__(self) -> tuple[str, str, bool]:  # type: ignore[override]
        return str(self), self.verdict, self.pale


class Dotted(Judged):
    """A verdict that is drawn as its dot alone; its words are read at the pointer, and exported."""


class OnScale(Dotted):
    """A dot on a scale that the cells of its column share: filled within the shaded beginning, else a ring. `share` and `shaded`
    are the dot's place and the end of the shade, from 0 to 1."""

    share: float
    shaded: float

    def __new__(cls, words: str, share: float, shaded: float) -> OnScale:
        found = str.__new__(cls, f"{'●' if share <= shaded else '○'} {words}")
        found.verdict, found.pale, found.share, found.shaded = "n/a", False, share, shaded
        return found

    def __getnewargs__(self) -> tuple[str, float, float]:  # type: ignore[override]
        return self[2:], self.share, self.shaded


class Told(float):
    """A number in a table that reads as told, as 0 if it is only rounding error, and is exported as it is; `verdict`: in whose
    colour it is drawn, if any."""

    text: str
    verdict: Verdict | None

    def __new__(cls, value: float, text: str = "0", verdict: Verdict | None = None) -> Told:
        told = super().__new__(cls, value)
        told.text, told.verdict = text, verdict
        return told

    def __getnewargs__(self) -> tuple[float, str, Verdict | None]:  # type: ignore[override]
        return float(self), self.text, self.verdict


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of texts and numbers under a header; `sums` are the indices of rows that hold sums of the rows before them.

    `focus` is the row to highlight, if any. `named`: the first column holds names, which may be cut to their beginning if
    space is short. `pressed`: at what a press on each row points; none if rows can't be pressed. `grouped`: rows stand in
    groups, named by the first column, each once. `counts`: what stands below each heading, if anything. `spare`: columns that
    are left out where others have no room, the first one first. `sorts`: the order of rows that a press on each heading asks
    for, as a change of the plot's options, or None; none if rows can't be sorted. `sorted_by`: the column that rows are sorted
    by.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]
    sums: frozenset[int] = frozenset()
    focus: int | None = None
    named: bool = False
    pressed: tuple[Pointer, ...] = ()
    grouped: bool = False
    counts: tuple[str, ...] = ()
    spare: tuple[int, ...] = ()
    sorts: tuple[Remedy | None, ...] = ()
    sorted_by: int | None = None

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"table {self.title!r} needs at least one row")
        if len(self.pressed) not in (0, len(self.rows)):
            raise ValueError(f"table {self.title!r} needs a pointer for each row")
        for row in self.rows:
            if len(row) != len(self.header):
                raise ValueError(
                    f"a row of table {self.title!r} has {len(row)} cells under {len(self.header)} headings"
                )
            require_finite(np.array([cell for cell in row if isinstance(cell, float)]), f"table {self.title!r}")

    def is_numeric(self, column: int) -> bool:
        """True if a column holds numbers alone, apart from empty cells."""
        return not any(isinstance(row[column], str) and row[column] for row in self.rows)

    @property
    def drawn_title(self) -> str:
        """The title that is drawn: none above counts, which need the height; the figure's own says what they are."""
        return "" if self.counts else self.title

    def is_dotted(self, column: int) -> bool:
        """True if a column holds dots, which stand in its middle."""
        return any(isinstance(row[column], Dotted) for row in self.rows)

    def begins_group(self, row: int) -> bool:
        """True if a row is the first of its group, but not of all."""
        return self.grouped and row > 0 and self.rows[row][0] != self.rows[row - 1][0]

    def text(self, row: int, column: int) -> str:
        """Return what a cell reads where it stands: a group's name once, a verdict as its dot."""
        cell = self.rows[row][column]
        repeats = self.grouped and column == 0 < row and not self.begins_group(row)
        return "" if repeats else cell[:1] if isinstance(cell, Dotted) else table_text(cell)

    def heading(self, column: int) -> str:
        """Return a column's heading with what stands below it, to be broken between them."""
        named = f"{self.header[column]}{' ↓' * (column == self.sorted_by)}"
        if not self.counts:
            return named
        return " ".join(text.replace(" ", "\u00a0") for text in (named, self.counts[column])).strip()

    def without_spare(self) -> Iterator[list[int]]:
        """Yield the columns: all, then without one spare column after the other."""
        for count in range(len(self.spare) + 1):
            yield [at for at, _ in enumerate(self.header) if at not in self.spare[:count]]

    @property
    def naming(self) -> int:
        """The number of columns that name a row: the first, and the second where it holds texts and rows share the first."""
        firsts = {row[0] for row in self.rows}
        return 2 if len(self.header) > 2 and len(firsts) < len(self.rows) and not self.is_numeric(1) else 1

    def read(self, x: float, y: float) -> str:
        """Say what is in row y below heading x: what names the row, then the heading and the cell."""
        column, row = math.floor(x), math.floor(y)
        if not (0 <= column < len(self.header) and 0 <= row < len(self.rows)):
            return ""
        texts = [table_text(cell) for cell in self.rows[row]]
        names = texts[: self.naming] if column >= self.naming else []
        heading = f"{self.header[column]}: " if self.header[column] else ""
        return " · ".join((*filter(None, names), f"{heading}{texts[column]}"))

    def pointer(self, x: float, y: float) -> Pointer:
        """Return what a press on row y selects."""
        row = math.floor(y)
        return self.pressed[row] if 0 <= row < len(self.pressed) else NOWHERE


def table_text(cell: str | float) -> str:
    """Return the text of a table's cell, with a number formatted."""
    return cell if isinstance(cell, str) else cell.text if isinstance(cell, Told) else format_plain(cell)


@dataclass(frozen=True, eq=False)
class Note:
    """A sentence in place of a picture; it says why there is no picture. `remedy`: what the window offers to change."""

    text: str
    title: str = ""
    remedy: Remedy | None = None

    def pointer(self, x: float, y: float) -> Pointer:
        """Return a pointer without coordinates, since a sentence has none."""
        return NOWHERE

    def read(self, x: float, y: float) -> str:
        """Return an empty text, since there is no value at the point."""
        return ""
