"""What maps and bars need on every ground: which maps share a bar of colours or have square cells, numbers, and whole ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from posenc_gui.figure import BLOCK_ROLES, TOKEN_ROLES, Bars, Heatmap, Panel, Scale


def colour_bars(panels: Sequence[Panel]) -> dict[Heatmap, str]:
    """Which maps have a colour bar at their right, and what stands on it: the last map of each common scale and range."""
    maps: dict[tuple[Scale, float, float, bool], list[Heatmap]] = {}
    for panel in panels:
        if isinstance(panel, Heatmap):
            maps.setdefault((panel.scale, panel.low, panel.high, panel.log), []).append(panel)
    return {same[-1]: " · ".join(dict.fromkeys(panel.quantity for panel in same)) for same in maps.values()}


def is_square(panel: Heatmap) -> bool:
    """Whether both sides of a map count the same, so that its diagonal says something and must not be bent."""
    return panel.rows.role == panel.columns.role or {panel.rows.role, panel.columns.role} <= TOKEN_ROLES | BLOCK_ROLES


class CellText(NamedTuple):
    """A number in a map's cell, and what stands there where the first has no room."""

    long: str
    short: str


def cell_texts(panel: Heatmap) -> list[list[CellText]]:
    """All numbers of a map, row by row, with the same decimals: two where the largest is about one."""
    largest = float(np.abs(panel.values).max())
    power = math.floor(math.log10(largest)) if largest else 0
    if not -4 <= power <= 4:
        return [[CellText(*(f"{value:z.1e}".replace("-", "−"),) * 2) for value in row] for row in panel.values.tolist()]
    decimals = min(max(0, 2 - max(power, 0), 1 - power), 9)
    return [[cell_text(value, decimals) for value in row] for row in panel.values.tolist()]


def cell_text(value: float, decimals: int = 2) -> CellText:
    """A number in a cell; both are the same, but where these decimals would make it look like 0: 0.002 or, short, ≈0."""
    text = f"{value:z.{decimals}f}"
    long = short = text.replace("-", "−")
    if value and not float(text):
        short = "≈0"
        long = f"{value:.1g}".replace("-", "−") if abs(value) >= 0.05 * 10**-decimals else short
    return CellText(long, short)


def counts(panel: Bars) -> bool:
    """Whether bars count whole things, so that no tick may stand between whole numbers."""
    return panel.high >= 1 and all(
        value >= 0 and value.is_integer() for series in panel.series for value in series.values.tolist()
    )
