"""What maps and bars need on every ground: which maps share a bar of colours or have square cells, numbers, and whole ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.figure import BLOCK_ROLES, TOKEN_ROLES, Bars, Heatmap, Panel, Scale, Values, number, shares
from posenc_gui.render.layout.ticks import Ticks, ticks

_LEAST_APART = 0.6  # of the way from tick to tick: nearer to a bar's end there is none


@dataclass(frozen=True)
class Bar:
    """What stands on a bar of colours: what is shown, and numbers from `low` to `high`.

    `below` and `above` say whether maps hold numbers beyond its ends, which have the colour of the end.
    """

    name: str
    low: float
    high: float
    log: bool
    below: bool
    above: bool

    def ticks(self, most: int) -> Ticks:
        """About so many round numbers, and the ends beyond which there are more: "≥ 0.1"."""
        found = ticks(self.low, self.high, most, self.log)
        ends = [(self.low, "≤")] * self.below + [(self.high, "≥")] * self.above
        for end, sign in ends:
            place = _share(end, self)
            found = [(at, text) for at, text in found if abs(_share(at, self) - place) > _LEAST_APART / most]
            found.append((end, f"{sign} {number(end)}"))
        return sorted(found)


def _share(at: float, bar: Bar) -> float:
    return float(shares(at, bar.low, bar.high, bar.log))


def colour_bars(panels: Sequence[Panel]) -> dict[Heatmap, Bar]:
    """Which maps have a colour bar at their right, and what stands on it: the last map of each common scale and range."""
    maps: dict[tuple[Scale, float, float, bool], list[Heatmap]] = {}
    for panel in panels:
        if isinstance(panel, Heatmap):
            maps.setdefault((panel.scale, panel.low, panel.high, panel.log), []).append(panel)
    return {same[-1]: _bar(same) for same in maps.values()}


def _bar(maps: Sequence[Heatmap]) -> Bar:
    last = maps[-1]
    name = " · ".join(dict.fromkeys(panel.quantity for panel in maps))
    slack = 1e-6 * (last.high - last.low)
    below = any(float(_seen(panel).min(initial=last.low)) < last.low - slack for panel in maps)
    above = any(float(_seen(panel).max(initial=last.high)) > last.high + slack for panel in maps)
    return Bar(f"{name}, log" if last.log else name, last.low, last.high, last.log, below, above)


def _seen(panel: Heatmap) -> Values:
    return panel.values if panel.mask is None else panel.values[~panel.mask]


def is_square(panel: Heatmap) -> bool:
    """Whether both sides of a map count the same, so that its diagonal says something and must not be bent."""
    return panel.rows.role == panel.columns.role or {panel.rows.role, panel.columns.role} <= TOKEN_ROLES | BLOCK_ROLES


class CellText(NamedTuple):
    """A number in a map's cell, and what stands there where all are written briefly: without the 0 before their point, and
    with one of more than two decimals, or of those before a power of ten, less."""

    whole: str
    brief: str


def cell_texts(panel: Heatmap) -> list[list[CellText]]:
    """All numbers of a map, row by row, with the same decimals: two where the largest is about one."""
    largest = float(np.abs(panel.values).max())
    power = math.floor(math.log10(largest)) if largest else 0
    if not -4 <= power <= 4:
        return [[CellText(_power(value, 1), _power(value, 0)) for value in row] for row in panel.values.tolist()]
    decimals = min(max(0, 2 - max(power, 0), 1 - power), 9)
    texts = [[cell_text(value, decimals) for value in row] for row in panel.values.tolist()]
    if decimals <= 2:
        return texts
    briefly = [[cell_text(value, decimals - 1).brief for value in row] for row in panel.values.tolist()]
    return [
        [text._replace(brief=brief) for text, brief in zip(row, briefs, strict=True)]
        for row, briefs in zip(texts, briefly, strict=True)
    ]


def _power(value: float, decimals: int) -> str:
    """A number with its power of ten: 1.2e−7."""
    digits, power = f"{value:z.{decimals}e}".split("e")
    return f"{digits}e{int(power)}".replace("-", "−")


def cell_text(value: float, decimals: int = 2) -> CellText:
    """A number in a cell: 0.12 or, briefly, .12."""
    text = f"{value:z.{decimals}f}".replace("-", "−")
    return CellText(text, _brief(value, text))


def _brief(value: float, text: str) -> str:
    """A number without the 0 before its point; a whole one without decimals, marked where it is only nearly whole."""
    whole, _, decimals = text.partition(".")
    if not decimals:
        return text
    if whole in ("0", "−0") and value:
        return f"{whole.removesuffix('0')}.{decimals}"
    if decimals.strip("0"):
        return text
    return whole if math.isclose(value, float(text.replace("−", "-")), rel_tol=1e-6, abs_tol=1e-6) else f"≈{whole}"


def counts(panel: Bars) -> bool:
    """Whether bars count whole things, so that no tick may stand between whole numbers."""
    return panel.high >= 1 and all(
        value >= 0 and value.is_integer() for series in panel.series for value in series.values.tolist()
    )
