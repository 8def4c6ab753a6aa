"""Orders of a sentence's tokens: the typed tokens' indices in their current order."""

from __future__ import annotations

import random
from collections.abc import Callable

Order = tuple[int, ...]


def move_token(order: Order, source: int, target: int) -> Order:
    """Move the token at index `source` to index `target`."""
    rest = list(order)
    rest.insert(target, rest.pop(source))
    return tuple(rest)


def swap_tokens(order: Order, first: int, second: int) -> Order:
    """Swap two tokens."""
    places = list(order)
    places[first], places[second] = places[second], places[first]
    return tuple(places)


def change_among(order: Order, own: range, change: Callable[[Order], Order]) -> Order:
    """Change the order of the tokens that `own` holds, among the places where they stand; all others stay."""
    changed = iter(change(tuple(token for token in order if token in own)))
    return tuple(next(changed) if token in own else token for token in order)


def shuffle_order(order: Order) -> Order:
    """Shuffle an order, using the order itself as the seed: the same start gives the same sequence of shuffles."""
    if len(order) < 2:
        return order
    generator = random.Random(",".join(map(str, order)))
    places = list(order)
    while tuple(places) == order:
        generator.shuffle(places)
    return tuple(places)
