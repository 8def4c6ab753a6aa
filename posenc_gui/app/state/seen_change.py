"""Which changes of a session are seen as motion."""

from __future__ import annotations

from posenc_gui.render.screen import MOST_TOKENS, Change
from posenc_gui.session.session import Session

_MOVING = {"encoding", "other", "strength", "order"}
_ALONG = {"focus", "key"}  # follow their tokens to other places


def change_between(former: Session, now: Session, n_tokens: int, *, still: bool) -> Change | None:
    """Return the change between two sessions whose pictures move from one to the other; None if the later is shown at once.

    Only another encoding, parameter, strength or order is seen as motion, up to 64 tokens. `still`: marks alone are shown.
    """
    changed = {name for name in Session.model_fields if getattr(former, name) != getattr(now, name)}
    if not changed & _MOVING or changed - _MOVING - _ALONG or n_tokens > MOST_TOKENS:
        return None
    before, after = former.order_of(n_tokens), now.order_of(n_tokens)
    return Change(tuple(map(before.index, after)) if before != after else (), still)
