"""What multiplies is sampled, so that the suite's time doesn't grow with the square of what there is to test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

THIRDS = 3


def some_pairs(first: Sequence[Any], second: Sequence[Any], third: int) -> list[tuple[Any, Any]]:
    """One of the thirds, 0 to 2, of all pairs: each of the first meets every third one of the second, and the other way.

    Tests that take different thirds let all meet all.
    """
    return [
        (one, other)
        for row, one in enumerate(first)
        for column, other in enumerate(second)
        if (row + column) % THIRDS == third
    ]


def dealt(first: Sequence[Any], second: Sequence[Any], each: int) -> list[tuple[Any, list[Any]]]:
    """Each of the first with so many of the second, dealt in turn until all of both have been met."""
    return [(one, [second[(each * place + of) % len(second)] for of in range(each)]) for place, one in enumerate(first)]
