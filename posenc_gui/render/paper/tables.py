"""Tables: words at the left, numbers at the right, a line under the header and above each sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from posenc_gui.figure import Judged, Table, number
from posenc_gui.look import Roles
from posenc_gui.render.paper.fonts import measured
from posenc_gui.render.paper.page import (
    LEAST,
    LINE,
    PANEL,
    SENTENCE,
    Box,
    Page,
    draw_panel_title,
)
from posenc_gui.render.words import Measure, elided, shared_widths, wrapped

_SIZES = (SENTENCE, 13.0, PANEL, LEAST)
_ROW = 1.8  # from row to row where each is one line, in sizes
_BETWEEN = 22.0  # columns
_WIDEST_COLUMN = 26.0  # in sizes; the sentences of a wider one are broken into lines where room is short
_READABLE_COLUMN = 15.0  # in sizes, the least that sentences get
_MOST_LINES = 20  # of a cell
_MOST_ROWS = 40  # that a table asks for
_ROUNDING = 0.01  # points that shares may add up to more than they share


@dataclass(frozen=True)
class _Grid:
    """The part of a table that fits: its rows' indices with None for those left out, their cells' lines, their widths."""

    size: float
    rows: tuple[int | None, ...]
    cells: tuple[tuple[list[str], ...], ...]
    widths: tuple[float, ...]

    @property
    def heights(self) -> list[float]:
        """How high each row is."""
        return [self.size * (_ROW + LINE * (max((1, *map(len, row))) - 1)) for row in self.cells]

    @property
    def height(self) -> float:
        """How high the rows and the header are."""
        return self.size * _ROW + sum(self.heights)


def height(panel: Table, width: float) -> float:
    """How high a table asks to be in its smallest type, with its title."""
    count = min(len(panel.rows), _MOST_ROWS)
    return PANEL * 1.7 + _grid(panel, tuple(range(count)), LEAST, width, _MOST_LINES).height + 1


def draw(panel: Table, page: Page, box: Box, titles: float) -> None:
    """Draw the rows and columns that fit, and say how many more there are."""
    draw_panel_title(page, panel.title, box.left, box.top, box.width)
    grid = _fitted(panel, box.width, box.height - titles)
    pitch = grid.size * _ROW
    room = Box(box.left, box.bottom, _across(grid.widths), 0)
    top = box.top - titles
    header = [
        [elided(name, width, measured(grid.size))] for name, width in zip(panel.header, grid.widths, strict=False)
    ]
    _draw_row(page, panel, header, grid, room, top - pitch / 2, [page.roles.muted] * len(panel.header))
    rest = len(panel.header) - len(grid.widths)
    if rest:
        page.text(room.right + _BETWEEN, top - pitch / 2, _more(rest, "column"), grid.size, page.roles.muted)
    top -= pitch
    page.line((room.left, room.right), (top, top), page.roles.muted, 0.8)
    for index, cells, height in zip(grid.rows, grid.cells, grid.heights, strict=True):
        y, bottom = top - pitch / 2, top - height
        if index is None:
            left_out = len(panel.rows) - len(grid.rows) + 1
            page.text(room.left, y, _more(left_out, "row"), grid.size, page.roles.muted)
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
    x = box.left
    for column, (width, lines, colour) in enumerate(zip(grid.widths, cells, colours, strict=False)):
        for place, line in enumerate(lines):
            below = y - place * grid.size * LINE
            if _is_numeric(panel, column):
                page.text(x + width, below, line, grid.size, colour, "right", bold=bold)
            else:
                page.text(x, below, line, grid.size, colour, bold=bold)
        x += width + _BETWEEN


def _fitted(panel: Table, width: float, height: float) -> _Grid:
    """Everything in the largest size at which it fits; where nothing does, what fits in a size that is easily read."""
    count = len(panel.rows)
    for size in _SIZES:
        if count <= _most_rows(size, height):
            grid = _grid(panel, tuple(range(count)), size, width, _MOST_LINES)
            if _across(grid.widths) <= width and grid.height <= height:
                return grid
    # Each number of columns leaves room for other rows: most is seen where most cells are.
    parts = (_part(panel, columns, width, height) for columns in range(len(panel.header), 0, -1))
    return max(parts, key=lambda grid: (len(grid.rows) * len(grid.widths), len(grid.rows)))


def _part(panel: Table, columns: int, width: float, height: float) -> _Grid:
    """The first columns in the smallest size, and of their rows as many as there is room for."""
    first = replace(panel, header=panel.header[:columns], rows=tuple(row[:columns] for row in panel.rows))
    more = _BETWEEN + measured(LEAST)(_more(len(panel.header), "column"))
    room = width - (more if columns < len(panel.header) else 0)
    most_lines = max(1, min(_MOST_LINES, int((height / LEAST - 2 * _ROW) / LINE) + 1))
    for most in range(_most_rows(LEAST, height), 1, -1):
        grid = _grid(first, _some_rows(first, most), LEAST, room, most_lines)
        if grid.height <= height:
            break
    kept = len(grid.widths)
    while kept > 1 and _across(grid.widths[:kept]) > (room if kept == columns else width - more):
        kept -= 1
    widths = tuple(min(one, room) for one in grid.widths[:kept])
    return replace(grid, cells=tuple(row[:kept] for row in grid.cells), widths=widths)


def _grid(panel: Table, rows: tuple[int | None, ...], size: float, width: float, most_lines: int) -> _Grid:
    """These rows, each column as wide as its longest text, or those of sentences in what the others leave."""
    wanted = _widths(panel, [row for row in rows if row is not None], size)
    sentences = {column: one for column, one in enumerate(wanted) if one > _WIDEST_COLUMN * size}
    free = width - _ROUNDING - _across(wanted) + sum(sentences.values())
    shared = shared_widths(list(sentences.values()), free, _READABLE_COLUMN * size)
    shares = dict(zip(sentences, shared, strict=True))
    columns = tuple(shares.get(column, one) for column, one in enumerate(wanted))
    cells = tuple(
        ()
        if row is None
        else tuple(
            _lines(_text(cell), one, most_lines, measured(size, row in panel.sums))
            for cell, one in zip(panel.rows[row], columns, strict=True)
        )
        for row in rows
    )
    return _Grid(size, rows, cells, columns)


def _lines(text: str, width: float, most: int, measure: Measure) -> list[str]:
    """The text in one line where it fits or is a single word, which loses its middle, else in several."""
    shown = elided(text, width, measure)
    return [shown] if shown == text or " " not in text else wrapped(text, width, most, measure)


def _most_rows(size: float, height: float) -> int:
    return max(2, int(height / (size * _ROW)) - 1)


def _across(widths: Sequence[float]) -> float:
    return sum(widths) + _BETWEEN * (len(widths) - 1)


def _some_rows(panel: Table, most: int) -> tuple[int | None, ...]:
    """The first rows, then None for those left out, then the sums at the end."""
    count = len(panel.rows)
    if count <= most:
        return tuple(range(count))
    end = count
    while end - 1 in panel.sums and count - end < most // 2:
        end -= 1
    return (*range(most - 1 - (count - end)), None, *range(end, count))


def _widths(panel: Table, rows: Sequence[int], size: float) -> list[float]:
    """How wide each column is: as its longest text; a single word gets no wider than a column does."""
    return [
        max(
            measure(elided(text, math.inf if " " in text else _WIDEST_COLUMN * size, measure))
            for text, measure in [
                (panel.header[column], measured(size)),
                *((_text(panel.rows[row][column]), measured(size, row in panel.sums)) for row in rows),
            ]
        )
        for column in range(len(panel.header))
    ]


def _is_numeric(panel: Table, column: int) -> bool:
    return not any(isinstance(row[column], str) for row in panel.rows if row[column] != "")


def _ink_of(cell: str | float, roles: Roles, marked: bool) -> str:
    """The colour of what a cell says: that of its verdict, else of its row."""
    if isinstance(cell, Judged):
        return roles.of_verdict(cell.verdict)
    return roles.focus if marked else roles.ink


def _text(cell: str | float) -> str:
    return cell if isinstance(cell, str) else number(cell)


def _more(count: int, what: str) -> str:
    return f"… {count} more {what}{'s' if count > 1 else ''}"
