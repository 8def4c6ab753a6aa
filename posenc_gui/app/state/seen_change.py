"""Which changes of a session are seen as motion."""

from __future__ import annotations

from typing import NamedTuple

from posenc_gui.render.screen import MOST_TOKENS, Change
from posenc_gui.scene.permutations import Order
from posenc_gui.session.session import Session

_MOVING = {"encoding", "other", "strength", "order"}
_ALONG = {"focus", "key"}  # follow their tokens to other places


class Moved(NamedTuple):
    """The token that was moved last, by its typed index; the number of its drag, and the orders through which that led."""

    token: int
    drag: int
    orders: frozenset[Order]


def change_between(former: Session, now: Session, n_tokens: int, *, still: bool, moved: Moved | None) -> Change | None:
    """Return the change between two sessions whose pictures move from one to the other; None if the later is shown at once.

    Only another encoding, parameter, strength or order is seen as motion, up to 64 tokens. `still`: marks alone are shown.
    """
    changed = {name for name in Session.model_fields if getattr(former, name) != getattr(now, name)}
    if not changed & _MOVING or changed - _MOVING - _ALONG or n_tokens > MOST_TOKENS:
        return None
    before, after = former.order_of(n_tokens), now.order_of(n_tokens)
    if before == after:
        return Change(still=still)
    places = tuple(map(before.index, after))
    if moved is None or moved.token not in before:
        return Change(places, still)
    return Change(places, still, before.index(moved.token), moved.drag if now.order in moved.orders else None)
