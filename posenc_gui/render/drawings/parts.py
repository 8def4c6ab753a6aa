"""The parts of drawings, which every output can draw.

Lengths are in the target's unit, y runs downwards, and colours are "#rrggbb". Parts are drawn in order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from posenc_gui.render.layout.colour_scales import Colours
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Face, Size

Point = tuple[float, float]
Path = tuple[tuple[Point, ...], ...]  # a start, then the end of a line, or both controls and the end of a curve
Side = Literal["left", "center", "right"]
Dash = Literal["-", "--", ":", "-."]

_ROUND = 0.5523  # of the radius: how far the controls of a quarter circle are from its ends


@dataclass(frozen=True)
class Box:
    """A rectangle with a ground or a frame, or both; an empty colour draws none."""

    rect: Rect
    ground: str = ""
    frame: str = ""
    width: float = 1.0
    corner: float = 0.0


@dataclass(frozen=True, eq=False)
class Cells:
    """Equal cells that fill a rectangle, their colours (rows, columns, 3)."""

    rect: Rect
    colours: Colours


@dataclass(frozen=True)
class Text:
    """A line of text with its `side` at x and its middle at y; it is turned to the left about that point by `angle` degrees.
    `signed`: signs of compared encodings are badges, from the left, where the output has them."""

    x: float
    y: float
    text: str
    colour: str
    size: Size | Face = "label"
    side: Side = "left"
    bold: bool = False
    italic: bool = False
    angle: int = 0
    signed: bool = False


@dataclass(frozen=True)
class Stroke:
    """A line or curve with flat ends."""

    path: Path
    colour: str
    width: float
    dash: Dash = "-"


@dataclass(frozen=True)
class Ribbon(Stroke):
    """A stroke whose width is an amount."""


@dataclass(frozen=True)
class Arc:
    """A circle's part from `start` over an angle of at most a turn; in radians, counterclockwise from three o'clock."""

    x: float
    y: float
    radius: float
    angle: float
    colour: str
    width: float
    start: float = 0.0

    @property
    def path(self) -> Path:
        """The curves that come closest, of at most a quarter turn each."""
        count = max(1, math.ceil(abs(self.angle) / (math.pi / 2)))
        step = self.angle / count
        bow = 4 / 3 * math.tan(step / 4) * self.radius

        def at(turn: float, off: float = 0.0) -> Point:
            cos, sin = math.cos(turn), math.sin(turn)
            return self.x + self.radius * cos - off * sin, self.y - self.radius * sin - off * cos

        turns = (self.start + n * step for n in range(count))
        return (at(self.start),), *((at(turn, bow), at(turn + step, -bow), at(turn + step)) for turn in turns)


@dataclass(frozen=True)
class Dot:
    """A circle with a ground, a frame, or both."""

    x: float
    y: float
    radius: float
    ground: str = ""
    frame: str = ""
    width: float = 1.0


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through many points, (n, 2)."""

    points: npt.NDArray[np.float64]
    colour: str
    width: float
    dash: Dash = "-"


@dataclass(frozen=True, eq=False)
class Area:
    """A filled polygon, its corners (n, 2)."""

    corners: npt.NDArray[np.float64]
    ground: str


@dataclass(frozen=True)
class Clipped:
    """Parts of which only what lies in a rectangle is seen."""

    rect: Rect
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Moved:
    """Parts moved to the right and downwards."""

    x: float
    y: float
    parts: tuple[Part, ...]


Part = Box | Cells | Text | Stroke | Arc | Dot | Curve | Area | Clipped | Moved


def straight(*points: Point) -> Path:
    """A line through these points."""
    return tuple((point,) for point in points)


def corner(start: Point, turn: Point, end: Point, radius: float) -> Path:
    """A line from start to end by way of a right-angled turn, which is rounded."""
    (x, y), before, after = turn, _towards(turn, start, radius), _towards(turn, end, radius)
    near = 1 - _ROUND
    controls = tuple((x + near * (one[0] - x), y + near * (one[1] - y)) for one in (before, after))
    return (start,), (before,), (*controls, after), (end,)


def _towards(start: Point, end: Point, length: float) -> Point:
    whole = math.dist(start, end)
    share = min(1.0, length / whole) if whole else 0.0
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def fork(start: Point, end: Point) -> Path:
    """An S from start to end, level at both."""
    middle = (start[0] + end[0]) / 2
    return (start,), ((middle, start[1]), (middle, end[1]), end)
