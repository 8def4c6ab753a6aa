"""What stands around curves, and the room for it: numbers, names, the quantity, and the labels of upright lines."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from posenc_gui.figure.panels import Lines, VerticalMark
from posenc_gui.render.drawings.drawing import Margins, Stage, power_of_ten
from posenc_gui.render.layout.label_placement import UNSAID, Ticks, beside_line, levels, name_lines, ticks
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided, longest, visible
from posenc_gui.render.layout.type_sizes import BOLD, Size, Style

LEADER = 18.0  # units: from the end of a curve to its name
TICK, AIR, _BESIDE = 6.0, 8.0, 12.0  # units: from axes to numbers, between numbers, and after a lane's title
STRIP = 9.0  # units: the strip of a whole text, with the air above it
LEAST = 4.0  # units: the side of a plot without room
MOST_LEVELS = 3  # of labels of upright lines
_APART = 6.0  # units between labels side by side
_AT_END = 0.02  # of the x axis: free before the first point and after the last
_BEYOND = 0.03  # of the y axis: free below and above
_OF_NAMES, _OF_TITLE = 0.34, 0.2  # of the width, at most: the names at the ends, and the titles of lanes
_OF_NAME = 0.1  # of the width: what the x axis's name may take from the curves
_MOST_TICKS = 10


def margins_of(group: Sequence[tuple[Lines, Stage]]) -> Margins:
    """The room around the plots of curves that share it: for numbers, names, labels of upright lines, and the x axis."""
    _, stage = group[0]
    small = stage.style.small
    title, width = _lane_title([panel.title for panel, _ in group], stage) if stage.is_lane else (None, 0.0)
    numbers = longest(
        (text for panel, own in group for _, text in ticks_of(panel, in_sight(panel, own), own.height, own)),
        small.measure,
    )
    left = numbers + TICK + 2 + width
    names = itertools.chain.from_iterable(
        name for panel, own in group for name in names_of(panel, own, titled=bool(title))
    )
    right = longest(names, small.measure) + LEADER + 4
    beside = longest((panel.x.title for panel, _ in group), small.measure)
    if beside <= right - LEADER + _OF_NAME * stage.width:  # a line less below, for little at the side
        right = max(right, LEADER + beside)
    fits = stage.is_lane or beside <= right - LEADER
    below = TICK + small.line * (1 if fits else 2) + STRIP * any(panel.whole is not None for panel, _ in group)
    above = max(_lines_above(panel, own, own.width - left - right, left) for panel, own in group) * small.line
    return Margins(left, right, above + 3 * bool(above), below, title)


def _lane_title(titles: Sequence[str], stage: Stage) -> tuple[Size | None, float]:
    """The type in which all lanes have their titles at the left, and the room for them; None where they have none."""
    if not all(titles):
        return None, 0.0
    tried: tuple[tuple[Size, float], ...] = (
        ("label", longest(titles, stage.style.title.measure)),
        ("small", BOLD * longest(titles, stage.style.small.measure)),
    )
    return next(((size, length + _BESIDE) for size, length in tried if length <= _OF_TITLE * stage.width), (None, 0.0))


def _lines_above(panel: Lines, stage: Stage, width: float, left: float) -> int:
    """The lines of text above the curves: labels of upright lines, and the quantity."""
    if stage.is_lane:
        return int(any(mark.label for mark in panel.marks))
    seen = in_sight(panel, stage)
    above, _ = labels_of(panel.marks, seen, max(LEAST, width), MOST_LEVELS, stage.style)
    quantity, level = quantity_of(panel, stage, above, left)
    return max([level + 1] * bool(quantity) + [1 + one.level for one in above], default=0)


def quantity_of(panel: Lines, stage: Stage, above: Sequence[MarkLabel], left: float) -> tuple[str, int]:
    """The quantity above the y axis, and its line: the first that leaves the labels of upright lines alone. Lanes have none."""
    if stage.is_lane or panel.quantity == UNSAID:
        return "", 0
    end = stage.style.small.measure(panel.quantity) + AIR - left
    level = 0 if all(one.left >= end for one in above) else 1 + max(one.level for one in above)
    return ("", 0) if level >= MOST_LEVELS else (visible(panel.quantity), level)


def names_of(panel: Lines, stage: Stage, *, titled: bool) -> list[list[str]]:
    """The names at the curves' ends, line by line, those of lanes on one; without what their lane's title begins with."""
    measure, title = stage.style.small.measure, panel.title if titled else ""
    parts = ((_after(visible(one.label), title), one.told * stage.is_lane) for one in panel.series)
    labels = (": ".join(filter(None, part)) for part in parts)
    if stage.is_lane:
        return [[elided(label, _OF_NAMES * stage.width, measure)] for label in labels]
    return [name_lines(label, stage.width, measure) for label in labels]


def _after(label: str, title: str) -> str:
    """“A” of “fp16, A” below the title “fp16” or “fp16: error”, else the whole label."""
    name, _, rest = label.rpartition(", ")
    return rest if name and f"{title}: ".startswith(f"{name}: ") else label


def ticks_of(panel: Lines, seen: Rect, height: float, stage: Stage) -> Ticks:
    """Round numbers along y with room for a line of text each, more of them on a logarithmic scale."""
    low, high = panel.low, panel.high  # what is beyond the range has no number
    if stage.seen is not None:
        low, high = (power_of_ten(seen.bottom), power_of_ten(seen.top)) if panel.log else (seen.bottom, seen.top)
    fitting = max(1, int(height / (1.8 * stage.style.small.line)))
    most = min(_MOST_TICKS, fitting + panel.log)
    return ticks(low, high, most, log=panel.log)


def in_sight(panel: Lines, stage: Stage) -> Rect:
    """What is in sight; on a logarithmic scale from logarithm to logarithm."""
    if stage.seen is None or panel.seen is None:
        return stage.seen or extent(panel, *(panel.seen or panel.reach))
    # Curves of which only a part is seen at first are as high as they are where they are in sight.
    left, right = stage.seen.left, stage.seen.right
    return replace(extent(panel, left, right), left=left, right=right)


def extent(panel: Lines, start: float, end: float) -> Rect:
    """What is shown from one x to another, with some room at all sides."""
    parts = [part.y for one in panel.series if panel.seen and (part := one.between(start, end)).y.size]
    low = min([panel.low, *(float(y.min()) for y in parts)])
    high = max([panel.high, *(float(y.max()) for y in parts)])
    if panel.log:
        low, high = math.log10(low), math.log10(high)
    beyond = _BEYOND * (high - low) or 1e-9  # two neighbouring floats can have the same logarithm
    air = _AT_END * (end - start) or max(0.5, abs(start) * 1e-6)
    return Rect(start - air, high + beyond, end + air, low - beyond)


class MarkLabel(NamedTuple):
    """A label with its left end, relative to the curves', and its text line, counted from the curves' upper edge."""

    mark: VerticalMark
    text: str
    left: float
    level: int


def labels_of(
    marks: Sequence[VerticalMark], seen: Rect, width: float, most: int, style: Style
) -> tuple[list[MarkLabel], list[MarkLabel]]:
    """The labels on at most `most` lines above what is seen of curves, and those over the curves."""
    known = sorted((one for one in marks if one.label and seen.left <= one.x <= seen.right), key=lambda one: one.x)
    texts = {one: elided(visible(one.label), style.longest, style.small.measure) for one in known}

    def place(one: VerticalMark) -> float:
        return (one.x - seen.left) / seen.width * width

    def over(one: VerticalMark) -> tuple[float, float]:
        length = style.small.measure(texts[one])
        left = max(0.0, min(place(one) - (0.0 if one.kind == "end" else length / 2), width - length))
        return left, left + length

    ordered = sorted(known, key=over)
    above = _placed(ordered, texts, [over(one) for one in ordered], most)
    rest = [one for one in known if one not in [it.mark for it in above]]
    beside = [beside_line(place(one), style.small.measure(texts[one]), width, _APART) for one in rest]
    return above, [one for one in _placed(rest, texts, beside, MOST_LEVELS) if one.left >= 0]


def _placed(
    marks: Sequence[VerticalMark], texts: Mapping[VerticalMark, str], spans: Sequence[tuple[float, float]], most: int
) -> list[MarkLabel]:
    """The labels that have room."""
    found = zip(marks, spans, levels(spans, most, gap=_APART), strict=True)
    return [MarkLabel(mark, texts[mark], left, level) for mark, (left, _), level in found if level is not None]
