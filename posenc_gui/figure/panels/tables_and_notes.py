"""Panels of text and numbers: tables, and notes in place of a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.figure.ranges import require_finite
from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.theme import Verdict
from posenc_gui.foundation.wording import format_number


class Judged(str):
    """The text of a table cell with a verdict, such as whether a requirement is met; it is drawn in the verdict's colour."""

    verdict: Verdict

    def __new__(cls, words: str, verdict: Verdict) -> Judged:
        judged = super().__new__(cls, words)
        judged.verdict = verdict
        return judged

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.verdict


class Residue(float):
    """A number in a table that is only rounding error: it reads as 0, and is exported as it is."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of texts and numbers under a header; `sums` are the indices of rows that hold sums of the rows before them.

    `focus` is the row to highlight, if any. `named`: the first column holds names, which may be cut to their beginning if
    space is short. `pressed`: at what a press on each row points; none if rows can't be pressed.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]
    sums: frozenset[int] = frozenset()
    focus: int | None = None
    named: bool = False
    pressed: tuple[Pointer, ...] = ()

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
        return " · ".join((*filter(None, names), f"{self.header[column]}: {texts[column]}"))

    def pointer(self, x: float, y: float) -> Pointer:
        """Return what a press on row y selects."""
        row = math.floor(y)
        return self.pressed[row] if 0 <= row < len(self.pressed) else NOWHERE


def table_text(cell: str | float) -> str:
    """Return the text of a table's cell, with a number formatted."""
    return cell if isinstance(cell, str) else "0" if isinstance(cell, Residue) else format_number(cell)


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
