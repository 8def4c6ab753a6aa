"""Rows of different heights, shared among parts that are about equally high."""

from __future__ import annotations

from collections.abc import Sequence

_STEPS = 20  # of the search for the lowest height


def divide_evenly(heights: Sequence[float], room: float) -> list[range]:
    """Divide rows of these heights into as few parts as have room, each of at least one row, about equally high."""
    parts = _filled(heights, room)
    least = sum(heights) / len(parts)
    tried = (least + step / _STEPS * (room - least) for step in range(_STEPS))
    return next((even for high in tried if len(even := _filled(heights, high)) == len(parts)), parts)


def _filled(heights: Sequence[float], room: float) -> list[range]:
    """The rows in parts, each of as many as have room, but at least one."""
    starts, used = [0], 0.0
    for row, height in enumerate(heights):
        if row > starts[-1] and used + height > room:
            starts.append(row)
            used = 0.0
        used += height
    return [range(*ends) for ends in zip(starts, [*starts[1:], len(heights)], strict=True)]
