"""What maps and bars need on every ground: which maps share a bar of colours, numbers in cells, and whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

from posenc_gui.figure import Bars, Heatmap, Panel, Scale


def colour_bars(panels: Sequence[Panel]) -> dict[Heatmap, str]:
    """Which maps have a colour bar at their right, and what stands on it: the last map of each common scale and range."""
    maps: dict[tuple[Scale, float, float, bool], list[Heatmap]] = {}
    for panel in panels:
        if isinstance(panel, Heatmap):
            maps.setdefault((panel.scale, panel.low, panel.high, panel.log), []).append(panel)
    return {same[-1]: " · ".join(dict.fromkeys(panel.quantity for panel in same)) for same in maps.values()}


def cell_texts(value: float, decimals: int = 2) -> tuple[str, str]:
    """A number in a map's cell, and what stands there where the first has no room.

    Both are the same, but where these decimals would make a number look like 0: 0.002 or, short, ≈0.
    """
    text = f"{value:z.{decimals}f}"
    long = short = text.replace("-", "−")
    if value and not float(text):
        short = "≈0"
        long = f"{value:.1g}".replace("-", "−") if abs(value) >= 0.05 * 10**-decimals else short
    return long, short


def counts(panel: Bars) -> bool:
    """Whether bars count whole things, so that no tick may stand between whole numbers."""
    return panel.high >= 1 and all(
        value >= 0 and value.is_integer() for series in panel.series for value in series.values.tolist()
    )
