"""Tables set in type: which columns are how wide, which texts are broken where, and which rows and columns stand together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.panels import Table, table_text
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.layout.text_fit import (
    BREAK,
    Measure,
    elided,
    longest,
    on_two_lines,
    shared_widths,
    visible,
    wrapped,
)
from posenc_gui.render.layout.type_sizes import Face, Style, TableType

Lines = list[str]

_TITLE = 1.36  # lines of its type: the height of a title
_NARROWER = 0.92  # steps in which columns are narrowed
_MOST_LINES = 20  # lines per cell
_MOST_ROWS = 40  # rows, at most, for which a table requests height
_ROUNDING = 0.01  # units: tolerance for rounding when widths are shared
_LONGEST = 200  # characters of a text that are measured
_REMEMBERED = 8  # tables' texts
_STEPS = 20  # of the search for equally high parts


@dataclass(frozen=True)
class SetTable:
    """Rows and columns of a table that stand in one place: its type and that of its title, indices of columns and of rows, with
    None for rows that are left out, the lines of each text, and the columns' widths. `note` says at the title's right what isn't
    here. Lengths are in the target's unit.
    """

    panel: Table
    type: TableType
    title: Face
    columns: tuple[int, ...]
    rows: tuple[int | None, ...]
    header: tuple[Lines, ...]
    cells: tuple[tuple[Lines, ...], ...]
    widths: tuple[float, ...]
    note: str = ""

    @property
    def width(self) -> float:
        """The width of the columns and the gaps between them."""
        return self.type.across(self.widths)

    @property
    def title_height(self) -> float:
        """The height of the title, and of the note beside it."""
        return _TITLE * self.title.line if self.panel.drawn_title or self.note else 0.0

    @property
    def heights(self) -> list[float]:
        """The heights of the header and of each row."""
        return [self.type.air + self.type.face.line * lines_in(row) for row in (self.header, *self.cells)]

    @property
    def height(self) -> float:
        """The height of the rows and the header."""
        return sum(self.heights)

    @property
    def letters(self) -> int:
        """The number of characters shown."""
        return sum(len(line) for row in (self.header, *self.cells) for cell in row for line in cell)

    def left_out(self, place: int) -> int:
        """The number of rows that are left out at a place of `rows`."""
        before = max((row for row in self.rows[:place] if row is not None), default=-1)
        after = min((row for row in self.rows[place:] if row is not None), default=len(self.panel.rows))
        return sum(any(cell != "" for cell in row) for row in self.panel.rows[before + 1 : after])

    @property
    def is_cut(self) -> bool:
        """True if rows, columns or parts of sentences are left out."""
        texts = (line for row in self.cells for cell in row for line in cell[-1:])
        own = {table_text(cell) for row in self.panel.rows for cell in row}
        return bool(self.note) or None in self.rows or any("…" in line and line not in own for line in texts)

    def showing(self, panel: Table) -> SetTable:
        """Another table of as many rows and columns, its texts in the places of these."""
        typed = TypedTable(panel, self.type, self.title, ())
        header = self._in_place(typed.header, self.header, typed.measure(None))
        cells = tuple(
            () if row is None else self._in_place(typed.texts[row], own, typed.measure(row))
            for row, own in zip(self.rows, self.cells, strict=True)
        )
        return replace(self, panel=panel, header=header, cells=cells)

    def _in_place(self, texts: Sequence[str], known: Sequence[Lines], measure: Measure) -> tuple[Lines, ...]:
        """Texts on as many lines as the known ones of a row."""
        most = lines_in(known)
        set_ = (broken(texts[at], width, most, measure) for at, width in zip(self.columns, self.widths, strict=True))
        return tuple([*lines, *[""] * (most - len(lines))] for lines in set_)

    def below_each_other(self, height: float) -> list[SetTable]:
        """The rows in as few places of this height as possible, about equally high."""
        head, *rows = self.heights
        return [
            replace(self, rows=self.rows[part.start : part.stop], cells=self.cells[part.start : part.stop])
            for part in divide_evenly(rows, height - head)
        ]


def lines_in(row: Sequence[Lines]) -> int:
    """The lines of a row's highest cell."""
    return max((1, *map(len, row)))


def height_of_table(panel: Table, width: float, style: Style) -> float:
    """The height that a table asks for: that in its smallest plain type, with its title."""
    *_, type_ = (one for one in style.tables if one.heading_lines == 1)
    columns, rows = range(len(panel.header)), range(min(len(panel.rows), _MOST_ROWS))
    typed = TypedTable(panel, type_, style.least_title, rows)
    found = typed.set(columns, rows, typed.widths(columns, rows, width, narrow=False), _MOST_LINES)
    return found.title_height + found.height + 1


def fitted(panel: Table, width: float, height: float, style: Style) -> SetTable:
    """Set a table in one place: the rows and columns that fit, and how many are left out."""
    title = _title(panel, width, style)
    if found := _whole(panel, width, height, style, title):
        return found
    room = height - _TITLE * title.line
    *_, columns = panel.without_spare()
    cuts = (
        cut
        for type_ in style.tables[-2:]
        for count in range(len(columns), 0, -1)
        if (cut := TypedTable(panel, type_, title, ()).cut(columns[:count], width, room)).width <= width
    )
    best = max(cuts, key=lambda cut: cut.letters)
    rest = len(panel.header) - len(best.columns)
    return replace(best, note=f"… {format_count(rest, 'more column')}" if rest else "")


def in_parts(panel: Table, width: float, height: float, style: Style, most_rows: float = math.inf) -> list[SetTable]:
    """Set a table in as few places of this size as have room for all of it, in the largest type of those that need no more.
    Of very many rows, those around the one in focus are shown, and the sums at the end.

    Where all columns have no room side by side, each place repeats those that name a row; columns of A and B stay together.
    """
    title = _title(panel, width, style)
    if whole := _whole(panel, width, height, style, title):
        return [whole]
    rows, room = _some_rows(panel, most_rows), max(1.0, height - _TITLE * title.line)
    ways, found, most_divisions = list(_ways_to_divide(panel.header, panel.naming)), list[SetTable](), math.inf
    known = [row for row in rows if row is not None]
    for type_ in reversed([one for one in style.tables if one.air]):
        typed, most = TypedTable(panel, type_, title, known), len(found) or math.inf
        for columns in ways:
            if len(columns) > min(most, most_divisions):
                break
            is_last = not found and columns is ways[-1]
            has_room = is_last or typed.have_room(columns, width)
            if has_room and (fewer := typed.in_parts(columns, rows, width, room, most)):
                found, most, divisions = fewer, len(fewer) - 1, len(columns)
        most_divisions = divisions
    return found


def _title(panel: Table, width: float, style: Style) -> Face:
    """The type of a table's title."""
    is_short = style.title.measure(panel.drawn_title[:200]) <= width
    return style.title if panel.drawn_title and is_short else style.least_title


def _whole(panel: Table, width: float, height: float, style: Style, title: Face) -> SetTable | None:
    """The table, whole but for spare columns, in the most generous type that fits; None if none does."""
    rows, room = range(len(panel.rows)), height - _TITLE * title.line * bool(panel.drawn_title)
    for columns, type_ in product(panel.without_spare(), style.tables):
        if len(rows) <= _most_rows(type_, room):
            typed = TypedTable(panel, type_, title, rows)
            widths = typed.widths(columns, rows, width, narrow=type_.narrow)
            if type_.across(widths) <= width and typed.least_height(columns, widths) <= room:
                found = typed.set(columns, rows, widths, _MOST_LINES)
                if found.height <= room:
                    return found
    return None


def _ways_to_divide(header: Sequence[str], naming: int) -> Iterator[list[tuple[int, ...]]]:
    """Ways to share columns among places, each of which begins with the `naming` ones, from one place to a place for each
    other column. A column of B stays beside that of A with the same name."""
    names, count = range(naming), len(header)
    for parts in range(1, max(1, count - naming) + 1):
        share = max(1, math.ceil((count - naming) / parts))
        later = range(naming + share, count, share)
        starts = dict.fromkeys([naming, *(start - _is_of_second(header, start) for start in later)])
        yield [(*names, *range(start, end)) for start, end in pairwise([*starts, count])]


def _is_of_second(header: Sequence[str], at: int) -> bool:
    """True if a column is B's and the one before it is A's with the same name."""
    (_, _, before), (_, sign, own) = (name.partition(": ") for name in header[at - 1 : at + 1])
    return bool(sign) and before == own


def _some_rows(panel: Table, most: float) -> tuple[int | None, ...]:
    """So many rows: those around the one in focus, or the first, and the sums at the end; None where some are left out."""
    count = len(panel.rows)
    if count <= most:
        return tuple(range(count))
    end = count
    while end - 1 in panel.sums and count - end < most // 2:
        end -= 1
    room = int(most) - (count - end)
    first = max(0, min((panel.focus or 0) - (room - 1) // 2, end - room))
    last, is_begun = first + room, first > 0 and room > 2
    shown = range(first + is_begun, last - (last < end))
    return *[None] * is_begun, *shown, *[None] * (last < end), *range(end, count)


def _most_rows(type_: TableType, height: float) -> int:
    """The rows of one line, at most, that have room below a header."""
    return max(2, int(height / (type_.air + type_.face.line)) - 1)


@lru_cache(maxsize=_REMEMBERED)
def _texts_of(panel: Table) -> list[list[str]]:
    """What each cell reads; a table is tried in many types."""
    return [[visible(panel.text(row, at)) for at, _ in enumerate(panel.header)] for row, _ in enumerate(panel.rows)]


class TypedTable:
    """Rows of a table in one type, with a title in another."""

    def __init__(self, panel: Table, type_: TableType, title: Face, rows: Sequence[int]) -> None:
        self.panel, self._type, self._title, self._rows = panel, type_, title, rows
        self.texts = _texts_of(panel)
        self.header = [visible(panel.heading(at)) for at, _ in enumerate(panel.header)]

    def measure(self, row: int | None) -> Measure:
        """The measure of a row's texts, or of the header's."""
        return (self._type.bold if row in self.panel.sums else self._type.face).measure

    def set(
        self,
        columns: Sequence[int],
        rows: Sequence[int | None],
        widths: Sequence[float],
        most_lines: int,
        *,
        whole: bool = False,
    ) -> SetTable:
        """Set these rows in columns of these widths."""
        places = list(zip(columns, widths, strict=True))
        header = (broken(self.header[at], width, self._type.heading_lines, self.measure(None)) for at, width in places)
        cells = (
            ()
            if row is None
            else tuple(
                broken(self.texts[row][at], width, most_lines, self.measure(row), whole=whole) for at, width in places
            )
            for row in rows
        )
        return SetTable(self.panel, self._type, self._title, (*columns,), (*rows,), (*header,), (*cells,), (*widths,))

    def have_room(self, parts: Sequence[Sequence[int]], width: float) -> bool:
        """True if the columns of each part have room side by side, and no word need be broken that could be read whole."""
        return all(self._type.across([self._least[at] for at in columns]) <= width for columns in parts)

    def in_parts(
        self, parts: Sequence[Sequence[int]], rows: Sequence[int | None], width: float, height: float, most: float
    ) -> list[SetTable]:
        """These rows in at most so many places, their columns in these parts; none where that is too few."""
        line = self._type.face.line
        lines = max(1, int((height - self._type.heading_lines * line - self._type.air) / line))
        found = list[SetTable]()
        for columns in parts:
            widths = self.widths(columns, self._rows, width, narrow=True)
            if (spare := width - self._type.across(widths)) < 0:
                widths = shared_widths(widths, sum(widths) + spare, 0.0)
            least = self.least_height(columns, widths)
            if len(found) + math.ceil(least / height) > most:
                return []
            found += self.set(columns, rows, widths, lines, whole=True).below_each_other(height)
        return found if len(found) <= most else []

    def cut(self, columns: Sequence[int], width: float, height: float) -> SetTable:
        """These columns with as many rows as fit on one line each; spare height gives rows more lines."""
        for most in range(_most_rows(self._type, height), 1, -1):
            rows = _some_rows(self.panel, most)
            widths = self.widths(columns, [row for row in rows if row is not None], width, narrow=False)
            for lines in range(_MOST_LINES, 0, -1):
                found = self.set(columns, rows, widths, lines)
                if found.height <= height:
                    return found
        return found

    def least_height(self, columns: Sequence[int], widths: Sequence[float]) -> float:
        """A height that the rows need at least, found without breaking their texts."""
        lines = np.ceil(_fillings(self._lengths[list(columns)], widths) - _ROUNDING).max(axis=0, initial=1)
        return self._type.air * (1 + len(self._rows)) + self._type.face.line * (1 + float(lines.sum()))

    def widths(self, columns: Sequence[int], rows: Sequence[int], width: float, *, narrow: bool) -> list[float]:
        """The widths of columns that are as wide as their longest text; columns of sentences share the remaining width.
        `narrow`: where that is too little, all columns break their texts."""
        wanted = [self.wanted(at, rows) for at in columns]
        sentences = {at: one for at, one in enumerate(wanted) if one > self._type.widest}
        free = width - _ROUNDING - self._type.across(wanted) + sum(sentences.values())
        shares = dict(zip(sentences, shared_widths(list(sentences.values()), free, self._type.readable), strict=True))
        found = [shares.get(at, one) for at, one in enumerate(wanted)]
        if narrow and self._type.across(found) > width:
            found = self._narrowed(columns, wanted, width)
        return [min(found[0], width)] if len(found) == 1 else found

    def wanted(self, column: int, rows: Sequence[int]) -> float:
        """The width of a column's longest text, single words up to the widest column."""
        found = self._broken_width(elided(self.header[column], self._type.widest, self.measure(None)))
        for row in rows:
            text = self.texts[row][column]
            length = self.measure(row)(text[:_LONGEST]) * max(1.0, len(text) / _LONGEST)
            found = max(found, length if " " in text else min(length, self._type.widest))
        return found

    def _broken_width(self, name: str) -> float:
        """The least width of a heading on as many lines as it may take."""
        measure = self.measure(None)
        return measure(name) if self._type.heading_lines == 1 else longest(on_two_lines(name, measure), measure)

    @cached_property
    def _lengths(self) -> npt.NDArray[np.float64]:
        """The length of each cell's text, (columns, rows)."""
        columns = range(len(self.header))
        found = [[self.measure(row)(self.texts[row][at]) for row in self._rows] for at in columns]
        return np.array(found).reshape(len(columns), len(self._rows))

    def _narrowed(self, columns: Sequence[int], widths: Sequence[float], room: float) -> list[float]:
        """Columns narrowed until they have room or no word would: each time the one for which the table grows least."""
        found, cells = list(widths), self._lengths[list(columns)]
        least = [self._least[at] for at in columns]

        def next_width(at: int) -> float:
            return max(least[at], min(found[at] * _NARROWER, float(cells[at].max())))

        def price(at: int, filled: npt.NDArray[np.float64]) -> float:
            """The lines by which the table grows for each unit, where the texts fill these lines before."""
            width, narrower = next_width(at), filled.copy()
            if (gain := found[at] - width) <= _ROUNDING:
                return math.inf
            narrower[at] = np.ceil(cells[at] / max(width, _ROUNDING))
            return float((narrower.max(axis=0) - filled.max(axis=0)).sum()) / gain

        while self._type.across(found) > room - _ROUNDING:
            filled = np.ceil(_fillings(cells, found))
            prices = [price(at, filled) for at in range(len(found))]
            if min(prices) == math.inf:
                break
            cheapest = prices.index(min(prices))
            found[cheapest] = next_width(cheapest)
        return found

    @cached_property
    def _least(self) -> list[float]:
        """The width of each column's longest word; one longer than a readable column may be broken, unless in a heading."""
        measure, most = self.measure(None), self._type.readable
        words = [
            max(longest(self.texts[row][at].split(), self.measure(row)) for row in self._rows)
            for at, _ in enumerate(self.header)
        ]
        return [
            max(self._broken_width(name), longest(BREAK.split(name), measure), min(most, of_cells))
            for name, of_cells in zip(self.header, words, strict=True)
        ]


def broken(text: str, width: float, most: int, measure: Measure, *, whole: bool = False) -> Lines:
    """Return the text on one line if it fits, else wrapped; unless `whole`, a single word is shortened in its middle."""
    shown = elided(text, width, measure)
    return [shown] if shown == text or not (whole or " " in text) else wrapped(text, width, most, measure)


def _fillings(lengths: npt.NDArray[np.float64], widths: Sequence[float]) -> npt.NDArray[np.float64]:
    """How many times each cell's text fills the width of its column, (columns, rows); a column without text has no width."""
    return lengths / np.maximum(widths, _ROUNDING)[:, np.newaxis]


def divide_evenly(heights: Sequence[float], room: float) -> list[range]:
    """Divide rows of these heights into as few parts as have room, each of at least one row, about equally high."""
    parts = _filled(heights, room)
    least = sum(heights) / len(parts)
    tried = (least + step / _STEPS * (room - least) for step in range(_STEPS))
    return next((even for high in tried if len(even := _filled(heights, high)) == len(parts)), parts)


def _filled(heights: Sequence[float], room: float) -> list[range]:
    """The rows in parts, each of as many as have room, but at least one."""
    starts, used = [0], 0.0
    for row, height in enumerate(heights):
        if row > starts[-1] and used + height > room:
            starts.append(row)
            used = 0.0
        used += height
    return [range(*ends) for ends in zip(starts, [*starts[1:], len(heights)], strict=True)]
