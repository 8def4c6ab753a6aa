"""Heatmaps for every output: shared colour bars, square cells, and the text of numbers in cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from posenc_gui.figure.axis import BLOCK_ROLES, TOKEN_ROLES, Axis
from posenc_gui.figure.panels import Bars, Heatmap, Panel, Scale
from posenc_gui.figure.ranges import Values, shares
from posenc_gui.foundation.wording import format_number
from posenc_gui.render.layout.text_fit import Measure, longest
from posenc_gui.render.layout.ticks import Ticks, ticks

NUMBER_AIR = 2.5  # units at each side of the shortest form of a number in a cell
NUMBER_LINES = 0.9  # the height of a cell, in lines of its number
MOST_NUMBERS = 1024  # cells of a map with numbers
_LEAST_APART = 0.6  # share of the tick spacing: no tick is nearer than this to the bar's end


@dataclass(frozen=True)
class Bar:
    """A colour bar: its name and its range from `low` to `high`.

    `below` and `above` are true if maps hold numbers beyond its ends, which have the colour of the end.
    """

    name: str
    low: float
    high: float
    log: bool
    below: bool
    above: bool

    def ticks(self, most: int) -> Ticks:
        """About `most` round numbers, and the ends beyond which maps hold numbers: "≥ 0.1"."""
        found = ticks(self.low, self.high, most, self.log)
        ends = [(self.low, "≤")] * self.below + [(self.high, "≥")] * self.above
        for end, sign in ends:
            place = _share(end, self)
            found = [(at, text) for at, text in found if abs(_share(at, self) - place) > _LEAST_APART / most]
            found.append((end, f"{sign} {format_number(end)}"))
        return sorted(found)


def _share(at: float, bar: Bar) -> float:
    return float(shares(at, bar.low, bar.high, bar.log))


def colour_bars(panels: Sequence[Panel]) -> dict[Heatmap, Bar]:
    """Return colour bars by the map at their left: the last map of each shared scale and range."""
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
    """Return True if rows and columns count the same thing, so that the diagonal has a meaning and cells must be square."""
    return panel.rows.role == panel.columns.role or {panel.rows.role, panel.columns.role} <= TOKEN_ROLES | BLOCK_ROLES


def shape_in_cells(panel: Heatmap) -> tuple[float, float]:
    """The rows and columns of a map, or of the larger map that it is a part of, counted in displayed cells."""
    part, (rows, columns) = panel.part, panel.values.shape
    return (rows, columns) if part is None else (len(part.every_row) / part.height, len(part.every_column) / part.width)


class CellText(NamedTuple):
    """A number in a map's cell, in full and in the short form: without the 0 before the point, and with one decimal less
    where it has more than two or a power of ten."""

    whole: str
    brief: str


def cell_texts(panel: Heatmap) -> list[list[CellText]]:
    """All numbers of a map, row by row, with equally many decimals: two if the largest is about one."""
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


def longest_number(panel: Heatmap, measure: Measure) -> float:
    """The length of the longest number in a map's cells, in the short form.

    That is its largest or its least, since digits are equally broad.
    """
    ends = np.array([[panel.values.max(), panel.values.min()]])
    extremes = replace(panel, values=ends, mask=None, rows=Axis("row", ""), columns=Axis("column", ""))
    return longest((text.brief for text in cell_texts(extremes)[0]), measure)


def _power(value: float, decimals: int) -> str:
    """A number in scientific notation: 1.2e−7."""
    digits, power = f"{value:z.{decimals}e}".split("e")
    return f"{digits}e{int(power)}".replace("-", "−")


def cell_text(value: float, decimals: int = 2) -> CellText:
    """A number in a cell: 0.12 or, in the short form, .12."""
    text = f"{value:z.{decimals}f}".replace("-", "−")
    return CellText(text, _brief(value, text))


def _brief(value: float, text: str) -> str:
    """A number without the 0 before its point; without zero decimals, marked ≈ if it is only nearly whole."""
    whole, _, decimals = text.partition(".")
    if not decimals:
        return text
    if whole in ("0", "−0") and value:
        return f"{whole.removesuffix('0')}.{decimals}"
    if decimals.strip("0"):
        return text
    return whole if math.isclose(value, float(text.replace("−", "-")), rel_tol=1e-6, abs_tol=1e-6) else f"≈{whole}"


def counts(panel: Bars) -> bool:
    """True if bars are counts, so that ticks must be whole numbers."""
    return panel.high >= 1 and all(
        value >= 0 and value.is_integer() for series in panel.series for value in series.values.tolist()
    )
