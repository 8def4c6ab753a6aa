"""Figures as numbers in a table: CSV for spreadsheets and pandas.

A figure of several kinds of panels is one table: its columns are those of all panels, in order of first appearance, and a row
leaves empty what its panel lacks. Repeated headings are numbered.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator

from posenc_gui.figure.figure import Figure
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions
from posenc_gui.render.numbers import Cell, Row, numbers

SUFFIXES = (".csv",)

# Excel also runs the full-width signs where the keyboard is Japanese.
_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def content(figure: Figure, _suffix: str, _choices: ExportOptions = DEFAULT_OPTIONS) -> bytes:
    """The figure's numbers as a file."""
    file = io.BytesIO()
    # Excel recognises UTF-8 by the byte order mark. Writing through to bytes keeps a large table in memory only once.
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as table:
        csv.writer(table).writerows(_escaped(rows(figure)))
        table.flush()
        return file.getvalue()


def text(figure: Figure, delimiter: str) -> str:
    """The same table as one string for the clipboard; with tabs it pastes into spreadsheets."""
    return delimited(rows(figure), delimiter, "\r\n")


def delimited(cells: Iterable[Row], delimiter: str, line_end: str = "\n") -> str:
    """Rows as one string for the clipboard: text that no spreadsheet runs as a formula, numbers with all their digits."""
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter, lineterminator=line_end).writerows(_escaped(cells))
    return table.getvalue()


def _escaped(cells: Iterable[Row]) -> Iterator[Row]:
    """The rows with text escaped against formulas; numbers stay numbers."""
    for row in cells:
        yield [escape_formula(cell) if isinstance(cell, str) else cell for cell in row]


def escape_formula(text: str) -> str:
    """Prefix text that a spreadsheet would run as a formula with an apostrophe."""
    return f"'{text}" if text[:1] in _FORMULA_STARTS else text


def rows(figure: Figure) -> Iterator[Row]:
    """The table row by row, its header first."""
    tables = list(map(numbers, figure.panels))
    headers = [_distinct(["panel", *map(str, table.header)]) for table in tables]
    header = list(dict.fromkeys(name for names in headers for name in names))
    yield header
    for name, names, table in zip(_names(figure), headers, tables, strict=True):
        places = [header.index(column) for column in names]
        for cells in table.rows:
            row: list[Cell] = [""] * len(header)
            for place, cell in zip(places, (name, *cells), strict=True):
                row[place] = cell
            yield row


def _names(figure: Figure) -> list[str]:
    """Return the panels' titles, prefixed with the encoding's name if no title contains it, since the table has no heading."""
    titles = [panel.title or "panel" for panel in figure.titled_panels]
    named = {figure.subject, *(one.subject.partition(", ")[0] for one in figure.frames)} - {""}
    if figure.subject and not any(name in title for name in named for title in titles):
        titles = [f"{figure.subject} · {title}" for title in titles]
    return [
        title if titles.count(title) == 1 else f"{title} ({number})" for number, title in enumerate(titles, start=1)
    ]


def _distinct(names: list[str]) -> list[str]:
    """The names, with repeats numbered."""
    found: list[str] = []
    for name in names:
        numbered = (name if count == 1 else f"{name} ({count})".strip() for count in itertools.count(1))
        found.append(next(one for one in numbered if one not in found))
    return found
