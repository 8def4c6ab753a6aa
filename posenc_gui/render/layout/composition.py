"""A composition: the panels of an arrangement and their colour bars, in their places."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from posenc_gui.figure.panels import Heatmap, Panel
from posenc_gui.render.layout import lanes
from posenc_gui.render.layout.cell_labels import Labels, shape_in_cells
from posenc_gui.render.layout.colour_bars import Bar
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided_before_number, wrapped
from posenc_gui.render.layout.type_sizes import Face

_ROUNDING = 0.5  # units by which a title may be longer than its room
_BETWEEN_PARTS = " ·"


@dataclass(frozen=True)
class Placed:
    """A panel in its place. `room` holds all of it, its title at the top, `title` high or 0, then the head of its band,
    `head` high or 0. `plot` is the rest; for slopes and links beside maps it is as high as the maps' cells."""

    panel: Panel
    room: Rect
    plot: Rect
    title: float
    head: float

    @property
    def corner(self) -> tuple[float, float]:
        """Where the stage of its drawing begins."""
        return self.plot.left, self.plot.top


@dataclass(frozen=True)
class PlacedMap(Placed):
    """A map in its place: `plot` holds its cells. It has no `rows` if the panel before it has the same row labels; `below` is
    the height of its bracket, or 0."""

    panel: Heatmap
    columns: Labels
    rows: Labels | None
    below: float

    @property
    def corner(self) -> tuple[float, float]:
        """Where its stage begins, with its labels."""
        return self.room.left, self.room.top + self.title + self.head

    @property
    def cell(self) -> tuple[float, float]:
        """The breadth and the height of a displayed cell."""
        n_rows, n_columns = shape_in_cells(self.panel)
        return self.plot.width / n_columns, self.plot.height / n_rows


def title_of(placed: Placed, face: Face) -> list[str]:
    """A panel's title as it stands, line by line, from the left end of its cells or own, broken between its parts where it can
    be; what has no room is cut."""
    if not placed.title:
        return []
    left = placed.plot.left if isinstance(placed, PlacedMap) else placed.room.left
    title, room, most = placed.panel.title, placed.room.right - left + _ROUNDING, int(placed.title / face.line)
    if face.measure(title) <= room or most < 2:
        return [elided_before_number(title, room, face.measure)]
    # A side's sign stays beside the words that it follows.
    first, _, rest = title.partition(f"{_BETWEEN_PARTS} ")
    parts = [f"{first}{_BETWEEN_PARTS}", *wrapped(rest, room, most - 1, face.measure)]
    if len(rest) > 1 and face.measure(parts[0]) <= room and " ".join(parts) == title:
        return parts
    return wrapped(title, room, most, face.measure)


def is_title_cut(placed: Placed, face: Face) -> bool:
    """True if a panel's title has no room, or breaks within a word."""
    return bool(placed.title) and " ".join(title_of(placed, face)) != placed.panel.title


@dataclass(frozen=True)
class PlacedBar:
    """A colour bar beside its maps, or below them: `room` holds its colours, its tips and its labels."""

    bar: Bar
    room: Rect
    colours: Rect
    upright: bool


@dataclass(frozen=True)
class PlacedBand:
    """A row that is a band of its own: `ground` holds all of it but the columns' titles, and `head` its name. What follows
    the colon in the name stands from `start` on, where the first panel's cells begin, or after the rest."""

    name: str
    ground: Rect
    head: Rect
    start: float


@dataclass(frozen=True)
class Composition:
    """Panels in rows from top to bottom, colour bars by the last map of each scale, and the panels that are left out.

    `height` is that of the rectangle, which may have grown; `title` is the type of titles; `order` holds the indices of the
    panels in each row, and `below` is true if colour bars lie below the maps.
    """

    rows: tuple[tuple[Placed, ...], ...]
    bars: Mapping[Panel, PlacedBar]
    left_out: tuple[Panel, ...]
    height: float
    title: Face
    order: tuple[tuple[int, ...], ...]
    below: bool
    bands: tuple[PlacedBand, ...]

    @cached_property
    def panels(self) -> tuple[Placed, ...]:
        """All panels that are shown, row by row."""
        return tuple(itertools.chain.from_iterable(self.rows))

    @cached_property
    def maps(self) -> tuple[PlacedMap, ...]:
        """All maps that are shown, row by row."""
        return tuple(placed for placed in self.panels if isinstance(placed, PlacedMap))

    @cached_property
    def lanes(self) -> list[lanes.LaneRow]:
        """Each row in relation to those above and below it."""
        return lanes.rows([[placed.panel for placed in row] for row in self.rows])

    @cached_property
    def bounds(self) -> Rect:
        """The smallest rectangle around all panels and colour bars."""
        rects = [placed.room for placed in self.panels] + [bar.room for bar in self.bars.values()]
        left, top = min(rect.left for rect in rects), min(rect.top for rect in rects)
        right, bottom = max(rect.right for rect in rects), max(rect.bottom for rect in rects)
        return Rect(left, top, right, bottom)
