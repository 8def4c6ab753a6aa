"""Numbers beside the frames around what a text speaks of: near their frames, clear of each other and of curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from posenc_gui.render.layout.rect import Rect

_AIR = 3.0  # between a frame and its number
_LOOKS = 12  # points along a number at which a curve is looked for

Points = Sequence[float] | npt.NDArray[np.float64]


def beside_frames(
    values: Sequence[tuple[Rect, str]],
    size_of: Callable[[str], tuple[float, float]],
    room: Rect,
    crossed: Callable[[Rect], bool] = lambda _: False,
) -> list[tuple[Rect, str]]:
    """Return where the value of each frame is written, without those whose near places are all taken.

    Frames on each other with equal values share one. size_of: the width and the height of a value. crossed: whether a curve
    goes through a place; it may, if no other is free. Works for y in either direction.
    """
    taken = [frame for frame, _ in values]
    found: list[tuple[Rect, str]] = []
    for at, (frame, value) in enumerate(values):
        if any(value == other and _meet(frame, before) for before, other in values[:at]):
            continue
        near = [one for one in _near(frame, *size_of(value)) if _holds(room, one)]
        free = [one for one in near if not any(_meet(one, it) for it in taken)]
        if place := next((one for one in free if not crossed(one)), free[0] if free else None):
            found.append((place, value))
            taken.append(place)
    return found


def crosses(xs: Points, ys: Points, place: Rect) -> bool:
    """True if a curve, whose xs rise, goes through a place."""
    inside = np.linspace(place.left, place.right, _LOOKS)
    level = np.interp(inside[(xs[0] <= inside) & (inside <= xs[-1])], xs, ys)
    low, high = _span(place)
    return bool(((low <= level) & (level <= high)).any())


def _near(frame: Rect, width: float, height: float) -> Iterator[Rect]:
    """Yield places around a frame: at its corners, above and below it, and at its sides."""
    up = 1.0 if frame.top > frame.bottom else -1.0
    middle, level = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    right, left = frame.right + _AIR, frame.left - _AIR - width
    above, below = frame.top + up * height, frame.bottom
    for start, top in (
        (right, above),
        (left, above),
        (right, below),
        (left, below),
        (middle - width / 2, above + up * _AIR),
        (middle - width / 2, below - up * _AIR),
        (right, level + up * height / 2),
        (left, level + up * height / 2),
    ):
        yield Rect(start, top, start + width, top - up * height)


def _span(one: Rect) -> tuple[float, float]:
    return min(one.top, one.bottom), max(one.top, one.bottom)


def _holds(room: Rect, one: Rect) -> bool:
    (low, high), (lowest, highest) = _span(one), _span(room)
    return room.left <= one.left and one.right <= room.right and lowest <= low and high <= highest


def _meet(one: Rect, other: Rect) -> bool:
    (low, high), (other_low, other_high) = _span(one), _span(other)
    return one.left < other.right and other.left < one.right and low < other_high and other_low < high
