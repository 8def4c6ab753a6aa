"""Tables: words at the left, numbers at the right, a line under the header and above each sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from posenc_gui.figure import Table, number
from posenc_gui.render.paper.page import (
    ACCENT,
    CAPTION,
    INK,
    LEAST,
    MUTED,
    PANEL,
    SENTENCE,
    SMALL,
    Box,
    Page,
    draw_panel_title,
)
from posenc_gui.render.paper.words import elided, width_of

_SIZES = (18.0, SENTENCE, PANEL, CAPTION, SMALL, LEAST)
_ROW = 1.8  # from row to row, in sizes
_BETWEEN = 22.0  # columns
_CELL_ROOM = 480.0  # the longest a cell gets


@dataclass(frozen=True)
class _Grid:
    """The part of a table that fits: its rows' indices with None for those left out, and its columns' widths."""

    size: float
    rows: tuple[int | None, ...]
    widths: tuple[float, ...]


def draw(panel: Table, page: Page, box: Box, titles: float) -> None:
    """Draw the rows and columns that fit, and say how many more there are."""
    draw_panel_title(page, panel.title, box.left, box.top, box.width)
    grid = _fitted(panel, box.width, box.height - titles)
    pitch = grid.size * _ROW
    room = Box(box.left, box.bottom, _across(grid.widths), 0)
    y = box.top - titles - pitch / 2
    _draw_row(page, panel, panel.header, grid, room, y, color=MUTED)
    rest = len(panel.header) - len(grid.widths)
    if rest:
        page.text(room.right + _BETWEEN, y, _more(rest, "column"), grid.size, color=MUTED)
    page.line((room.left, room.right), (y - pitch / 2, y - pitch / 2), color=MUTED, linewidth=0.8)
    for index in grid.rows:
        y -= pitch
        if index is None:
            left_out = len(panel.rows) - len(grid.rows) + 1
            page.text(room.left, y, _more(left_out, "row"), grid.size, color=MUTED)
            continue
        total = index in panel.sums
        if total:
            page.line((room.left, room.right), (y + pitch / 2, y + pitch / 2), color=INK, linewidth=0.8)
        marked = index == panel.focus
        if marked:
            page.band(Box(room.left - 6, y - pitch / 2, room.width + 12, pitch), ACCENT)
        style = {"weight": "bold" if total else "normal", "color": ACCENT if marked else INK}
        _draw_row(page, panel, panel.rows[index], grid, room, y, **style)


def _draw_row(
    page: Page, panel: Table, cells: Sequence[str | float], grid: _Grid, box: Box, y: float, **style: str
) -> None:
    x = box.left
    for column, (width, cell) in enumerate(zip(grid.widths, cells, strict=False)):
        text = elided(_text(cell), width, grid.size, style.get("weight", "normal"))
        if _is_numeric(panel, column):
            page.text(x + width, y, text, grid.size, ha="right", **style)
        else:
            page.text(x, y, text, grid.size, **style)
        x += width + _BETWEEN


def _fitted(panel: Table, width: float, height: float) -> _Grid:
    """Everything in the largest size at which it fits; where nothing does, what fits in a size that is easily read."""
    count = len(panel.rows)
    for size in _SIZES:
        if count <= _most_rows(size, height):
            widths = _widths(panel, range(count), size)
            if _across(widths) <= width:
                return _Grid(size, tuple(range(count)), tuple(widths))
    size = LEAST if count <= _most_rows(LEAST, height) else SMALL
    rows = _some_rows(panel, _most_rows(size, height))
    widths = _widths(panel, [row for row in rows if row is not None], size)
    kept = len(widths)
    more = _BETWEEN + width_of(_more(kept, "column"), size)
    while kept > 1 and _across(widths[:kept]) + (more if kept < len(widths) else 0) > width:
        kept -= 1
    return _Grid(size, rows, tuple(min(one, width) for one in widths[:kept]))


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
    """How wide each column is: as its longest text, which is cut where it is very long."""
    return [
        max(
            width_of(elided(_text(cell), _CELL_ROOM, size, weight), size, weight)
            for cell, weight in [
                (panel.header[column], "normal"),
                *((panel.rows[row][column], "bold" if row in panel.sums else "normal") for row in rows),
            ]
        )
        for column in range(len(panel.header))
    ]


def _is_numeric(panel: Table, column: int) -> bool:
    return not any(isinstance(row[column], str) for row in panel.rows if row[column] != "")


def _text(cell: str | float) -> str:
    return cell if isinstance(cell, str) else number(cell)


def _more(count: int, what: str) -> str:
    return f"… {count} more {what}{'s' if count > 1 else ''}"
