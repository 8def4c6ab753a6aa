"""Tables set in type: the size, the columns' widths and the lines of their cells with which a table fits a sheet, or pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.panels import Table, table_text
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.layout.badges import BREAK
from posenc_gui.render.layout.table_parts import divide_evenly
from posenc_gui.render.layout.text_fit import Measure, elided, longest, on_two_lines, shared_widths, wrapped
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL

TITLE = 1.7  # the height of a title, in type sizes
_WIDEST_COLUMN = 26.0  # in type sizes; wider columns wrap their sentences if space is short
_READABLE_COLUMN = 15.0  # in type sizes: the width that a column of sentences keeps while others can be narrower
_NARROWER = 0.92  # steps in which columns are narrowed
_MOST_LINES = 20  # lines per cell
_MOST_ROWS = 40  # rows, at most, for which a table requests height
_MOST_PARTS = 4  # pages that share columns
_MOST_PAGES = 12
_ROUNDING = 0.01  # points: tolerance for rounding when widths are shared


@dataclass(frozen=True)
class Setting:
    """A table's typesetting: type size, one-line rows' height in type sizes, columns' gap, a heading's most lines."""

    size: float
    row: float = 1.8
    between: float = 22.0
    header_lines: int = 1

    @property
    def pitch(self) -> float:
        return self.size * self.row

    def across(self, widths: Sequence[float]) -> float:
        """The width of columns and the gaps between them."""
        return sum(widths) + self.between * (len(widths) - 1)

    def most_rows(self, height: float) -> int:
        return max(2, int(height / self.pitch) - 1)


_LARGE = 14.7  # the largest type of a table whose sheet has no larger
_WIDE = tuple(Setting(size, header_lines=lines) for size in (16.5, 14.7, 13.0, 12.0, SMALL) for lines in (1, 2))
_AIRY = Setting(SMALL, 2.6, 14.0, 2)
_TIGHT = (Setting(SMALL, 1.45, 14.0, 2), Setting(SMALL, 1.25, 12.0, 2))


@dataclass(frozen=True)
class TableGrid:
    """The part of a table that is shown in one place: its setting, row indices with None for those left out, the lines of
    cells, column widths, and the size of its title. `note` says at the title's right what isn't here.
    """

    panel: Table
    setting: Setting
    rows: tuple[int | None, ...]
    header: tuple[list[str], ...]
    cells: tuple[tuple[list[str], ...], ...]
    widths: tuple[float, ...]
    title: float
    note: str = ""

    @property
    def width(self) -> float:
        """The width of the columns and the gaps between them."""
        return self.setting.across(self.widths)

    @property
    def title_height(self) -> float:
        """The height of the title."""
        return _title(self.panel, self.title) or TITLE * SMALL * bool(self.note)

    @property
    def heights(self) -> list[float]:
        """The heights of the header and of each row."""
        setting = self.setting
        return [
            setting.pitch + setting.size * LINE * (max((1, *map(len, row))) - 1) for row in (self.header, *self.cells)
        ]

    @property
    def height(self) -> float:
        """The height of the rows and the header."""
        return sum(self.heights)

    @property
    def letters(self) -> int:
        """The number of characters shown."""
        return sum(len(line) for row in (self.header, *self.cells) for cell in row for line in cell)

    @property
    def is_cut(self) -> bool:
        """True if rows, columns or parts of sentences are left out."""
        texts = (line for row in self.cells for cell in row for line in cell[-1:])
        own = {table_text(cell) for row in self.panel.rows for cell in row}
        return bool(self.note) or None in self.rows or any("…" in line and line not in own for line in texts)

    def is_sum(self, row: int | None) -> bool:
        return row in self.panel.sums

    def showing(self, panel: Table) -> TableGrid:
        """Another table of as many rows and columns, its texts in the places of these."""
        measure, bold = measured(self.setting.size), measured(self.setting.size, bold=True)
        header = self._in_place(panel.header, self.header, measure)
        cells = tuple(
            () if row is None else self._in_place(panel.rows[row], own, bold if row in panel.sums else measure)
            for row, own in zip(self.rows, self.cells, strict=True)
        )
        return replace(self, panel=panel, header=header, cells=cells)

    def _in_place(
        self, texts: Sequence[str | float], known: Sequence[list[str]], measure: Measure
    ) -> tuple[list[str], ...]:
        """Texts on as many lines as the known ones of a row."""
        most = max((1, *map(len, known)))
        broken = (
            _lines(table_text(text), width, most, measure) for text, width in zip(texts, self.widths, strict=False)
        )
        return tuple([*lines, *[""] * (most - len(lines))] for lines in broken)

    def some(self, rows: slice) -> TableGrid:
        """The grid with some of its rows."""
        return replace(self, rows=self.rows[rows], cells=self.cells[rows])


def height(panel: Table, width: float) -> float:
    """The height that a table needs in its smallest type, with its title."""
    count = min(len(panel.rows), _MOST_ROWS)
    columns = _columns(panel, range(count), _WIDE[-2], width)
    return _title(panel, SMALL) + _grid(panel, range(count), _WIDE[-2], columns, _MOST_LINES, SMALL).height + 1


def _title(panel: Table, size: float) -> float:
    return TITLE * size if panel.title else 0.0


def fitted(panel: Table, width: float, height: float, largest: float) -> TableGrid:
    """Set a table in one place, with a title of the size `largest`: the rows and columns that fit, and how many are left out."""
    title = _title_size(panel, width, largest)
    if grid := _whole(panel, width, height - _title(panel, title), title, largest):
        return grid
    counts = range(len(panel.header), 0, -1)
    room = height - max(_title(panel, title), TITLE * SMALL)
    parts = [_part(panel, columns, setting, width, room, title) for setting in _TIGHT for columns in counts]
    fitting = (one for one in parts if one.width <= width)
    # Choices that include the row in focus come first, then those that show the most text.
    best = max(fitting, key=lambda grid: (panel.focus is None or panel.focus in grid.rows, grid.letters))
    rest = len(panel.header) - len(best.widths)
    return replace(best, panel=panel, note=f"… {format_count(rest, 'more column')}" if rest else "")


def pages(panel: Table, width: float, height: float, largest: float) -> list[TableGrid]:
    """Set a table in as many places of this size as it needs, with nothing cut or left out; of a table that needs more than
    anyone would read, its first rows.

    Where all columns have no room side by side, each page repeats those that name a row.
    """
    title = _title_size(panel, width, largest)
    room = height - max(_title(panel, title), TITLE * SMALL)
    if grid := _whole(panel, width, height - _title(panel, title), title, largest):
        return [grid]
    found, kept = list[TableGrid](), list[tuple[int, ...]]()
    for parts in _ways_to_part(panel.header, panel.naming):
        if fewer := _paged(panel, parts, _TIGHT[0], width, room, title, most=len(found) - 1 if found else math.inf):
            found, kept = fewer, parts
    settings = (one for one in _WIDE if one.size <= max(largest, _LARGE) and one.header_lines > 1)
    larger = (_paged(panel, kept, setting, width, room, title, most=len(found)) for setting in settings)
    found = next(filter(None, larger), found)
    if len(found) > _MOST_PAGES:
        count = format_count(len(panel.rows), "row")
        return [replace(page, note=f"the first {len(page.rows)} of {count}") for page in found if page.rows[0] == 0]
    return [replace(page, note=f"{number} of {len(found)}") for number, page in enumerate(found, 1)]


def _ways_to_part(header: Sequence[str], naming: int) -> list[list[tuple[int, ...]]]:
    """Ways to share columns among pages, each of which begins with the `naming` ones; at last, a page for each column.

    A column of B stays beside that of A with the same name.
    """
    found, names, count = [], range(naming), len(header)
    for n_parts in range(1, min(_MOST_PARTS, count - naming) + 1):
        share = math.ceil((count - naming) / n_parts)
        later = range(naming + share, count, share)
        starts = dict.fromkeys([naming, *(start - _is_of_second(header, start) for start in later)])
        parts = (range(start, end) for start, end in pairwise([*starts, count]))
        found.append([(*names, *part) for part in parts])
    return [*found, [(column,) for column in range(count)]]


def _is_of_second(header: Sequence[str], at: int) -> bool:
    """True if a column is B's and the one before it is A's with the same name."""
    (_, _, before), (_, sign, own) = (name.partition(": ") for name in header[at - 1 : at + 1])
    return bool(sign) and before == own


def _paged(
    panel: Table,
    parts: Sequence[tuple[int, ...]],
    setting: Setting,
    width: float,
    height: float,
    title: float,
    *,
    most: float,
) -> list[TableGrid]:
    """All of a table on at most so many pages, its columns in these parts; no page where that has no room."""
    lines = int((height - setting.header_lines * setting.pitch) / (setting.size * LINE))
    tables, every = [_of_columns(panel, part) for part in parts], range(len(panel.rows))
    columns = [_columns(table, every, setting, width, narrow=True) for table in tables]
    if any(setting.across(widths) > width and len(widths) > 1 for widths in columns):
        return []
    least = (_least_height(one, setting, widths) for one, widths in zip(tables, columns, strict=True))
    if sum(math.ceil(high / height) for high in least) > most:
        return []
    grids = [
        _grid(table, every, setting, widths, lines, title, whole=True)
        for table, widths in zip(tables, columns, strict=True)
    ]
    found = [page for grid in grids for page in _below_each_other(grid, height)]
    return found if len(found) <= most else []


def _least_height(panel: Table, setting: Setting, widths: Sequence[float]) -> float:
    """A height that a table's rows need at least, found without breaking its texts."""
    lengths = _lengths(panel, range(len(panel.rows)), setting)
    lines = np.ceil(_fillings(lengths, widths) - _ROUNDING).max(axis=0, initial=1)
    return setting.pitch * (1 + len(panel.rows)) + setting.size * LINE * float((lines - 1).sum())


def _title_size(panel: Table, width: float, largest: float) -> float:
    return largest if measured(largest, bold=True)(panel.title[:200]) <= width else SMALL


def _whole(panel: Table, width: float, height: float, title: float, largest: float) -> TableGrid | None:
    """The whole table in the most generous setting that fits; None if none does."""
    count, every = len(panel.rows), range(len(panel.rows))
    for setting in (*(one for one in _WIDE if one.size <= max(largest, _LARGE)), _AIRY, *_TIGHT):
        if count <= setting.most_rows(height):
            columns = _columns(panel, every, setting, width, narrow=setting in (_AIRY, *_TIGHT))
            if setting.across(columns) <= width and _least_height(panel, setting, columns) <= height:
                grid = _grid(panel, every, setting, columns, _MOST_LINES, title)
                if grid.height <= height:
                    return grid
    return None


def _of_columns(panel: Table, columns: Sequence[int]) -> Table:
    rows = tuple(tuple(row[at] for at in columns) for row in panel.rows)
    return replace(panel, header=tuple(panel.header[at] for at in columns), rows=rows)


def _below_each_other(grid: TableGrid, height: float) -> list[TableGrid]:
    """A grid's rows on as few pages as possible, which are about equally high."""
    head, *rows = grid.heights
    return [grid.some(slice(page.start, page.stop)) for page in divide_evenly(rows, height - head)]


def _part(panel: Table, columns: int, setting: Setting, width: float, height: float, title: float) -> TableGrid:
    """Return the first `columns` columns with as many rows as fit on one line each; spare height gives rows more lines."""
    first = _of_columns(panel, range(columns))
    for most in range(setting.most_rows(height), 1, -1):
        rows = _some_rows(first, most)
        widths = _columns(first, [row for row in rows if row is not None], setting, width)
        for lines in range(_MOST_LINES, 0, -1):
            grid = _grid(first, rows, setting, widths, lines, title)
            if grid.height <= height:
                break
        if grid.height <= height:
            break
    return replace(grid, widths=(min(grid.widths[0], width),)) if columns == 1 else grid


def _columns(
    panel: Table, rows: Sequence[int], setting: Setting, width: float, *, narrow: bool = False
) -> Sequence[float]:
    """The widths of columns that are as wide as their longest text; sentence columns share the remaining width.

    `narrow`: where that is too little, all columns break their texts.
    """
    wanted = _widths(panel, rows, setting)
    sentences = {column: one for column, one in enumerate(wanted) if one > _WIDEST_COLUMN * setting.size}
    free = width - _ROUNDING - setting.across(wanted) + sum(sentences.values())
    shared = shared_widths(list(sentences.values()), free, _READABLE_COLUMN * setting.size)
    shares = dict(zip(sentences, shared, strict=True))
    columns = [shares.get(column, one) for column, one in enumerate(wanted)]
    fits = not narrow or setting.across(columns) <= width
    return columns if fits else _narrowed(panel, rows, wanted, setting, width)


def _grid(
    panel: Table,
    rows: Sequence[int | None],
    setting: Setting,
    columns: Sequence[float],
    most_lines: int,
    title: float,
    *,
    whole: bool = False,
) -> TableGrid:
    """Return a grid of these rows in columns of these widths."""
    size = setting.size
    header = tuple(
        _lines(name, one, setting.header_lines, measured(size)) for name, one in zip(panel.header, columns, strict=True)
    )
    cells = tuple(
        ()
        if row is None
        else tuple(
            _lines(table_text(cell), one, most_lines, measured(size, row in panel.sums), whole=whole)
            for cell, one in zip(panel.rows[row], columns, strict=True)
        )
        for row in rows
    )
    return TableGrid(panel, setting, tuple(rows), header, cells, tuple(columns), title)


def _lines(text: str, width: float, most: int, measure: Measure, *, whole: bool = False) -> list[str]:
    """Return the text on one line if it fits, else wrapped; unless `whole`, a single word is shortened in its middle."""
    shown = elided(text, width, measure)
    return [shown] if shown == text or not (whole or " " in text) else wrapped(text, width, most, measure)


def _some_rows(panel: Table, most: int) -> tuple[int | None, ...]:
    """The first rows, then None for those left out, then the sums at the end."""
    count = len(panel.rows)
    if count <= most:
        return tuple(range(count))
    end = count
    while end - 1 in panel.sums and count - end < most // 2:
        end -= 1
    return (*range(most - 1 - (count - end)), None, *range(end, count))


def _widths(panel: Table, rows: Sequence[int], setting: Setting) -> list[float]:
    """The width of each column: that of its longest text, single words up to the widest column."""
    size = setting.size
    return [
        max(
            _broken_width(elided(panel.header[column], _WIDEST_COLUMN * size, measured(size)), setting),
            *(
                measure(elided(text, math.inf if " " in text else _WIDEST_COLUMN * size, measure))
                for text, measure in _texts(panel, rows, column, setting)
            ),
        )
        for column in range(len(panel.header))
    ]


def _texts(panel: Table, rows: Sequence[int], column: int, setting: Setting) -> Iterator[tuple[str, Measure]]:
    """The texts of a column's cells, with their measure."""
    for row in rows:
        yield table_text(panel.rows[row][column]), measured(setting.size, row in panel.sums)


def _lengths(panel: Table, rows: Sequence[int], setting: Setting) -> npt.NDArray[np.float64]:
    """The length of each cell's text, (columns, rows)."""
    columns = range(len(panel.header))
    return np.array([[one(text) for text, one in _texts(panel, rows, at, setting)] for at in columns])


def _fillings(lengths: npt.NDArray[np.float64], widths: Sequence[float]) -> npt.NDArray[np.float64]:
    """How many times each cell's text fills the width of its column, (columns, rows); a column without text has no width."""
    return lengths / np.maximum(widths, _ROUNDING)[:, np.newaxis]


def _narrowed(panel: Table, rows: Sequence[int], widths: Sequence[float], setting: Setting, room: float) -> list[float]:
    """Columns narrowed until they have room or no word would: each time the one for which the table grows least."""
    found, measure = list(widths), measured(setting.size)
    cells = _lengths(panel, rows, setting)
    least = [
        max(
            _broken_width(name, setting),
            longest(BREAK.split(name), measure),
            *(longest(text.split(), one) for text, one in _texts(panel, rows, at, setting)),
        )
        for at, name in enumerate(panel.header)
    ]

    def next_width(at: int) -> float:
        return max(least[at], min(found[at] * _NARROWER, float(cells[at].max())))

    def price(at: int) -> float:
        narrower = [*found[:at], next_width(at), *found[at + 1 :]]
        before, lines = (np.ceil(_fillings(cells, widths)) for widths in (found, narrower))
        gain = found[at] - narrower[at]
        return float((lines.max(axis=0) - before.max(axis=0)).sum()) / gain if gain > _ROUNDING else math.inf

    while setting.across(found) > room - _ROUNDING:
        cheapest = min(range(len(found)), key=price)
        if price(cheapest) == math.inf:
            break
        found[cheapest] = next_width(cheapest)
    return found


def _broken_width(name: str, setting: Setting) -> float:
    """Return the minimum width of a column's heading on its permitted one or two lines."""
    measure = measured(setting.size)
    return measure(name) if setting.header_lines == 1 else longest(on_two_lines(name, measure), measure)
