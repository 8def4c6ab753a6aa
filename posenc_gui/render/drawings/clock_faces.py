"""What clocks are drawn with: the face, and a hand from its centre to where it points."""

from __future__ import annotations

import math
from collections.abc import Iterator

from posenc_gui.figure.panels.clocks import Of
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.drawing import MARK
from posenc_gui.render.drawings.parts import Box, Dot, Part, Point, Stroke, straight
from posenc_gui.render.layout.rect import Rect

_AROUND = 3.0  # units: from a clock to the frame around it


def face(x: float, y: float, radius: float, colour: str) -> Iterator[Part]:
    """The rim of a clock."""
    yield Dot(x, y, radius, frame=colour, width=min(1.4, radius / 12))


def hand(x: float, y: float, tip: Point, radius: float, of: Of, roles: Roles) -> Iterator[Part]:
    """A hand from the centre of a clock of this radius to its tip, in the colour of whose it is; others are thin."""
    colour, share = {"focus": (roles.focus, 1.0), "twin": (roles.twin, 1.0), "other": (roles.muted, 0.5)}[of]
    yield Stroke(straight((x, y), tip), colour, share * max(1.2, min(2.2, radius / 14)))
    yield Dot(*tip, (0.5 + share / 2) * max(1.4, min(3.6, radius / 12)), colour)


def pin(x: float, y: float, radius: float, roles: Roles) -> Iterator[Part]:
    """The dot in the middle, on which all hands turn."""
    yield Dot(x, y, max(0.8, min(1.8, radius / 20)), roles.ink)


def framed(middle: Point, radius: float, roles: Roles) -> Box:
    """The frame around a clock that a text speaks of."""
    return Box(Rect(*middle, *middle).grown(radius + _AROUND), frame=roles.ink, width=MARK)


def tip_of(x: float, y: float, length: float, angle: float) -> Point:
    """Where a hand ends that points into this direction, in radians, counter-clockwise from three o'clock."""
    return x + length * math.cos(angle), y - length * math.sin(angle)
