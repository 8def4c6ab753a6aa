"""A drawing: one panel as parts on its stage, and what is where on it. Each kind of panel has one, for every output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Bars, Dials, Flow, Links, Note, Slopes
from posenc_gui.foundation.contrast import mixed
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.motion import REST, Moment, Motion
from posenc_gui.render.drawings.parts import Part
from posenc_gui.render.layout.composition import PlacedMap
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style

BROAD = 5.0  # units: the breadth of lines of a former state
_PALE = 0.3  # their opacity at first
_P = TypeVar("_P", bound=Bars | Dials | Flow | Links | Note | Slopes)

Spot = tuple[int, float]  # a place of the keyboard's pointer, in the panel's coordinates


@dataclass(frozen=True)
class Stage:
    """What a panel is drawn on: a rectangle from (0, 0), y downwards, in a target's unit, type and colours.

    `beside` holds the maps in the panel's row: then the rectangle is as high as their cells, and headings stand above it.
    `marked` is what the pointer brings out, as `Drawing.named` says it; `seen`: the rows in sight, if they can be zoomed. On the
    way from a former state there is a `motion`, drawn at the `moment`.
    """

    width: float
    height: float
    style: Style
    roles: Roles
    beside: tuple[PlacedMap, ...] = ()
    marked: int | None = None
    seen: tuple[float, float] | None = None
    motion: Motion | None = None
    moment: Moment = REST

    def faded(self, colour: str) -> str:
        """The colour of a former state's mark at this moment."""
        return mixed(colour, self.roles.card, _PALE * self.moment.mark)


class Drawing(Generic[_P]):
    """A drawn panel. It leaves room for the texts of `widest`, such as the longest in a film; `panel` is what is shown, which has
    less than was asked for where room is short."""

    def __init__(self, panel: _P, stage: Stage, widest: _P | None = None) -> None:
        self.panel, self.stage, self.widest = panel, stage, widest or panel
        self.plot = Rect(0, 0, stage.width, stage.height)  # where the values are, without labels, axes and legends

    @staticmethod
    def rows(panel: _P) -> tuple[float, float] | None:
        """Where the first row of a panel that can be zoomed begins and the last one ends; None for one that is always whole."""
        return None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts, from the ground to what lies on top."""
        return tuple(self.draw())

    def draw(self) -> Iterator[Part]:
        """Yield the parts in order."""
        raise NotImplementedError

    def holds(self, panel: _P) -> bool:
        """True if another panel's texts have their room here, so that nothing moves when they change."""
        return False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of the stage in the panel's coordinates, as `read` and `pointer` take them."""
        raise NotImplementedError

    def named(self, pointer: Pointer) -> int | None:
        """The number of what a pointer names here; None if it isn't shown."""
        return None

    def pressed(self, x: float, y: float) -> Pointer:
        """A pointer to what a press at a point selects."""
        return self.panel.pointer(x, y)

    def door(self, x: float, y: float) -> str:
        """The door whose encodings a press at a point lists; empty if it selects."""
        return ""

    def start(self) -> Spot:
        """The first place of the keyboard's pointer."""
        return 0, 0

    def step(self, x: int, y: float, dx: int, dy: int) -> Spot:
        """The place one step from another for the keyboard's pointer."""
        return x + dx, y + dy
