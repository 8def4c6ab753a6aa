"""A table on the screen that doesn't scroll: as the layout divides it, one part at a time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.figure.panels import Judged, Table
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import BODY, CAPTION, Roles, Type
from posenc_gui.render.layout.table_parts import Lines, TablePart, TableType, table_parts
from posenc_gui.render.layout.text_fit import elided, visible
from posenc_gui.render.screen.fonts import font_of, line_height, measured
from posenc_gui.render.screen.parts_painter import pen

_SIZES = Type(20, 28), Type(17, 24), BODY, CAPTION
_BELOW_TITLE = 6.0  # pixels
_BESIDE_FOCUS = 8.0  # pixels by which the band behind the row in focus is broader than the table
_BAND = 0.14  # of the focus colour in that band


class StillTable(QWidget):
    """Draws a part of a table, with the table's title above it."""

    def __init__(self, colours: Roles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self.part: TablePart | None = None

    def set_colours(self, colours: Roles) -> None:
        """Draw in another theme's colours."""
        self._colours = colours
        self.update()

    def parts_of(self, table: Table) -> list[TablePart]:
        """The parts of a table that have room one after the other."""
        title = self._title_height(table)
        return table_parts(table, self.width() - 2 * _BESIDE_FOCUS, self.height() - title, list(map(_type_of, _SIZES)))

    def show_part(self, part: TablePart) -> None:
        """Show this part."""
        self.part = part
        self.setAccessibleName(part.table.title or "Table")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the title, the header with a line below it, and the rows."""
        if self.part is None:
            return
        painter, part, colours = QPainter(self), self.part, self._colours
        regular, bold = font_of(part.type.size), font_of(part.type.size, bold=True)
        self._draw_title(painter, part.table)
        top, numeric = self._title_height(part.table), [part.table.is_numeric(column) for column in part.columns]
        painter.setFont(regular)
        inks = [colours.muted] * len(part.columns)
        self._draw_row(painter, part, part.header, inks, numeric, top)
        top += part.heading
        left, right = _BESIDE_FOCUS, _BESIDE_FOCUS + sum(part.widths) + part.between * (len(part.widths) - 1)
        painter.fillRect(QRectF(left, top - 2, right - left, 1), QColor(colours.muted))
        for row, cells, height in zip(part.rows, part.cells, part.heights, strict=True):
            if row == part.table.focus:
                band = QRectF(0, top, right + _BESIDE_FOCUS, height)
                painter.fillRect(band, QColor(mixed(colours.focus, colours.card, _BAND)))
                painter.fillRect(QRectF(0, top, 3, height), QColor(colours.focus))
            if row in part.table.sums:
                painter.fillRect(QRectF(left, top, right - left, 1), QColor(colours.ink))
            painter.setFont(bold if row in part.table.sums else regular)
            inks = [self._ink_of(part.table.rows[row][column]) for column in part.columns]
            most = max(map(len, cells))
            self._draw_row(painter, part, cells, inks, numeric, top + (height - most * part.type.line) / 2)
            top += height

    def _draw_row(
        self,
        painter: QPainter,
        part: TablePart,
        cells: Sequence[Lines],
        inks: Sequence[str],
        numeric: Sequence[bool],
        top: float,
    ) -> None:
        left = _BESIDE_FOCUS
        for lines, ink, is_number, width in zip(cells, inks, numeric, part.widths, strict=True):
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            painter.setPen(pen(ink))
            for at, line in enumerate(lines):
                room = QRectF(left, top + at * part.type.line, width + 1, part.type.line)
                painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, line)
            left += width + part.between

    def _draw_title(self, painter: QPainter, table: Table) -> None:
        font = font_of(BODY, bold=True)
        painter.setFont(font)
        painter.setPen(pen(self._colours.ink))
        room = QRectF(_BESIDE_FOCUS, 0, self.width() - 2 * _BESIDE_FOCUS, line_height(font=font))
        painter.drawText(
            room, Qt.AlignmentFlag.AlignVCenter, elided(visible(table.title), room.width(), measured(font))
        )

    def _title_height(self, table: Table) -> float:
        return line_height(font=font_of(BODY, bold=True)) + _BELOW_TITLE if table.title else 0.0

    def _ink_of(self, cell: str | float) -> str:
        return self._colours.of_verdict(cell.verdict) if isinstance(cell, Judged) else self._colours.ink


def _type_of(size: Type) -> TableType:
    return TableType(size, line_height(font=font_of(size)), measured(font_of(size)), measured(font_of(size, bold=True)))
