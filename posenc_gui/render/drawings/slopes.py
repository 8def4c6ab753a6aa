"""Slopes as a drawing: two columns of values, and a labelled line between them for each cell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Panel, Slopes
from posenc_gui.figure.ranges import shares
from posenc_gui.foundation.wording import format_count
from posenc_gui.render.drawings.drawing import BROAD, Drawing, Spot, Stage, next_value
from posenc_gui.render.drawings.motion import Shares, SlopeMotion
from posenc_gui.render.drawings.parts import Dot, Part, Stroke, Text, straight
from posenc_gui.render.drawings.regions import halfway, tiles
from posenc_gui.render.layout.cell_labels import number_texts
from posenc_gui.render.layout.colour_bars import maps_of
from posenc_gui.render.layout.label_placement import Ticks, apart, ticks
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import Measure, elided, longest, visible
from posenc_gui.render.layout.type_sizes import BOLD, Style

Kind = Literal["plain", "twin", "focus"]

_AIR = 2.0  # units after the labels
_MOST_TICKS = 5
_RADIUS = 3.4  # units: of the ring at an end
_PLAIN, _STRONG = 1.1, 1.9  # units: the width of lines
_TICK = 4.0  # units
_BROADEST = 1.4  # times their height: how far apart columns without maps beside them stand on paper
_STEPS = 12  # from column to column, in each of which the line nearest to a point is that in the step's middle
_HEADS = 1.4  # lines of small type above the columns


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
    named = Counter(map(panel.label, panel.lines))
    for line, (_, value) in zip(panel.lines, number_texts(panel.values), strict=True):
        twin = line in panel.cells.twins
        kind: Kind = "focus" if line == panel.cells.focus else "twin" if twin else "plain"
        name = panel.label(line)
        place = str(panel.cells.start + line) if twin or named[name] > 1 else ""
        found.append(Label(value.whole, name, place, kind))
    return found


def drawing_order(panel: Slopes) -> list[int]:
    """The indices of the lines from the lowest to the topmost: twins and the focus are drawn over the others."""
    order = {"plain": 0, "twin": 1, "focus": 2}
    kinds = [order[label.kind] for label in labels(panel)]
    return sorted(range(len(kinds)), key=kinds.__getitem__)


def stands_beside_maps(panel: Panel, panels: Sequence[Panel]) -> bool:
    """True for slopes that show a row of the maps among these panels."""
    return isinstance(panel, Slopes) and bool(maps_of(panels))


def has_axis_beside(panel: Panel, panels: Sequence[Panel]) -> bool:
    """True for slopes whose axis is the colour bar of a map beside them."""
    return isinstance(panel, Slopes) and any(
        (one.low, one.high, one.log) == (panel.low, panel.high, panel.log) for one in maps_of(panels)
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


def place_labels(panel: Slopes, height: float, pitch: float) -> PlacedLabels:
    """Place as many labels as have room `pitch` apart."""
    lines = labels_with_room(panel, max(1, int(height / pitch + 0.5)))
    rest = others_label(panel, len(lines))
    ends = ((1 - panel.heights()[lines, 1]) * height).tolist()
    *places, last = apart([*ends, *([height] if rest else [])], pitch, 0.0, height - pitch / 2) + [0.0] * (not rest)
    return PlacedLabels(lines, ends, places, (rest, last))


def others_label(panel: Slopes, labelled: int) -> str:
    """The text below the labels: how many cells have none; empty if all have one."""
    count = panel.others + len(panel.lines) - labelled
    return f"… {format_count(count, 'other')}" if count else ""


class SlopesDrawing(Drawing[Slopes]):
    """Columns as high as the maps beside them. Alone they have their headings, and the quantity, inside the stage."""

    least_height, comfortable = 8.0, 8.0

    def __init__(self, panel: Slopes, stage: Stage, widest: Slopes | None = None) -> None:
        super().__init__(panel, stage, widest)
        style, small = stage.style, stage.style.small.line
        self._has_axis = not has_axis_beside(self.widest, [one.panel for one in stage.beside])
        self._is_named = self._has_axis and (style.is_paper or not stage.beside)
        before = self._has_axis * (axis_breadth(self.widest, style) + self._is_named * small)
        after = leader(style) + labels_breadth(self.widest, style)
        top, bottom = (0.0, stage.height) if stage.beside else (_HEADS * small, stage.height - small / 2)
        width = max(1.0, stage.width - before - after)
        if style.is_paper and not stage.beside:
            width, free = min(width, _BROADEST * (bottom - top)), width
            before += (free - width) / 2
        self.plot = Rect(before, top, before + width, max(top + 1, bottom))
        low, high = (math.log10(end) if panel.log else end for end in (panel.low, panel.high))
        self.seen = Rect(0.0, high, 1.0, low)
        self.field = Rect(max(0.0, before - width / 2), 0, stage.width, stage.height)
        self._labels = labels(panel)
        self._names = [elided(visible(one.name), style.longest, style.ends.measure) for one in self._labels]

    @classmethod
    def comfort(cls, panel: Slopes, plot: Rect, style: Style) -> float:
        """The height, or the columns' distance where that is less than their headings need."""
        between, beside = breadths(panel, style, own_axis=True)
        return min(plot.height / (cls.comfortable * style.label.line), (plot.width - beside) / between)

    @staticmethod
    def widest_of(panels: Sequence[Slopes], measure: Measure) -> Slopes:
        """The slopes with the longest label."""
        return max(
            panels, key=lambda panel: longest((f"{one.value} {one.name}{one.place}" for one in labels(panel)), measure)
        )

    def draw(self) -> Iterator[Part]:
        """Draw the columns, the lines with those of twins and the focus on top, and as many labels as have room."""
        if self._has_axis:
            yield from self._axis()
        yield from self._heads()
        motion = self.stage.motion
        heights = self.panel.heights()
        if isinstance(motion, SlopeMotion):
            heights = motion.at(self.stage.moment.share)
            for line in motion.changed:
                yield self._line(motion.former[line], self.stage.faded(self._colour(line)), BROAD)
        for line in drawing_order(self.panel):
            is_marked, is_plain = line == self.stage.marked, self._labels[line].kind == "plain"
            colour = self.stage.roles.ink if is_marked else self._colour(line)
            stroke = self._line(heights[line], colour, (_PLAIN if is_plain else _STRONG) + is_marked)
            yield stroke
            for ((x, y),) in stroke.path:
                yield Dot(x, y, _RADIUS, self.stage.roles.card, colour, stroke.width)
        placed = self._placed
        for line, end, place in zip(placed.lines, placed.ends, placed.places, strict=True):
            yield from self._label(line, self.plot.top + end, self.plot.top + place)
        rest, place = placed.others
        yield Text(self._labelled_from, self.plot.top + place, rest, self.stage.roles.muted, "ends")

    def _axis(self) -> Iterator[Part]:
        box, style, muted, panel = self.plot, self.stage.style, self.stage.roles.muted, self.panel
        for number, text in axis_ticks(panel):
            y = box.bottom - float(shares(number, panel.low, panel.high, panel.log)) * box.height
            yield Stroke(straight((box.left - _TICK, y), (box.left, y)), muted, 0.8)
            yield Text(box.left - style.tick, y, text, muted, "small", "right")
        if self._is_named:
            x = box.left - axis_breadth(self.widest, style) - style.small.line / 2
            name = elided(visible(panel.quantity), box.height, style.small.measure)
            yield Text(x, (box.top + box.bottom) / 2, name, muted, "small", "center", angle=90)

    def _heads(self) -> Iterator[Part]:
        """Draw the columns; their headings stand above them, the left one further left where they are close."""
        box, small, muted = self.plot, self.stage.style.small, self.stage.roles.muted
        for x in (box.left, box.right):
            yield Stroke(straight((x, box.top), (x, box.bottom)), self.stage.roles.line, 1.0)
        left, right = map(visible, self.panel.columns)
        y = (
            box.top - max(0.0, self.panel.heights().max() - 1) * box.height - small.line / 2 - 1.5 * _RADIUS
        )  # clear of rings
        begins = min(box.left - _RADIUS, box.right - small.measure(right) / 2 - small.measure(f"{left} "))
        if begins >= -_RADIUS:
            yield Text(begins, y, left, muted, "small")
        yield Text(box.right, y, right, muted, "small", "center")

    def _line(self, ends: Shares, colour: str, width: float) -> Stroke:
        left, right = (self.plot.bottom - float(end) * self.plot.height for end in ends)
        return Stroke(straight((self.plot.left, left), (self.plot.right, right)), colour, width)

    @cached_property
    def _placed(self) -> PlacedLabels:
        return place_labels(self.panel, self.plot.height, self.stage.style.ends.line)

    @property
    def _labelled_from(self) -> float:
        return self.plot.right + leader(self.stage.style)

    def _label(self, line: int, end: float, y: float) -> Iterator[Part]:
        label, name, x, style = self._labels[line], self._names[line], self._labelled_from, self.stage.style
        colour = self.stage.roles.ink if label.kind == "plain" else self._colour(line)
        if abs(end - y) > 1:
            leads = straight((self.plot.right + _RADIUS + 2, end), (x - 3, y))
            yield Stroke(leads, self.stage.roles.muted, 0.8)
        bold = label.kind != "plain" or line == self.stage.marked
        yield Text(x, y, label.value, colour, "ends", bold=bold)
        x += numbers_breadth(self.widest, style)
        yield Text(x, y, name, colour, "ends")
        yield Text(x + style.ends.measure(name), y + 0.25 * style.ends.line, label.place, colour, "small")

    def _colour(self, line: int) -> str:
        roles = self.stage.roles
        colours: dict[Kind, str] = {"plain": roles.muted, "twin": roles.twin, "focus": roles.focus}
        return colours[self._labels[line].kind]

    def marked_by(self, pointer: Pointer) -> int | None:
        """The line of a cell in the row that is shown."""
        key = self.panel.cells.shown(pointer)
        elsewhere = any(pointer.along(role) not in (None, at) for role, at in self.panel.of.at)
        return self.panel.lines.index(key) if key in self.panel.lines and not elsewhere else None

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The share of the way from column to column, and the value; a label is at its line's right end."""
        box, panel = self.plot, self.panel
        if x >= self._labelled_from:
            places = [abs(box.top + place - y) for place in self._placed.places]
            return 1.0, float(panel.values[self._placed.lines[places.index(min(places))], 1])
        return min(1.0, super().at(x, y)[0]), panel.number_at((box.bottom - y) / box.height)

    def cells(self, least: float) -> Iterator[Rect]:
        box, ends = self.plot, self.panel.heights()
        steps = (box.left + at * box.width / _STEPS for at in range(-_STEPS, _STEPS))
        for column in tiles(self.field, (*steps, box.right, self._labelled_from), (), least):
            share = self.at(*column.middle)[0]
            heights = [box.bottom - (left + share * (right - left)) * box.height for left, right in ends]
            if column.middle[0] > self._labelled_from:
                heights = [box.top + place for place in self._placed.places]
            yield from tiles(column, (), halfway(heights), least)

    def start(self) -> Spot:
        return 0, float(self.panel.values[:, 0].max())

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        # Left and right follow a line to its other end and over the edge, up and down go to the next line.
        if dx:
            end = x + dx
            return end, float(self.panel.values[self.panel.at(x, y), end]) if end in (0, 1) else y
        return x, next_value(self.panel.values[:, x].tolist(), y, dy)
