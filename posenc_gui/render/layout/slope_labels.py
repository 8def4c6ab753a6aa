"""What slopes need on every ground: how each line is labelled, and at which heights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from posenc_gui.figure.figure import Heatmap, Panel, Slopes, told_apart

Kind = Literal["plain", "twin", "focus"]


@dataclass(frozen=True)
class Label:
    """What stands at a line's right end: its number, its token, and behind it the place of one that isn't the only one."""

    value: str
    name: str
    place: str
    kind: Kind


def labels(panel: Slopes) -> list[Label]:
    """The labels of all lines, in their order, with two digits of the largest number at least."""
    found = []
    largest = float(np.abs(panel.values).max())
    decimals = min(6, max(2, 1 - math.floor(math.log10(largest)))) if largest else 2
    for line, value in zip(panel.lines, panel.values[:, 1].tolist(), strict=True):
        twin = line in panel.cells.twins
        kind: Kind = "focus" if line == panel.cells.focus else "twin" if twin else "plain"
        found.append(Label(told_apart([value], decimals)[0], panel.label(line), str(line) if twin else "", kind))
    return found


def painted(panel: Slopes) -> list[int]:
    """The indices of the lines from the lowest to the one on top: those that are marked cross over the others."""
    order = {"plain": 0, "twin": 1, "focus": 2}
    kinds = [order[label.kind] for label in labels(panel)]
    return sorted(range(len(kinds)), key=kinds.__getitem__)


def stands_beside_maps(panel: Panel, panels: Sequence[Panel]) -> bool:
    """Whether slopes bring out a row of the maps among these panels."""
    return isinstance(panel, Slopes) and any(isinstance(one, Heatmap) for one in panels)


def has_axis_beside(panel: Panel, panels: Sequence[Panel]) -> bool:
    """Whether slopes have the bar of colours of a map beside them for their axis."""
    maps = (one for one in panels if isinstance(one, Heatmap))
    return isinstance(panel, Slopes) and any(
        (one.low, one.high, one.log) == (panel.low, panel.high, panel.log) for one in maps
    )


def labels_with_room(panel: Slopes, most: int) -> list[int]:
    """The indices of the lines that are labelled, where only so many labels have room: the marked ones first, then the largest.

    They go from the largest number at the right end to the smallest. Where not all cells have a label there is one less,
    since `others` stands below them.
    """
    known = labels(panel)
    largest = sorted(range(len(known)), key=lambda line: (known[line].kind == "plain", -panel.values[line].max()))
    whole = len(known) <= most and not panel.others
    return sorted(largest if whole else largest[: max(1, most - 1)], key=lambda line: -panel.values[line, 1])


def others(panel: Slopes, labelled: int) -> str:
    """What stands below so many labels: how many cells have none; nothing where all have one."""
    count = panel.others + len(panel.lines) - labelled
    return f"… {count:,} other{'s' if count > 1 else ''}" if count else ""
