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
        if isinstance(session.model, TrainedModel):
            return self._store.propose(**_with_itself(session, session.model.encoding, on))
        if on:
            return self._store.propose(other=self._last or _first_other(session.encoding))
        self._last = session.other
        return self._store.propose(other=None)


def _with_itself(session: Session, own: AnyEncoding, on: bool) -> dict[str, AnyEncoding | None]:
    none = encodings.encoding("none")
    if on:
        return {"encoding": none if session.encoding == own else session.encoding, "other": own}
    return {"encoding": session.other if session.encoding == none else session.encoding, "other": None}


def _first_other(encoding: AnyEncoding) -> AnyEncoding:
    return encodings.encoding("sinusoidal" if encoding.name == "rope" else "rope")
