"""Tables where nothing scrolls: in the largest type in which they fit the room whole, else in as few parts as possible."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from posenc_gui.figure.panels import Table, table_text
from posenc_gui.foundation.theme import Type
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.layout.text_fit import Measure, elided, longest, shared_widths, visible, wrapped

Lines = list[str]

# In lines of the type.
_BETWEEN, _WIDEST_BETWEEN = 1.0, 2.5  # columns
_AIR, _MOST_AIR = 0.2, 1.0  # above and below a row's text together
_LEAST_SENTENCE, _SENTENCE = 8.0, 14.0  # the breadth that a sentence keeps, and from which on a text is one
_MOST_ROWS, _MOST_SUMS = 32, 4
_NAME = 10.0  # the breadth of a first column of names, which may be cut
_STEPS = 20  # of the search for the lowest height


class TableType(NamedTuple):
    """A type of a target: its size, the height of a line, and the length of a text, regular and bold."""

    size: Type
    line: float
    measure: Measure
    bold: Measure


@dataclass(frozen=True)
class TablePart:
    """Rows and columns of a table that are shown together, by their indices, laid out in a type.

    `header` and `cells` hold the lines of each text; `widths` and `heights` are those of columns and rows, `heading` that of
    the header; `between` is the distance of columns. Lengths are in the target's unit.
    """

    table: Table
    type: TableType
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    header: tuple[Lines, ...]
    cells: tuple[tuple[Lines, ...], ...]
    widths: tuple[float, ...]
    heading: float
    heights: tuple[float, ...]
    between: float


def table_parts(table: Table, width: float, height: float, types: Sequence[TableType]) -> list[TablePart]:
    """Lay out a table in a room of this size; `types` come from large to small.

    The largest type that needs the fewest parts is taken. Where columns have no room beside each other, they follow in
    further parts, each with those that name a row; columns of A and B stay together. Of very many rows, those around the one in
    focus are shown, or else the first, with the sums at the end.
    """
    table = _shortened(table)
    found: list[TablePart] = []
    for one in types:
        tried = _in_type(table, width, height, one)
        found = tried if not found or len(tried) < len(found) else found
        if len(found) == 1:
            break
    return found


def _shortened(table: Table) -> Table:
    """The table without the rows that would take too many parts; a row says how many these are."""
    count = len(table.rows)
    if count <= _MOST_ROWS:
        return table
    end = next((row for row in range(count, 0, -1) if row - 1 not in table.sums), count)
    sums = range(max(end, count - _MOST_SUMS), count)
    room = _MOST_ROWS - len(sums)
    focus = min(table.focus or 0, end - 1)
    first = max(0, min(focus - room // 2, end - room))
    kept = range(first, first + room)
    left_out = f"… {format_count(count - len(kept) - len(sums), 'more row')}"
    rows = [table.rows[row] for row in kept] + [(left_out, *[""] * (len(table.header) - 1))]
    at = {row: place for place, row in enumerate((*kept, None, *sums))}
    return replace(
        table,
        rows=(*rows, *(table.rows[row] for row in sums)),
        sums=frozenset(at[row] for row in table.sums if row in at),
        focus=None if table.focus is None else at.get(table.focus),
    )


class _Division(NamedTuple):
    """The columns of parts, how many parts that makes, and how high all of them are."""

    parts: int
    height: float
    columns: tuple[tuple[int, ...], ...]

    def followed_by(self, columns: tuple[int, ...], parts: int, height: float) -> _Division:
        return _Division(self.parts + parts, self.height + height, (*self.columns, columns))


def _in_type(table: Table, width: float, height: float, face: TableType) -> list[TablePart]:
    layout = _Layout(table, width, height, face)
    return [
        layout.part(columns, rows) for columns in layout.columns_together() for rows in layout.rows_together(columns)
    ]


class _Layout:
    """A table in a room and a type."""

    def __init__(self, table: Table, width: float, height: float, face: TableType) -> None:
        self._table, self._width, self._height, self._type = table, width, height, face
        self._texts = [[visible(table_text(cell)) for cell in row] for row in table.rows]
        self._lengths = [[self._measure(row)(text) for text in texts] for row, texts in enumerate(self._texts)]
        self._wrapped: dict[tuple[int, int, float], Lines] = {}
        self._words: dict[tuple[str, Measure], float] = {}
        every = range(len(table.header))
        cells = [self._widest_cell(column) for column in every]
        self._header = [self._heading(visible(name), cell) for name, cell in zip(table.header, cells, strict=True)]
        self._wanted = [math.ceil(max(cells[at], longest(self._header[at], face.measure))) for at in every]

    def columns_together(self) -> list[tuple[int, ...]]:
        """The columns of each part: those that name a row, and some others, for the fewest parts, then the least height."""
        units, names = self._units(), range(self._table.naming)
        best = [_Division(0, 0.0, ())]  # of the first units
        for end in range(1, len(units) + 1):
            tried = []
            for start in range(end):
                columns = (*names, *itertools.chain.from_iterable(units[start:end]))
                if start == end - 1 or self._least(columns) <= self._width:
                    parts = len(self.rows_together(columns))
                    tried.append(best[start].followed_by(columns, parts, sum(self._heights(columns))))
            best.append(min(tried))
        return [*best[-1].columns] or [(*names,)]

    def rows_together(self, columns: Sequence[int]) -> list[range]:
        """The rows of each part with these columns: in as few parts as have room, which are about equally high."""
        return divide_evenly(self._heights(columns), self._height - self._heading_height(columns))

    def part(self, columns: tuple[int, ...], rows: Sequence[int]) -> TablePart:
        """Lay out these rows and columns; spare room goes between them."""
        widths, line = self._widths(columns), self._type.line
        cells = tuple(self._cells(row, columns, widths) for row in rows)
        every = self._heights(columns)
        heights = [every[row] for row in rows]
        heading = self._heading_height(columns)
        spare = max(0.0, (self._height - heading - sum(heights)) / len(rows))
        air = min(spare, (_MOST_AIR - _AIR) * line)
        between = (self._width - sum(widths)) / max(1, len(columns) - 1)
        return TablePart(
            self._table,
            self._type,
            tuple(rows),
            columns,
            tuple(self._header[column] for column in columns),
            cells,
            tuple(widths),
            heading,
            tuple(high + air for high in heights),
            min(between, _WIDEST_BETWEEN * line),
        )

    def _units(self) -> list[tuple[int, ...]]:
        """The columns after those that name a row, those of A and B together."""
        header = self._table.header
        same = itertools.groupby(
            range(self._table.naming, len(header)), key=lambda at: header[at].removeprefix("A: ").removeprefix("B: ")
        )
        return [tuple(unit) for _, unit in same]

    def _heading(self, name: str, cell: float) -> Lines:
        """A heading on one line where the cells below are as long, else on the two that are shortest together."""
        words, measure = name.split(" "), self._type.measure
        if measure(name) <= cell:
            return [name]
        broken = [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]
        return min(broken, key=lambda lines: longest(lines, measure), default=[name])

    def _widest_cell(self, column: int) -> float:
        """The length of a column's longest text on one line."""
        widest = max(lengths[column] for lengths in self._lengths)
        return min(widest, _NAME * self._type.line) if column == 0 and self._table.named else widest

    def _measure(self, row: int) -> Measure:
        return self._type.bold if row in self._table.sums else self._type.measure

    def _is_sentence(self, column: int) -> bool:
        return self._wanted[column] > _SENTENCE * self._type.line

    def _least(self, columns: Sequence[int]) -> float:
        """The breadth that columns need, sentences wrapped."""
        least = _LEAST_SENTENCE * self._type.line
        widths = (least if self._is_sentence(column) else self._wanted[column] for column in columns)
        return sum(widths) + self._gaps(columns)

    def _gaps(self, columns: Sequence[int]) -> float:
        return _BETWEEN * self._type.line * (len(columns) - 1)

    def _widths(self, columns: Sequence[int]) -> list[float]:
        """The breadths of columns; sentences share what the others leave."""
        sentences = [column for column in columns if self._is_sentence(column)]
        room = self._width - self._gaps(columns)
        others = sum(self._wanted[column] for column in columns if column not in sentences)
        wanted = [self._wanted[column] for column in sentences]
        shares = shared_widths(wanted, max(1.0, room - others), _LEAST_SENTENCE * self._type.line)
        shared = dict(zip(sentences, shares, strict=True))
        return [min(shared.get(column, self._wanted[column]), room) for column in columns]

    def _heights(self, columns: Sequence[int]) -> list[float]:
        """The heights of all rows with these columns."""
        widths = self._widths(columns)
        cells = (self._cells(row, columns, widths) for row in range(len(self._texts)))
        return [(max(map(len, lines)) + _AIR) * self._type.line for lines in cells]

    def _cells(self, row: int, columns: Sequence[int], widths: Sequence[float]) -> tuple[Lines, ...]:
        return tuple(self._lines(row, column, width) for column, width in zip(columns, widths, strict=True))

    def _lines(self, row: int, column: int, width: float) -> Lines:
        """A text on one line if it fits, else wrapped to as many as the room has."""
        text = self._texts[row][column]
        if self._lengths[row][column] <= width:
            return [text]
        if (key := (row, column, width)) not in self._wrapped:
            self._wrapped[key] = self._wrap(text, width, self._measure(row))
        return self._wrapped[key]

    def _wrap(self, text: str, width: float, measure: Measure) -> Lines:
        """A text that is longer than a line. Words are measured once each, since many widths are tried."""
        if " " not in text:
            return [elided(text, width, measure)]
        most, lines, used = max(1, int(self._height / self._type.line) - 3), [list[str]()], 0.0
        space = self._word_length(" ", measure)
        for word in text.split():
            length = self._word_length(word, measure)
            if length > width:
                return wrapped(text, width, most, measure)
            if lines[-1] and used + space + length > width:
                lines.append([])
                used = 0.0
            used += length + (space if lines[-1] else 0.0)
            lines[-1].append(word)
        return list(map(" ".join, lines)) if len(lines) <= most else wrapped(text, width, most, measure)

    def _word_length(self, word: str, measure: Measure) -> float:
        if (word, measure) not in self._words:
            self._words[word, measure] = measure(word)
        return self._words[word, measure]

    def _heading_height(self, columns: Sequence[int]) -> float:
        return (max(len(self._header[column]) for column in columns) + _AIR) * self._type.line


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
