"""The frame around what a text speaks of: the cell from which a number comes, or a column of Flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from posenc_gui.figure.axis import Axis
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.figure.panels.flow import COLUMNS, Flow

_ROUNDING = 1e-4  # relative: cells are float32


def shows_number(figure: Figure, place: Sequence[tuple[str, int]], value: float) -> bool:
    """True if a map has this number, or its negative, at these coordinates by the roles of axes."""
    for panel in figure.panels:
        if isinstance(panel, Heatmap) and (cell := _cell(panel, place)):
            row, column = cell[0] - panel.rows.first, cell[1] - panel.columns.first
            size = abs(float(panel.values[row, column]))
            if not panel.is_masked(row, column) and abs(size - abs(value)) <= _ROUNDING * abs(value):
                return True
    return False


def with_place_marked(figure: Figure, place: Sequence[tuple[str, int]]) -> Figure:
    """Return a figure with one cell framed in every map that has it, or a column of Flow, whose axis is of stages; these maps
    mark no focus, so that there is one mark."""
    return replace(figure, panels=tuple(_marked(panel, place) for panel in figure.panels))


def _marked(panel: Panel, place: Sequence[tuple[str, int]]) -> Panel:
    if isinstance(panel, Flow):
        return replace(panel, marked=next((COLUMNS[at] for role, at in place if role == "stage"), None))
    if not isinstance(panel, Heatmap) or (cell := _cell(panel, place)) is None:
        return panel
    rows, columns = replace(panel.rows, focus=None), replace(panel.columns, focus=None)
    return replace(panel, rows=rows, columns=columns, marked=cell)


def _cell(panel: Heatmap, place: Sequence[tuple[str, int]]) -> tuple[int, int] | None:
    """Return the row and the column of a place; None if a map doesn't have it."""
    if panel.part is not None:
        return None
    row, column = (_along(axis, place) for axis in (panel.rows, panel.columns))
    if row is None or column is None:
        return None
    n_rows, n_columns = panel.values.shape
    inside = 0 <= row - panel.rows.first < n_rows and 0 <= column - panel.columns.first < n_columns
    return (row, column) if inside else None


def _along(axis: Axis, place: Sequence[tuple[str, int]]) -> int | None:
    return next((at for role, at in place if role == axis.role), None)
