"""A table on the screen that doesn't scroll: in one part after the other where all of it has no room."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.figure.panels import Table
from posenc_gui.foundation.theme import BODY, CAPTION, Roles, Type
from posenc_gui.render.drawings.drawing import Stage
from posenc_gui.render.drawings.tables import BESIDE, TableDrawing
from posenc_gui.render.layout.set_table import SetTable, in_parts
from posenc_gui.render.layout.type_sizes import Style, TableType
from posenc_gui.render.screen.fonts import ScreenFace, screen_style
from posenc_gui.render.screen.parts_painter import PartsPainter

_SIZES = Type(20, 28), Type(17, 24), BODY, CAPTION
# Lines above and below a row's text together, and between columns.
_AIR = (1.0, 2.5), (0.6, 2.5), (0.2, 2.5), (0.2, 1.0)
_ABOVE = 4.0  # pixels above the title, whose middle is near the top of its stage
_WIDEST, _READABLE = 20.8, 12.0  # lines: the widest column, and the least of sentences
_MOST_ROWS = 32


class StillTable(QWidget):
    """Draws a part of a table, with the table's title above it."""

    def __init__(self, colours: Roles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = colours
        self.part: SetTable | None = None

    def set_colours(self, colours: Roles) -> None:
        """Draw in another theme's colours."""
        self._colours = colours
        self.update()

    def parts_of(self, table: Table) -> list[SetTable]:
        """The parts of a table that have room one after the other."""
        return in_parts(table, self._width, self.height() - _ABOVE, _style(), _MOST_ROWS)

    def show_part(self, part: SetTable) -> None:
        """Show this part."""
        self.part = part
        self.setAccessibleName(part.panel.title or "Table")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the part."""
        if self.part is None:
            return
        painter = QPainter(self)
        painter.translate(BESIDE, _ABOVE)
        stage = Stage(self._width, self.height() - _ABOVE, screen_style(), self._colours, set_table=self.part)
        PartsPainter().paint(painter, TableDrawing(self.part.panel, stage).parts)

    @property
    def _width(self) -> float:
        return self.width() - 2 * BESIDE


def _style() -> Style:
    """The type of cards, and that of tables, large to small, airy to tight."""
    faces = [(ScreenFace.of(size), ScreenFace.of(size, bold=True)) for size in _SIZES]
    types = (
        TableType(face, bold, air * face.line, gap * face.line, _WIDEST * face.line, _READABLE * face.line)
        for face, bold in faces
        for air, gap in _AIR
    )
    return replace(screen_style(), tables=(*types,))
