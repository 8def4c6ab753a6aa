"""Panels, the parts that make up a figure; one file per kind of panel."""

from __future__ import annotations

from posenc_gui.figure.panels.clocks import Clocks, Hand
from posenc_gui.figure.panels.curves_and_bars import Bars, BarSeries, Lines, Series, VerticalMark
from posenc_gui.figure.panels.flow import Flow
from posenc_gui.figure.panels.hands import Hands, KeyHands
from posenc_gui.figure.panels.heatmap import Bracket, Heatmap, MapPart, Scale
from posenc_gui.figure.panels.links_and_slopes import Links, Slopes
from posenc_gui.figure.panels.tables_and_notes import Dotted, Judged, Note, OnScale, Table, Told, table_text

__all__ = [
    "BarSeries",
    "Bars",
    "Bracket",
    "Clocks",
    "Dotted",
    "Flow",
    "Hand",
    "Hands",
    "Heatmap",
    "Judged",
    "KeyHands",
    "Lines",
    "Links",
    "MapPart",
    "Note",
    "OnScale",
    "Panel",
    "Ranged",
    "Scale",
    "Series",
    "Slopes",
    "Table",
    "Told",
    "VerticalMark",
    "table_text",
]

# Values from `low` to `high`, which are the same in panels beside each other.
Ranged = Heatmap | Lines | Bars | Links | Slopes
Panel = Ranged | Clocks | Flow | Hands | Note | Table
