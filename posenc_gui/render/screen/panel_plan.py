"""Which panels of a figure a view of some size shows, and in which rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QSizeF

from posenc_gui.figure.figure import Bars, Dials, Figure, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.render.layout.heatmap_cells import Bar, colour_bars
from posenc_gui.render.layout.lanes import MAPS_ACROSS, Row, in_rows, is_lane, rows
from posenc_gui.render.layout.slope_labels import has_axis_beside, stands_beside_maps
from posenc_gui.render.screen.fonts import line_height
from posenc_gui.render.screen.row_layout import in_a_row

Drawn = Heatmap | Lines | Bars | Links | Slopes | Dials | Note  # all but tables

_LEAST_WITH_SLOPES = 35  # lines of text that maps and the slopes beside them are wide; in less room the maps get all
_LEAST_WIDTH = 8  # lines of text that each panel of a row is wide; in less room fewer stand side by side


@dataclass(frozen=True, eq=False)
class Plan:
    """What of a figure is drawn, in rows from top to bottom, which maps have a bar of colours, and the tables."""

    rows: tuple[tuple[Drawn, ...], ...]
    tables: tuple[Table, ...]
    bars: dict[Heatmap, Bar]

    @property
    def panels(self) -> tuple[Drawn, ...]:
        """All that is drawn, row by row."""
        return tuple(itertools.chain.from_iterable(self.rows))

    @cached_property
    def lanes(self) -> list[Row]:
        """What each row is to those above and below it."""
        return rows(self.rows)

    @cached_property
    def shape(self) -> object:
        """What must be the same for items to take other numbers: the panels' kinds and rows, and what bars and links follow."""
        known = list(map(extents, self.panels))
        kinds = [
            (type(panel), panel in self.bars, known.index(own), is_lane(panel), has_axis_beside(panel, self.panels))
            for panel, own in zip(self.panels, known, strict=True)
        ]
        return list(map(len, self.rows)), kinds, len(self.tables)


def plan(figure: Figure, room: QSizeF) -> Plan:
    """What stands where in this room: notes only beside something else; in a narrow one not what maps say too."""
    panels = [] if figure.is_note else [panel for panel in figure.panels if not isinstance(panel, Table)]
    drawn = panels
    if room.width() < _LEAST_WITH_SLOPES * line_height():
        drawn = [panel for panel in panels if not _gives_way(panel, figure)]
    across = figure.across or in_a_row(drawn, room)
    if figure.across and figure.across > 1:
        across -= sum(panel not in drawn for panel in panels[: figure.across])
    most = max(1, int(room.width() / (_LEAST_WIDTH * line_height())))
    if not any(isinstance(panel, Links) for panel in drawn):
        across = min(across, most)
    return Plan(
        tuple(in_rows(drawn, max(1, across), min(MAPS_ACROSS, most))),
        tuple(panel for panel in figure.panels if isinstance(panel, Table)),
        colour_bars(drawn),
    )


def _gives_way(panel: Panel, figure: Figure) -> bool:
    """Whether a panel brings out what maps beside it show: slopes of their row, and by how much two differ."""
    shows_difference = isinstance(panel, Heatmap) and panel.difference and len(figure.panels) > 1
    return shows_difference or stands_beside_maps(panel, figure.panels)


def extents(panel: Panel) -> tuple[object, object]:
    """What a map has along its columns and along its rows: maps that have the same move together."""
    if not isinstance(panel, Heatmap):
        return (), ()
    n_rows, n_columns = panel.values.shape
    part = panel.part
    return (panel.columns.role, panel.columns.first, n_columns, part), (
        panel.rows.role,
        panel.rows.first,
        n_rows,
        part,
    )
