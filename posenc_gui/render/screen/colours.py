"""The colours of one theme on the screen, and the colours of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg

from posenc_gui.figure import (
    Axis,
    Heatmap,
    Scale,
    shares,
)

Colours = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class ScreenColours:
    """The colours of one theme, as "#rrggbb"."""

    paper: str
    ink: str
    muted: str
    grid: str
    focus: str
    twin: str
    masked: str
    curves: tuple[str, ...]


# ColorBrewer's RdBu, reversed: blue below zero, red above, safe for colour-blind readers; matplotlib's RdBu_r.
_DIVERGING = (
    "#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f",
)  # fmt: skip


@cache
def lookup_table(scale: Scale) -> Colours:
    """The colours from the lowest number to the highest, (256, 3)."""
    if scale == "sequential":
        table = pg.colormap.get("viridis").getLookupTable(nPts=256)
    else:
        table = pg.ColorMap(None, list(_DIVERGING)).getLookupTable(nPts=256)
    return np.asarray(table[:, :3], dtype=np.uint8)


def colours_of(panel: Heatmap) -> Colours:
    """The colour of each cell, (rows, columns, 3)."""
    steps = 255.0 * shares(panel.values, panel.low, panel.high, panel.log)
    colours: Colours = lookup_table(panel.scale)[np.rint(steps).astype(np.uint8)]
    return colours


def label_colour(axis: Axis, coordinate: int, colours: ScreenColours) -> str:
    """The colour of the words that name a cell: tokens in focus and their twins stand out."""
    if coordinate == axis.focus:
        return colours.focus
    return colours.twin if coordinate in axis.twins else colours.ink
