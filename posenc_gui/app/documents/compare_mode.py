"""Turns comparing two encodings on and off."""

from __future__ import annotations

from posenc_gui import encodings
from posenc_gui.app.state.store import Store
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.session.session import Session


class CompareMode:
    """Adds a second encoding to the session or removes it; the last one comes back.

    A model that has learned is compared with itself: A is what stands there instead of its own positions, at first nothing, B
    its own.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: AnyEncoding | None = None

    @property
    def is_on(self) -> bool:
        """True while two encodings are compared."""
        return self._store.session.other is not None

    def turn(self, on: bool) -> str:
        """Turn comparing on or off. Return a sentence if that is refused, else an empty text."""
        session = self._store.session
        if on == self.is_on:
            return ""
        if on:
            return self._store.propose(**to_compare(session, self._last))
        if isinstance(session.model, TrainedModel):
            without = session.encoding == encodings.encoding("none")
            return self._store.propose(encoding=session.other if without else session.encoding, other=None)
        self._last = session.other
        return self._store.propose(other=None)


def to_compare(session: Session, last: AnyEncoding | None = None) -> dict[str, AnyEncoding]:
    """Return the fields by which a session comes to compare: with the `last` encoding that it was compared with, or a
    familiar one."""
    if isinstance(session.model, TrainedModel):
        own = session.model.encoding
        return {"encoding": encodings.encoding("none") if session.encoding == own else session.encoding, "other": own}
    return {"other": last or encodings.encoding("sinusoidal" if session.encoding.name == "rope" else "rope")}
