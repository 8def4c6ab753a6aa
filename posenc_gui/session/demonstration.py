"""A demonstration of what position does: two words change places and back, then position is brought in by degrees."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import twins

MOST_TOKENS = 64
_STANDS, _DEGREE = 1.0, 0.06  # seconds
_DEGREES = 20


class Scene(NamedTuple):
    """A session, and for how many seconds it is shown."""

    session: Session
    seconds: float


def demonstration(session: Session, tokens: tuple[str, ...], *, still: bool = False) -> Iterator[Scene]:
    """Yield what is shown one after the other, at last the session itself; nothing where nothing is to be seen.

    tokens: as they stand. still: position comes in at once.
    """
    if not tokens or session.patches or len(tokens) > MOST_TOKENS:
        return
    scene = None
    for scene in chain(_swapped(session, tokens), _brought_in(session, still)):
        yield scene
    if scene:
        yield Scene(session, 0.0)


def _swapped(session: Session, tokens: tuple[str, ...]) -> Iterator[Scene]:
    """Two different words in each other's places, and back; not the focus, whose row is to be followed, nor a twin."""
    typed = range(session.n_words(len(tokens)))
    apart = {*twins(tokens), session.focus_of(len(tokens))}
    places = [place for place in typed if place not in apart]
    one, other = next(
        (
            (one, other)
            for among in (places, typed)
            for one, other in combinations(among, 2)
            if tokens[one] != tokens[other]
        ),
        (0, 0),
    )
    if one == other:
        return
    order = [*session.order_of(len(tokens))[: len(typed)]]
    order[one], order[other] = order[other], order[one]
    yield Scene(session.changed(order=tuple(order)), _STANDS)
    yield Scene(session, _STANDS)


def _brought_in(session: Session, still: bool) -> Iterator[Scene]:
    """The strength from 0 to the session's own."""
    if not session.has_degrees or not session.strength:
        return
    yield Scene(session.changed(strength=0.0), _STANDS / 2 if not still else _STANDS)
    for degree in () if still else range(1, _DEGREES):
        yield Scene(session.changed(strength=round(session.strength * degree / _DEGREES, 4)), _DEGREE)
