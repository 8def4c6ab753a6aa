"""Tables: text left-aligned, numbers right-aligned, a line below the header and above each sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from posenc_gui.figure.panels import Judged, Table, table_text
from posenc_gui.foundation.theme import Roles
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.layout.text_fit import Measure, elided, shared_widths, wrapped
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.format import LINE, SMALL
from posenc_gui.render.paper.page import Box, Page, draw_panel_title

_TITLE = 1.7  # the height of a title, in type sizes
_GAP = 22.0  # between a title and what stands at its right
_WIDEST_COLUMN = 26.0  # in type sizes; wider columns wrap their sentences if space is short
_READABLE_COLUMN = 15.0  # in type sizes: the minimum width of a column of sentences
_MOST_LINES = 20  # lines per cell
_MOST_ROWS = 40  # rows, at most, for which a table requests height
_ROUNDING = 0.01  # points: tolerance for rounding when widths are shared


@dataclass(frozen=True)
class _Setting:
    """Typesetting of a table: type size, height of one-line rows in type sizes, gap between columns, and the most lines of a
    heading."""

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


_WIDE = tuple(map(_Setting, (16.5, 14.7, 13.0, 12.0, SMALL)))
_LARGE = 14.7  # the largest type of a table whose sheet has no larger
_TIGHT = (_Setting(SMALL, 1.45, 14.0, 2), _Setting(SMALL, 1.25, 12.0, 2))


@dataclass(frozen=True)
class _Grid:
    """The part of a table that fits: row indices with None for those left out, the lines of cells, column widths."""

    setting: _Setting
    rows: tuple[int | None, ...]
    header: tuple[list[str], ...]
    cells: tuple[tuple[list[str], ...], ...]
    widths: tuple[float, ...]

    @property
    def width(self) -> float:
        """The width of the columns and the gaps between them."""
        return self.setting.across(self.widths)

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


def height(panel: Table, width: float) -> float:
    """The height that a table needs in its smallest type, with its title."""
    count = min(len(panel.rows), _MOST_ROWS)
    return _title(panel, SMALL) + _grid(panel, tuple(range(count)), _WIDE[-1], width, _MOST_LINES).height + 1


def _title(panel: Table, size: float) -> float:
    """The height of a table's title in this size of type."""
    return _TITLE * size if panel.title else 0.0


def draw(panel: Table, page: Page, box: Box) -> None:
    """Draw the rows and columns that fit, and state how many are left out."""
    title = _title(panel, page.title)
    grid = _fitted(panel, box.width, box.height - title, page.title)
    if rest := len(panel.header) - len(grid.widths):
        title = max(title, _TITLE * SMALL)
        grid = _fitted(panel, box.width, box.height - title, page.title)
        rest = len(panel.header) - len(grid.widths)
    size, pitch, muted = grid.setting.size, grid.setting.pitch, page.roles.muted
    columns_left_out = f"… {format_count(rest, 'more column')}" if rest else ""
    of_title = box.width - measured(SMALL)(columns_left_out) - (_GAP if rest else 0)
    size_of_title = page.title if measured(page.title, bold=True)(panel.title[:200]) <= of_title else SMALL
    draw_panel_title(page, panel.title, box.left, box.top, of_title, size_of_title)
    page.text(box.right, box.top, columns_left_out, SMALL, muted, "right", at="top")
    room = Box(box.left, box.bottom, grid.width, 0)
    top = box.top - title
    heading, *heights = grid.heights
    _draw_row(page, panel, grid.header, grid, room, top - pitch / 2, [muted] * len(panel.header))
    top -= heading
    page.line((room.left, room.right), (top, top), muted, 0.8)
    for index, cells, height in zip(grid.rows, grid.cells, heights, strict=True):
        y, bottom = top - pitch / 2, top - height
        if index is None:
            left_out = len(panel.rows) - len(grid.rows) + 1
            page.text(room.left, y, f"… {format_count(left_out, 'more row')}", size, muted)
        else:
            marked = index == panel.focus
            if index in panel.sums:
                page.line((room.left, room.right), (top, top), page.roles.ink, 0.8)
            if marked:
                page.band(Box(room.left - 6, bottom, room.width + 12, height), page.roles.focus)
            colours = [_ink_of(cell, page.roles, marked) for cell in panel.rows[index]]
            _draw_row(page, panel, cells, grid, room, y, colours, index in panel.sums)
        top = bottom


def _draw_row(
    page: Page,
    panel: Table,
    cells: Sequence[list[str]],
    grid: _Grid,
    box: Box,
    y: float,
    colours: Sequence[str],
    bold: bool = False,
) -> None:
    x, size = box.left, grid.setting.size
    for column, (width, lines, colour) in enumerate(zip(grid.widths, cells, colours, strict=False)):
        for place, line in enumerate(lines):
            below = y - place * size * LINE
            if _is_numeric(panel, column):
                page.text(x + width, below, line, size, colour, "right", bold=bold)
            else:
                page.text(x, below, line, size, colour, bold=bold)
        x += width + grid.setting.between


def _fitted(panel: Table, width: float, height: float, largest: float) -> _Grid:
    """Fit the whole table in the most generous setting that fits; else choose the rows and columns that show the most text.

    Choices that include the row in focus come first.
    """
    count = len(panel.rows)
    settings = (setting for setting in _WIDE if setting.size <= max(largest, _LARGE))
    for setting in (*settings, *_TIGHT):
        if count <= setting.most_rows(height):
            grid = _grid(panel, tuple(range(count)), setting, width, _MOST_LINES)
            if grid.width <= width and grid.height <= height:
                return grid
    counts = range(len(panel.header), 0, -1)
    parts = [_part(panel, columns, setting, width, height) for setting in _TIGHT for columns in counts]
    fitting = (one for one in parts if one.width <= width)
    return max(fitting, key=lambda grid: (panel.focus is None or panel.focus in grid.rows, grid.letters))


def _part(panel: Table, columns: int, setting: _Setting, width: float, height: float) -> _Grid:
    """Return the first `columns` columns with as many rows as fit on one line each; spare height gives rows more lines."""
    first = replace(panel, header=panel.header[:columns], rows=tuple(row[:columns] for row in panel.rows))
    for most in range(setting.most_rows(height), 1, -1):
        rows = _some_rows(first, most)
        for lines in range(_MOST_LINES, 0, -1):
            grid = _grid(first, rows, setting, width, lines)
            if grid.height <= height:
                break
        if grid.height <= height:
            break
    return replace(grid, widths=(min(grid.widths[0], width),)) if columns == 1 else grid


def _grid(panel: Table, rows: tuple[int | None, ...], setting: _Setting, width: float, most_lines: int) -> _Grid:
    """Return a grid of these rows; columns are as wide as their longest text, and sentence columns share the remaining width."""
    size = setting.size
    wanted = _widths(panel, [row for row in rows if row is not None], setting)
    sentences = {column: one for column, one in enumerate(wanted) if one > _WIDEST_COLUMN * size}
    free = width - _ROUNDING - setting.across(wanted) + sum(sentences.values())
    shared = shared_widths(list(sentences.values()), free, _READABLE_COLUMN * size)
    shares = dict(zip(sentences, shared, strict=True))
    columns = tuple(shares.get(column, one) for column, one in enumerate(wanted))
    header = tuple(
        _lines(name, one, setting.header_lines, measured(size)) for name, one in zip(panel.header, columns, strict=True)
    )
    cells = tuple(
        ()
        if row is None
        else tuple(
            _lines(table_text(cell), one, most_lines, measured(size, row in panel.sums))
            for cell, one in zip(panel.rows[row], columns, strict=True)
        )
        for row in rows
    )
    return _Grid(setting, rows, header, cells, columns)


def _lines(text: str, width: float, most: int, measure: Measure) -> list[str]:
    """Return the text on one line if it fits, else wrapped; a single word stays on one line, shortened in its middle."""
    shown = elided(text, width, measure)
    return [shown] if shown == text or " " not in text else wrapped(text, width, most, measure)


def _some_rows(panel: Table, most: int) -> tuple[int | None, ...]:
    """The first rows, then None for those left out, then the sums at the end."""
    count = len(panel.rows)
    if count <= most:
        return tuple(range(count))
    end = count
    while end - 1 in panel.sums and count - end < most // 2:
        end -= 1
    return (*range(most - 1 - (count - end)), None, *range(end, count))


def _widths(panel: Table, rows: Sequence[int], setting: _Setting) -> list[float]:
    """The width of each column: that of its longest text, single words up to the widest column."""
    size = setting.size
    return [
        max(
            _broken_width(elided(panel.header[column], _WIDEST_COLUMN * size, measured(size)), setting),
            *(
                measure(elided(text, math.inf if " " in text else _WIDEST_COLUMN * size, measure))
                for text, measure in (
                    (table_text(panel.rows[row][column]), measured(size, row in panel.sums)) for row in rows
                )
            ),
        )
        for column in range(len(panel.header))
    ]


def _broken_width(name: str, setting: _Setting) -> float:
    """Return the minimum width of a column's heading on its permitted one or two lines."""
    measure, words = measured(setting.size), name.split(" ")
    if setting.header_lines == 1:
        return measure(name)
    halves = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) + 1))
    return min(max(map(measure, both)) for both in halves)


def _is_numeric(panel: Table, column: int) -> bool:
    return not any(isinstance(row[column], str) for row in panel.rows if row[column] != "")


def _ink_of(cell: str | float, roles: Roles, marked: bool) -> str:
    """Return the colour of a cell's text: its verdict's colour, if it has one, else its row's."""
    if isinstance(cell, Judged):
        return roles.of_verdict(cell.verdict)
    return roles.focus if marked else roles.ink
