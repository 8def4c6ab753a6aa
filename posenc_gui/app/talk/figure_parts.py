"""A figure in as many parts as it needs to be read without scrolling."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Table
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.layout.table_parts import TablePart
from posenc_gui.render.screen import FigureView, StillTable

_HINT_FOR = 2000  # milliseconds for which the hint beside the pointer stays


class FigureParts(QWidget):
    """Shows one part of a figure: its panels, then those that had no room among them, then its tables."""

    shown = Signal(int, int)  # which part is shown, and how many there are

    def __init__(self, colours: Roles) -> None:
        super().__init__()
        self.view = FigureView(colours, self, scrolls=False, hint_for=_HINT_FOR)
        self._table = StillTable(colours, self)
        self.figure: Figure | None = None
        self._parts: list[Figure | TablePart] = []
        self._at = 0

    def set_colours(self, colours: Roles) -> None:
        """Draw in another theme's colours."""
        self.view.set_colours(colours)
        self._table.set_colours(colours)

    def show_figure(self, figure: Figure, at: int | None) -> None:
        """Show a part of a figure, counted from the end if it is negative; None: the part that is shown now."""
        self.figure = figure
        self._at = self._at if at is None else at
        self._divide()

    def step(self, by: int) -> bool:
        """Go to the next part, or the one before; return False if there is none."""
        there = 0 <= self._at + by < len(self._parts)
        if there:
            self._at += by
            self._show()
        return there

    def leave(self) -> None:
        """Forget the other parts: the figure is about to be replaced by another one."""
        self._parts, self._at = [], 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the figure anew."""
        super().resizeEvent(event)
        for widget in (self.view, self._table):
            widget.setGeometry(self.rect())
        if self._parts:
            self._divide()

    def _divide(self) -> None:
        assert self.figure is not None
        self._table.hide()
        self.view.show()  # it knows its room only while it is visible
        self._parts = self._parts_of(self.figure)
        last = len(self._parts) - 1
        self._at = max(0, len(self._parts) + self._at) if self._at < 0 else min(self._at, last)
        self._show()

    def _parts_of(self, figure: Figure) -> list[Figure | TablePart]:
        drawn = tuple(panel for panel in figure.panels if not isinstance(panel, Table))
        parts: list[Figure | TablePart] = []
        if drawn:
            pictures = replace(figure, panels=drawn)
            rest = self.view.left_out(pictures)
            parts = [pictures, replace(figure, panels=rest, across=None)] if rest else [pictures]
        for panel in figure.panels:
            if isinstance(panel, Table):
                parts += self._table.parts_of(panel)
        return parts

    def _show(self) -> None:
        part = self._parts[self._at]
        if isinstance(part, TablePart):
            self._table.show_part(part)
        else:
            self.view.show_figure(part)
        self.view.setVisible(isinstance(part, Figure))
        self._table.setVisible(isinstance(part, TablePart))
        self.shown.emit(self._at, len(self._parts))
