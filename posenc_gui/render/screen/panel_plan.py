"""The plan of a view: which panels of a figure it shows at its size, and in which rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QSizeF

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Bars, Dials, Heatmap, Lines, Links, Note, Panel, Slopes, Table
from posenc_gui.render.layout.heatmap_cells import Bar, colour_bars
from posenc_gui.render.layout.lanes import MAPS_ACROSS, Row, is_lane, rows, split_into_rows
from posenc_gui.render.layout.slope_labels import has_axis_beside, stands_beside_maps
from posenc_gui.render.screen.fonts import line_height
from posenc_gui.render.screen.row_layout import in_a_row

Drawn = Heatmap | Lines | Bars | Links | Slopes | Dials | Note  # every kind of panel but tables

_LEAST_WITH_SLOPES = 35  # in lines of text: in views narrower than this, slopes beside maps are left out
_LEAST_WIDTH = 8  # in lines of text: the minimum width of a panel; narrower views have fewer panels per row


@dataclass(frozen=True, eq=False)
class Plan:
    """The drawn panels in rows from top to bottom, the colour bars by their map, and the tables."""

    rows: tuple[tuple[Drawn, ...], ...]
    tables: tuple[Table, ...]
    bars: dict[Heatmap, Bar]

    @property
    def panels(self) -> tuple[Drawn, ...]:
        """All drawn panels, row by row."""
        return tuple(itertools.chain.from_iterable(self.rows))

    @cached_property
    def lanes(self) -> list[Row]:
        """The relation of each row to those above and below it."""
        return rows(self.rows)

    @cached_property
    def shape(self) -> object:
        """All that must be equal for views to be reused: the kinds and rows of panels, colour bars, linked axes, tables."""
        known = list(map(extents, self.panels))
        kinds = [
            (type(panel), panel in self.bars, known.index(own), is_lane(panel), has_axis_beside(panel, self.panels))
            for panel, own in zip(self.panels, known, strict=True)
        ]
        return list(map(len, self.rows)), kinds, len(self.tables)


def plan(figure: Figure, room: QSizeF) -> Plan:
    """Plan a figure for a view of this size; a narrow view omits panels that repeat its maps. Notes alone aren't drawn."""
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
        tuple(split_into_rows(drawn, max(1, across), min(MAPS_ACROSS, most))),
        tuple(panel for panel in figure.panels if isinstance(panel, Table)),
        colour_bars(drawn),
    )


def _gives_way(panel: Panel, figure: Figure) -> bool:
    """Return True for a panel that repeats information of the maps beside it: slopes, or a difference map."""
    shows_difference = isinstance(panel, Heatmap) and panel.difference and len(figure.panels) > 1
    return shows_difference or stands_beside_maps(panel, figure.panels)


def extents(panel: Panel) -> tuple[object, object]:
    """The extents of a map along its columns and rows: maps with equal extents pan and zoom together."""
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
