"""Orders of a sentence's tokens: each is the typed tokens' indices in the order in which they now stand."""

from __future__ import annotations

import random

Order = tuple[int, ...]


def moved(order: Order, source: int, target: int) -> Order:
    """The token at index `source` taken out and put in so that it stands at `target`."""
    rest = list(order)
    rest.insert(target, rest.pop(source))
    return tuple(rest)


def swapped(order: Order, first: int, second: int) -> Order:
    """Two tokens changing places."""
    places = list(order)
    places[first], places[second] = places[second], places[first]
    return tuple(places)


def shuffled(order: Order) -> Order:
    """Another order, which depends on this one alone: the same start gives the same row of shuffles."""
    if len(order) < 2:
        return order
    generator = random.Random(",".join(map(str, order)))
    places = list(order)
    while tuple(places) == order:
        generator.shuffle(places)
    return tuple(places)
