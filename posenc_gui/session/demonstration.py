"""A demonstration of what position does: two words change places and back, then position is brought in by degrees."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

from posenc_gui.scene.permutations import swap_tokens
from posenc_gui.scene.splitting import Split
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import twins

MOST_TOKENS = 64
_AT_REST, _DEGREE = 1.0, 0.06  # seconds
_DEGREES = 20


class TimedSession(NamedTuple):
    """A session, and for how many seconds it is shown."""

    session: Session
    seconds: float


def demonstration(session: Session, split: Split, *, still: bool = False) -> Iterator[TimedSession]:
    """Yield what is shown, at last the session itself; nothing if there is nothing to see. still: position comes in at once."""
    if not _has_room(session, split):
        return
    shown = None
    for shown in chain(_swapped(session, split), _brought_in(session, still)):
        yield shown
    if shown:
        yield TimedSession(session, 0.0)


def can_demonstrate(session: Session, split: Split) -> bool:
    """True if the demonstration has anything to show."""
    return _has_room(session, split) and bool(_swappable(session, split) or _has_degrees(session))


def _has_room(session: Session, split: Split) -> bool:
    return split.of == session.splitting and not session.patches and 0 < len(split.tokens) <= MOST_TOKENS


def _has_degrees(session: Session) -> bool:
    return session.has_degrees and session.strength > 0


def _swappable(session: Session, split: Split) -> tuple[int, int] | None:
    """Return the places of two different words, if possible neither the focus, whose row is followed, nor a twin."""
    tokens = session.standing(split.tokens)
    own = [place for place, token in enumerate(session.order_of(len(tokens))) if token in split.own]
    apart = {*twins(tokens), session.focus_of(len(tokens))}
    places = [place for place in own if place not in apart]
    pairs = (pair for among in (places, own) for pair in combinations(among, 2))
    return next(((one, other) for one, other in pairs if tokens[one] != tokens[other]), None)


def _swapped(session: Session, split: Split) -> Iterator[TimedSession]:
    """Two different words in each other's places, and back."""
    found = _swappable(session, split)
    if found is None:
        return
    order = swap_tokens(session.order_of(len(split.tokens)), *found)
    yield TimedSession(session.changed(order=order), _AT_REST)
    yield TimedSession(session, _AT_REST)


def _brought_in(session: Session, still: bool) -> Iterator[TimedSession]:
    """The strength from 0 to the session's own."""
    if not _has_degrees(session):
        return
    yield TimedSession(session.changed(strength=0.0), _AT_REST / 2 if not still else _AT_REST)
    for degree in () if still else range(1, _DEGREES):
        yield TimedSession(session.changed(strength=round(session.strength * degree / _DEGREES, 4)), _DEGREE)
