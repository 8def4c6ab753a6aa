"""Labels without overlap: thinned out along an axis, moved along a side, or on several lines; the names at the ends of curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from posenc_gui.render.layout.text_fit import Measure, longest, wrapped
from posenc_gui.render.layout.ticks import round_steps

_ROUNDING = 1e-6  # tolerance, relative to the space a label needs, for rounding errors
_OF_CURVES, _OF_A_WORD = 0.34, 0.5  # of the breadth of curves with their names: the names, and a long word of them
_MOST_NAME_LINES = 2


def thinned(
    coordinates: range,
    pitch: float,
    need: float,
    first: Iterable[int] = (),
    place: Callable[[int], float] | None = None,
) -> list[int]:
    """The coordinates, `pitch` apart, whose labels have the room that they `need`.

    Where labels are thinned, round coordinates stay; those in `first` take precedence. `place` gives the middle of a label
    that isn't at its coordinate, such as one kept from reaching over an end.
    """
    step = next(step for step in round_steps() if step * pitch >= need * (1 - _ROUNDING))
    begun = coordinates.start + -coordinates.start % step
    at = place or (lambda coordinate: coordinate * pitch)
    shown: dict[int, float] = {}

    def has_room(here: float, others: Iterable[float]) -> bool:
        return all(abs(here - other) >= need * (1 - _ROUNDING) for other in others)

    for coordinate in first:
        if coordinate in coordinates and has_room(at(coordinate), shown.values()):
            shown[coordinate] = at(coordinate)
    others, before = tuple(shown.values()), -math.inf
    for coordinate in range(begun, coordinates.stop, step):  # in order, so the previous label is the nearest
        here = at(coordinate)
        if has_room(here, (before, *others)):
            shown[coordinate] = before = here
    return sorted(shown)


def apart(wanted: Sequence[float], pitch: float, low: float, high: float) -> list[float]:
    """Return positions at least `pitch` apart between `low` and `high`, as near to the wanted ones as possible (least squares).

    If they don't all fit, the last ones are beyond `high`.
    """
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # Isotonic regression: with the pitches subtracted, positions only have to rise; falling ones are replaced by their mean.
    blocks: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        mean, count = wanted[index] - rank * pitch, 1
        while blocks and blocks[-1][0] >= mean:
            before, more = blocks.pop()
            mean, count = (before * more + mean * count) / (more + count), more + count
        blocks.append((mean, count))
    highest = max(low, high - (len(wanted) - 1) * pitch)
    levels = (min(max(mean, low), highest) for mean, count in blocks for _ in range(count))
    places = [0.0] * len(wanted)
    for rank, (index, level) in enumerate(zip(order, levels, strict=True)):
        places[index] = level + rank * pitch
    return places


def every(count: int, pitch: float, room: float) -> range:
    """Return the indices of the labels, each `pitch` high, that fit: all, or every second, third and so on."""
    return range(0, count, max(1, math.ceil(count / max(1, int(room / pitch)))))


def beside_line(x: float, width: float, end: float, air: float) -> tuple[float, float]:
    """Return the span of a label at the right of an upright line, or at its left where it would reach over the `end`."""
    start = x + air if x + air + width <= end else x - air - width
    return start, start + width


def levels(spans: Sequence[tuple[float, float]], most: int, gap: float) -> list[int | None]:
    """Assign each span, (start, end) from left to right, to the first of `most` text lines on which it fits, or None."""
    ends, found = [-math.inf] * most, list[int | None]()
    for start, end in spans:
        level = next((level for level, taken in enumerate(ends) if taken + gap <= start), None)
        if level is not None:
            ends[level] = end
        found.append(level)
    return found


def name_lines(name: str, breadth: float, measure: Measure) -> list[str]:
    """A curve's name on one line, or on two where it would take more than its share of the breadth."""
    room = max(_OF_CURVES * breadth, min(longest(name.split(), measure), _OF_A_WORD * breadth))
    return wrapped(name, room, _MOST_NAME_LINES, measure)
