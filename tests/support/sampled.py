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


def some_of(first: Sequence[Any], second: Sequence[Any], third: int) -> list[tuple[Any, list[Any]]]:
    """The same, each of the first with all that it meets."""
    pairs = some_pairs(first, second, third)
    return [(one, [other for mine, other in pairs if mine == one]) for one in first]
