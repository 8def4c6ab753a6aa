"""Slopes for every output: the label of each line, and the lines that are labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from posenc_gui.figure.panels import Heatmap, Panel, Slopes
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.layout.heatmap_cells import number_texts
from posenc_gui.render.layout.label_placement import apart
from posenc_gui.render.layout.text_fit import longest, visible
from posenc_gui.render.layout.ticks import Ticks, ticks
from posenc_gui.render.layout.type_sizes import BOLD, Style

_AIR = 2.0  # units after the labels
_MOST_TICKS = 5
_FURTHEST = 1.2  # lines of text: the distance of a label from its line on the scale of a colour bar

Kind = Literal["plain", "twin", "focus"]


@dataclass(frozen=True)
class Label:
    """The label at a line's right end: its value, its token, and the position of a token that occurs more than once."""

    value: str
    name: str
    place: str
    kind: Kind


def labels(panel: Slopes) -> list[Label]:
    """The labels of all lines, in order; their numbers read as those in the cells of a map."""
    found = []
    for line, (_, value) in zip(panel.lines, number_texts(panel.values), strict=True):
        twin = line in panel.cells.twins
        kind: Kind = "focus" if line == panel.cells.focus else "twin" if twin else "plain"
        found.append(Label(value.whole, panel.label(line), str(line) if twin else "", kind))
    return found


def drawing_order(panel: Slopes) -> list[int]:
    """The indices of the lines from the lowest to the topmost: twins and the focus are drawn over the others."""
    order = {"plain": 0, "twin": 1, "focus": 2}
    kinds = [order[label.kind] for label in labels(panel)]
    return sorted(range(len(kinds)), key=kinds.__getitem__)


def stands_beside_maps(panel: Panel, panels: Sequence[Panel]) -> bool:
    """True for slopes that show a row of the maps among these panels."""
    return isinstance(panel, Slopes) and any(isinstance(one, Heatmap) for one in panels)


def has_axis_beside(panel: Panel, panels: Sequence[Panel]) -> bool:
    """True for slopes whose axis is the colour bar of a map beside them."""
    maps = (one for one in panels if isinstance(one, Heatmap))
    return isinstance(panel, Slopes) and any(
        (one.low, one.high, one.log) == (panel.low, panel.high, panel.log) for one in maps
    )


def breadths(panel: Slopes, style: Style, *, own_axis: bool) -> tuple[float, float]:
    """The least distance between the two columns, with which their headings are apart, and the breadth of axis and labels."""
    left, right = map(style.small.measure, panel.columns)
    axis = axis_breadth(panel, style) if own_axis else 0.0
    return left + right / 2 + style.small.line, axis + leader(style) + labels_breadth(panel, style)


def axis_breadth(panel: Slopes, style: Style) -> float:
    """The breadth of the numbers at the left of the columns."""
    return style.tick + longest((text for _, text in axis_ticks(panel)), style.small.measure)


def axis_ticks(panel: Slopes) -> Ticks:
    """The numbers at the left of the columns, with their texts."""
    return ticks(panel.low, panel.high, _MOST_TICKS, panel.log)


def leader(style: Style) -> float:
    """The distance from the ends of lines to their labels."""
    return style.label.line


def labels_breadth(panel: Slopes, style: Style) -> float:
    """The breadth of the labels, of which those of twins have their places."""
    known = labels(panel)
    names = longest((visible(label.name) for label in known), style.ends.measure)
    places = longest((label.place for label in known), style.small.measure)
    named = numbers_breadth(panel, style) + min(names, style.longest) + places
    return max(named, style.ends.measure(others_label(panel, 0))) + _AIR


def numbers_breadth(panel: Slopes, style: Style) -> float:
    """The breadth of the labels' numbers, with the gap before the names."""
    return BOLD * longest((label.value for label in labels(panel)), style.ends.measure) + style.ends.measure(" ")


def labels_with_room(panel: Slopes, most: int) -> list[int]:
    """The indices of at most `most` lines to label: twins and the focus first, then the largest.

    They are in order of their value at the right end, largest first. Where some cells have no label there is one less, to
    make room for `others_label` below.
    """
    known = labels(panel)
    largest = sorted(range(len(known)), key=lambda line: (known[line].kind == "plain", -panel.values[line].max()))
    whole = len(known) <= most and not panel.others
    return sorted(largest if whole else largest[: max(1, most - 1)], key=lambda line: -panel.values[line, 1])


@dataclass(frozen=True)
class PlacedLabels:
    """The labels at the right end of slopes in a column of some height, y from its top downwards.

    `lines` are the indices of the labelled lines, `ends` the places of their ends, `places` those of their labels; `others`
    is the text about the others, and its place.
    """

    lines: Sequence[int]
    ends: Sequence[float]
    places: Sequence[float]
    others: tuple[str, float]

    @property
    def moved(self) -> float:
        """The furthest distance of a label from its line's end."""
        return max(abs(place - end) for place, end in zip(self.places, self.ends, strict=True))


def place_labels(panel: Slopes, height: float, pitch: float) -> PlacedLabels:
    """Place as many labels as have room `pitch` apart."""
    lines = labels_with_room(panel, max(1, int(height / pitch + 0.5)))
    rest = others_label(panel, len(lines))
    ends = ((1 - panel.heights()[lines, 1]) * height).tolist()
    *places, last = apart([*ends, *([height] if rest else [])], pitch, 0.0, height - pitch / 2) + [0.0] * (not rest)
    return PlacedLabels(lines, ends, places, (rest, last))


def on_scale_that_parts(panel: Slopes, height: float, pitch: float) -> Slopes:
    """The panel, on a scale of its own if labels would stand too far from their lines on the scale of a colour bar."""
    far = place_labels(panel, height, pitch).moved > _FURTHEST * pitch
    return panel.on_own_scale() if far and not panel.log else panel


def others_label(panel: Slopes, labelled: int) -> str:
    """The text below the labels: how many cells have none; empty if all have one."""
    count = panel.others + len(panel.lines) - labelled
    return f"… {format_count(count, 'other')}" if count else ""
