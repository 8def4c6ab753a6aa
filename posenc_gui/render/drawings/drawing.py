"""A drawing: one panel as parts on its stage, and what is where on it. Each kind of panel has one, for every output."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from posenc_gui.figure.axis import Axis, Pointer
from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.drawings.parts import Box, Part, Text
from posenc_gui.render.drawings.regions import Region, tiles
from posenc_gui.render.layout.cell_labels import CellLabels
from posenc_gui.render.layout.composition import PlacedMap
from posenc_gui.render.layout.lanes import LaneRow
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.set_table import SetTable
from posenc_gui.render.layout.text_fit import Measure, widest_of
from posenc_gui.render.layout.type_sizes import BOLD, Size, Style

BROAD, _PALE = 5.0, 0.3  # units: the width of lines of a former state, and their opacity at first
MARK = 2.4  # units: the frame around what a text speaks of
_LANDSCAPE = 2.0  # the best width of curves, bars and clocks, in heights
_SQUARE = 24  # units: the side of what is read as one thing by default
_AIR = 2.0  # units beside a number on its ground
_OFF = 3.0  # units: from a frame to its number
_LOOKS = 12  # points along a number at which a curve is looked for
_LARGEST_POWER = 300  # of ten: a float holds no much larger one
_P = TypeVar("_P", bound=Panel)

Points = Sequence[float] | npt.NDArray[np.float64]
Spot = tuple[int, float]  # a place of the keyboard's pointer, in the panel's coordinates


@dataclass(frozen=True)
class ZoomRange:
    """What of a panel can be zoomed, in its coordinates: what is in sight at first, how far one can go, the least that is shown
    along both axes, and along which one can zoom."""

    shown: Rect
    limits: Rect
    least: tuple[float, float]
    along: bool
    down: bool

    @classmethod
    def of_rows(cls, *axes: Axis) -> ZoomRange:
        """Rows from the edge of the first to that of the last."""
        last = max(axis.first + len(axis.labels) for axis in axes) - 0.5
        rows = Rect(0, min(axis.first for axis in axes) - 0.5, 1, last)
        return cls(rows, rows, (1, min(2.0, rows.height)), along=False, down=True)


@dataclass(frozen=True)
class Margins:
    """The room around plots that share it; `title`: the type of titles at the left, which have some of it; None without."""

    left: float
    right: float
    above: float
    below: float
    title: Size | None


@dataclass(frozen=True)
class MapLayout:
    """The place of a map, the rectangle of its cells on its stage, the maps whose numbers have one style, and what finds their
    labels."""

    placed: PlacedMap
    cells: Rect
    alike: tuple[Heatmap, ...]
    labels: CellLabels


@dataclass(frozen=True)
class Stage:
    """What a panel is drawn on: a rectangle from (0, 0), y downwards, in a target's unit, type and colours.

    `beside` holds the maps in the panel's row: then the rectangle is as high as their cells, and headings are above it.
    `map_layout` and `set_table`: what a map's and a table's stage have beside these. `lane`: how the panel's row goes with those
    above and below. `margins`: the room around its plot, if others have the same. `marked` is what the pointer brings out, as
    `Drawing.marked_by` says it; `seen` is what is in sight of a panel that is zoomed, None for all.
    On the way from a former state there is a `motion`, drawn at the `moment`.
    """

    width: float
    height: float
    style: Style
    roles: Roles
    beside: tuple[PlacedMap, ...] = ()
    map_layout: MapLayout | None = None
    set_table: SetTable | None = None
    lane: LaneRow | None = None
    margins: Margins | None = None
    marked: Hashable = None
    seen: Rect | None = None
    motion: Motion | None = None
    moment: Moment = REST

    @property
    def is_lane(self) -> bool:
        """True for one of several curves below each other that share an x axis."""
        return self.lane is not None and self.lane.is_lane

    def faded(self, colour: str) -> str:
        """The colour of a former state's mark at this moment."""
        return mixed(colour, self.roles.card, _PALE * self.moment.mark)


class Drawing(Generic[_P]):
    """A drawn panel. It leaves room for the texts of `widest`, such as the longest in a film; `panel` is what is shown, which has
    less than was asked for where room is short."""

    # In lines of labels: a row with such a panel is no lower, and what is smallest in it is comfortable.
    least_height, comfortable = 3.0, 3.0
    has_axis_below = False

    def __init__(self, panel: _P, stage: Stage, widest: _P | None = None) -> None:
        self.panel, self.stage, self.widest = panel, stage, widest or panel
        self.plot = Rect(0, 0, stage.width, stage.height)  # where the values are, without labels, axes and legends
        self.field = self.plot  # where a pointer reads them
        self.seen = self.plot  # the panel's coordinates at the plot's sides

    @staticmethod
    def zoom_range(panel: _P) -> ZoomRange | None:
        """What of a panel can be zoomed; None for one that is always whole."""
        return None

    @classmethod
    def comfort(cls, panel: _P, plot: Rect, style: Style) -> float:
        """The size of what is smallest in a panel on a plot of this size, 1 where it is comfortable."""
        return min(plot.width / _LANDSCAPE, plot.height - cls.has_axis_below * style.axis) / (
            cls.comfortable * style.label.line
        )

    @staticmethod
    def places(panel: _P) -> tuple[int, ...]:
        """How many parts of a panel have a place of their own; they stay there between panels of which all are equally many."""
        return ()

    @staticmethod
    def widest_of(panels: Sequence[_P], measure: Measure) -> _P:
        """A panel whose texts need as much room as those of any of these."""
        found: _P = widest_of(panels, measure)
        return found

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts, from the ground to what lies on top."""
        return tuple(self.draw())

    def draw(self) -> Iterator[Part]:
        """Yield the parts in order."""
        raise NotImplementedError

    def numbers_beside(
        self, values: Sequence[tuple[Rect, str]], crossed: Callable[[Rect], bool] = lambda _: False
    ) -> Iterator[Part]:
        """Write the number of each frame near it, where there is room; `crossed`: whether a curve goes through a place."""
        small, roles = self.stage.style.small, self.stage.roles

        def size_of(text: str) -> tuple[float, float]:
            return BOLD * small.measure(text) + 2 * _AIR, small.line

        for place, text in beside_frames(values, size_of, self.plot, crossed):
            yield Box(place, roles.card)
            yield Text(place.left + _AIR, (place.top + place.bottom) / 2, text, roles.ink, "small", bold=True)

    is_marked_on_top = False  # True if what a pointer names is drawn by `draw_marked`

    def draw_marked(self, marked: Hashable) -> Iterator[Part]:
        """Draw over the rest what a pointer names."""
        yield from ()

    def has_room_for(self, panel: _P) -> bool:
        """True if another panel's texts have their room here, so that nothing moves when they change."""
        return False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of the stage in the panel's coordinates, as `read` and `pointer` take them."""
        return self.plot.onto(self.seen, x, y)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """A point of the panel's coordinates on the stage."""
        return self.seen.onto(self.plot, x, y)

    def cells(self, least: float) -> Iterator[Rect]:
        """Yield the rectangles of the field in reading order, in each of which one thing is read. None is narrower or lower than
        `least` units, above 0: where cells are smaller, a block of them stands for the one in its middle. Here: squares."""
        edges = range(0, round(max(self.stage.width, self.stage.height)), _SQUARE)
        return filter(self.has_words, tiles(self.field, edges, edges, least))

    def regions(self, least: float) -> Iterator[Region]:
        """Yield what is under a pointer, cell by cell."""
        return (Region(cell, *self.at(*cell.middle)) for cell in self.cells(least))

    def has_words(self, cell: Rect) -> bool:
        """True if something is read in a cell's middle."""
        return bool(self.panel.read(*self.at(*cell.middle)))

    def marked_by(self, pointer: Pointer) -> Hashable:
        """What a pointer names here, to be drawn as `Stage.marked`, or over the rest; None if it isn't shown."""
        return None

    def pressed(self, x: float, y: float) -> Pointer:
        """A pointer to what a press at a point selects."""
        return self.panel.pointer(x, y)

    def door(self, x: float, y: float) -> str:
        """The door whose encodings a press at a point lists; empty if it selects."""
        return ""

    def offer(self, x: float, y: float) -> str:
        """What a press at a point does, in words; empty where it selects what is seen there."""
        return ""

    def start(self) -> Spot:
        """The first place of the keyboard's pointer."""
        return 0, 0

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        """The place one step from another for the keyboard's pointer."""
        return x + dx, y + dy


def focus_or_first(axis: Axis, count: int) -> int:
    """Where the keyboard's pointer begins on an axis of so many places."""
    focus = axis.focus
    return focus if focus is not None and axis.first <= focus < axis.first + count else axis.first


def next_value(values: Iterable[float], near: float, down: int) -> float:
    """The value so many places below the one that is nearest, largest first; beyond an end, the last."""
    falling = sorted(set(values), reverse=True)
    nearest = min(range(len(falling)), key=lambda at: abs(falling[at] - near))
    return falling[max(0, min(len(falling) - 1, nearest + down))]


def power_of_ten(logarithm: float) -> float:
    """The number with this logarithm, as far as a float holds it."""
    return 10 ** min(max(logarithm, -_LARGEST_POWER), _LARGEST_POWER)


def beside_frames(
    values: Sequence[tuple[Rect, str]],
    size_of: Callable[[str], tuple[float, float]],
    room: Rect,
    crossed: Callable[[Rect], bool] = lambda _: False,
) -> list[tuple[Rect, str]]:
    """Return where the value of each frame is written, without those whose near places are all taken.

    Frames on each other with equal values share one. size_of: the width and the height of a value. crossed: whether a curve
    goes through a place; it may, if no other is free.
    """
    taken = [frame for frame, _ in values]
    found: list[tuple[Rect, str]] = []
    for at, (frame, value) in enumerate(values):
        if any(value == other and meet(frame, before) for before, other in values[:at]):
            continue
        near = [one for one in _near(frame, *size_of(value)) if contains(room, one)]
        free = [one for one in near if not any(meet(one, it) for it in taken)]
        if place := next((one for one in free if not crossed(one)), free[0] if free else None):
            found.append((place, value))
            taken.append(place)
    return found


def crosses(xs: Points, ys: Points, place: Rect) -> bool:
    """True if a curve, whose xs rise, goes through a place."""
    inside = np.linspace(place.left, place.right, _LOOKS)
    level = np.interp(inside[(xs[0] <= inside) & (inside <= xs[-1])], xs, ys)
    return bool(((place.top <= level) & (level <= place.bottom)).any())


def _near(frame: Rect, width: float, height: float) -> Iterator[Rect]:
    """Yield places around a frame: at its corners, above and below it, and at its sides."""
    (middle, level), above, below = frame.middle, frame.top - height, frame.bottom
    right, left = frame.right + _OFF, frame.left - _OFF - width
    for start, top in (
        (right, above),
        (left, above),
        (right, below),
        (left, below),
        (middle - width / 2, above - _OFF),
        (middle - width / 2, below + _OFF),
        (right, level - height / 2),
        (left, level - height / 2),
    ):
        yield Rect.down_from(start, top, width, height)


def contains(room: Rect, one: Rect) -> bool:
    """True if a rectangle lies within a room, where y runs downwards."""
    return room.left <= one.left and one.right <= room.right and room.top <= one.top and one.bottom <= room.bottom


def meet(one: Rect, other: Rect) -> bool:
    """True if two rectangles share a point, where y runs downwards."""
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
