"""Turns comparing two encodings on and off."""

from __future__ import annotations

from posenc_gui import encodings
from posenc_gui.app.state.store import Store
from posenc_gui.encodings.common.any_encoding import AnyEncoding


class CompareMode:
    """Adds a second encoding to the session or removes it; the last one comes back."""

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
            return self._store.propose(other=self._last or _first_other(session.encoding))
        self._last = session.other
        return self._store.propose(other=None)


def _first_other(encoding: AnyEncoding) -> AnyEncoding:
    return encodings.encoding("sinusoidal" if encoding.name == "rope" else "rope")
